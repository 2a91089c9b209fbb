/* k-mers as numbers of two bits per base. The last base has the lowest bits. */
#ifndef CS_KMER_H
#define CS_KMER_H

#include <glib.h>

/* All bits of a k-mer of 1 to 31 bases. */
static inline guint64
cs_kmer_mask(guint bases)
{
    return (G_GUINT64_CONSTANT(1) << 2 * bases) - 1;
}

#endif
