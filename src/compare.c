/* The main job: one sweep over the whole matrix of two sequences. */
#include <chromosweep/compare.h>
#include <chromosweep/engine.h>
#include <chromosweep/error.h>

#include "sweep.h"

/*
 * The longer sequence lies along the rows: the horizontal bus, which grows with the columns, then
 * costs least. When that is the query, the matrix is transposed, and so is the tie order.
 */
typedef struct {
    gboolean transposed;
    gint64 cells;
    const CsCompareOptions *options;
} Job;

static gint64
target_of(const Job *job, const CsBest *best)
{
    return job->transposed ? best->j : best->i;
}

static gint64
query_of(const Job *job, const CsBest *best)
{
    return job->transposed ? best->i : best->j;
}

static gboolean
report_progress(const CsSweepState *state, gpointer user_data)
{
    const Job *job = user_data;
    CsProgress progress = {
        .cells_done = state->cells,
        .cells = job->cells,
        .seconds = state->seconds,
        .score = state->best.score,
        .target_end = target_of(job, &state->best),
        .query_end = query_of(job, &state->best),
    };
    return job->options->progress(&progress, job->options->progress_data);
}

gboolean
cs_compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
           CsCompareResult *result, GError **error)
{
    static const CsCompareOptions defaults = CS_COMPARE_OPTIONS_INIT;
    Job job = {.transposed = query->length > target->length,
               .options = options != NULL ? options : &defaults};
    const CsCompareOptions *chosen = job.options;
    if (!cs_scoring_check(&chosen->scoring, target->length, query->length, error))
        return FALSE;
    if (target->length != 0 && query->length > G_MAXINT64 / target->length) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "more cells than a 64-bit count holds");
        return FALSE;
    }
    job.cells = target->length * query->length;
    CsSweepOptions sweep = {
        .engine = cs_engine_find(chosen->engine, error),
        .threads = chosen->threads > 0 ? chosen->threads : cs_threads_granted(),
        .func = chosen->progress != NULL ? report_progress : NULL,
        .func_data = &job,
    };
    if (sweep.engine == NULL)
        return FALSE;
    CsRectangle rectangle = {
        .rows = cs_view_of(job.transposed ? query : target),
        .columns = cs_view_of(job.transposed ? target : query),
        .scoring = chosen->scoring,
        .kind = CS_KIND_LOCAL,
        .tie_order = job.transposed ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST,
    };
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    CsSweepState state;
    if (!cs_sweep_run(&rectangle, grid, &sweep, &state, error))
        return FALSE;
    *result = (CsCompareResult){
        .score = state.best.score,
        .target_end = target_of(&job, &state.best),
        .query_end = query_of(&job, &state.best),
        .cells = job.cells,
        .cells_computed = state.cells_computed,
        .seconds = state.seconds,
        .engine = sweep.engine->name,
        .threads = state.threads,
    };
    return TRUE;
}
