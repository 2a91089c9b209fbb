/*
 * Many boxes of one strand in one sweep, which says in which of them no alignment scores enough.
 *
 *     target: left [a] taken left [b] taken [c]         query:  d ... e ... f
 *
 *               d    |  e  |   f       The bases that are left of each sequence follow each other, with
 *          a   box   | box |  box      BAR ambiguous bases between them. An alignment of a box is one of
 *          ----------+-----+-----      these two sequences as well, so its end is marked (sweep/end_marks.h):
 *          b   box   | box |  box      a box without marks holds none. Bars only keep marks few: an
 *                                      alignment of the joined bases that passes one proves nothing.
 *
 * A small box takes a few milliseconds whatever its cells, and keeps few threads busy, let alone a GPU. Marks
 * are kept, so they also rule out what is later cut off a box.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "compare/align_set.h"
#include "system/memory.h"

enum {
    BAR = 256,
    FEWEST = 4,   /* boxes */
    MOST_OLD = 8, /* joins whose marks are kept */
};

/* Squares of marks. */
#define SQUARES (G_GINT64_CONSTANT(1) << 22)

/* Cells of a join, so that a wrong guess costs seconds at most, and no state need be saved. */
#define MOST_CELLS_GPU 2e13
#define MOST_CELLS_A_THREAD 1e11

/* A box has at most so much of them. */
#define LARGE_SHARE 0.125

/* Seconds and cells a second of a sweep, as measured on CPUs and beside an H100. */
#define BEGIN_SECONDS 0.004
#define BEGIN_SECONDS_GPU 0.05
#define BEGIN_SECONDS_OF_JOIN_GPU 0.3
#define CELLS_A_SECOND 1.5e10
#define CELLS_A_SECOND_GPU 3.5e12
#define CELLS_A_SECOND_OF_JOIN_GPU 6e12
#define THREADS_OF_SMALL 4 /* more have next to nothing to do in a small box */

/* A join has to take less than this part of the time of its boxes, since neither is known well. */
#define SURELY 0.75

/* A join that rules out less than this share of the cells of its boxes was in vain. Others are tried only of
 * boxes with at most that part of their cells. */
#define WORTHWHILE 0.5
#define SMALLER 0.25

/* Bases of a sequence, and where they are in the joined one. */
typedef struct {
    gint64 from, to, at;
} Stretch;

typedef struct {
    GArray *stretches; /* in order */
    gint64 length;
} Side;

struct _CsSetJoin {
    CsStrand strand;
    Side target, query;
    gboolean transposed; /* the rows of the marks are the query's bases */
    CsEndMarks *marks;
};

static gint
compare_stretches(gconstpointer one, gconstpointer other)
{
    const Stretch *a = one, *b = other;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : (a->to > b->to) - (a->to < b->to);
}

static void
side_clear(Side *side)
{
    g_clear_pointer(&side->stretches, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Side, side_clear)

/* Where a stretch with these bases is, or NULL. */
static const Stretch *
find_stretch(const Side *side, gint64 from, gint64 to)
{
    guint low = 0, high = side->stretches->len; /* those before low begin at `from` or before */
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (g_array_index(side->stretches, Stretch, middle).from <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (guint k = low; k-- > 0;) {
        const Stretch *stretch = &g_array_index(side->stretches, Stretch, k);
        if (stretch->to >= to)
            return stretch;
    }
    return NULL;
}

void
cs_set_join_free(gpointer data)
{
    CsSetJoin *join = data;
    if (join == NULL)
        return;
    side_clear(&join->target);
    side_clear(&join->query);
    cs_end_marks_free(join->marks);
    g_free(join);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSetJoin, cs_set_join_free)

/* Whether the marks say that no alignment in the box scores enough. */
static gboolean
join_excludes(const CsSetJoin *join, const CsSetBox *box)
{
    if (join->strand != box->strand)
        return FALSE;
    const Stretch *t = find_stretch(&join->target, box->target, box->target_end);
    const Stretch *q = find_stretch(&join->query, box->query, box->query_end);
    if (t == NULL || q == NULL)
        return FALSE;
    const gint64 i = t->at + box->target - t->from, height = box->target_end - box->target;
    const gint64 forward = q->at + box->query - q->from, width = box->query_end - box->query;
    const gint64 j =
        join->strand == CS_STRAND_MINUS ? join->query.length - forward - width : forward;
    return join->transposed ? !cs_end_marks_any(join->marks, j, j + width, i, i + height)
                            : !cs_end_marks_any(join->marks, i, i + height, j, j + width);
}

gboolean
cs_set_join_excludes(const CsSetWork *work, const CsSetBox *box)
{
    for (guint k = work->joins->len; k-- > 0;)
        if (join_excludes(g_ptr_array_index(work->joins, k), box))
            return TRUE;
    return FALSE;
}

static void
add_stretch(Side *side, gint64 from, gint64 to)
{
    const Stretch stretch = {.from = from, .to = to};
    if (side->stretches == NULL)
        side->stretches = g_array_new(FALSE, FALSE, sizeof(Stretch));
    g_array_append_val(side->stretches, stretch);
}

/* Puts the stretches in order, each once, and gives each its place. */
static void
place(Side *side)
{
    const guint count = side->stretches->len;
    guint kept = 0;
    gint64 at = 0;
    g_array_sort(side->stretches, compare_stretches);
    for (guint k = 0; k < count; k++) {
        Stretch stretch = g_array_index(side->stretches, Stretch, k);
        if (kept > 0 &&
            compare_stretches(&stretch, &g_array_index(side->stretches, Stretch, kept - 1)) == 0)
            continue;
        stretch.at = at;
        side->length = at + stretch.to - stretch.from;
        at = side->length + BAR;
        g_array_index(side->stretches, Stretch, kept++) = stretch;
    }
    g_array_set_size(side->stretches, kept);
}

/* The bases of the stretches, with bars between them. */
static CsSequence *
copy_bases(const CsSequence *whole, const Side *side, GError **error)
{
    guint8 *codes = cs_memory_try((gsize)side->length, 1);
    if (codes == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory to join boxes");
        return NULL;
    }
    memset(codes, CS_CODE_AMBIGUOUS, (gsize)side->length);
    for (guint k = 0; k < side->stretches->len; k++) {
        const Stretch *stretch = &g_array_index(side->stretches, Stretch, k);
        memcpy(codes + stretch->at, whole->codes + stretch->from,
               (gsize)(stretch->to - stretch->from));
    }
    const CsSequence content = {.file = g_strdup(whole->file),
                                .name = g_strdup(whole->name),
                                .length = side->length,
                                .record_length = side->length,
                                .codes = codes};
    CsSequence *sequence = cs_sequence_new_take(&content);
    for (gint64 k = 0; k < side->length; k++)
        sequence->ambiguous += codes[k] == CS_CODE_AMBIGUOUS;
    return sequence;
}

/* What the sweep of a box takes, about. */
static double
seconds_alone(const CsSetWork *work, const CsSetBox *box)
{
    const double cells = cs_set_box_cells(box);
    return cs_set_uses_gpu(work, cells)
               ? BEGIN_SECONDS_GPU + cells / CELLS_A_SECOND_GPU
               : BEGIN_SECONDS +
                     cells / (CELLS_A_SECOND * MIN(cs_set_threads(work), THREADS_OF_SMALL));
}

static double
seconds_joined(const CsSetWork *work, double cells)
{
    return cs_set_uses_gpu(work, cells)
               ? BEGIN_SECONDS_OF_JOIN_GPU + cells / CELLS_A_SECOND_OF_JOIN_GPU
               : BEGIN_SECONDS + cells / (CELLS_A_SECOND * cs_set_threads(work));
}

static double
most_cells(const CsSetWork *work)
{
    return work->gpu ? MOST_CELLS_GPU : MOST_CELLS_A_THREAD * cs_set_threads(work);
}

gboolean
cs_set_join_takes(const CsSetWork *work, const CsSetBox *box)
{
    return work->sizes.join >= 0 && cs_set_box_cells(box) <= LARGE_SHARE * most_cells(work);
}

/* Leaves so many stretches around the one that begins there that the join is not too large. FALSE: even
 * this one is. */
static gboolean
limit_height(Side *target, gint64 middle, gint64 width, double most)
{
    const Stretch *all = (const Stretch *)(gpointer)target->stretches->data;
    guint first = 0, last;
    while (all[first].from != middle)
        first++;
    const gint64 limit = (gint64)(most / (double)width);
    last = first;
    if (all[first].to - all[first].from > limit)
        return FALSE;
    for (gboolean more = TRUE; more;) {
        const gint64 end = all[last].at + all[last].to - all[last].from;
        more = FALSE;
        if (last + 1 < target->stretches->len &&
            all[last + 1].at + all[last + 1].to - all[last + 1].from - all[first].at <= limit) {
            last++;
            more = TRUE;
        } else if (first > 0 && end - all[first - 1].at <= limit) {
            first--;
            more = TRUE;
        }
    }
    g_array_set_size(target->stretches, last + 1);
    if (first > 0)
        g_array_remove_range(target->stretches, 0, first);
    place(target);
    return TRUE;
}

/* Whether one sweep takes less time than one of each box of the join. *box_cells: of these. */
static gboolean
pays(const CsSetWork *work, const CsSetJoin *join, const GPtrArray *parts, double *box_cells)
{
    double alone = 0;
    *box_cells = 0;
    guint count = 0;
    for (guint k = 0; k < parts->len; k++) {
        const CsSetBox *box = &((const CsSetPart *)g_ptr_array_index(parts, k))->box;
        if (find_stretch(&join->target, box->target, box->target_end) == NULL)
            continue;
        alone += seconds_alone(work, box);
        *box_cells += cs_set_box_cells(box);
        count++;
    }
    const double cells = (double)join->target.length * (double)join->query.length;
    return work->sizes.join > 0 ||
           (count >= FEWEST &&
            (work->join_vain == 0 || *box_cells < SMALLER * work->join_vain * count) &&
            seconds_joined(work, cells) <= SURELY * alone);
}

static CsSetJoin *
join_new(const CsSetWork *work, const GPtrArray *parts, double *box_cells)
{
    const CsSetPart *first = g_ptr_array_index(parts, 0);
    g_autoptr(CsSetJoin) join = g_new0(CsSetJoin, 1);
    join->strand = first->box.strand;
    for (guint k = 0; k < parts->len; k++) {
        const CsSetBox *box = &((const CsSetPart *)g_ptr_array_index(parts, k))->box;
        add_stretch(&join->target, box->target, box->target_end);
        add_stretch(&join->query, box->query, box->query_end);
    }
    place(&join->target);
    place(&join->query);
    return limit_height(&join->target, first->box.target, join->query.length, most_cells(work)) &&
                   pays(work, join, parts, box_cells)
               ? g_steal_pointer(&join)
               : NULL;
}

/* Sweeps the joined bases. */
static gboolean
mark(CsSetWork *work, CsSetJoin *join, GError **error)
{
    g_autoptr(CsSequence) target = copy_bases(work->target, &join->target, error);
    if (target == NULL)
        return FALSE;
    g_autoptr(CsSequence) query = copy_bases(work->query, &join->query, error);
    if (query == NULL)
        return FALSE;
    join->transposed = query->length > target->length;
    const gint64 m = join->transposed ? query->length : target->length;
    const gint64 n = join->transposed ? target->length : query->length;
    gint64 unit = BAR;
    while ((m / unit + 1) * (n / unit + 1) > SQUARES)
        unit *= 2;
    join->marks =
        cs_end_marks_new(m, n, work->sizes.join > 0 ? work->sizes.join : unit, work->least, error);
    return join->marks != NULL &&
           cs_set_box_mark_joined(work, target, query, join->strand, join->marks, error);
}

/* Tells the boxes of a join that it was swept, and whether that was in vain. */
static void
look_back(CsSetWork *work, const CsSetJoin *join, const GPtrArray *parts)
{
    double all = 0, excluded = 0;
    guint count = 0;
    for (guint k = 0; k < parts->len; k++) {
        CsSetPart *part = g_ptr_array_index(parts, k);
        if (find_stretch(&join->target, part->box.target, part->box.target_end) == NULL)
            continue;
        part->joined = TRUE;
        count++;
        all += cs_set_box_cells(&part->box);
        excluded += join_excludes(join, &part->box) ? cs_set_box_cells(&part->box) : 0;
    }
    if (excluded < WORTHWHILE * all)
        work->join_vain = all / count;
}

gboolean
cs_set_join_sweep(CsSetWork *work, GPtrArray *parts, gboolean *swept, GError **error)
{
    g_autoptr(GError) failure = NULL;
    double box_cells;
    g_autoptr(CsSetJoin) join = join_new(work, parts, &box_cells);
    CsSetPart *first = g_ptr_array_index(parts, 0);
    *swept = FALSE;
    if (join == NULL)
        return TRUE;
    work->sweep = box_cells / (double)work->cells;
    if (mark(work, join, &failure)) {
        look_back(work, join, parts);
        if (work->joins->len >= MOST_OLD)
            g_ptr_array_remove_index(work->joins, 0);
        g_ptr_array_add(work->joins, g_steal_pointer(&join));
        *swept = TRUE;
        return TRUE;
    }
    if (g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED)) {
        first->slow = TRUE;
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    first->joined = TRUE; /* it is swept alone, which may well work, and if not, tells why */
    return TRUE;
}
