/* Pairs of sequences for the tests of seeds, chains and lower bounds. */
#ifndef RELATED_H
#define RELATED_H

#include <string.h>

#include "../reverse_complement.h"
#include "sequence/view.h"

static inline void
related_append(GRand *rand, GString *bases, int alphabet, int count)
{
    for (; count > 0; count--)
        g_string_append_c(bases, "ACGT"[g_rand_int_range(rand, 0, alphabet)]);
}

/* A copy in which of a thousand bases so many are other, missing or followed by new ones. */
static inline GString *
related_copy(GRand *rand, const GString *from, int alphabet, int changed)
{
    GString *copy = g_string_new(NULL);
    for (gsize k = 0; k < from->len; k++) {
        const int event = g_rand_int_range(rand, 0, 1000);
        if (event >= changed)
            g_string_append_c(copy, from->str[k]);
        else if (event % 8 == 0)
            k += (gsize)g_rand_int_range(rand, 0, 6);
        else
            related_append(rand, copy, alphabet, event % 8 == 1 ? 6 : 1);
    }
    return copy;
}

static inline void
related_add_ns(GRand *rand, GString *bases, int most)
{
    gsize from = (gsize)g_rand_int_range(rand, 0, (gint32)bases->len + 1);
    gsize count = (gsize)g_rand_int_range(rand, 1, most + 1);
    memset(bases->str + from, "NR"[g_rand_int_range(rand, 0, 2)], MIN(count, bases->len - from));
}

/* Bases from .. from + count - 1 as the other strand has them. */
static inline void
related_invert(GString *bases, gsize from, gsize count)
{
    for (gsize k = 0; k < count; k++)
        bases->str[from + k] = complement_of(bases->str[from + k]);
    for (gsize k = 0; k < count / 2; k++) {
        char base = bases->str[from + k];
        bases->str[from + k] = bases->str[from + count - 1 - k];
        bases->str[from + count - 1 - k] = base;
    }
}

/* A sequence with the bases amid others, for related_view(). */
static inline CsSequence *
related_hide(const GString *bases, gboolean reversed, gboolean complement)
{
    g_autoptr(GString) around = g_string_new("ACCA");
    for (gsize k = 0; k < bases->len; k++) {
        char base = bases->str[reversed ? bases->len - 1 - k : k];
        g_string_append_c(around, complement ? complement_of(base) : base);
    }
    g_string_append(around, "CAAC");
    return cs_sequence_new("hidden", around->str, (gint64)around->len, NULL);
}

/* A view that reads as the bases did. */
static inline CsView
related_view(const CsSequence *sequence, gboolean reversed, gboolean complement)
{
    return (CsView){sequence->codes + 4, sequence->length - 8, reversed, complement};
}

#endif
