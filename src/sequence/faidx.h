/* A region by the index of samtools faidx. */
#ifndef CS_FAIDX_H
#define CS_FAIDX_H

#include <sys/stat.h>

#include <htslib/bgzf.h>

#include <chromosweep/sequence.h>

#include "sequence/region.h"

/* Whether path, a regular file of that status, has an index PATH.fai no older than itself. */
gboolean cs_faidx_is_fresh(const char *path, const struct stat *status);

/*
 * The region of the file that input has just opened: what cs_fasta_read() would answer, or NULL
 * where the index, the file or the region gives any cause for doubt, which only the stream settles.
 */
CsSequence *cs_faidx_read(BGZF *input, const char *path, const struct stat *status,
                          const CsRegion *region);

#endif
