/* Pieces of special rows. */
#include "cuda/cuda_device.h"
#include "cuda/cuda_pieces.h"

enum {
    HELD = CS_CUDA_QUEUE + 2,                  /* diagonals whose pieces are kept */
    HELD_SKIPPING = CS_CUDA_SKIPPING_LATE + 4, /* a piece is complete with the next block */
};

/* Block rows that may be under way at a time. */
static gint64
window(const CsRun *run)
{
    return run->plan.skipping ? run->footprint.slots : run->grid->depth;
}

/* Block rows, and those that fill up the last window. */
static gint64
count_rows(const CsRun *run)
{
    return cs_divide_up(run->grid->block_rows, window(run)) * window(run);
}

/* Cells of a piece: the columns of a block, padding included. */
static gint64
piece_cells(const CsRun *run)
{
    return (gint64)run->plan.block_chunks * CS_CHUNK;
}

/* Whether another GPU computes the block row below. */
static gboolean
is_seam(const CsCudaPieces *pieces, const CsRun *run, gint64 bi)
{
    const guint8 *owners = pieces->seams.owners;
    return owners != NULL && bi + 1 < run->grid->block_rows && owners[bi + 1] != owners[bi];
}

/* Whether pieces of the block row leave this GPU. */
static gboolean
has_pieces(const CsCudaPieces *pieces, const CsRun *run, gint64 bi)
{
    const CsCudaSeams *seams = &pieces->seams;
    if (bi >= run->grid->block_rows || (seams->owners != NULL && seams->owners[bi] != seams->self))
        return FALSE;
    return is_seam(pieces, run, bi) ||
           cs_rectangle_is_special(run->rectangle, run->grid->row_starts[bi + 1]);
}

gboolean
cs_cuda_pieces_init(CsCudaPieces *pieces, const CsRun *run, GError **error)
{
    gint64 depth = window(run), inside = 0, order = 0;
    if (run->rectangle->n_special_rows == 0 && pieces->seams.owners == NULL)
        return TRUE;
    const gint64 rows = count_rows(run);
    pieces->places = g_new(gint32, rows);
    for (gint64 bi = 0; bi < rows; bi++) {
        const gboolean has = has_pieces(pieces, run, bi);
        pieces->places[bi] = has ? 0 : -1;
        inside += has - (bi >= depth && pieces->places[bi - depth] >= 0);
        pieces->places_count = MAX(pieces->places_count, inside);
    }
    if (pieces->places_count == 0) {
        g_clear_pointer(&pieces->places, g_free);
        return TRUE;
    }
    for (gint64 bi = 0; bi < rows; bi++)
        if (pieces->places[bi] >= 0)
            pieces->places[bi] = (gint32)(order++ % pieces->places_count);
    pieces->held = run->plan.skipping ? HELD_SKIPPING : HELD;
    pieces->rows = g_new(CsCudaRow, pieces->places_count);
    for (gint64 k = 0; k < pieces->places_count; k++)
        pieces->rows[k].row = -1;
    gsize cells = (gsize)pieces->held * (gsize)pieces->places_count * (gsize)piece_cells(run);
    return cs_cuda_check(
        cudaHostAlloc((void **)&pieces->cells, cells * sizeof(CsKernelCell), cudaHostAllocMapped),
        "allocating host memory for special rows", error);
}

void
cs_cuda_pieces_clear(CsCudaPieces *pieces)
{
    (void)cudaFreeHost(pieces->cells);
    g_free(pieces->places);
    g_free(pieces->rows);
}

gboolean
cs_cuda_pieces_attach(const CsCudaPieces *pieces, CsRun *run, GError **error)
{
    CsKernelLaunch *launch = &run->launch;
    if (pieces->places == NULL)
        return TRUE;
    launch->special = cs_cuda_memory_place(&run->memory, pieces->places,
                                           (gsize)count_rows(run) * sizeof *pieces->places, error);
    launch->queue = (gint32)pieces->held;
    launch->special_places = (gint32)pieces->places_count;
    return launch->special != NULL &&
           cs_cuda_check(cudaHostGetDevicePointer((void **)&launch->pieces, pieces->cells, 0),
                         "allocating host memory for special rows", error);
}

CsKernelCell *
cs_cuda_pieces_at(const CsCudaPieces *pieces, const CsRun *run, gint64 d, gint64 bi)
{
    if (pieces->places == NULL || pieces->places[bi] < 0)
        return NULL;
    return pieces->cells +
           (d % pieces->held * pieces->places_count + pieces->places[bi]) * piece_cells(run);
}

/* Hands out cells of a block's last row. */
static gboolean
hand_out(const CsRun *run, gint64 bi, gint64 from, gint64 count, const CsKernelCell *cells,
         GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    g_autofree CsScore *values = g_new(CsScore, 2 * count);
    for (gint64 k = 0; k < count; k++) {
        values[k] = cs_width_get(CS_WIDTH_32, &cells[k].h, 0);
        values[count + k] = cs_width_get(CS_WIDTH_32, &cells[k].gap, 0);
    }
    /* In a ring the row function feeds another device. */
    return rectangle->row_func(run->grid->row_starts[bi + 1], from, count, values, values + count,
                               cs_cuda_run_leaves_bounds(run), rectangle->row_data, error) &&
           cs_cuda_check(cudaSetDevice(run->ordinal), "choosing the device", error);
}

/* Hands out the pieces of diagonal d. */
static gboolean
hand_out_diagonal(const CsCudaPieces *pieces, const CsRun *run, gint64 d, GError **error)
{
    const CsGrid *grid = run->grid;
    for (gint64 s = 0; s < grid->depth; s++) {
        gint64 bi, bj;
        if (d - s < 0 || d - s >= cs_grid_slot_blocks(grid, s))
            continue;
        cs_grid_slot_block(grid, s, d - s, &bi, &bj);
        const CsKernelCell *cells = cs_cuda_pieces_at(pieces, run, d, bi);
        const gint64 from = cs_grid_column_start(grid, bj);
        if (cells != NULL &&
            !hand_out(run, bi, from, cs_grid_column_start(grid, bj + 1) - from, cells, error))
            return FALSE;
    }
    return TRUE;
}

gboolean
cs_cuda_pieces_hand_out(CsCudaPieces *pieces, const CsRun *run, gint64 diagonals, GError **error)
{
    if (pieces->places == NULL)
        return TRUE;
    while (pieces->handed_out < diagonals)
        if (!hand_out_diagonal(pieces, run, pieces->handed_out++, error))
            return FALSE;
    return TRUE;
}

gboolean
cs_cuda_pieces_hand_out_row(CsCudaPieces *pieces, const CsRun *run, gint64 bi, gint64 from,
                            gint64 until, GError **error)
{
    if (pieces->places == NULL || pieces->places[bi] < 0)
        return TRUE;
    const gint64 width = piece_cells(run), columns = run->grid->block_columns;
    CsCudaRow *row = &pieces->rows[pieces->places[bi]];
    if (row->row != bi)
        *row = (CsCudaRow){.row = bi, .until = from};
    while (row->until < until) {
        const gint64 bj = row->until / width;
        const gint64 start = row->until, end = MIN(until, (bj + 1) * width);
        /* As the kernels count: rows are tiers of one slot (hand_piece() in borders.cuh). */
        const gint64 d = bi * columns + bj + bi % run->launch.slots;
        const CsKernelCell *cells = cs_cuda_pieces_at(pieces, run, d, bi);
        row->until = end;
        cells += start - bj * width;
        if (is_seam(pieces, run, bi) &&
            !pieces->seams.pass(bi, start, end - start, cells, pieces->seams.pass_data, error))
            return FALSE;
        if (cs_rectangle_is_special(run->rectangle, run->grid->row_starts[bi + 1]) &&
            !hand_out(run, bi, start, end - start, cells, error))
            return FALSE;
    }
    return TRUE;
}
