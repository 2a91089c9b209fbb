/*
 * The k-mers of bands of rows, and on which diagonals they occur in the columns (gains.h).
 *
 * A path that stays within a window of diagonals matches no k-mer without an occurrence there.
 */
#ifndef CS_GAIN_KMERS_H
#define CS_GAIN_KMERS_H

#include "lower_bound/survey.h"
#include "skipping/gain_index.h"

/* The codes of both sequences, from the last base to the first. */
typedef struct {
    gint64 m, n;
    guint8 *rows, *columns;
    CsGainIndex index; /* of the columns */
} CsGainBases;

/* Fails with CS_ERROR_DEVICE if there is not enough memory. Once the survey's *stop (if any) is
 * nonzero, the index is incomplete and must not be used. */
gboolean cs_gain_bases_init(CsGainBases *bases, const CsGainRule *rule, const CsSurvey *survey,
                            CsCrew *crew, GError **error);
void cs_gain_bases_clear(CsGainBases *bases);

/*
 * What is counted of one band.
 *
 * Near the chain, k-mers occur on the chain's diagonals. A path beside it cannot match them unless
 * it goes there. So for a block right of the chain, only occurrences right of the chain's highest
 * diagonal count, and for one on the left only those left of its lowest.
 */
typedef struct {
    gint64 lowest, highest; /* diagonals of the chain; none if lowest > highest */
    gint64 from, to;        /* the blocks from .. to - 1 that are counted */
    guint16 *missing;       /* of each: how many of the band's k-mers do not occur in its window */
    gint32 ambiguous;       /* ambiguous bases of the band's rows; none of them is in a k-mer */
} CsGainBand;

/* Counts in `count` bands, from band `last` upwards. The caller sets the chain's diagonals and the
 * blocks, and provides the memory for `missing`. */
void cs_gain_kmers_count(const CsGainRule *rule, const CsGainBases *bases, CsCrew *crew,
                         gint64 last, gint64 count, CsGainBand *bands);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainBases, cs_gain_bases_clear)

#endif
