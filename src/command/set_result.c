/* The first alignment of a set, as a result. */
#include "command/set_result.h"

CsCompareResult
cs_set_result(const GPtrArray *alignments)
{
    if (alignments->len == 0)
        return (CsCompareResult){0};
    const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(alignments, 0));
    return (CsCompareResult){.score = s->score,
                             .strand = s->strand,
                             .target_start = s->target_start,
                             .target_end = s->target_end,
                             .query_start = s->query_start,
                             .query_end = s->query_end};
}
