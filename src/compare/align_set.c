/* Sets of alignments: what may be asked for, and how far it has come. */
#include <string.h>

#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "checkpoint/found_set.h"
#include "compare/circle.h"

/* Microseconds between two calls of the progress function. */
#define INTERVAL (G_USEC_PER_SEC / 10)

/* The share that is told as long as anything is left. */
#define NEARLY_ALL 0.999999

/* All: tiles and traces around a marked cell take as long as a sweep of so many cells, roughly: it was 20 to
 * 110 for genomes of 160 kb to 1 Mb, and 450 for a thousand short alignments far from each other. */
#define CELLS_AFTER 60.0

/* Of a sweep, before its marks tell anything. */
#define LEAST_SWEPT 0.05

/* For so many seconds nothing is said of the time left. */
#define FIRST_SECONDS 0.5

gboolean
cs_set_strand_is_complete(const CsSetWork *work, CsStrand strand)
{
    gint64 found = 0;
    for (guint k = 0; k < work->found->len; k++)
        found += cs_alignment_get_summary(g_ptr_array_index(work->found, k))->strand == strand;
    return work->ended[strand] || found >= work->most;
}
gboolean
cs_set_is_complete(const CsSetWork *work)
{
    const CsStrand wanted = work->options->strand;
    if (work->rule == CS_ALIGN_SET_ONE_TO_ONE)
        return work->ended[0] || work->found->len >= work->most;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if ((wanted == CS_STRAND_BOTH || wanted == strand) &&
            !cs_set_strand_is_complete(work, strand))
            return FALSE;
    return TRUE;
}

gboolean
cs_set_go_on(CsSetWork *work, GError **error)
{
    const CsCompareOptions *options = work->options;
    const CsControl control =
        options->control != NULL ? options->control(options->control_data) : CS_CONTROL_GO_ON;
    work->save = work->save || control == CS_CONTROL_SAVE;
    if (!work->stopped && control != CS_CONTROL_STOP)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_STOPPED, "stopped after %u alignment%s", work->found->len,
                work->found->len == 1 ? "" : "s");
    return FALSE;
}

/* The best alignment so far, as progress has it. The best of a sweep of doubled bases may have some
 * of them twice, so it is none. */
static void
fill_best(const CsSetWork *work, CsProgress *progress)
{
    if (cs_set_is_circular(work)) {
        progress->score = progress->lower_bound = 0;
        progress->target_end = progress->query_start = progress->query_end = 0;
    }
    if (work->found->len == 0)
        return;
    const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(work->found, 0));
    progress->score = s->score;
    progress->target_end = cs_circle_first_copy(work, CS_CIRCLE_ROWS, s->target_end);
    progress->query_start = s->strand == CS_STRAND_MINUS ? s->query_start : 0;
    progress->query_end = s->strand == CS_STRAND_MINUS
                              ? 0
                              : cs_circle_first_copy(work, CS_CIRCLE_COLUMNS, s->query_end);
    progress->strand = s->strand;
}

/* The time left, if the rest of the work takes as long as what this run has done, or -1. What an earlier
 * run did of the first sweep is no work of this one. How many there are of all alignments is not
 * known (seconds_left_of_all()). */
static double
seconds_left(CsSetWork *work, double share, gboolean sweeping)
{
    const gint64 now = g_get_monotonic_time();
    if (work->timed == 0 && sweeping) {
        work->timed = now;
        work->timed_share = share;
    }
    const double seconds = (double)(now - work->timed) / G_USEC_PER_SEC;
    return work->timed > 0 && seconds >= FIRST_SECONDS && share > work->timed_share
               ? seconds * MAX(0, 1 - share) / (share - work->timed_share)
               : -1;
}

/* Seconds of the tiles and traces after the sweep under way, from what it has marked so far. Nothing is
 * known of them while a GPU sweeps plus. */
static double
seconds_after_sweep(const CsSetWork *work, const CsProgress *inner)
{
    const CsEndMarks *marks = work->marking;
    const double done = inner->fraction;
    const double squares =
        done >= LEAST_SWEPT ? (double)__atomic_load_n(&marks->count, __ATOMIC_RELAXED) / done : 0;
    if (work->after > 0)
        return done >= LEAST_SWEPT && work->after_squares > 0
                   ? work->after * squares / (double)work->after_squares
                   : work->after / 2;
    const double cells = squares * (double)marks->unit * (double)marks->unit;
    return inner->cells_computed > 0
               ? cells * CELLS_AFTER * inner->seconds / (double)inner->cells_computed
               : 0;
}

/* Likewise of all alignments: of the stage under way, a sweep that is still to come, and what follows the
 * sweeps. After a sweep of plus, minus counts for half as much: of similar sequences less is found there. */
static double
seconds_left_of_all(const CsSetWork *work, const CsProgress *inner)
{
    if (inner == NULL || inner->seconds_left < 0 || work->later == CS_SET_LATER_UNKNOWN)
        return -1;
    const double now = inner->seconds_left;
    const double sweep = work->later == CS_SET_LATER_AS_NOW ? inner->elapsed + now : work->later;
    const double after = work->marking != NULL ? seconds_after_sweep(work, inner) : 0;
    const double of_plus = work->marking != NULL ? after : inner->stage_seconds + now;
    return now + after + sweep + (sweep > 0 ? of_plus / 2 : 0);
}

void
cs_set_tell(CsSetWork *work, const CsProgress *inner)
{
    const CsCompareOptions *options = work->options;
    const gint64 now = g_get_monotonic_time();
    const gboolean all = inner == NULL && work->done >= 1;
    if (options->progress == NULL || (now < work->next && !all))
        return;
    const double share = work->done + (inner != NULL ? work->sweep * inner->fraction : 0);
    work->next = now + INTERVAL;
    work->told = all ? 1 : MIN(MAX(work->told, share), NEARLY_ALL);
    CsProgress progress = inner != NULL ? *inner : (CsProgress){0};
    progress.cells = work->cells;
    progress.cells_done = (gint64)(work->told * (double)work->cells);
    progress.cells_computed = work->cells_computed + (inner != NULL ? inner->cells_computed : 0);
    progress.cells_expected = all ? progress.cells_computed : work->cells;
    progress.seconds = work->seconds + (inner != NULL ? inner->seconds : 0);
    progress.next_checkpoint = -1;
    progress.fraction = work->told;
    const gboolean open = work->rule == CS_ALIGN_SET_ALL && work->most == G_MAXINT64;
    progress.seconds_left = all    ? 0
                            : open ? seconds_left_of_all(work, inner)
                                   : seconds_left(work, share, inner != NULL);
    progress.elapsed = (double)(now - work->begun) / G_USEC_PER_SEC;
    fill_best(work, &progress);
    if (!options->progress(&progress, options->progress_data) && !all)
        work->stopped = TRUE;
}

static gboolean
refuse(GError **error, const char *what)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE, what);
    return FALSE;
}

gboolean
cs_set_check(const CsCompareOptions *options, const CsAlignSetOptions *set, GError **error)
{
    if (set->rule != CS_ALIGN_SET_ONE_TO_ONE && set->rule != CS_ALIGN_SET_ALL)
        return refuse(error, "there is no such set of alignments");
    if (set->self && set->rule != CS_ALIGN_SET_ALL)
        return refuse(error, "only a set of all alignments can be of a sequence with itself");
    if (set->self && options->circular != CS_CIRCULAR_NONE && options->circular != CS_CIRCULAR_BOTH)
        return refuse(error, "a circle that is aligned with itself is circular on both sides");
    if (set->min_score < 0 || set->most < 0 || (set->min_score == 0 && set->most == 0))
        return refuse(error, "a set of alignments needs a minimum score or a number of alignments");
    return !options->verify || refuse(error, "only one alignment can be verified, not a set");
}

static gboolean
check_self(const CsSetWork *work, GError **error)
{
    const CsSequence *one = work->target, *other = work->query;
    return (one->length == other->length && one->offset == other->offset &&
            memcmp(one->codes, other->codes, (gsize)one->length) == 0) ||
           refuse(error, "target and query are not the same sequence");
}

gboolean
cs_set_open_checkpoint(CsSetWork *work, CsComparison *whole, GError **error)
{
    const CsCompareOptions *options = whole->options;
    const CsRectangle rectangle = cs_comparison_rectangle(whole, whole->state.under_way);
    gboolean found;
    whole->checkpoint = cs_compare_options_open_checkpoint(whole, error);
    if (whole->checkpoint == NULL)
        return FALSE;
    if (cs_checkpoint_is_writable(whole->checkpoint))
        work->folder = g_build_filename(options->checkpoint, CS_FOUND_SET_BOX, NULL);
    if (options->checkpoint_fresh) { /* what is there belongs to an older chain */
        (void)cs_found_remove(options->checkpoint, TRUE, NULL);
        cs_set_box_forget(work);
    }
    if (!cs_checkpoint_load(whole->checkpoint, &whole->state, &found, error))
        return FALSE;
    if (found || work->cells == 0)
        return TRUE;
    if (!cs_compare_engine_choose(whole, &rectangle, error))
        return FALSE;
    cs_compare_keep_first_state(whole);
    return TRUE;
}

/* Finds what is left of the set. What is found is kept, also if the run is stopped. */
static gboolean
find(CsSetWork *work, CsComparison *whole, GError **error)
{
    const gboolean done = work->rule == CS_ALIGN_SET_ALL ? cs_all_run(work, whole, error)
                                                         : cs_one_to_one_run(work, whole, error);
    work->save = FALSE;
    (void)cs_set_keep_save(work, whole);
    return done;
}

/* Finds what is left of the set, in the order of the list. whole: with doubled bases of circular
 * records. */
static gboolean
find_set(CsSetWork *work, CsComparison *whole, GError **error)
{
    work->keeper = whole;
    if (whole->checkpoint != NULL && !cs_set_keep_load(work, whole, error))
        return FALSE;
    const gboolean complete = work->cells == 0 || cs_set_is_complete(work);
    if (!work->self && !complete)
        cs_compare_notes_look(whole);
    if (!complete && !find(work, whole, error))
        return FALSE;
    if (work->rule == CS_ALIGN_SET_ALL)
        cs_all_put_in_order(work);
    if (work->found->len > work->most)
        g_ptr_array_set_size(work->found, (gint)work->most);
    work->done = 1;
    cs_set_tell(work, NULL);
    return TRUE;
}

/* Finds the set. The comparison of the whole sequences checks the other options. */
static gboolean
run(CsSetWork *work, CsComparison *whole, const CsAlignSetOptions *set, GError **error)
{
    if (!cs_compare_options_read(whole, error) || (set->self && !check_self(work, error)) ||
        !cs_circle_double(work, whole->options->circular, error))
        return FALSE;
    work->cells = whole->cells;
    if (whole->options->checkpoint != NULL && !cs_set_open_checkpoint(work, whole, error))
        return FALSE;
    if (!cs_set_is_circular(work))
        return find_set(work, whole, error);
    g_auto(CsComparison) doubled;
    CsCompareOptions linear;
    cs_circle_comparison_init(&doubled, work, whole, &linear);
    return cs_compare_options_read(&doubled, error) && find_set(work, &doubled, error);
}

GPtrArray *
cs_set_find(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
            const CsAlignSetOptions *set, const CsSetSizes *sizes, GError **error)
{
    return cs_set_find_between(target, query, NULL, options, set, sizes, error);
}

GPtrArray *
cs_set_find_between(const CsSequence *target, const CsSequence *query, const CsSetBars *bars,
                    const CsCompareOptions *options, const CsAlignSetOptions *set,
                    const CsSetSizes *sizes, GError **error)
{
    g_auto(CsComparison) whole;
    cs_comparison_init(&whole, target, query, options);
    if (!cs_set_check(whole.options, set, error))
        return NULL;
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func((GDestroyNotify)cs_alignment_free);
    g_autoptr(GArray) wholes = g_array_new(FALSE, FALSE, sizeof(CsScore));
    CsSetWork work = {.target = target,
                      .query = query,
                      .bars = bars,
                      .options = whole.options,
                      .sizes = *sizes,
                      .rule = set->rule,
                      .least = MAX(1, set->min_score),
                      .most = set->most > 0 ? set->most : G_MAXINT64,
                      .max_drop = set->max_drop,
                      .self = set->self,
                      .found = found,
                      .wholes = wholes,
                      .parts = g_ptr_array_new_with_free_func(cs_set_part_free),
                      .closed = g_ptr_array_new_with_free_func(cs_set_part_free),
                      .joins = g_ptr_array_new_with_free_func(cs_set_join_free),
                      .begun = g_get_monotonic_time()};
    const gboolean done = run(&work, &whole, set, error);
    g_ptr_array_unref(work.parts);
    g_ptr_array_unref(work.closed);
    g_ptr_array_unref(work.joins);
    g_free(work.folder);
    cs_circle_release(&work);
    return done ? g_steal_pointer(&found) : NULL;
}

GPtrArray *
cs_align_set(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
             const CsAlignSetOptions *set, GError **error)
{
    const CsSetSizes sizes = {0};
    return cs_set_find(target, query, options, set, &sizes, error);
}
