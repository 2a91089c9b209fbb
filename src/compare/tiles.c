/*
 * The best score of each tile of the matrix, on both strands.
 *
 * A tile is a local sweep with borders of zero and shares nothing with its neighbours. So threads
 * take a few tiles of a row at a time, and call a CPU kernel themselves: starting the wavefront for
 * each would cost more than a tile of a few hundred bases. A tile larger than a block is cut into
 * blocks, which the same thread computes in order.
 *
 * Invariants:
 * 1. Only the thread that took a tile writes its scores.
 * 2. `next`, `cells_done` and `stop` are atomic.
 */
#include <stdatomic.h>
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>
#include <chromosweep/tiles.h>

#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "engines/engine_registry.h"
#include "sequence/view.h"
#include "sweep/bus.h"
#include "sweep/rectangle.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    WATCH_INTERVAL = 100000, /* microseconds between two looks at progress and control */
    STRANDS = 2,
    RUN = 16,            /* tiles of a row that a thread takes at a time */
    BLOCK_HEIGHT = 3072, /* at most: what stays in the nearest caches ... */
    BLOCK_WIDTH = 16384, /* ... and what 16 bits can hold if costs are low (simd_block.c) */
};

typedef struct {
    const CsSequence *target;
    const CsSequence *query;
    const CsTileOptions *options;
    CsTiles *tiles;
    const CsSimdKernel *const *kernels; /* NULL: the scalar one */
    CsWidth width;
    gint64 target_tile; /* bases of the largest tile there is */
    gint64 query_tile;
    gint64 runs_a_row;
    gint64 runs; /* of both strands */

    atomic_llong next; /* run to be taken */
    atomic_llong cells_done;
    atomic_bool stop;
} Job;

typedef struct {
    Job *job;
    CsThread *thread;
    gpointer memory;
    guint8 *rows, *columns; /* bases of the tile's rows and columns */
    CsBus *top, *left;
    void *scratch;
} Worker;

/* Computes a block and returns the highest H in it. */
static CsScore
compute_block(const Job *job, CsCpuBlock *block)
{
    if (job->kernels != NULL)
        return cs_simd_score(job->kernels, block);
    cs_scalar_compute(block);
    return block->best.score;
}

/* Computes the blocks of rows `above` + 1 ... of the tile, from left to right. */
static CsScore
score_block_row(Worker *worker, gint64 above, gint64 height, gint64 width)
{
    Job *job = worker->job;
    CsBus *top = worker->top, *left = worker->left;
    CsScore highest = 0, corner = 0;
    memset(left->h, 0, height * job->width);
    memset(left->gap, 0, height * job->width);
    for (gint64 j0 = 0; j0 < width && !job->stop; j0 += BLOCK_WIDTH) {
        CsCpuBlock block = {
            .rows = worker->rows + above,
            .columns = worker->columns + j0,
            .height = height,
            .width = MIN(BLOCK_WIDTH, width - j0),
            .scoring = &job->options->scoring,
            .score_width = job->width,
            .corner = corner,
            .top_h = cs_width_at(job->width, top->h, j0),
            .top_f = cs_width_at(job->width, top->gap, j0),
            .left_h = left->h,
            .left_e = left->gap,
            .scratch = worker->scratch,
        };
        corner = cs_width_get(job->width, top->h, j0 + block.width - 1);
        CsScore score = compute_block(job, &block);
        highest = MAX(highest, score);
        job->cells_done += block.height * block.width;
    }
    return highest;
}

/* Computes the tile whose bases the worker holds. */
static CsScore
score_tile(Worker *worker, gint64 height, gint64 width)
{
    CsScore highest = 0;
    memset(worker->top->h, 0, width * worker->job->width);
    memset(worker->top->gap, 0, width * worker->job->width);
    for (gint64 i0 = 0; i0 < height && !worker->job->stop; i0 += BLOCK_HEIGHT) {
        CsScore score = score_block_row(worker, i0, MIN(BLOCK_HEIGHT, height - i0), width);
        highest = MAX(highest, score);
    }
    return highest;
}

/* Bases from + 1 ... of a sequence, `most` of them or as many as there are; reverse-complemented
 * for the minus strand. */
static CsView
view_of_tile(const CsSequence *sequence, gint64 from, gint64 most, gboolean minus)
{
    CsView whole = cs_view_of(sequence);
    CsView view = cs_view_slice(&whole, from, MIN(most, sequence->length - from));
    view.reversed = view.complement = minus;
    return view;
}

static void
score_run(Worker *worker, gint64 run)
{
    Job *job = worker->job;
    CsTiles *tiles = job->tiles;
    const gint64 runs_a_strand = job->runs / STRANDS;
    const gboolean minus = run >= runs_a_strand;
    const gint64 row = run % runs_a_strand / job->runs_a_row;
    const gint64 first = run % job->runs_a_row * RUN;
    gint64 *scores = minus ? tiles->minus : tiles->plus;
    CsView rows = view_of_tile(job->target, row * job->target_tile, job->target_tile, FALSE);
    cs_view_read(&rows, CS_ROW_AMBIGUOUS, worker->rows);
    for (gint64 c = first; c < MIN(first + RUN, tiles->columns) && !job->stop; c++) {
        CsView columns = view_of_tile(job->query, c * job->query_tile, job->query_tile, minus);
        cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, worker->columns);
        scores[row * tiles->columns + c] = score_tile(worker, rows.length, columns.length);
    }
}

static void
worker_main(gpointer data)
{
    Worker *worker = data;
    Job *job = worker->job;
    for (gint64 run; !job->stop && (run = job->next++) < job->runs;)
        score_run(worker, run);
}

static gboolean
watch(const Job *job, gint64 start)
{
    const CsTileOptions *options = job->options;
    if (options->control != NULL && options->control(options->control_data) == CS_CONTROL_STOP)
        return FALSE;
    const double seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    const gint64 done = job->cells_done, all = job->tiles->cells;
    const CsProgress progress = {.cells_done = done,
                                 .cells = all,
                                 .seconds = seconds,
                                 .next_checkpoint = -1,
                                 .cells_computed = done,
                                 .fraction = (double)done / (double)all,
                                 .cells_expected = all,
                                 .seconds_left =
                                     done > 0 ? seconds * (double)(all - done) / (double)done : -1,
                                 .elapsed = seconds};
    return options->progress == NULL || options->progress(&progress, options->progress_data);
}

static void
worker_clear(Worker *worker)
{
    g_free(worker->memory);
    cs_bus_free(worker->top);
    cs_bus_free(worker->left);
}

static gboolean
worker_init(Worker *worker, Job *job, GError **error)
{
    const gint64 height = MIN(job->target_tile, BLOCK_HEIGHT);
    const gsize scratch = CS_CPU_SCRATCH(height, MIN(job->query_tile, BLOCK_WIDTH));
    *worker = (Worker){.job = job};
    worker->memory = cs_memory_try(1, scratch + 64 + (gsize)(job->target_tile + job->query_tile));
    if (worker->memory == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a tile");
        return FALSE;
    }
    worker->scratch = (gpointer)(((gsize)worker->memory + 63) & ~(gsize)63);
    worker->rows = (guint8 *)worker->scratch + scratch;
    worker->columns = worker->rows + job->target_tile;
    worker->top = cs_bus_new(job->query_tile, job->width, error);
    worker->left = worker->top != NULL ? cs_bus_new(height, job->width, error) : NULL;
    if (worker->left != NULL)
        return TRUE;
    worker_clear(worker);
    return FALSE;
}

static gboolean
start_worker(Worker *worker, GError **error)
{
    worker->thread = cs_thread_new("tiles", worker_main, worker, error);
    if (worker->thread == NULL)
        worker_clear(worker);
    return worker->thread != NULL;
}

/* Computes all runs of tiles, on as many of the threads as can be started. */
static gboolean
run(Job *job, guint threads, GError **error)
{
    g_autofree Worker *workers = g_new(Worker, threads);
    const gint64 start = g_get_monotonic_time();
    gboolean success = TRUE, wanted = TRUE;
    guint started = 0;
    while (started < threads && worker_init(&workers[started], job, started == 0 ? error : NULL) &&
           start_worker(&workers[started], started == 0 ? error : NULL))
        started++;
    success = started > 0;
    job->tiles->threads = started;
    job->stop = !success;
    for (guint k = 0; k < started; k++) {
        while (success && wanted && !cs_thread_wait(workers[k].thread, WATCH_INTERVAL)) {
            wanted = watch(job, start);
            job->stop = !wanted;
        }
        cs_thread_join(workers[k].thread);
        worker_clear(&workers[k]);
    }
    job->tiles->seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    if (!wanted)
        g_set_error(error, CS_ERROR, CS_ERROR_STOPPED,
                    "stopped after %lld of %" G_GINT64_FORMAT " cells", (long long)job->cells_done,
                    job->tiles->cells);
    return success && wanted;
}

/* Chooses the vector kernels if they are wanted, work here and can hold the scores. */
static gboolean
choose_kernels(Job *job, const char *engine, GError **error)
{
    gboolean any = engine == NULL || strcmp(engine, "auto") == 0, gpu = FALSE;
    const CsEngineClass *class = any ? &cs_simd_engine : cs_engine_lookup(engine, &gpu, error);
    if (class == NULL)
        return FALSE;
    if (gpu) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "tiles are computed on the CPU, where engine %s does not run", engine);
        return FALSE;
    }
    GError *failure = NULL;
    if (class == &cs_simd_engine)
        job->kernels = cs_simd_kernels(&failure);
    if (failure != NULL && !(any && g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE))) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    g_clear_error(&failure);
    if (job->width == CS_WIDTH_64)
        job->kernels = NULL;
    job->tiles->engine = job->kernels != NULL ? cs_simd_engine.name : cs_scalar_engine.name;
    return TRUE;
}

/* Checks the tiles, and computes their number and size. */
static gboolean
plan(Job *job, GError **error)
{
    const CsTileOptions *options = job->options;
    const gint64 m = job->target->length, n = job->query->length;
    if (options->target_tile < 1 || options->query_tile < 1) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE, "a tile must span at least 1 base");
        return FALSE;
    }
    if (m != 0 && n > G_MAXINT64 / m / STRANDS) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "the matrix has more cells than a 64-bit integer can count");
        return FALSE;
    }
    job->target_tile = MAX(1, MIN(options->target_tile, m));
    job->query_tile = MAX(1, MIN(options->query_tile, n));
    CsRectangle largest = {.rows.length = job->target_tile,
                           .columns.length = job->query_tile,
                           .scoring = options->scoring};
    if (!cs_rectangle_width(&largest, &job->width, error))
        return FALSE;
    CsTiles *tiles = job->tiles;
    tiles->target_tile = options->target_tile;
    tiles->query_tile = options->query_tile;
    tiles->rows = cs_divide_up(m, job->target_tile);
    tiles->columns = cs_divide_up(n, job->query_tile);
    tiles->cells = STRANDS * m * n;
    job->runs_a_row = cs_divide_up(tiles->columns, RUN);
    job->runs = STRANDS * tiles->rows * job->runs_a_row;
    return TRUE;
}

static gboolean
make_scores(CsTiles *tiles, GError **error)
{
    tiles->plus = cs_memory_try((gsize)tiles->rows, (gsize)tiles->columns * sizeof(gint64));
    tiles->minus = cs_memory_try((gsize)tiles->rows, (gsize)tiles->columns * sizeof(gint64));
    if ((tiles->plus != NULL && tiles->minus != NULL) || tiles->cells == 0)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory for %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " tiles",
                tiles->rows, tiles->columns);
    return FALSE;
}

CsTiles *
cs_tiles_new(const CsSequence *target, const CsSequence *query, const CsTileOptions *options,
             GError **error)
{
    static const CsTileOptions defaults = CS_TILE_OPTIONS_INIT;
    g_autoptr(CsTiles) tiles = g_new0(CsTiles, 1);
    Job job = {.target = target,
               .query = query,
               .options = options != NULL ? options : &defaults,
               .tiles = tiles};
    if (!plan(&job, error) || !choose_kernels(&job, job.options->engine, error) ||
        !make_scores(tiles, error))
        return NULL;
    gint64 threads = job.options->threads > 0 ? job.options->threads : cs_threads_granted();
    tiles->threads = (guint)MIN(threads, job.runs);
    if (tiles->threads > 0 && !run(&job, tiles->threads, error))
        return NULL;
    return g_steal_pointer(&tiles);
}

void
cs_tiles_free(CsTiles *tiles)
{
    if (tiles == NULL)
        return;
    g_free(tiles->plus);
    g_free(tiles->minus);
    g_free(tiles);
}
