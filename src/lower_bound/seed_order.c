/* Sorts by some bits of the keys at a time, the lowest first. */
#include "lower_bound/seed_order.h"

#include <string.h>

#include "system/memory.h"

enum {
    BITS = 11, /* so many places can be written to by turns */
    BUCKETS = 1 << BITS,
};

static void
sort_by_bits(const CsKeyedSeed *from, CsKeyedSeed *to, gint32 count, gint64 lowest, int shift)
{
    guint32 starts[BUCKETS] = {0}, before = 0;
    for (gint32 k = 0; k < count; k++)
        starts[(from[k].key - lowest) >> shift & (BUCKETS - 1)]++;
    for (int b = 0; b < BUCKETS; b++) {
        const guint32 size = starts[b];
        starts[b] = before;
        before += size;
    }
    for (gint32 k = 0; k < count; k++)
        to[starts[(from[k].key - lowest) >> shift & (BUCKETS - 1)]++] = from[k];
}

CsKeyedSeed *
cs_seed_order(const CsSeed *seeds, gint32 count, CsSeedKey key)
{
    g_autofree CsKeyedSeed *order = cs_memory_try_new(CsKeyedSeed, count + 1);
    g_autofree CsKeyedSeed *other = cs_memory_try_new(CsKeyedSeed, count + 1);
    gint64 lowest = G_MAXINT64, highest = G_MININT64;
    if (order == NULL || other == NULL)
        return NULL;
    for (gint32 k = 0; k < count; k++) {
        order[k] = (CsKeyedSeed){cs_seed_key(&seeds[k], key), k};
        lowest = MIN(lowest, order[k].key);
        highest = MAX(highest, order[k].key);
    }
    for (int shift = 0; count > 0 && (highest - lowest) >> shift > 0; shift += BITS) {
        sort_by_bits(order, other, count, lowest, shift);
        CsKeyedSeed *sorted = other;
        other = order;
        order = sorted;
    }
    return g_steal_pointer(&order);
}
