/* The main job: one sweep over the whole matrix of two sequences. */
#include <chromosweep/compare.h>
#include <chromosweep/engine.h>
#include <chromosweep/error.h>

#include "device.h"
#include "job.h"
#include "selftest.h"

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
    gboolean transposed;
    gint64 cells;
    gint64 cells_resumed;
    const CsCompareOptions *options;
    const char *phrase;   /* what the engine runs on */
    gboolean suspect;     /* its last test failed */
    double next_progress; /* seconds of the sweep */
    GThread *caller;      /* of cs_compare(): the one that notes are told on */
    GAsyncQueue *notes;   /* of other threads, until then */
} Comparison;

static gint64
target_of(const Comparison *job, const CsBest *best)
{
    return job->transposed ? best->j : best->i;
}

static gint64
query_of(const Comparison *job, const CsBest *best)
{
    return job->transposed ? best->i : best->j;
}

static gboolean
report_progress(Comparison *job, const CsSweepState *state)
{
    if (job->options->progress == NULL || state->seconds < job->next_progress)
        return TRUE;
    job->next_progress = state->seconds + PROGRESS_INTERVAL;
    CsProgress progress = {
        .cells_done = state->cells,
        .cells = job->cells,
        .seconds = state->seconds,
        .score = state->best.score,
        .target_end = target_of(job, &state->best),
        .query_end = query_of(job, &state->best),
    };
    return job->options->progress(&progress, job->options->progress_data);
}

/* A note that another thread left. */
typedef struct {
    gboolean warning;
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
leave_note(gboolean warning, const char *message, gpointer user_data)
{
    Comparison *job = user_data;
    if (job->options->note == NULL)
        return;
    if (g_thread_self() == job->caller) {
        job->options->note(warning, message, job->options->note_data);
        return;
    }
    Note *left = g_new(Note, 1);
    *left = (Note){warning, g_strdup(message)};
    g_async_queue_push(job->notes, left);
}

static void
tell_notes(Comparison *job)
{
    Note *left;
    while ((left = g_async_queue_try_pop(job->notes)) != NULL) {
        job->options->note(left->warning, left->message, job->options->note_data);
        note_free(left);
    }
}

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    Comparison *job = user_data;
    const CsCompareOptions *options = job->options;
    tell_notes(job);
    CsControl control =
        options->control != NULL ? options->control(options->control_data) : CS_CONTROL_GO_ON;
    if (!report_progress(job, state) || control == CS_CONTROL_STOP)
        return CS_SWEEP_STOP;
    return control == CS_CONTROL_SAVE ? CS_SWEEP_KEEP : CS_SWEEP_GO_ON;
}

static void note(const Comparison *job, gboolean warning, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void
note(const Comparison *job, gboolean warning, const char *format, ...)
{
    if (job->options->note == NULL)
        return;
    va_list values;
    va_start(values, format);
    g_autofree char *message = g_strdup_vprintf(format, values);
    va_end(values);
    job->options->note(warning, message, job->options->note_data);
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
    note(job, FALSE, "testing %s first, since this will take long", job->phrase);
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
        note(job, FALSE, "not on a GPU: %s", CS_ENGINE_NO_GPU_ENGINE);
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
        note(job, job->suspect, "not on %s: %s", sweep->engine->gpu ? "a GPU" : sweep->engine->name,
             failure->message);
        g_error_free(failure);
    }
}

/* The whole matrix in one go. */
static gboolean
run_without(Comparison *job, const CsRectangle *rectangle, const CsGrid *grid,
            CsSweepOptions *sweep, CsState *state, GError **error)
{
    CsSweepState swept;
    sweep->func = watch;
    sweep->func_data = job;
    if (!cs_sweep_run(rectangle, grid, sweep, &swept, error))
        return FALSE;
    *state = (CsState){
        .staircase.best = swept.best,
        .cells_computed = swept.cells_computed,
        .seconds = swept.seconds,
        .engine = sweep->engine->name,
        .device = sweep->engine->gpu ? job->phrase : NULL,
        .threads = swept.threads,
    };
    return TRUE;
}

/* What is left of it, from the state on. */
static gboolean
run_with(Comparison *job, const CsRectangle *rectangle, const CsSweepOptions *sweep,
         CsCheckpoint *checkpoint, CsState *state, GError **error)
{
    const CsCompareOptions *chosen = job->options;
    CsJobOptions options = {
        .whole = rectangle,
        .sweep = sweep,
        .func = watch,
        .func_data = job,
        .checkpoint = checkpoint,
        .interval =
            chosen->checkpoint_interval > 0 ? chosen->checkpoint_interval : CS_CHECKPOINT_INTERVAL,
        .threads = cs_threads_granted(),
        .device = sweep->engine->gpu ? job->phrase : NULL,
        .note = leave_note,
        .note_data = job,
    };
    gboolean done = cs_job_run(&options, state, error);
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

/* From what the checkpoint holds, if there is one, to the last row. */
static gboolean
run(Comparison *job, const CsDeviceChoice *choice, const CsRectangle *rectangle,
    CsSweepOptions *sweep, CsCheckpoint *checkpoint, CsState *state, GError **error)
{
    const CsGridShape wish = sweep->shape;
    gboolean found = FALSE;
    if (checkpoint != NULL && !cs_checkpoint_load(checkpoint, state, &found, error))
        return FALSE;
    job->cells_resumed = state->cells;
    if (found)
        note(job, FALSE, "going on after %.1f%% of the cells", percent_done(job, state->cells));
    if (found && state->cells == job->cells)
        return TRUE;
    g_autoptr(CsGrid) grid = choose_engine(job, choice, rectangle, sweep, error);
    if (grid == NULL)
        return FALSE;
    if (checkpoint == NULL)
        return run_without(job, rectangle, grid, sweep, state, error);
    sweep->shape = wish; /* each part is cut anew */
    return run_with(job, rectangle, sweep, checkpoint, state, error);
}

static CsCheckpoint *
open_checkpoint(Comparison *job, const CsSequence *target, const CsSequence *query, GError **error)
{
    const CsCompareOptions *chosen = job->options;
    CsIdentity identity = {.target = target,
                           .query = query,
                           .transposed = job->transposed,
                           .scoring = chosen->scoring,
                           .memo = chosen->memo};
    return cs_checkpoint_open(chosen->checkpoint, &identity, chosen->checkpoint_fresh, chosen->note,
                              chosen->note_data, error);
}

static gboolean
check_problem(Comparison *job, const CsSequence *target, const CsSequence *query, GError **error)
{
    if (!cs_scoring_check(&job->options->scoring, target->length, query->length, error) ||
        !check_bits(job->options->bits, error))
        return FALSE;
    if (target->length != 0 && query->length > G_MAXINT64 / target->length) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "more cells than a 64-bit count holds");
        return FALSE;
    }
    job->cells = target->length * query->length;
    return TRUE;
}

gboolean
cs_compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
           CsCompareResult *result, GError **error)
{
    static const CsCompareOptions defaults = CS_COMPARE_OPTIONS_INIT;
    Comparison job = {.transposed = query->length > target->length,
                      .options = options != NULL ? options : &defaults,
                      .next_progress = PROGRESS_INTERVAL,
                      .caller = g_thread_self()};
    g_autoptr(GAsyncQueue) notes = g_async_queue_new_full(note_free);
    job.notes = notes;
    const CsCompareOptions *chosen = job.options;
    CsDeviceChoice choice;
    if (!check_problem(&job, target, query, error) ||
        !cs_device_choice_init(&choice, chosen->device, chosen->engine, error))
        return FALSE;
    CsSweepOptions sweep = {
        .engine_options = {.threads = chosen->threads > 0 ? chosen->threads : cs_threads_granted(),
                           .device = choice.device,
                           .bits = chosen->bits},
    };
    CsRectangle rectangle = {
        .rows = cs_view_of(job.transposed ? query : target),
        .columns = cs_view_of(job.transposed ? target : query),
        .scoring = chosen->scoring,
        .kind = CS_KIND_LOCAL,
        .tie_order = job.transposed ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST,
    };
    if (!wish_shape(chosen, cs_rectangle_m(&rectangle), cs_rectangle_n(&rectangle), &sweep.shape,
                    error))
        return FALSE;
    g_autoptr(CsCheckpoint) checkpoint = NULL;
    if (chosen->checkpoint != NULL &&
        (checkpoint = open_checkpoint(&job, target, query, error)) == NULL)
        return FALSE;
    g_auto(CsState) state = {0};
    if (!run(&job, &choice, &rectangle, &sweep, checkpoint, &state, error))
        return FALSE;
    *result = (CsCompareResult){
        .score = state.staircase.best.score,
        .target_end = target_of(&job, &state.staircase.best),
        .query_end = query_of(&job, &state.staircase.best),
        .cells = job.cells,
        .cells_computed = state.cells_computed,
        .seconds = state.seconds,
        .engine = state.engine,
        .threads = state.threads,
        .device = state.device,
        .cells_resumed = job.cells_resumed,
    };
    return TRUE;
}
