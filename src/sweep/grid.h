/*
 * The grid of blocks over a rectangle, and the external diagonals in which the host walks it.
 *
 * A block has block_height (R) rows and block_width (C) columns. The last row and column of blocks
 * may be smaller, and a block row also ends at each special row. CUDAlign walks anti-diagonals
 * bi + bj. Here block rows are grouped into tiers of `depth` rows. So a wave is never deeper than
 * that, upper rows finish early, and the next tier starts where the tier above leaves slots idle:
 *
 *     depth 3, 5 block columns; the number is the external diagonal
 *         bj  0  1  2  3  4
 *     bi 0    0  1  2  3  4     slot 0
 *        1    1  2  3  4  5     slot 1   first tier
 *        2    2  3  4  5  6     slot 2
 *        3    5  6  7  8  9     slot 0
 *        4    6  7  8  9 10     slot 1   second tier
 *
 * Diagonal d = bj + bi mod depth + (bi / depth) * block_columns. Slot s = bi mod depth computes one
 * block per diagonal, its block q = d - s, without a pause. With depth <= block_columns every block
 * comes after those above it and to its left. depth = block_columns is CUDAlign's own order.
 */
#ifndef CS_GRID_H
#define CS_GRID_H

#include <glib.h>

/* a / b, rounded up; neither is negative. */
static inline gint64
cs_divide_up(gint64 a, gint64 b)
{
    return a / b + (a % b != 0);
}

/* How a grid is cut; 0 lets the engine choose. Any shape gives the same result. */
typedef struct {
    gint64 block_height; /* R */
    gint64 block_width;  /* C */
    gint64 depth;
    guint block_threads; /* T, threads per CUDA block; CPU engines ignore it */
    gint64 row_unit;     /* above 0: the last tier is spread over all slots in multiples of it */
    guint members; /* of a ring: so many, from the first on, compute at most; 0: all of them */
} CsGridShape;

typedef struct {
    gint64 m, n;
    gint64 block_height; /* R */
    gint64 block_width;  /* C */
    gint64 depth;        /* 1 .. block_columns */
    guint members;       /* as in the shape */
    gint64 block_rows;
    gint64 block_columns;
    gint64 *row_starts; /* block_rows + 1; block row bi holds rows row_starts[bi] + 1 .. [bi + 1] */
} CsGrid;

/*
 * block_height and block_width are at least 1; depth is reduced to what the matrix allows.
 * special_rows ascend, each within 1 .. m. If there are none and row_unit is above 0, the rows of
 * the last tier are spread over all its slots, in multiples of row_unit. A matrix without cells has
 * no blocks and no diagonals.
 */
CsGrid *cs_grid_new(gint64 m, gint64 n, const CsGridShape *shape, const gint64 *special_rows,
                    gsize n_special_rows);
void cs_grid_free(CsGrid *grid);

/* How many external diagonals there are. */
gint64 cs_grid_diagonals(const CsGrid *grid);

/* The diagonals after which block row bi is complete. */
static inline gint64
cs_grid_row_end(const CsGrid *grid, gint64 bi)
{
    return bi % grid->depth + (bi / grid->depth + 1) * grid->block_columns;
}

/*
 * How many blocks one after the other a sweep takes for each block row, on average, if it computes a band
 * along the diagonal of the cells, of so many blocks in each block row, and no thread is lacking.
 */
double cs_grid_steps(const CsGrid *grid, double blocks);

/* How many blocks a slot computes. */
gint64 cs_grid_slot_blocks(const CsGrid *grid, gint64 slot);

/* The q-th block of a slot. */
static inline void
cs_grid_slot_block(const CsGrid *grid, gint64 slot, gint64 q, gint64 *bi, gint64 *bj)
{
    *bi = q / grid->block_columns * grid->depth + slot;
    *bj = q % grid->block_columns;
}

/* How many columns lie left of block column bj, 0 .. block_columns. */
static inline gint64
cs_grid_column_start(const CsGrid *grid, gint64 bj)
{
    return bj == grid->block_columns ? grid->n : bj * grid->block_width;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsGrid, cs_grid_free)

#endif
