/*
 * Where each k-mer occurs in the columns (gain_kmers.h).
 */
#ifndef CS_GAIN_INDEX_H
#define CS_GAIN_INDEX_H

#include "skipping/gain_rule.h"
#include "system/parallel.h"

typedef struct {
    guint32 *starts;  /* of each k-mer's places in `columns`, and the end of the last one's */
    guint32 *columns; /* where it begins, in ascending order */
    gint64 frequent;  /* a k-mer in so many columns is not counted */
} CsGainIndex;

/*
 * Indexes n columns, given as codes from the last to the first. FALSE if there is not enough
 * memory. Once *stop (if any) is nonzero, the index is incomplete and must not be used.
 */
gboolean cs_gain_index_init(CsGainIndex *index, const CsGainRule *rule, const guint8 *columns,
                            gint64 n, CsCrew *crew, const gint *stop);
void cs_gain_index_clear(CsGainIndex *index);

/* The columns in which a k-mer begins. */
static inline const guint32 *
cs_gain_index_find(const CsGainIndex *index, guint32 kmer, gint64 *count)
{
    *count = index->starts[kmer + 1] - index->starts[kmer];
    return index->columns + index->starts[kmer];
}

#endif
