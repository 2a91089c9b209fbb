/* How one side's bounds are counted: what an item on it, an absent k-mer or an ambiguous base,
 * costs an alignment at least. */
#ifndef CS_BOUNDS_RULE_H
#define CS_BOUNDS_RULE_H

#include <chromosweep/scoring.h>

#include "sweep/types.h"

typedef struct {
    CsScore kmer;      /* what an absent k-mer inside an alignment costs it; 0: none are sought */
    CsScore ambiguous; /* what an ambiguous base costs; 0, as k-mer is then: bases are counted */
    guint shortest;    /* bases of a k-mer, at least 2 */
    guint longest;
    guint shift; /* one bound is kept of each 2^shift rows */
} CsBoundsRule;

/* The rule for a side of `length` bases against `other` bases. */
CsBoundsRule cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other);

/* The rule for a side whose bases alone are counted. */
CsBoundsRule cs_bounds_rule_of_bases(gint64 length);

#endif
