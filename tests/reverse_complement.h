/* The other strand's letters, for tests. */
#ifndef REVERSE_COMPLEMENT_H
#define REVERSE_COMPLEMENT_H

#include <string.h>

#include <glib.h>

/* Of A, C, G and T; any other letter, which matches nothing, stays as it is. */
static inline char
complement_of(char letter)
{
    const char *bases = "ACGT", *base = memchr(bases, letter, 4);
    return base != NULL ? "TGCA"[base - bases] : letter;
}

/* The complements from the last to the first. */
static inline char *
reverse_complement(const char *letters)
{
    gsize length = strlen(letters);
    char *other = g_malloc(length + 1);
    for (gsize k = 0; k < length; k++)
        other[length - 1 - k] = complement_of(letters[k]);
    other[length] = '\0';
    return other;
}

#endif
