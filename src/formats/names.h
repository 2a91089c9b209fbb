/* What all formats call strands, regions and sequences. */
#ifndef CS_NAMES_H
#define CS_NAMES_H

#include <chromosweep/sequence.h>
#include <chromosweep/strand.h>

/* "+", "-" and "both", and back; what is neither of the last two is plus. */
const char *cs_names_strand(CsStrand strand);
CsStrand cs_names_strand_of(const char *name);

/*
 * A region as --target-region takes it, "name:from-to", with the name in braces where it has a
 * colon or begins with a brace; NULL where from is 0, for a whole record.
 */
char *cs_names_region(const char *name, gint64 from, gint64 to);

/* The same of a sequence. */
char *cs_names_region_of(const CsSequence *sequence);

/* "FILE, NAME, 15 bases", escaped: what a line for people says of a sequence. */
char *cs_names_sequence(const char *file, const CsSequence *sequence);

#endif
