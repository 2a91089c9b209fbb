/*
 * Letters of proteins and nucleotides as codes below CS_LETTERS_MAX. Every letter of the Latin
 * alphabet may stand in a protein, and has a code of its own, so that codes of proteins tell whether
 * a sequence could be nucleotides.
 */
#ifndef CS_ALPHABET_H
#define CS_ALPHABET_H

#include "sequence/record_stream.h"

enum {
    CS_PROTEIN_STOP = 26,    /* '*'; the letters A to Z are 0 to 25 */
    CS_PROTEIN_LETTERS = 27, /* codes */
    CS_BASE_LETTERS = 5,     /* codes of bases.h */
};

/* What may stand in proteins, and in nucleotide sequences. The hint is empty. */
extern const CsStreamLetters cs_alphabet_protein, cs_alphabet_nucleotide;

/* The byte that a code of a protein stands for. */
guint8 cs_alphabet_letter(guint code);

/* How many letters of each code a text has. */
typedef struct {
    gint64 of[CS_PROTEIN_LETTERS];
} CsLetterCount;

void cs_letter_count_add(CsLetterCount *count, const guint8 *letters, gsize length);

/* Whether letters of proteins are likely to be nucleotides: all are IUPAC nucleotide codes, and nine
 * in ten are A, C, G, T, U or N. */
gboolean cs_letter_count_is_nucleotide(const CsLetterCount *count);

/* Turns codes of proteins that are IUPAC nucleotide codes into those of bases. */
void cs_alphabet_to_bases(guint8 *letters, gsize length);

/* The reverse complement of bases. */
void cs_alphabet_complement(const guint8 *bases, gsize length, guint8 *complement);

#endif
