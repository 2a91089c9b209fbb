/*
 * A set of alignments between all records of two assemblies.
 *
 * One-to-one, the records of each side are joined to one sequence, with a base between them that
 * nobody takes. So a box never spans two records, and all that is known of sets of two sequences
 * holds (docs/proofs/alignment-sets.md). Circles follow themselves there (circle.h). All, each pair of records
 * has a list of its own.
 */
#include <string.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>
#include <chromosweep/plan.h>

#include "alignment/alignment.h"
#include "compare/align_set.h"
#include "compare/plan_range.h"
#include "system/memory.h"

/* The records of a side as one sequence. */
typedef struct {
    const CsSequence *const *records;
    guint n;
    CsSequence *whole; /* the record itself if there is one */
    gint64 *before;    /* bases of the whole before each record */
    gint64 *bars;      /* and before the base in front of each record but the first */
    GPtrArray *turned; /* circles with all bases twice, or NULL */
} Joined;

static void
joined_clear(Joined *joined)
{
    g_clear_pointer(&joined->whole, cs_sequence_unref);
    g_clear_pointer(&joined->before, g_free);
    g_clear_pointer(&joined->bars, g_free);
    g_clear_pointer(&joined->turned, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Joined, joined_clear)

/* Where the records will be. Returns the bases of the whole; -1 if they cannot be counted. */
static gint64
place_records(Joined *joined)
{
    gint64 length = 0;
    joined->before = g_new(gint64, joined->n);
    joined->bars = g_new(gint64, joined->n);
    for (guint k = 0; k < joined->n; k++) {
        joined->before[k] = length;
        if (k > 0)
            joined->bars[k - 1] = length - 1;
        if (__builtin_add_overflow(length, joined->records[k]->length + 1, &length))
            return -1;
    }
    return length - 1;
}

/* Copies the records, with an ambiguous base between them. */
static gboolean
copy_records(Joined *joined, gint64 length, GError **error)
{
    const CsSequence *first = joined->records[0];
    guint8 *codes = length >= 0 ? cs_memory_try((gsize)length, 1) : NULL;
    if (codes == NULL && length != 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory to join %u records",
                    joined->n);
        return FALSE;
    }
    CsSequence content = {.file = g_strdup(first->file),
                          .name = g_strdup_printf("%u records", joined->n),
                          .length = length,
                          .record_length = length,
                          .ambiguous = joined->n - 1,
                          .codes = codes};
    for (guint k = 0; k < joined->n; k++) {
        const CsSequence *record = joined->records[k];
        if (k > 0)
            codes[joined->bars[k - 1]] = CS_CODE_AMBIGUOUS;
        if (record->length > 0)
            memcpy(codes + joined->before[k], record->codes, (gsize)record->length);
        content.ambiguous += record->ambiguous;
    }
    joined->whole = cs_sequence_new_take(&content);
    return TRUE;
}

static gboolean
join(Joined *joined, const CsSequence *const *records, guint n, GError **error)
{
    *joined = (Joined){.records = records, .n = n};
    const gint64 length = place_records(joined);
    if (n > 1)
        return copy_records(joined, length, error);
    joined->whole = cs_sequence_ref((CsSequence *)records[0]);
    return TRUE;
}

static gboolean
is_circular(const CsCompareOptions *options, CsCircular side)
{
    return options != NULL && (options->circular == side || options->circular == CS_CIRCULAR_BOTH);
}

/* Has the records be circles, all bases of which are in the whole twice. */
static gboolean
turn(Joined *joined, GError **error)
{
    joined->turned = g_ptr_array_new_with_free_func((GDestroyNotify)cs_sequence_unref);
    for (guint k = 0; k < joined->n; k++) {
        CsSequence *twice = cs_sequence_new_doubled(joined->records[k], error);
        if (twice == NULL)
            return FALSE;
        g_ptr_array_add(joined->turned, twice);
        joined->before[k] = 2 * joined->before[k] - k; /* one base stands between two records */
    }
    joined->records = (const CsSequence *const *)joined->turned->pdata;
    return TRUE;
}

/* The record that holds a base of the whole, counted from 0. */
static CsAlignmentRecord
find_record(const Joined *joined, gint64 at)
{
    guint low = 0, high = joined->n; /* it is among low .. high - 1 */
    while (high - low > 1) {
        const guint middle = low + (high - low) / 2;
        if (joined->before[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return (CsAlignmentRecord){
        .sequence = joined->records[low], .before = joined->before[low], .place = low};
}

/* Has an alignment of the wholes tell its records, and where it lies in these. */
static void
move(CsAlignment *alignment, const Joined *target, const Joined *query)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const CsAlignmentRecord in_target =
        find_record(target, s->target_start - 1 - target->whole->offset);
    const CsAlignmentRecord in_query =
        find_record(query, s->query_start - 1 - query->whole->offset);
    cs_alignment_move(alignment, &in_target, &in_query);
}

static GPtrArray *
find_one_to_one(const CsSequence *const *targets, guint n_targets, const CsSequence *const *queries,
                guint n_queries, const CsCompareOptions *options, const CsAlignSetOptions *set,
                const CsSetSizes *sizes, GError **error)
{
    g_auto(Joined) target = {0};
    g_auto(Joined) query = {0};
    if (!join(&target, targets, n_targets, error) || !join(&query, queries, n_queries, error))
        return NULL;
    const CsSetBars bars = {{target.bars, query.bars}, {n_targets - 1, n_queries - 1}};
    const gboolean joined = n_targets > 1 || n_queries > 1;
    g_autoptr(GPtrArray) found = cs_set_find_between(
        target.whole, query.whole, joined ? &bars : NULL, options, set, sizes, error);
    if (found == NULL || !joined)
        return g_steal_pointer(&found);
    if ((is_circular(options, CS_CIRCULAR_TARGET) && !turn(&target, error)) ||
        (is_circular(options, CS_CIRCULAR_QUERY) && !turn(&query, error)))
        return NULL;
    for (guint k = 0; k < found->len; k++)
        move(g_ptr_array_index(found, k), &target, &query);
    return g_steal_pointer(&found);
}

/* The progress of all pairs. */
typedef struct {
    const CsCompareOptions *options;
    gint64 cells, before; /* of all pairs, and of those that are done */
    gint64 computed;      /* by these */
    gint64 computed_now;
    gboolean last;
} Course;

static gint64
cells_of(const CsSequence *target, const CsSequence *query, CsStrand strand)
{
    const gint64 sweeps = strand == CS_STRAND_BOTH ? 2 : 1;
    gint64 cells;
    return __builtin_mul_overflow(target->length, query->length, &cells) ||
                   __builtin_mul_overflow(cells, sweeps, &cells)
               ? G_MAXINT64
               : cells;
}

static gint64
add_cells(gint64 a, gint64 b)
{
    return a > G_MAXINT64 - b ? G_MAXINT64 : a + b;
}

/* A CsProgressFunc. */
static gboolean
tell(const CsProgress *progress, gpointer user_data)
{
    Course *course = user_data;
    CsProgress whole = *progress;
    course->computed_now = progress->cells_computed;
    if (progress->fraction >= 1 && !course->last)
        return TRUE;
    whole.cells = course->cells;
    whole.cells_done = add_cells(course->before, progress->cells_done);
    whole.cells_computed = add_cells(course->computed, progress->cells_computed);
    whole.cells_expected = progress->fraction >= 1 ? whole.cells_computed : course->cells;
    whole.fraction =
        progress->fraction >= 1 ? 1 : (double)whole.cells_done / MAX(1.0, (double)course->cells);
    whole.seconds_left = progress->fraction >= 1 ? 0 : -1;
    return course->options->progress(&whole, course->options->progress_data);
}

/* Adds the list of a pair. */
static gboolean
add_list(GPtrArray *found, const CsAlignmentRecord *target, const CsAlignmentRecord *query,
         const CsCompareOptions *options, const CsAlignSetOptions *set, const CsSetSizes *sizes,
         GError **error)
{
    CsCompareOptions own = *options;
    g_autofree char *name = g_strdup_printf("%u,%u", target->place + 1, query->place + 1);
    g_autofree char *folder =
        options->checkpoint != NULL ? g_build_filename(options->checkpoint, name, NULL) : NULL;
    own.checkpoint = folder;
    g_autoptr(GPtrArray) list =
        cs_set_find(target->sequence, query->sequence, &own, set, sizes, error);
    if (list == NULL)
        return FALSE;
    while (list->len > 0) {
        CsAlignment *alignment = g_ptr_array_steal_index(list, 0);
        cs_alignment_place(alignment, target->place, query->place);
        g_ptr_array_add(found, alignment);
    }
    return TRUE;
}

/* A list keeps its own order, which this one extends; sorting is stable. */
static gint
compare_alignments(gconstpointer one, gconstpointer other)
{
    const CsAlignment *first = *(CsAlignment *const *)one, *second = *(CsAlignment *const *)other;
    const CsAlignmentSummary *a = cs_alignment_get_summary(first);
    const CsAlignmentSummary *b = cs_alignment_get_summary(second);
    guint targets[2], queries[2];
    cs_alignment_get_records(first, &targets[0], &queries[0]);
    cs_alignment_get_records(second, &targets[1], &queries[1]);
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->strand != b->strand)
        return a->strand == CS_STRAND_PLUS ? -1 : 1;
    if (targets[0] != targets[1])
        return targets[0] < targets[1] ? -1 : 1;
    return queries[0] < queries[1] ? -1 : queries[0] > queries[1];
}

/* Adds the lists of all pairs, in any order. */
static gboolean
add_lists(GPtrArray *found, const CsSequence *const *targets, guint n_targets,
          const CsSequence *const *queries, guint n_queries, const CsCompareOptions *options,
          const CsAlignSetOptions *set, const CsSetSizes *sizes, GError **error)
{
    CsCompareOptions own = *options;
    Course course = {.options = options};
    own.one_of_many = options->one_of_many || n_targets > 1 || n_queries > 1;
    for (guint t = 0; t < n_targets; t++)
        for (guint q = 0; q < n_queries; q++)
            course.cells =
                add_cells(course.cells, cells_of(targets[t], queries[q], options->strand));
    own.progress = options->progress != NULL ? tell : NULL;
    own.progress_data = &course;
    for (guint t = 0; t < n_targets; t++)
        for (guint q = 0; q < n_queries; q++) {
            const CsAlignmentRecord target = {targets[t], 0, t}, query = {queries[q], 0, q};
            course.last = t + 1 == n_targets && q + 1 == n_queries;
            if (!add_list(found, &target, &query, &own, set, sizes, error))
                return FALSE;
            course.before =
                add_cells(course.before, cells_of(targets[t], queries[q], options->strand));
            course.computed = add_cells(course.computed, course.computed_now);
        }
    return TRUE;
}

static GPtrArray *
find_all(const CsSequence *const *targets, guint n_targets, const CsSequence *const *queries,
         guint n_queries, const CsCompareOptions *options, const CsAlignSetOptions *set,
         const CsSetSizes *sizes, GError **error)
{
    static const CsCompareOptions usual = CS_COMPARE_OPTIONS_INIT;
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func((GDestroyNotify)cs_alignment_free);
    const CsCompareOptions *given = options != NULL ? options : &usual;
    CsCheckpointPairs *folders = NULL;
    if (given->checkpoint != NULL) {
        folders = cs_checkpoint_pairs_open(given->checkpoint, error);
        if (folders == NULL)
            return NULL;
    }
    const gboolean done =
        add_lists(found, targets, n_targets, queries, n_queries, given, set, sizes, error);
    cs_checkpoint_pairs_close(folders, FALSE);
    if (!done)
        return NULL;
    g_ptr_array_sort(found, compare_alignments);
    if (set->most > 0 && found->len > set->most)
        g_ptr_array_set_size(found, (gint)set->most);
    return g_steal_pointer(&found);
}

static gboolean
check_records(guint n_targets, guint n_queries, const CsAlignSetOptions *set, GError **error)
{
    const gboolean several = n_targets != 1 || n_queries != 1;
    const char *what = n_targets == 0 || n_queries == 0 ? "there are no records to align"
                       : several && set->self ? "only one sequence can be aligned with itself"
                                              : NULL;
    if (what != NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE, what);
    return what == NULL;
}

GPtrArray *
cs_set_find_many(const CsSequence *const *targets, guint n_targets,
                 const CsSequence *const *queries, guint n_queries, const CsCompareOptions *options,
                 const CsAlignSetOptions *set, const CsSetSizes *sizes, GError **error)
{
    if (!check_records(n_targets, n_queries, set, error))
        return NULL;
    return (set->rule == CS_ALIGN_SET_ALL ? find_all : find_one_to_one)(
        targets, n_targets, queries, n_queries, options, set, sizes, error);
}

GPtrArray *
cs_align_set_many(const CsSequence *const *targets, guint n_targets,
                  const CsSequence *const *queries, guint n_queries,
                  const CsCompareOptions *options, const CsAlignSetOptions *set, GError **error)
{
    const CsSetSizes sizes = {0};
    return cs_set_find_many(targets, n_targets, queries, n_queries, options, set, &sizes, error);
}

/* The bytes of copies: of records that are joined, and of circles twice. */
static gint64
bytes_of_copies(const Joined *joined, gboolean circular)
{
    return joined->whole->length * ((joined->n > 1) + (circular ? 2 : 0));
}

/* The matrix of joined records, for which there are copies of them. */
static gboolean
plan_one_to_one(const CsSequence *const *targets, guint n_targets, const CsSequence *const *queries,
                guint n_queries, const CsCompareOptions *options, const CsAlignSetOptions *set,
                double probe, CsPlan *plan, GError **error)
{
    g_auto(Joined) target = {0};
    g_auto(Joined) query = {0};
    CsPlan made;
    if (!join(&target, targets, n_targets, error) || !join(&query, queries, n_queries, error) ||
        !cs_plan_set(target.whole, query.whole, options, set, probe, &made, error))
        return FALSE;
    const gint64 copies =
        n_targets == 1 && n_queries == 1
            ? 0
            : bytes_of_copies(&target, is_circular(options, CS_CIRCULAR_TARGET)) +
                  bytes_of_copies(&query, is_circular(options, CS_CIRCULAR_QUERY));
    made.host_bytes_sequences += copies;
    made.host_bytes += copies;
    made.host_bytes_least += copies;
    *plan = made;
    return TRUE;
}

/* One pair after the other: memory and disk of the largest, cells and time of all; circles are swept twice in a
 * row. */
static gboolean
plan_all(const CsSequence *const *targets, guint n_targets, const CsSequence *const *queries,
         guint n_queries, const CsCompareOptions *options, const CsAlignSetOptions *set,
         double probe, CsPlan *plan, GError **error)
{
    const CsSequence *target = targets[0], *query = queries[0];
    CsCompareOptions own = *options;
    CsPlan made;
    gint64 cells = 0, bases = 0;
    double pairs = 0; /* bases of all pairs */
    const gint64 rows = is_circular(options, CS_CIRCULAR_TARGET) ? 2 : 1;
    const gint64 columns = is_circular(options, CS_CIRCULAR_QUERY) ? 2 : 1;
    for (guint t = 0; t < n_targets; t++)
        target = targets[t]->length > target->length ? targets[t] : target;
    for (guint q = 0; q < n_queries; q++)
        query = queries[q]->length > query->length ? queries[q] : query;
    for (guint t = 0; t < n_targets; t++) {
        bases += targets[t] != target ? targets[t]->length : 0;
        for (guint q = 0; q < n_queries; q++) {
            for (gint64 copy = 0; copy < rows * columns; copy++)
                cells = add_cells(cells, cells_of(targets[t], queries[q], options->strand));
            pairs += (double)(rows * targets[t]->length + columns * queries[q]->length);
        }
    }
    for (guint q = 0; q < n_queries; q++)
        bases += queries[q] != query ? queries[q]->length : 0;
    /* Each pair has a folder in that of all. */
    g_autofree char *folder =
        own.checkpoint != NULL && g_file_test(own.checkpoint, G_FILE_TEST_IS_DIR)
            ? g_build_filename(own.checkpoint, "1,1", NULL)
            : g_strdup(own.checkpoint);
    own.checkpoint = folder;
    if (!cs_plan_set(target, query, &own, set, probe, &made, error))
        return FALSE;
    made.cells = made.cells_expected = cells;
    if (made.cells_a_second > 0)
        made.seconds = made.seconds_left = (double)cells / made.cells_a_second;
    cs_plan_range_all(&made, pairs);
    made.host_bytes_sequences += bases;
    made.host_bytes += bases;
    made.host_bytes_least += bases;
    *plan = made;
    return TRUE;
}

gboolean
cs_plan_set_many(const CsSequence *const *targets, guint n_targets,
                 const CsSequence *const *queries, guint n_queries, const CsCompareOptions *options,
                 const CsAlignSetOptions *set, double probe, CsPlan *plan, GError **error)
{
    static const CsCompareOptions usual = CS_COMPARE_OPTIONS_INIT;
    const CsCompareOptions *own = options != NULL ? options : &usual;
    return check_records(n_targets, n_queries, set, error) && cs_set_check(own, set, error) &&
           (set->rule == CS_ALIGN_SET_ALL ? plan_all : plan_one_to_one)(
               targets, n_targets, queries, n_queries, own, set, probe, plan, error);
}
