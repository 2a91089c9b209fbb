/* The main job: one sweep over the whole matrix of two sequences. */
#include <chromosweep/compare.h>
#include <chromosweep/engine.h>
#include <chromosweep/error.h>
#include <chromosweep/plan.h>
#include <chromosweep/threads.h>

#include "compare/compare_private.h"
#include "engines/device.h"
#include "compare/resumable.h"
#include "compare/needs.h"
#include "engines/selftest.h"
#include "anchors/sketch.h"
#include "pruning/skip.h"
#include "sweep/strand.h"
#include "system/thread.h"

/* Seconds between two calls of the progress function. */
#define PROGRESS_INTERVAL 0.1

/* A GPU that will need longer than this is tested first; it does about so many cells a second. */
#define TEST_SECONDS 60
#define GPU_CELLS_A_SECOND 3e12

/* In a block of any GPU. */
#define MOST_THREADS 1024

/*
 * The longer sequence lies along the rows: the horizontal bus, which grows with the columns, then
 * costs least. When that is the query, the matrix is transposed, and so is the tie order.
 */
typedef struct {
    const CsSequence *target, *query;
    CsPlacement placement;
    CsStrand strand; /* under way */
    CsBest plus;     /* of both strands, once minus is under way */
    gint64 cells;    /* of all strands */
    gint64 cells_resumed, computed_resumed;
    double seconds_resumed;
    /* Of a strand that is complete, where progress does not count it. */
    gint64 cells_before, computed_before;
    double seconds_before;
    CsStageSeconds stages[2]; /* of each strand, before its sweep */
    const CsCompareOptions *options;
    const char *phrase;     /* what the engine runs on */
    gboolean suspect;       /* its last test failed */
    gboolean asked_to_save; /* before there was anything to save */
    double next_progress;   /* seconds of the sweep */
    gboolean stopped;       /* the progress function asked for it */
    GThread *caller;        /* of cs_compare(): the one that notes are told on */
    GAsyncQueue *notes;     /* of other threads, until then */
} Comparison;

static CsStrandResult
strand_result(const Comparison *job, CsStrand strand, const CsBest *best)
{
    return (CsStrandResult){
        .computed = TRUE,
        .score = best->score,
        .target_end = cs_placement_target(&job->placement, best),
        .query_end = cs_placement_query(&job->placement, strand, best),
        .stages = job->stages[strand],
    };
}

/* Of the strand under way, in all sessions; next: seconds until a state is due, or less than 0. */
static void
tell_progress(Comparison *job, gint64 cells, gint64 computed, double seconds, const CsBest *found,
              double next)
{
    if (job->options->progress == NULL)
        return;
    job->next_progress = seconds + PROGRESS_INTERVAL;
    const gboolean behind = job->strand == CS_STRAND_MINUS &&
                            job->options->strand == CS_STRAND_BOTH &&
                            cs_strand_better(&job->plus, found) == CS_STRAND_PLUS;
    CsStrandResult best = behind ? strand_result(job, CS_STRAND_PLUS, &job->plus)
                                 : strand_result(job, job->strand, found);
    CsProgress progress = {
        .cells_done = cells,
        .cells = job->cells,
        .seconds = seconds,
        .score = best.score,
        .target_end = best.target_end,
        .query_end = best.query_end,
        .strand = behind ? CS_STRAND_PLUS : job->strand,
        .cells_before = job->cells_resumed,
        .seconds_before = job->seconds_resumed,
        .next_checkpoint = next,
        .cells_computed = computed,
        .cells_computed_before = job->computed_resumed,
    };
    if (!job->options->progress(&progress, job->options->progress_data))
        job->stopped = TRUE;
}

/* Before the first cell of this session, and after the last. */
static void
tell_progress_at(Comparison *job, const CsState *state, double next)
{
    job->strand = state->under_way;
    job->plus = state->plus;
    tell_progress(job, state->cells, state->cells_computed, state->seconds, &state->staircase.best,
                  next);
}

/* A note that another thread left. */
typedef struct {
    CsNoteKind kind;
    char *message;
} Note;

static void
note_free(gpointer data)
{
    Note *left = data;
    g_free(left->message);
    g_free(left);
}

/* A CsNoteFunc for any thread. */
static void
leave_note(CsNoteKind kind, const char *message, gpointer user_data)
{
    Comparison *job = user_data;
    if (job->options->note == NULL)
        return;
    if (g_thread_self() == job->caller) {
        job->options->note(kind, message, job->options->note_data);
        return;
    }
    Note *left = g_new(Note, 1);
    *left = (Note){kind, g_strdup(message)};
    g_async_queue_push(job->notes, left);
}

static void
tell_notes(Comparison *job)
{
    Note *left;
    while ((left = g_async_queue_try_pop(job->notes)) != NULL) {
        job->options->note(left->kind, left->message, job->options->note_data);
        note_free(left);
    }
}

/* A CsResumableFunc. */
static CsSweepAction
watch_job(const CsSweepState *state, double next, gpointer user_data)
{
    Comparison *job = user_data;
    const double seconds = job->seconds_before + state->seconds;
    const CsCompareOptions *options = job->options;
    tell_notes(job);
    CsControl control =
        options->control != NULL ? options->control(options->control_data) : CS_CONTROL_GO_ON;
    if (seconds >= job->next_progress)
        tell_progress(job, job->cells_before + state->cells,
                      job->computed_before + state->cells_computed, seconds, &state->best, next);
    if (job->stopped || control == CS_CONTROL_STOP)
        return CS_SWEEP_STOP;
    const gboolean save = control == CS_CONTROL_SAVE || job->asked_to_save;
    job->asked_to_save = FALSE;
    return save ? CS_SWEEP_KEEP : CS_SWEEP_GO_ON;
}

/* A CsSweepFunc: without a checkpoint. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    return watch_job(state, -1, user_data);
}

static void note(const Comparison *job, CsNoteKind kind, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void
note(const Comparison *job, CsNoteKind kind, const char *format, ...)
{
    if (job->options->note == NULL)
        return;
    va_list values;
    va_start(values, format);
    g_autofree char *message = g_strdup_vprintf(format, values);
    va_end(values);
    job->options->note(kind, message, job->options->note_data);
}

/* The matrix of a strand. */
static CsRectangle
make_rectangle(const Comparison *job, CsStrand strand)
{
    const gboolean transposed = job->placement.transposed;
    CsView target = cs_view_of(job->target), query = cs_strand_view(job->query, strand);
    return (CsRectangle){
        .rows = transposed ? query : target,
        .columns = transposed ? target : query,
        .scoring = job->options->scoring,
        .tie_order = transposed ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST,
    };
}

/*
 * The grid that the options wish for. No block is higher than the matrix, its last threads' rows
 * aside: the block's own state would cost memory for nothing.
 */
static gboolean
wish_shape(const CsCompareOptions *options, gint64 m, gint64 n, CsGridShape *shape, GError **error)
{
    gint64 threads = options->grid_threads;
    *shape = (CsGridShape){.block_threads = options->grid_threads};
    if (threads > MOST_THREADS) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "a block of the grid has at most %d threads",
                    MOST_THREADS);
        return FALSE;
    }
    if (options->grid_alpha > 0 && threads == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "rows a thread of the grid need the number of its threads");
        return FALSE;
    }
    if (options->grid_alpha > 0)
        shape->block_height = MIN(options->grid_alpha, MAX(1, cs_divide_up(m, threads))) * threads;
    if (options->grid_blocks > 0) {
        shape->block_width = MAX(1, cs_divide_up(n, options->grid_blocks));
        shape->depth = options->grid_blocks;
    }
    return TRUE;
}

static gboolean
check_bits(guint bits, GError **error)
{
    if (bits == 0 || bits == 16 || bits == 32 || bits == 64)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "arithmetic has 16, 32 or 64 bits, not %u", bits);
    return FALSE;
}

static gboolean
test_if_long(Comparison *job, const CsSweepOptions *sweep, GError **error)
{
    if (!sweep->engine->gpu || (double)job->cells / GPU_CELLS_A_SECOND <= TEST_SECONDS)
        return TRUE;
    note(job, CS_NOTE_DETAIL, "testing %s first, since this will take long", job->phrase);
    job->suspect = !cs_selftest_run(sweep->engine, &sweep->engine_options, error);
    return !job->suspect;
}

/* The first engine of the choice that works and takes the problem; its grid. */
static CsGrid *
choose_engine(Comparison *job, const CsDeviceChoice *choice, const CsRectangle *rectangle,
              CsSweepOptions *sweep, GError **error)
{
    const CsGridShape wish = sweep->shape;
    if (choice->kind == CS_DEVICE_AUTO && choice->engine_free && !choice->engines[0]->gpu)
        note(job, CS_NOTE_DETAIL, "not on a GPU: %s", CS_ENGINE_NO_GPU_ENGINE);
    for (guint k = 0;; k++) {
        GError *failure = NULL;
        g_autoptr(CsGrid) grid = NULL;
        sweep->engine = choice->engines[k];
        sweep->shape = wish;
        job->phrase = sweep->engine->describe(choice->device, &failure);
        if (job->phrase != NULL) {
            grid = cs_sweep_plan(rectangle, sweep);
            if ((job->cells == 0 || sweep->engine->accepts(rectangle, &sweep->shape,
                                                           &sweep->engine_options, &failure)) &&
                test_if_long(job, sweep, &failure))
                return g_steal_pointer(&grid);
        }
        if (!cs_device_choice_goes_on(choice, k, failure)) {
            g_propagate_error(error, failure);
            return NULL;
        }
        note(job, job->suspect ? CS_NOTE_WARNING : CS_NOTE_DETAIL, "not on %s: %s",
             sweep->engine->gpu ? "a GPU" : sweep->engine->name, failure->message);
        g_error_free(failure);
    }
}

/* What may be skipped of each strand, and the search for it on a thread of its own. */
typedef struct {
    CsSkip of[2]; /* CS_STRAND_PLUS, CS_STRAND_MINUS */
    CsRectangle wholes[2];
    gboolean wanted[2];
    CsSkipSearch how;
    CsScore known; /* of the first strand that is wanted */
    gint stop, done;
    gboolean found;
    GError *error;
} Skips;

static void
skips_clear(Skips *skips)
{
    cs_skip_clear(&skips->of[CS_STRAND_PLUS]);
    cs_skip_clear(&skips->of[CS_STRAND_MINUS]);
    g_clear_error(&skips->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Skips, skips_clear)

/* The strands share the index; it goes before any is swept. */
static gpointer
search(gpointer data)
{
    Skips *skips = data;
    g_autoptr(CsSeedsIndex) index = NULL;
    skips->how.index = &index;
    skips->how.stop = &skips->stop;
    skips->how.known = skips->known;
    skips->found = TRUE;
    for (CsStrand strand = CS_STRAND_PLUS; skips->found && strand <= CS_STRAND_MINUS; strand++)
        if (skips->wanted[strand]) {
            skips->found = cs_skip_init(&skips->of[strand], &skips->wholes[strand], &skips->how,
                                        &skips->error);
            skips->how.known = 0;
        }
    g_atomic_int_set(&skips->done, 1);
    return NULL;
}

/* It may take a minute, in which the caller may ask to stop. */
static gboolean
wait_for_search(Comparison *job, Skips *skips, GError **error)
{
    gboolean long_one = FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        long_one = long_one || (skips->wanted[strand] &&
                                cs_skip_takes_time(&skips->wholes[strand], &skips->how));
    if (!long_one) {
        search(skips);
        if (!skips->found)
            g_propagate_error(error, g_steal_pointer(&skips->error));
        return skips->found;
    }
    GThread *thread = cs_thread_new("skip", search, skips, error);
    if (thread == NULL)
        return FALSE;
    /* Where nothing is to be found it is done at once. */
    for (gulong pause = 20; !g_atomic_int_get(&skips->done); pause = MIN(2 * pause, 1000)) {
        g_usleep(pause);
        CsControl control = job->options->control != NULL
                                ? job->options->control(job->options->control_data)
                                : CS_CONTROL_GO_ON;
        if (control == CS_CONTROL_STOP)
            g_atomic_int_set(&skips->stop, 1);
        job->asked_to_save = job->asked_to_save || control == CS_CONTROL_SAVE;
    }
    g_thread_join(thread);
    if (!skips->found)
        g_propagate_error(error, g_steal_pointer(&skips->error));
    else if (skips->stop != 0)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped before the first cell");
    return skips->found && skips->stop == 0;
}

/* Tells what will be skipped; of memory that is short only once, and of many pairs. */
static void
tell_skip(const Comparison *job, const CsSkip *skip, const char *on, gboolean noted)
{
    if (skip->note != NULL && !noted)
        note(job, job->options->one_of_many ? CS_NOTE_DETAIL : CS_NOTE_WARNING, "%s", skip->note);
    if (skip->mode != CS_SKIP_NONE && skip->lower.score > 0)
        note(job, CS_NOTE_DETAIL,
             "%sskipping what cannot reach %" G_GINT64_FORMAT
             ", the score of an alignment found first",
             on, skip->lower.score);
    else if (skip->mode != CS_SKIP_NONE)
        note(job, CS_NOTE_DETAIL, "%sskipping what cannot reach the best score so far", on);
    else if (skip->note == NULL && skip->lower.seconds_seeds + skip->seconds_bounds > 0)
        note(job, CS_NOTE_DETAIL, "%sskipping nothing: it would hardly save time", on);
}

/* What of the strands that are still to be swept may be skipped. */
static gboolean
find_skips(Comparison *job, const CsSweepOptions *sweep, gboolean plus_complete, CsState *state,
           Skips *skips, GError **error)
{
    const gboolean both = job->options->strand == CS_STRAND_BOTH;
    *skips = (Skips){.how = {.wanted = job->options->skip,
                             .gpu = sweep->engine->gpu,
                             .threads = sweep->engine_options.threads}};
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        skips->wholes[strand] = make_rectangle(job, strand);
        skips->wanted[strand] = strand == state->under_way || both;
    }
    if (plus_complete || state->under_way == CS_STRAND_MINUS)
        skips->wanted[CS_STRAND_PLUS] = FALSE;
    skips->known = plus_complete ? 0 : state->threshold;
    if (!wait_for_search(job, skips, error))
        return FALSE;
    gboolean noted = FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsSkip *skip = &skips->of[strand];
        job->stages[strand] = (CsStageSeconds){
            .all = skip->seconds,
            .seeds = skip->lower.seconds_seeds,
            .chain = skip->lower.seconds_chain,
            .corridor = skip->lower.seconds_corridor,
            .bounds = skip->seconds_bounds,
        };
        state->work[strand].cells_corridor += skip->lower.cells_computed;
        if (skips->wanted[strand])
            tell_skip(job, skip, !both ? "" : strand == CS_STRAND_PLUS ? "+: " : "-: ", noted);
        noted = noted || skip->note != NULL; /* the other strand's cause is the same */
    }
    return TRUE;
}

/* The whole matrix of a strand in one go. */
static gboolean
run_without(Comparison *job, CsRectangle *rectangle, const CsSkip *skip, const CsGrid *grid,
            CsSweepOptions *sweep, CsState *state, GError **error)
{
    CsSweepState swept;
    sweep->func = watch;
    sweep->func_data = job;
    job->cells_before = state->cells;
    job->computed_before = state->cells_computed;
    job->seconds_before = state->seconds;
    CsSkipBounds attached = cs_skip_attach(skip, rectangle, grid, 0, 0, 0);
    gboolean done = cs_sweep_run(rectangle, grid, sweep, &swept, error);
    cs_skip_detach(&attached);
    if (!done)
        return FALSE;
    state->staircase.best = swept.best;
    state->cells += swept.cells;
    state->cells_computed += swept.cells_computed;
    state->seconds += swept.seconds;
    state->work[job->strand].cells_computed = swept.cells_computed;
    state->work[job->strand].seconds = swept.seconds;
    state->engine = sweep->engine->name;
    state->device = sweep->engine->gpu ? job->phrase : NULL;
    state->threads = MAX(state->threads, swept.threads);
    return TRUE;
}

static double
checkpoint_interval(const Comparison *job)
{
    const CsCompareOptions *chosen = job->options;
    return chosen->checkpoint_interval > 0 ? chosen->checkpoint_interval : CS_CHECKPOINT_INTERVAL;
}

/* What is left of a strand, from the state on. */
static gboolean
run_with(Comparison *job, const CsRectangle *rectangle, const CsSkip *skip,
         const CsSweepOptions *sweep, CsCheckpoint *checkpoint, CsState *state, GError **error)
{
    const CsCompareOptions *chosen = job->options;
    CsResumableOptions options = {
        .whole = rectangle,
        .skip = skip,
        .cells_before =
            job->strand == CS_STRAND_MINUS && chosen->strand == CS_STRAND_BOTH ? job->cells / 2 : 0,
        .sweep = sweep,
        .func = watch_job,
        .func_data = job,
        .checkpoint = checkpoint,
        .interval = checkpoint_interval(job),
        .threads = cs_threads_granted(),
        .device = sweep->engine->gpu ? job->phrase : NULL,
        .note = leave_note,
        .note_data = job,
    };
    gboolean done = cs_resumable_run(&options, state, error);
    tell_notes(job);
    return done;
}

/* Rounded down: 100.0 is all of them. */
static double
percent_done(const Comparison *job, gint64 cells)
{
    return job->cells > 0 ? (double)(gint64)(1000.0 * (double)cells / (double)job->cells) / 10
                          : 100.0;
}

/* Plus is complete: minus begins from an empty state that knows its best. */
static void
begin_minus(CsState *state)
{
    state->plus = state->staircase.best;
    state->under_way = CS_STRAND_MINUS;
    state->threshold = 0;
    state->skipped = FALSE;
    cs_state_clear(state);
    state->staircase = (CsStaircase){0};
}

/* What cannot work is refused before it begins; a state that cannot be saved does not end a run. */
static gboolean
check_needs(const Comparison *job, const CsRectangle *rectangle, const CsGrid *grid,
            const CsSweepOptions *sweep, const CsGridShape *wish, GError **error)
{
    g_autoptr(GError) failure = NULL;
    CsPlan needs;
    if (job->cells == 0)
        return TRUE;
    cs_needs_fill(&needs, rectangle, grid, sweep, wish, job->options->skip, job->options->strand,
                  job->options->checkpoint);
    if (!cs_needs_check_memory(&needs, error))
        return FALSE;
    g_autofree char *doubt = cs_needs_doubt(&needs);
    if (doubt != NULL)
        note(job, CS_NOTE_WARNING, "%s", doubt);
    if (!cs_needs_check_disk(&needs, &failure))
        note(job, CS_NOTE_WARNING, "%s", failure->message);
    return TRUE;
}

/* One strand from the state on. */
static gboolean
run_strand(Comparison *job, CsRectangle *rectangle, const CsSkip *skip, const CsGrid *grid,
           const CsGridShape *wish, CsSweepOptions *sweep, CsCheckpoint *checkpoint, CsState *state,
           GError **error)
{
    g_autoptr(CsGrid) pruned = NULL;
    state->work[job->strand].skip = skip->mode;
    state->work[job->strand].lower_bound = skip->mode != CS_SKIP_NONE ? skip->lower.score : 0;
    rectangle->pruned = cs_skip_wants_small_blocks(skip, sweep->engine->gpu);
    rectangle->share_left = skip->share_left;
    CsSweepOptions small = *sweep;
    if (rectangle->pruned && checkpoint == NULL) { /* in smaller blocks */
        small.shape = *wish;
        grid = pruned = cs_sweep_plan(rectangle, &small);
    }
    return (checkpoint != NULL ? run_with(job, rectangle, skip, sweep, checkpoint, state, error)
                               : run_without(job, rectangle, skip, grid, &small, state, error)) &&
           cs_skip_check_score(skip->lower.score, state->staircase.best.score, error);
}

/* All strands from the state on, in the grid of the first. */
static gboolean
run_strands(Comparison *job, const CsDeviceChoice *choice, CsSweepOptions *sweep,
            CsCheckpoint *checkpoint, CsState *state, GError **error)
{
    const CsGridShape wish = sweep->shape;
    const gboolean both = job->options->strand == CS_STRAND_BOTH;
    CsRectangle rectangle = make_rectangle(job, state->under_way);
    g_autoptr(CsGrid) grid = choose_engine(job, choice, &rectangle, sweep, error);
    if (grid == NULL || !check_needs(job, &rectangle, grid, sweep, &wish, error))
        return FALSE;
    if (checkpoint != NULL)
        sweep->shape = wish; /* each part is cut anew */
    gboolean complete = both && state->under_way == CS_STRAND_PLUS && state->cells > 0 &&
                        state->cells == job->cells / 2;
    g_auto(Skips) skips = {0};
    if (!find_skips(job, sweep, complete, state, &skips, error))
        return FALSE;
    for (;; complete = FALSE) {
        job->strand = state->under_way;
        job->plus = state->plus;
        rectangle = make_rectangle(job, job->strand);
        if (!complete && !run_strand(job, &rectangle, &skips.of[job->strand], grid, &wish, sweep,
                                     checkpoint, state, error))
            return FALSE;
        if (!both || job->strand == CS_STRAND_MINUS)
            return TRUE;
        begin_minus(state);
    }
}

/* Before a sweep that may be of the wrong strand, or of the wrong file. */
static void
look_first(const Comparison *job)
{
    if (job->options->note == NULL)
        return;
    CsSketch sketch;
    cs_sketch_init(&sketch, job->target, job->query);
    if (job->options->one_of_many && cs_sketch_judge(&sketch) == CS_SKETCH_UNRELATED)
        return;
    g_autofree char *warning =
        cs_sketch_warning(&sketch, job->target, job->query, job->options->strand);
    if (warning != NULL)
        note(job, CS_NOTE_WARNING, "%s", warning);
}

/* From where it goes on. */
static void
tell_beginning(const Comparison *job, const CsState *state, gboolean found)
{
    const CsCompareOptions *chosen = job->options;
    const char *directory = chosen->checkpoint;
    if (found && state->cells == job->cells)
        note(job, CS_NOTE_EVENT, "%s is complete: there is nothing left to compute", directory);
    else if (found)
        note(job, CS_NOTE_EVENT, "going on from %s, after %.1f%% of the cells", directory,
             percent_done(job, state->cells));
    else if (chosen->checkpoint_fresh)
        note(job, CS_NOTE_EVENT, "begun anew, beside what %s holds", directory);
    else
        note(job, CS_NOTE_EVENT, "begun with the first cell; states are saved in %s", directory);
}

/* From what the checkpoint holds, if there is one, to the last row. */
static gboolean
run(Comparison *job, const CsDeviceChoice *choice, CsSweepOptions *sweep, CsCheckpoint *checkpoint,
    CsState *state, GError **error)
{
    gboolean found = FALSE;
    if (checkpoint != NULL && !cs_checkpoint_load(checkpoint, state, &found, error))
        return FALSE;
    job->cells_resumed = state->cells;
    job->computed_resumed = state->cells_computed;
    job->seconds_resumed = state->seconds;
    if (checkpoint != NULL)
        tell_beginning(job, state, found);
    const gboolean complete = found && state->cells == job->cells;
    if (complete && !cs_skip_check_score(state->threshold, state->staircase.best.score, error))
        return FALSE;
    if (!complete)
        look_first(job);
    if (!found && job->options->strand == CS_STRAND_MINUS)
        state->under_way = CS_STRAND_MINUS;
    if (state->cells < job->cells)
        tell_progress_at(job, state, checkpoint != NULL ? checkpoint_interval(job) : -1);
    if (!complete && !run_strands(job, choice, sweep, checkpoint, state, error))
        return FALSE;
    tell_progress_at(job, state, -1);
    return TRUE;
}

static CsCheckpoint *
open_checkpoint(Comparison *job, GError **error)
{
    const CsCompareOptions *chosen = job->options;
    CsFingerprint identity = {.target = job->target,
                              .query = job->query,
                              .transposed = job->placement.transposed,
                              .scoring = chosen->scoring,
                              .memo = chosen->memo,
                              .strand = chosen->strand};
    /* It also warns while it saves, which is on a thread of its own. */
    return cs_checkpoint_open(chosen->checkpoint, &identity, chosen->checkpoint_fresh, leave_note,
                              job, error);
}

static gboolean
check_problem(Comparison *job, GError **error)
{
    const gint64 m = job->target->length, n = job->query->length;
    const CsStrand strand = job->options->strand;
    const gint64 sweeps = strand == CS_STRAND_BOTH ? 2 : 1;
    if (!cs_scoring_check(&job->options->scoring, m, n, error) ||
        !check_bits(job->options->bits, error))
        return FALSE;
    if (strand != CS_STRAND_PLUS && strand != CS_STRAND_MINUS && strand != CS_STRAND_BOTH) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "there is no strand %d", (int)strand);
        return FALSE;
    }
    if (m != 0 && n > G_MAXINT64 / sweeps / m) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "more cells than a 64-bit count holds");
        return FALSE;
    }
    job->cells = sweeps * m * n;
    return TRUE;
}

/* How a strand was swept. */
static void
add_work(CsCompareResult *result, CsStrand strand, const CsStrandWork *work)
{
    CsStrandResult *one = &result->strands[strand];
    if (!one->computed)
        return;
    one->skip = work->skip;
    one->lower_bound = work->lower_bound;
    one->cells_computed =
        work->cells_computed >= 0 ? work->cells_computed + work->cells_corridor : -1;
    one->seconds = work->seconds;
    result->stages.all += one->stages.all;
    result->stages.seeds += one->stages.seeds;
    result->stages.chain += one->stages.chain;
    result->stages.corridor += one->stages.corridor;
    result->stages.bounds += one->stages.bounds;
}

/* Of what the final state tells: for both strands it is that of minus. */
static CsCompareResult
make_result(const Comparison *job, const CsState *state)
{
    const CsBest *best = &state->staircase.best;
    const CsStrandWork *work = state->work;
    const gint64 corridors =
        work[CS_STRAND_PLUS].cells_corridor + work[CS_STRAND_MINUS].cells_corridor;
    CsCompareResult result = {
        .cells = job->cells,
        .cells_computed = state->cells_computed + corridors,
        .seconds = state->seconds,
        .engine = state->engine,
        .threads = state->threads,
        .device = state->device,
        .cells_resumed = job->cells_resumed,
        .strand = job->options->strand,
        .cells_corridor = corridors,
    };
    if (result.strand == CS_STRAND_BOTH) {
        result.strands[CS_STRAND_PLUS] = strand_result(job, CS_STRAND_PLUS, &state->plus);
        result.strand = cs_strand_better(&state->plus, best);
    }
    if (job->options->strand != CS_STRAND_PLUS)
        result.strands[CS_STRAND_MINUS] = strand_result(job, CS_STRAND_MINUS, best);
    else
        result.strands[CS_STRAND_PLUS] = strand_result(job, CS_STRAND_PLUS, best);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        add_work(&result, strand, &work[strand]);
    const CsStrandResult *chosen = &result.strands[result.strand];
    result.score = chosen->score;
    result.target_end = chosen->target_end;
    result.query_end = chosen->query_end;
    result.skip = chosen->skip;
    result.lower_bound = chosen->lower_bound;
    return result;
}

static Comparison
make_job(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options)
{
    static const CsCompareOptions defaults = CS_COMPARE_OPTIONS_INIT;
    return (Comparison){.target = target,
                        .query = query,
                        .placement = {.transposed = query->length > target->length,
                                      .target_offset = target->offset,
                                      .query_offset = query->offset,
                                      .query_length = query->length},
                        .options = options != NULL ? options : &defaults,
                        .caller = g_thread_self()};
}

/* What makes no sense is refused; what is left of the options is for an engine to judge. */
static gboolean
read_options(Comparison *job, CsDeviceChoice *choice, CsSweepOptions *sweep, GError **error)
{
    const CsCompareOptions *chosen = job->options;
    const gint64 m = MAX(job->target->length, job->query->length);
    const gint64 n = MIN(job->target->length, job->query->length);
    if (!check_problem(job, error) ||
        !cs_device_choice_init(choice, chosen->device, chosen->engine, error))
        return FALSE;
    *sweep = (CsSweepOptions){
        .engine_options = {.threads = chosen->threads > 0 ? chosen->threads : cs_threads_granted(),
                           .device = choice->device,
                           .bits = chosen->bits},
    };
    return wish_shape(chosen, m, n, &sweep->shape, error);
}

gboolean
cs_compare_prepare(const CsSequence *target, const CsSequence *query,
                   const CsCompareOptions *options, CsPrepared *prepared, GError **error)
{
    Comparison job = make_job(target, query, options);
    CsDeviceChoice choice;
    *prepared = (CsPrepared){.is_new = TRUE};
    if (!read_options(&job, &choice, &prepared->sweep, error))
        return FALSE;
    if (!job.options->one_of_many)
        look_first(&job);
    /* A pair's folder is made with the first run; until then there is nothing to try. */
    if (job.options->checkpoint != NULL &&
        !(job.options->one_of_many && !g_file_test(job.options->checkpoint, G_FILE_TEST_IS_DIR))) {
        g_autoptr(CsCheckpoint) checkpoint = open_checkpoint(&job, error);
        if (checkpoint == NULL)
            return FALSE;
        prepared->is_new = cs_checkpoint_is_new(checkpoint);
    }
    prepared->rectangle = make_rectangle(
        &job, job.options->strand == CS_STRAND_MINUS ? CS_STRAND_MINUS : CS_STRAND_PLUS);
    prepared->cells = job.cells;
    prepared->wish = prepared->sweep.shape;
    prepared->grid = choose_engine(&job, &choice, &prepared->rectangle, &prepared->sweep, error);
    prepared->phrase = job.phrase;
    return prepared->grid != NULL;
}

void
cs_prepared_clear(CsPrepared *prepared)
{
    g_clear_pointer(&prepared->grid, cs_grid_free);
}

gboolean
cs_compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
           CsCompareResult *result, GError **error)
{
    Comparison job = make_job(target, query, options);
    g_autoptr(GAsyncQueue) notes = g_async_queue_new_full(note_free);
    job.notes = notes;
    CsDeviceChoice choice;
    CsSweepOptions sweep;
    if (!read_options(&job, &choice, &sweep, error))
        return FALSE;
    g_autoptr(CsCheckpoint) checkpoint = NULL;
    if (job.options->checkpoint != NULL && (checkpoint = open_checkpoint(&job, error)) == NULL)
        return FALSE;
    g_auto(CsState) state = {0};
    if (!run(&job, &choice, &sweep, checkpoint, &state, error))
        return FALSE;
    *result = make_result(&job, &state);
    return TRUE;
}
