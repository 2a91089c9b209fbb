/* Proteins and nucleotides: which letters there are. */
#include <string.h>

#include "search/alphabet.h"
#include "sequence/bases.h"

#define INVALID_16 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
#define INVALID_64 INVALID_16, INVALID_16, INVALID_16, INVALID_16
/* '@' to '_', and '`' to DEL. */
#define LETTERS_32                                                                                 \
    255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
        25, 255, 255, 255, 255, 255

static const guint8 protein_codes[256] = {
    INVALID_16,
    INVALID_16, /* controls */
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    CS_PROTEIN_STOP,
    255,
    255,
    255,
    255,
    255,
    INVALID_16, /* digits */
    LETTERS_32,
    LETTERS_32,
    INVALID_64,
    INVALID_64,
};

const CsStreamLetters cs_alphabet_protein = {protein_codes, "an amino acid", ""};
const CsStreamLetters cs_alphabet_nucleotide = {cs_bases_codes, "a nucleotide code", ""};

void
cs_letter_count_add(CsLetterCount *count, const guint8 *letters, gsize length)
{
    for (gsize k = 0; k < length; k++)
        count->of[letters[k]]++;
}

guint8
cs_alphabet_letter(guint code)
{
    return code == CS_PROTEIN_STOP ? '*' : (guint8)('A' + code);
}

gboolean
cs_letter_count_is_nucleotide(const CsLetterCount *count)
{
    gint64 all = 0, usual = 0;
    for (guint code = 0; code < CS_PROTEIN_LETTERS; code++) {
        const guint8 byte = cs_alphabet_letter(code);
        if (count->of[code] > 0 && cs_bases_codes[byte] == CS_CODE_INVALID)
            return FALSE;
        all += count->of[code];
        usual += strchr("ACGTUN", byte) != NULL ? count->of[code] : 0;
    }
    return usual >= all - all / 10;
}

void
cs_alphabet_to_bases(guint8 *letters, gsize length)
{
    for (gsize k = 0; k < length; k++)
        letters[k] = cs_bases_codes[cs_alphabet_letter(letters[k])];
}

void
cs_alphabet_complement(const guint8 *bases, gsize length, guint8 *complement)
{
    for (gsize k = 0; k < length; k++) {
        const guint8 base = bases[length - 1 - k];
        complement[k] = base < CS_CODE_AMBIGUOUS ? 3 - base : base;
    }
}
