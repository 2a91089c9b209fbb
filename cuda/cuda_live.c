/* Live intervals of block rows. */
#include "cuda/cuda_live.h"

#define NEVER G_MAXINT32

/* All in block columns. */
typedef struct {
    gint32 start, next; /* the first launched, and the next to be */
    gint32 known;       /* the first whose fate is not known */
    gint32 first_live, live_end;
    gboolean begun, ended; /* ended and not begun: nothing of it is launched */
    gboolean quiet;        /* from live_end on all is skipped, launched or not */
} Row;

struct _CsCudaLive {
    CsCudaLiveOptions options;
    gint32 rows, columns;
    gint32 last; /* block column behind which a row has ended */
    Row *row;
    gint32 *own_from, *own_until; /* of each row: where alignments may begin that matter */
    gint32 *from_below;           /* the least own_from of it and of all rows below */
    gint32 active, fresh;         /* the first row that has not ended, the next to begin */
    gint32 start;                 /* no row begins left of it any more */
    gint32 longest;               /* blocks that a row which has ended had launched */
};

/* Whether an alignment that matters may begin in the block, if one may in its row. */
static gboolean
may_begin(const CsCudaLiveOptions *options, gint32 r, gint32 c)
{
    const CsGrid *grid = options->grid;
    return options->column_bounds[c] >= options->threshold &&
           cs_bounds_table_highest(options->table, options->above + grid->row_starts[r],
                                   options->above + grid->row_starts[r + 1],
                                   options->left_of + cs_grid_column_start(grid, c),
                                   options->left_of + cs_grid_column_start(grid, c + 1)) >=
               options->threshold;
}

/* Whether the table has the same for a row and the one below. */
static gboolean
has_same_bands(const CsCudaLiveOptions *options, gint32 r)
{
    const gint64 *starts = options->grid->row_starts + r;
    if (options->table == NULL)
        return TRUE;
    const gint64 band = options->table->band;
    return (options->above + starts[0]) / band == (options->above + starts[2] - 1) / band;
}

/* For each row the first and the last block column in which one may; a chunk has cells left of its
 * first column, so the one before counts too. */
static void
find_own(CsCudaLive *live)
{
    const CsCudaLiveOptions *options = &live->options;
    gint32 least = 0, most = 0;
    gint32 found = live->rows; /* the row of which that is */
    for (gint32 r = live->rows - 1; r >= 0; r--) {
        const gboolean own = options->row_bounds[r] >= options->threshold;
        if (own && (found != r + 1 || found == live->rows || !has_same_bands(options, r))) {
            for (least = 0; least < live->columns && !may_begin(options, r, least);)
                least++;
            for (most = live->columns; most > least && !may_begin(options, r, most - 1);)
                most--;
        }
        found = own ? r : found;
        live->own_from[r] = own && least < most ? MAX(least - 1, 0) : NEVER;
        live->own_until[r] = own && least < most ? most : 0;
        live->from_below[r] =
            MIN(live->own_from[r], r + 1 < live->rows ? live->from_below[r + 1] : (gint32)NEVER);
    }
}

CsCudaLive *
cs_cuda_live_new(const CsCudaLiveOptions *options)
{
    CsCudaLive *live = g_new0(CsCudaLive, 1);
    live->options = *options;
    live->rows = (gint32)options->grid->block_rows;
    live->columns = (gint32)options->grid->block_columns;
    live->last = live->columns + (options->warps > 1); /* the delegated triangle */
    live->row = g_new0(Row, live->rows);
    live->own_from = g_new(gint32, live->rows);
    live->own_until = g_new(gint32, live->rows);
    live->from_below = g_new(gint32, live->rows);
    find_own(live);
    live->options.row_bounds = live->options.column_bounds = NULL;
    live->options.table = NULL;
    return live;
}

void
cs_cuda_live_free(CsCudaLive *live)
{
    g_free(live->row);
    g_free(live->own_from);
    g_free(live->own_until);
    g_free(live->from_below);
    g_free(live);
}

gint64
cs_cuda_live_slots(gint64 block_rows, gint64 block_columns, gint64 late)
{
    /* A row goes on in each step once the one above is ahead, so the rows under way are those that
     * began in so many steps. */
    return MIN(block_rows, block_columns + 2 + 2 * late);
}

/*
 * Where the row has to begin, as far as is known. What a row above has not computed left of its
 * first live block matters to no row below either, since no alignment goes back to the left, but
 * for what may begin further below.
 */
static gint32
find_start(const CsCudaLive *live, gint32 r)
{
    gint32 from_above = NEVER;
    if (r == 0) {
        if (live->options.top_until > live->options.top_from)
            from_above = (gint32)MAX(live->options.top_from - 1, 0);
    } else if (!live->row[r - 1].quiet || live->row[r - 1].live_end > 0) {
        from_above = MAX(live->row[r - 1].start, live->start);
    }
    gint32 start = MIN(from_above, live->own_from[r]);
    /* Not right of where a row below will have to begin: rows that follow each other may not begin
     * further left than the one above. */
    return start < NEVER ? MIN(start, live->from_below[r]) : NEVER;
}

/* Whether all that is left of the row will be skipped, as far as is known: a block right of what
 * can enter from above and of what may begin in the row was. */
static gboolean
is_quiet(const CsCudaLive *live, gint32 r)
{
    const Row *row = &live->row[r];
    const gint32 above_end = r == 0 ? (gint32)live->options.top_until : live->row[r - 1].live_end;
    if (r > 0 && !live->row[r - 1].quiet)
        return FALSE;
    if (!row->begun)
        return above_end == 0 && live->own_until[r] == 0;
    if (row->next == live->last && row->known == row->next)
        return TRUE;
    return row->known > MAX(MAX(above_end + 1, row->live_end), MAX(live->own_until[r], row->start));
}

/* The chunks from which on the bus no longer has the row's bottom. */
static gint32
top_until(const CsCudaLive *live, const Row *row)
{
    const CsCudaLiveOptions *options = &live->options;
    if (!row->ended || row->next == live->last)
        return NEVER;
    return row->next * options->block_chunks - CS_LAG * (options->warps - 1) - 1;
}

/*
 * The last row above that has a block in these columns, which may still write to the bus there.
 * What a row whose fate is known had above it is over.
 */
static void
wait_above(const CsCudaLive *live, CsKernelItem *item)
{
    for (gint32 r = item->row - 1; r >= 0; r--) {
        const Row *row = &live->row[r];
        if (row->begun && item->block >= row->start && item->block < row->next) {
            item->wait_row = r;
            item->wait = CS_PROGRESS_LONG(item->block);
            return;
        }
        if (row->begun && row->ended && row->known == row->next)
            return;
    }
}

static CsKernelItem
make_item(const CsCudaLive *live, gint32 r)
{
    const Row *row = &live->row[r], *above = r > 0 ? &live->row[r - 1] : NULL;
    CsKernelItem item = {
        .row = r,
        .slot = (gint32)(r % live->options.slots),
        .block = row->next,
        .start = row->start,
        .top_until = NEVER,
    };
    if (above == NULL)
        return item;
    item.top_until = 0;
    wait_above(live, &item);
    if (!above->begun)
        return item;
    item.top_from = above->start * live->options.block_chunks;
    item.top_until = top_until(live, above);
    if (item.block + 1 >= above->start && item.block + 1 < above->next)
        item.wait_long = CS_PROGRESS_SHORT(item.block + 1);
    return item;
}

/* Whether the row above is two blocks ahead, or has no more. */
static gboolean
may_go_on(const CsCudaLive *live, gint32 r, gint32 block)
{
    return r == 0 || live->row[r - 1].ended || live->row[r - 1].next >= MIN(block + 2, live->last);
}

/* Whether the row that had the slot before is over. */
static gboolean
slot_is_free(const CsCudaLive *live, gint32 r)
{
    if (r < live->options.slots)
        return TRUE;
    const Row *before = &live->row[r - live->options.slots];
    return !before->begun || (before->ended && before->known == before->next);
}

/* Lets the next rows begin, if they can; those of which nothing is launched are over at once. */
static void
begin_rows(CsCudaLive *live)
{
    for (; live->fresh < live->rows; live->fresh++) {
        gint32 r = live->fresh;
        Row *row = &live->row[r];
        gint32 start = find_start(live, r);
        if (start < NEVER && may_go_on(live, r, start) && slot_is_free(live, r)) {
            row->begun = TRUE;
            row->start = row->next = row->known = start;
            live->fresh++;
            return; /* the next one is two blocks behind */
        }
        row->quiet = row->ended = start == NEVER && is_quiet(live, r);
        if (!row->ended)
            return;
    }
}

void
cs_cuda_live_step(CsCudaLive *live, gboolean fresh, GArray *items)
{
    if (fresh)
        begin_rows(live);
    for (gint32 r = live->active; r < live->fresh; r++) {
        Row *row = &live->row[r];
        row->quiet = row->quiet || is_quiet(live, r);
        row->ended = row->ended || row->quiet || row->next == live->last;
        /* Those below wait to know what becomes of it. */
        live->active += live->active == r && row->quiet;
        if (row->ended)
            live->longest = MAX(live->longest, row->next - row->start);
        if (row->ended || !may_go_on(live, r, row->next))
            continue;
        CsKernelItem item = make_item(live, r);
        g_array_append_val(items, item);
        row->next++;
        row->ended = row->next == live->last;
    }
}

void
cs_cuda_live_drain(const CsCudaLive *live, GArray *items)
{
    for (gint32 r = live->active; r < live->fresh; r++) {
        if (!live->row[r].begun || live->row[r].ended)
            continue;
        g_assert(live->row[r].next > live->row[r].start);
        CsKernelItem item = make_item(live, r);
        item.drain = TRUE;
        g_array_append_val(items, item);
    }
}

void
cs_cuda_live_learn(CsCudaLive *live, const CsKernelItem *item, gboolean computed)
{
    Row *row = &live->row[item->row];
    g_assert(row->known == item->block);
    row->known++;
    if (computed && row->live_end == 0)
        row->first_live = item->block;
    if (computed)
        row->live_end = item->block + 1;
    gint32 first = row->live_end > 0 ? row->first_live : row->known;
    gint32 below = item->row + 1 < live->rows ? live->from_below[item->row + 1] : NEVER;
    live->start = MAX(live->start, MIN(first - 1, below));
}

gboolean
cs_cuda_live_is_flat(const CsCudaLive *live)
{
    return live->active == live->fresh;
}

/* A row is taken to come as far as the longest so far, one that is longer to come to as much again;
 * the first ones, to the end of the matrix. */
gint64
cs_cuda_live_steps_left(const CsCudaLive *live)
{
    gint32 left = 0;
    for (gint32 r = live->active; r < live->fresh; r++) {
        const Row *row = &live->row[r];
        const gint32 done = row->next - row->start;
        const gint32 more = live->longest == 0     ? live->last
                            : done < live->longest ? live->longest - done
                                                   : done;
        if (!row->ended)
            left = MAX(left, MIN(live->last - row->next, more));
    }
    return left;
}

gint64
cs_cuda_live_rows(const CsCudaLive *live)
{
    return live->fresh;
}

gint64
cs_cuda_live_column(const CsCudaLive *live, gint64 row)
{
    const Row *stand = &live->row[row];
    return stand->ended ? live->options.grid->n
                        : MIN(stand->next * live->options.grid->block_width, live->options.grid->n);
}

gboolean
cs_cuda_live_is_done(const CsCudaLive *live)
{
    return live->active == live->rows;
}

void
cs_cuda_live_bottom(const CsCudaLive *live, gint64 rows, gint64 *from, gint64 *until)
{
    const CsGrid *grid = live->options.grid;
    *from = *until = 0;
    if (rows == 0) {
        *until = grid->n; /* what entered */
        return;
    }
    const Row *row = &live->row[rows - 1];
    if (!row->begun)
        return;
    gint64 chunks = top_until(live, row);
    *from = MIN(row->start * grid->block_width, grid->n);
    *until = chunks == NEVER ? grid->n : CLAMP(chunks * CS_CHUNK, *from, grid->n);
}
