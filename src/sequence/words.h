/* Words of so many letters as numbers, two bits a letter, the last one lowest. */
#ifndef CS_WORDS_H
#define CS_WORDS_H

#include <glib.h>

/* All bits of a word of 1 to 31 letters. */
static inline guint64
cs_words_mask(guint letters)
{
    return (G_GUINT64_CONSTANT(1) << 2 * letters) - 1;
}

#endif
