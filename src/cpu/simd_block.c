/*
 * A block on vectors: which lanes hold it, and which cell it may have to report.
 *
 * Lanes of 8 and 16 bits hold values relative to a base, and H is clamped at it:
 *
 *   base = max(0, lowest H on the block's borders - 2 * first - extend * min(width, height))
 *
 * Exactness:
 * 1. No H of the block is below base + first, because a gap straight down from the top border, or
 *    straight right from the left border, leads to every cell. So no E or F that is opened in the
 *    block or on its borders is below the base.
 * 2. If the base is 0, that is the clamp of H, and a gap value below 0 makes no difference. If it is
 *    above 0, only values that are not the maximum are raised to it: a mismatched pair; and an E or F
 *    that enters below the base, which is then still not above the gap that is opened there.
 * 3. The base has the value cs_simd_floor() in a lane, and another gap_extend for each step up to
 *    the period of the lanes. So nothing wraps at the bottom: values below the base are at least
 *    H of the base less gap_open, and less gap_extend where a gap leads down within a lane; or less
 *    mismatch; or the value of the base one or two steps before.
 * 4. At most match + mismatch is added to a cell. H(i, j) is at most the highest H on the borders +
 *    match * min(width, height), for the pairs of a path. If that and the mismatch fit above the
 *    highest floor, nothing wraps at the top.
 * 5. In 8 bits that is seldom certain beforehand, but usually afterwards. If anything wrapped at
 *    the top, the H before the first that did is exact and was too high by (4). Then the block is
 *    computed again in 16 bits; its borders have not left yet.
 *
 * 32-bit lanes are exact by cs_rectangle_width().
 *
 * Tilted lanes hold values relative to a base that falls by gap_extend with each row and column:
 * H~(i, j) = H(i, j) + extend * (i + j), and E and F likewise, less the base. With
 *
 *   base = lowest H~ on the borders - gap_open - max(gap_open, mismatch - 2 * extend)
 *
 * the recurrence is exact, and needs neither a clamp nor saturation, if
 * 6. no H of the block is below first (1), so that 0 is never the maximum;
 * 7. no sum leaves the lanes. H~(i, j) is at least H~(0, j) - gap_open, by a gap straight down.
 *    Opening a gap subtracts gap_open, a mismatch subtracts mismatch - 2 * extend, and the rest is
 *    not below the base. Gaps of a path do not raise H~; each pair raises it by at most match + 2 *
 *    extend, and a path has at most min(width, height) pairs. So H~ is at most the highest H~ on
 *    the borders plus that many times match + 2 * extend;
 * 8. no cell can be the best: the highest H on the borders + match * min(width, height) is below
 *    the best score known or the threshold less one, whichever is higher.
 */
#include "cpu/simd.h"
#include "cpu/sliced.h"

typedef struct {
    CsScore lowest, highest;
} Range;

static Range
range_of(const gint32 *values, gint64 count, Range range)
{
    gint32 lowest = (gint32)range.lowest, highest = (gint32)range.highest;
    for (gint64 k = 0; k < count; k++) {
        lowest = MIN(lowest, values[k]);
        highest = MAX(highest, values[k]);
    }
    return (Range){lowest, highest};
}

/* Whether the lanes hold every H up to `h`, and what is added to it. */
static gboolean
holds(const CsSimdKernel *kernel, const CsSimdPass *pass, CsScore h)
{
    const CsScoring *scoring = pass->block->scoring;
    const CsScore floor =
        kernel->period > 0 ? cs_simd_floor(scoring) + kernel->period * scoring->gap_extend : 0;
    return h - pass->base <= kernel->top - floor - scoring->match - scoring->mismatch;
}

static void
compute(void (*how)(CsSimdPass *), CsSimdPass *pass)
{
    how(pass);
    pass->block->cells_computed += pass->block->height * pass->block->width;
}

/* Extends the range by the H~ (see above) of a border, whose first cell is next to the corner. */
static Range
tilted_range_of(const gint32 *values, gint64 count, gint64 extend, Range range)
{
    for (gint64 k = 0; k < count; k++) {
        const gint64 value = values[k] + (k + 1) * extend;
        range.lowest = MIN(range.lowest, value);
        range.highest = MAX(range.highest, value);
    }
    return range;
}

/* Whether tilted lanes hold the block (6, 7). If so, sets the base of the pass. */
static gboolean
tilts(const CsSimdKernel *kernel, CsSimdPass *pass, CsScore lowest, CsScore fall)
{
    const CsCpuBlock *block = pass->block;
    const CsScoring *scoring = block->scoring;
    const CsScore extend = scoring->gap_extend, open = scoring->gap_open;
    if (lowest < fall)
        return FALSE;
    Range range = {block->corner, block->corner};
    range = tilted_range_of(block->top_h, block->width, extend, range);
    range = tilted_range_of(block->left_h, block->height, extend, range);
    const CsScore base = range.lowest - open - MAX(open, scoring->mismatch - 2 * extend);
    const CsScore rise = (scoring->match + 2 * extend) * MIN(block->width, block->height);
    if (range.highest + rise - base > kernel->top)
        return FALSE;
    pass->base = base;
    return TRUE;
}

/* Whether single bits may hold blocks of this shape. */
static gboolean
suits_slices(const CsSimdKernel *kernel, const CsCpuBlock *block)
{
    const CsScoring *scoring = block->scoring;
    return scoring->match == CS_SLICED_MATCH && scoring->mismatch == CS_SLICED_MISMATCH &&
           scoring->gap_open == CS_SLICED_OPEN && scoring->gap_extend == CS_SLICED_EXTEND &&
           block->height % kernel->strip == 0 && block->height <= CS_SLICED_HEIGHT &&
           block->width >= 2 * kernel->strip;
}

static gboolean
has_ambiguous(const guint8 *codes, gint64 count)
{
    guint8 all = 0;
    for (gint64 k = 0; k < count; k++)
        all |= codes[k];
    return all >= CS_CODE_AMBIGUOUS;
}

/* Whether single bits may hold the block. Only its sweep tells whether they do. */
static gboolean
slices(const CsSimdKernel *kernel, const CsCpuBlock *block, Range range, CsScore enough)
{
    if (enough < CS_SLICED_LEAST_BEST || range.lowest < 0 || range.highest > kernel->top ||
        !suits_slices(kernel, block) || has_ambiguous(block->rows, block->height) ||
        has_ambiguous(block->columns, block->width))
        return FALSE;
    Range gaps = range_of(block->top_f, block->width, (Range){0, 0});
    gaps = range_of(block->left_e, block->height, gaps);
    return gaps.highest <= kernel->top;
}

/* Computes the block in the first lanes that hold it. The borders do not leave yet. A cell with a
 * score below `enough` need not be found. */
static const CsSimdKernel *
sweep(const CsSimdKernel *const *kernels, CsSimdPass *pass, CsScore enough)
{
    CsCpuBlock *block = pass->block;
    const CsScoring *scoring = block->scoring;
    const gint64 shorter = MIN(block->width, block->height);
    Range range = {block->corner, block->corner};
    range = range_of(block->top_h, block->width, range);
    range = range_of(block->left_h, block->height, range);
    const CsScore fall = 2 * cs_scoring_first_gap(scoring) + scoring->gap_extend * shorter;
    const CsScore most = range.highest + scoring->match * shorter;
    for (; (*kernels)->bits < 32; kernels++) {
        if ((*kernels)->bits == 1) {
            if (slices(*kernels, block, range, enough)) {
                compute((*kernels)->sweep, pass);
                if (pass->highest == 0)
                    return *kernels;
            }
            continue;
        }
        if ((*kernels)->tilted) {
            if (most < enough && tilts(*kernels, pass, range.lowest, fall)) {
                compute((*kernels)->sweep, pass);
                return *kernels;
            }
            continue;
        }
        pass->base = MAX(0, range.lowest - fall);
        gboolean sure = holds(*kernels, pass, most);
        gboolean maybe = (*kernels)->bits == 8 && holds(*kernels, pass, range.highest);
        if (!(sure || maybe))
            continue;
        compute((*kernels)->sweep, pass);
        if (sure || holds(*kernels, pass, pass->highest))
            return *kernels;
    }
    pass->base = 0;
    compute((*kernels)->sweep, pass);
    return *kernels;
}

static void
compute_block(const CsSimdKernel *const *kernels, CsCpuBlock *block)
{
    CsSimdPass pass = {.block = block};
    const CsSimdKernel *kernel = sweep(kernels, &pass, block->best.score);
    if (pass.highest > 0 && cs_best_yields_to(&block->best, block->tie_order, pass.highest,
                                              block->i0 + 1, block->j0 + 1)) {
        pass.wanted = pass.highest;
        compute(kernel->find, &pass);
    }
    kernel->leave(&pass);
}

void
cs_simd_compute(const CsSimdKernel *const *kernels, CsCpuBlock *block)
{
    const gboolean in_parts = kernels[0]->bits == 1 && suits_slices(kernels[0], block);
    const gint64 width = in_parts ? CS_SLICED_WIDTH : block->width;
    CsCpuBlock part = *block;
    block->cells_computed = part.cells_computed = 0;
    for (gint64 j = 0; j < block->width; j += part.width) {
        const gint64 left = block->width - j;
        part.width = left < 2 * width ? left : width;
        part.columns = block->columns + j;
        part.j0 = block->j0 + j;
        part.top_h = (gint32 *)block->top_h + j;
        part.top_f = (gint32 *)block->top_f + j;
        const CsScore corner = ((gint32 *)part.top_h)[part.width - 1];
        compute_block(kernels, &part);
        part.corner = corner;
    }
    block->best = part.best;
    block->cells_computed = part.cells_computed;
}

CsScore
cs_simd_score(const CsSimdKernel *const *kernels, CsCpuBlock *block)
{
    CsSimdPass pass = {.block = block};
    block->cells_computed = 0;
    sweep(kernels, &pass, 0)->leave(&pass);
    return pass.highest;
}
