/* The other strand's bases, for tests. */
#ifndef REVERSE_COMPLEMENT_H
#define REVERSE_COMPLEMENT_H

#include <string.h>

#include <glib.h>

/* The complement of A, C, G or T. Any other base matches nothing and stays as it is. */
static inline char
complement_of(char base)
{
    const char *acgt = "ACGT", *found = memchr(acgt, base, 4);
    return found != NULL ? "TGCA"[found - acgt] : base;
}

/* The complements, from the last base to the first. */
static inline char *
reverse_complement(const char *bases)
{
    gsize length = strlen(bases);
    char *other = g_malloc(length + 1);
    for (gsize k = 0; k < length; k++)
        other[length - 1 - k] = complement_of(bases[k]);
    other[length] = '\0';
    return other;
}

#endif
