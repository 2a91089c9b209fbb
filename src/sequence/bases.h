/*
 * Nucleotide bases as codes, one byte a base. The alphabet is DNA's: whoever complements by 3 - c
 * (view.h) or packs two bits a base (kmer.h) relies on it.
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

/* The code of each byte as a base, CS_CODE_INVALID where it is not an IUPAC nucleotide code. */
extern const guint8 cs_bases_codes[256];

/* White space within a line of bases. */
static inline gboolean
cs_bases_is_blank(guint8 byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/*
 * Bases to codes, and how many of them are ambiguous. FALSE where one is no base: the codes and
 * the count mean nothing then.
 */
gboolean cs_bases_encode(const guint8 *bases, gint64 length, guint8 *codes, gint64 *ambiguous);

#endif
