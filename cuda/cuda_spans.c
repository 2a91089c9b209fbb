/* Spans of block rows. */
#include "cuda/cuda_spans.h"

#define NEVER G_MAXINT32

/* All in block columns. */
typedef struct {
    gint32 start, next; /* the first block launched, the next to launch */
    gint32 known;       /* the first block of which no report has come */
    gint32 first_computed, computed_end;
    gboolean begun, ended; /* ended but not begun: nothing of it is launched */
    gboolean quiet;        /* from computed_end on everything is skipped, launched or not */
} Row;

struct _CsCudaSpans {
    CsCudaSpansOptions options;
    gint32 rows, columns;
    gint32 last; /* the block column after which a row has ended */
    Row *row;
    gint32 *own_from, *own_until; /* per row: where alignments that matter may begin */
    gint32 *from_below;           /* the least own_from of a row and all rows below it */
    gint32 active, fresh;         /* the first row that has not ended, the next to begin */
    gint32 start;                 /* no row begins left of it any more */
    gint32 front;                 /* the furthest block that any row has reached */
    gint32 longest;               /* the most blocks that an ended row has launched */
};

/* Whether an alignment that matters may begin in the block, if one may in its row. */
static gboolean
may_begin(const CsCudaSpansOptions *options, gint32 r, gint32 c)
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
has_same_layers(const CsCudaSpansOptions *options, gint32 r)
{
    const gint64 *starts = options->grid->row_starts + r;
    if (options->table == NULL)
        return TRUE;
    const gint64 layer = options->table->layer;
    return (options->above + starts[0]) / layer == (options->above + starts[2] - 1) / layer;
}

/* Of the block columns from *least until *most, leaves those in which one may begin by the gains of
 * the row. A column between two blocks belongs to both. */
static void
narrow_by_gains(const CsCudaSpansOptions *options, gint32 r, gint32 *least, gint32 *most)
{
    const CsGrid *grid = options->grid;
    gint64 from, to;
    if (options->gains == NULL)
        return;
    if (!cs_gain_table_span(options->gains, options->above + grid->row_starts[r],
                            options->above + grid->row_starts[r + 1], options->threshold, &from,
                            &to)) {
        *most = *least;
        return;
    }
    from = MAX(0, from - options->left_of - 1) / grid->block_width;
    to = (to - options->left_of) / grid->block_width + 1;
    *least = (gint32)MAX(*least, from);
    *most = (gint32)MIN(*most, to);
}

/* Finds for each row the first and the last block column in which one may begin. A chunk has cells
 * left of its first column, so the block column before counts too. */
static void
find_own(CsCudaSpans *spans)
{
    const CsCudaSpansOptions *options = &spans->options;
    gint32 least = 0, most = 0;
    gint32 found = spans->rows; /* the row that `least` and `most` were last used for */
    for (gint32 r = spans->rows - 1; r >= 0; r--) {
        const gboolean own = options->row_bounds[r] >= options->threshold;
        if (own && (found != r + 1 || found == spans->rows || !has_same_layers(options, r))) {
            for (least = 0; least < spans->columns && !may_begin(options, r, least);)
                least++;
            for (most = spans->columns; most > least && !may_begin(options, r, most - 1);)
                most--;
        }
        found = own ? r : found;
        gint32 from = least, until = most;
        if (own)
            narrow_by_gains(options, r, &from, &until);
        spans->own_from[r] = own && from < until ? MAX(from - 1, 0) : NEVER;
        spans->own_until[r] = own && from < until ? until : 0;
        spans->from_below[r] =
            MIN(spans->own_from[r], r + 1 < spans->rows ? spans->from_below[r + 1] : (gint32)NEVER);
    }
}

CsCudaSpans *
cs_cuda_spans_new(const CsCudaSpansOptions *options)
{
    CsCudaSpans *spans = g_new0(CsCudaSpans, 1);
    spans->options = *options;
    spans->rows = (gint32)options->grid->block_rows;
    spans->columns = (gint32)options->grid->block_columns;
    spans->last = spans->columns + (options->warps > 1); /* the delegated triangle */
    spans->row = g_new0(Row, spans->rows);
    spans->own_from = g_new(gint32, spans->rows);
    spans->own_until = g_new(gint32, spans->rows);
    spans->from_below = g_new(gint32, spans->rows);
    find_own(spans);
    spans->options.row_bounds = spans->options.column_bounds = NULL;
    spans->options.table = NULL;
    spans->options.gains = NULL;
    return spans;
}

void
cs_cuda_spans_free(CsCudaSpans *spans)
{
    g_free(spans->row);
    g_free(spans->own_from);
    g_free(spans->own_until);
    g_free(spans->from_below);
    g_free(spans);
}

gint64
cs_cuda_spans_slots(gint64 block_rows, gint64 block_columns, gint64 late)
{
    /* In each step a row goes on if the one above is ahead, so the rows in progress are those that
     * began in this many steps. */
    return MIN(block_rows, block_columns + 2 + 2 * late);
}

/*
 * Where the row has to begin, as far as is known. No alignment goes back to the left. So what a row
 * has skipped left of its first computed block matters to no row below it, except for alignments
 * that may begin further below.
 */
static gint32
find_start(const CsCudaSpans *spans, gint32 r)
{
    gint32 from_above = NEVER;
    if (r == 0) {
        if (spans->options.top_until > spans->options.top_from)
            from_above = (gint32)MAX(spans->options.top_from - 1, 0);
    } else if (!spans->row[r - 1].quiet || spans->row[r - 1].computed_end > 0) {
        from_above = MAX(spans->row[r - 1].start, spans->start);
    }
    gint32 start = MIN(from_above, spans->own_from[r]);
    /* Not right of where a row below will have to begin, because no row may begin further left than
     * the row above it. */
    return start < NEVER ? MIN(start, spans->from_below[r]) : NEVER;
}

/* Whether the rest of the row will certainly be skipped: a block was skipped that is right of
 * everything that can enter from above and of every block in which an alignment may begin. */
static gboolean
is_quiet(const CsCudaSpans *spans, gint32 r)
{
    const Row *row = &spans->row[r];
    const gint32 above_end =
        r == 0 ? (gint32)spans->options.top_until : spans->row[r - 1].computed_end;
    if (r > 0 && !spans->row[r - 1].quiet)
        return FALSE;
    if (!row->begun)
        return above_end == 0 && spans->own_until[r] == 0;
    if (row->next == spans->last && row->known == row->next)
        return TRUE;
    return row->known >
           MAX(MAX(above_end + 1, row->computed_end), MAX(spans->own_until[r], row->start));
}

guint
cs_cuda_spans_owner(const CsCudaSpans *spans, gint64 row)
{
    return spans->options.owners != NULL ? spans->options.owners[row] : 0;
}

/* The chunk from which on so many blocks do not have the row's bottom. */
static gint32
bottom_until(const CsCudaSpans *spans, gint32 blocks)
{
    const CsCudaSpansOptions *options = &spans->options;
    return blocks == spans->last
               ? NEVER
               : blocks * options->block_chunks - CS_LAG * (options->warps - 1) - 1;
}

/* The chunk from which on the bus does not have the row's bottom. */
static gint32
top_until(const CsCudaSpans *spans, const Row *row)
{
    return row->ended ? bottom_until(spans, row->next) : NEVER;
}

/*
 * Lets the item wait for the last row above that has a block in these columns and may still write
 * to the bus there. For the next row above it waits chunk by chunk anyway; of another GPU's row, what
 * it needs is on the bus already. No row of another GPU writes to this one's bus. Above a row that is
 * finished, all rows are finished, or launched earlier on their GPU.
 */
static void
wait_above(const CsCudaSpans *spans, CsKernelItem *item)
{
    const guint owner = cs_cuda_spans_owner(spans, item->row);
    for (gint32 r = item->row - 1; r >= 0; r--) {
        const Row *row = &spans->row[r];
        if (row->begun && item->block >= row->start && item->block < row->next) {
            if (r == item->row - 1)
                return;
            if (cs_cuda_spans_owner(spans, r) == owner) {
                item->wait_row = r;
                item->wait = (item->block + 1) * spans->options.block_chunks;
                return;
            }
        }
        if (row->begun && row->ended && row->known == row->next)
            return;
    }
}

static CsKernelItem
make_item(const CsCudaSpans *spans, gint32 r)
{
    const Row *row = &spans->row[r], *above = r > 0 ? &spans->row[r - 1] : NULL;
    CsKernelItem item = {
        .row = r,
        .slot = (gint32)(r % spans->options.slots),
        .block = row->next,
        .start = row->start,
        .top_until = NEVER,
    };
    if (above == NULL)
        return item;
    item.top_until = 0;
    wait_above(spans, &item);
    if (!above->begun)
        return item;
    item.top_from = above->start * spans->options.block_chunks;
    item.top_until = top_until(spans, above);
    return item;
}

/*
 * Whether the row above is two blocks ahead, or has no more. At a seam as many must have been reported:
 * then the block's columns of that row's bottom have been passed on, because a block has at least two
 * chunks more than its last warp is behind.
 */
static gboolean
may_go_on(const CsCudaSpans *spans, gint32 r, gint32 block)
{
    const gint32 ahead = MIN(block + 2, spans->last);
    if (r == 0)
        return TRUE;
    const Row *above = &spans->row[r - 1];
    if (cs_cuda_spans_owner(spans, r) != cs_cuda_spans_owner(spans, r - 1))
        return above->known >= ahead || (above->ended && above->known == above->next);
    return above->ended || above->next >= ahead;
}

/* Whether the row that had the slot before is over. */
static gboolean
slot_is_free(const CsCudaSpans *spans, gint32 r)
{
    if (r < spans->options.slots)
        return TRUE;
    const Row *before = &spans->row[r - spans->options.slots];
    return !before->begun || (before->ended && before->known == before->next);
}

/* Lets the next row begin, if it is one of this GPU and can. Rows without any launched block end at
 * once. */
static void
begin_row(CsCudaSpans *spans, guint owner)
{
    for (; spans->fresh < spans->rows; spans->fresh++) {
        gint32 r = spans->fresh;
        Row *row = &spans->row[r];
        gint32 start = find_start(spans, r);
        if (start < NEVER && may_go_on(spans, r, start) && slot_is_free(spans, r)) {
            if (cs_cuda_spans_owner(spans, r) != owner)
                return;
            row->begun = TRUE;
            row->start = row->next = row->known = start;
            spans->fresh++;
            return; /* the next one will be two blocks behind */
        }
        row->quiet = row->ended = start == NEVER && is_quiet(spans, r);
        if (!row->ended)
            return;
    }
}

gboolean
cs_cuda_spans_has_ended(const CsCudaSpans *spans, gint64 row)
{
    return spans->row[row].ended;
}

void
cs_cuda_spans_step(CsCudaSpans *spans, guint owner, gboolean fresh, GArray *items)
{
    for (gint32 r = spans->active; r < spans->rows; r++) {
        if (r == spans->fresh && fresh) { /* as soon as the row above is two blocks ahead */
            begin_row(spans, owner);
            fresh = FALSE;
        }
        if (r == spans->fresh)
            return;
        Row *row = &spans->row[r];
        row->quiet = row->quiet || is_quiet(spans, r);
        row->ended = row->ended || row->quiet || row->next == spans->last;
        /* The rows below wait until it is known what was skipped. */
        spans->active += spans->active == r && row->quiet;
        if (row->ended)
            spans->longest = MAX(spans->longest, row->next - row->start);
        if (row->ended || cs_cuda_spans_owner(spans, r) != owner || !may_go_on(spans, r, row->next))
            continue;
        CsKernelItem item = make_item(spans, r);
        g_array_append_val(items, item);
        row->next++;
        spans->front = MAX(spans->front, row->next);
        row->ended = row->next == spans->last;
    }
}

void
cs_cuda_spans_drain(const CsCudaSpans *spans, guint owner, GArray *items)
{
    for (gint32 r = spans->active; r < spans->fresh; r++) {
        if (!spans->row[r].begun || spans->row[r].ended || cs_cuda_spans_owner(spans, r) != owner)
            continue;
        g_assert(spans->row[r].next > spans->row[r].start);
        CsKernelItem item = make_item(spans, r);
        item.drain = TRUE;
        g_array_append_val(items, item);
    }
}

void
cs_cuda_spans_learn(CsCudaSpans *spans, const CsKernelItem *item, gboolean computed)
{
    Row *row = &spans->row[item->row];
    g_assert(row->known == item->block);
    row->known++;
    if (computed && row->computed_end == 0)
        row->first_computed = item->block;
    if (computed)
        row->computed_end = item->block + 1;
    gint32 first = row->computed_end > 0 ? row->first_computed : row->known;
    gint32 below = item->row + 1 < spans->rows ? spans->from_below[item->row + 1] : NEVER;
    spans->start = MAX(spans->start, MIN(first - 1, below));
}

gboolean
cs_cuda_spans_is_flat(const CsCudaSpans *spans)
{
    return spans->active == spans->fresh;
}

/* Assumes that a row will be as long as the longest so far, and a row that is already longer as
 * long again; the first rows, that they come to the end of the matrix. */
gint64
cs_cuda_spans_steps_left(const CsCudaSpans *spans)
{
    gint32 left = 0;
    for (gint32 r = spans->active; r < spans->fresh; r++) {
        const Row *row = &spans->row[r];
        const gint32 done = row->next - row->start;
        const gint32 more = spans->longest == 0     ? spans->last
                            : done < spans->longest ? spans->longest - done
                                                    : done;
        if (!row->ended)
            left = MAX(left, MIN(spans->last - row->next, more));
    }
    return left;
}

gint64
cs_cuda_spans_rows(const CsCudaSpans *spans)
{
    return spans->fresh;
}

gint64
cs_cuda_spans_column(const CsCudaSpans *spans, gint64 row)
{
    const Row *stand = &spans->row[row];
    return stand->ended
               ? spans->options.grid->n
               : MIN(stand->next * spans->options.grid->block_width, spans->options.grid->n);
}

/* Rows begin and end, and the front moves to the right: one of these happens in nearly every step. */
double
cs_cuda_spans_share(const CsCudaSpans *spans)
{
    const gint64 done = (gint64)spans->fresh + spans->active + spans->front;
    if (cs_cuda_spans_is_done(spans))
        return 1;
    return (double)done / (double)(2 * (gint64)spans->rows + spans->last + 1);
}

gboolean
cs_cuda_spans_is_done(const CsCudaSpans *spans)
{
    return spans->active == spans->rows;
}

/* The columns of a row as far as that chunk. */
static void
find_columns(const CsCudaSpans *spans, const Row *row, gint64 chunks, gint64 *from, gint64 *until)
{
    const CsGrid *grid = spans->options.grid;
    *from = MIN(row->start * grid->block_width, grid->n);
    *until = chunks == NEVER ? grid->n : CLAMP(chunks * CS_CHUNK, *from, grid->n);
}

gint64
cs_cuda_spans_finished(const CsCudaSpans *spans)
{
    return spans->active;
}

void
cs_cuda_spans_bottom(const CsCudaSpans *spans, gint64 rows, gint64 *from, gint64 *until)
{
    const CsGrid *grid = spans->options.grid;
    *from = *until = 0;
    if (rows == 0) {
        *until = grid->n; /* what entered */
        return;
    }
    const Row *row = &spans->row[rows - 1];
    if (row->begun)
        find_columns(spans, row, top_until(spans, row), from, until);
}

void
cs_cuda_spans_complete(const CsCudaSpans *spans, gint64 row, gint64 *from, gint64 *until)
{
    const Row *begun = &spans->row[row];
    find_columns(spans, begun, bottom_until(spans, begun->known), from, until);
}
