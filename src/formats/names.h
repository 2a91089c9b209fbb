/* How all formats write strands, regions and sequences. */
#ifndef CS_NAMES_H
#define CS_NAMES_H

#include <chromosweep/circular.h>
#include <chromosweep/sequence.h>
#include <chromosweep/strand.h>

/* "+", "-" and "both". Any other name reads as plus. */
const char *cs_names_strand(CsStrand strand);
CsStrand cs_names_strand_of(const char *name);

/* Those of CsCircular, the first of which has no name; NULL follows the last. */
extern const char *const cs_names_circular[];

/*
 * A region as --target-region takes it: "name:from-to", with the name in braces if it has a colon
 * or begins with a brace. NULL if from is 0, which means the whole record.
 */
char *cs_names_region(const char *name, gint64 from, gint64 to);

/* The region of a sequence, likewise. */
char *cs_names_region_of(const CsSequence *sequence);

/* "FILE, NAME, 15 bases", escaped: a sequence in a line for the user. */
char *cs_names_sequence(const char *file, const CsSequence *sequence);

#endif
