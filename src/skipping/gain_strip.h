/*
 * A strip around the best path in which gains are exact, as far as the gains around it are
 * (gains.h). A CPU kernel computes it: what an alignment can still gain is the H of the two
 * sequences read backwards.
 *
 *              |  strip  |                   A band's part are a few steps, each a rectangle. From
 *      line  --+---------+--                 below come the values of the strip below or, beside
 *              |  <---   |  side: match      those, on a line the gains of blocks. On the right,
 *              +---^-----+-+  per row + gain where a path may leave it, and beside a step comes a
 *                |   ^     |                 match for each row down to the line and then the
 *      line  ----+---|-----+--------         highest gain that can be reached.
 *                   |  strip  |
 */
#ifndef CS_GAIN_STRIP_H
#define CS_GAIN_STRIP_H

#include "cpu/simd.h"
#include "skipping/gain_grid.h"

/* Columns from + 1 .. to; none if from = to. */
typedef struct {
    gint64 from, to;
} CsGainSpan;

typedef struct {
    const CsGainRule *rule;
    const CsGainBases *bases;
    const CsScoring *scoring;
    gint64 height;                      /* rows of a step */
    const CsSimdKernel *const *kernels; /* NULL: the scalar one */
    gint64 from, to; /* the columns after whose row the last step's values are; none before it */
    gint32 *h, *f;   /* of column to - 1 - k: the gain, and the gain with a deletion first */
    gint32 *side_h, *side_e; /* of each row of a step */
    gpointer scratch, memory;
    gint64 cells;
} CsGainStrip;

/* The rule, the bases and the scoring must outlive it. `height` is the rows of a step. Fails with
 * CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_gain_strip_init(CsGainStrip *strip, const CsGainRule *rule, gint64 height,
                            const CsGainBases *bases, const CsScoring *scoring, GError **error);
void cs_gain_strip_clear(CsGainStrip *strip);

/* Computes a band, each of its steps in the columns of a span, the first of which is at its top. */
void cs_gain_strip_cross(CsGainStrip *strip, gint64 band, const CsGainSpan *spans,
                         const CsGainReach *below);

/* After that: lowers the gains of the blocks of the line above that lie in the strip.
 * Returns the highest gain of the strip after the line above, 0 without a strip. */
gint32 cs_gain_strip_lower(const CsGainStrip *strip, gint64 band, CsGainReach *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainStrip, cs_gain_strip_clear)

#endif
