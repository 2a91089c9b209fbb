/*
 * Seeds of bands of rows, and on which diagonals they occur in the columns (gains.h).
 *
 * A path that stays within a window of diagonals matches no seed without an occurrence there.
 */
#ifndef CS_GAIN_SEEDS_H
#define CS_GAIN_SEEDS_H

#include "lower_bound/survey.h"
#include "skipping/gain_common.h"
#include "skipping/gain_rule.h"
#include "system/parallel.h"

/* The most bytes that the counts of a rule's chunk take, per base of both sequences. */
#define CS_GAIN_MISSING_BYTES 4

/* The codes of both sequences, from the last base to the first. */
typedef struct {
    gint64 m, n;
    guint8 *rows, *columns;
    CsGainCommon common; /* k-mers of the columns that do not count as seeds */
} CsGainBases;

/* Fails with CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_gain_bases_init(CsGainBases *bases, const CsGainRule *rule, const CsSurvey *survey,
                            GError **error);
void cs_gain_bases_clear(CsGainBases *bases);

/*
 * What is counted of one band.
 *
 * Around the chain seeds occur on the chain's diagonals. A path beside it cannot match them unless
 * it comes there. So for a block right of the last block of the chain only occurrences right of its
 * highest diagonal count, and on the left likewise.
 */
typedef struct {
    gint64 lowest, highest; /* diagonals of the chain; none if lowest > highest */
    guint16
        *missing; /* of each block: the band's seeds that do not occur in its part of a window */
    gint32 ambiguous; /* ambiguous bases of the band's rows; none of them is in a seed */
} CsGainBand;

/*
 * Counts in `count` bands, the first of which is band `first`. The caller has set the chain's
 * diagonals and given the memory for `missing`. Fails with CS_ERROR_DEVICE if there is not enough
 * memory. Once *stop (if any) becomes nonzero, the rest is left out, and what was counted is void.
 */
gboolean cs_gain_seeds_count(const CsGainRule *rule, const CsGainBases *bases, CsCrew *crew,
                             const gint *stop, gint64 first, gint64 count, CsGainBand *bands,
                             GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainBases, cs_gain_bases_clear)

#endif
