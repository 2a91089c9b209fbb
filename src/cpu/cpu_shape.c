/*
 * How large the blocks of a CPU engine are: wide enough for the vector kernels, small enough that
 * every thread has one and a stop need not be waited for.
 */
#include <chromosweep/threads.h>

#include "cpu/cpu_shape.h"

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

/* H falls along a border by at most what a gap's next base costs: so far that 16 bits still hold
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
#define SKIPPING_COLUMNS 1000
#define SKIPPING_DEPTH 16
#define LOST_COLUMNS 100.0

/* Along a border H rises by up to a match and a gap's next base: in the tilted lanes
 * (simd_block.c) that a band is mostly computed in by yet another one. Where they hold less than
 * half of the widest they are forgone. */
static gint64
widest_skipping(const CsScoring *scoring)
{
    const gint64 widest = widest_block(scoring);
    const gint64 tilted = G_MAXUINT16 / (scoring->match + 2 * scoring->gap_extend) - TALLEST_BLOCK;
    return tilted < widest / 2 ? widest : MIN(tilted, widest);
}

static gint64
width_skipping(const CsRectangle *rectangle)
{
    const gint64 n = cs_rectangle_n(rectangle), widest = widest_skipping(&rectangle->scoring);
    const double square = rectangle->share_left * (double)n * LOST_COLUMNS;
    gint64 width = CLAMP(n / SKIPPING_COLUMNS, SMALLEST_BLOCK, widest / 2);
    while (width < widest && (double)width * (double)width < square)
        width += SMALLEST_BLOCK;
    return MIN(width, widest);
}

static void
shape_skipping(const CsRectangle *rectangle, guint threads, CsGridShape *shape)
{
    const gint64 m = cs_rectangle_m(rectangle), width = width_skipping(rectangle);
    if (shape->block_width == 0)
        shape->block_width = width;
    if (shape->block_height == 0)
        shape->block_height = CLAMP(MAX(m / SKIPPING_COLUMNS, width / 4) / STRIPS_HEIGHT, 1,
                                    TALLEST_BLOCK / STRIPS_HEIGHT) *
                              STRIPS_HEIGHT;
    if (shape->depth == 0)
        shape->depth = MAX(SKIPPING_DEPTH, 2 * (gint64)threads);
}

void
cs_cpu_shape_fill(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    /* Twice as many slots as threads, and twice as many columns as slots: then nobody waits long.
     */
    gint64 depth = 2 * (gint64)options->threads;
    if (rectangle->skipping)
        shape_skipping(rectangle, options->threads, shape);
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
