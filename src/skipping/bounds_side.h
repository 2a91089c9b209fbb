/*
 * How much an alignment can still gain, counted along one side of the matrix (bounds.h).
 *
 *   absent_kmers.c -> marks -> choose k-mers that do not overlap -> count back, base by base
 */
#ifndef CS_BOUNDS_SIDE_H
#define CS_BOUNDS_SIDE_H

#include "lower_bound/survey.h"
#include "skipping/bounds_rule.h"

/* The bounds after rows 0 .. length of one side: the highest one of each 2^shift rows. They are 0
 * before the first base that can match, where no alignment that matters has begun. */
typedef struct {
    gint64 length; /* bases */
    guint shift;
    CsScore *highest; /* (length >> shift) + 1 of them, each at least 0 */
} CsBoundsSide;

/*
 * The bounds of the survey's rows by a rule. If marks is not NULL, *marks becomes the marks of the
 * items that were counted (absent_kmers.h), for g_free(), or NULL if only bases were counted. Fails
 * as cs_absent_kmers_mark() does; side and *marks are then unchanged.
 */
gboolean cs_bounds_side_init(CsBoundsSide *side, const CsSurvey *survey, const CsBoundsRule *rule,
                             guint8 **marks, GError **error);
void cs_bounds_side_clear(CsBoundsSide *side);

/* The highest bound after bases from .. to (within 0 .. length), or a slightly higher value. */
CsScore cs_bounds_side_highest(const CsBoundsSide *side, gint64 from, gint64 to);

#endif
