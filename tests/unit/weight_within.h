/* The weight of the marks of absent_kmers.h, added up in the plainest way, for the tests of bounds. */
#ifndef WEIGHT_WITHIN_H
#define WEIGHT_WITHIN_H

#include "skipping/absent_kmers.h"
#include "skipping/bounds_rule.h"

/* What the items that lie within bases from + 1 .. to weigh: of the absent k-mers the one that
 * ends first, then the first that begins after it. */
static inline CsScore
weight_within(const guint8 *marks, const CsBoundsRule *rule, gint64 length, gint64 from, gint64 to)
{
    CsScore weight = 0;
    gint64 free_from = 0;
    for (gint64 k = 0; k < length; k++) {
        const guint mark = cs_marks_get(marks, k);
        const gint64 begin = k + 1 - (gint64)(rule->shortest - 1 + mark);
        if (mark == CS_MARK_AMBIGUOUS) {
            weight += k >= from && k < to ? rule->ambiguous : 0;
        } else if (mark != CS_MARK_NONE && begin >= free_from) {
            weight += begin >= from && k < to ? rule->kmer : 0;
            free_from = k + 1;
        }
    }
    return weight;
}

#endif
