/* A whole matrix, part by part, with checkpoints. */
#include <chromosweep/error.h>

#include "compare/resumable.h"
#include "checkpoint/saver.h"
#include "sweep/remainder.h"

typedef struct {
    const CsResumableOptions *options;
    CsRemainder remainder;
    CsSaver saver;
    CsPart *part; /* under way */
    CsBus *spare; /* of the last state that was saved */
    CsState past; /* what was done before the part began; its staircase is empty */
    gint64 start; /* of this session, in microseconds */
    double next;  /* when to save next, in seconds of this session */
    guint threads;
    gboolean saving;      /* a state, of which it was not told yet what became of it */
    gboolean asked;       /* func asked for one that is not yet on its way */
    gboolean answer;      /* the one on its way is what it asked for */
    CsSweepAction wanted; /* what the function asked for last */
} Job;

static double
seconds_since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

/* Takes the failure over; none is nothing to warn of. */
static void
warn_unsaved(const Job *job, GError *failure, const char *then)
{
    const CsResumableOptions *options = job->options;
    if (failure != NULL && options->note != NULL) {
        g_autofree char *message =
            g_strdup_printf("the state could not be saved%s: %s", then, failure->message);
        options->note(CS_NOTE_WARNING, message, options->note_data);
    }
    g_clear_error(&failure);
}

static void
tell_saved(Job *job)
{
    const CsResumableOptions *options = job->options;
    if (options->note != NULL)
        options->note(job->answer ? CS_NOTE_EVENT : CS_NOTE_DETAIL, "the state is saved",
                      options->note_data);
    job->answer = FALSE;
}

/* Whether a state is being saved; what became of one that no longer is, is told. */
static gboolean
is_saving(Job *job)
{
    GError *failure = NULL;
    if (cs_saver_is_busy(&job->saver, &failure))
        return TRUE;
    if (job->saving && failure == NULL)
        tell_saved(job);
    job->saving = FALSE;
    if (job->spare == NULL)
        job->spare = g_steal_pointer(&job->saver.spare);
    warn_unsaved(job, failure, ", going on without");
    return FALSE;
}

/* The state of the whole when its part has come so far. */
static CsSweepState
whole_state(const Job *job, const CsSweepState *part)
{
    CsSweepState state = {
        .cells = job->past.cells + part->cells,
        .cells_computed = job->past.cells_computed + part->cells_computed,
        .seconds = job->past.seconds + seconds_since(job->start),
        .best = job->remainder.staircase.best,
        .threads = part->threads,
    };
    CsBest best = part->best;
    if (best.score > 0) {
        best.i += job->part->i0;
        best.j += job->part->j0;
        cs_best_merge(&state.best, job->options->whole->tie_order, &best);
    }
    return state;
}

/* A CsSweepFunc: after each diagonal. */
static CsSweepAction
watch(const CsSweepState *part, gpointer user_data)
{
    Job *job = user_data;
    const CsResumableOptions *options = job->options;
    CsSweepState state = whole_state(job, part);
    gboolean busy = is_saving(job);
    double next = MAX(0, job->next - seconds_since(job->start));
    CsSweepAction asked =
        options->func != NULL ? options->func(&state, next, options->func_data) : CS_SWEEP_GO_ON;
    job->asked = job->asked || asked == CS_SWEEP_KEEP;
    job->wanted = MAX(job->wanted, asked);
    if (job->wanted != CS_SWEEP_STOP && seconds_since(job->start) >= job->next)
        job->wanted = CS_SWEEP_KEEP;
    /* One at a time: a state that is due while another is being saved comes after it. */
    return job->wanted == CS_SWEEP_KEEP && busy ? CS_SWEEP_GO_ON : job->wanted;
}

/* The score of an alignment that was found before the sweep, in this session or before; 0: none. */
static CsScore
known_score(const Job *job)
{
    const CsSkip *skip = job->options->skip;
    return MAX(job->past.threshold, skip != NULL ? skip->lower.score : 0);
}

static void
add_work(CsStrandWork *work, gint64 cells_computed, double seconds)
{
    if (work->cells_computed < 0)
        return;
    work->cells_computed += cells_computed;
    work->seconds += seconds;
}

/* The state of the whole, whose staircase is taken over. */
static CsState
make_state(const Job *job, CsStaircase *staircase, gint64 cells_computed, gboolean skipped,
           guint threads)
{
    const CsResumableOptions *options = job->options;
    CsState state = {
        .staircase = *staircase,
        .cells = options->cells_before + cs_staircase_cells(staircase),
        .cells_computed = job->past.cells_computed + cells_computed,
        .seconds = job->past.seconds + seconds_since(job->start),
        .engine = options->sweep->engine->name,
        .device = options->device,
        .threads = threads,
        .threshold = known_score(job),
        .skipped = skipped,
        .under_way = job->past.under_way,
        .plus = job->past.plus,
        .work = {job->past.work[CS_STRAND_PLUS], job->past.work[CS_STRAND_MINUS]},
    };
    add_work(&state.work[state.under_way], cells_computed, seconds_since(job->start));
    *staircase = (CsStaircase){0};
    return state;
}

/* Saves the last state of this session; it is said by the error when that fails. */
static gboolean
save_and_wait(Job *job, const CsState *state, gboolean hurry, GError **error)
{
    GError *failure = NULL;
    gboolean saved = cs_saver_finish(&job->saver, state, hurry, &failure, error);
    g_clear_error(&failure); /* of an older one: this one is there, or its failure is the same */
    return saved;
}

/* Where the whole stands; otherwise failure is why that could not be copied. */
static gboolean
stand(const Job *job, CsStaircase *within, const GError *short_of, CsStaircase *staircase,
      GError **failure)
{
    if (within != NULL)
        return cs_remainder_stand(&job->remainder, job->part, within, staircase, failure);
    *failure = g_error_copy(short_of);
    return FALSE;
}

/* A CsKeepFunc. What cannot be saved now may be later, unless there is no later. */
static gboolean
take_staircase(CsStaircase *within, const GError *short_of, const CsSweepState *part,
               gpointer user_data, GError **error)
{
    Job *job = user_data;
    const gboolean stop = job->wanted == CS_SWEEP_STOP;
    g_auto(CsStaircase) staircase = {0};
    GError *failure = NULL;
    job->wanted = stop ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
    job->next = seconds_since(job->start) + job->options->interval;
    if (stand(job, within, short_of, &staircase, &failure)) {
        g_auto(CsState) state = make_state(job, &staircase, part->cells_computed,
                                           job->past.skipped || part->skipped, part->threads);
        if (stop)
            (void)save_and_wait(job, &state, TRUE, &failure);
        else
            cs_saver_start(&job->saver, &state);
        job->saving = !stop;
        job->answer = job->asked;
        job->asked = FALSE;
    }
    if (failure == NULL)
        return TRUE;
    if (!stop) {
        warn_unsaved(job, failure, ", going on without");
        return TRUE;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "stopped, but the state could not be saved: %s",
                failure->message);
    g_error_free(failure);
    return FALSE;
}

static gboolean
run_part(Job *job, GError **error)
{
    g_auto(CsPart) part = {0};
    if (!cs_remainder_next(&job->remainder, &part, error))
        return FALSE;
    CsSweepOptions sweep = *job->options->sweep;
    sweep.func = watch;
    sweep.keep = take_staircase;
    sweep.spare = &job->spare;
    sweep.func_data = job;
    job->part = &part;
    part.rectangle.pruned = job->options->whole->pruned;
    part.rectangle.share_left = job->options->whole->share_left;
    part.rectangle.skipped = job->past.skipped;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part.rectangle, &sweep);
    CsSweepState state;
    CsSkipBounds attached = cs_skip_attach(job->options->skip, &part.rectangle, grid, part.i0,
                                           part.j0, job->remainder.staircase.best.score);
    gboolean swept = cs_sweep_run(&part.rectangle, grid, &sweep, &state, error);
    cs_skip_detach(&attached);
    if (!swept || !cs_remainder_finish(&job->remainder, &part, &state.best, error))
        return FALSE;
    job->past.cells += state.cells;
    job->past.cells_computed += state.cells_computed;
    add_work(&job->past.work[job->past.under_way], state.cells_computed, 0);
    job->past.skipped = job->past.skipped || state.skipped;
    job->threads = MAX(job->threads, state.threads);
    return TRUE;
}

gboolean
cs_resumable_run(const CsResumableOptions *options, CsState *state, GError **error)
{
    Job job = {
        .options = options,
        .saver = {.checkpoint = options->checkpoint, .threads = options->threads},
        .past = *state,
        .start = g_get_monotonic_time(),
        .next = options->interval,
    };
    job.past.staircase = (CsStaircase){0};
    if (state->staircase.horizontal != NULL)
        cs_remainder_init_take(&job.remainder, options->whole, &state->staircase);
    else if (!cs_remainder_init(&job.remainder, options->whole, error))
        return FALSE;
    gboolean success = TRUE;
    while (success && !cs_remainder_is_complete(&job.remainder))
        success = run_part(&job, error);
    /* What is wrong is not to be saved as complete. */
    success = success &&
              cs_skip_check_score(known_score(&job), job.remainder.staircase.best.score, error);
    if (success) {
        GError *failure = NULL;
        *state = make_state(&job, &job.remainder.staircase, 0, job.past.skipped, job.threads);
        job.answer = job.asked || job.answer;
        if (save_and_wait(&job, state, FALSE, &failure) && job.answer)
            tell_saved(&job);
        warn_unsaved(&job, failure, "");
    }
    cs_remainder_clear(&job.remainder);
    cs_bus_free(job.spare);
    cs_saver_clear(&job.saver);
    return success;
}
