/*
 * K-mers so frequent in the columns that nearly every window has them (gain_seeds.h).
 *
 * A seed of such bases is hardly ever missing, but it is found in many windows, which takes most of
 * the time in a genome with repeats. So it does not count as a seed. Bounds are the higher for it,
 * never too low. Frequencies come from a sample, in counters that k-mers may share.
 */
#ifndef CS_GAIN_COMMON_H
#define CS_GAIN_COMMON_H

#include "skipping/gain_rule.h"

/* The most bytes that it takes, for a while. */
#define CS_GAIN_COMMON_BYTES (5 << 22)

typedef struct {
    guint bits;     /* log2 of the counters */
    guint8 *common; /* a bit each */
} CsGainCommon;

/* Looks at n columns, which are given as codes from the last to the first. Fails with
 * CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_gain_common_init(CsGainCommon *common, const CsGainRule *rule, const guint8 *columns,
                             gint64 n, GError **error);
void cs_gain_common_clear(CsGainCommon *common);

gboolean cs_gain_common_has(const CsGainCommon *common, guint32 kmer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainCommon, cs_gain_common_clear)

#endif
