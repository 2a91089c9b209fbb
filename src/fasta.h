/* FASTA input from an open stream; files come through cs_sequence_load(). */
#ifndef CS_FASTA_H
#define CS_FASTA_H

#include <htslib/bgzf.h>

#include <chromosweep/sequence.h>

/*
 * Reads the record called name (NULL: the only one) from input, which the caller opened and closes,
 * and reads to its end. file is what messages call it and what cs_sequence_get_file() answers, "-"
 * for standard input. Errors are those of cs_sequence_load().
 */
CsSequence *cs_fasta_read(BGZF *input, const char *file, const char *name, GError **error);

#endif
