/* What a comparison will take: what cs_compare() decides beforehand, and a probe of the speed. */
#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>
#include <chromosweep/plan.h>

#include "compare_private.h"
#include "display.h"
#include "needs.h"

/* Cells of the first corner; each next one has at most so many times more. */
#define FIRST_CELLS ((gint64)1 << 24)
#define GROWTH_MOST 64.0
/* Seconds that a corner shall take; a GPU's wave must fill, too. */
#define CORNER_SECONDS 0.6
#define GPU_CORNER_SECONDS 1.2
/* Of that, what is enough. */
#define ENOUGH 0.8

/* A corner under way. */
typedef struct {
    double most; /* seconds */
    double seconds;
    gint64 cells;
} Corner;

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    Corner *corner = user_data;
    corner->seconds = state->seconds;
    corner->cells = state->cells;
    return state->seconds < corner->most ? CS_SWEEP_GO_ON : CS_SWEEP_STOP;
}

/*
 * Sweeps a corner of about so many cells for at most so many seconds. It is that of the first rows
 * and the last columns, where what is alike in both sequences comes as seldom as in most of the
 * matrix.
 */
static gboolean
sweep_corner(const CsPrepared *prepared, double cells, Corner *corner, GError **error)
{
    const CsRectangle *whole = &prepared->rectangle;
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    gint64 columns = 1;
    while ((double)columns * (double)columns < cells && columns < n)
        columns = MIN(2 * columns, n);
    const gint64 rows = (gint64)CLAMP(cells / (double)columns, 1, (double)m);
    CsRectangle rectangle = *whole;
    rectangle.rows = cs_view_slice(&whole->rows, 0, rows);
    rectangle.columns = cs_view_slice(&whole->columns, n - columns, columns);
    CsSweepOptions sweep = prepared->sweep;
    sweep.shape = prepared->wish;
    sweep.func = watch;
    sweep.func_data = corner;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    g_autoptr(GError) failure = NULL;
    CsSweepState state;
    if (cs_sweep_run(&rectangle, grid, &sweep, &state, &failure) ||
        g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
}

/* The speed of the last corner, each as much larger as its forerunner was too short. */
static gboolean
probe_speed(const CsPrepared *prepared, double most, double *cells_a_second, GError **error)
{
    const double wanted = prepared->sweep.engine->gpu ? GPU_CORNER_SECONDS : CORNER_SECONDS;
    const double whole =
        (double)cs_rectangle_m(&prepared->rectangle) * (double)cs_rectangle_n(&prepared->rectangle);
    double cells = (double)FIRST_CELLS;
    while (TRUE) {
        Corner corner = {.most = most};
        cells = MIN(cells, whole);
        if (!sweep_corner(prepared, cells, &corner, error))
            return FALSE;
        const double seconds = MAX(corner.seconds, 1e-6);
        *cells_a_second = (double)corner.cells / seconds;
        most -= seconds;
        if (seconds >= ENOUGH * wanted || cells >= whole || most <= 0)
            return TRUE;
        cells *= CLAMP(wanted / seconds, 2, GROWTH_MOST);
    }
}

/* How far the newest sound state has come. */
static gboolean
read_checkpoint(const char *directory, gint64 *cells_done, GError **error)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, error);
    if (info == NULL)
        return FALSE;
    for (guint k = 0; k < info->n_generations; k++)
        if (info->generations[k].fault == NULL) {
            *cells_done = info->generations[k].cells_done;
            return TRUE;
        }
    g_autofree char *shown = cs_display_name(directory);
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s holds no generation that can be used", shown);
    return FALSE;
}

static void
warn(const CsCompareOptions *options, const CsPlan *plan)
{
    g_autofree char *doubt = cs_needs_doubt(plan);
    if (doubt != NULL && options != NULL && options->note != NULL)
        options->note(CS_NOTE_WARNING, doubt, options->note_data);
}

gboolean
cs_plan(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
        double probe, CsPlan *plan, GError **error)
{
    g_auto(CsPrepared) prepared = {0};
    const char *directory = options != NULL ? options->checkpoint : NULL;
    if (!cs_compare_prepare(target, query, options, &prepared, error))
        return FALSE;
    const CsGrid *grid = prepared.grid;
    CsPlan made = {
        .cells = prepared.cells,
        .engine = prepared.sweep.engine->name,
        .device = prepared.sweep.engine->gpu ? prepared.phrase : NULL,
        .block_rows = grid->block_rows,
        .block_columns = grid->block_columns,
        .blocks_a_diagonal = grid->depth,
        .block_height = grid->block_height,
        .block_width = grid->block_width,
    };
    if (!prepared.is_new && !read_checkpoint(directory, &made.cells_done, error))
        return FALSE;
    if (probe > 0 && made.cells > 0 && !probe_speed(&prepared, probe, &made.cells_a_second, error))
        return FALSE;
    if (made.cells_a_second > 0) {
        made.seconds = (double)made.cells / made.cells_a_second;
        made.seconds_left = (double)(made.cells - made.cells_done) / made.cells_a_second;
    }
    cs_needs_fill(&made, &prepared.rectangle, grid, &prepared.sweep, directory);
    warn(options, &made);
    *plan = made;
    return TRUE;
}

gboolean
cs_plan_check(const CsPlan *plan, GError **error)
{
    return cs_needs_check_memory(plan, error) && cs_needs_check_disk(plan, error);
}
