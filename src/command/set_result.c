/* The first alignment of a set, as a result, and its summary. */
#include "command/set_result.h"

#include "command/messages.h"

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

void
cs_set_result_tell(const GPtrArray *alignments)
{
    CsAlignSetSummary s;
    cs_align_set_summarise(alignments, &s);
    cs_message(CS_MESSAGE_EVENT,
               "alignments: %" G_GINT64_FORMAT "; bases covered: %" G_GINT64_FORMAT
               " of the target, %" G_GINT64_FORMAT " of the query",
               s.alignments, s.target_covered, s.query_covered);
    if (s.alignments > 0)
        cs_message(CS_MESSAGE_EVENT,
                   "identity: %.4f%% of the columns; inversions: %" G_GINT64_FORMAT
                   "; translocations: %" G_GINT64_FORMAT "; duplications: %" G_GINT64_FORMAT,
                   100 * (double)s.matches / (double)s.columns, s.inversions, s.translocations,
                   s.duplications);
}
