/* The other strand's letters, for tests. */
#ifndef REVERSE_COMPLEMENT_H
#define REVERSE_COMPLEMENT_H

#include <string.h>

#include <glib.h>

/* Of A, C, G, T and N, the complements from the last to the first. */
static inline char *
reverse_complement(const char *letters)
{
    gsize length = strlen(letters);
    char *other = g_malloc(length + 1);
    for (gsize k = 0; k < length; k++)
        other[length - 1 - k] = "TGCAN"[strchr("ACGTN", letters[k]) - "ACGTN"];
    other[length] = '\0';
    return other;
}

#endif
