/* Whether a sequence with letters that are not nucleotide codes is likely to be a protein. */
#ifndef CS_PROTEIN_H
#define CS_PROTEIN_H

#include <glib.h>

/* Initialise with zeroes. */
typedef struct {
    gint64 letters;
    gint64 residues; /* letters that are amino acids and not nucleotide codes */
    guint32 kinds;   /* which residues there are: a bit for each letter, A the lowest */
    gboolean other;  /* whether there is something that no protein has */
} CsProteinCount;

/* Counts letters. The first one is the first that is not a nucleotide code. */
void cs_protein_count(CsProteinCount *count, const guint8 *bytes, gsize length);

/* Adds what was counted elsewhere. */
void cs_protein_add(CsProteinCount *count, const CsProteinCount *more);

/* Whether these letters, after bases_before nucleotide codes, are likely to be a protein. */
gboolean cs_protein_is_likely(const CsProteinCount *count, gint64 bases_before);

#endif
