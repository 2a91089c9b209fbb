/*
 * The scalar engine: a plain, portable statement of the recurrence (Gotoh; equations 1 to 3 of the
 * CUDAlign paper), for any scoring that cs_scoring_check() accepts:
 *
 *   E(i, j) = max(E(i, j-1) - extend, H(i, j-1) - first)
 *   F(i, j) = max(F(i-1, j) - extend, H(i-1, j) - first)
 *   H(i, j) = max(0, H(i-1, j-1) + p(i, j), E(i, j), F(i, j))
 *
 * with first = gap_open + gap_extend, and p = match or -mismatch. This kernel, like every other, is
 * tested against an oracle that shares no code with it.
 */
#include "cpu/scalar.h"

#include "cpu/cpu_shape.h"
#include "cpu/cpu_wave.h"

/* Computes one row. h and f hold the row above and become this row's; left is H(i, j0), diagonal is
 * H(i - 1, j0), e is E(i, j0). */
static void
compute_row(CsCpuBlock *block, gint64 row, CsScore *h, CsScore *f, CsScore diagonal, CsScore left,
            CsScore e)
{
    const CsScoring *scoring = block->scoring;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    for (gint64 column = 0; column < block->width; column++) {
        e = MAX(e - extend, left - first);
        f[column] = MAX(f[column] - extend, h[column] - first);
        CsScore pair =
            block->rows[row] == block->columns[column] ? scoring->match : -scoring->mismatch;
        left = MAX(MAX(0, diagonal + pair), MAX(e, f[column]));
        diagonal = h[column];
        h[column] = left;
        if (left >= block->best.score &&
            cs_best_yields_to(&block->best, block->tie_order, left, block->i0 + row + 1,
                              block->j0 + column + 1))
            block->best = (CsBest){left, block->i0 + row + 1, block->j0 + column + 1};
    }
    cs_width_set(block->score_width, block->left_h, row, left);
    cs_width_set(block->score_width, block->left_e, row, MAX(e, 0));
}

void
cs_scalar_compute(CsCpuBlock *block)
{
    const CsWidth width = block->score_width;
    CsScore *h = block->scratch, *f = h + block->width;
    for (gint64 column = 0; column < block->width; column++) {
        h[column] = cs_width_get(width, block->top_h, column);
        f[column] = cs_width_get(width, block->top_f, column);
    }
    CsScore diagonal = block->corner;
    for (gint64 row = 0; row < block->height; row++) {
        CsScore left = cs_width_get(width, block->left_h, row);
        CsScore e = cs_width_get(width, block->left_e, row);
        compute_row(block, row, h, f, diagonal, left, e);
        diagonal = left;
    }
    for (gint64 column = 0; column < block->width; column++) {
        cs_width_set(width, block->top_h, column, h[column]);
        cs_width_set(width, block->top_f, column, MAX(f[column], 0));
    }
    block->cells_computed = block->height * block->width;
}

static const char *
describe(const char *device, GError **error)
{
    return "one cell at a time";
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, GError **error)
{
    return cs_cpu_wave_begin(cs_scalar_compute, cs_scalar_compute, rectangle, grid, options, error);
}

const CsEngineClass cs_scalar_engine = {
    .name = "scalar",
    .queue = CS_CPU_WAVE_QUEUE,
    .describe = describe,
    .shape = cs_cpu_shape_fill,
    .accepts = cs_cpu_wave_accepts,
    .needs = cs_cpu_wave_needs,
    .begin = begin,
    .feed = cs_cpu_wave_feed,
    .submit = cs_cpu_wave_submit,
    .collect = cs_cpu_wave_collect,
    .staircase = cs_cpu_wave_staircase,
    .finish = cs_cpu_wave_finish,
    .free = cs_cpu_wave_free,
};
