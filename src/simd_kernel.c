/*
 * The recurrence on vectors of lanes. src/meson.build compiles this file once per lane type and
 * target and defines LANE (int32_t or int64_t) and KERNEL (the name of the function made). There
 * are no intrinsics; the inner loop is one that compilers turn into vectors.
 *
 * A block is cut into strips of STRIP rows, one lane a row. At step t lane l computes column t - l,
 * so the lanes of one step are an internal anti-diagonal and depend only on the two steps before:
 *
 *      column  0 1 2 3 4 5 ...          left  (i, j-1):   lane l     of step t-1
 *   lane 0     0 1 2 3 4 5              up    (i-1, j):   lane l - 1 of step t-1
 *   lane 1     1 2 3 4 5 6              diag  (i-1, j-1): lane l - 1 of step t-2
 *   lane 2     2 3 4 5 6 7
 *                                       Lane -1 is the border above the strip.
 *
 * Each lane keeps its highest H. Only when that could yield a cell to be reported is the strip
 * computed again, by the scalar kernel, from the copy of its borders that is made before each
 * strip.
 *
 * Exactness: 32-bit lanes are used only where cs_rectangle_width() proves all values to fit; there
 * is no saturation and no rebasing.
 */

#include <stdint.h>
#include <string.h>

#include "scalar.h"
#include "simd.h"

#define STRIP 256

typedef struct {
    /* One more in front for lane -1. */
    LANE h[3][STRIP + 1];
    LANE f[2][STRIP + 1];
    LANE e[STRIP];
    LANE best[STRIP];
    LANE rows[STRIP];
} Lanes;

typedef struct {
    LANE match, mismatch, first, extend, floor;
} Costs;

#define LANE_MAX(a, b) ((a) > (b) ? (a) : (b))

/* One step over count lanes. left_h .. diagonal are steps t-1 and t-2; columns run with the lanes.
 */
static inline void
step(gsize count, const Costs *costs, const LANE *restrict rows, const LANE *restrict columns,
     const LANE *restrict left_h, const LANE *restrict up_h, const LANE *restrict up_f,
     const LANE *restrict diagonal, LANE *restrict e, LANE *restrict f, LANE *restrict h,
     LANE *restrict best)
{
    const LANE match = costs->match, mismatch = costs->mismatch, first = costs->first;
    const LANE extend = costs->extend, floor = costs->floor;
    for (gsize l = 0; l < count; l++) {
        LANE gap_e = LANE_MAX(e[l] - extend, left_h[l] - first);
        LANE gap_f = LANE_MAX(up_f[l] - extend, up_h[l] - first);
        LANE pair = diagonal[l] + (rows[l] == columns[l] ? match : mismatch);
        LANE value = LANE_MAX(LANE_MAX(pair, floor), LANE_MAX(gap_e, gap_f));
        e[l] = gap_e;
        f[l] = gap_f;
        h[l] = value;
        best[l] = LANE_MAX(best[l], value);
    }
}

/*
 * One strip of height <= STRIP rows. reversed holds the block's columns from the last to the
 * first, so that they run with the lanes. Buses as in CsCpuBlock.
 */
static void
compute_strip(Lanes *lanes, gint64 height, gint64 width, const Costs *costs, const LANE *reversed,
              LANE corner, LANE *top_h, LANE *top_f, LANE *left_h, LANE *left_e)
{
    LANE *h0 = lanes->h[0] + 1, *h1 = lanes->h[1] + 1, *h2 = lanes->h[2] + 1;
    LANE *f0 = lanes->f[0] + 1, *f1 = lanes->f[1] + 1;
    LANE *e = lanes->e;
    h2[-1] = corner;
    for (gint64 t = 0; t < width + height - 1; t++) {
        gint64 low = MAX(0, t - width + 1), high = MIN(height - 1, t);
        if (t < width) {
            h1[-1] = top_h[t];
            f1[-1] = top_f[t];
        }
        if (t < height) {
            h1[t] = left_h[t];
            e[t] = left_e[t];
        }
        step((gsize)(high - low + 1), costs, lanes->rows + low, reversed + width - 1 - t + low,
             h1 + low, h1 + low - 1, f1 + low - 1, h2 + low - 1, e + low, f0 + low, h0 + low,
             lanes->best + low);
        if (t >= height - 1) {
            top_h[t - height + 1] = h0[height - 1];
            top_f[t - height + 1] = LANE_MAX(f0[height - 1], costs->floor);
        }
        if (t >= width - 1) {
            left_h[low] = h0[low];
            left_e[low] = LANE_MAX(e[low], costs->floor);
        }
        LANE *oldest = h2;
        h2 = h1;
        h1 = h0;
        h0 = oldest;
        LANE *older = f1;
        f1 = f0;
        f0 = older;
    }
}

/* The highest H of the strip's lanes. */
static LANE
highest_of(const Lanes *lanes, gint64 height)
{
    LANE highest = lanes->best[0];
    for (gint64 l = 1; l < height; l++)
        highest = LANE_MAX(highest, lanes->best[l]);
    return highest;
}

/* What a strip's borders were before it, for the scalar kernel. */
typedef struct {
    LANE *top_h, *top_f; /* block width of each */
    LANE left_h[STRIP], left_e[STRIP];
} Borders;

/* Finds the cell to be reported in the strip of rows row .. row + height - 1, scalarly. */
static void
rerun_strip(CsCpuBlock *block, gint64 row, gint64 height, LANE corner, Borders *before,
            void *scratch)
{
    CsCpuBlock strip = *block;
    strip.rows += row;
    strip.height = height;
    strip.i0 += row;
    strip.corner = corner;
    strip.top_h = before->top_h;
    strip.top_f = before->top_f;
    strip.left_h = before->left_h;
    strip.left_e = before->left_e;
    strip.scratch = scratch;
    cs_scalar_compute(&strip);
    block->best = strip.best;
    block->cells_computed += strip.cells_computed;
}

void
KERNEL(CsCpuBlock *block)
{
    const gint64 width = block->width;
    const Costs costs = {(LANE)block->scoring->match, (LANE)-block->scoring->mismatch,
                         (LANE)cs_scoring_first_gap(block->scoring),
                         (LANE)block->scoring->gap_extend, (LANE)cs_cpu_block_floor(block)};
    Lanes lanes;
    Borders before;
    /* The scratch: three vectors of ours, then what the scalar kernel takes. */
    LANE *reversed = block->scratch;
    before.top_h = reversed + width;
    before.top_f = before.top_h + width;
    void *scratch = (gint64 *)block->scratch + 3 * width;
    for (gint64 column = 0; column < width; column++)
        reversed[width - 1 - column] = block->columns[column];
    LANE *top_h = block->top_h, *top_f = block->top_f;
    LANE *left_h = block->left_h, *left_e = block->left_e;
    LANE corner = (LANE)block->corner;
    for (gint64 row = 0; row < block->height; row += STRIP) {
        gint64 height = MIN(STRIP, block->height - row);
        memcpy(before.top_h, top_h, (gsize)width * sizeof(LANE));
        memcpy(before.top_f, top_f, (gsize)width * sizeof(LANE));
        memcpy(before.left_h, left_h + row, (gsize)height * sizeof(LANE));
        memcpy(before.left_e, left_e + row, (gsize)height * sizeof(LANE));
        for (gint64 l = 0; l < height; l++) {
            lanes.rows[l] = block->rows[row + l];
            lanes.best[l] = costs.floor;
        }
        LANE next_corner = before.left_h[height - 1];
        compute_strip(&lanes, height, width, &costs, reversed, corner, top_h, top_f, left_h + row,
                      left_e + row);
        block->cells_computed += height * width;
        CsScore highest = highest_of(&lanes, height);
        if (highest > 0 && cs_best_yields_to(&block->best, block->tie_order, highest,
                                             block->i0 + row + 1, block->j0 + 1))
            rerun_strip(block, row, height, corner, &before, scratch);
        corner = next_corner;
    }
}
