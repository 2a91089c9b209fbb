/*
 * Score, matches and pairs of an alignment as the digits of one number,
 *
 *     (score * W + matches) * W + pairs,      W = min(rows, columns) + 1,
 *
 * to which every pair of letters and every gap adds its part. There are at most W - 1 pairs, and no more
 * matches, so the larger of two such numbers has the better score, then the more matches, then the more
 * pairs: the recurrence with its maximum finds what is wanted. All letters take part, so more pairs
 * are fewer columns: columns = rows + columns of the matrix - pairs.
 *
 * Fewer digits do where only the score is wanted, or where the pairs follow from score and matches. A larger
 * W does as well.
 */
#ifndef CS_GLOBAL_NUMBER_H
#define CS_GLOBAL_NUMBER_H

#include "identity/global_pairs.h"

__extension__ typedef __int128 CsWide;

typedef enum {
    CS_GLOBAL_SCORE = 1,
    CS_GLOBAL_MATCHES = 2, /* and the score */
    CS_GLOBAL_PAIRS = 3,   /* and both */
} CsGlobalDigits;

typedef struct {
    CsGlobalDigits digits;
    gint64 weight; /* W, above 1 */
} CsGlobalNumber;

/* What 1 of the score counts. */
static inline CsWide
cs_global_unit(const CsGlobalNumber *number)
{
    CsWide unit = 1;
    for (int digit = 1; digit < (int)number->digits; digit++)
        unit *= number->weight;
    return unit;
}

/* What a pair of letters adds. */
static inline CsWide
cs_global_pair(const CsGlobalNumber *number, CsWide score, gboolean match)
{
    CsWide value = score;
    if (number->digits >= CS_GLOBAL_MATCHES)
        value = value * number->weight + match;
    if (number->digits >= CS_GLOBAL_PAIRS)
        value = value * number->weight + 1;
    return value;
}

/* Takes the last digit off, and returns it. */
static inline gint64
cs_global_take(const CsGlobalNumber *number, CsWide *value)
{
    CsWide rest = *value % number->weight;
    if (rest < 0)
        rest += number->weight;
    *value = (*value - rest) / number->weight;
    return (gint64)rest;
}

static inline gboolean
cs_global_is_match(const CsGlobalQuery *query, guint a, guint b)
{
    return a == b && (query->matching >> a & 1) != 0;
}

#endif
