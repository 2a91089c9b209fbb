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
    gboolean saving;      /* a state, and its outcome was not reported yet */
    gboolean asked;       /* func asked for one whose save has not begun */
    gboolean answer;      /* the state being saved is the one it asked for */
    CsSweepAction wanted; /* what the function asked for last */
} Session;

static double
seconds_since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

/* Warns of a failure, if there is one, and frees it. */
static void
warn_unsaved(const Session *session, GError *failure, const char *then)
{
    const CsResumableOptions *options = session->options;
    if (failure != NULL && options->note != NULL) {
        g_autofree char *message =
            g_strdup_printf("the state could not be saved%s: %s", then, failure->message);
        options->note(CS_NOTE_WARNING, message, options->note_data);
    }
    g_clear_error(&failure);
}

static void
tell_saved(Session *session)
{
    const CsResumableOptions *options = session->options;
    if (options->note != NULL)
        options->note(session->answer ? CS_NOTE_EVENT : CS_NOTE_DETAIL, "state saved",
                      options->note_data);
    session->answer = FALSE;
}

/* Whether a state is being saved. If it is no longer, reports its outcome. */
static gboolean
is_saving(Session *session)
{
    GError *failure = NULL;
    if (cs_saver_is_busy(&session->saver, &failure))
        return TRUE;
    if (session->saving && failure == NULL)
        tell_saved(session);
    session->saving = FALSE;
    if (session->spare == NULL)
        session->spare = g_steal_pointer(&session->saver.spare);
    warn_unsaved(session, failure, ", continuing without it");
    return FALSE;
}

/* The state of the whole, from how far the part is. */
static CsSweepState
whole_state(const Session *session, const CsSweepState *part)
{
    CsSweepState state = {
        .cells = session->past.cells + part->cells,
        .cells_computed = session->past.cells_computed + part->cells_computed,
        .seconds = session->past.seconds + seconds_since(session->start),
        .best = session->remainder.staircase.best,
        .threads = part->threads,
        .threads_wanted = part->threads_wanted,
    };
    CsBest best = part->best;
    if (best.score > 0) {
        best.i += session->part->i0;
        best.j += session->part->j0;
        cs_best_merge(&state.best, session->options->whole->tie_order, &best);
    }
    state.cells_expected = cs_work_meter_expected(session->options->work, part->diagonals,
                                                  state.cells_computed, &state.best);
    return state;
}

/* A CsSweepFunc: after each diagonal. */
static CsSweepAction
watch(const CsSweepState *part, gpointer user_data)
{
    Session *session = user_data;
    const CsResumableOptions *options = session->options;
    CsSweepState state = whole_state(session, part);
    gboolean busy = is_saving(session);
    double next = MAX(0, session->next - seconds_since(session->start));
    CsSweepAction asked =
        options->func != NULL ? options->func(&state, next, options->func_data) : CS_SWEEP_GO_ON;
    session->asked = session->asked || asked == CS_SWEEP_KEEP;
    session->wanted = MAX(session->wanted, asked);
    if (session->wanted != CS_SWEEP_STOP && seconds_since(session->start) >= session->next)
        session->wanted = CS_SWEEP_KEEP;
    /* Only one state is saved at a time. One that becomes due meanwhile is saved afterwards. */
    return session->wanted == CS_SWEEP_KEEP && busy ? CS_SWEEP_GO_ON : session->wanted;
}

/* The score of an alignment that was found before the sweep, in this run or before; 0: none. */
static CsScore
known_score(const Session *session)
{
    const CsSkip *skip = session->options->skip;
    return MAX(session->past.threshold, skip != NULL ? skip->lower.score : 0);
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
make_state(const Session *session, CsStaircase *staircase, const CsSweepState *part)
{
    const CsResumableOptions *options = session->options;
    const gint64 computed = session->past.cells_computed + part->cells_computed;
    CsState state = {
        .staircase = *staircase,
        .cells = options->cells_before + cs_staircase_cells(staircase),
        .cells_computed = computed,
        .cells_expected =
            cs_work_meter_expected(options->work, part->diagonals, computed, &staircase->best),
        .seconds = session->past.seconds + seconds_since(session->start),
        .engine = options->sweep->engine->name,
        .device = options->device,
        .threads = part->threads,
        .threshold = known_score(session),
        .skipped = session->past.skipped || part->skipped,
        .under_way = session->past.under_way,
        .plus = session->past.plus,
        .work = {session->past.work[CS_STRAND_PLUS], session->past.work[CS_STRAND_MINUS]},
    };
    if (options->skip != NULL && options->skip->mode == CS_SKIP_BOUNDS)
        state.forecast = cs_work_meter_corrected(options->work, part->diagonals, computed);
    add_work(&state.work[state.under_way], part->cells_computed, seconds_since(session->start));
    *staircase = (CsStaircase){0};
    return state;
}

/* Saves the last state of this run. If that fails, the error says so. */
static gboolean
save_and_wait(Session *session, const CsState *state, gboolean hurry, GError **error)
{
    GError *failure = NULL;
    gboolean saved = cs_saver_finish(&session->saver, state, hurry, &failure, error);
    g_clear_error(&failure); /* of an older state: this one was saved, or failed in the same way */
    return saved;
}

/* Copies the staircase of the whole; otherwise *failure says why it could not. */
static gboolean
stand(const Session *session, CsStaircase *within, const GError *short_of, CsStaircase *staircase,
      GError **failure)
{
    if (within != NULL)
        return cs_remainder_stand(&session->remainder, session->part, within, staircase, failure);
    *failure = g_error_copy(short_of);
    return FALSE;
}

/* A CsKeepFunc. A failed save is tried again later, unless the run is stopping. */
static gboolean
take_staircase(CsStaircase *within, const GError *short_of, const CsSweepState *part,
               gpointer user_data, GError **error)
{
    Session *session = user_data;
    const gboolean stop = session->wanted == CS_SWEEP_STOP;
    g_auto(CsStaircase) staircase = {0};
    GError *failure = NULL;
    session->wanted = stop ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
    session->next = seconds_since(session->start) + session->options->interval;
    if (stand(session, within, short_of, &staircase, &failure)) {
        if (session->options->mark != NULL)
            session->options->mark(&staircase, FALSE, session->options->func_data);
        g_auto(CsState) state = make_state(session, &staircase, part);
        if (stop)
            (void)save_and_wait(session, &state, TRUE, &failure);
        else
            cs_saver_start(&session->saver, &state);
        session->saving = !stop;
        session->answer = session->asked;
        session->asked = FALSE;
    }
    if (failure == NULL)
        return TRUE;
    if (!stop) {
        warn_unsaved(session, failure, ", continuing without it");
        return TRUE;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "stopped, but the state could not be saved: %s",
                failure->message);
    g_error_free(failure);
    return FALSE;
}

static gboolean
run_part(Session *session, GError **error)
{
    g_auto(CsPart) part = {0};
    if (!cs_remainder_next(&session->remainder, &part, error))
        return FALSE;
    CsSweepOptions sweep = *session->options->sweep;
    sweep.func = watch;
    sweep.keep = take_staircase;
    sweep.spare = &session->spare;
    sweep.func_data = session;
    session->part = &part;
    part.rectangle.skipping = session->options->whole->skipping;
    part.rectangle.share_left = session->options->whole->share_left;
    part.rectangle.skipped = session->past.skipped;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part.rectangle, &sweep);
    CsSweepState state;
    const gboolean two_steps = sweep.engine->gpu && part.rectangle.skipping &&
                               part.rectangle.left == NULL && part.rectangle.right == NULL;
    cs_work_meter_begin_part(session->options->work, grid, two_steps, part.i0, part.j0,
                             &session->remainder.staircase);
    CsSkipBounds attached = cs_skip_attach(session->options->skip, &part.rectangle, grid, part.i0,
                                           part.j0, session->remainder.staircase.best.score);
    gboolean swept = cs_sweep_run(&part.rectangle, grid, &sweep, &state, error);
    cs_skip_detach(&attached);
    if (!swept || !cs_remainder_finish(&session->remainder, &part, &state.best, error))
        return FALSE;
    session->past.cells += state.cells;
    session->past.cells_computed += state.cells_computed;
    add_work(&session->past.work[session->past.under_way], state.cells_computed, 0);
    session->past.skipped = session->past.skipped || state.skipped;
    session->threads = MAX(session->threads, state.threads);
    return TRUE;
}

gboolean
cs_resumable_run(const CsResumableOptions *options, CsState *state, GError **error)
{
    Session session = {
        .options = options,
        .saver = {.checkpoint = options->checkpoint, .threads = options->threads},
        .past = *state,
        .start = g_get_monotonic_time(),
        .next = options->interval,
    };
    session.past.staircase = (CsStaircase){0};
    if (state->staircase.horizontal != NULL)
        cs_remainder_init_take(&session.remainder, options->whole, &state->staircase);
    else if (!cs_remainder_init(&session.remainder, options->whole, error))
        return FALSE;
    gboolean success = TRUE;
    while (success && !cs_remainder_is_complete(&session.remainder))
        success = run_part(&session, error);
    /* A wrong score must not be saved as complete. */
    success = success && cs_skip_check_score(known_score(&session),
                                             session.remainder.staircase.best.score, error);
    if (success) {
        GError *failure = NULL;
        const CsSweepState end = {.diagonals = G_MAXINT64, .threads = session.threads};
        if (options->mark != NULL)
            options->mark(&session.remainder.staircase, TRUE, options->func_data);
        *state = make_state(&session, &session.remainder.staircase, &end);
        session.answer = session.asked || session.answer;
        if (save_and_wait(&session, state, FALSE, &failure) && session.answer)
            tell_saved(&session);
        warn_unsaved(&session, failure, "");
    }
    cs_remainder_clear(&session.remainder);
    cs_bus_free(session.spare);
    cs_saver_clear(&session.saver);
    return success;
}
