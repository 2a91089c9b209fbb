/* cs_align() and cs_compare() of circular records: the better strand of a search on circles. */
#include <chromosweep/error.h>

#include "compare/circle.h"

/* Of one strand. A score of 0 has no place. */
static void
fill_strand(CsCompareResult *result, const CsSetWork *work, CsStrand strand,
            const CsAlignment *alignment)
{
    CsStrandResult *one = &result->strands[strand];
    *one = (CsStrandResult){.computed = TRUE, .skip = work->last.skip};
    if (alignment == NULL)
        return;
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    one->score = s->score;
    one->target_start = s->target_start;
    one->target_end = s->target_end;
    one->query_start = s->query_start;
    one->query_end = s->query_end;
}

static void
fill_result(CsCompareResult *result, const CsSetWork *work)
{
    const CsStrandResult *strands = result->strands;
    const CsStrand strand = work->options->strand;
    result->strand = strand != CS_STRAND_BOTH ? strand
                     : strands[CS_STRAND_MINUS].score > strands[CS_STRAND_PLUS].score
                         ? CS_STRAND_MINUS
                         : CS_STRAND_PLUS;
    const CsStrandResult *best = &strands[result->strand];
    result->score = best->score;
    result->target_start = best->target_start;
    result->target_end = best->target_end;
    result->query_start = best->query_start;
    result->query_end = best->query_end;
    result->cells = work->cells;
    result->cells_computed = work->cells_computed;
    result->seconds = work->seconds;
    result->engine = work->last.engine;
    result->device = work->last.device;
    result->threads = work->last.threads;
    result->skip = best->skip;
}

/* Finds the best alignment of each strand that was asked for, if it scores enough. Minus is the result only if
 * it scores more than plus, and an equal score is told, too. */
static gboolean
find(CsSetWork *work, CsCompareResult *result, GPtrArray *found, GError **error)
{
    const gboolean both = work->options->strand == CS_STRAND_BOTH;
    CsScore floor = work->least;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        CsAlignment *alignment = NULL;
        const gint64 computed = work->cells_computed;
        const double seconds = work->seconds;
        gboolean kept;
        if (!both && work->options->strand != strand)
            continue;
        work->done = both && strand == CS_STRAND_MINUS ? 0.5 : 0;
        work->sweep = both ? 0.5 : 1;
        const CsSetPart whole = cs_circle_whole(work, strand);
        if (!cs_circle_align(work, &whole, floor, FALSE, &alignment, &kept, error))
            return FALSE;
        if (alignment != NULL)
            cs_circle_settle(work, alignment);
        fill_strand(result, work, strand, alignment);
        floor = MAX(floor, result->strands[strand].score);
        result->strands[strand].cells_computed = work->cells_computed - computed;
        result->strands[strand].seconds = work->seconds - seconds;
        if (alignment != NULL)
            g_ptr_array_add(found, alignment);
    }
    fill_result(result, work);
    work->done = 1;
    cs_set_tell(work, NULL);
    return TRUE;
}

/* The same, with a checkpoint if one is wanted. */
static gboolean
find_kept(CsSetWork *work, CsComparison *whole, CsCompareResult *result, GPtrArray *found,
          GError **error)
{
    g_auto(CsComparison) doubled;
    CsCompareOptions linear;
    const gboolean opened =
        whole->options->checkpoint == NULL || cs_set_open_checkpoint(work, whole, error);
    cs_circle_comparison_init(&doubled, work, whole, &linear);
    work->keeper = &doubled;
    return opened && cs_compare_options_read(&doubled, error) && find(work, result, found, error);
}

/* The alignment on this strand. */
static CsAlignment *
steal(GPtrArray *found, CsStrand strand)
{
    for (guint k = 0; k < found->len; k++)
        if (cs_alignment_get_summary(g_ptr_array_index(found, k))->strand == strand)
            return g_ptr_array_steal_index(found, k);
    return NULL;
}

gboolean
cs_circular_align(const CsSequence *target, const CsSequence *query,
                  const CsCompareOptions *options, CsCompareResult *result, CsAlignment **alignment,
                  GError **error)
{
    g_auto(CsComparison) whole;
    CsCompareOptions traced = *options;
    traced.no_start = FALSE;
    traced.min_score = 0;
    cs_comparison_init(&whole, target, query, &traced);
    if (!cs_compare_options_read(&whole, error))
        return FALSE;
    cs_compare_notes_look(&whole);
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func((GDestroyNotify)cs_alignment_free);
    CsSetWork work = {.target = target,
                      .query = query,
                      .options = &traced,
                      .least = MAX(1, options->min_score),
                      .most = 1,
                      .found = found,
                      .cells = whole.cells,
                      .begun = g_get_monotonic_time()};
    CsCompareResult all = {0};
    const gboolean done = cs_circle_double(&work, options->circular, error) &&
                          find_kept(&work, &whole, &all, found, error);
    cs_circle_release(&work);
    g_free(work.folder);
    if (!done)
        return FALSE;
    cs_compare_result_hide(&all, options->min_score);
    if (alignment != NULL && all.below == 0)
        *alignment = steal(found, all.strand);
    if (result != NULL)
        *result = all;
    return TRUE;
}
