/*
 * The best alignment: a comparison, then a second sweep of the matrix as far as the end that it
 * found, which hands out special rows and skips what cannot be part of the alignment, and the trace
 * back through them.
 */
#include <chromosweep/align.h>
#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "alignment/trace.h"
#include "compare/comparison.h"
#include "compare/verify.h"
#include "engines/engine_registry.h"
#include "system/parallel.h"

enum {
    MOST_ROWS = 512,
    ROW_DISTANCE = 16384, /* at least */
};

/* Memory for special rows, and what a column takes of it at most, packed. */
#define ROW_BYTES 1e9
#define BYTES_A_COLUMN 1.0
/* A GPU skips nothing where rows are wanted; cells a second that it and a CPU thread do. */
#define GPU_RATE 5e12
#define THREAD_RATE 4e9

/* An alignment that is being traced, on a thread of its own. */
typedef struct {
    const CsComparison *comparison;
    CsRectangle matrix;
    CsBest end;
    CsPath path;
    guint threads;
    gint stop;
    gboolean done;
    GError *error;
} Tracing;

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    return g_atomic_int_get(&((Tracing *)user_data)->stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* The engine for a sweep of which so much is left if it may skip. */
static const CsEngineClass *
choose_engine(const Tracing *tracing, double cells, double share_left)
{
    const CsEngineClass *engine = tracing->comparison->sweep.engine;
    const double on_cpu = cells * share_left / (THREAD_RATE * tracing->threads);
    return engine != NULL && engine->gpu && cells / GPU_RATE < on_cpu ? engine : cs_engine_on_cpu();
}

static GArray *
choose_rows(gint64 m, gint64 n, double share_left)
{
    const double room = ROW_BYTES / (BYTES_A_COLUMN * (double)n * MAX(share_left, 0.02));
    const gint64 most = MIN(MOST_ROWS, (gint64)room);
    const gint64 distance = MAX(ROW_DISTANCE, m / (most + 1) + 1);
    GArray *at = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (gint64 i = distance; i < m; i += distance)
        g_array_append_val(at, i);
    return at;
}

/* Rows of the matrix as far as the end. No alignment there scores more than the best, so what
 * cannot reach that is skipped. */
static CsRows *
hand_out_rows(Tracing *tracing, CsRectangle *region, GError **error)
{
    g_auto(CsSkip) skip = {0};
    const CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS,
                              .threads = tracing->threads,
                              .known = tracing->end.score,
                              .stop = &tracing->stop};
    if (!cs_skip_init(&skip, region, &how, error))
        return NULL;
    const gint64 m = cs_rectangle_m(region), n = cs_rectangle_n(region);
    const double share = skip.mode == CS_SKIP_BOUNDS ? skip.share_left : 1;
    CsSweepOptions options = {.engine = choose_engine(tracing, (double)m * (double)n, share),
                              .engine_options = {.threads = tracing->threads,
                                                 .device = tracing->comparison->choice.device},
                              .func = watch,
                              .func_data = tracing};
    region->skipping = cs_skip_wants_small_blocks(&skip, FALSE);
    region->share_left = skip.share_left;
    g_autoptr(GArray) at = choose_rows(m, n, share);
    CsWidth width;
    if (!cs_rectangle_width(region, &width, error))
        return NULL;
    g_autoptr(CsRows) rows = cs_rows_new((gint64 *)at->data, at->len, width, TRUE, error);
    if (rows == NULL)
        return NULL;
    region->special_rows = (gint64 *)at->data;
    region->n_special_rows = at->len;
    region->row_func = cs_rows_take;
    region->row_data = rows;
    g_autoptr(CsGrid) grid = cs_sweep_plan(region, &options);
    CsSkipBounds attached = cs_skip_attach(&skip, region, grid, 0, 0, tracing->end.score);
    CsSweepState state;
    const gboolean swept = cs_sweep_run(region, grid, &options, &state, error);
    cs_skip_detach(&attached);
    if (!swept)
        return NULL;
    if (state.best.score == tracing->end.score)
        return g_steal_pointer(&rows);
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: a second sweep finds score %" G_GINT64_FORMAT
                ", not %" G_GINT64_FORMAT,
                state.best.score, tracing->end.score);
    return NULL;
}

static gboolean
trace(Tracing *tracing, GError **error)
{
    CsTrace how = {.matrix = &tracing->matrix,
                   .end = tracing->end,
                   .engine = cs_engine_on_cpu(),
                   .threads = tracing->threads,
                   .stop = &tracing->stop};
    gboolean found;
    if (!cs_trace_run_short(&how, &tracing->path, &found, error) || found)
        return found;
    CsRectangle region = tracing->matrix;
    region.rows = cs_view_slice(&region.rows, 0, tracing->end.i);
    region.columns = cs_view_slice(&region.columns, 0, tracing->end.j);
    g_autoptr(CsRows) rows = hand_out_rows(tracing, &region, error);
    how.rows = rows;
    return rows != NULL && cs_trace_run(&how, &tracing->path, error);
}

static void
run_trace(gpointer data)
{
    Tracing *tracing = data;
    tracing->done = trace(tracing, &tracing->error);
}

/* While it lasts. */
static void
ask_control(gpointer data)
{
    Tracing *tracing = data;
    const CsCompareOptions *options = tracing->comparison->options;
    if (options->control != NULL && options->control(options->control_data) == CS_CONTROL_STOP)
        g_atomic_int_set(&tracing->stop, 1);
}

static CsAlignment *
trace_best(const CsComparison *comparison, const CsSequence *target, const CsSequence *query,
           const CsCompareResult *result, GError **error)
{
    const CsState *state = &comparison->state;
    const gboolean plus_of_both =
        comparison->options->strand == CS_STRAND_BOTH && result->strand == CS_STRAND_PLUS;
    Tracing tracing = {.comparison = comparison,
                       .matrix = cs_comparison_rectangle(comparison, result->strand),
                       .end = plus_of_both ? state->plus : state->staircase.best,
                       .threads = MAX(1, comparison->sweep.engine_options.threads)};
    cs_compare_note(comparison, CS_NOTE_DETAIL, "tracing the alignment back from its end");
    CsThread *thread = cs_thread_new("trace", run_trace, &tracing, error);
    if (thread == NULL)
        return NULL;
    cs_thread_join_asking(thread, ask_control, &tracing);
    CsAlignment *alignment = NULL;
    if (tracing.done)
        alignment = cs_alignment_new(target, query, result->strand, &comparison->placement,
                                     &tracing.matrix, &tracing.path, tracing.end.score);
    else
        g_propagate_error(error, tracing.error);
    cs_path_clear(&tracing.path);
    return alignment;
}

gboolean
cs_align(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
         CsCompareResult *result, CsAlignment **alignment, GError **error)
{
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, query, options);
    if (!cs_comparison_run(&comparison, error))
        return FALSE;
    const CsCompareResult found = cs_compare_result(&comparison);
    g_autoptr(CsAlignment) best = NULL;
    if (found.score > 0) {
        best = trace_best(&comparison, target, query, &found, error);
        if (best == NULL)
            return FALSE;
    }
    if (comparison.options->verify && !cs_verify_run(&comparison, &found, error))
        return FALSE;
    if (result != NULL)
        *result = found;
    *alignment = g_steal_pointer(&best);
    return TRUE;
}
