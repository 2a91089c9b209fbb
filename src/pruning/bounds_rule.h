/* Inside bounds.c: the weights, which tests also make wrong, and the bounds of one side. */
#ifndef CS_BOUNDS_RULE_H
#define CS_BOUNDS_RULE_H

#include "pruning/bounds.h"

/* How one side's bounds are counted. */
typedef struct {
    CsScore word;      /* what an absent word inside an alignment costs it; 0: none are sought */
    CsScore ambiguous; /* what an ambiguous letter costs; 0, as word is then: letters are counted */
    guint shortest;    /* letters of a word, at least 2 */
    guint longest;
    guint shift; /* as CsBoundsSide has it */
} CsBoundsRule;

/* The rule for a side of `length` letters against `other` letters. */
CsBoundsRule cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other);

/* One side's bounds by a rule; side is left alone on failure. */
gboolean cs_bounds_side_init(CsBoundsSide *side, const CsView *of, const CsView *in,
                             const CsScoring *scoring, const CsBoundsRule *rule, guint threads,
                             const gint *stop, GError **error);
void cs_bounds_side_clear(CsBoundsSide *side);

/* The highest bound after letters from .. to, 0 .. length, or a little more. */
CsScore cs_bounds_side_highest(const CsBoundsSide *side, gint64 from, gint64 to);

#endif
