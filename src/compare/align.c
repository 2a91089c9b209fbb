/*
 * The best alignment: a comparison that keeps rows, and the trace back through them.
 *
 * Where there are no rows, such as after a sweep on a GPU, the matrix is swept a second time as far
 * as the end that the first sweep found, hands out rows and skips what cannot be part of the
 * alignment. If rows turn out not to be the matrix's own, the trace begins anew with others.
 */
#include <chromosweep/align.h>
#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "alignment/trace.h"
#include "compare/comparison.h"
#include "compare/verify.h"
#include "engines/engine_registry.h"
#include "system/parallel.h"

/* A GPU skips nothing where rows are wanted; cells a second that it and a CPU thread do. */
#define GPU_RATE 5e12
#define THREAD_RATE 4e9

/* The share that is told as long as the alignment is not complete. */
#define NEARLY_DONE 0.999

/* An alignment that is being traced, on a thread of its own. */
typedef struct {
    CsComparison *comparison;
    CsRectangle matrix;
    CsStrand strand;
    CsBest end;
    CsPath path;
    guint threads;
    gint stop;       /* atomic, like the next */
    gint stage;      /* CsStage */
    gint stage_done; /* of it, in millionths */
    gboolean second_sweep;
    gboolean done;
    GError *error;
} Tracing;

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    Tracing *tracing = user_data;
    const double cells = (double)tracing->end.i * (double)tracing->end.j;
    g_atomic_int_set(&tracing->stage_done, (gint)((double)state->cells / cells * 1e6));
    return g_atomic_int_get(&tracing->stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* The engine for a sweep of which so much is left if it may skip. */
static const CsEngineClass *
choose_engine(const Tracing *tracing, double cells, double share_left)
{
    const CsEngineClass *engine = tracing->comparison->sweep.engine;
    const double on_cpu = cells * share_left / (THREAD_RATE * tracing->threads);
    return engine != NULL && engine->gpu && cells / GPU_RATE < on_cpu ? engine : cs_engine_on_cpu();
}

static void
enter(Tracing *tracing, CsStage stage)
{
    g_atomic_int_set(&tracing->stage_done, 0);
    g_atomic_int_set(&tracing->stage, (gint)stage);
}

static gboolean
check_score(const CsSweepState *state, const CsBest *end, GError **error)
{
    if (state->best.score == end->score)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: a second sweep finds score %" G_GINT64_FORMAT
                ", not %" G_GINT64_FORMAT,
                state->best.score, end->score);
    return FALSE;
}

/* Sweeps the matrix as far as the end on an engine, with rows to be kept. No alignment there scores
 * more than the best, so what cannot reach that is skipped. */
static CsRows *
sweep_again(Tracing *tracing, CsRectangle region, const CsSkip *skip, const CsEngineClass *engine,
            GError **error)
{
    const gint64 m = cs_rectangle_m(&region), n = cs_rectangle_n(&region);
    CsSweepOptions options = {.engine = engine,
                              .engine_options = {.threads = tracing->threads,
                                                 .device = tracing->comparison->choice.device},
                              .func = watch,
                              .func_data = tracing};
    region.skipping = cs_skip_wants_small_blocks(skip, FALSE);
    region.share_left = skip->share_left;
    g_autoptr(GArray) at = cs_compare_rows_choose(
        tracing->comparison, m, n, skip->mode == CS_SKIP_BOUNDS ? skip->share_left : 1);
    CsWidth width;
    if (!cs_rectangle_width(&region, &width, error))
        return NULL;
    g_autoptr(CsRows) rows = cs_rows_new((gint64 *)at->data, at->len, width, TRUE, error);
    if (rows == NULL)
        return NULL;
    cs_rows_limit(rows, cs_compare_rows_budget(tracing->comparison));
    region.special_rows = (gint64 *)at->data;
    region.n_special_rows = at->len;
    region.row_func = cs_rows_take;
    region.row_data = rows;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&region, &options);
    CsSkipBounds attached = cs_skip_attach(skip, &region, grid, 0, 0, tracing->end.score);
    CsSweepState state;
    const gboolean swept = cs_sweep_run(&region, grid, &options, &state, error);
    cs_skip_detach(&attached);
    return swept && check_score(&state, &tracing->end, error) ? g_steal_pointer(&rows) : NULL;
}

/* Rows of the matrix as far as the end, without which the trace would take as long as to find
 * them. */
static CsRows *
find_rows(Tracing *tracing, GError **error)
{
    g_auto(CsSkip) skip = {0};
    CsRectangle region = tracing->matrix;
    cs_compare_notes_leave(CS_NOTE_DETAIL, "finding rows for the alignment in a second sweep",
                           tracing->comparison);
    region.rows = cs_view_slice(&region.rows, 0, tracing->end.i);
    region.columns = cs_view_slice(&region.columns, 0, tracing->end.j);
    const CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS,
                              .threads = tracing->threads,
                              .known = tracing->end.score,
                              .stop = &tracing->stop};
    if (!cs_skip_init(&skip, &region, &how, error))
        return NULL;
    const double cells = (double)cs_rectangle_m(&region) * (double)cs_rectangle_n(&region);
    const CsEngineClass *engine =
        choose_engine(tracing, cells, skip.mode == CS_SKIP_BOUNDS ? skip.share_left : 1);
    g_autoptr(GError) failure = NULL;
    CsRows *rows = sweep_again(tracing, region, &skip, engine, &failure);
    if (rows == NULL && engine->gpu && g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) {
        g_autofree char *message =
            g_strdup_printf("finding the alignment on the CPU, not on a GPU: %s", failure->message);
        cs_compare_notes_leave(CS_NOTE_WARNING, message, tracing->comparison);
        return sweep_again(tracing, region, &skip, cs_engine_on_cpu(), error);
    }
    if (rows == NULL)
        g_propagate_error(error, g_steal_pointer(&failure));
    return rows;
}

/* Traces with the rows that the comparison kept. FALSE, without an error, where it kept none or
 * where they are not the matrix's own. */
static gboolean
trace_kept(Tracing *tracing, CsTrace *how, GError **error)
{
    g_autoptr(GError) failure = NULL;
    how->rows = tracing->comparison->rows[tracing->strand];
    if (how->rows == NULL)
        return FALSE;
    if (cs_trace_run(how, &tracing->path, &failure))
        return TRUE;
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    g_autofree char *message = g_strdup_printf(
        "the rows kept for the alignment are wrong (%s); finding others", failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, tracing->comparison);
    cs_path_clear(&tracing->path);
    return FALSE;
}

static gboolean
trace(Tracing *tracing, GError **error)
{
    GError *failure = NULL;
    CsTrace how = tracing->comparison->trace;
    gboolean found;
    how.matrix = &tracing->matrix;
    how.end = tracing->end;
    how.engine = cs_engine_on_cpu();
    how.threads = tracing->threads;
    how.stop = &tracing->stop;
    how.done = &tracing->stage_done;
    how.note = cs_compare_notes_leave;
    how.note_data = tracing->comparison;
    if (!cs_trace_run_short(&how, &tracing->path, &found, error) || found)
        return found;
    if (trace_kept(tracing, &how, &failure))
        return TRUE;
    if (failure != NULL) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    enter(tracing, CS_STAGE_ROWS);
    g_autoptr(CsRows) rows = find_rows(tracing, error);
    enter(tracing, CS_STAGE_TRACE);
    how.rows = rows;
    return rows != NULL && cs_trace_run(&how, &tracing->path, error);
}

static void
run_trace(gpointer data)
{
    Tracing *tracing = data;
    tracing->done = trace(tracing, &tracing->error);
}

/* While it lasts. With a second sweep, that is half of what is left to do. */
static void
ask_control(gpointer data)
{
    Tracing *tracing = data;
    CsComparison *comparison = tracing->comparison;
    const CsCompareOptions *options = comparison->options;
    const CsStage stage = (CsStage)g_atomic_int_get(&tracing->stage);
    const double done = g_atomic_int_get(&tracing->stage_done) / 1e6;
    cs_compare_notes_tell(comparison);
    tracing->second_sweep = tracing->second_sweep || stage == CS_STAGE_ROWS;
    cs_compare_progress_later(comparison, stage, tracing->strand,
                              !tracing->second_sweep   ? MIN(done, NEARLY_DONE)
                              : stage == CS_STAGE_ROWS ? done / 2
                                                       : MIN(0.5 + done / 2, NEARLY_DONE));
    if (comparison->stopped ||
        (options->control != NULL && options->control(options->control_data) == CS_CONTROL_STOP))
        g_atomic_int_set(&tracing->stop, 1);
}

static CsAlignment *
trace_best(CsComparison *comparison, const CsCompareResult *result, GError **error)
{
    const CsState *state = &comparison->state;
    const gboolean plus_of_both =
        comparison->options->strand == CS_STRAND_BOTH && result->strand == CS_STRAND_PLUS;
    Tracing tracing = {.comparison = comparison,
                       .matrix = cs_comparison_rectangle(comparison, result->strand),
                       .strand = result->strand,
                       .stage = CS_STAGE_TRACE,
                       .end = plus_of_both ? state->plus : state->staircase.best,
                       .threads = MAX(1, comparison->sweep.engine_options.threads)};
    cs_compare_note(comparison, CS_NOTE_DETAIL, "tracing the alignment back from its end");
    CsThread *thread = cs_thread_new("trace", run_trace, &tracing, error);
    if (thread == NULL)
        return NULL;
    cs_thread_join_asking(thread, ask_control, &tracing);
    cs_compare_notes_tell(comparison);
    CsAlignment *alignment = NULL;
    if (tracing.done)
        alignment = cs_alignment_new(comparison->target, comparison->query, result->strand,
                                     &comparison->placement, &tracing.matrix, &tracing.path,
                                     tracing.end.score);
    else
        g_propagate_error(error, tracing.error);
    cs_path_clear(&tracing.path);
    return alignment;
}

gboolean
cs_comparison_align(CsComparison *comparison, CsCompareResult *result, CsAlignment **alignment,
                    GError **error)
{
    comparison->aligns = TRUE;
    if (!cs_comparison_run(comparison, error))
        return FALSE;
    const CsCompareResult found = cs_compare_result(comparison);
    g_autoptr(CsAlignment) best = NULL;
    if (found.score > 0) {
        best = trace_best(comparison, &found, error);
        if (best == NULL)
            return FALSE;
    }
    if (comparison->options->verify && !cs_verify_run(comparison, &found, error))
        return FALSE;
    cs_compare_progress_later(comparison,
                              comparison->options->verify ? CS_STAGE_VERIFY : CS_STAGE_TRACE,
                              found.strand, 1);
    if (result != NULL)
        *result = found;
    *alignment = g_steal_pointer(&best);
    return TRUE;
}

gboolean
cs_align(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
         CsCompareResult *result, CsAlignment **alignment, GError **error)
{
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, query, options);
    return cs_comparison_align(&comparison, result, alignment, error);
}
