/*
 * The alignments of a set so far, and what is known of boxes, in the checkpoint
 * (checkpoint/found_set.h). The next run masks or takes what the alignments have, and goes on behind
 * them, so it finds the same set. The list of a rule has one order, and limits only say how far it
 * goes; so the list of a run with other limits is the beginning of this one's, or has it all.
 */
#include <string.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "checkpoint/found_set.h"
#include "compare/circle.h"
#include "system/display.h"

/* Numbers before the runs of an alignment, and of a box before its best alignment. */
enum {
    HEAD_OF_ONE = 6,
    HEAD_OF_BOX = 8,
};

static gint64
drop_of(const CsSetWork *work)
{
    return work->rule == CS_ALIGN_SET_ALL ? -1 : MAX(work->max_drop, -1);
}

/* What tells joined records from others that were joined to the same bases. */
static gint64
hash_bars(const CsSetBars *bars)
{
    XXH64_hash_t hash = 0;
    for (int side = 0; bars != NULL && side < 2; side++)
        hash = XXH3_64bits_withSeed(bars->at[side], bars->n[side] * sizeof *bars->at[side], hash);
    return (gint64)hash;
}

static void
append(GArray *numbers, gint64 number)
{
    g_array_append_val(numbers, number);
}

static void
append_head(const CsSetWork *work, GArray *numbers)
{
    const gint64 head[CS_FOUND_SET_HEAD] = {
        [CS_FOUND_SET_LAYOUT] = CS_FOUND_SET_LATEST,
        [CS_FOUND_SET_ALL] = work->rule == CS_ALIGN_SET_ALL,
        [CS_FOUND_SET_SELF] = work->self,
        [CS_FOUND_SET_MAX_DROP] = drop_of(work),
        [CS_FOUND_SET_LEAST] = work->least,
        [CS_FOUND_SET_MOST] = work->most,
        [CS_FOUND_SET_ENDED] = work->ended[0],
        [CS_FOUND_SET_ENDED_MINUS] = work->ended[1],
        [CS_FOUND_SET_COMPLETE] = cs_set_is_complete(work),
        [CS_FOUND_SET_DONE] = (gint64)(work->told * 1e6),
        [CS_FOUND_SET_BARS] = hash_bars(work->bars),
        [CS_FOUND_SET_COUNT] = work->found->len,
    };
    g_array_append_vals(numbers, head, CS_FOUND_SET_HEAD);
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

gboolean
cs_set_keep_append(const CsSetWork *work, const CsComparison *whole, const CsAlignment *alignment,
                   CsScore of, GArray *numbers, GError **error)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_auto(CsPath) path = {0};
    if (!cs_set_keep_path(work, whole, alignment, &path, error))
        return FALSE;
    append(numbers, (gint64)s->strand);
    append(numbers, s->score);
    append(numbers, of);
    append(numbers, path.i0);
    append(numbers, path.j0);
    append(numbers, (gint64)path.n);
    for (gsize k = 0; k < path.n; k++)
        append(numbers, (gint64)path.runs[k]);
    return TRUE;
}

static gboolean
append_part(const CsSetWork *work, const CsComparison *whole, const CsSetPart *part,
            GArray *numbers, GError **error)
{
    const CsSetBox *box = &part->box;
    const gint64 head[HEAD_OF_BOX] = {
        box->target,         box->target_end, box->query, box->query_end,
        (gint64)box->strand, part->most,      part->slow, part->best != NULL,
    };
    g_array_append_vals(numbers, head, HEAD_OF_BOX);
    return part->best == NULL ||
           cs_set_keep_append(work, whole, part->best, part->most, numbers, error);
}

/* Appends boxes of which more is known than their bases say. */
static gboolean
append_parts(const CsSetWork *work, const CsComparison *whole, const GPtrArray *parts,
             GArray *numbers, GError **error)
{
    for (guint k = 0; k < parts->len; k++) {
        const CsSetPart *part = g_ptr_array_index(parts, k);
        if ((part->best != NULL || part->slow || part->most < cs_set_box_most(work, &part->box)) &&
            !append_part(work, whole, part, numbers, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
append_all(const CsSetWork *work, const CsComparison *whole, GArray *numbers, GError **error)
{
    append_head(work, numbers);
    for (guint k = 0; k < work->found->len; k++) {
        const CsAlignment *one = g_ptr_array_index(work->found, k);
        const CsScore of = work->wholes->len > k ? g_array_index(work->wholes, CsScore, k)
                                                 : cs_alignment_get_summary(one)->score;
        if (!cs_set_keep_append(work, whole, one, of, numbers, error))
            return FALSE;
    }
    return append_parts(work, whole, work->closed, numbers, error) &&
           append_parts(work, whole, work->parts, numbers, error);
}

gboolean
cs_set_keep_save(CsSetWork *work, const CsComparison *whole)
{
    g_autoptr(GError) failure = NULL;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (whole->checkpoint == NULL || !cs_checkpoint_is_writable(whole->checkpoint))
        return FALSE;
    const gboolean saved = append_all(work, whole, numbers, &failure) &&
                           cs_found_save(whole->checkpoint, CS_FOUND_SET,
                                         (gint64 *)(gpointer)numbers->data, numbers->len, &failure);
    work->saved = g_get_monotonic_time();
    if (!saved)
        cs_compare_note(whole, CS_NOTE_WARNING,
                        "could not save the alignments so far; continuing: %s", failure->message);
    else if (work->save)
        cs_compare_note(whole, CS_NOTE_EVENT, "state saved");
    work->save = FALSE;
    return saved;
}

void
cs_set_keep_save_if_due(CsSetWork *work, const CsComparison *whole)
{
    const double passed = (double)(g_get_monotonic_time() - work->saved) / G_USEC_PER_SEC;
    if (whole->checkpoint != NULL && (work->save || passed >= cs_compare_options_interval(whole)))
        (void)cs_set_keep_save(work, whole);
}

const gint64 *
cs_set_reader_take(CsSetReader *reader, gint64 count)
{
    if (count < 0 || count > reader->left)
        return NULL;
    const gint64 *numbers = reader->next;
    reader->next += count;
    reader->left -= count;
    return numbers;
}

/* The path of these runs, which begins behind i rows and j columns. FALSE if it leaves the matrix. */
static gboolean
read_path(const CsRectangle *matrix, gint64 i, gint64 j, const gint64 *runs, gint64 count,
          CsPath *path)
{
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix);
    if (i < 0 || i > m || j < 0 || j > n)
        return FALSE;
    for (gint64 k = 0; k < count; k++) {
        const gint64 kind = runs[k] & 3, length = runs[k] >> 2;
        const gint64 rows = kind != CS_PATH_COLUMNS ? length : 0;
        const gint64 columns = kind != CS_PATH_ROWS ? length : 0;
        if (kind > CS_PATH_COLUMNS || length < 1 || rows > m - i || columns > n - j)
            return FALSE;
        i += rows;
        j += columns;
    }
    cs_path_init(path, i, j);
    for (gint64 k = count; k-- > 0;)
        if (!cs_path_step_back(path, (CsPathKind)(runs[k] & 3), runs[k] >> 2, NULL))
            return FALSE;
    cs_path_turn(path);
    return TRUE;
}

CsAlignment *
cs_set_keep_read(const CsSetWork *work, const CsComparison *whole, CsSetReader *reader, CsScore *of)
{
    const gint64 *one = cs_set_reader_take(reader, HEAD_OF_ONE);
    const gint64 *runs = one != NULL ? cs_set_reader_take(reader, one[5]) : NULL;
    if (runs == NULL || one[5] < 1 || (one[0] != CS_STRAND_PLUS && one[0] != CS_STRAND_MINUS) ||
        (work->options->strand != CS_STRAND_BOTH && one[0] != (gint64)work->options->strand) ||
        one[1] <= 0 || one[2] < one[1])
        return NULL;
    const CsStrand strand = (CsStrand)one[0];
    const CsRectangle matrix = cs_comparison_rectangle(whole, strand);
    g_auto(CsPath) path = {0};
    if (!read_path(&matrix, one[3], one[4], runs, one[5], &path))
        return NULL;
    *of = one[2];
    return cs_alignment_new(work->target, work->query, strand, &whole->placement, &matrix, &path,
                            one[1], NULL);
}

static gboolean
read_found(CsSetWork *work, const CsComparison *whole, CsSetReader *reader, gint64 count)
{
    for (gint64 k = 0; k < count; k++) {
        CsScore of;
        CsAlignment *alignment = cs_set_keep_read(work, whole, reader, &of);
        if (alignment == NULL)
            return FALSE;
        g_ptr_array_add(work->found, alignment);
        g_array_append_val(work->wholes, of);
    }
    return TRUE;
}

/* Whether a side of a box is a whole circle, over whose origin an alignment may run. */
static gboolean
is_round(const CsSetWork *work, guint side, gint64 from, gint64 end)
{
    const CsCircleRing ring = cs_circle_ring(work, side, from);
    return ring.period > 0 && from == ring.from && end == ring.from + ring.period;
}

/* Whether an alignment lies in a part, on a circle in any of its copies. */
static gboolean
holds(const CsSetPart *part, const CsSetBox *lies)
{
    CsSetBox all = part->box;
    all.target_end += part->round[0] ? all.target_end - all.target : 0;
    all.query_end += part->round[1] ? all.query_end - all.query : 0;
    return cs_set_box_holds(&all, lies);
}

static gboolean
is_box(const CsSetWork *work, const gint64 *head)
{
    return head[0] >= 0 && head[0] < head[1] && head[1] <= work->target->length && head[2] >= 0 &&
           head[2] < head[3] && head[3] <= work->query->length &&
           (head[4] == CS_STRAND_PLUS || head[4] == CS_STRAND_MINUS) && head[5] >= 0;
}

static gboolean
read_part(CsSetWork *work, const CsComparison *whole, CsSetReader *reader)
{
    const gint64 *head = cs_set_reader_take(reader, HEAD_OF_BOX);
    CsScore of;
    if (head == NULL || !is_box(work, head))
        return FALSE;
    CsSetPart *part = g_new(CsSetPart, 1);
    *part = (CsSetPart){.box = {head[0], head[1], head[2], head[3], (CsStrand)head[4]},
                        .most = head[5],
                        .slow = head[6] != 0};
    part->round[0] = is_round(work, CS_CIRCLE_ROWS, head[0], head[1]);
    part->round[1] = is_round(work, CS_CIRCLE_COLUMNS, head[2], head[3]);
    g_ptr_array_add(work->parts, part);
    if (head[7] == 0)
        return TRUE;
    part->best = cs_set_keep_read(work, whole, reader, &of);
    if (part->best == NULL)
        return FALSE;
    const CsSetBox lies = cs_set_box_of(work, part->best);
    return lies.strand == part->box.strand && holds(part, &lies) &&
           cs_alignment_get_summary(part->best)->score == part->most;
}

/* FALSE if the numbers are not those of a set. */
static gboolean
read_all(CsSetWork *work, const CsComparison *whole, const gint64 *head, CsSetReader *reader)
{
    if (!read_found(work, whole, reader, head[CS_FOUND_SET_COUNT]))
        return FALSE;
    while (reader->left > 0)
        if (!read_part(work, whole, reader))
            return FALSE;
    for (guint k = 0; k < 2; k++)
        work->ended[k] =
            head[CS_FOUND_SET_ENDED + k] != 0 && head[CS_FOUND_SET_LEAST] <= work->least;
    work->told = CLAMP((double)head[CS_FOUND_SET_DONE] / 1e6, 0, 1);
    return TRUE;
}

/* Leaves out what an earlier run found that scores too little for this one. Nothing else of its kind
 * scores enough then. */
static void
leave_out(CsSetWork *work)
{
    for (guint k = work->found->len; k-- > 0;) {
        const CsAlignment *one = g_ptr_array_index(work->found, k);
        const CsStrand strand = cs_alignment_get_summary(one)->strand;
        if (g_array_index(work->wholes, CsScore, k) >= work->least)
            continue;
        g_ptr_array_remove_index(work->found, k);
        g_array_remove_index(work->wholes, k);
        work->ended[work->rule == CS_ALIGN_SET_ALL && strand == CS_STRAND_MINUS] = TRUE;
    }
    if (work->rule == CS_ALIGN_SET_ALL)
        g_array_set_size(work->wholes, 0);
}

static void
forget(CsSetWork *work)
{
    g_ptr_array_set_size(work->found, 0);
    g_array_set_size(work->wholes, 0);
    g_ptr_array_set_size(work->parts, 0);
    work->ended[0] = work->ended[1] = FALSE;
    work->told = 0;
}

/* Another rule has another list. */
static gboolean
check_rule(const CsSetWork *work, const gint64 *head, GError **error)
{
    const gboolean all = head[CS_FOUND_SET_ALL] != 0, self = head[CS_FOUND_SET_SELF] != 0;
    const gint64 drop = head[CS_FOUND_SET_MAX_DROP];
    if (all == (work->rule == CS_ALIGN_SET_ALL) && self == work->self && drop == drop_of(work))
        return TRUE;
    g_autofree char *shown = cs_display_name(work->options->checkpoint);
    g_autofree char *there =
        !all ? g_strdup_printf("--one-to-one, %s", drop < 0 ? "not split" : "split at drops")
             : g_strdup(self ? "--all --self" : "--all");
    g_autofree char *of =
        !all && drop >= 0 ? g_strdup_printf(" of more than %" G_GINT64_FORMAT, drop) : g_strdup("");
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "checkpoint %s holds another set of alignments, that of %s%s (--no-resume starts "
                "over)",
                shown, there, of);
    return FALSE;
}

gboolean
cs_set_keep_load(CsSetWork *work, const CsComparison *whole, GError **error)
{
    gint64 count = 0;
    g_autofree gint64 *numbers =
        whole->checkpoint != NULL ? cs_found_load(whole->checkpoint, CS_FOUND_SET, &count) : NULL;
    work->saved = g_get_monotonic_time();
    if (numbers == NULL || count < CS_FOUND_SET_HEAD ||
        numbers[CS_FOUND_SET_LAYOUT] != CS_FOUND_SET_LATEST ||
        numbers[CS_FOUND_SET_BARS] != hash_bars(work->bars))
        return TRUE;
    if (!check_rule(work, numbers, error))
        return FALSE;
    CsSetReader reader = {numbers + CS_FOUND_SET_HEAD, count - CS_FOUND_SET_HEAD};
    if (!read_all(work, whole, numbers, &reader)) {
        cs_compare_note(whole, CS_NOTE_WARNING,
                        "the alignments that an earlier run saved are wrong; starting over");
        forget(work);
        return TRUE;
    }
    leave_out(work);
    cs_compare_note(whole, CS_NOTE_EVENT, "resuming after %u alignments", work->found->len);
    return TRUE;
}
