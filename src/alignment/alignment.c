/* Runs of a path in a CIGAR's terms, and what they come to. */
#include "alignment/alignment.h"
#include "alignment/origins.h"
#include "alignment/pieces.h"

struct _CsAlignment {
    CsSequence *target, *query;
    CsPlacement placement;
    CsRectangle matrix; /* views of the two */
    CsPath path;
    CsAlignmentSummary summary;
    guint target_record, query_record; /* their places among several */
};

void
cs_alignment_iter_init(CsAlignmentIter *iter, const CsAlignment *alignment)
{
    *iter = (CsAlignmentIter){.alignment = alignment, .path = g_new(CsPathIter, 1)};
    cs_path_iter_init(iter->path, &alignment->path, &alignment->matrix);
}

void
cs_alignment_iter_clear(CsAlignmentIter *iter)
{
    g_clear_pointer(&iter->path, g_free);
}

gboolean
cs_alignment_iter_next(CsAlignmentIter *iter, CsAlignmentRun *run)
{
    CsPathStretch stretch;
    if (!cs_path_iter_next(iter->path, &stretch))
        return FALSE;
    const gboolean query = (stretch.kind == CS_PATH_ROWS) == iter->alignment->placement.transposed;
    run->length = stretch.length;
    if (stretch.kind == CS_PATH_PAIRS)
        run->op = stretch.match ? '=' : 'X';
    else
        run->op = query ? 'I' : 'D';
    return TRUE;
}

/* How many pairs of a run of mismatches have an ambiguous base. */
static gint64
count_ambiguous(const CsRectangle *matrix, gint64 i, gint64 j, gint64 length)
{
    gint64 count = 0;
    for (gint64 k = 0; k < length; k++) {
        guint8 row, column;
        const CsView rows = cs_view_slice(&matrix->rows, i + k, 1);
        const CsView columns = cs_view_slice(&matrix->columns, j + k, 1);
        cs_view_read(&rows, CS_ROW_AMBIGUOUS, &row);
        cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, &column);
        count += row == CS_ROW_AMBIGUOUS || column == CS_COLUMN_AMBIGUOUS;
    }
    return count;
}

static void
sum_up(CsAlignment *alignment)
{
    CsAlignmentSummary *summary = &alignment->summary;
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    cs_alignment_iter_init(&iter, alignment);
    const CsPathIter *at = iter.path;
    while (cs_alignment_iter_next(&iter, &run)) {
        summary->columns += run.length;
        switch (run.op) {
        case '=': summary->matches += run.length; break;
        case 'X':
            summary->mismatches += run.length;
            summary->ambiguous += count_ambiguous(&alignment->matrix, at->i - run.length,
                                                  at->j - run.length, run.length);
            break;
        case 'I':
            summary->insertions++;
            summary->inserted += run.length;
            break;
        default:
            summary->deletions++;
            summary->deleted += run.length;
            break;
        }
    }
}

CsAlignment *
cs_alignment_new(const CsSequence *target, const CsSequence *query, CsStrand strand,
                 const CsPlacement *placement, const CsRectangle *matrix, CsPath *path,
                 CsScore score, GError **error)
{
    if (!cs_path_check(path, matrix, score, error))
        return NULL;
    CsAlignment *alignment = g_new0(CsAlignment, 1);
    alignment->target = cs_sequence_ref((CsSequence *)target);
    alignment->query = cs_sequence_ref((CsSequence *)query);
    alignment->matrix = *matrix;
    alignment->placement = *placement;
    alignment->path = *path;
    *path = (CsPath){0};
    const CsPath *taken = &alignment->path;
    const CsBest first = {score, taken->i0 + 1, taken->j0 + 1}, last = {score, taken->i, taken->j};
    const CsLocation where = cs_placement_locate(placement, strand, &first, &last);
    alignment->summary = (CsAlignmentSummary){
        .score = score,
        .strand = strand,
        .target_start = where.target_start,
        .target_end = where.target_end,
        .query_start = where.query_start,
        .query_end = where.query_end,
    };
    sum_up(alignment);
    return alignment;
}

/* A circular record's bases are in its sequence twice. */
static gint64
period_of(const CsSequence *sequence)
{
    return sequence->length > sequence->record_length ? sequence->record_length : 0;
}

void
cs_alignment_get_periods(const CsAlignment *alignment, gint64 *target, gint64 *query)
{
    *target = period_of(alignment->target);
    *query = period_of(alignment->query);
}

void
cs_alignment_turn(CsAlignment *alignment, gint64 target, gint64 query)
{
    alignment->placement.target_offset += target;
    alignment->placement.query_offset += query;
    alignment->summary.target_start += target;
    alignment->summary.target_end += target;
    alignment->summary.query_start += query;
    alignment->summary.query_end += query;
}

void
cs_alignment_free(CsAlignment *alignment)
{
    if (alignment == NULL)
        return;
    cs_path_clear(&alignment->path);
    cs_sequence_unref(alignment->target);
    cs_sequence_unref(alignment->query);
    g_free(alignment);
}

const CsAlignmentSummary *
cs_alignment_get_summary(const CsAlignment *alignment)
{
    return &alignment->summary;
}

void
cs_alignment_get_records(const CsAlignment *alignment, guint *target, guint *query)
{
    *target = alignment->target_record;
    *query = alignment->query_record;
}

void
cs_alignment_place(CsAlignment *alignment, guint target, guint query)
{
    alignment->target_record = target;
    alignment->query_record = query;
}

/* Makes a view of a copy of a record read the same bases in the record itself. */
static void
move_view(CsView *view, CsSequence **sequence, const CsAlignmentRecord *record)
{
    view->codes = record->sequence->codes + (view->codes - (*sequence)->codes - record->before);
    CsSequence *moved = cs_sequence_ref((CsSequence *)record->sequence);
    cs_sequence_unref(*sequence);
    *sequence = moved;
}

void
cs_alignment_move(CsAlignment *alignment, const CsAlignmentRecord *target,
                  const CsAlignmentRecord *query)
{
    CsAlignmentSummary *s = &alignment->summary;
    CsPath *path = &alignment->path;
    CsRectangle *matrix = &alignment->matrix;
    CsPlacement *placement = &alignment->placement;
    /* From positions in the whole to those in the record. */
    const gint64 down = target->sequence->offset - alignment->target->offset - target->before;
    const gint64 right = query->sequence->offset - alignment->query->offset - query->before;
    /* The rows and columns that the alignment spans, since a larger matrix may leave the record. */
    matrix->rows = cs_view_slice(&matrix->rows, path->i0, path->i - path->i0);
    matrix->columns = cs_view_slice(&matrix->columns, path->j0, path->j - path->j0);
    *path = (CsPath){.i = path->i - path->i0,
                     .j = path->j - path->j0,
                     .runs = path->runs,
                     .n = path->n,
                     .size = path->size};
    move_view(placement->transposed ? &matrix->columns : &matrix->rows, &alignment->target, target);
    move_view(placement->transposed ? &matrix->rows : &matrix->columns, &alignment->query, query);
    s->target_start += down;
    s->target_end += down;
    s->query_start += right;
    s->query_end += right;
    placement->target_offset = s->target_start - 1;
    placement->query_offset = s->query_start - 1;
    placement->query_length = s->query_end - s->query_start + 1;
    cs_alignment_place(alignment, target->place, query->place);
}

const CsPath *
cs_alignment_get_path(const CsAlignment *alignment, gboolean *transposed)
{
    *transposed = alignment->placement.transposed;
    return &alignment->path;
}

/* The alignment of a piece, scored anew. */
static CsAlignment *
cut(const CsAlignment *alignment, const CsPiece *piece, GError **error)
{
    const CsScore score = piece->to.score - piece->from.score;
    g_auto(CsPath) part = {0};
    if (!cs_pieces_cut(&alignment->path, piece, &part, error))
        return NULL;
    CsAlignment *piece_alignment =
        cs_alignment_new(alignment->target, alignment->query, alignment->summary.strand,
                         &alignment->placement, &alignment->matrix, &part, score, error);
    if (piece_alignment != NULL) {
        piece_alignment->target_record = alignment->target_record;
        piece_alignment->query_record = alignment->query_record;
    }
    return piece_alignment;
}

GPtrArray *
cs_alignment_split(const CsAlignment *alignment, GError **error)
{
    const CsSequence *target = alignment->target, *query = alignment->query;
    g_autoptr(GArray) pieces =
        cs_origins_find(&alignment->path, &alignment->matrix, &alignment->placement,
                        alignment->summary.strand, target->record_length, query->record_length);
    g_autoptr(GPtrArray) alignments =
        g_ptr_array_new_with_free_func((GDestroyNotify)cs_alignment_free);
    for (guint k = 0; k < pieces->len; k++) {
        const CsOriginPiece *piece = &g_array_index(pieces, CsOriginPiece, k);
        CsAlignment *part = cut(alignment, &piece->piece, error);
        if (part == NULL)
            return NULL;
        cs_alignment_turn(part, -piece->target, -piece->query);
        g_ptr_array_add(alignments, part);
    }
    return g_steal_pointer(&alignments);
}

GArray *
cs_alignment_drops(const CsAlignment *alignment, gint64 max_drop)
{
    GArray *drops = g_array_new(FALSE, FALSE, sizeof(CsAlignmentDrop));
    g_autoptr(GArray) pieces = cs_pieces_find(&alignment->path, &alignment->matrix, max_drop);
    for (guint k = 0; k + 1 < pieces->len; k++) {
        const CsPlace *from = &g_array_index(pieces, CsPiece, k).to;
        const CsPlace *to = &g_array_index(pieces, CsPiece, k + 1).from;
        const CsBest first = {1, from->i + 1, from->j + 1}, last = {1, to->i, to->j};
        /* Where a record has no base between them, its end is the position before its start. */
        const CsLocation where =
            cs_placement_locate(&alignment->placement, alignment->summary.strand, &first, &last);
        const CsAlignmentDrop drop = {where.target_start, where.target_end, where.query_start,
                                      where.query_end, to->score - from->score};
        g_array_append_val(drops, drop);
    }
    return drops;
}

GPtrArray *
cs_alignment_cut(const CsAlignment *alignment, gint64 max_drop, GError **error)
{
    g_autoptr(GArray) pieces = cs_pieces_find(&alignment->path, &alignment->matrix, max_drop);
    g_autoptr(GPtrArray) alignments =
        g_ptr_array_new_with_free_func((GDestroyNotify)cs_alignment_free);
    for (guint k = 0; k < pieces->len; k++) {
        CsAlignment *part = cut(alignment, &g_array_index(pieces, CsPiece, k), error);
        if (part == NULL)
            return NULL;
        g_ptr_array_add(alignments, part);
    }
    return g_steal_pointer(&alignments);
}
