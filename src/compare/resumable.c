/* Sweeps a whole matrix part by part, and saves states. */
#include <chromosweep/error.h>

#include "checkpoint/saver.h"
#include "compare/resumable.h"
#include "sweep/remainder.h"

typedef struct {
    const CsResumableOptions *options;
    CsRemainder remainder;
    CsSaver saver;
    CsPart *part; /* under way */
    CsBus *spare; /* of the last state that was saved */
    CsState past; /* what was done before the part began; its staircase is empty */
    gint64 start; /* of this run, in microseconds */
    double next;  /* when to save next, in seconds of this run */
    guint threads;
    gboolean saving;      /* a state is being saved, or its outcome was not reported yet */
    gboolean asked;       /* func asked for a state, and its save has not begun */
    gboolean answer;      /* func asked for the state that is being saved */
    CsSweepAction wanted; /* what func asked for last */
} Run;

static double
seconds_since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

/* Warns of a failure, if there is one, and frees it. */
static void
warn_unsaved(const Run *run, GError *failure, const char *then)
{
    const CsResumableOptions *options = run->options;
    if (failure != NULL && options->note != NULL) {
        g_autofree char *message =
            g_strdup_printf("the state could not be saved%s: %s", then, failure->message);
        options->note(CS_NOTE_WARNING, message, options->note_data);
    }
    g_clear_error(&failure);
}

static void
tell_saved(Run *run)
{
    const CsResumableOptions *options = run->options;
    if (options->note != NULL)
        options->note(run->answer ? CS_NOTE_EVENT : CS_NOTE_DETAIL, "state saved",
                      options->note_data);
    run->answer = FALSE;
}

/* Whether a state is being saved. If it is no longer, reports its outcome. */
static gboolean
is_saving(Run *run)
{
    GError *failure = NULL;
    if (cs_saver_is_busy(&run->saver, &failure))
        return TRUE;
    if (run->saving && failure == NULL)
        tell_saved(run);
    run->saving = FALSE;
    if (run->spare == NULL)
        run->spare = g_steal_pointer(&run->saver.spare);
    warn_unsaved(run, failure, ", continuing without it");
    return FALSE;
}

/* The state of the whole, from how far the part is. */
static CsSweepState
whole_state(const Run *run, const CsSweepState *part)
{
    CsSweepState state = {
        .cells = run->past.cells + part->cells,
        .cells_computed = run->past.cells_computed + part->cells_computed,
        .seconds = run->past.seconds + seconds_since(run->start),
        .best = run->remainder.staircase.best,
        .threads = part->threads,
        .threads_wanted = part->threads_wanted,
    };
    CsBest best = part->best;
    if (best.score > 0) {
        best.i += run->part->i0;
        best.j += run->part->j0;
        cs_best_merge(&state.best, run->options->whole->tie_order, &best);
    }
    if (part->columns != NULL)
        cs_work_meter_stand(run->options->work, part->block_rows, part->columns, part->in_progress);
    state.cells_expected = cs_work_meter_expected(run->options->work, part->diagonals,
                                                  state.cells_computed, &state.best);
    return state;
}

/* A CsSweepFunc: after each diagonal. */
static CsSweepAction
watch(const CsSweepState *part, gpointer user_data)
{
    Run *run = user_data;
    const CsResumableOptions *options = run->options;
    CsSweepState state = whole_state(run, part);
    gboolean busy = is_saving(run);
    double next = MAX(0, run->next - seconds_since(run->start));
    CsSweepAction asked =
        options->func != NULL ? options->func(&state, next, options->func_data) : CS_SWEEP_GO_ON;
    run->asked = run->asked || asked == CS_SWEEP_KEEP;
    run->wanted = MAX(run->wanted, asked);
    if (run->wanted != CS_SWEEP_STOP && seconds_since(run->start) >= run->next)
        run->wanted = CS_SWEEP_KEEP;
    /* Only one state is saved at a time. One that becomes due meanwhile is saved afterwards. */
    return run->wanted == CS_SWEEP_KEEP && busy ? CS_SWEEP_GO_ON : run->wanted;
}

/* The score of an alignment that was found before the sweep, in this run or before; 0: none. */
static CsScore
known_score(const Run *run)
{
    const CsSkip *skip = run->options->skip;
    return MAX(run->past.threshold, skip != NULL ? skip->lower.score : 0);
}

static void
add_work(CsStrandWork *work, gint64 cells_computed, double seconds)
{
    if (work->cells_computed < 0)
        return;
    work->cells_computed += cells_computed;
    work->seconds += seconds;
}

/* The state of the whole, from how far the current part is. Takes the staircase over. */
static CsState
make_state(const Run *run, CsStaircase *staircase, const CsSweepState *part)
{
    const CsResumableOptions *options = run->options;
    const gint64 computed = run->past.cells_computed + part->cells_computed;
    const double seconds = seconds_since(run->start); /* once: the strands' add up to the whole's */
    CsState state = {
        .staircase = *staircase,
        .cells = options->cells_before + cs_staircase_cells(staircase),
        .cells_computed = computed,
        .cells_expected =
            cs_work_meter_expected(options->work, part->diagonals, computed, &staircase->best),
        .seconds = run->past.seconds + seconds,
        .engine = options->sweep->engine->name,
        .device = options->device,
        .threads = part->threads,
        .threshold = known_score(run),
        .skipped = run->past.skipped || part->skipped,
        .under_way = run->past.under_way,
        .no_start = run->past.no_start,
        .best_start = run->past.best_start,
        .verifies = run->past.verifies,
        .min_score = run->past.min_score,
        .plus = run->past.plus,
        .work = {run->past.work[CS_STRAND_PLUS], run->past.work[CS_STRAND_MINUS]},
    };
    if (options->skip != NULL && options->skip->mode == CS_SKIP_BOUNDS)
        state.forecast = cs_work_meter_corrected(options->work, part->diagonals, computed);
    add_work(&state.work[state.under_way], part->cells_computed, seconds);
    *staircase = (CsStaircase){0};
    return state;
}

/* Saves the last state of this run. If that fails, the error says so. */
static gboolean
save_and_wait(Run *run, const CsState *state, gboolean hurry, GError **error)
{
    GError *failure = NULL;
    gboolean saved = cs_saver_finish(&run->saver, state, hurry, &failure, error);
    g_clear_error(&failure); /* of an older state: this one was saved, or failed in the same way */
    return saved;
}

/* Copies the staircase of the whole; otherwise *failure says why it could not. */
static gboolean
stand(const Run *run, CsStaircase *within, const GError *short_of, CsStaircase *staircase,
      GError **failure)
{
    if (within != NULL)
        return cs_remainder_stand(&run->remainder, run->part, within, staircase, failure);
    *failure = g_error_copy(short_of);
    return FALSE;
}

/* A CsKeepFunc. A failed save is tried again later, unless the run is stopping. */
static gboolean
take_staircase(CsStaircase *within, const GError *short_of, const CsSweepState *part,
               gpointer user_data, GError **error)
{
    Run *run = user_data;
    const gboolean stop = run->wanted == CS_SWEEP_STOP;
    g_auto(CsStaircase) staircase = {0};
    GError *failure = NULL;
    run->wanted = stop ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
    run->next = seconds_since(run->start) + run->options->interval;
    if (stand(run, within, short_of, &staircase, &failure)) {
        if (run->options->mark != NULL)
            run->options->mark(&staircase, FALSE, run->options->func_data);
        g_auto(CsState) state = make_state(run, &staircase, part);
        if (stop)
            (void)save_and_wait(run, &state, TRUE, &failure);
        else
            cs_saver_start(&run->saver, &state);
        run->saving = !stop;
        run->answer = run->asked;
        run->asked = FALSE;
    }
    if (failure == NULL)
        return TRUE;
    if (!stop) {
        warn_unsaved(run, failure, ", continuing without it");
        return TRUE;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "stopped, but the state could not be saved: %s",
                failure->message);
    g_error_free(failure);
    return FALSE;
}

static gboolean
run_part(Run *run, GError **error)
{
    g_auto(CsPart) part = {0};
    if (!cs_remainder_next(&run->remainder, &part, error))
        return FALSE;
    CsSweepOptions sweep = *run->options->sweep;
    sweep.func = watch;
    sweep.keep = take_staircase;
    sweep.spare = &run->spare;
    sweep.func_data = run;
    run->part = &part;
    part.rectangle.skipping = run->options->whole->skipping;
    part.rectangle.share_left = run->options->whole->share_left;
    part.rectangle.narrow = run->options->whole->narrow;
    part.rectangle.skipped = run->past.skipped;
    part.rectangle.marks = run->options->whole->marks;
    part.rectangle.above = part.i0;
    part.rectangle.left_of = part.j0;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part.rectangle, &sweep);
    CsSweepState state;
    const CsWorkPace pace = cs_work_meter_pace(&part.rectangle, &sweep);
    cs_work_meter_begin_part(run->options->work, grid, &pace, part.i0, part.j0,
                             &run->remainder.staircase);
    CsSkipBounds attached = cs_skip_attach(run->options->skip, &part.rectangle, grid, part.i0,
                                           part.j0, run->remainder.staircase.best.score);
    gboolean swept = cs_sweep_run(&part.rectangle, grid, &sweep, &state, error);
    cs_skip_detach(&attached);
    if (!swept || !cs_remainder_finish(&run->remainder, &part, &state.best, error))
        return FALSE;
    run->past.cells += state.cells;
    run->past.cells_computed += state.cells_computed;
    add_work(&run->past.work[run->past.under_way], state.cells_computed, 0);
    run->past.skipped = run->past.skipped || state.skipped;
    run->threads = MAX(run->threads, state.threads);
    return TRUE;
}

gboolean
cs_resumable_run(const CsResumableOptions *options, CsState *state, GError **error)
{
    Run run = {
        .options = options,
        .saver = {.checkpoint = options->checkpoint,
                  .found = options->found,
                  .threads = options->threads},
        .past = *state,
        .start = g_get_monotonic_time(),
        .next = options->interval,
    };
    run.past.staircase = (CsStaircase){0};
    if (state->staircase.horizontal != NULL)
        cs_remainder_init_take(&run.remainder, options->whole, &state->staircase);
    else if (!cs_remainder_init(&run.remainder, options->whole, error))
        return FALSE;
    gboolean success = TRUE;
    while (success && !cs_remainder_is_complete(&run.remainder))
        success = run_part(&run, error);
    /* A wrong score must not be saved as complete. */
    CsResumableCheckFunc check = options->check != NULL ? options->check : cs_skip_check_score;
    const CsScore known = known_score(&run) >= options->floor ? known_score(&run) : 0;
    success = success && check(known, run.remainder.staircase.best.score, error);
    if (success) {
        GError *failure = NULL;
        const CsSweepState end = {.diagonals = G_MAXINT64, .threads = run.threads};
        if (options->mark != NULL)
            options->mark(&run.remainder.staircase, TRUE, options->func_data);
        *state = make_state(&run, &run.remainder.staircase, &end);
        run.answer = run.asked || run.answer;
        if (save_and_wait(&run, state, FALSE, &failure) && run.answer)
            tell_saved(&run);
        warn_unsaved(&run, failure, "");
    }
    cs_remainder_clear(&run.remainder);
    cs_bus_free(run.spare);
    cs_saver_clear(&run.saver);
    return success;
}
