/* Whether letters that are no nucleotide codes are those of a protein. */
#ifndef CS_PROTEIN_H
#define CS_PROTEIN_H

#include <glib.h>

/* Initialise with zeroes. */
typedef struct {
    gint64 letters;
    gint64 residues; /* of them those that are amino acids and no nucleotide codes */
    guint32 kinds;   /* which of these: a bit each, A the lowest */
    gboolean other;  /* there is something that no protein has */
} CsProteinCount;

/* Counts letters from the first one on that is no nucleotide code. */
void cs_protein_count(CsProteinCount *count, const guint8 *bytes, gsize length);

/* Whether they and so many nucleotide codes before them are likely to be a protein. */
gboolean cs_protein_is_likely(const CsProteinCount *count, gint64 bases_before);

#endif
