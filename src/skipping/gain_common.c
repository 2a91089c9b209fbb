/* Counts a sample of the k-mers of the columns. */
#include "skipping/gain_common.h"

#include <string.h>

#include "sequence/view.h"
#include "system/memory.h"

enum {
    SAMPLE = 13, /* of so many columns, one; odd, as periods of repeats are often even */
};

/*
 * Common is what occurs so many times in a window, on the average. At 0.25, every fifth window has
 * it. In a simulated pair of 250 Mb as similar as human and chimpanzee, that is 4% of the seeds and most of the hits.
 */
#define COMMON 0.25

static void
count_sample(const CsGainCommon *common, const CsGainRule *rule, const guint8 *columns, gint64 n,
             guint32 *counters)
{
    for (gint64 column = 0; column + rule->kmer <= n; column += SAMPLE) {
        guint32 kmer = 0;
        gboolean whole = TRUE;
        for (gint64 k = 0; k < rule->kmer; k++) {
            const guint8 code = columns[n - 1 - column - k];
            whole &= code != CS_COLUMN_AMBIGUOUS;
            kmer = kmer << 2 | (code & 3);
        }
        if (whole)
            counters[cs_gain_hash(kmer, common->bits)]++;
    }
}

gboolean
cs_gain_common_init(CsGainCommon *common, const CsGainRule *rule, const guint8 *columns, gint64 n)
{
    const double window = (double)(2 * rule->window + rule->block);
    const double least = COMMON * (double)n / window / SAMPLE;
    *common = (CsGainCommon){.bits = (guint)MIN(2 * rule->kmer, CS_GAIN_COMMON_BITS)};
    const gsize count = (gsize)1 << common->bits;
    g_autofree guint32 *counters = cs_memory_try_new(guint32, count);
    common->common = cs_memory_try_new(guint8, count / 8 + 1);
    if (counters == NULL || common->common == NULL)
        return FALSE;
    memset(counters, 0, count * sizeof *counters);
    memset(common->common, 0, count / 8 + 1);
    count_sample(common, rule, columns, n, counters);
    for (gsize k = 0; k < count; k++)
        if ((double)counters[k] >= MAX(least, 2))
            common->common[k / 8] |= (guint8)(1 << k % 8);
    return TRUE;
}

void
cs_gain_common_clear(CsGainCommon *common)
{
    g_clear_pointer(&common->common, g_free);
}

gboolean
cs_gain_common_has(const CsGainCommon *common, guint32 kmer)
{
    const guint32 k = cs_gain_hash(kmer, common->bits);
    return common->common[k / 8] >> k % 8 & 1;
}
