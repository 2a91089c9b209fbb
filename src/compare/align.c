/*
 * The best alignment: a comparison that keeps rows, and the trace back through them.
 *
 * Where there are no rows, such as after a sweep on a GPU, a second sweep finds them. If rows turn
 * out not to be the matrix's own, the trace begins anew with others. With a checkpoint each stage
 * goes on where an earlier run left it; the alignment stays there, and the rows are removed.
 */
#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "compare/align.h"
#include "compare/verify.h"
#include "engines/engine_registry.h"
#include "system/parallel.h"

/* The share that is told as long as the alignment is not complete. */
#define NEARLY_DONE 0.999

static void
enter(CsAligning *aligning, CsStage stage)
{
    g_atomic_int_set(&aligning->stage_done, 0);
    g_atomic_int_set(&aligning->stage, (gint)stage);
}

/* The trace that an earlier run completed. */
static gboolean
take_complete(CsAligning *aligning)
{
    g_autoptr(GError) failure = NULL;
    cs_path_turn(&aligning->path);
    if (cs_path_check(&aligning->path, &aligning->matrix, aligning->end.score, &failure))
        return TRUE;
    g_autofree char *message = g_strdup_printf(
        "what an earlier run kept for the alignment is wrong (%s)", failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, aligning->comparison);
    cs_path_clear(&aligning->path);
    return FALSE;
}

static void
tell_wrong(const CsAligning *aligning, const GError *failure)
{
    g_autofree char *message = g_strdup_printf(
        "what was kept for the alignment is wrong (%s); finding it anew", failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, aligning->comparison);
}

/* Traces with the rows that the comparison kept, from where an earlier run left it. FALSE, without
 * an error, where it kept none or where they are not the matrix's own. */
static gboolean
trace_kept(CsAligning *aligning, CsTrace *how, GError **error)
{
    g_autoptr(GError) failure = NULL;
    how->rows = cs_compare_rows_complete(aligning->comparison, aligning->strand, &aligning->end);
    if (how->rows == NULL)
        return FALSE;
    if (cs_trace_run(how, &aligning->path, &failure))
        return TRUE;
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    tell_wrong(aligning, failure);
    cs_align_keep_drop(aligning);
    cs_path_clear(&aligning->path);
    how->from = NULL;
    return FALSE;
}

/* The same with rows of a second sweep; without any if even these are wrong. */
static gboolean
trace_anew(CsAligning *aligning, CsTrace *how, GError **error)
{
    g_autoptr(CsRows) rows = NULL;
    g_autoptr(GError) failure = NULL;
    enter(aligning, CS_STAGE_ROWS);
    if (!cs_align_rows_find(aligning, &rows, error))
        return FALSE;
    enter(aligning, CS_STAGE_TRACE);
    how->rows = rows;
    if (cs_trace_run(how, &aligning->path, &failure))
        return TRUE;
    const gboolean kept = rows != NULL || how->from != NULL;
    if (!kept || !g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    tell_wrong(aligning, failure);
    cs_align_keep_drop(aligning);
    cs_path_clear(&aligning->path);
    how->rows = NULL;
    how->from = NULL;
    return cs_trace_run(how, &aligning->path, error);
}

static gboolean
trace(CsAligning *aligning, GError **error)
{
    GError *failure = NULL;
    CsTrace how = aligning->comparison->trace;
    gboolean found, complete;
    CsNode node;
    how.matrix = &aligning->matrix;
    how.end = aligning->end;
    how.engine = cs_engine_on_cpu();
    how.threads = aligning->threads;
    how.stop = &aligning->stop;
    how.done = &aligning->stage_done;
    how.note = cs_compare_notes_leave;
    how.note_data = aligning->comparison;
    how.keep = cs_align_keep_save;
    how.keep_data = aligning;
    const gboolean begun = cs_align_keep_load(aligning, &node, &complete);
    if (begun && complete && take_complete(aligning))
        return TRUE;
    if (begun && !complete) {
        how.from = &node;
    } else {
        if (!cs_trace_run_short(&how, &aligning->path, &found, error))
            return FALSE;
        if (found)
            return TRUE;
    }
    if (trace_kept(aligning, &how, &failure))
        return TRUE;
    if (failure != NULL) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    return trace_anew(aligning, &how, error);
}

static void
run_trace(gpointer data)
{
    CsAligning *aligning = data;
    aligning->done = trace(aligning, &aligning->error);
}

/* While it lasts. With a second sweep, that is half of what is left to do. */
static void
ask_control(gpointer data)
{
    CsAligning *aligning = data;
    CsComparison *comparison = aligning->comparison;
    const CsCompareOptions *options = comparison->options;
    const CsStage stage = (CsStage)g_atomic_int_get(&aligning->stage);
    const double done = g_atomic_int_get(&aligning->stage_done) / 1e6;
    cs_compare_notes_tell(comparison);
    aligning->second_sweep = aligning->second_sweep || stage == CS_STAGE_ROWS;
    cs_compare_progress_later(comparison, stage, aligning->strand,
                              !aligning->second_sweep  ? MIN(done, NEARLY_DONE)
                              : stage == CS_STAGE_ROWS ? done / 2
                                                       : MIN(0.5 + done / 2, NEARLY_DONE));
    if (comparison->stopped ||
        (options->control != NULL && options->control(options->control_data) == CS_CONTROL_STOP))
        g_atomic_int_set(&aligning->stop, 1);
}

/* Rows are of no more use. */
static void
remove_rows(CsComparison *comparison)
{
    if (comparison->checkpoint == NULL)
        return;
    cs_found_drop(comparison->checkpoint, "plus-rows");
    cs_found_drop(comparison->checkpoint, "minus-rows");
}

static CsAlignment *
trace_best(CsComparison *comparison, const CsCompareResult *result, GError **error)
{
    const CsState *state = &comparison->state;
    const gboolean plus_of_both =
        comparison->options->strand == CS_STRAND_BOTH && result->strand == CS_STRAND_PLUS;
    CsAligning aligning = {.comparison = comparison,
                           .matrix = cs_comparison_rectangle(comparison, result->strand),
                           .strand = result->strand,
                           .stage = CS_STAGE_TRACE,
                           .end = plus_of_both ? state->plus : state->staircase.best,
                           .threads = MAX(1, comparison->sweep.engine_options.threads)};
    cs_compare_note(comparison, CS_NOTE_DETAIL, "tracing the alignment back from its end");
    CsThread *thread = cs_thread_new("trace", run_trace, &aligning, error);
    if (thread == NULL)
        return NULL;
    cs_thread_join_asking(thread, ask_control, &aligning);
    cs_compare_notes_tell(comparison);
    CsAlignment *alignment = NULL;
    if (!aligning.done) {
        g_propagate_error(error, aligning.error);
    } else if (cs_path_check(&aligning.path, &aligning.matrix, aligning.end.score, error)) {
        alignment = cs_alignment_new(comparison->target, comparison->query, result->strand,
                                     &comparison->placement, &aligning.matrix, &aligning.path,
                                     aligning.end.score);
        remove_rows(comparison);
    }
    cs_path_clear(&aligning.path);
    return alignment;
}

gboolean
cs_comparison_align(CsComparison *comparison, CsCompareResult *result, CsAlignment **alignment,
                    GError **error)
{
    comparison->aligns = comparison->keeps_rows = TRUE;
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
