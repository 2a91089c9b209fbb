/*
 * The alignments of a set so far, in the checkpoint: a list of numbers (checkpoint/found.h). The
 * next run masks or takes what they have, and goes on behind them, so it finds the same set.
 *
 *     rule, least score, number, drop, self, whether it is complete, a hash of the bars
 *     for each alignment: strand, score, rows and columns before it, runs, and the runs themselves
 */
#include <string.h>

#include <xxhash.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "compare/align_set.h"

/* Numbers before the alignments, and before the runs of one. */
enum {
    HEAD = 7,
    HEAD_OF_ONE = 5,
};

/* What tells joined records from others that were joined to the same bases; 0: there is one of each. */
static gint64
hash_bars(const CsSetBars *bars)
{
    XXH64_hash_t hash = 0;
    for (int side = 0; bars != NULL && side < 2; side++)
        hash = XXH3_64bits_withSeed(bars->at[side], bars->n[side] * sizeof *bars->at[side], hash);
    return (gint64)hash;
}

static void
fill_head(const CsSetWork *work, gint64 *head)
{
    head[0] = (gint64)work->rule;
    head[1] = work->least;
    head[2] = work->most;
    head[3] = work->max_drop;
    head[4] = work->self;
    head[5] = work->complete;
    head[6] = hash_bars(work->bars);
}

static void
append(GArray *numbers, gint64 number)
{
    g_array_append_val(numbers, number);
}

gboolean
cs_set_keep_path(const CsSetWork *work, const CsComparison *whole, const CsAlignment *alignment,
                 CsPath *path, GError **error)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const CsSetBox box = cs_set_box_of(work, alignment);
    const gboolean minus = s->strand == CS_STRAND_MINUS;
    const gint64 query_end = minus ? work->query->length - box.query : box.query_end;
    gboolean transposed;
    const CsPath *own = cs_alignment_get_path(alignment, &transposed);
    if (whole->placement.transposed)
        cs_path_init(path, query_end, box.target_end);
    else
        cs_path_init(path, box.target_end, query_end);
    for (gsize k = own->n; k-- > 0;) {
        CsPathKind kind = cs_path_kind(own, k);
        if (kind != CS_PATH_PAIRS && transposed != whole->placement.transposed)
            kind = kind == CS_PATH_ROWS ? CS_PATH_COLUMNS : CS_PATH_ROWS;
        if (!cs_path_step_back(path, kind, cs_path_length(own, k), error))
            return FALSE;
    }
    cs_path_turn(path);
    return TRUE;
}

/* Appends an alignment, as a path through the whole matrix of its strand. */
static gboolean
append_alignment(const CsSetWork *work, const CsComparison *whole, const CsAlignment *alignment,
                 GArray *numbers, GError **error)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_auto(CsPath) path = {0};
    if (!cs_set_keep_path(work, whole, alignment, &path, error))
        return FALSE;
    append(numbers, (gint64)s->strand);
    append(numbers, s->score);
    append(numbers, path.i0);
    append(numbers, path.j0);
    append(numbers, (gint64)path.n);
    for (gsize k = 0; k < path.n; k++)
        append(numbers, (gint64)path.runs[k]);
    return TRUE;
}

void
cs_set_keep_save(CsSetWork *work, const CsComparison *whole)
{
    g_autoptr(GError) failure = NULL;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (whole->checkpoint == NULL || !cs_checkpoint_is_writable(whole->checkpoint))
        return;
    g_array_set_size(numbers, HEAD);
    fill_head(work, (gint64 *)(gpointer)numbers->data);
    gboolean good = TRUE;
    for (guint k = 0; k < work->found->len && good; k++)
        good = append_alignment(work, whole, g_ptr_array_index(work->found, k), numbers, &failure);
    work->saved = g_get_monotonic_time();
    work->save = FALSE;
    if (!good || !cs_found_save(whole->checkpoint, CS_FOUND_SET, (gint64 *)(gpointer)numbers->data,
                                numbers->len, &failure))
        cs_compare_note(whole, CS_NOTE_WARNING,
                        "could not save the alignments so far; continuing: %s", failure->message);
}

void
cs_set_keep_save_if_due(CsSetWork *work, const CsComparison *whole)
{
    const double passed = (double)(g_get_monotonic_time() - work->saved) / G_USEC_PER_SEC;
    if (whole->checkpoint != NULL && (work->save || passed >= cs_compare_options_interval(whole)))
        cs_set_keep_save(work, whole);
}

/* The path of so many runs, which begins there. FALSE if it leaves the matrix. */
static gboolean
read_path(const CsRectangle *matrix, const gint64 *one, CsPath *path)
{
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix), count = one[4];
    gint64 i = one[2], j = one[3];
    if (i < 0 || j < 0)
        return FALSE;
    for (gint64 k = 0; k < count; k++) {
        const gint64 kind = one[HEAD_OF_ONE + k] & 3, length = one[HEAD_OF_ONE + k] >> 2;
        if (kind > CS_PATH_COLUMNS || length < 1 || length > m + n)
            return FALSE;
        i += kind != CS_PATH_COLUMNS ? length : 0;
        j += kind != CS_PATH_ROWS ? length : 0;
        if (i > m || j > n)
            return FALSE;
    }
    cs_path_init(path, i, j);
    for (gint64 k = count; k-- > 0;)
        if (!cs_path_step_back(path, (CsPathKind)(one[HEAD_OF_ONE + k] & 3),
                               one[HEAD_OF_ONE + k] >> 2, NULL))
            return FALSE;
    cs_path_turn(path);
    return TRUE;
}

/* Appends an alignment that was kept, scored anew; NULL if it is not one. */
static CsAlignment *
read_alignment(const CsSetWork *work, const CsComparison *whole, const gint64 *one)
{
    const CsStrand strand = one[0] == CS_STRAND_MINUS ? CS_STRAND_MINUS : CS_STRAND_PLUS;
    const CsRectangle matrix = cs_comparison_rectangle(whole, strand);
    g_auto(CsPath) path = {0};
    if ((one[0] != CS_STRAND_PLUS && one[0] != CS_STRAND_MINUS) || one[1] <= 0 ||
        !read_path(&matrix, one, &path))
        return NULL;
    return cs_alignment_new(work->target, work->query, strand, &whole->placement, &matrix, &path,
                            one[1], NULL);
}

/* FALSE if the numbers are not those of alignments. */
static gboolean
read_all(CsSetWork *work, const CsComparison *whole, const gint64 *numbers, gint64 count)
{
    for (gint64 at = HEAD; at < count;) {
        const gint64 *one = numbers + at;
        if (count - at < HEAD_OF_ONE || one[4] < 1 || one[4] > count - at - HEAD_OF_ONE)
            return FALSE;
        CsAlignment *alignment = read_alignment(work, whole, one);
        if (alignment == NULL)
            return FALSE;
        g_ptr_array_add(work->found, alignment);
        at += HEAD_OF_ONE + one[4];
    }
    return TRUE;
}

void
cs_set_keep_load(CsSetWork *work, const CsComparison *whole)
{
    gint64 count = 0, head[HEAD];
    g_autofree gint64 *numbers =
        whole->checkpoint != NULL ? cs_found_load(whole->checkpoint, CS_FOUND_SET, &count) : NULL;
    work->saved = g_get_monotonic_time();
    if (numbers == NULL || count < HEAD)
        return;
    work->complete = numbers[5] != 0;
    fill_head(work, head);
    if (memcmp(head, numbers, sizeof head) != 0) {
        cs_compare_note(whole, CS_NOTE_EVENT,
                        "the checkpoint has alignments of another set; starting over");
        work->complete = FALSE;
        return;
    }
    if (!read_all(work, whole, numbers, count)) {
        cs_compare_note(whole, CS_NOTE_WARNING,
                        "the alignments that an earlier run saved are wrong; starting over");
        g_ptr_array_set_size(work->found, 0);
        work->complete = FALSE;
        return;
    }
    cs_compare_note(whole, CS_NOTE_EVENT, "resuming after %u alignments", work->found->len);
}
