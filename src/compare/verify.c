/* A sweep of the reversed sequences. */
#include <chromosweep/error.h>

#include "compare/verify.h"
#include "system/parallel.h"

/* A proof under way, on a thread of its own. */
typedef struct {
    CsComparison *comparison;
    const CsCompareResult *found;
    gint stop;
    gboolean done;
    GError *error;
} Proof;

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    return g_atomic_int_get((const gint *)user_data) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* Complemented as well: that changes no pair, and all readers of views know such a one. */
static void
turn(CsView *view)
{
    view->reversed = !view->reversed;
    view->complement = !view->complement;
}

static gboolean
sweep(const CsComparison *comparison, CsRectangle *rectangle, CsScore score, const gint *stop,
      CsSweepState *state, GError **error)
{
    g_auto(CsSkip) skip = {0};
    CsSweepOptions options = comparison->sweep;
    const CsSkipSearch how = {.wanted = comparison->options->skip,
                              .gpu = options.engine->gpu,
                              .threads = options.engine_options.threads,
                              .sweep_bytes = comparison->sweep_bytes,
                              .known = score,
                              .stop = stop};
    if (!cs_skip_init(&skip, rectangle, &how, error))
        return FALSE;
    rectangle->skipping = cs_skip_wants_small_blocks(&skip, options.engine->gpu);
    rectangle->share_left = skip.share_left;
    options.shape = comparison->wish;
    options.func = watch;
    options.func_data = (gpointer)stop;
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &options);
    CsSkipBounds attached = cs_skip_attach(&skip, rectangle, grid, 0, 0, score);
    const gboolean swept = cs_sweep_run(rectangle, grid, &options, state, error);
    cs_skip_detach(&attached);
    return swept;
}

gboolean
cs_verify_strand(const CsComparison *comparison, CsStrand strand, CsScore score, const gint *stop,
                 GError **error)
{
    CsRectangle rectangle = cs_comparison_rectangle(comparison, strand);
    CsSweepState state;
    turn(&rectangle.rows);
    turn(&rectangle.columns);
    if (!sweep(comparison, &rectangle, score, stop, &state, error))
        return FALSE;
    if (state.best.score == score)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: a sweep of the reversed sequences finds score %" G_GINT64_FORMAT
                ", not %" G_GINT64_FORMAT,
                state.best.score, score);
    return FALSE;
}

static void
prove(gpointer data)
{
    Proof *proof = data;
    proof->done = TRUE;
    for (CsStrand strand = CS_STRAND_PLUS; proof->done && strand <= CS_STRAND_MINUS; strand++) {
        const CsStrandResult *result = &proof->found->strands[strand];
        if (result->computed)
            proof->done = cs_verify_strand(proof->comparison, strand, result->score, &proof->stop,
                                           &proof->error);
    }
}

/* While it lasts. */
static void
ask_control(gpointer data)
{
    Proof *proof = data;
    const CsCompareOptions *options = proof->comparison->options;
    if (options->control != NULL && options->control(options->control_data) == CS_CONTROL_STOP)
        g_atomic_int_set(&proof->stop, 1);
}

gboolean
cs_verify_run(CsComparison *comparison, const CsCompareResult *found, GError **error)
{
    Proof proof = {.comparison = comparison, .found = found};
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, found->strand);
    if (comparison->cells == 0)
        return TRUE;
    /* It is not, where all is from a checkpoint. */
    if (comparison->sweep.engine == NULL &&
        (!cs_compare_engine_choose(comparison, &rectangle, error) ||
         !cs_compare_engine_check_needs(comparison, &rectangle, error)))
        return FALSE;
    cs_compare_note(comparison, CS_NOTE_DETAIL, "verifying: sweeping the reversed sequences");
    CsThread *thread = cs_thread_new("verify", prove, &proof, error);
    if (thread == NULL)
        return FALSE;
    cs_thread_join_asking(thread, ask_control, &proof);
    if (!proof.done) {
        g_propagate_error(error, proof.error);
        return FALSE;
    }
    cs_compare_note(comparison, CS_NOTE_EVENT,
                    "verified: a sweep of the reversed sequences finds the same score");
    return TRUE;
}
