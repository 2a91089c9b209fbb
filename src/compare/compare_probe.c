/* How fast a comparison is swept, from sweeps of corners of its matrix: by all devices, or by each kind of member. */
#include <math.h>

#include <chromosweep/error.h>

#include "compare/comparison.h"
#include "compare/speed_probe.h"
#include "ring/ring_pay.h"
#include "ring/ring_share.h"

/* For each kind of member. */
#define KIND_SECONDS 1.0

/* A corner that is being swept. */
typedef struct {
    const CsComparison *comparison;
    const CsSweepOptions *sweep;
    double most; /* stop after so many seconds */
    CsProbed *probed;
} Corner;

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    const Corner *corner = user_data;
    corner->probed->seconds = state->seconds;
    corner->probed->cells = state->cells;
    return state->seconds < corner->most ? CS_SWEEP_GO_ON : CS_SWEEP_STOP;
}

/*
 * A CsProbeFunc: sweeps a corner. It has the first rows and the last columns. Similar stretches are
 * as rare there as in most of the matrix.
 */
static gboolean
sweep_corner(double cells, double most, CsProbed *probed, gpointer user_data, GError **error)
{
    Corner *corner = user_data;
    const CsComparison *comparison = corner->comparison;
    CsRectangle rectangle = cs_comparison_rectangle(comparison, comparison->state.under_way);
    const gint64 m = cs_rectangle_m(&rectangle), n = cs_rectangle_n(&rectangle);
    gint64 columns = 1;
    while ((double)columns * (double)columns < cells && columns < n)
        columns = MIN(2 * columns, n);
    const gint64 rows = (gint64)CLAMP(cells / (double)columns, 1, (double)m);
    rectangle.rows = cs_view_slice(&rectangle.rows, 0, rows);
    rectangle.columns = cs_view_slice(&rectangle.columns, n - columns, columns);
    CsSweepOptions sweep = *corner->sweep;
    sweep.shape = comparison->wish;
    sweep.func = watch;
    sweep.func_data = corner;
    corner->most = most;
    corner->probed = probed;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    g_autoptr(GError) failure = NULL;
    CsSweepState state;
    probed->slots = grid->depth;
    if (cs_sweep_run(&rectangle, grid, &sweep, &state, &failure) ||
        g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
}

gboolean
cs_compare_probe(const CsComparison *comparison, const CsSweepOptions *sweep, const CsGrid *grid,
                 double most, double *cells_a_second, GError **error)
{
    Corner corner = {.comparison = comparison, .sweep = sweep};
    return cs_speed_probe(sweep_corner, &corner, (double)grid->m * (double)grid->n, grid->depth,
                          sweep->engine->gpu, most, cells_a_second, error);
}

/* What tells kinds of members apart: the model of a GPU, or the engine on a CPU. */
static const char *
kind_of(const CsMember *member)
{
    return member->engine->describe(member->device, NULL);
}

/* The speed of a member's whole device in cells a second; 0: not known. A member on the CPU has its part of the threads. */
static double
measure(const CsComparison *comparison, const CsMember *member, guint cpus)
{
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, comparison->state.under_way);
    const CsEngineOptions *options = &comparison->sweep.engine_options;
    const guint threads = member->threads > 0 ? member->threads : options->threads / MAX(1, cpus);
    CsSweepOptions sweep = {
        .engine = member->engine,
        .engine_options = {.threads = MAX(1, threads), .device = member->device},
        .shape = comparison->wish};
    double speed = 0;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    return cs_compare_probe(comparison, &sweep, grid, KIND_SECONDS, &speed, NULL) ? speed : 0;
}

/* How many members are the same GPU as this one. */
static guint
count_sharers(const CsDeviceChoice *choice, guint k)
{
    const CsMember *member = &choice->members[k];
    return member->engine->gpu ? cs_ring_share_sharers(choice->members, choice->n_members, member)
                               : 1;
}

/* Whether members differ, so that it pays to measure them. */
static gboolean
want_speeds(const CsComparison *comparison, const CsRectangle *rectangle)
{
    const CsDeviceChoice *choice = &comparison->choice;
    gboolean differ = FALSE;
    if (comparison->measured || choice->n_members < 2 || !choice->engines[0]->gpu ||
        !cs_ring_pay_measuring(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle)))
        return FALSE;
    for (guint k = 0; k < choice->n_members; k++) {
        if (kind_of(&choice->members[k]) == NULL)
            return FALSE;
        differ = differ || strcmp(kind_of(&choice->members[k]), kind_of(choice->members)) != 0;
    }
    return differ;
}

void
cs_compare_probe_members(CsComparison *comparison, const CsRectangle *rectangle)
{
    CsDeviceChoice *choice = &comparison->choice;
    double speeds[CS_DEVICE_MEMBERS] = {0};
    guint cpus = 0;
    if (!want_speeds(comparison, rectangle))
        return;
    comparison->measured = TRUE;
    for (guint k = 0; k < choice->n_members; k++)
        cpus += !choice->members[k].engine->gpu && choice->members[k].threads == 0;
    for (guint k = 0; k < choice->n_members; k++) {
        guint before = 0;
        while (before < k &&
               strcmp(kind_of(&choice->members[before]), kind_of(&choice->members[k])) != 0)
            before++;
        speeds[k] = before < k ? speeds[before] : measure(comparison, &choice->members[k], cpus);
        if (speeds[k] <= 0)
            return;
    }
    /* In multiprocessors of the first member, a GPU. */
    const double unit = speeds[0] / ((double)choice->members[0].speed * count_sharers(choice, 0));
    for (guint k = 0; k < choice->n_members; k++)
        choice->members[k].speed =
            (guint)MAX(1, lround(speeds[k] / unit / count_sharers(choice, k)));
}
