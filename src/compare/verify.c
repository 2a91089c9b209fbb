/* A sweep of the reversed sequences. */
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "checkpoint/found.h"
#include "checkpoint/found_state.h"
#include "compare/resumable.h"
#include "compare/verify.h"
#include "system/parallel.h"

/* A proof under way, on a thread of its own. */
typedef struct {
    CsComparison *comparison;
    const CsCompareResult *found;
    CsVerifyWatch watch;
    CsState state;
    gboolean resumed; /* the state is of an earlier run */
    gint strand;      /* that is swept; atomic */
    gboolean done;
    GError *error;
} Proof;

/* What a sweep tells while it runs. */
typedef struct {
    CsVerifyWatch *watch;
    double before; /* cells of a strand that is proved */
    double cells;
} Sweep;

static gboolean
saves(const CsComparison *comparison)
{
    return comparison->checkpoint != NULL && cs_checkpoint_is_writable(comparison->checkpoint);
}

/* The cells of one strand. */
static gint64
cells_of_strand(const CsComparison *comparison)
{
    return comparison->options->strand == CS_STRAND_BOTH ? comparison->cells / 2
                                                         : comparison->cells;
}

/* The cells that are done before a state's strand begins. */
static gint64
cells_before(const CsComparison *comparison, const CsState *state)
{
    return state->under_way == CS_STRAND_MINUS ? comparison->cells - cells_of_strand(comparison)
                                               : 0;
}

/* A CsSweepFunc. */
static CsSweepAction
follow(const CsSweepState *state, gpointer user_data)
{
    const Sweep *sweep = user_data;
    CsVerifyWatch *watch = sweep->watch;
    const double done = ((double)state->cells - sweep->before) / sweep->cells;
    g_atomic_int_set(&watch->done, (gint)(done * 1e6));
    if (g_atomic_int_get(&watch->stop) != 0)
        return CS_SWEEP_STOP;
    return g_atomic_int_exchange(&watch->save, 0) != 0 ? CS_SWEEP_KEEP : CS_SWEEP_GO_ON;
}

/* A CsResumableFunc. */
static CsSweepAction
follow_saving(const CsSweepState *state, double next, gpointer user_data)
{
    (void)next;
    return follow(state, user_data);
}

/* Complemented as well: that changes no pair, and all readers of views know such a one. */
static void
turn(CsView *view)
{
    view->reversed = !view->reversed;
    view->complement = !view->complement;
}

/* A CsResumableCheckFunc: of a strand that is known to score less. */
static gboolean
check_below(CsScore known, CsScore score, GError **error)
{
    if (score < known)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: a sweep of the reversed sequences finds score %" G_GINT64_FORMAT
                ", not less than %" G_GINT64_FORMAT,
                score, known);
    return FALSE;
}

/* A CsResumableCheckFunc. */
static gboolean
check_score(CsScore known, CsScore score, GError **error)
{
    if (score == known)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: a sweep of the reversed sequences finds score %" G_GINT64_FORMAT
                ", not %" G_GINT64_FORMAT,
                score, known);
    return FALSE;
}

/* What the sweep of a strand must reach, or stay below. */
static CsScore
score_to_prove(const CsStrandResult *found)
{
    return found->below > 0 ? found->below : found->score;
}

static gboolean
agrees(const CsStrandResult *found, CsScore score)
{
    return found->below > 0 ? score < found->below : score == found->score;
}

static gboolean
sweep_at_once(const CsComparison *comparison, CsRectangle *rectangle, const CsSkip *skip,
              Sweep *sweep, CsState *state, CsResumableCheckFunc check, GError **error)
{
    CsSweepOptions options = comparison->sweep;
    CsSweepState swept;
    options.shape = comparison->wish;
    options.func = follow;
    options.func_data = sweep;
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &options);
    CsSkipBounds attached = cs_skip_attach(skip, rectangle, grid, 0, 0, 0);
    const gboolean done = cs_sweep_run(rectangle, grid, &options, &swept, error);
    cs_skip_detach(&attached);
    if (!done)
        return FALSE;
    state->cells += swept.cells;
    state->staircase.best = swept.best;
    return check(state->threshold, swept.best.score, error);
}

static gboolean
sweep_resumable(CsComparison *comparison, const CsRectangle *rectangle, const CsSkip *skip,
                Sweep *sweep, CsState *state, CsResumableCheckFunc check, GError **error)
{
    const CsWorkForecast unknown = {0};
    CsWorkMeter work = {0};
    CsSweepOptions each = comparison->sweep;
    each.shape = comparison->wish; /* each part gets its own grid */
    cs_work_meter_begin(&work, &unknown, 0, NULL, state->cells_computed);
    const CsResumableOptions options = {
        .whole = rectangle,
        .skip = skip,
        .work = &work,
        .cells_before = cells_before(comparison, state),
        .sweep = &each,
        .func = follow_saving,
        .check = check,
        .func_data = sweep,
        .checkpoint = comparison->checkpoint,
        .found = CS_FOUND_PROOF,
        .interval = cs_compare_options_interval(comparison),
        .threads = cs_threads_granted(),
        .device = each.engine->gpu ? comparison->phrase : NULL,
        .note = cs_compare_notes_leave,
        .note_data = comparison,
    };
    return cs_resumable_run(&options, state, error);
}

gboolean
cs_verify_strand(CsComparison *comparison, const CsStrandResult *found, CsState *state,
                 CsVerifyWatch *watch, GError **error)
{
    const CsScore score = score_to_prove(found);
    CsResumableCheckFunc check = found->below > 0 ? check_below : check_score;
    CsRectangle rectangle = cs_comparison_rectangle(comparison, state->under_way);
    Sweep sweep = {watch, (double)cells_before(comparison, state),
                   (double)cells_of_strand(comparison)};
    g_auto(CsSkip) skip = {0};
    const CsSkipSearch how = {.wanted = comparison->options->skip,
                              .gpu = comparison->sweep.engine->gpu,
                              .threads = comparison->sweep.engine_options.threads,
                              .sweep_bytes = comparison->sweep_bytes,
                              .known = score,
                              .stop = &watch->stop};
    turn(&rectangle.rows);
    turn(&rectangle.columns);
    if (!cs_compare_keep_search(comparison, CS_FOUND_VERIFY, state->under_way, &rectangle, &how,
                                &skip, error))
        return FALSE;
    rectangle.skipping = cs_skip_wants_small_blocks(&skip, comparison->sweep.engine->gpu);
    rectangle.share_left = skip.share_left;
    comparison->wish.members = cs_compare_engine_most_members(
        comparison, &rectangle, skip.share_left * (double)cells_of_strand(comparison));
    skip.lower.score = state->threshold = score;
    return saves(comparison)
               ? sweep_resumable(comparison, &rectangle, &skip, &sweep, state, check, error)
               : sweep_at_once(comparison, &rectangle, &skip, &sweep, state, check, error);
}

/* Whether nothing is left of the strand under way. */
static gboolean
is_strand_done(const Proof *proof)
{
    const CsState *state = &proof->state;
    return state->cells ==
           cells_before(proof->comparison, state) + cells_of_strand(proof->comparison);
}

static gboolean
is_complete(const Proof *proof)
{
    return proof->state.cells == proof->comparison->cells;
}

/* Whether a state is one of this proof. */
static gboolean
belongs(const Proof *proof)
{
    const CsState *state = &proof->state;
    const CsStrandResult *strands = proof->found->strands;
    const CsStrandResult *strand = &strands[state->under_way];
    const gboolean second =
        state->under_way == CS_STRAND_MINUS && proof->comparison->options->strand == CS_STRAND_BOTH;
    return state->threshold == score_to_prove(strand) &&
           (!second || agrees(&strands[CS_STRAND_PLUS], state->plus.score)) &&
           (!is_strand_done(proof) || agrees(strand, state->staircase.best.score));
}

static void
begin(Proof *proof)
{
    const gboolean minus = proof->comparison->options->strand == CS_STRAND_MINUS;
    cs_state_clear(&proof->state);
    proof->state = (CsState){.under_way = minus ? CS_STRAND_MINUS : CS_STRAND_PLUS};
    proof->resumed = FALSE;
}

/* Takes what an earlier run left. */
static void
load(Proof *proof)
{
    const CsCheckpoint *checkpoint = proof->comparison->checkpoint;
    proof->resumed =
        checkpoint != NULL && cs_found_state_load(checkpoint, CS_FOUND_PROOF, &proof->state);
    if (!proof->resumed || !belongs(proof) || (!saves(proof->comparison) && !is_complete(proof)))
        begin(proof);
}

static gboolean
prove_strands(Proof *proof, GError **error)
{
    CsState *state = &proof->state;
    for (;;) {
        const CsStrandResult *found = &proof->found->strands[state->under_way];
        g_atomic_int_set(&proof->watch.done, 0);
        g_atomic_int_set(&proof->strand, (gint)state->under_way);
        if (!is_strand_done(proof) &&
            !cs_verify_strand(proof->comparison, found, state, &proof->watch, error))
            return FALSE;
        if (is_complete(proof))
            return TRUE;
        cs_state_begin_minus(state);
    }
}

/* What earlier runs kept may be wrong in a way that no checksum shows. */
static void
drop_kept(const CsComparison *comparison)
{
    cs_found_drop(comparison->checkpoint, CS_FOUND_PROOF);
    cs_found_drop_stage(comparison->checkpoint, CS_FOUND_VERIFY);
}

static void
prove(gpointer data)
{
    Proof *proof = data;
    CsComparison *comparison = proof->comparison;
    g_autoptr(GError) failure = NULL;
    proof->done =
        cs_compare_options_take_ranks(comparison, &failure) && prove_strands(proof, &failure);
    const gboolean wrong = !proof->done && g_atomic_int_get(&proof->watch.stop) == 0 &&
                           g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED);
    if (wrong && saves(comparison))
        drop_kept(comparison);
    if (wrong && proof->resumed) {
        g_autofree char *message = g_strdup_printf(
            "what an earlier run saved of the proof is wrong (%s); starting the proof again",
            failure->message);
        cs_compare_notes_leave(CS_NOTE_WARNING, message, comparison);
        begin(proof);
        g_clear_error(&failure);
        proof->done = prove_strands(proof, &failure);
    }
    proof->error = g_steal_pointer(&failure);
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
    cs_compare_notes_tell(comparison);
    /* As one stage: how long it has taken so far says how long the rest takes. */
    cs_compare_progress_later(comparison, CS_STAGE_VERIFY, proof->found->strand,
                              !both                       ? done
                              : strand == CS_STRAND_MINUS ? 0.5 + done / 2
                                                          : done / 2);
    const CsControl control = cs_compare_control(comparison);
    if (comparison->stopped || control == CS_CONTROL_STOP)
        g_atomic_int_set(&proof->watch.stop, 1);
    if (control == CS_CONTROL_SAVE)
        g_atomic_int_set(&proof->watch.save, 1);
}

/* Sweeps what is left. */
static gboolean
run(Proof *proof, GError **error)
{
    CsComparison *comparison = proof->comparison;
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, proof->state.under_way);
    /* No engine was chosen if a checkpoint had the whole comparison. */
    if (comparison->sweep.engine == NULL &&
        (!cs_compare_engine_choose(comparison, &rectangle, error) ||
         !cs_compare_engine_check_needs(comparison, &rectangle, error)))
        return FALSE;
    /* The proof has bounds and a wave of its own. */
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        cs_skip_clear(&comparison->skips[strand]);
    g_clear_pointer(&comparison->state.staircase.horizontal, cs_bus_free);
    cs_compare_note(comparison, CS_NOTE_DETAIL, "verifying: sweeping the reversed sequences");
    CsThread *thread = cs_thread_new("verify", prove, proof, error);
    if (thread == NULL)
        return FALSE;
    cs_thread_join_asking(thread, ask_control, proof);
    (void)cs_compare_options_take_ranks(comparison, NULL);
    cs_compare_notes_tell(comparison);
    if (!proof->done)
        g_propagate_error(error, g_steal_pointer(&proof->error));
    return proof->done;
}

gboolean
cs_verify_run(CsComparison *comparison, const CsCompareResult *found, GError **error)
{
    Proof proof = {.comparison = comparison, .found = found};
    if (comparison->cells == 0)
        return TRUE;
    load(&proof);
    proof.strand = (gint)proof.state.under_way;
    const gboolean proved = is_complete(&proof) || run(&proof, error);
    cs_state_clear(&proof.state);
    if (!proved)
        return FALSE;
    if (saves(comparison))
        cs_found_drop_stage(comparison->checkpoint, CS_FOUND_VERIFY);
    cs_compare_note(comparison, CS_NOTE_EVENT,
                    "verified: a sweep of the reversed sequences finds the same score");
    cs_compare_progress_later(comparison, CS_STAGE_VERIFY, found->strand, 1);
    return TRUE;
}
