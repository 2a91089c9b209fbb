/*
 * K-mers that are frequent in the columns (gain_seeds.h).
 *
 * They are few, but in a genome with repeats most hits are theirs, and hits take most of the time.
 * So they do not count as seeds, which can only raise bounds. Frequencies are estimated from a
 * sample, in counters that k-mers may share.
 */
#ifndef CS_GAIN_COMMON_H
#define CS_GAIN_COMMON_H

#include "skipping/gain_rule.h"

enum {
    CS_GAIN_COMMON_BITS = 22, /* log2 of the counters, at most */
    /* What they take while k-mers are counted, and a bit each. */
    CS_GAIN_COMMON_BYTES = 5 << CS_GAIN_COMMON_BITS,
};

typedef struct {
    guint bits;     /* log2 of the counters */
    guint8 *common; /* a bit each */
} CsGainCommon;

/* Looks at n columns, which are given as codes from the last to the first. FALSE if there is not
 * enough memory. */
gboolean cs_gain_common_init(CsGainCommon *common, const CsGainRule *rule, const guint8 *columns,
                             gint64 n);
void cs_gain_common_clear(CsGainCommon *common);

gboolean cs_gain_common_has(const CsGainCommon *common, guint32 kmer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainCommon, cs_gain_common_clear)

#endif
