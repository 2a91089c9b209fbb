/*
 * The best alignment between two stretches of bases: a comparison of parts of two sequences. With a
 * checkpoint a large one has a checkpoint of its own, in a folder inside that of the set.
 */
#include <string.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

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

/* A CsControlFunc. A small box has no state to save: what was found is saved after it. */
static CsControl
pass_control(gpointer user_data)
{
    CsSetWork *work = user_data;
    if (!cs_set_go_on(work, NULL))
        return CS_CONTROL_STOP;
    return work->save ? CS_CONTROL_SAVE : CS_CONTROL_GO_ON;
}

/* Cells that a CPU thread computes in about the time that a GPU needs to begin and to end a sweep. */
#define CELLS_A_THREAD 2e9

guint
cs_set_threads(const CsSetWork *work)
{
    return work->options->threads > 0 ? work->options->threads : cs_threads_granted();
}

static gboolean
is_small(const CsSetWork *work, double cells)
{
    return cells < MAX(cs_set_small(work), CELLS_A_THREAD * cs_set_threads(work));
}

/* A GPU that was not asked for by name has no work in a small box. */
static gboolean
is_for_cpu(const CsSetWork *work, double cells)
{
    const CsCompareOptions *options = work->options;
    return is_small(work, cells) &&
           (options->device == NULL || strcmp(options->device, "auto") == 0) &&
           (options->engine == NULL || strcmp(options->engine, "auto") == 0);
}

gboolean
cs_set_uses_gpu(const CsSetWork *work, double cells)
{
    return work->gpu && !is_for_cpu(work, cells);
}

static CsCompareOptions
options_of(CsSetWork *work, double cells, CsStrand strand)
{
    CsCompareOptions options = *work->options;
    options.strand = strand;
    options.min_score = 0;
    options.circular = CS_CIRCULAR_NONE;
    options.checkpoint = options.memo = NULL;
    options.checkpoint_fresh = FALSE;
    options.control = options.control != NULL ? pass_control : NULL;
    options.control_data = work;
    options.note = options.note != NULL ? pass_note : NULL;
    options.note_data = work;
    options.progress = pass_progress;
    options.progress_data = work;
    if (is_for_cpu(work, cells))
        options.device = "cpu";
    return options;
}

static void
init(CsComparison *comparison, const CsSetWork *work, const CsSequence *target,
     const CsSequence *query, const CsCompareOptions *options, const CsSetAim *aim)
{
    cs_comparison_init(comparison, target, query, options);
    /* Other processes would cost a small box more than they give. */
    comparison->alone = is_small(work, (double)target->length * (double)query->length);
    comparison->whole_target = work->target;
    comparison->whole_query = work->query;
    comparison->floor = aim->floor;
    comparison->hopeless = aim->hopeless;
    comparison->least = aim->least;
    comparison->marks = aim->marks;
}

/* Counts a sweep that has ended. */
static void
add_work(CsSetWork *work, const CsCompareResult *result)
{
    work->cells_computed += result->cells_computed;
    work->seconds += result->seconds;
    work->last = *result;
}

/* Finds the best alignment in the box. *opened says whether its checkpoint could be opened. */
static gboolean
align(CsSetWork *work, CsSetPart *part, const CsCompareOptions *options, const CsSetAim *aim,
      gboolean *opened, GError **error)
{
    const CsSetBox *box = &part->box;
    const CsSequence target = part_of(work->target, box->target, box->target_end);
    const CsSequence query = part_of(work->query, box->query, box->query_end);
    CsCompareResult result;
    g_auto(CsComparison) comparison;
    init(&comparison, work, &target, &query, options, aim);
    const gboolean done = aim->marks != NULL
                              ? cs_comparison_run(&comparison, error)
                              : cs_comparison_align(&comparison, &result, &part->best, error);
    if (done && aim->marks != NULL)
        result = cs_compare_result(&comparison);
    *opened = comparison.checkpoint != NULL;
    if (!done)
        return FALSE;
    const gboolean known = part->best != NULL || cs_comparison_is_exact(&comparison, box->strand);
    part->most = MIN(part->most, known ? result.score : aim->floor - 1);
    add_work(work, &result);
    return TRUE;
}

/* Finds the best alignment in the box without pairs that are masked. */
static gboolean
align_masked(CsSetWork *work, CsSetPart *part, const CsCompareOptions *options, const CsSetAim *aim,
             gboolean kept, GError **error)
{
    const CsSetBox *box = &part->box;
    const CsSequence target = part_of(work->target, box->target, box->target_end);
    const CsSequence query = part_of(work->query, box->query, box->query_end);
    g_auto(CsComparison) comparison;
    init(&comparison, work, &target, &query, options, aim);
    if (!cs_compare_options_read(&comparison, error) ||
        !cs_all_circle_box(work, &comparison, box, aim->floor, kept, &part->best, error))
        return FALSE;
    part->most = MIN(part->most, part->best != NULL ? cs_alignment_get_summary(part->best)->score
                                                    : aim->floor - 1);
    return TRUE;
}

/* What a checkpoint of this box says of it. The floor is no part of the identity of a comparison. */
static char *
memo_of(const CsSetBox *box, const CsSetAim *aim)
{
    const CsEndMarks *marks = aim->marks;
    g_autofree char *how = marks != NULL
                               ? g_strdup_printf("marks %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
                                                 marks->least, marks->unit)
                               : g_strdup_printf("floor %" G_GINT64_FORMAT, aim->floor);
    return g_strdup_printf("box %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                           "-%" G_GINT64_FORMAT " %d, %s",
                           box->target, box->target_end, box->query, box->query_end,
                           (int)box->strand, how);
}

static void
warn(const CsSetWork *work, const GError *failure)
{
    const CsCompareOptions *options = work->options;
    if (options->note == NULL)
        return;
    g_autofree char *message =
        g_strdup_printf("what was saved of the sweep under way is of no use (%s); it begins anew",
                        failure->message);
    options->note(CS_NOTE_WARNING, message, options->note_data);
}

void
cs_set_box_forget(const CsSetWork *work)
{
    if (work->folder != NULL && g_file_test(work->folder, G_FILE_TEST_IS_DIR))
        (void)cs_checkpoint_remove(work->folder, NULL);
}

/* Removes the checkpoint of another box. One that is damaged is for the comparison to judge. */
static void
drop_other(const CsSetWork *work, const char *memo)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(work->folder, FALSE, NULL);
    if (info != NULL && g_strcmp0(info->memo, memo) != 0)
        cs_set_box_forget(work);
}

/* The same with a checkpoint. If that is of no use, it is removed, and the box begins anew; if there
 * can be none, without it. */
static gboolean
align_kept(CsSetWork *work, CsSetPart *part, CsCompareOptions *options, const CsSetAim *aim,
           GError **error)
{
    g_autofree char *memo = memo_of(&part->box, aim);
    g_autoptr(GError) failure = NULL;
    gboolean opened;
    drop_other(work, memo);
    options->checkpoint = work->folder;
    options->memo = memo;
    if (align(work, part, options, aim, &opened, &failure))
        return TRUE;
    const gboolean damaged = g_error_matches(failure, CS_ERROR, CS_ERROR_CHECKPOINT);
    if (opened && !damaged) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    warn(work, failure);
    cs_set_box_forget(work);
    if (!damaged || g_file_test(work->folder, G_FILE_TEST_EXISTS))
        options->checkpoint = options->memo = NULL;
    return align(work, part, options, aim, &opened, error);
}

gboolean
cs_set_box_align(CsSetWork *work, CsSetPart *part, const CsSetAim *aim, gboolean *kept,
                 GError **error)
{
    const gboolean large = cs_set_box_cells(&part->box) >= cs_set_small(work);
    CsCompareOptions options = options_of(work, cs_set_box_cells(&part->box), part->box.strand);
    GError *failure = NULL;
    gboolean opened;
    *kept = work->folder != NULL && (large || part->slow);
    if (!cs_set_go_on(work, error))
        return FALSE;
    const gboolean tied = cs_all_circle_is_tied(work, part->box.strand);
    const gboolean masked = tied || (work->masked != NULL && work->masked->len > 0);
    if (masked  ? align_masked(work, part, &options, aim, *kept, &failure)
        : *kept ? align_kept(work, part, &options, aim, &failure)
                : align(work, part, &options, aim, &opened, &failure))
        return TRUE;
    part->slow = part->slow || g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED);
    g_propagate_error(error, failure);
    return FALSE;
}

static CsCompareOptions
options_to_mark(CsSetWork *work, double cells, CsStrand strand)
{
    CsCompareOptions options = options_of(work, cells, strand);
    options.skip = CS_SKIP_NONE;
    options.no_start = TRUE;
    return options;
}

gboolean
cs_set_box_mark(CsSetWork *work, const CsSetBox *box, CsEndMarks *marks, GError **error)
{
    const CsSetAim aim = {.marks = marks};
    CsSetPart part = {.box = *box};
    CsCompareOptions options = options_to_mark(work, cs_set_box_cells(box), box->strand);
    gboolean opened;
    if (!cs_set_go_on(work, error))
        return FALSE;
    return work->folder != NULL ? align_kept(work, &part, &options, &aim, error)
                                : align(work, &part, &options, &aim, &opened, error);
}

gboolean
cs_set_box_mark_joined(CsSetWork *work, const CsSequence *target, const CsSequence *query,
                       CsStrand strand, CsEndMarks *marks, GError **error)
{
    const CsSetAim aim = {.marks = marks};
    const CsCompareOptions options =
        options_to_mark(work, (double)target->length * (double)query->length, strand);
    g_auto(CsComparison) comparison;
    init(&comparison, work, target, query, &options, &aim);
    if (!cs_set_go_on(work, error) || !cs_comparison_run(&comparison, error))
        return FALSE;
    const CsCompareResult result = cs_compare_result(&comparison);
    add_work(work, &result);
    return TRUE;
}

gboolean
cs_set_box_is_marked(const CsSetWork *work, const CsSetBox *box, const CsEndMarks *marks)
{
    const CsSetAim aim = {.marks = (CsEndMarks *)marks};
    g_autofree char *memo = memo_of(box, &aim);
    if (work->folder == NULL || !g_file_test(work->folder, G_FILE_TEST_IS_DIR))
        return FALSE;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(work->folder, FALSE, NULL);
    return info != NULL && g_strcmp0(info->memo, memo) == 0;
}

void
cs_set_part_free(gpointer data)
{
    CsSetPart *part = data;
    cs_alignment_free(part->best);
    g_free(part);
}

CsSetBox
cs_set_box_of(const CsSetWork *work, const CsAlignment *alignment)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gint64 target = work->target->offset, query = work->query->offset;
    return (CsSetBox){s->target_start - 1 - target, s->target_end - target,
                      s->query_start - 1 - query, s->query_end - query, s->strand};
}
