/*
 * Pairs whose identity cannot reach a given one, told before they are aligned: by their lengths, by the
 * words of k letters that they share, or by their score. No pair that reaches it is lost;
 * docs/proofs/identity.md has the proofs.
 */
#ifndef CS_FILTER_H
#define CS_FILTER_H

#include <chromosweep/identity.h>

#include "search/pair_scores.h"

typedef struct {
    CsIdentityOver over;
    gint64 least, unit; /* the identity to reach is least / unit; unit is at most 2^30 */
    guint32 matching;   /* bit a: the letter with code a matches itself */
    guint bits;         /* of a letter in a word */
    guint k;            /* letters of a word, at least 2; 0: words say nothing */
} CsIdentityFilter;

/* `length` is a usual one, after which k is chosen. 0 <= least <= unit. */
void cs_identity_filter_init(CsIdentityFilter *filter, CsIdentityOver over, gint64 least,
                             gint64 unit, guint32 matching, gint64 length);

/* Whether two records of these lengths can reach it. */
gboolean cs_identity_filter_lengths(const CsIdentityFilter *filter, gint64 m, gint64 n);

/* Bytes for the words of a record, a multiple of 16; 0 if k is 0. */
gsize cs_identity_filter_bytes(const CsIdentityFilter *filter);

/* Counts the words of a record in cs_identity_filter_bytes() bytes, which are aligned to 16. */
void cs_identity_filter_count(const CsIdentityFilter *filter, const guint8 *letters, gint64 length,
                              gpointer words);

/* Whether two records with these lengths and words can reach it. Takes a few hundred steps for 16S genes. */
gboolean cs_identity_filter_words(const CsIdentityFilter *filter, gint64 m, gconstpointer m_words,
                                  gint64 n, gconstpointer n_words);

/* The least score of the best alignments of two records that reach it. */
gint64 cs_identity_filter_score(const CsIdentityFilter *filter, const CsPairScoring *scoring,
                                gint64 m, gint64 n);

#endif
