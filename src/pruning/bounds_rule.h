/* How one side's bounds are counted: what an item on it, an absent word or an ambiguous letter,
 * costs an alignment at least. */
#ifndef CS_BOUNDS_RULE_H
#define CS_BOUNDS_RULE_H

#include <chromosweep/scoring.h>

#include "sweep/types.h"

typedef struct {
    CsScore word;      /* what an absent word inside an alignment costs it; 0: none are sought */
    CsScore ambiguous; /* what an ambiguous letter costs; 0, as word is then: letters are counted */
    guint shortest;    /* letters of a word, at least 2 */
    guint longest;
    guint shift; /* one bound is kept of each 2^shift rows */
} CsBoundsRule;

/* The rule for a side of `length` letters against `other` letters. */
CsBoundsRule cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other);

/* The rule for a side whose letters alone are counted. */
CsBoundsRule cs_bounds_rule_of_letters(gint64 length);

#endif
