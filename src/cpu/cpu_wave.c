/*
 * The wave of blocks on CPU threads.
 *
 * Slot s of the grid computes its blocks in order (grid.h). So the whole state of the wave is the
 * horizontal bus and, for each slot, its vertical bus (H and E of the R rows of its block row), the
 * corner, and how many blocks it has done. No thread waits for a diagonal to end. A block starts as
 * soon as
 *
 *    - its diagonal is submitted,
 *    - the slot's block before it is done (the left neighbour, or the end of the slot's last row),
 *    - the block above it is done.
 *
 * A worker takes the uppermost block that may start, so that rows complete early. A worker that
 * finds none waits on its own condition until it is called. So a wake-up reaches one thread, not
 * all, and no thread that began to wait later can take it away (glibc's bug 25847). If
 * fewer threads can be started than were asked for, those compute; if none can, or if the caller
 * wants none, collect() does.
 *
 * Invariants:
 *
 * 1. Everything in CsRun after `mutex` is read and written with the mutex held, except what belongs
 *    to the worker that took a block: that block's slot and its part of the buses. next_corner
 *    belongs to the worker that begins a block row; block rows begin one after the other.
 * 2. A column of the horizontal bus is written only by the blocks of that column, each after the
 *    one above it. So it needs no second buffer.
 * 3. A piece of a special row is copied before its block counts as done, because the block below
 *    then overwrites the bus.
 * 4. No worker is idle while a block may start. A submission or the end of a block may let blocks
 *    start; it calls as many workers before it releases the mutex. The end of a block calls one
 *    fewer, because its own worker looks next. A worker becomes idle only if it finds no block.
 * 5. A block is skipped unseen (slot_skips_unseen) if the borders that enter it are known to be zero
 *    (zero_columns, zero_left, corner) and its bounds or the spans allow it. Its borders leave as
 *    they entered, so it is only counted, with the mutex held. An entry of zero_columns is written
 *    together with its part of the bus (2), and is true only if that part's H is zero.
 *    What feed() writes takes the place of such a block's border.
 * 6. A skipped block hands out no piece of a special row: its part of the row is zero.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <chromosweep/error.h>

#include "cpu/cpu_wave.h"
#include "sweep/skip_rule.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    ALIGNMENT = 64,           /* bytes, for memory that kernels read as vectors */
    STACK_TOUCHED = 64 << 10, /* bytes that a worker uses of its stack, about */
    STRETCH = 64,             /* values of a border that are looked at together */
};

/* A piece of a special row on its way to the row function. */
typedef struct {
    gint64 row;
    gint64 from;
    gint64 count;
    gboolean bounds; /* as in CsRowFunc */
    CsScore *h;      /* count of them, then count of F */
} Piece;

typedef struct {
    gint64 blocks;      /* of the slot in all */
    gint64 done;        /* those that it has finished */
    gint64 bi, bj;      /* its next block */
    gboolean busy;      /* its next block is being computed */
    CsScore corner;     /* H above and left of its next block */
    gboolean zero_left; /* its vertical bus's H is zero */
    void *left_h;       /* block_height of them: the vertical bus */
    void *left_e;
} Slot;

/* A diagonal that was submitted. */
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
    pthread_cond_t called; /* it is no longer idle */
    gboolean idle;         /* guarded by the run's mutex, like next_idle */
    Worker *next_idle;
};

struct _CsRun {
    const CsRectangle *rectangle;
    const CsGrid *grid;
    const CsSpan *spans; /* as in CsEngineOptions */
    CsCpuKernel kernel;
    CsWidth width;
    CsBus *bus;             /* the horizontal bus: the caller's bottom border or our own */
    CsBus *own_bus;         /* NULL if the caller's is used */
    CsScore next_corner;    /* H of the left border above the next block row to begin */
    gboolean *zero_columns; /* per block column: the bus's H is zero; NULL: nothing is skipped */
    atomic_llong heard;     /* the score of some real alignment, or 0: what feed() told */
    gpointer slot_memory;
    Worker *workers;
    guint n_workers;
    guint n_threads; /* how many workers have a thread */

    pthread_mutex_t mutex;
    Worker *idle;         /* the latest comes first, because its caches are warm */
    pthread_cond_t ended; /* a diagonal's last block has ended */
    gboolean closing;
    gint64 submitted; /* diagonals */
    gint64 collected;
    Slot *slots; /* grid->depth of them */
    Diagonal diagonals[CS_CPU_WAVE_QUEUE];
    CsBest best;      /* over all blocks done */
    gboolean skipped; /* a block was skipped, or the borders come from a sweep that skipped */
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
    if (slot->busy || q + s >= run->submitted || q >= slot->blocks)
        return FALSE;
    if (s > 0)
        return run->slots[s - 1].done > q;
    return q < grid->block_columns || run->slots[grid->depth - 1].done > q - grid->block_columns;
}

/* The slot with the uppermost block that may start, or -1. */
static gint64
find_ready_slot(const CsRun *run)
{
    gint64 found = -1;
    for (gint64 s = 0; s < run->grid->depth; s++)
        if ((found < 0 || run->slots[s].bi < run->slots[found].bi) && slot_is_ready(run, s))
            found = s;
    return found;
}

static CsScore
highest_of(const CsCpuBlock *block, const void *values, gint64 from, gint64 to)
{
    CsScore highest = 0;
    for (gint64 k = from; k < to; k++)
        highest = MAX(highest, cs_width_get(block->score_width, values, k));
    return highest;
}

static CsScore
highest_border_h(const CsCpuBlock *block)
{
    const CsScore top = highest_of(block, block->top_h, 0, block->width);
    const CsScore left = highest_of(block, block->left_h, 0, block->height);
    return MAX(block->corner, MAX(top, left));
}

static gboolean
in_span(const CsRun *run, gint64 bi, gint64 bj)
{
    const CsSpan *spans = run->spans;
    return spans == NULL || (bj >= spans[bi].from && bj < spans[bi].to);
}

/* What can be gained on the way from any of these cells to the rectangle's last, and spare. */
static CsScore
gain_to_corner(const CsRectangle *rectangle, gint64 row_from, gint64 row_to, gint64 column_from,
               gint64 column_to)
{
    const CsScoring *scoring = &rectangle->scoring;
    if (!rectangle->to_corner)
        return G_MAXINT64;
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const gint64 pairs = MIN(m - row_from, n - column_from);
    const gint64 right = (m - row_from) - (n - column_to), left = (n - column_from) - (m - row_to);
    const gint64 diagonals = MAX(0, -MIN(right, left));
    return MAX(0, scoring->match * pairs - scoring->gap_extend * diagonals + rectangle->spare);
}

/* How many rows of the matrix lie above a block row. */
static gint64
rows_above(const CsRun *run, gint64 bi)
{
    const CsRectangle *rectangle = run->rectangle;
    return rectangle->rows_above != NULL ? rectangle->rows_above[bi]
                                         : rectangle->above + run->grid->row_starts[bi];
}

/* The highest gain after the cells of some rows and columns of the rectangle. The matrix has `above`
 * rows more above them. */
static CsScore
gain_of(const CsRectangle *rectangle, gint64 above, gint64 row_from, gint64 row_to,
        gint64 column_from, gint64 column_to)
{
    const gint64 left_of = rectangle->left_of;
    const CsScore gain = gain_to_corner(rectangle, row_from, row_to, column_from, column_to);
    return MIN(gain, cs_gain_table_highest(rectangle->gain_table, above + row_from, above + row_to,
                                           left_of + column_from, left_of + column_to));
}

/* The bound of a block's cells. The tables are looked up only if they may decide. */
static CsScore
bound_of(const CsRun *run, gint64 bi, gint64 bj, CsScore enough)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsGrid *grid = run->grid;
    const gint64 i0 = grid->row_starts[bi], i1 = grid->row_starts[bi + 1];
    const gint64 j0 = cs_grid_column_start(grid, bj), j1 = cs_grid_column_start(grid, bj + 1);
    CsScore bound = MIN(rectangle->row_bounds[bi], rectangle->column_bounds[bj]);
    if (bound < enough)
        return bound;
    const gint64 above = rows_above(run, bi) - i0, left_of = rectangle->left_of;
    bound = MIN(bound, cs_bounds_table_highest(rectangle->bounds_table, above + i0, above + i1,
                                               left_of + j0, left_of + j1));
    return bound < enough ? bound : MIN(bound, gain_of(rectangle, above, i0, i1, j0, j1));
}

/* The score of some real alignment, or 0: given or heard of. */
static CsScore
known_score(const CsRun *run)
{
    const CsScore heard = atomic_load_explicit(&run->heard, memory_order_relaxed);
    return MAX(run->rectangle->threshold, heard);
}

/* On the way to the last cell, what raise_borders() raised may look like a better cell. */
static CsScore
threshold_of(const CsRun *run, const CsBest *best)
{
    const CsRectangle *rectangle = run->rectangle;
    return rectangle->to_corner ? rectangle->threshold : MAX(known_score(run), best->score);
}

/* Whether skip_rule.h allows a block to be skipped that no H above `highest` enters. */
static gboolean
may_skip(const CsRun *run, gint64 bi, gint64 bj, CsScore highest, const CsBest *best)
{
    const CsRectangle *rectangle = run->rectangle;
    if (!cs_rectangle_may_skip(rectangle))
        return FALSE;
    const CsScore threshold = threshold_of(run, best);
    const CsScore enough = threshold - highest - rectangle->scoring.gap_open;
    return cs_skip_rule_holds(&rectangle->scoring, highest, bound_of(run, bi, bj, enough),
                              threshold);
}

/*
 * Whether no value of a block's borders can become the best: the rule for each stretch of a border
 * with its own gain, which falls to either side of the best path as H does. The rule holds for the
 * whole block with H = 0, so no alignment that begins inside matters.
 */
static gboolean
no_stretch_matters(const CsRun *run, const CsCpuBlock *block, gint64 bi)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsScoring *scoring = &rectangle->scoring;
    const CsScore threshold = threshold_of(run, &block->best);
    const gint64 i0 = block->i0, j0 = block->j0, above = rows_above(run, bi) - i0;
    if ((rectangle->gain_table == NULL && !rectangle->to_corner) ||
        !cs_skip_rule_holds(scoring, block->corner, gain_of(rectangle, above, i0, i0, j0, j0),
                            threshold))
        return FALSE;
    for (gint64 from = 0; from < block->width; from += STRETCH) {
        const gint64 to = MIN(from + STRETCH, block->width);
        if (!cs_skip_rule_holds(scoring, highest_of(block, block->top_h, from, to),
                                gain_of(rectangle, above, i0, i0, j0 + from + 1, j0 + to),
                                threshold))
            return FALSE;
    }
    for (gint64 from = 0; from < block->height; from += STRETCH) {
        const gint64 to = MIN(from + STRETCH, block->height);
        if (!cs_skip_rule_holds(scoring, highest_of(block, block->left_h, from, to),
                                gain_of(rectangle, above, i0 + from + 1, i0 + to, j0, j0),
                                threshold))
            return FALSE;
    }
    return TRUE;
}

/* Whether the block is skipped. Its borders are read only if they decide. */
static gboolean
is_skipped(const CsRun *run, const CsCpuBlock *block, gint64 bi, gint64 bj)
{
    if (run->zero_columns == NULL)
        return FALSE;
    return !in_span(run, bi, bj) ||
           (may_skip(run, bi, bj, 0, &block->best) &&
            (may_skip(run, bi, bj, highest_border_h(block), &block->best) ||
             no_stretch_matters(run, block, bi)));
}

/* Zeros leave a skipped block. */
static void
leave_zeros(const CsCpuBlock *block)
{
    memset(block->top_h, 0, block->width * block->score_width);
    memset(block->top_f, 0, block->width * block->score_width);
    memset(block->left_h, 0, block->height * block->score_width);
    memset(block->left_e, 0, block->height * block->score_width);
}

/* Whether the slot's next block is skipped unseen (5). Not at the rectangle's own borders, where
 * there is more to do. */
static gboolean
slot_skips_unseen(const CsRun *run, gint64 s)
{
    const CsGrid *grid = run->grid;
    const Slot *slot = &run->slots[s];
    const gint64 bi = slot->bi, bj = slot->bj;
    if (run->zero_columns == NULL || !slot->zero_left || slot->corner != 0)
        return FALSE;
    return bj > 0 && bj + 1 < grid->block_columns && run->zero_columns[bj] &&
           (!in_span(run, bi, bj) || may_skip(run, bi, bj, 0, &run->best));
}

/*
 * Reads the rectangle's left border for a slot's new block row. Block rows begin in order, and each
 * fetches the corner of the next one, because the right border may later overwrite it.
 */
static void
enter_left_border(CsRun *run, Slot *slot, gint64 bi)
{
    const CsScore *corners = run->rectangle->corners;
    const gint64 i0 = run->grid->row_starts[bi], height = run->grid->row_starts[bi + 1] - i0;
    slot->corner = corners != NULL ? corners[bi] : run->next_corner;
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

/* Without memory it has no cells, and collect() fails. */
static Piece *
copy_piece(const CsRun *run, gint64 row, gint64 from, gint64 count)
{
    Piece *piece = g_new(Piece, 1);
    *piece = (Piece){
        .row = row, .from = from, .count = count, .h = cs_memory_try_new(CsScore, 2 * count)};
    if (piece->h == NULL)
        return piece;
    cs_width_read(run->width, run->bus->h, from, count, piece->h);
    cs_width_read(run->width, run->bus->gap, from, count, piece->h + count);
    return piece;
}

/* Block bi, bj for a kernel, still without its bases. */
static CsCpuBlock
make_block(const Worker *worker, const Slot *slot, gint64 bi, gint64 bj)
{
    const CsRun *run = worker->run;
    const CsGrid *grid = run->grid;
    const gint64 i0 = grid->row_starts[bi], j0 = cs_grid_column_start(grid, bj);
    return (CsCpuBlock){
        .rows = worker->rows,
        .columns = worker->columns,
        .height = grid->row_starts[bi + 1] - i0,
        .width = cs_grid_column_start(grid, bj + 1) - j0,
        .i0 = i0,
        .j0 = j0,
        .scoring = &run->rectangle->scoring,
        .tie_order = run->rectangle->tie_order,
        .score_width = run->width,
        .corner = slot->corner,
        .top_h = cs_width_at(run->width, run->bus->h, j0),
        .top_f = cs_width_at(run->width, run->bus->gap, j0),
        .left_h = slot->left_h,
        .left_e = slot->left_e,
        .scratch = worker->scratch,
    };
}

static void
raise_to(const CsCpuBlock *block, void *values, gint64 count, CsScore least)
{
    gint32 *narrow = values;
    gint64 *wide = values;
    if (block->score_width == CS_WIDTH_32)
        for (gint64 k = 0; k < count; k++)
            narrow[k] = MAX(narrow[k], (gint32)least);
    else
        for (gint64 k = 0; k < count; k++)
            wide[k] = MAX(wide[k], least);
}

/*
 * Raises each H on a block's borders to the highest value from which nothing leads to the last cell.
 * Beside what leads there, the zeros that skipped blocks have left would take lanes of 32 bits. A
 * gap leads from every cell to the last one, so what comes of a raised value is less than the
 * threshold and the gap's cost.
 */
static void
raise_borders(const CsRun *run, CsCpuBlock *block, gint64 bi, gint64 bj)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsScoring *scoring = &rectangle->scoring;
    const CsScore gaps = 2 * scoring->gap_open + scoring->gap_extend * (cs_rectangle_m(rectangle) +
                                                                        cs_rectangle_n(rectangle));
    if (!rectangle->to_corner ||
        (run->width == CS_WIDTH_32 && rectangle->threshold + gaps >= CS_SCORE_32_LIMIT))
        return;
    const CsScore least = rectangle->threshold - bound_of(run, bi, bj, 0) - scoring->gap_open - 1;
    if (least <= 0)
        return;
    block->corner = MAX(block->corner, least);
    raise_to(block, block->top_h, block->width, least);
    raise_to(block, block->left_h, block->height, least);
}

/* Lowers what enters a block, for marks. */
static void
lower_borders(const CsRun *run, CsCpuBlock *block)
{
    const CsEndMarks *marks = run->rectangle->marks;
    if (marks == NULL)
        return;
    block->corner = MIN(block->corner, marks->least);
    cs_end_marks_lower(marks, run->width, block->top_h, block->width);
    cs_end_marks_lower(marks, run->width, block->top_f, block->width);
    cs_end_marks_lower(marks, run->width, block->left_h, block->height);
    cs_end_marks_lower(marks, run->width, block->left_e, block->height);
}

/* The least score of a cell that is looked for. */
static CsScore
least_of_block(const CsRun *run)
{
    const CsEndMarks *marks = run->rectangle->marks;
    return marks != NULL ? marks->least : known_score(run);
}

/* No cell below a known score can be the best. So none is looked for: on the way to the best cell no
 * block is computed twice, and faster lanes can be used. */
static void
compute_block(const Worker *worker, CsCpuBlock *block)
{
    const CsRectangle *rectangle = worker->run->rectangle;
    const CsScore least = least_of_block(worker->run);
    const CsView rows = cs_view_slice(&rectangle->rows, block->i0, block->height);
    const CsView columns = cs_view_slice(&rectangle->columns, block->j0, block->width);
    const CsBest known = block->best;
    cs_view_read(&rows, CS_ROW_AMBIGUOUS, worker->rows);
    cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, worker->columns);
    if (known.score < least || rectangle->marks != NULL)
        block->best = (CsBest){.score = least - 1};
    worker->run->kernel(block);
    if (block->best.score < least)
        block->best = known;
}

/* Computes or skips the next block of a slot that this worker has marked as busy. `best` is the
 * best cell known before. Returns the block's piece of a special row, if any. */
static Piece *
work_on(const Worker *worker, Slot *slot, gint64 bi, gint64 bj, const CsBest *best,
        CsCpuBlock *block)
{
    CsRun *run = worker->run;
    const CsGrid *grid = run->grid;
    const gint64 i1 = grid->row_starts[bi + 1];
    if (bj == 0)
        enter_left_border(run, slot, bi);
    *block = make_block(worker, slot, bi, bj);
    block->best = *best;
    const gint64 j1 = block->j0 + block->width;
    slot->corner = cs_width_get(run->width, run->bus->h, j1 - 1);
    slot->zero_left = is_skipped(run, block, bi, bj);
    if (run->zero_columns != NULL)
        run->zero_columns[bj] = slot->zero_left;
    if (slot->zero_left) {
        leave_zeros(block);
    } else {
        raise_borders(run, block, bi, bj);
        lower_borders(run, block);
        compute_block(worker, block);
    }
    if (j1 == grid->n)
        leave_right_border(run, slot, block->i0, block->height);
    if (slot->zero_left || !cs_rectangle_is_special(run->rectangle, i1))
        return NULL;
    return copy_piece(run, i1, block->j0, block->width);
}

/* Calls `count` workers, or all that are idle. */
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

/* How many blocks may start now that a slot's block has ended: the slot's next, the one below. */
static guint
count_let_start(const CsRun *run, gint64 s)
{
    gint64 below = s + 1 < run->grid->depth ? s + 1 : 0;
    return (guint)slot_is_ready(run, s) + (below != s && slot_is_ready(run, below));
}

/* Counts a block as done. */
static void
end_block(CsRun *run, gint64 s, gint64 cells, gint64 cells_computed)
{
    Slot *slot = &run->slots[s];
    Diagonal *diagonal = &run->diagonals[(slot->done + s) % CS_CPU_WAVE_QUEUE];
    diagonal->collected.cells += cells;
    diagonal->collected.cells_computed += cells_computed;
    if (--diagonal->blocks_left == 0)
        pthread_cond_signal(&run->ended);
    slot->done++;
    if (++slot->bj == run->grid->block_columns) {
        slot->bj = 0;
        slot->bi += run->grid->depth;
    }
}

/* Skips the slot's next blocks as long as they can be skipped unseen. Returns whether any was. */
static gboolean
skip_unseen_blocks(CsRun *run, gint64 s)
{
    const CsGrid *grid = run->grid;
    gboolean passed = FALSE;
    for (; slot_is_ready(run, s) && slot_skips_unseen(run, s); passed = TRUE) {
        const gint64 bi = run->slots[s].bi, bj = run->slots[s].bj;
        end_block(run, s,
                  (grid->row_starts[bi + 1] - grid->row_starts[bi]) *
                      (cs_grid_column_start(grid, bj + 1) - cs_grid_column_start(grid, bj)),
                  0);
    }
    run->skipped = run->skipped || passed;
    return passed;
}

/* Marks a block that holds a cell that scores enough. (Else its best is one known before.) */
static void
mark(const CsRun *run, const CsCpuBlock *block, gint64 bi)
{
    const CsRectangle *rectangle = run->rectangle;
    const gint64 i0 = block->i0, j0 = block->j0;
    const gint64 above = rows_above(run, bi), left_of = rectangle->left_of;
    if (rectangle->marks != NULL && block->best.score >= rectangle->marks->least &&
        block->best.i > i0 && block->best.j > j0 && block->best.i <= i0 + block->height &&
        block->best.j <= j0 + block->width)
        cs_end_marks_set(rectangle->marks, above, above + block->height, left_of + j0,
                         left_of + j0 + block->width);
}

/* Computes or skips a slot's next block. The mutex is held, but not during the work. */
static void
take_block(const Worker *worker, gint64 s)
{
    CsRun *run = worker->run;
    Slot *slot = &run->slots[s];
    const CsBest best = run->best;
    const gint64 bi = slot->bi, bj = slot->bj;
    CsCpuBlock block;
    slot->busy = TRUE;
    pthread_mutex_unlock(&run->mutex);
    Piece *piece = work_on(worker, slot, bi, bj, &best, &block);
    pthread_mutex_lock(&run->mutex);
    run->skipped = run->skipped || slot->zero_left;
    if (piece != NULL) {
        Diagonal *diagonal = &run->diagonals[(slot->done + s) % CS_CPU_WAVE_QUEUE];
        piece->bounds = run->skipped; /* every block that it depends on is done */
        diagonal->pieces = g_slist_append(diagonal->pieces, piece);
    }
    mark(run, &block, bi);
    cs_best_merge(&run->best, run->rectangle->tie_order, &block.best);
    slot->busy = FALSE;
    end_block(run, s, block.height * block.width, block.cells_computed);
}

/* Works on the uppermost block that may start; whether there was one. The mutex is held, but not
 * during the work. */
static gboolean
work_once(const Worker *worker)
{
    CsRun *run = worker->run;
    gint64 s = find_ready_slot(run);
    if (s < 0)
        return FALSE;
    if (!skip_unseen_blocks(run, s))
        take_block(worker, s);
    /* One of them is for this worker, which looks next. */
    guint ready = count_let_start(run, s);
    call_workers(run, ready > 0 ? ready - 1 : 0);
    return TRUE;
}

/* A worker's thread, until the run closes. */
static void
worker_main(gpointer data)
{
    Worker *worker = data;
    CsRun *run = worker->run;
    pthread_mutex_lock(&run->mutex);
    while (!run->closing)
        if (!work_once(worker))
            wait_for_call(worker);
    pthread_mutex_unlock(&run->mutex);
}

/* Memory that kernels read as vectors. */
static gpointer
allocate_aligned(gsize bytes, gpointer *memory, GError **error)
{
    *memory = cs_memory_try(1, bytes + ALIGNMENT);
    if (*memory == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for %" G_GSIZE_FORMAT " bytes of block state", bytes);
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
        run->slots[s].blocks = cs_grid_slot_blocks(run->grid, s);
        run->slots[s].bi = s;
        run->slots[s].left_h = memory + 2 * bytes * s;
        run->slots[s].left_e = memory + 2 * bytes * s + bytes;
    }
    return TRUE;
}

/* As many as there is memory for, one at least. */
static gboolean
make_workers(CsRun *run, guint threads, GError **error)
{
    gsize height = run->grid->block_height, width = run->grid->block_width;
    gsize scratch = CS_CPU_SCRATCH(height, width);
    run->workers = g_new0(Worker, threads);
    for (; run->n_workers < threads; run->n_workers++) {
        Worker *worker = &run->workers[run->n_workers];
        worker->run = run;
        worker->scratch = allocate_aligned(scratch + height + width, &worker->memory,
                                           run->n_workers == 0 ? error : NULL);
        if (worker->scratch == NULL)
            return run->n_workers > 0;
        pthread_cond_init(&worker->called, NULL);
        worker->rows = (guint8 *)worker->scratch + scratch;
        worker->columns = worker->rows + height;
    }
    return TRUE;
}

/* As many as can be started. */
static void
start_threads(CsRun *run)
{
    for (; run->n_threads < run->n_workers; run->n_threads++) {
        Worker *worker = &run->workers[run->n_threads];
        worker->thread = cs_thread_new("wave", worker_main, worker, NULL);
        if (worker->thread == NULL)
            return;
    }
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

/* Uses the caller's bottom border as the horizontal bus if its width fits, else one of our own. */
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

/* The narrowest width that holds the rectangle's scores, or the one asked for. Fails if that one
 * does not hold them. */
static gboolean
choose_width(const CsRectangle *rectangle, guint bits, CsWidth *width, GError **error)
{
    CsWidth narrowest;
    if (!cs_rectangle_width(rectangle, &narrowest, error))
        return FALSE;
    if (bits != 0 && bits != 64 && (bits != 32 || narrowest != CS_WIDTH_32)) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "the CPU cannot compute %u-bit scores here",
                    bits);
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

/* What begin() allocates, and what its threads use of their stacks. */
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
    run->spans = options->spans;
    run->next_corner = rectangle->corner;
    run->kernel = width == CS_WIDTH_32 ? kernel_32 : kernel_64;
    run->width = width;
    run->skipped = rectangle->skipped;
    if (run->spans != NULL || cs_rectangle_may_skip(rectangle)) {
        run->zero_columns = g_new(gboolean, grid->block_columns);
        for (gint64 bj = 0; bj < grid->block_columns; bj++)
            run->zero_columns[bj] = rectangle->top == NULL;
    }
    pthread_mutex_init(&run->mutex, NULL);
    pthread_cond_init(&run->ended, NULL);
    if (!make_bus(run, error) || !make_slots(run, error) ||
        !make_workers(run, options->threads, error)) {
        cs_cpu_wave_free(run);
        return NULL;
    }
    if (!options->on_caller)
        start_threads(run);
    return run;
}

gboolean
cs_cpu_wave_feed(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                 CsScore known, GError **error)
{
    const gint64 width = run->grid->block_width;
    if (h == NULL) {
        cs_bus_clear(run->bus, from, count);
    } else {
        cs_width_write(run->width, run->bus->h, from, count, h);
        cs_width_write(run->width, run->bus->gap, from, count, f);
    }
    for (gint64 bj = from / width; run->zero_columns != NULL && bj * width < from + count; bj++)
        run->zero_columns[bj] = h == NULL && bj * width >= from &&
                                cs_grid_column_start(run->grid, bj + 1) <= from + count;
    if (known > atomic_load_explicit(&run->heard, memory_order_relaxed))
        atomic_store_explicit(&run->heard, known, memory_order_relaxed);
    return TRUE;
}

/* Where all that is submitted is skipped, this thread does it alone: to call a worker would take longer. */
gboolean
cs_cpu_wave_submit(CsRun *run, gint64 d, GError **error)
{
    pthread_mutex_lock(&run->mutex);
    g_assert(d == run->submitted && d - run->collected < CS_CPU_WAVE_QUEUE);
    Diagonal *diagonal = &run->diagonals[d % CS_CPU_WAVE_QUEUE];
    *diagonal = (Diagonal){0};
    run->submitted++;
    for (gint64 s = 0; s < run->grid->depth; s++)
        diagonal->blocks_left += d >= s && d - s < run->slots[s].blocks;
    guint ready = 0;
    for (gint64 s = 0; s < run->grid->depth; s++)
        if (run->slots[s].done == d - s && !skip_unseen_blocks(run, s))
            ready += slot_is_ready(run, s);
    call_workers(run, ready);
    pthread_mutex_unlock(&run->mutex);
    return TRUE;
}

static gboolean
hand_out_pieces(const CsRectangle *rectangle, const GSList *pieces, GError **error)
{
    for (const GSList *link = pieces; link != NULL; link = link->next) {
        const Piece *piece = link->data;
        if (piece->h == NULL) {
            g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for %" G_GINT64_FORMAT " cells of a row", piece->count);
            return FALSE;
        }
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
        if (run->n_threads > 0)
            pthread_cond_wait(&run->ended, &run->mutex);
        else if (!work_once(&run->workers[0]))
            g_assert_not_reached();
    run->collected++;
    *collected = diagonal->collected;
    collected->threads = MAX(run->n_threads, 1);
    collected->best = run->best;
    collected->skipped = run->skipped;
    GSList *pieces = g_steal_pointer(&diagonal->pieces);
    pthread_mutex_unlock(&run->mutex);
    gboolean success = hand_out_pieces(run->rectangle, pieces, error);
    g_slist_free_full(pieces, piece_free);
    return success;
}

/* The state of a slot inside a block row, as a step of the staircase. */
static gboolean
copy_step(const CsRun *run, gint64 s, CsStep *step, GError **error)
{
    const CsGrid *grid = run->grid;
    const Slot *slot = &run->slots[s];
    *step = (CsStep){
        .row = grid->row_starts[slot->bi],
        .height = grid->row_starts[slot->bi + 1] - grid->row_starts[slot->bi],
        .column = cs_grid_column_start(grid, slot->bj),
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
    /* No block is being computed: everything submitted is collected. */
    pthread_mutex_lock(&run->mutex);
    g_assert(run->collected == run->submitted);
    copy.best = run->best;
    pthread_mutex_unlock(&run->mutex);
    cs_bus_copy(copy.horizontal, 0, run->bus, 0, grid->n);
    gint64 begun = 0; /* block rows */
    for (gint64 s = 0; s < grid->depth; s++) {
        const gboolean amid = run->slots[s].bj > 0;
        begun = MAX(begun, run->slots[s].bi + 1 - (amid ? 0 : grid->depth));
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
