/* The best alignment between two stretches of bases: a comparison of parts of two sequences. */
#include <string.h>

#include "compare/align_set.h"

/* A stretch of a sequence, which shares its bases. */
static CsSequence
part_of(const CsSequence *sequence, gint64 from, gint64 to)
{
    CsSequence part = *sequence;
    part.codes += from;
    part.offset += from;
    part.length = to - from;
    part.ambiguous = 0;
    for (gint64 k = 0; k < part.length && sequence->ambiguous > 0; k++)
        part.ambiguous += part.codes[k] == CS_CODE_AMBIGUOUS;
    return part;
}

/* A CsNoteFunc. Only warnings are of interest where there are many comparisons. */
static void
pass_note(CsNoteKind kind, const char *message, gpointer user_data)
{
    const CsSetWork *work = user_data;
    if (kind == CS_NOTE_WARNING)
        work->options->note(kind, message, work->options->note_data);
}

/* A CsProgressFunc. */
static gboolean
pass_progress(const CsProgress *progress, gpointer user_data)
{
    CsSetWork *work = user_data;
    cs_set_tell(work, progress);
    return !work->stopped;
}

/* A CsControlFunc. There is a state to save only between two boxes. */
static CsControl
pass_control(gpointer user_data)
{
    return cs_set_go_on(user_data, NULL) ? CS_CONTROL_GO_ON : CS_CONTROL_STOP;
}

/* A GPU that was not asked for by name has no work in a small box. */
static CsCompareOptions
options_of(CsSetWork *work, const CsSetBox *box)
{
    CsCompareOptions options = *work->options;
    const gboolean small = cs_set_box_cells(box) < cs_set_small(work);
    options.strand = box->strand;
    options.circular = CS_CIRCULAR_NONE;
    options.checkpoint = options.memo = NULL;
    options.control = options.control != NULL ? pass_control : NULL;
    options.control_data = work;
    options.note = options.note != NULL ? pass_note : NULL;
    options.note_data = work;
    options.progress = pass_progress;
    options.progress_data = work;
    if (small && (options.device == NULL || strcmp(options.device, "auto") == 0) &&
        (options.engine == NULL || strcmp(options.engine, "auto") == 0))
        options.device = "cpu";
    return options;
}

gboolean
cs_set_box_align(CsSetWork *work, const CsSetBox *box, CsScore floor, gboolean hopeless,
                 CsAlignment **alignment, GError **error)
{
    const CsSequence target = part_of(work->target, box->target, box->target_end);
    const CsSequence query = part_of(work->query, box->query, box->query_end);
    const CsCompareOptions options = options_of(work, box);
    CsCompareResult result;
    *alignment = NULL;
    if (!cs_set_go_on(work, error))
        return FALSE;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, &target, &query, &options);
    comparison.whole_target = work->target;
    comparison.whole_query = work->query;
    comparison.floor = floor;
    comparison.hopeless = hopeless;
    if (!cs_comparison_align(&comparison, &result, alignment, error))
        return FALSE;
    work->cells_computed += result.cells_computed;
    work->seconds += result.seconds;
    work->last = result;
    return TRUE;
}

CsSetBox
cs_set_box_of(const CsSetWork *work, const CsAlignment *alignment)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gint64 target = work->target->offset, query = work->query->offset;
    return (CsSetBox){s->target_start - 1 - target, s->target_end - target,
                      s->query_start - 1 - query, s->query_end - query, s->strand};
}
