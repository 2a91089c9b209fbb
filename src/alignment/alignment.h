/* An alignment as it is handed out: a path, and the sequences that it pairs. */
#ifndef CS_ALIGNMENT_H
#define CS_ALIGNMENT_H

#include <chromosweep/alignment.h>

#include "alignment/path.h"
#include "sweep/strand.h"

/* Of a path through a strand's matrix, which is taken over; the sequences are kept. */
CsAlignment *cs_alignment_new(const CsSequence *target, const CsSequence *query, CsStrand strand,
                              const CsPlacement *placement, const CsRectangle *matrix, CsPath *path,
                              CsScore score);

#endif
