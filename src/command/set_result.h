/* What a result says of a set of alignments: where the first one lies. */
#ifndef CS_SET_RESULT_H
#define CS_SET_RESULT_H

#include <chromosweep/align_set.h>

/* All else is 0, as everything is if there are no alignments. */
CsCompareResult cs_set_result(const GPtrArray *alignments);

#endif
