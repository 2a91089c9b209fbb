/*
 * One-to-one: the best alignment first, then the best among bases that are left, and so on.
 *
 *              query: left | taken | left        Taken bases cut the matrix of each strand into boxes.
 *     target: left   [ box ]       [ box ]       Each box has its own best alignment, whatever
 *             taken  ---------------------       happens in others, so the next alignment is the
 *             left   [ box ]       [ box ]       best of the bests.
 *
 * Most boxes are never swept: no alignment scores more than a match for each base of the shorter
 * side, nor more than the best of a box that contained this one. A box is swept only if that is
 * enough for the next alignment, and what cannot reach the best of other boxes is skipped. A best
 * alignment that others do not touch stays the best of its box, however that is cut
 * (docs/proofs/alignment-sets.md).
 */
#include "compare/circle.h"
#include "lower_bound/sketch.h"
#include "skipping/skip_estimate.h"

/* A floor that is higher than the least score that is wanted must leave out so much of a box that not
 * more than this share of its cells is computed. If nothing scores so much, these cells are computed once
 * more. */
#define MOST_TWICE (1.0 / 3)
#define NEXT_FLOOR (2.0 / 3) /* of the one before it, or less */

typedef struct {
    CsSetWork *work;
    const CsComparison *whole;
    GPtrArray *parts; /* those of work */
    CsStrand likely;  /* where the first is looked for first */
} Search;

/* The last base of an alignment in the query as it is read, by which ties are broken. */
static gint64
end_as_read(const CsSetWork *work, const CsAlignmentSummary *s)
{
    const gint64 end = s->strand == CS_STRAND_MINUS ? s->query_start : s->query_end;
    const gint64 base = cs_circle_first_copy(work, CS_CIRCLE_COLUMNS, end);
    return s->strand == CS_STRAND_MINUS ? -base : base;
}

static gint64
end_in_target(const CsSetWork *work, const CsAlignmentSummary *s)
{
    return cs_circle_first_copy(work, CS_CIRCLE_ROWS, s->target_end);
}

/* Whether an alignment goes before another. */
static gboolean
goes_before(const CsSetWork *work, const CsAlignment *one, const CsAlignment *other)
{
    const CsAlignmentSummary *a = cs_alignment_get_summary(one);
    const CsAlignmentSummary *b = cs_alignment_get_summary(other);
    if (a->score != b->score)
        return a->score > b->score;
    if (a->strand != b->strand)
        return a->strand == CS_STRAND_PLUS;
    const gint64 end_a = end_in_target(work, a), end_b = end_in_target(work, b);
    return end_a != end_b ? end_a < end_b : end_as_read(work, a) < end_as_read(work, b);
}

/* Adds a box if it may hold an alignment of the set. What sweeps of several boxes ruled out is kept as closed,
 * so that a later run knows it, too. */
static void
add_part(Search *search, const CsSetBox *box, const gboolean *round, CsScore limit,
         CsAlignment *best)
{
    CsSetWork *work = search->work;
    const CsScore most = MIN(cs_set_box_most(work, box), limit);
    if (most < work->least) {
        cs_alignment_free(best);
        return;
    }
    const gboolean excluded = best == NULL && cs_set_join_excludes(work, box);
    CsSetPart *part = g_new(CsSetPart, 1);
    *part = (CsSetPart){.box = *box,
                        .round = {round[0], round[1]},
                        .most = excluded ? work->least - 1 : most,
                        .best = best};
    g_ptr_array_add(excluded ? work->closed : search->parts, part);
}

/* A side of a box. */
typedef struct {
    gint64 from, end;
    gboolean round;
} Side;

/* What is left of a side when bases are taken, at most two stretches. Returns how many; whole: it holds none of
 * these. What is left of a whole circle may run over the origin. Elsewhere bases are taken in the copy of a circle in
 * which they are in the stretch, which holds no base twice. */
static guint
cut_side(const CsSetWork *work, guint side, const Side *of, gint64 taken, gint64 taken_end,
         Side *left, gboolean *whole)
{
    const CsCircleRing ring = cs_circle_ring(work, side, of->from);
    const gint64 length = taken_end - taken;
    const gboolean elsewhere = cs_circle_ring(work, side, taken).from != ring.from;
    const gint64 by = taken >= of->end ? -ring.period : taken_end <= of->from ? ring.period : 0;
    guint n = 0;
    *whole = elsewhere || (!of->round && (taken + by >= of->end || taken_end + by <= of->from));
    if (*whole) {
        left[n++] = *of;
    } else if (of->round) {
        const gint64 from = ring.from + (taken_end - ring.from) % ring.period;
        left[n++] = (Side){from, from + ring.period - length, FALSE};
    } else {
        left[n++] = (Side){of->from, taken + by, FALSE};
        left[n++] = (Side){taken_end + by, of->end, FALSE};
    }
    return n;
}

/* Adds a box that was cut off another. The best alignment of a circle is not that of what is left of it, which
 * begins elsewhere: another of the same score may end first there. */
static void
add_cut(Search *search, CsSetPart *whole, const Side *rows, const Side *columns)
{
    const CsSetBox box = {rows->from, rows->end, columns->from, columns->end, whole->box.strand};
    const gboolean round[] = {rows->round, columns->round};
    CsAlignment *best = NULL;
    if (box.target >= box.target_end || box.query >= box.query_end)
        return;
    if (whole->best != NULL && !whole->round[0] && !whole->round[1]) {
        const CsSetBox lies = cs_set_box_of(search->work, whole->best);
        best = cs_set_box_holds(&box, &lies) ? g_steal_pointer(&whole->best) : NULL;
    }
    add_part(search, &box, round, whole->most, best);
}

/* Takes the bases of an alignment out of all boxes. */
static void
take_bases(Search *search, const CsSetBox *taken)
{
    const CsSetWork *work = search->work;
    for (guint k = search->parts->len; k-- > 0;) {
        CsSetPart *part = g_ptr_array_index(search->parts, k);
        const CsSetBox *box = &part->box;
        const Side sides[] = {{box->target, box->target_end, part->round[0]},
                              {box->query, box->query_end, part->round[1]}};
        Side left[2][2];
        gboolean whole[2];
        const guint n[] = {cut_side(work, CS_CIRCLE_ROWS, &sides[0], taken->target,
                                    taken->target_end, left[0], &whole[0]),
                           cut_side(work, CS_CIRCLE_COLUMNS, &sides[1], taken->query,
                                    taken->query_end, left[1], &whole[1])};
        if (whole[0] && whole[1])
            continue;
        (void)g_ptr_array_steal_index_fast(search->parts, k);
        for (guint r = 0; r < n[0]; r++)
            for (guint c = 0; c < n[1]; c++)
                add_cut(search, part, &left[0][r], &left[1][c]);
        cs_set_part_free(part);
    }
}

/* By score, then in the order of the target. */
static gint
compare_pieces(gconstpointer one, gconstpointer other)
{
    const CsAlignmentSummary *a = cs_alignment_get_summary(*(CsAlignment *const *)one);
    const CsAlignmentSummary *b = cs_alignment_get_summary(*(CsAlignment *const *)other);
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->target_start < b->target_start ? -1 : a->target_start > b->target_start;
}

/* Appends the pieces of a box's best alignment to the set, and takes their bases. */
static gboolean
take_best(Search *search, CsSetPart *part, GError **error)
{
    CsSetWork *work = search->work;
    const gint64 max_drop = work->max_drop >= 0 ? work->max_drop : G_MAXINT64;
    g_autoptr(GPtrArray) pieces = cs_alignment_cut(part->best, max_drop, error);
    if (pieces == NULL)
        return FALSE;
    g_ptr_array_sort(pieces, compare_pieces);
    const CsScore of = part->most;
    g_clear_pointer(&part->best, cs_alignment_free);
    while (pieces->len > 0) {
        CsAlignment *piece = g_ptr_array_steal_index(pieces, 0);
        const CsSetBox taken = cs_set_box_of(work, piece);
        cs_circle_settle(work, piece);
        g_ptr_array_add(work->found, piece);
        g_array_append_val(work->wholes, of);
        take_bases(search, &taken);
    }
    return TRUE;
}

/* The box with the alignment that goes before those of all other boxes, as far as they are known. */
static CsSetPart *
find_best(const Search *search)
{
    CsSetPart *best = NULL;
    for (guint k = 0; k < search->parts->len; k++) {
        CsSetPart *part = g_ptr_array_index(search->parts, k);
        if (part->best != NULL &&
            (best == NULL || goes_before(search->work, part->best, best->best)))
            best = part;
    }
    return best;
}

/* Whether to sweep a box before another. No two are equal here, so a run that goes on sweeps the box
 * that the one before it was sweeping. */
static gboolean
opens_before(const Search *search, const CsSetPart *one, const CsSetPart *other)
{
    if (one->most != other->most)
        return one->most > other->most;
    if (one->box.strand != other->box.strand)
        return one->box.strand == search->likely;
    if (one->box.target != other->box.target)
        return one->box.target < other->box.target;
    return one->box.query < other->box.query;
}

/* The box without a known best that may score most, if that is at least `enough`. */
static CsSetPart *
find_open(const Search *search, CsScore enough)
{
    CsSetPart *open = NULL;
    for (guint k = 0; k < search->parts->len; k++) {
        CsSetPart *part = g_ptr_array_index(search->parts, k);
        if (part->best == NULL && part->most >= enough &&
            (open == NULL || opens_before(search, part, open)))
            open = part;
    }
    return open;
}

/* The floor of a box. known is the best score of other boxes, or 0. Each floor is much lower than the one
 * before it, so that few are tried. */
static CsScore
floor_of(const Search *search, const CsSetPart *part, CsScore known)
{
    const CsSetWork *work = search->work;
    const CsSetBox *box = &part->box;
    const gboolean fresh = part->most == cs_set_box_most(work, box);
    const CsScore floor = fresh ? known : MIN(known, (CsScore)(NEXT_FLOOR * (double)part->most));
    if (cs_set_box_cells(box) < cs_set_small(work) || floor <= work->least)
        return work->least;
    const double bases = (double)floor / (double)work->options->scoring.match;
    const double share = cs_skip_estimate_share_of_floor(box->target_end - box->target,
                                                         box->query_end - box->query, bases);
    return share <= MOST_TWICE ? floor : work->least;
}

/* Whether a box may be swept with others, which looks for the least score. */
static gboolean
is_joinable(const Search *search, const CsSetPart *part, CsScore known)
{
    return !part->round[0] && !part->round[1] && !part->slow && !part->joined &&
           cs_set_join_takes(search->work, &part->box) &&
           floor_of(search, part, known) == search->work->least;
}

/* The cells of a box from which an alignment may come, or that are left when its best one is taken. */
static double
cells_left(const CsSetWork *work, const CsSetPart *part)
{
    const CsSetBox *box = &part->box;
    const CsSetBox taken = part->best != NULL ? cs_set_box_of(work, part->best) : (CsSetBox){0};
    const gint64 rows = box->target_end - box->target, columns = box->query_end - box->query;
    return (double)(rows - (taken.target_end - taken.target)) *
           (double)(columns - (taken.query_end - taken.query));
}

/* Tells the progress before a sweep. All cells count that may have to be swept. With a floor that is higher
 * than the least score the sweep most likely leaves as much to do as before. */
static void
tell(Search *search, const CsSetPart *next, CsScore floor)
{
    CsSetWork *work = search->work;
    const double all = (double)work->cells;
    double left = 0;
    for (guint k = 0; k < search->parts->len; k++)
        left += cells_left(work, g_ptr_array_index(search->parts, k));
    work->done = 1 - left / all;
    work->sweep = floor > work->least ? 0 : cells_left(work, next) / all;
    cs_set_tell(work, NULL);
}

/* Does what cs_set_box_align() does, where a side is a whole circle. */
static gboolean
sweep_circle(CsSetWork *work, CsSetPart *part, const CsSetAim *aim, gboolean *kept, GError **error)
{
    if (!cs_circle_align(work, part, aim->floor, aim->hopeless, &part->best, kept, error))
        return FALSE;
    part->most = part->best != NULL ? cs_alignment_get_summary(part->best)->score : aim->floor - 1;
    return TRUE;
}

/* Keeps what is known of a box that holds nothing: the next run would sweep it again. */
static void
close_part(Search *search, CsSetPart *part)
{
    guint at;
    if (g_ptr_array_find(search->parts, part, &at))
        g_ptr_array_add(search->work->closed, g_ptr_array_steal_index_fast(search->parts, at));
}

/* The box and others of its strand that may be swept with it, also such as need not be swept yet: most of
 * them will have to be. */
static GPtrArray *
find_joinable(const Search *search, CsSetPart *first, CsScore known)
{
    GPtrArray *parts = g_ptr_array_new();
    g_ptr_array_add(parts, first);
    for (guint k = 0; k < search->parts->len; k++) {
        CsSetPart *part = g_ptr_array_index(search->parts, k);
        if (part != first && part->box.strand == first->box.strand && part->best == NULL &&
            is_joinable(search, part, known))
            g_ptr_array_add(parts, part);
    }
    return parts;
}

/* Sweeps boxes together, and closes those that hold nothing. *swept: it did. */
static gboolean
sweep_joined(Search *search, CsSetPart *first, CsScore known, gboolean *swept, GError **error)
{
    CsSetWork *work = search->work;
    *swept = FALSE;
    if (!is_joinable(search, first, known))
        return TRUE;
    g_autoptr(GPtrArray) parts = find_joinable(search, first, known);
    if (!cs_set_join_sweep(work, parts, swept, error))
        return FALSE;
    for (guint k = 0; *swept && k < parts->len; k++) {
        CsSetPart *part = g_ptr_array_index(parts, k);
        if (!cs_set_join_excludes(work, &part->box))
            continue;
        part->most = work->least - 1;
        close_part(search, part);
    }
    return TRUE;
}

/* Sweeps a box, or it and others. known is the best score of other boxes, or 0. */
static gboolean
sweep_part(Search *search, CsSetPart *part, CsScore known, GError **error)
{
    CsSetWork *work = search->work;
    const CsScore floor = floor_of(search, part, known);
    const CsSetAim aim = {floor, floor > work->least, work->least, NULL};
    gboolean kept = FALSE, joined;
    tell(search, part, floor);
    if (!sweep_joined(search, part, known, &joined, error))
        return FALSE;
    if (joined)
        return TRUE;
    const gboolean round = part->round[0] || part->round[1];
    if (!(round ? sweep_circle : cs_set_box_align)(work, part, &aim, &kept, error))
        return FALSE;
    if (kept && cs_set_keep_save(work, search->whole)) {
        cs_set_box_forget(work);
        cs_circle_forget(work, part->box.strand);
    }
    if (part->most < work->least)
        close_part(search, part);
    return TRUE;
}

/* Takes the next alignment, or sweeps a box on the way to it. *more is FALSE at the end. */
static gboolean
step(Search *search, gboolean *more, GError **error)
{
    CsSetWork *work = search->work;
    CsSetPart *best = find_best(search);
    CsSetPart *open = find_open(search, best != NULL ? best->most : work->least);
    *more = (best != NULL || open != NULL) && (gint64)work->found->len < work->most;
    if (!*more)
        return TRUE;
    if (open == NULL)
        return take_best(search, best, error);
    return sweep_part(search, open, best != NULL ? best->most : 0, error);
}

/* On which strand the first alignment most likely lies. A wrong guess costs time. */
static CsStrand
likely_strand(const CsSetWork *work)
{
    CsSketch sketch;
    if (work->options->strand != CS_STRAND_BOTH || (double)work->cells < 2 * cs_set_small(work))
        return CS_STRAND_PLUS;
    cs_sketch_init(&sketch, work->target, work->query);
    return sketch.minus > sketch.plus ? CS_STRAND_MINUS : CS_STRAND_PLUS;
}

/* A record of a side; of a circle its first copy. The bases between records belong to none. */
static Side
record_of(const CsSetWork *work, guint side, guint record)
{
    const CsSetBars *bars = work->bars;
    const guint n = bars != NULL ? bars->n[side] : 0;
    const gint64 length = side == CS_CIRCLE_ROWS ? work->target->length : work->query->length;
    const gint64 from = record > 0 ? bars->at[side][record - 1] + 1 : 0;
    const gint64 end = record < n ? bars->at[side][record] : length;
    const gint64 period = cs_circle_ring(work, side, from).period;
    return (Side){from, period > 0 ? from + period : end, period > 0};
}

/* Adds the boxes of a strand before any base is taken. */
static void
add_records(Search *search, CsStrand strand, CsScore limit)
{
    const CsSetWork *work = search->work;
    const guint none[] = {0, 0}, *bars = work->bars != NULL ? work->bars->n : none;
    for (guint t = 0; t <= bars[CS_CIRCLE_ROWS]; t++)
        for (guint q = 0; q <= bars[CS_CIRCLE_COLUMNS]; q++) {
            const Side rows = record_of(work, CS_CIRCLE_ROWS, t);
            const Side columns = record_of(work, CS_CIRCLE_COLUMNS, q);
            const CsSetBox box = {rows.from, rows.end, columns.from, columns.end, strand};
            const gboolean round[] = {rows.round, columns.round};
            add_part(search, &box, round, limit, NULL);
        }
}

/* Whether all bases of a box are among those of another. A whole circle has those of each stretch of it. */
static gboolean
part_holds(const CsSetWork *work, const CsSetPart *one, const CsSetBox *other)
{
    CsSetBox box = *other;
    if (one->round[0] && cs_circle_ring(work, CS_CIRCLE_ROWS, box.target).from == one->box.target) {
        box.target = one->box.target;
        box.target_end = one->box.target_end;
    }
    if (one->round[1] &&
        cs_circle_ring(work, CS_CIRCLE_COLUMNS, box.query).from == one->box.query) {
        box.query = one->box.query;
        box.query_end = one->box.query_end;
    }
    return cs_set_box_holds(&one->box, &box);
}

/* Takes what earlier runs knew of a box, and that all boxes in it hold no more. */
static void
take_known(Search *search, CsSetPart *known)
{
    for (guint k = search->parts->len; k-- > 0;) {
        CsSetPart *part = g_ptr_array_index(search->parts, k);
        if (part->box.strand != known->box.strand || !part_holds(search->work, known, &part->box))
            continue;
        part->most = MIN(part->most, known->most);
        if (part_holds(search->work, part, &known->box)) {
            part->slow = known->slow;
            part->best = g_steal_pointer(&known->best);
        }
        if (part->most < search->work->least)
            close_part(search, part);
    }
}

/* The boxes that are left, from what earlier runs found. Nothing in them scores more than the alignment
 * that was found last. */
static void
find_parts(Search *search)
{
    CsSetWork *work = search->work;
    const GArray *wholes = work->wholes;
    const CsScore limit =
        wholes->len > 0 ? g_array_index(wholes, CsScore, wholes->len - 1) : G_MAXINT64;
    g_autoptr(GPtrArray) known = g_steal_pointer(&work->parts);
    work->parts = search->parts = g_ptr_array_new_with_free_func(cs_set_part_free);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if (work->options->strand == CS_STRAND_BOTH || work->options->strand == strand)
            add_records(search, strand, limit);
    for (guint k = 0; k < work->found->len; k++) {
        const CsSetBox taken = cs_set_box_of(work, g_ptr_array_index(work->found, k));
        take_bases(search, &taken);
    }
    for (guint k = 0; k < known->len; k++)
        take_known(search, g_ptr_array_index(known, k));
}

/* Whether a large box will be swept on a GPU. */
static gboolean
runs_on_gpu(const CsComparison *whole)
{
    for (guint k = 0; k < whole->choice.n_engines; k++)
        if (cs_device_choice_describe(&whole->choice, k, NULL) != NULL)
            return whole->choice.engines[k]->gpu;
    return FALSE;
}

gboolean
cs_one_to_one_run(CsSetWork *work, const CsComparison *whole, GError **error)
{
    Search search = {.work = work, .whole = whole, .likely = likely_strand(work)};
    work->gpu = runs_on_gpu(whole);
    find_parts(&search);
    for (gboolean more = TRUE; more; cs_set_keep_save_if_due(work, whole))
        if (!step(&search, &more, error))
            return FALSE;
    work->ended[0] = (gint64)work->found->len < work->most;
    return TRUE;
}
