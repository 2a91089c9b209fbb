/*
 * How much an alignment can still gain, counted along one side of the matrix (bounds.h).
 *
 *   absent_kmers.c -> marks, of which disjoint k-mers are chosen -> one step back over them a base
 */
#ifndef CS_BOUNDS_SIDE_H
#define CS_BOUNDS_SIDE_H

#include "lower_bound/survey.h"
#include "skipping/bounds_rule.h"

/* Of rows 0 .. length of one side: the highest bound after each 2^shift of them; 0 before the first
 * base that can match, where no alignment that matters has begun. */
typedef struct {
    gint64 length; /* bases */
    guint shift;
    CsScore *highest; /* (length >> shift) + 1 of them, each at least 0 */
} CsBoundsSide;

/*
 * The bounds of the survey's rows by a rule. *marks, if it is wanted, becomes the marks of the
 * items that were counted (absent_kmers.h), which g_free() takes back; NULL where bases alone
 * were. Fails as cs_absent_kmers_mark() does; then side and *marks are left alone.
 */
gboolean cs_bounds_side_init(CsBoundsSide *side, const CsSurvey *survey, const CsBoundsRule *rule,
                             guint8 **marks, GError **error);
void cs_bounds_side_clear(CsBoundsSide *side);

/* The highest bound after bases from .. to, 0 .. length, or a little more. */
CsScore cs_bounds_side_highest(const CsBoundsSide *side, gint64 from, gint64 to);

#endif
