/* The weights of absent k-mers and ambiguous bases, and the length of the k-mers. */
#include "skipping/bounds_rule.h"

#include "skipping/absent_kmers.h"

enum {
    SHORTER = 3, /* k-mers are up to this much shorter ... */
    LONGER = 3,  /* ... or longer than log4 of the bases in which they are looked for */
    MOST_KEPT = 1 << 22,
};

/* The same as in scoring.c: match * bases must stay below it. */
#define LIMIT (G_MAXINT64 / 4)

static guint
log4_of(gint64 bases)
{
    guint log = 0;
    while (bases >= 4) {
        bases /= 4;
        log++;
    }
    return log;
}

/* The shift with which at most MOST_KEPT + 1 values are kept. */
static guint
shift_of(gint64 length)
{
    guint shift = 0;
    while (length >> shift >= MOST_KEPT)
        shift++;
    return shift;
}

CsBoundsRule
cs_bounds_rule_of_bases(gint64 length)
{
    return (CsBoundsRule){.shift = shift_of(length)};
}

/* docs/algorithm.md proves the weights. */
CsBoundsRule
cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other)
{
    const CsScore pair = scoring->match + scoring->mismatch;
    const CsScore deleted = scoring->match + scoring->gap_extend;
    CsBoundsRule rule = cs_bounds_rule_of_bases(length);
    if (length >= LIMIT / scoring->match) /* the sums could overflow */
        return rule;
    const guint log = log4_of(other);
    rule.shortest = MAX(log, SHORTER + 2) - SHORTER;
    rule.longest = MIN(log + LONGER, CS_ABSENT_LONGEST);
    rule.ambiguous = MIN(pair, deleted);
    rule.kmer = MIN(pair, cs_scoring_first_gap(scoring));
    rule.kmer = MIN(rule.kmer, deleted + scoring->gap_open / 2);
    rule.kmer = MIN(rule.kmer, deleted * rule.shortest);
    return rule;
}
