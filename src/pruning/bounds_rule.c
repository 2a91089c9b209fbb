/* The weights of absent words and ambiguous letters, and the length of the words. */
#include "pruning/bounds_rule.h"

#include "pruning/absent_words.h"

enum {
    SHORTER = 3, /* words are so much shorter ... */
    LONGER = 3,  /* ... and longer than log4 of the letters they are sought in */
    MOST_KEPT = 1 << 22,
};

/* As scoring.c has it: match * letters must stay below. */
#define LIMIT (G_MAXINT64 / 4)

static guint
log4_of(gint64 letters)
{
    guint log = 0;
    while (letters >= 4) {
        letters /= 4;
        log++;
    }
    return log;
}

/* So that at most MOST_KEPT values are kept, and one more. */
static guint
shift_of(gint64 length)
{
    guint shift = 0;
    while (length >> shift >= MOST_KEPT)
        shift++;
    return shift;
}

CsBoundsRule
cs_bounds_rule_of_letters(gint64 length)
{
    return (CsBoundsRule){.shift = shift_of(length)};
}

/* docs/algorithm.md proves the weights. */
CsBoundsRule
cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other)
{
    const CsScore pair = scoring->match + scoring->mismatch;
    const CsScore deleted = scoring->match + scoring->gap_extend;
    CsBoundsRule rule = cs_bounds_rule_of_letters(length);
    if (length >= LIMIT / scoring->match) /* the sums could overflow */
        return rule;
    const guint log = log4_of(other);
    rule.shortest = MAX(log, SHORTER + 2) - SHORTER;
    rule.longest = MIN(log + LONGER, CS_ABSENT_LONGEST);
    rule.ambiguous = MIN(pair, deleted);
    rule.word = MIN(pair, cs_scoring_first_gap(scoring));
    rule.word = MIN(rule.word, deleted + scoring->gap_open / 2);
    rule.word = MIN(rule.word, deleted * rule.shortest);
    return rule;
}
