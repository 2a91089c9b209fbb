/*
 * Traces alignments back from their ends, through the rows that the sweeps kept. If there are none,
 * a second sweep finds some. If rows turn out to be wrong, the trace begins again with others. With
 * a checkpoint, each stage goes on where an earlier run left it. In the end the checkpoint keeps
 * the alignment, and the rows are removed.
 */
#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "checkpoint/found_trace.h"
#include "compare/align.h"
#include "compare/circle.h"
#include "compare/verify.h"
#include "engines/engine_registry.h"
#include "ranks/ranks.h"
#include "system/parallel.h"

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
    g_autofree char *message =
        g_strdup_printf("the alignment that an earlier run saved is wrong (%s)", failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, aligning->comparison);
    cs_path_clear(&aligning->path);
    return FALSE;
}

/* Drops rows and trace. At least one of them is wrong, though its checksum is right. */
static void
drop_wrong(CsAligning *aligning, const GError *failure)
{
    g_autofree char *message =
        g_strdup_printf("the saved alignment data are wrong (%s); recomputing", failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, aligning->comparison);
    cs_align_keep_drop(aligning);
    cs_path_clear(&aligning->path);
    aligning->how.rows = NULL;
    aligning->how.from = NULL;
    cs_compare_rows_drop(aligning->comparison, aligning->strand);
}

/* Traces with the rows that the comparison kept, from where an earlier run stopped. FALSE without
 * an error: there are none, or they are wrong. */
static gboolean
trace_kept(CsAligning *aligning, GError **error)
{
    CsTrace *how = &aligning->how;
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
    drop_wrong(aligning, failure);
    return FALSE;
}

/* The same with the rows of a second sweep, or with none if even these are wrong. */
static gboolean
trace_anew(CsAligning *aligning, GError **error)
{
    CsTrace *how = &aligning->how;
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
    drop_wrong(aligning, failure);
    return cs_trace_run(how, &aligning->path, error);
}

/* Takes the trace of an earlier run that completed it, or finds a short alignment, which takes next
 * to no time. */
static gboolean
trace_at_once(CsAligning *aligning, gboolean *found, GError **error)
{
    CsTrace *how = &aligning->how;
    gboolean complete = FALSE;
    const gboolean begun = cs_align_keep_load(aligning, &aligning->node, &complete);
    how->from = begun && !complete ? &aligning->node : NULL;
    *found = begun && complete && take_complete(aligning);
    return *found || how->from != NULL || cs_trace_run_short(how, &aligning->path, found, error);
}

static gboolean
trace_long(CsAligning *aligning, GError **error)
{
    GError *failure = NULL;
    if (trace_kept(aligning, &failure))
        return TRUE;
    if (failure != NULL) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    return trace_anew(aligning, error);
}

static void
run_long(gpointer data)
{
    CsAligning *aligning = data;
    aligning->done = trace_long(aligning, &aligning->error);
}

/* Called while the trace runs. A second sweep counts as half of what is left to do. */
static void
ask_control(gpointer data)
{
    CsAligning *aligning = data;
    CsComparison *comparison = aligning->comparison;
    const CsStage stage = (CsStage)g_atomic_int_get(&aligning->stage);
    double done = g_atomic_int_get(&aligning->stage_done) / 1e6;
    cs_compare_notes_tell(comparison);
    comparison->clock.trace_cost = g_atomic_int_get(&aligning->cost) / 1e3;
    aligning->second_sweep = aligning->second_sweep || stage == CS_STAGE_ROWS;
    if (aligning->second_sweep)
        done = stage == CS_STAGE_ROWS ? done / 2 : 0.5 + done / 2;
    done = (aligning->before + done) / aligning->traces;
    cs_compare_progress_later(comparison, stage, aligning->strand, MIN(done, CS_NEARLY_DONE));
    if (comparison->stopped || cs_compare_control(comparison) == CS_CONTROL_STOP)
        g_atomic_int_set(&aligning->stop, 1);
}

/* Fills the path. */
static gboolean
find_path(CsAligning *aligning, GError **error)
{
    gboolean found;
    if (!trace_at_once(aligning, &found, error) || found)
        return found;
    cs_compare_note(aligning->comparison, CS_NOTE_DETAIL,
                    "tracing the alignment back from its end");
    cs_compare_progress_expect_trace(aligning->comparison);
    CsThread *thread = cs_thread_new("trace", run_long, aligning, NULL);
    if (thread != NULL) {
        cs_thread_join_asking(thread, ask_control, aligning);
        (void)cs_compare_options_take_ranks(aligning->comparison, NULL);
    } else { /* and nobody can stop it */
        run_long(aligning);
    }
    cs_compare_notes_tell(aligning->comparison);
    if (!aligning->done)
        g_propagate_error(error, aligning->error);
    return aligning->done;
}

/* Finds the start of a strand's alignment, and the alignment itself if it is wanted (else NULL). */
static gboolean
trace_strand(CsComparison *comparison, CsStrand strand, guint before, guint traces,
             CsAlignment **alignment, GError **error)
{
    const CsState *state = &comparison->state;
    const gboolean plus_of_both =
        comparison->options->strand == CS_STRAND_BOTH && strand == CS_STRAND_PLUS;
    CsAligning aligning = {.comparison = comparison,
                           .matrix = cs_comparison_rectangle(comparison, strand),
                           .strand = strand,
                           .stage = CS_STAGE_TRACE,
                           .end = plus_of_both ? state->plus : state->staircase.best,
                           .threads = MAX(1, comparison->sweep.engine_options.threads),
                           .before = before,
                           .traces = traces,
                           .how = comparison->trace};
    CsTrace *how = &aligning.how;
    how->matrix = &aligning.matrix;
    how->end = aligning.end;
    how->engine = cs_engine_on_cpu();
    how->threads = aligning.threads;
    how->stop = &aligning.stop;
    how->done = &aligning.stage_done;
    how->cost = &aligning.cost;
    how->work = &comparison->traced;
    how->note = cs_compare_notes_leave;
    how->note_data = comparison;
    how->keep = cs_align_keep_save;
    how->keep_data = &aligning;
    gboolean done = find_path(&aligning, error);
    if (done)
        comparison->starts[strand] =
            (CsBest){aligning.end.score, aligning.path.i0 + 1, aligning.path.j0 + 1};
    if (done && alignment != NULL) {
        *alignment = cs_alignment_new(comparison->whole_target, comparison->whole_query, strand,
                                      &comparison->placement, &aligning.matrix, &aligning.path,
                                      aligning.end.score, error);
        done = *alignment != NULL;
    }
    cs_path_clear(&aligning.path);
    return done;
}

/* The least score of an alignment that is traced. */
static CsScore
least_of(const CsComparison *comparison, CsStrand strand)
{
    return MAX(1,
               cs_comparison_is_exact(comparison, strand) ? comparison->least : comparison->floor);
}

gboolean
cs_comparison_trace(CsComparison *comparison, CsAlignment **alignment, GError **error)
{
    const CsCompareResult found = cs_compare_result(comparison);
    const gboolean one = comparison->options->no_start;
    const gboolean equal =
        found.strands[CS_STRAND_PLUS].score == found.strands[CS_STRAND_MINUS].score;
    const guint traces = equal && !one ? 2 : 1;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const gboolean best = strand == found.strand;
        if (found.strands[strand].score >= least_of(comparison, strand) && (best || !one) &&
            !trace_strand(comparison, strand, strand == CS_STRAND_MINUS ? traces - 1 : 0, traces,
                          best ? alignment : NULL, error))
            return FALSE;
        cs_compare_rows_drop(comparison, strand);
    }
    if (comparison->checkpoint != NULL)
        cs_found_drop_stage(comparison->checkpoint, CS_FOUND_AGAIN);
    cs_compare_progress_later(comparison, CS_STAGE_TRACE, found.strand, 1);
    return TRUE;
}

/* For info. It does no harm if this fails. */
static void
keep_proof(const CsComparison *comparison)
{
    if (comparison->checkpoint != NULL)
        (void)cs_found_prove(comparison->checkpoint, &comparison->state, NULL);
}

gboolean
cs_comparison_align(CsComparison *comparison, CsCompareResult *result, CsAlignment **alignment,
                    GError **error)
{
    comparison->traces = TRUE;
    comparison->verifies = comparison->options->verify;
    /* The proof sweeps on a thread of its own. */
    if ((comparison->verifies && !cs_ranks_check_threads(error)) ||
        !cs_comparison_run(comparison, error))
        return FALSE;
    g_autoptr(CsAlignment) best = NULL;
    if (!cs_comparison_trace(comparison, &best, error))
        return FALSE;
    const CsCompareResult found = cs_compare_result(comparison);
    if (comparison->verifies) {
        if (!cs_verify_run(comparison, &found, error))
            return FALSE;
        keep_proof(comparison);
    }
    if (result != NULL)
        *result = found;
    *alignment = g_steal_pointer(&best);
    return TRUE;
}

gboolean
cs_align(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
         CsCompareResult *result, CsAlignment **alignment, GError **error)
{
    if (options != NULL && options->circular != CS_CIRCULAR_NONE)
        return cs_circular_align(target, query, options, result, alignment, error);
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, query, options);
    return cs_comparison_align(&comparison, result, alignment, error);
}
