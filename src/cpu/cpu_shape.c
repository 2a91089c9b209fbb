/*
 * How large the blocks of a CPU engine are: wide enough for the vector kernels, but small enough
 * that every thread has one and a stop is quick.
 */
#include <chromosweep/threads.h>

#include "cpu/cpu_shape.h"

/* Smaller blocks cost more to hand over than to compute; larger ones no longer fit the nearer
 * caches. */
#define SMALLEST_BLOCK 256
#define WIDEST_BLOCK 16384
#define TALLEST_BLOCK 1536
#define MARKED_WIDTH 2048
#define MARKED_HEIGHT STRIPS_HEIGHT
/* Whole strips, and as many as a vector kernel computes side by side (simd_kernel.c), for every
 * instruction set. Strips of tilted lanes divide only the second number. */
#define STRIP_HEIGHT 256
#define STRIPS_HEIGHT (3 * STRIP_HEIGHT)
/* As many strips of tilted lanes as are computed side by side, for every instruction set. */
#define TILTED_HEIGHT (STRIPS_HEIGHT / 2)

/*
 * Cells of one thread's share of a diagonal, at most, even if another shape is asked for. A stop
 * waits for the submitted diagonals, and the slowest kernel computes this many in about a second.
 */
#define SHARE_CELLS ((gint64)1 << 28)

/* Along a border H falls by at most gap_extend per base. 16 bits must hold that for a block of this
 * width (simd_block.c). */
static gint64
widest_block(const CsScoring *scoring)
{
    return CLAMP(40960 / MAX(scoring->gap_extend, 1), SMALLEST_BLOCK, WIDEST_BLOCK);
}

/* Makes blocks lower, and narrower if that is not enough. Only cells inside the matrix count. */
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
 * Blocks for skipping. What remains is a band, and narrow blocks follow it more closely. But wide
 * blocks compute faster, and every block costs a little even if it is skipped. A cell takes about
 * 1 + 700 / width times as long as in a wide block, and in each row the band is wider by a few
 * block widths. If a larger share remains beside the band, both costs together are least at a width
 * of about the root of share * columns * LOST_COLUMNS.
 */
#define SKIPPING_COLUMNS 1000
/* Where the band is narrow, blocks are still smaller. */
#define NARROW_COLUMNS 2500
#define SKIPPING_DEPTH 16
#define LOST_COLUMNS 100.0

/* A band is mostly computed in tilted lanes (simd_block.c). There a border rises by up to match +
 * 2 * gap_extend per base, which limits the width. If that is less than half of the widest block,
 * blocks are wider and tilted lanes are not used. */
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
    const gint64 columns = rectangle->narrow ? NARROW_COLUMNS : SKIPPING_COLUMNS;
    gint64 width = CLAMP(n / columns, SMALLEST_BLOCK, widest / 2);
    while (width < widest && (double)width * (double)width < square)
        width += SMALLEST_BLOCK;
    return MIN(width, widest);
}

static void
shape_skipping(const CsRectangle *rectangle, guint threads, CsGridShape *shape)
{
    const gint64 m = cs_rectangle_m(rectangle), width = width_skipping(rectangle);
    const gint64 rows = rectangle->narrow ? NARROW_COLUMNS : SKIPPING_COLUMNS;
    const gint64 strips = rectangle->narrow ? TILTED_HEIGHT : STRIPS_HEIGHT;
    if (shape->block_width == 0)
        shape->block_width = width;
    if (shape->block_height == 0)
        shape->block_height =
            CLAMP(MAX(m / rows, width / 4) / strips, 1, TALLEST_BLOCK / strips) * strips;
    if (shape->depth == 0)
        shape->depth = MAX(SKIPPING_DEPTH, 2 * (gint64)threads);
}

void
cs_cpu_shape_fill(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    /* Twice as many slots as threads and twice as many columns as slots, so that no thread waits
     * long. */
    gint64 depth = 2 * (gint64)options->threads;
    const gboolean marks = rectangle->marks != NULL; /* of whole blocks, so these are small */
    if (rectangle->skipping)
        shape_skipping(rectangle, options->threads, shape);
    if (shape->block_width == 0)
        shape->block_width =
            CLAMP(cs_rectangle_n(rectangle) / (2 * depth), SMALLEST_BLOCK,
                  MIN(marks ? MARKED_WIDTH : G_MAXINT64, widest_block(&rectangle->scoring)));
    if (shape->block_height == 0) {
        gint64 height = CLAMP(cs_rectangle_m(rectangle) / depth, SMALLEST_BLOCK,
                              marks ? MARKED_HEIGHT : TALLEST_BLOCK);
        shape->block_height =
            height - height % (height < STRIPS_HEIGHT ? STRIP_HEIGHT : STRIPS_HEIGHT);
    }
    if (shape->depth == 0)
        shape->depth = depth;
    limit_block(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), options->threads, shape);
}
