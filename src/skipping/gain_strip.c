/* Exact gains in a strip, step by step, by the kernels of the CPU engines. */
#include "skipping/gain_strip.h"

#include <chromosweep/error.h>

#include "cpu/scalar.h"
#include "sweep/grid.h"
#include "system/memory.h"

enum {
    ALIGNMENT = 64,
    PIECE = 2048, /* columns that a kernel computes at once */
};

gboolean
cs_gain_strip_init(CsGainStrip *strip, const CsGainRule *rule, gint64 height,
                   const CsGainBases *bases, const CsScoring *scoring, GError **error)
{
    const gsize scratch = CS_CPU_SCRATCH(height, PIECE);
    *strip = (CsGainStrip){.rule = rule, .bases = bases, .scoring = scoring, .height = height};
    strip->kernels = cs_simd_kernels(NULL);
    strip->side_h = cs_memory_try_new(gint32, 2 * height);
    strip->memory = cs_memory_try(1, scratch + ALIGNMENT);
    if (strip->side_h == NULL || strip->memory == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for the gains along the chain");
        return FALSE;
    }
    strip->side_e = strip->side_h + height;
    strip->scratch = (gpointer)(((gsize)strip->memory + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1));
    return TRUE;
}

void
cs_gain_strip_clear(CsGainStrip *strip)
{
    g_clear_pointer(&strip->h, g_free);
    g_clear_pointer(&strip->f, g_free);
    g_clear_pointer(&strip->side_h, g_free);
    g_clear_pointer(&strip->memory, g_free);
}

static gint64
block_of(const CsGainStrip *strip, gint64 diagonal)
{
    return cs_gain_block_of(strip->rule, strip->bases->m, diagonal);
}

/* Rows of a band, and the gains after the line below it. */
typedef struct {
    gint64 above, row; /* after row `above`, up to `row` */
    gint64 line;
    const CsGainReach *below;
} Step;

/* The most that is gained after a cell beside the strip, so many rows above the line. */
static gint32
gain_beside(const CsGainStrip *strip, const Step *step, gint64 rows, gint64 column)
{
    const gint64 block = block_of(strip, column - step->line + rows);
    return strip->rule->match * (gint32)rows + step->below->reached[block];
}

/* The same after a cell of a step's last row. On the line itself nothing goes along it: that counts
 * in the band below. */
static gint32
gain_below(const CsGainStrip *strip, const Step *step, gint64 column)
{
    if (step->row == step->line)
        return step->below->gains[block_of(strip, column - step->line)];
    return gain_beside(strip, step, step->line - step->row, column);
}

/* The values that enter from below, in place of those of the last step. Returns the corner's. */
static gint32
enter_below(CsGainStrip *strip, const Step *step, gint64 from, gint64 to)
{
    const gint64 count = to - from;
    gint32 *h = g_new(gint32, count), *f = g_new(gint32, count);
    gint32 corner = 0;
    for (gint64 k = -1; k < count; k++) { /* after column to - 1 - k */
        const gint64 column = to - 1 - k, own = strip->to - 1 - column;
        gint32 gain, deleting;
        if (column >= strip->from && column < strip->to) {
            gain = strip->h[own];
            deleting = strip->f[own];
        } else {
            gain = deleting = gain_below(strip, step, column);
        }
        if (k < 0) {
            corner = gain;
            continue;
        }
        h[k] = gain;
        f[k] = deleting;
    }
    g_free(strip->h);
    g_free(strip->f);
    strip->h = h;
    strip->f = f;
    strip->from = from;
    strip->to = to;
    return corner;
}

/* The values that enter from the right, after column `to`. */
static void
enter_side(CsGainStrip *strip, const Step *step)
{
    const gboolean at_end = strip->to == strip->bases->n; /* nothing can be gained there */
    for (gint64 row = step->row - 1, k = 0; row >= step->above; row--, k++) {
        const gint32 gain = gain_beside(strip, step, step->line - row, strip->to);
        strip->side_h[k] = strip->side_e[k] = at_end ? 0 : gain;
    }
}

/* Computes a rectangle of the sequences read backwards, piece by piece. */
static void
compute(CsGainStrip *strip, gint64 row, gint64 rows, gint32 corner)
{
    const CsGainBases *bases = strip->bases;
    const gint64 count = strip->to - strip->from;
    for (gint64 at = 0; at < count; at += PIECE) {
        CsCpuBlock block = {
            .rows = bases->rows + bases->m - row,
            .columns = bases->columns + bases->n - strip->to + at,
            .height = rows,
            .width = MIN(PIECE, count - at),
            .scoring = strip->scoring,
            .score_width = CS_WIDTH_32,
            .corner = corner,
            .top_h = strip->h + at,
            .top_f = strip->f + at,
            .left_h = strip->side_h,
            .left_e = strip->side_e,
            .scratch = strip->scratch,
            .best.score = G_MAXINT32, /* no cell is wanted */
        };
        corner = strip->h[at + block.width - 1];
        if (strip->kernels != NULL)
            cs_simd_compute(strip->kernels, &block);
        else
            cs_scalar_compute(&block);
        strip->cells += block.cells_computed;
    }
}

/* What an alignment can gain after a column of the line above. */
static gint32
gain_after(const CsGainStrip *strip, gint64 column)
{
    if (column >= strip->to)
        return 0; /* after the last column */
    const gint64 k = strip->to - 1 - column;
    return MAX(strip->h[k], strip->f[k] + strip->rule->open - strip->rule->split);
}

/* Lowers the gains of the blocks whose columns the strip has. */
static void
lower(const CsGainStrip *strip, gint64 row, CsGainReach *line)
{
    const CsGainRule *rule = strip->rule;
    const gint64 m = strip->bases->m, n = strip->bases->n;
    const gint64 end = strip->to == n ? n + 1 : strip->to;
    const gint64 lowest = block_of(strip, MAX(-m, strip->from - row));
    const gint64 highest = block_of(strip, MIN(n, strip->to - row));
    for (gint64 block = lowest; block <= highest; block++) {
        const gint64 first = row + cs_gain_block_start(rule, m, block);
        const gint64 from = MAX(0, first), to = MIN(n + 1, first + rule->block);
        gint32 gain = 0;
        if (from >= to || from < strip->from || to > end)
            continue;
        for (gint64 column = from; column < to; column++)
            gain = MAX(gain, gain_after(strip, column));
        line->gains[block] = MIN(line->gains[block], gain);
    }
}

static void
compute_step(CsGainStrip *strip, const Step *step, const CsGainSpan *span)
{
    if (span->from >= span->to) {
        strip->from = strip->to = 0;
        return;
    }
    const gint32 corner = enter_below(strip, step, span->from, span->to);
    enter_side(strip, step);
    compute(strip, step->row, step->row - step->above, corner);
}

void
cs_gain_strip_cross(CsGainStrip *strip, gint64 band, const CsGainSpan *spans,
                    const CsGainReach *below)
{
    const gint64 first = band * strip->rule->band;
    const gint64 line = MIN(strip->bases->m, first + strip->rule->band);
    for (gint64 s = cs_divide_up(line - first, strip->height) - 1; s >= 0; s--) {
        const gint64 above = first + s * strip->height;
        const Step step = {above, MIN(line, above + strip->height), line, below};
        compute_step(strip, &step, &spans[s]);
    }
}

gint32
cs_gain_strip_lower(const CsGainStrip *strip, gint64 band, CsGainReach *line)
{
    gint32 highest = 0;
    if (strip->from == strip->to)
        return 0;
    lower(strip, band * strip->rule->band, line);
    for (gint64 k = 0; k < strip->to - strip->from; k++)
        highest = MAX(highest, strip->h[k]);
    return highest;
}
