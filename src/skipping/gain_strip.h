/*
 * A strip around the best path in which gains are exact, as far as the gains around it are
 * (gains.h). A CPU kernel computes it: what an alignment can still gain is the H of the two
 * sequences read backwards.
 *
 *              |  strip  |                   A band's part is a rectangle. From below come the
 *      line  --+---------+--                 values of the strip below or, beside those, the gains
 *              |  <---   |  side: match      of blocks; on the right, where a path may leave it,
 *              |   ^     |  per row + gain   a match for each row down to the line and then the
 *      line  --+---|-----+--------           highest gain that can be reached.
 *                 |  strip  |
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
    const CsSimdKernel *const *kernels; /* NULL: the scalar one */
    gint64 from, to; /* the columns after whose row the last step's values are; none before it */
    gint32 *h, *f;   /* of column to - 1 - k: the gain, and the gain with a deletion first */
    gint32 *side_h, *side_e; /* of each row of a band */
    gpointer scratch, memory;
    gint64 cells;
} CsGainStrip;

/* The rule, the bases and the scoring must outlive it. Fails with CS_ERROR_DEVICE if there is not
 * enough memory. */
gboolean cs_gain_strip_init(CsGainStrip *strip, const CsGainRule *rule, const CsGainBases *bases,
                            const CsScoring *scoring, GError **error);
void cs_gain_strip_clear(CsGainStrip *strip);

/* Computes a band in the columns of the span. */
void cs_gain_strip_step(CsGainStrip *strip, gint64 band, const CsGainSpan *span,
                        const CsGainReach *below);

/* After the step of a band: lowers the gains of the blocks of the line above that lie in the strip.
 * Returns the highest gain of the strip after the line above, 0 without a strip. */
gint32 cs_gain_strip_lower(const CsGainStrip *strip, gint64 band, CsGainReach *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainStrip, cs_gain_strip_clear)

#endif
