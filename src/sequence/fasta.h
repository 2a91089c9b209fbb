/* Reads FASTA from an open stream. cs_sequence_load() opens files. */
#ifndef CS_FASTA_H
#define CS_FASTA_H

#include <htslib/bgzf.h>

#include <chromosweep/sequence.h>

#include "sequence/region.h"

/*
 * Reads the region, or the only record if region is NULL. input is read to its end; the caller
 * opens and closes it. file is the name in messages and for cs_sequence_get_file(), "-" for
 * standard input. Errors are those of cs_sequence_load_region().
 */
CsSequence *cs_fasta_read(BGZF *input, const char *file, const CsRegion *region, GError **error);

/*
 * Reads the records of these names (NULL-terminated), or every record if names is NULL. Adds them
 * to `all` in the order of the file. Errors are those of cs_sequence_load_all(). After an error,
 * some of the records may have been added.
 */
gboolean cs_fasta_read_all(BGZF *input, const char *file, const char *const *names, GPtrArray *all,
                           GError **error);

#endif
