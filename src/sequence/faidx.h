/* Reads a region with the index of samtools faidx. */
#ifndef CS_FAIDX_H
#define CS_FAIDX_H

#include <sys/stat.h>

#include <htslib/bgzf.h>

#include <chromosweep/sequence.h>

#include "sequence/region.h"

/* Whether path, a regular file of this status, has an index PATH.fai that is no older. */
gboolean cs_faidx_is_fresh(const char *path, const struct stat *status);

/*
 * Reads the region from the file that input has just opened. Returns what cs_fasta_read() would
 * return, or NULL if there is any doubt about the index, the file or the region. Then the whole
 * file must be read.
 */
CsSequence *cs_faidx_read(BGZF *input, const char *path, const struct stat *status,
                          const CsRegion *region);

#endif
