/* The main job: one sweep over the whole matrix of two sequences. */
#include <chromosweep/compare.h>
#include <chromosweep/engine.h>
#include <chromosweep/error.h>

#include "device.h"
#include "selftest.h"
#include "sweep.h"

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
    const CsCompareOptions *options;
    const char *phrase; /* what the engine runs on */
    gboolean suspect;   /* its last test failed */
} Job;

static gint64
target_of(const Job *job, const CsBest *best)
{
    return job->transposed ? best->j : best->i;
}

static gint64
query_of(const Job *job, const CsBest *best)
{
    return job->transposed ? best->i : best->j;
}

static gboolean
report_progress(const CsSweepState *state, gpointer user_data)
{
    const Job *job = user_data;
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

static void note(const Job *job, gboolean warning, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void
note(const Job *job, gboolean warning, const char *format, ...)
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
test_if_long(Job *job, const CsSweepOptions *sweep, GError **error)
{
    if (!sweep->engine->gpu || (double)job->cells / GPU_CELLS_A_SECOND <= TEST_SECONDS)
        return TRUE;
    note(job, FALSE, "testing %s first, since this will take long", job->phrase);
    job->suspect = !cs_selftest_run(sweep->engine, &sweep->engine_options, error);
    return !job->suspect;
}

/* The first engine of the choice that works and takes the problem; its grid. */
static CsGrid *
choose_engine(Job *job, const CsDeviceChoice *choice, const CsRectangle *rectangle,
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

gboolean
cs_compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
           CsCompareResult *result, GError **error)
{
    static const CsCompareOptions defaults = CS_COMPARE_OPTIONS_INIT;
    Job job = {.transposed = query->length > target->length,
               .options = options != NULL ? options : &defaults};
    const CsCompareOptions *chosen = job.options;
    if (!cs_scoring_check(&chosen->scoring, target->length, query->length, error))
        return FALSE;
    if (!check_bits(chosen->bits, error))
        return FALSE;
    if (target->length != 0 && query->length > G_MAXINT64 / target->length) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "more cells than a 64-bit count holds");
        return FALSE;
    }
    job.cells = target->length * query->length;
    CsDeviceChoice choice;
    if (!cs_device_choice_init(&choice, chosen->device, chosen->engine, error))
        return FALSE;
    CsSweepOptions sweep = {
        .engine_options = {.threads = chosen->threads > 0 ? chosen->threads : cs_threads_granted(),
                           .device = choice.device,
                           .bits = chosen->bits},
        .func = chosen->progress != NULL ? report_progress : NULL,
        .func_data = &job,
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
    g_autoptr(CsGrid) grid = choose_engine(&job, &choice, &rectangle, &sweep, error);
    CsSweepState state;
    if (grid == NULL || !cs_sweep_run(&rectangle, grid, &sweep, &state, error))
        return FALSE;
    *result = (CsCompareResult){
        .score = state.best.score,
        .target_end = target_of(&job, &state.best),
        .query_end = query_of(&job, &state.best),
        .cells = job.cells,
        .cells_computed = state.cells_computed,
        .seconds = state.seconds,
        .engine = sweep.engine->name,
        .threads = state.threads,
        .device = sweep.engine->gpu ? job.phrase : NULL,
    };
    return TRUE;
}
