/*
 * Whether a record looks like protein. Of the 20 amino acids, E, F, I, L, P and Q are no IUPAC
 * nucleotide codes; they are a third of most proteins. X is no sign, because some programs mask DNA
 * with it.
 */
#include <string.h>

#include "sequence/bases.h"
#include "sequence/protein.h"

enum {
    KINDS_LEAST = 2,
    SHARE_LEAST = 10, /* one letter in this many */
};

void
cs_protein_count(CsProteinCount *count, const guint8 *bytes, gsize length)
{
    for (const guint8 *p = bytes; p < bytes + length; p++) {
        const char letter = g_ascii_toupper((char)*p);
        if (g_ascii_isalpha(letter)) {
            const gboolean residue = strchr("EFILPQ", letter) != NULL;
            count->letters++;
            count->residues += residue;
            count->kinds |= residue ? 1u << (letter - 'A') : 0;
        } else if (!cs_bases_is_blank(*p) && *p != '*' && *p != '-') {
            count->other = TRUE;
        }
    }
}

void
cs_protein_add(CsProteinCount *count, const CsProteinCount *more)
{
    count->letters += more->letters;
    count->residues += more->residues;
    count->kinds |= more->kinds;
    count->other = count->other || more->other;
}

gboolean
cs_protein_is_likely(const CsProteinCount *count, gint64 bases_before)
{
    return !count->other && __builtin_popcount(count->kinds) >= KINDS_LEAST &&
           count->residues >= (bases_before + count->letters) / SHARE_LEAST;
}
