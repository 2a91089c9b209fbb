/*
 * How much an alignment can still gain, counted along one side of the matrix (bounds.h).
 *
 *   absent_words.c -> marks, of which disjoint words are chosen -> one step back over them a letter
 */
#ifndef CS_BOUNDS_SIDE_H
#define CS_BOUNDS_SIDE_H

#include "anchors/survey.h"
#include "pruning/bounds_rule.h"

/* Of rows 0 .. length of one side: the highest bound after each 2^shift of them; 0 before the first
 * letter that can match, where no alignment that matters has begun. */
typedef struct {
    gint64 length; /* letters */
    guint shift;
    CsScore *highest; /* (length >> shift) + 1 of them, each at least 0 */
} CsBoundsSide;

/*
 * The bounds of the survey's rows by a rule. *marks, if it is wanted, becomes the marks of the
 * items that were counted (absent_words.h), which g_free() takes back; NULL where letters alone
 * were. Fails as cs_absent_words_mark() does; then side and *marks are left alone.
 */
gboolean cs_bounds_side_init(CsBoundsSide *side, const CsSurvey *survey, const CsBoundsRule *rule,
                             guint8 **marks, GError **error);
void cs_bounds_side_clear(CsBoundsSide *side);

/* The highest bound after letters from .. to, 0 .. length, or a little more. */
CsScore cs_bounds_side_highest(const CsBoundsSide *side, gint64 from, gint64 to);

#endif
