/* FASTA input from an open stream; files come through cs_sequence_load(). */
#ifndef CS_FASTA_H
#define CS_FASTA_H

#include <htslib/bgzf.h>

#include <chromosweep/sequence.h>

#include "sequence/region.h"

/*
 * Reads what region names (NULL: the only record) from input, which the caller opened and closes,
 * and reads to its end. file is what messages call it and what cs_sequence_get_file() answers, "-"
 * for standard input. Errors are those of cs_sequence_load_region().
 */
CsSequence *cs_fasta_read(BGZF *input, const char *file, const CsRegion *region, GError **error);

/*
 * Reads each record, or each of those of the names (nullable, NULL-terminated), and adds them to
 * all, in the file's order. Errors are those of cs_sequence_load_all(); some of the records may
 * have been added then.
 */
gboolean cs_fasta_read_all(BGZF *input, const char *file, const char *const *names, GPtrArray *all,
                           GError **error);

#endif
