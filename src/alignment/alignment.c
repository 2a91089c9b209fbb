/* Runs of a path in a CIGAR's terms, and what they come to. */
#include "alignment/alignment.h"

enum {
    AT_ONCE = 4096, /* pairs looked at at once */
};

struct _CsAlignment {
    CsSequence *target, *query;
    CsRectangle matrix; /* views of the two */
    gboolean transposed;
    CsPath path;
    CsAlignmentSummary summary;
};

/* Pairs of a run that lie ahead: whether each is equal. */
typedef struct {
    gint64 from, count; /* of the run's pairs */
    guint8 rows[AT_ONCE], columns[AT_ONCE];
} Bases;

void
cs_alignment_iter_init(CsAlignmentIter *iter, const CsAlignment *alignment)
{
    *iter = (CsAlignmentIter){.alignment = alignment,
                              .i = alignment->path.i0,
                              .j = alignment->path.j0,
                              .bases = g_new0(Bases, 1)};
}

void
cs_alignment_iter_clear(CsAlignmentIter *iter)
{
    g_clear_pointer(&iter->bases, g_free);
}

/* Whether pair `at` of the run of pairs, which has so many, is of equal bases. */
static gboolean
is_match(CsAlignmentIter *iter, gint64 at, gint64 length)
{
    Bases *bases = iter->bases;
    const CsRectangle *matrix = &iter->alignment->matrix;
    if (at < bases->from || at >= bases->from + bases->count) {
        bases->from = at;
        bases->count = MIN(AT_ONCE, length - at);
        const CsView rows = cs_view_slice(&matrix->rows, iter->i + at, bases->count);
        const CsView columns = cs_view_slice(&matrix->columns, iter->j + at, bases->count);
        cs_view_read(&rows, CS_ROW_AMBIGUOUS, bases->rows);
        cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, bases->columns);
    }
    return bases->rows[at - bases->from] == bases->columns[at - bases->from];
}

/* The next stretch of a run of pairs, of matches or of mismatches. */
static void
next_pairs(CsAlignmentIter *iter, gint64 length, CsAlignmentRun *run)
{
    const gboolean match = is_match(iter, iter->done, length);
    gint64 end = iter->done + 1;
    while (end < length && is_match(iter, end, length) == match)
        end++;
    *run = (CsAlignmentRun){match ? '=' : 'X', end - iter->done};
    iter->done = end;
}

gboolean
cs_alignment_iter_next(CsAlignmentIter *iter, CsAlignmentRun *run)
{
    const CsAlignment *alignment = iter->alignment;
    const CsPath *path = &alignment->path;
    if (iter->run == path->n)
        return FALSE;
    const CsPathKind kind = cs_path_kind(path, iter->run);
    const gint64 length = cs_path_length(path, iter->run);
    if (kind == CS_PATH_PAIRS) {
        next_pairs(iter, length, run);
    } else {
        *run =
            (CsAlignmentRun){(kind == CS_PATH_ROWS) == alignment->transposed ? 'I' : 'D', length};
        iter->done = length;
    }
    if (iter->done == length) {
        iter->i += kind != CS_PATH_COLUMNS ? length : 0;
        iter->j += kind != CS_PATH_ROWS ? length : 0;
        iter->done = 0;
        iter->run++;
        ((Bases *)iter->bases)->count = 0;
    }
    return TRUE;
}

/* How many pairs of a run of mismatches have an ambiguous base. */
static gint64
count_ambiguous(CsAlignmentIter *iter, gint64 i, gint64 j, gint64 length)
{
    const CsRectangle *matrix = &iter->alignment->matrix;
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
    gint64 i = alignment->path.i0, j = alignment->path.j0;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        summary->columns += run.length;
        const gboolean pairs = run.op == '=' || run.op == 'X';
        const gboolean rows = pairs || (run.op == 'I') == alignment->transposed;
        switch (run.op) {
        case '=': summary->matches += run.length; break;
        case 'X':
            summary->mismatches += run.length;
            summary->ambiguous += count_ambiguous(&iter, i, j, run.length);
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
        i += rows ? run.length : 0;
        j += pairs || !rows ? run.length : 0;
    }
}

CsAlignment *
cs_alignment_new(const CsSequence *target, const CsSequence *query, CsStrand strand,
                 const CsPlacement *placement, const CsRectangle *matrix, CsPath *path,
                 CsScore score)
{
    CsAlignment *alignment = g_new0(CsAlignment, 1);
    alignment->target = cs_sequence_ref((CsSequence *)target);
    alignment->query = cs_sequence_ref((CsSequence *)query);
    alignment->matrix = *matrix;
    alignment->transposed = placement->transposed;
    alignment->path = *path;
    *path = (CsPath){0};
    const CsPath *taken = &alignment->path;
    const CsBest first = {score, taken->i0 + 1, taken->j0 + 1}, last = {score, taken->i, taken->j};
    const gint64 query_first = cs_placement_query(placement, strand, &first);
    const gint64 query_last = cs_placement_query(placement, strand, &last);
    alignment->summary = (CsAlignmentSummary){
        .score = score,
        .strand = strand,
        .target_start = cs_placement_target(placement, &first),
        .target_end = cs_placement_target(placement, &last),
        .query_start = MIN(query_first, query_last),
        .query_end = MAX(query_first, query_last),
    };
    sum_up(alignment);
    return alignment;
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
