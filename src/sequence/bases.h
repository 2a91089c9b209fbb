/*
 * Nucleotide bases as codes, one byte per base. Code that complements by 3 - c (view.h) or packs
 * two bits per base (kmer.h) relies on this alphabet.
 */
#ifndef CS_BASES_H
#define CS_BASES_H

#include <glib.h>

/* The complement of a base c is 3 - c. */
enum {
    CS_CODE_A = 0,
    CS_CODE_C = 1,
    CS_CODE_G = 2,
    CS_CODE_T = 3,
    CS_CODE_AMBIGUOUS = 4, /* matches nothing, not even itself */
    CS_CODE_INVALID = 255, /* in cs_bases_codes: not a nucleotide code */
};

/* The code for each byte; CS_CODE_INVALID if the byte is not an IUPAC nucleotide code. */
extern const guint8 cs_bases_codes[256];

/* White space within a line of bases. */
static inline gboolean
cs_bases_is_blank(guint8 byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/*
 * Converts bases to codes and counts the ambiguous ones. FALSE if a byte is not a base; codes and
 * count are then meaningless.
 */
gboolean cs_bases_encode(const guint8 *bases, gint64 length, guint8 *codes, gint64 *ambiguous);

#endif
