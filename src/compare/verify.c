/* A sweep of the reversed sequences. */
#include <chromosweep/error.h>

#include "compare/verify.h"
#include "system/parallel.h"

/* A proof under way, on a thread of its own. */
typedef struct {
    CsComparison *comparison;
    const CsCompareResult *found;
    CsVerifyWatch watch;
    gint strand; /* that is swept; atomic */
    gboolean done;
    GError *error;
} Proof;

/* What a sweep tells while it runs. */
typedef struct {
    CsVerifyWatch *watch;
    double cells;
} Sweep;

/* A CsSweepFunc. */
static CsSweepAction
follow(const CsSweepState *state, gpointer user_data)
{
    const Sweep *sweep = user_data;
    g_atomic_int_set(&sweep->watch->done, (gint)((double)state->cells / sweep->cells * 1e6));
    return g_atomic_int_get(&sweep->watch->stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* Complemented as well: that changes no pair, and all readers of views know such a one. */
static void
turn(CsView *view)
{
    view->reversed = !view->reversed;
    view->complement = !view->complement;
}

static gboolean
sweep(const CsComparison *comparison, CsRectangle *rectangle, CsScore score, CsVerifyWatch *watch,
      CsSweepState *state, GError **error)
{
    Sweep this = {watch, (double)cs_rectangle_m(rectangle) * (double)cs_rectangle_n(rectangle)};
    g_auto(CsSkip) skip = {0};
    CsSweepOptions options = comparison->sweep;
    const CsSkipSearch how = {.wanted = comparison->options->skip,
                              .gpu = options.engine->gpu,
                              .threads = options.engine_options.threads,
                              .sweep_bytes = comparison->sweep_bytes,
                              .known = score,
                              .stop = &watch->stop};
    if (!cs_skip_init(&skip, rectangle, &how, error))
        return FALSE;
    rectangle->skipping = cs_skip_wants_small_blocks(&skip, options.engine->gpu);
    rectangle->share_left = skip.share_left;
    options.shape = comparison->wish;
    options.func = follow;
    options.func_data = &this;
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &options);
    CsSkipBounds attached = cs_skip_attach(&skip, rectangle, grid, 0, 0, score);
    const gboolean swept = cs_sweep_run(rectangle, grid, &options, state, error);
    cs_skip_detach(&attached);
    return swept;
}

gboolean
cs_verify_strand(const CsComparison *comparison, CsStrand strand, CsScore score,
                 CsVerifyWatch *watch, GError **error)
{
    CsRectangle rectangle = cs_comparison_rectangle(comparison, strand);
    CsSweepState state;
    turn(&rectangle.rows);
    turn(&rectangle.columns);
    if (!sweep(comparison, &rectangle, score, watch, &state, error))
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
        if (!result->computed)
            continue;
        g_atomic_int_set(&proof->watch.done, 0);
        g_atomic_int_set(&proof->strand, (gint)strand);
        proof->done = cs_verify_strand(proof->comparison, strand, result->score, &proof->watch,
                                       &proof->error);
    }
}

/* While it lasts. */
static void
ask_control(gpointer data)
{
    Proof *proof = data;
    CsComparison *comparison = proof->comparison;
    const CsStrand strand = (CsStrand)g_atomic_int_get(&proof->strand);
    const double done = MIN(g_atomic_int_get(&proof->watch.done) / 1e6, CS_NEARLY_DONE);
    const gboolean both = comparison->options->strand == CS_STRAND_BOTH;
    /* As one stage: how long it has taken so far says how long the rest takes. */
    cs_compare_progress_later(comparison, CS_STAGE_VERIFY, proof->found->strand,
                              !both                       ? done
                              : strand == CS_STRAND_MINUS ? 0.5 + done / 2
                                                          : done / 2);
    if (comparison->stopped || cs_compare_control(comparison) == CS_CONTROL_STOP)
        g_atomic_int_set(&proof->watch.stop, 1);
}

gboolean
cs_verify_run(CsComparison *comparison, const CsCompareResult *found, GError **error)
{
    Proof proof = {.comparison = comparison, .found = found, .strand = (gint)found->strand};
    if (comparison->options->strand == CS_STRAND_BOTH)
        proof.strand = CS_STRAND_PLUS;
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, found->strand);
    if (comparison->cells == 0)
        return TRUE;
    /* No engine was chosen if a checkpoint had the whole comparison. */
    if (comparison->sweep.engine == NULL &&
        (!cs_compare_engine_choose(comparison, &rectangle, error) ||
         !cs_compare_engine_check_needs(comparison, &rectangle, error)))
        return FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        cs_skip_clear(&comparison->skips[strand]); /* the proof has bounds of its own */
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
    cs_compare_progress_later(comparison, CS_STAGE_VERIFY, found->strand, 1);
    return TRUE;
}
