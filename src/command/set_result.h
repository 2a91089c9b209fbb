/* What is said of a set of alignments: where the first one lies, and a summary. */
#ifndef CS_SET_RESULT_H
#define CS_SET_RESULT_H

#include <chromosweep/align_set.h>

/* Its score, strand, starts and ends. All other members are 0; if the set is empty, all are. */
CsCompareResult cs_set_result(const GPtrArray *alignments);

/* Prints how much of both sequences the set covers, and its rearrangements (cs_align_set_summarise()). */
void cs_set_result_tell(const GPtrArray *alignments);

#endif
