/* Unrelated bases for tests. */
#ifndef RANDOM_SEQUENCE_H
#define RANDOM_SEQUENCE_H

#include <chromosweep/sequence.h>

/* A random sequence of A, C, G and T. The same seed gives the same sequence. */
static inline CsSequence *
random_sequence(gint64 length, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autofree char *bases = g_malloc(length);
    for (gint64 k = 0; k < length; k++)
        bases[k] = "ACGT"[g_rand_int_range(rand, 0, 4)];
    return cs_sequence_new("random", bases, length, NULL);
}

#endif
