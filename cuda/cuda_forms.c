/* Which forms of the kernels hold a rectangle's values. */
#include <chromosweep/error.h>

#include "cuda/cuda_forms.h"

enum {
    GAP_AT_MOST = 1024, /* for a gap's first base, so that values below the base fit 16 bits */
};

gboolean
cs_cuda_forms_fits_bytes(const CsScoring *scoring)
{
    return scoring->match <= G_MAXINT8 && -scoring->mismatch >= G_MININT8;
}

/*
 * Whether H changes no more along a border than it can inside a matrix: over c cells it falls by at
 * most gap_open + extend * c, and rises by at most match * c more (docs/proofs/gpu-16-bits.md).
 */
static gboolean
is_smooth(const CsRectangle *rectangle, const CsBus *border)
{
    CsScore open = rectangle->scoring.gap_open, fall = rectangle->scoring.gap_extend;
    CsScore rise = rectangle->scoring.match + fall;
    CsScore lowest = rectangle->corner, highest = rectangle->corner;
    for (gint64 k = 0; border != NULL && k < border->length; k++) {
        CsScore h = cs_width_get(border->width, border->h, k);
        CsScore from_below = h - rise * (k + 1), from_above = h + fall * (k + 1);
        if (h < 0 || from_below > lowest + open || from_above < highest - open)
            return FALSE;
        lowest = MIN(lowest, from_below);
        highest = MAX(highest, from_above);
    }
    return TRUE;
}

/*
 * Two computed cells of a strip are at most its rows, and the columns between its lanes, apart. On
 * a way down and right H rises by at most a match per cell, and falls by at most a gap. The lowest
 * H in use is at most drop = first - extend + extend * CS_CHUNK above the base, or less near zero.
 * So during a chunk nothing is above the base by more than
 *
 *     (match + extend) * (rows + CS_PAD + CS_CHUNK) + 2 * first + drop
 *
 * Only M (by a mismatch), gap values (by a first base more) and values from a bus, which are
 * saturated far from the limit, are below the base.
 *
 * If chunks are skipped, a strip and the row above it may be further apart: by the columns of two
 * more chunks, and by the gaps of reach() (chunk_skip.cuh), to which a strip is raised before a
 * chunk is computed. The kernels check each chunk anyway.
 */
gboolean
cs_cuda_forms_fits_16(const CsRectangle *rectangle, const CsKernel *kernel)
{
    const CsScoring *scoring = &rectangle->scoring;
    CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    /* A match and a mismatch together must fit a byte, too (columns.cuh). */
    if (!cs_cuda_forms_fits_bytes(scoring) || scoring->match + scoring->mismatch > G_MAXINT8 ||
        first > GAP_AT_MOST)
        return FALSE;
    CsScore spread =
        (scoring->match + extend) * (cs_kernel_strip_rows(kernel) + CS_PAD + CS_CHUNK) + 2 * first;
    if (rectangle->skipping)
        spread += 3 * (scoring->match + extend) * CS_CHUNK + 3 * first;
    return spread + first - extend + extend * CS_CHUNK < 31000;
}

const CsKernel *
cs_cuda_forms_pick(const CsRectangle *rectangle, const CsEngineOptions *options, gboolean smooths,
                   GError **error)
{
    CsWidth width;
    if (!cs_rectangle_width(rectangle, &width, error))
        return NULL;
    if (width != CS_WIDTH_32) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "scores of this size need 64-bit arithmetic, which the GPU lacks");
        return NULL;
    }
    if (options->bits != 0 && options->bits != 16 && options->bits != 32) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "the GPU has no arithmetic of %u bits",
                    options->bits);
        return NULL;
    }
    const CsKernel *last = cs_kernels_16;
    while (last[1].bits != 0)
        last++;
    /* The rows of a ring's member do not all follow each other: the ring looked at the whole. */
    const gboolean seen = rectangle->corners != NULL && options->bits != 0;
    gboolean fits =
        cs_cuda_forms_fits_16(rectangle, last) &&
        (smooths || seen ||
         (is_smooth(rectangle, rectangle->top) && is_smooth(rectangle, rectangle->left)));
    if (options->bits == 16 && !fits) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "16-bit arithmetic cannot hold these scores");
        return NULL;
    }
    return fits && options->bits != 32 ? cs_kernels_16 : cs_kernels_32;
}

/*
 * A form for certain gap costs opens E and F from M. A gap of l bases to the right next to a gap of
 * k bases down costs 2 * first + extend * (l + k - 2). If mismatch <= 2 * extend, a mismatch for
 * each base of the shorter gap, and one gap for the rest, cost no more. So no H needs a gap that is
 * opened from another (docs/proofs/gpu-gaps.md).
 */
gboolean
cs_cuda_forms_may_take(const CsRectangle *rectangle, const CsKernel *kernel)
{
    const CsScoring *scoring = &rectangle->scoring;
    if (kernel->first != 0 &&
        (cs_scoring_first_gap(scoring) != kernel->first || scoring->gap_extend != kernel->extend ||
         scoring->mismatch > 2 * scoring->gap_extend))
        return FALSE;
    return kernel->bits == 32 || cs_cuda_forms_fits_16(rectangle, kernel);
}
