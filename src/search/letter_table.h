/* A table of bytes for the letters of proteins or nucleotides, looked up by shuffles. */
#ifndef CS_LETTER_TABLE_H
#define CS_LETTER_TABLE_H

#include "cpu/simd_target.h"
#include "search/lane_kernel.h"

/* Its bytes 0 to 15, and 16 to 31, as often as a vector repeats 16 bytes. It has to be aligned to a vector. */
typedef gint8 CsLetterTable[2][sizeof(Vec)];

static inline void
cs_letter_table_set(CsLetterTable table, guint letter, gint8 value)
{
    for (gsize at = 0; at < sizeof(Vec); at += 16)
        table[letter / 16][at + letter % 16] = value;
}

/* The values of each of a vector of letters, which are below CS_LETTERS_MAX. */
CS_INLINE Vec
cs_letter_table_look_up(const CsLetterTable table, Vec letters)
{
    /* A byte with the highest bit set selects 0. With 112 more, letters from 16 on have it, and with 16
     * less those below. */
    const Vec low = V(shuffle_epi8)(WHOLE(load)((const Vec *)(const void *)table[0]),
                                    V(add_epi8)(letters, V(set1_epi8)(112)));
    const Vec high = V(shuffle_epi8)(WHOLE(load)((const Vec *)(const void *)table[1]),
                                     V(sub_epi8)(letters, V(set1_epi8)(16)));
    return WHOLE(or)(low, high);
}

#endif
