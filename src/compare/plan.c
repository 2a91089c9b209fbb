/* What a comparison will take: what cs_compare() decides beforehand, and a probe of the speed. */
#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>
#include <chromosweep/plan.h>

#include "compare/compare_private.h"
#include "system/display.h"
#include "compare/needs.h"
#include "pruning/skip_forecast.h"
#include "sweep/strand.h"

/* Cells of the first corner; each next one has at most so many times more. */
#define FIRST_CELLS ((gint64)1 << 24)
#define GROWTH_MOST 64.0
/* Seconds that a corner shall take; a GPU's wave must fill, too. */
#define CORNER_SECONDS 0.6
#define GPU_CORNER_SECONDS 1.2
/* Of that, what is enough. */
#define ENOUGH 0.8

/* Of the dense rate, what the small blocks of a narrow band keep at the least, as a rule. */
#define RATE_KEPT 0.6

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

static CsSkipMode
wanted_skip(const CsCompareOptions *options)
{
    return options != NULL ? options->skip : CS_SKIP_AUTO;
}

/* The grid of a sweep that skips in small blocks. */
static CsGrid *
plan_pruned(const CsPrepared *prepared, double share_left)
{
    CsRectangle rectangle = prepared->rectangle;
    CsSweepOptions sweep = prepared->sweep;
    rectangle.pruned = TRUE;
    rectangle.share_left = share_left;
    sweep.shape = prepared->wish;
    return cs_sweep_plan(&rectangle, &sweep);
}

/* What is skipped of each strand in that grid, found out within so many seconds in all; *told is of
 * the strand whose mode the plan tells. */
static gboolean
forecast_strands(CsPlan *plan, const CsPrepared *prepared, const CsGrid *pruned,
                 const CsSequence *query, const CsCompareOptions *options, double most,
                 CsSkipForecast *told, GError **error)
{
    const CsStrand wanted = options != NULL ? options->strand : CS_STRAND_PLUS;
    const double cells = (double)plan->cells / (wanted == CS_STRAND_BOTH ? 2 : 1);
    CsRectangle rectangle = prepared->rectangle;
    g_autoptr(CsSeedsIndex) index = NULL; /* of both strands */
    CsSkipQuestion question = {.whole = &rectangle,
                               .grid = pruned,
                               .search = {.wanted = wanted_skip(options),
                                          .gpu = prepared->sweep.engine->gpu,
                                          .threads = prepared->sweep.engine_options.threads,
                                          .keep_chain = TRUE,
                                          .index = wanted == CS_STRAND_BOTH ? &index : NULL}};
    CsView *side =
        rectangle.tie_order == CS_TIE_COLUMN_FIRST ? &rectangle.rows : &rectangle.columns;
    double expected = 0;
    plan->skip = CS_SKIP_NONE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        CsSkipForecast forecast;
        if (wanted != CS_STRAND_BOTH && wanted != strand)
            continue;
        *side = cs_strand_view(query, strand);
        question.most = most - plan->seconds_before;
        if (!cs_skip_forecast(&question, &forecast, error))
            return FALSE;
        /* What one strand has, and not the other, is what most depends on. */
        if (plan->skip == CS_SKIP_NONE || forecast.mode == CS_SKIP_AUTO) {
            plan->skip = forecast.mode;
            *told = forecast;
        }
        plan->lower_bound = MAX(plan->lower_bound, forecast.lower_bound);
        plan->seconds_before += forecast.seconds;
        expected = expected < 0 || forecast.share < 0
                       ? -1
                       : expected + forecast.share * cells + (double)forecast.cells_before;
    }
    plan->cells_expected = (gint64)MIN(expected, (double)G_MAXINT64 / 2);
    return TRUE;
}

/* How long it takes at the speed that was measured. */
static void
fill_seconds(CsPlan *plan)
{
    const double cells = (double)plan->cells, done = (double)plan->cells_done;
    if (plan->cells_a_second <= 0)
        return;
    double sweep = cells;
    if (plan->skip == CS_SKIP_BOUNDS && plan->cells_expected >= 0)
        sweep = MIN(cells, (double)plan->cells_expected / RATE_KEPT);
    sweep /= plan->cells_a_second;
    plan->seconds = sweep + plan->seconds_before;
    plan->seconds_left = done < cells ? sweep * (1 - done / cells) + plan->seconds_before : 0;
}

static void
fill_grid(CsPlan *plan, const CsGrid *grid)
{
    plan->block_rows = grid->block_rows;
    plan->block_columns = grid->block_columns;
    plan->blocks_a_diagonal = grid->depth;
    plan->block_height = grid->block_height;
    plan->block_width = grid->block_width;
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
    CsPlan made = {
        .cells = prepared.cells,
        .engine = prepared.sweep.engine->name,
        .device = prepared.sweep.engine->gpu ? prepared.phrase : NULL,
    };
    if (!prepared.is_new && !read_checkpoint(directory, &made.cells_done, error))
        return FALSE;
    if (probe > 0 && made.cells > 0 && !probe_speed(&prepared, probe, &made.cells_a_second, error))
        return FALSE;
    cs_needs_fill(&made, &prepared.rectangle, prepared.grid, &prepared.sweep, &prepared.wish,
                  wanted_skip(options), options != NULL ? options->strand : CS_STRAND_PLUS,
                  directory);
    g_autoptr(CsGrid) pruned = plan_pruned(&prepared, 0);
    CsSkipForecast told = {0};
    const gboolean seek =
        probe > 0 && made.cells_done < made.cells && cs_needs_check_memory(&made, NULL);
    if (!forecast_strands(&made, &prepared, pruned, query, options, seek ? CS_PLAN_SKIP : 0, &told,
                          error))
        return FALSE;
    g_autoptr(CsGrid) small = told.small ? plan_pruned(&prepared, told.share_left) : NULL;
    fill_grid(&made, told.small ? small : prepared.grid);
    fill_seconds(&made);
    warn(options, &made);
    *plan = made;
    return TRUE;
}

gboolean
cs_plan_check(const CsPlan *plan, GError **error)
{
    return cs_needs_check_memory(plan, error) && cs_needs_check_disk(plan, error);
}
