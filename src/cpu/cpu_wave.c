/*
 * The wave of blocks on CPU threads.
 *
 * Slot s of the grid's folding works through its blocks in order (grid.h), so the whole state of
 * the wave is: the horizontal bus, and for each slot its vertical bus (H and E of the R rows of its
 * block row), the corner and how many blocks it has done. No thread waits for a diagonal to end; a
 * block starts as soon as
 *   - its diagonal is submitted,
 *   - the slot's block before it is done (the left neighbour, or the end of the slot's last row),
 *   - the block above it is done.
 * Of the blocks that may start, a worker takes the uppermost, so that rows complete early. A worker
 * that finds none waits on a condition of its own until it is called: then a wake-up reaches one
 * thread, not all, and none that came to wait later can take it away (glibc's bug 25847).
 *
 * Invariants:
 * 1. Everything in CsRun after `mutex` is read and written with the mutex held, but for what
 * belongs to the worker that took a block: that block's slot, and its part of the buses.
 * next_corner belongs to the worker that begins a block row; block rows begin one after the other.
 * 2. A column of the horizontal bus is written by the blocks of that column only, each after the
 * one above it, so it needs no second buffer.
 * 3. A piece of a special row is copied before its block counts as done, since the block below then
 *    overwrites the bus.
 * 4. No worker idles while a block that may start lies there. Whoever lets blocks start, which is a
 *    submission or the end of a block, calls as many workers before the mutex is released; at the
 *    end of a block one fewer, since its own worker looks next. A worker idles only when it found
 *    none.
 * 5. Where the borders that enter a block are known to be zero without a look at them
 * (zero_columns, zero_left, corner), and its bounds or the live spans let it be skipped, it is
 * dead: its borders leave as they entered, so it is passed with the mutex held, at no cost but the
 * counting. A column of zero_columns is written as its part of the bus is (2); it is true only if
 * that part's H is zero.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "cpu/cpu_wave.h"
#include "sweep/pruning_rule.h"
#include "system/parallel.h"

enum {
    ALIGNMENT = 64,           /* bytes, of what kernels read as vectors */
    STACK_TOUCHED = 64 << 10, /* of a worker's stack, about */
};

/* A piece of a special row on its way to the row function. */
typedef struct {
    gint64 row;
    gint64 from;
    gint64 count;
    gboolean bounds; /* as CsRowFunc has it */
    CsScore *h;      /* count of them, then count of F */
} Piece;

typedef struct {
    gint64 done;        /* blocks that the slot has finished */
    gboolean busy;      /* its next block is in work */
    CsScore corner;     /* H above and left of its next block */
    gboolean zero_left; /* its vertical bus's H is zero */
    void *left_h;       /* block_height of them: the vertical bus */
    void *left_e;
} Slot;

/* A diagonal under way. */
typedef struct {
    gint64 blocks_left;
    CsCollected collected;
    GSList *pieces; /* in the order in which their blocks ended */
} Diagonal;

typedef struct _Worker Worker;
struct _Worker {
    CsRun *run;
    guint8 *columns;
    guint8 *rows;
    void *scratch;
    gpointer memory; /* what g_free() takes back */
    CsThread *thread;
    pthread_cond_t called; /* it is idle no more */
    gboolean idle;         /* with the run's mutex held, as next_idle */
    Worker *next_idle;
};

struct _CsRun {
    const CsRectangle *rectangle;
    const CsGrid *grid;
    CsCpuKernel kernel;
    CsWidth width;
    CsBus *bus;          /* the horizontal bus: the caller's bottom border or our own */
    CsBus *own_bus;      /* NULL when the caller's serves */
    CsScore next_corner; /* H of the left border above the next block row to begin */
    gboolean *
        zero_columns; /* of each block column, whether its bus's H is zero; NULL: none is skipped */
    gpointer slot_memory;
    Worker *workers;
    guint n_workers;
    guint n_threads; /* of the workers' threads, those that started */

    pthread_mutex_t mutex;
    Worker *idle;         /* the last to have become so comes first: its caches are warm */
    pthread_cond_t ended; /* a diagonal's last block has ended */
    gboolean closing;
    gint64 submitted; /* diagonals */
    gint64 collected;
    Slot *slots; /* grid->depth of them */
    Diagonal diagonals[CS_CPU_WAVE_QUEUE];
    CsBest best;      /* over all blocks done */
    gboolean skipped; /* one of them, or what entered was of a sweep that did */
};

static void
piece_free(gpointer data)
{
    Piece *piece = data;
    g_free(piece->h);
    g_free(piece);
}

/* Whether the slot's next block may start. */
static gboolean
slot_is_ready(const CsRun *run, gint64 s)
{
    const CsGrid *grid = run->grid;
    const Slot *slot = &run->slots[s];
    gint64 q = slot->done;
    if (slot->busy || q + s >= run->submitted || q >= cs_grid_slot_blocks(grid, s))
        return FALSE;
    if (s > 0)
        return run->slots[s - 1].done > q;
    return q < grid->block_columns || run->slots[grid->depth - 1].done > q - grid->block_columns;
}

/* The slot whose next block may start and lies uppermost, or -1. */
static gint64
find_ready_slot(const CsRun *run)
{
    gint64 found = -1, found_bi = 0;
    for (gint64 s = 0; s < run->grid->depth; s++) {
        gint64 bi, bj;
        cs_grid_slot_block(run->grid, s, run->slots[s].done, &bi, &bj);
        if ((found < 0 || bi < found_bi) && slot_is_ready(run, s)) {
            found = s;
            found_bi = bi;
        }
    }
    return found;
}

static CsScore
highest_border_h(const CsCpuBlock *block)
{
    CsScore highest = block->corner;
    for (gint64 k = 0; k < block->width; k++)
        highest = MAX(highest, cs_width_get(block->score_width, block->top_h, k));
    for (gint64 k = 0; k < block->height; k++)
        highest = MAX(highest, cs_width_get(block->score_width, block->left_h, k));
    return highest;
}

static gboolean
is_live(const CsRun *run, gint64 bi, gint64 bj)
{
    const CsSpan *live = run->rectangle->live;
    return live == NULL || (bj >= live[bi].from && bj < live[bi].to);
}

/* The bound of a block's cells; the table is asked only where it may make the difference. */
static CsScore
bound_of(const CsRun *run, gint64 bi, gint64 bj, CsScore enough)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsGrid *grid = run->grid;
    const CsScore bound = MIN(rectangle->row_bounds[bi], rectangle->column_bounds[bj]);
    if (bound < enough)
        return bound;
    const gint64 above = rectangle->above, left_of = rectangle->left_of;
    const CsScore both = cs_bounds_table_highest(
        rectangle->bounds_table, above + grid->row_starts[bi], above + grid->row_starts[bi + 1],
        left_of + cs_grid_column_start(grid, bj), left_of + cs_grid_column_start(grid, bj + 1));
    return MIN(bound, both);
}

/* Whether pruning.h lets a block be skipped into which no more than highest H enters. */
static gboolean
may_skip(const CsRun *run, gint64 bi, gint64 bj, CsScore highest, const CsBest *best)
{
    const CsRectangle *rectangle = run->rectangle;
    if (rectangle->row_bounds == NULL || rectangle->column_bounds == NULL)
        return FALSE;
    const CsScore threshold = MAX(rectangle->threshold, best->score);
    const CsScore enough = threshold - highest - rectangle->scoring.gap_open;
    return cs_pruning_skips(&rectangle->scoring, highest, bound_of(run, bi, bj, enough), threshold);
}

/* Whether the block is skipped; its borders then leave as zero. */
static gboolean
skip_block(const CsRun *run, CsCpuBlock *block, gint64 bi, gint64 bj)
{
    if (run->zero_columns == NULL)
        return FALSE;
    if (is_live(run, bi, bj) && (!may_skip(run, bi, bj, 0, &block->best) ||
                                 !may_skip(run, bi, bj, highest_border_h(block), &block->best)))
        return FALSE;
    memset(block->top_h, 0, block->width * block->score_width);
    memset(block->top_f, 0, block->width * block->score_width);
    memset(block->left_h, 0, block->height * block->score_width);
    memset(block->left_e, 0, block->height * block->score_width);
    return TRUE;
}

/* Whether the slot's next block is dead (5). At the rectangle's own borders there is more to do. */
static gboolean
slot_is_dead(const CsRun *run, gint64 s)
{
    const CsGrid *grid = run->grid;
    const Slot *slot = &run->slots[s];
    gint64 bi, bj;
    if (run->zero_columns == NULL || !slot->zero_left || slot->corner != 0)
        return FALSE;
    cs_grid_slot_block(grid, s, slot->done, &bi, &bj);
    return bj > 0 && bj + 1 < grid->block_columns && run->zero_columns[bj] &&
           (!is_live(run, bi, bj) || may_skip(run, bi, bj, 0, &run->best)) &&
           !cs_rectangle_is_special(run->rectangle, grid->row_starts[bi + 1]);
}

/*
 * The left border of the rectangle for the rows of a slot's new block row. Block rows begin in
 * order, and each fetches the next one's corner: by then the right border may stand where it was.
 */
static void
enter_left_border(CsRun *run, Slot *slot, gint64 i0, gint64 height)
{
    slot->corner = run->next_corner;
    run->next_corner = cs_rectangle_left_h(run->rectangle, i0 + height);
    for (gint64 k = 0; k < height; k++) {
        cs_width_set(run->width, slot->left_h, k, cs_rectangle_left_h(run->rectangle, i0 + k + 1));
        cs_width_set(run->width, slot->left_e, k, cs_rectangle_left_e(run->rectangle, i0 + k + 1));
    }
}

static void
leave_right_border(const CsRun *run, const Slot *slot, gint64 i0, gint64 height)
{
    CsBus *right = run->rectangle->right;
    for (gint64 k = 0; right != NULL && k < height; k++) {
        cs_width_set(right->width, right->h, i0 + k, cs_width_get(run->width, slot->left_h, k));
        cs_width_set(right->width, right->gap, i0 + k, cs_width_get(run->width, slot->left_e, k));
    }
}

static Piece *
copy_piece(const CsRun *run, gint64 row, gint64 from, gint64 count)
{
    Piece *piece = g_new(Piece, 1);
    *piece = (Piece){.row = row, .from = from, .count = count, .h = g_new(CsScore, 2 * count)};
    for (gint64 k = 0; k < count; k++) {
        piece->h[k] = cs_width_get(run->width, run->bus->h, from + k);
        piece->h[count + k] = cs_width_get(run->width, run->bus->gap, from + k);
    }
    return piece;
}

/* Computes the next block of a slot, whose busy flag is ours, unless *skipped leaves TRUE. Returns
 * its piece, if any. */
static Piece *
work_on(Worker *worker, gint64 s, CsCpuBlock *block, gboolean *skipped)
{
    CsRun *run = worker->run;
    const CsRectangle *rectangle = run->rectangle;
    const CsGrid *grid = run->grid;
    Slot *slot = &run->slots[s];
    gint64 bi, bj;
    cs_grid_slot_block(grid, s, slot->done, &bi, &bj);
    gint64 i0 = grid->row_starts[bi], i1 = grid->row_starts[bi + 1];
    gint64 j0 = cs_grid_column_start(grid, bj), j1 = cs_grid_column_start(grid, bj + 1);
    if (bj == 0)
        enter_left_border(run, slot, i0, i1 - i0);
    CsView rows = cs_view_slice(&rectangle->rows, i0, i1 - i0);
    CsView columns = cs_view_slice(&rectangle->columns, j0, j1 - j0);
    CsBest best = block->best;
    *block = (CsCpuBlock){
        .rows = worker->rows,
        .columns = worker->columns,
        .height = i1 - i0,
        .width = j1 - j0,
        .i0 = i0,
        .j0 = j0,
        .scoring = &rectangle->scoring,
        .kind = rectangle->kind,
        .tie_order = rectangle->tie_order,
        .score_width = run->width,
        .corner = slot->corner,
        .top_h = cs_width_at(run->width, run->bus->h, j0),
        .top_f = cs_width_at(run->width, run->bus->gap, j0),
        .left_h = slot->left_h,
        .left_e = slot->left_e,
        .scratch = worker->scratch,
        .best = best,
    };
    slot->corner = cs_width_get(run->width, run->bus->h, j1 - 1);
    *skipped = skip_block(run, block, bi, bj);
    slot->zero_left = *skipped;
    if (run->zero_columns != NULL)
        run->zero_columns[bj] = *skipped;
    if (!*skipped) {
        cs_view_read(&rows, CS_ROW_AMBIGUOUS, worker->rows);
        cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, worker->columns);
        run->kernel(block);
    }
    if (j1 == grid->n)
        leave_right_border(run, slot, i0, i1 - i0);
    return cs_rectangle_is_special(rectangle, i1) ? copy_piece(run, i1, j0, j1 - j0) : NULL;
}

/* Calls so many workers, or as many as are idle. */
static void
call_workers(CsRun *run, guint count)
{
    for (; count > 0 && run->idle != NULL; count--) {
        Worker *worker = run->idle;
        run->idle = worker->next_idle;
        worker->idle = FALSE;
        pthread_cond_signal(&worker->called);
    }
}

static void
wait_for_call(Worker *worker)
{
    CsRun *run = worker->run;
    worker->idle = TRUE;
    worker->next_idle = run->idle;
    run->idle = worker;
    while (worker->idle)
        pthread_cond_wait(&worker->called, &run->mutex);
}

/* The blocks that the end of a slot's block may have let start: its next and the one below it. */
static guint
count_let_start(const CsRun *run, gint64 s)
{
    gint64 below = s + 1 < run->grid->depth ? s + 1 : 0;
    return (guint)slot_is_ready(run, s) + (below != s && slot_is_ready(run, below));
}

/* One block less of a diagonal. */
static void
end_block(CsRun *run, gint64 s, gint64 cells, gint64 cells_computed)
{
    Diagonal *diagonal = &run->diagonals[(run->slots[s].done + s) % CS_CPU_WAVE_QUEUE];
    diagonal->collected.cells += cells;
    diagonal->collected.cells_computed += cells_computed;
    if (--diagonal->blocks_left == 0)
        pthread_cond_signal(&run->ended);
    run->slots[s].done++;
}

/* Passes the dead blocks that are a slot's next; whether there was one. */
static gboolean
pass_dead_blocks(CsRun *run, gint64 s)
{
    const CsGrid *grid = run->grid;
    gboolean passed = FALSE;
    for (; slot_is_ready(run, s) && slot_is_dead(run, s); passed = TRUE) {
        gint64 bi, bj;
        cs_grid_slot_block(grid, s, run->slots[s].done, &bi, &bj);
        end_block(run, s,
                  (grid->row_starts[bi + 1] - grid->row_starts[bi]) *
                      (cs_grid_column_start(grid, bj + 1) - cs_grid_column_start(grid, bj)),
                  0);
    }
    run->skipped = run->skipped || passed;
    return passed;
}

/* What a worker's thread does until the run closes. */
static void
worker_main(gpointer data)
{
    Worker *worker = data;
    CsRun *run = worker->run;
    pthread_mutex_lock(&run->mutex);
    while (!run->closing) {
        gint64 s = find_ready_slot(run);
        if (s < 0) {
            wait_for_call(worker);
            continue;
        }
        if (!pass_dead_blocks(run, s)) {
            Slot *slot = &run->slots[s];
            slot->busy = TRUE;
            CsCpuBlock block = {.best = run->best};
            pthread_mutex_unlock(&run->mutex);
            gboolean skipped;
            Piece *piece = work_on(worker, s, &block, &skipped);
            pthread_mutex_lock(&run->mutex);
            Diagonal *diagonal = &run->diagonals[(slot->done + s) % CS_CPU_WAVE_QUEUE];
            run->skipped = run->skipped || skipped;
            if (piece != NULL) {
                piece->bounds = run->skipped; /* all that it comes of is done */
                diagonal->pieces = g_slist_append(diagonal->pieces, piece);
            }
            cs_best_merge(&run->best, run->rectangle->tie_order, &block.best);
            slot->busy = FALSE;
            end_block(run, s, block.height * block.width, block.cells_computed);
        }
        /* One of them is for this worker, which looks next. */
        guint ready = count_let_start(run, s);
        call_workers(run, ready > 0 ? ready - 1 : 0);
    }
    pthread_mutex_unlock(&run->mutex);
}

/* Memory that kernels read as vectors. */
static gpointer
allocate_aligned(gsize bytes, gpointer *memory, GError **error)
{
    *memory = g_try_malloc0(bytes + ALIGNMENT);
    if (*memory == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "too little memory for %" G_GSIZE_FORMAT " bytes of block state", bytes);
        return NULL;
    }
    return (gpointer)(((gsize)*memory + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1));
}

static gboolean
make_slots(CsRun *run, GError **error)
{
    gsize height = run->grid->block_height, bytes = height * run->width;
    bytes = (bytes + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1);
    char *memory = allocate_aligned(2 * bytes * run->grid->depth, &run->slot_memory, error);
    if (memory == NULL)
        return FALSE;
    run->slots = g_new0(Slot, run->grid->depth);
    for (gint64 s = 0; s < run->grid->depth; s++) {
        run->slots[s].left_h = memory + 2 * bytes * s;
        run->slots[s].left_e = memory + 2 * bytes * s + bytes;
    }
    return TRUE;
}

static gboolean
make_workers(CsRun *run, guint threads, GError **error)
{
    gsize height = run->grid->block_height, width = run->grid->block_width;
    gsize scratch = CS_CPU_SCRATCH(height, width);
    run->workers = g_new0(Worker, threads);
    for (guint k = 0; k < threads; k++) {
        Worker *worker = &run->workers[k];
        worker->run = run;
        pthread_cond_init(&worker->called, NULL);
        run->n_workers++;
        worker->scratch = allocate_aligned(scratch + height + width, &worker->memory, error);
        if (worker->scratch == NULL)
            return FALSE;
        worker->rows = (guint8 *)worker->scratch + scratch;
        worker->columns = worker->rows + height;
    }
    return TRUE;
}

/* Those that start before one fails are ended by cs_cpu_wave_free(). */
static gboolean
start_threads(CsRun *run, GError **error)
{
    for (; run->n_threads < run->n_workers; run->n_threads++) {
        Worker *worker = &run->workers[run->n_threads];
        worker->thread = cs_thread_new("wave", worker_main, worker, NULL);
        if (worker->thread == NULL) {
            g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "cannot start %u threads: %s",
                        run->n_workers, g_strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

static void
end_threads(CsRun *run)
{
    pthread_mutex_lock(&run->mutex);
    run->closing = TRUE;
    call_workers(run, run->n_threads);
    pthread_mutex_unlock(&run->mutex);
    for (guint k = 0; k < run->n_threads; k++)
        cs_thread_join(run->workers[k].thread);
}

/* The caller's bottom border is the horizontal bus where its width fits, else one of our own. */
static gboolean
make_bus(CsRun *run, GError **error)
{
    CsBus *bottom = run->rectangle->bottom;
    if (bottom == NULL || bottom->width != run->width) {
        run->own_bus = cs_bus_new(cs_rectangle_n(run->rectangle), run->width, error);
        if (run->own_bus == NULL)
            return FALSE;
    }
    run->bus = run->own_bus != NULL ? run->own_bus : bottom;
    cs_rectangle_read_top(run->rectangle, run->bus);
    return TRUE;
}

/* The narrowest width that holds the rectangle's scores, or the one asked for if it does. */
static gboolean
choose_width(const CsRectangle *rectangle, guint bits, CsWidth *width, GError **error)
{
    CsWidth narrowest;
    if (!cs_rectangle_width(rectangle, &narrowest, error))
        return FALSE;
    if (bits != 0 && bits != 64 && (bits != 32 || narrowest != CS_WIDTH_32)) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "scores of %u bits are not to be had here on the CPU", bits);
        return FALSE;
    }
    *width = bits == 64 ? CS_WIDTH_64 : narrowest;
    return TRUE;
}

gboolean
cs_cpu_wave_accepts(const CsRectangle *rectangle, const CsGridShape *shape,
                    const CsEngineOptions *options, GError **error)
{
    CsWidth width;
    return choose_width(rectangle, options->bits, &width, error);
}

/* What begin() allocates, and what its threads touch of their stacks. */
void
cs_cpu_wave_needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                  const CsEngineOptions *options, CsEngineNeeds *needs)
{
    CsWidth width = CS_WIDTH_64;
    (void)choose_width(rectangle, options->bits, &width, NULL);
    const gint64 rows = grid->block_height, columns = grid->block_width;
    const gint64 slot = 2 * (rows * (gint64)width + ALIGNMENT) + (gint64)sizeof(Slot);
    const gint64 worker = (gint64)CS_CPU_SCRATCH(rows, columns) + rows + columns + ALIGNMENT +
                          (gint64)sizeof(Worker) + STACK_TOUCHED;
    const CsBus *bottom = rectangle->bottom;
    *needs = (CsEngineNeeds){
        .buses = bottom == NULL || bottom->width != width ? 2 * (gint64)width * grid->n : 0,
        .other = grid->depth * slot + MIN(options->threads, grid->depth) * worker,
        .bits = 8 * (guint)width,
    };
}

CsRun *
cs_cpu_wave_begin(CsCpuKernel kernel_32, CsCpuKernel kernel_64, const CsRectangle *rectangle,
                  const CsGrid *grid, const CsEngineOptions *options, GError **error)
{
    g_assert(options->threads >= 1);
    g_assert(rectangle->n_special_rows == 0 || rectangle->row_func != NULL);
    CsWidth width;
    if (!choose_width(rectangle, options->bits, &width, error))
        return NULL;
    CsRun *run = g_new0(CsRun, 1);
    run->rectangle = rectangle;
    run->grid = grid;
    run->next_corner = rectangle->corner;
    run->kernel = width == CS_WIDTH_32 ? kernel_32 : kernel_64;
    run->width = width;
    run->skipped = rectangle->skipped;
    if (cs_rectangle_may_skip(rectangle)) {
        run->zero_columns = g_new(gboolean, grid->block_columns);
        for (gint64 bj = 0; bj < grid->block_columns; bj++)
            run->zero_columns[bj] = rectangle->top == NULL;
    }
    pthread_mutex_init(&run->mutex, NULL);
    pthread_cond_init(&run->ended, NULL);
    if (!make_bus(run, error) || !make_slots(run, error) ||
        !make_workers(run, options->threads, error) || !start_threads(run, error)) {
        cs_cpu_wave_free(run);
        return NULL;
    }
    return run;
}

gboolean
cs_cpu_wave_submit(CsRun *run, gint64 d, GError **error)
{
    pthread_mutex_lock(&run->mutex);
    g_assert(d == run->submitted && d - run->collected < CS_CPU_WAVE_QUEUE);
    Diagonal *diagonal = &run->diagonals[d % CS_CPU_WAVE_QUEUE];
    *diagonal = (Diagonal){0};
    run->submitted++;
    guint ready = 0;
    for (gint64 s = 0; s < run->grid->depth; s++) {
        diagonal->blocks_left += d >= s && d - s < cs_grid_slot_blocks(run->grid, s);
        ready += run->slots[s].done == d - s && slot_is_ready(run, s);
    }
    call_workers(run, ready);
    pthread_mutex_unlock(&run->mutex);
    return TRUE;
}

static gboolean
hand_out_pieces(const CsRectangle *rectangle, const GSList *pieces, GError **error)
{
    for (const GSList *link = pieces; link != NULL; link = link->next) {
        const Piece *piece = link->data;
        if (!rectangle->row_func(piece->row, piece->from, piece->count, piece->h,
                                 piece->h + piece->count, piece->bounds, rectangle->row_data,
                                 error))
            return FALSE;
    }
    return TRUE;
}

gboolean
cs_cpu_wave_collect(CsRun *run, CsCollected *collected, GError **error)
{
    pthread_mutex_lock(&run->mutex);
    g_assert(run->collected < run->submitted);
    Diagonal *diagonal = &run->diagonals[run->collected % CS_CPU_WAVE_QUEUE];
    while (diagonal->blocks_left > 0)
        pthread_cond_wait(&run->ended, &run->mutex);
    run->collected++;
    *collected = diagonal->collected;
    collected->best = run->best;
    collected->skipped = run->skipped;
    GSList *pieces = g_steal_pointer(&diagonal->pieces);
    pthread_mutex_unlock(&run->mutex);
    gboolean success = hand_out_pieces(run->rectangle, pieces, error);
    g_slist_free_full(pieces, piece_free);
    return success;
}

/* The state of a slot amid a block row, as a step of the staircase. */
static gboolean
copy_step(const CsRun *run, gint64 s, CsStep *step, GError **error)
{
    const CsGrid *grid = run->grid;
    const Slot *slot = &run->slots[s];
    gint64 bi, bj;
    cs_grid_slot_block(grid, s, slot->done, &bi, &bj);
    *step = (CsStep){
        .row = grid->row_starts[bi],
        .height = grid->row_starts[bi + 1] - grid->row_starts[bi],
        .column = cs_grid_column_start(grid, bj),
        .corner = slot->corner,
    };
    step->riser = cs_bus_new(step->height, run->width, error);
    if (step->riser == NULL)
        return FALSE;
    memcpy(step->riser->h, slot->left_h, (gsize)step->height * run->width);
    memcpy(step->riser->gap, slot->left_e, (gsize)step->height * run->width);
    return TRUE;
}

gboolean
cs_cpu_wave_staircase(CsRun *run, CsStaircase *staircase, GError **error)
{
    const CsGrid *grid = run->grid;
    g_auto(CsStaircase) copy = {.horizontal = g_steal_pointer(&staircase->horizontal),
                                .steps = g_array_new(FALSE, FALSE, sizeof(CsStep))};
    if (!cs_staircase_need_horizontal(&copy, grid->n, run->width, error))
        return FALSE;
    /* Nothing is in work when all that was submitted is collected. */
    pthread_mutex_lock(&run->mutex);
    g_assert(run->collected == run->submitted);
    copy.best = run->best;
    pthread_mutex_unlock(&run->mutex);
    cs_bus_copy(copy.horizontal, 0, run->bus, 0, grid->n);
    gint64 begun = 0; /* block rows */
    for (gint64 s = 0; s < grid->depth; s++) {
        gint64 done = run->slots[s].done, rows = done / grid->block_columns;
        gboolean amid = done % grid->block_columns != 0;
        if (rows + amid > 0)
            begun = MAX(begun, (rows + amid - 1) * grid->depth + s + 1);
        CsStep step;
        if (!amid)
            continue;
        if (!copy_step(run, s, &step, error))
            return FALSE;
        g_array_append_val(copy.steps, step);
    }
    cs_staircase_sort(&copy);
    copy.row = grid->row_starts[begun];
    copy.corner = run->next_corner;
    *staircase = copy;
    copy = (CsStaircase){0};
    return TRUE;
}

gboolean
cs_cpu_wave_finish(CsRun *run, GError **error)
{
    CsBus *bottom = run->rectangle->bottom;
    if (bottom != NULL && bottom != run->bus)
        cs_bus_copy(bottom, 0, run->bus, 0, cs_rectangle_n(run->rectangle));
    return TRUE;
}

void
cs_cpu_wave_free(CsRun *run)
{
    end_threads(run);
    for (guint k = 0; k < CS_CPU_WAVE_QUEUE; k++)
        g_slist_free_full(run->diagonals[k].pieces, piece_free);
    for (guint k = 0; k < run->n_workers; k++) {
        pthread_cond_destroy(&run->workers[k].called);
        g_free(run->workers[k].memory);
    }
    g_free(run->workers);
    g_free(run->slots);
    g_free(run->zero_columns);
    g_free(run->slot_memory);
    cs_bus_free(run->own_bus);
    pthread_cond_destroy(&run->ended);
    pthread_mutex_destroy(&run->mutex);
    g_free(run);
}

/* Below this a block costs more to hand over than to compute; above, what is in work at once no
 * longer stays in the nearer caches. */
#define SMALLEST_BLOCK 256
#define WIDEST_BLOCK 16384
#define TALLEST_BLOCK 1536
/* Whole strips, and as many as a vector engine has under way at once (simd_kernel.c), of any
 * target; those of tilted lanes divide the latter only. */
#define STRIP_HEIGHT 256
#define STRIPS_HEIGHT (3 * STRIP_HEIGHT)

/*
 * Cells of a thread's share of a diagonal, at most, also where another shape is wished for: a stop
 * waits for the diagonals under way, and the slowest kernel does so many in about a second.
 */
#define SHARE_CELLS ((gint64)1 << 28)

/* H falls along a border by at most what a gap's next letter costs: so far that 16 bits still hold
 * what a block of this width has (simd_block.c). */
static gint64
widest_block(const CsScoring *scoring)
{
    return CLAMP(40960 / MAX(scoring->gap_extend, 1), SMALLEST_BLOCK, WIDEST_BLOCK);
}

/* Makes blocks lower, and narrower where that is not enough; what a block has of the matrix counts.
 */
static void
limit_block(gint64 m, gint64 n, guint threads, CsGridShape *shape)
{
    gint64 at_once = MIN(threads, cs_threads_granted());
    gint64 most = SHARE_CELLS * at_once / CLAMP(MIN(shape->depth, n), at_once, SHARE_CELLS);
    if (MIN(shape->block_width, n) > most)
        shape->block_width = most;
    gint64 width = CLAMP(n, 1, shape->block_width), tallest = most / width;
    if (MIN(shape->block_height, m) > tallest)
        shape->block_height = tallest;
}

/*
 * Blocks to skip: what remains is a band, whose width in blocks is what they cost. Wide ones are
 * the faster ones, though, and each costs a little also when it is skipped. A cell takes about
 * 1 + 700 / width as long as in a wide block, and the band grows with the width by a few widths a
 * row: where a larger share remains beside it, both together are least at about the root of share *
 * columns * LOST_COLUMNS.
 */
#define PRUNED_COLUMNS 1000
#define PRUNED_DEPTH 16
#define LOST_COLUMNS 100.0

/* Along a border H rises by up to a match and a gap's next letter: in the tilted lanes
 * (simd_block.c) that a band is mostly computed in by yet another one. Where they hold less than
 * half of the widest they are forgone. */
static gint64
widest_pruned(const CsScoring *scoring)
{
    const gint64 widest = widest_block(scoring);
    const gint64 tilted = G_MAXUINT16 / (scoring->match + 2 * scoring->gap_extend) - TALLEST_BLOCK;
    return tilted < widest / 2 ? widest : MIN(tilted, widest);
}

static gint64
width_pruned(const CsRectangle *rectangle)
{
    const gint64 n = cs_rectangle_n(rectangle), widest = widest_pruned(&rectangle->scoring);
    const double square = rectangle->share_left * (double)n * LOST_COLUMNS;
    gint64 width = CLAMP(n / PRUNED_COLUMNS, SMALLEST_BLOCK, widest / 2);
    while (width < widest && (double)width * (double)width < square)
        width += SMALLEST_BLOCK;
    return MIN(width, widest);
}

static void
shape_pruned(const CsRectangle *rectangle, guint threads, CsGridShape *shape)
{
    const gint64 m = cs_rectangle_m(rectangle), width = width_pruned(rectangle);
    if (shape->block_width == 0)
        shape->block_width = width;
    if (shape->block_height == 0)
        shape->block_height = CLAMP(MAX(m / PRUNED_COLUMNS, width / 4) / STRIPS_HEIGHT, 1,
                                    TALLEST_BLOCK / STRIPS_HEIGHT) *
                              STRIPS_HEIGHT;
    if (shape->depth == 0)
        shape->depth = MAX(PRUNED_DEPTH, 2 * (gint64)threads);
}

void
cs_cpu_wave_shape(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    /* Twice as many slots as threads, and twice as many columns as slots: then nobody waits long.
     */
    gint64 depth = 2 * (gint64)options->threads;
    if (rectangle->pruned)
        shape_pruned(rectangle, options->threads, shape);
    if (shape->block_width == 0)
        shape->block_width = CLAMP(cs_rectangle_n(rectangle) / (2 * depth), SMALLEST_BLOCK,
                                   widest_block(&rectangle->scoring));
    if (shape->block_height == 0) {
        gint64 height = CLAMP(cs_rectangle_m(rectangle) / depth, SMALLEST_BLOCK, TALLEST_BLOCK);
        shape->block_height =
            height - height % (height < STRIPS_HEIGHT ? STRIP_HEIGHT : STRIPS_HEIGHT);
    }
    if (shape->depth == 0)
        shape->depth = depth;
    limit_block(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), options->threads, shape);
}
