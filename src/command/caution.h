/* What a person should know of an alignment before using it: warnings beside the result. */
#ifndef CS_CAUTION_H
#define CS_CAUTION_H

#include <chromosweep/align.h>

#include "command/messages.h"

/* Tells where the alignment reaches an edge of a region, because it may continue beyond it. */
void cs_caution_tell_edges(CsMessage say, const CsSequence *target, const CsSequence *query,
                           const CsCompareResult *result);

/* The drop that calls for a warning where no limit was given: what 10,000 matches score. */
gint64 cs_caution_limit(const CsScoring *scoring);

/* Warns of stretches that score less than -limit, and says where the lowest-scoring one is. */
void cs_caution_tell_drops(const GArray *drops, gint64 limit);

#endif
