/* The rule for counting the bounds of one side: the least that an item there, an absent k-mer or an
 * ambiguous base, costs an alignment. */
#ifndef CS_BOUNDS_RULE_H
#define CS_BOUNDS_RULE_H

#include <chromosweep/scoring.h>

#include "sweep/types.h"

typedef struct {
    CsScore kmer; /* the least that an absent k-mer costs an alignment; 0: no k-mers are used */
    CsScore ambiguous; /* cost of an ambiguous base; 0: only bases are counted, and kmer is 0 too */
    guint shortest;    /* length of the shortest k-mers, at least 2 */
    guint longest;     /* length of the longest k-mers */
    guint shift;       /* one bound is kept for each 2^shift rows */
} CsBoundsRule;

/* The rule for a side of `length` bases against `other` bases. */
CsBoundsRule cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other);

/* The rule for a side on which only bases are counted. */
CsBoundsRule cs_bounds_rule_of_bases(gint64 length);

#endif
