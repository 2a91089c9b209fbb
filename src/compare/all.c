/*
 * All alignments: the best, then the best that shares no pair with those before, and so on, strand
 * by strand. A strand's scores never rise, so the alignments of both are put in order at the end.
 *
 *     a long best alignment ->  one sweep of all cells ->  tiles around the marks -> next best,
 *     (set_box.c: cells are     marks where alignments     (alignment/masked_matrix)  mask it, ...
 *     skipped)                  may end (sweep/end_marks.h)
 *
 * The sweeps run on any engine, also on a GPU; tiles are computed by the CPU.
 */
#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "compare/circle.h"
#include "compare/needs.h"
#include "engines/engine_registry.h"
#include "lower_bound/lower_bound.h"
#include "system/memory.h"
#include "system/parallel.h"

/* The memory for the borders of tiles: a share of what is free, but at most so much. */
enum {
    SHARE = 4,
};
#define MOST_BYTES (G_GINT64_CONSTANT(1) << 32)

/* Matches of the best alignment of a strand, if it is found before the others. What it leaves in the
 * matrix reaches half as many cells to its right and below it. */
#define FAR (1 << 17)

/* With fewer matches alignments end everywhere, so marks leave nothing out. */
#define MARKED_MATCHES 12

/* As many alignments for each thread are found at the same time, in tiles that have nothing to do with
 * each other. */
#define AT_ONCE 2

/* For so many seconds nothing is said of the time left of a stage. */
#define FIRST_SECONDS 0.5

/* Without a limit of their number: with so many alignments a strand is half done after its first
 * sweep, as far as progress tells. */
#define MANY 100.0

typedef struct {
    CsSetWork *work;
    CsComparison *whole;
    CsStrand strand;
    CsRectangle rectangle;
    CsMaskedMatrix *matrix; /* or NULL, as long as there is none */
    CsEndMarks *marks;      /* or NULL */
    GArray *ahead;          /* of Ahead, the first first: found, but others may go before */
    gint64 found;           /* on this strand */
    gint64 expected;        /* at least so many are still to be found */
    gboolean swept;
    gint64 marked;      /* when that sweep ended, on the monotonic clock */
    gint64 begun;       /* the tiles, or the traces after them; on the monotonic clock */
    double begun_share; /* of that stage, that was done then */
} Search;

/* An alignment that was found, and its end in the matrix. */
typedef struct {
    CsBest end;
    CsAlignment *alignment;
} Ahead;

/* The share of the alignments that is found, if there are no more than those that can be seen. */
static double
traced_share(const Search *search)
{
    const double found = (double)search->found + (double)search->ahead->len;
    return found > 0 ? found / (found + (double)search->expected) : 0;
}

/* A stage begins, of which nothing or a part is done. */
static void
begin_stage(Search *search, double share)
{
    search->begun = g_get_monotonic_time();
    search->begun_share = share;
}

/* Asks the caller whether to go on, and tells the progress. */
static gboolean
go_on(double done, gpointer user_data)
{
    Search *search = user_data;
    CsSetWork *work = search->work;
    const double share = search->swept ? traced_share(search) : done;
    const gboolean begun = search->begun > 0;
    const double seconds =
        begun ? (double)(g_get_monotonic_time() - search->begun) / G_USEC_PER_SEC : 0;
    const double rate = (share - search->begun_share) / MAX(seconds, 1e-6);
    const CsProgress inner = {
        .fraction = done,
        .seconds_left = rate > 0 && seconds >= FIRST_SECONDS ? MAX(0, 1 - share) / rate : -1,
        .stage = search->swept ? CS_STAGE_TRACE
                 : begun       ? CS_STAGE_TILES
                               : CS_STAGE_SWEEP,
        .stage_strand = search->strand,
        .stage_seconds = seconds};
    cs_compare_notes_tell(search->whole);
    cs_set_tell(work, &inner);
    const gboolean more = cs_set_go_on(work, NULL);
    if (work->save && search->matrix != NULL) {
        (void)cs_set_keep_save(work, search->whole);
        cs_masked_matrix_save_soon(search->matrix);
    }
    return more;
}

/* What the tiles of a strand are kept as, and which of them can matter. */
static const char *
name_of(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-tiles" : "plus-tiles";
}

static const char *
zone_name_of(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-zone" : "plus-zone";
}

static const char *
trace_name_of(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-traces" : "plus-traces";
}

gint64
cs_all_budget(const CsCompareOptions *options)
{
    const char *limit;
    const gint64 left = cs_memory_left("/", &limit);
    const gint64 most = left >= 0 ? MIN(left / SHARE, MOST_BYTES) : MOST_BYTES;
    return options->row_budget > 0 ? options->row_budget : most;
}

/* Whether it saves time to know where alignments end. */
static gboolean
marks_pay(const CsCompareOptions *options, CsScore least)
{
    return least >= MARKED_MATCHES * options->scoring.match;
}

gboolean
cs_all_borders(const CsComparison *whole, CsScore least, double *bytes, GError **error)
{
    const CsRectangle matrix = cs_comparison_rectangle(whole, CS_STRAND_PLUS);
    return cs_masked_matrix_bytes(&matrix, cs_all_budget(whole->options),
                                  marks_pay(whole->options, least), bytes, error);
}

/* Whether there is enough memory, of which tests with other tiles need next to none. */
static gboolean
check_memory(const CsSetWork *work, const CsComparison *whole, GError **error)
{
    CsPlan plan = {0};
    double borders;
    if (work->sizes.masked.side > 0)
        return TRUE;
    if (!cs_all_borders(whole, work->least, &borders, error))
        return FALSE;
    cs_needs_fill_all(&plan, whole, borders);
    return cs_needs_check_memory(&plan, error);
}

/* The CPU engine: the one that was asked for, or else the best that works. */
const CsEngineClass *
cs_all_engine(const CsDeviceChoice *choice)
{
    /* Each thread takes a tile, whatever member it would be. */
    for (guint k = 0; k < choice->n_members; k++)
        if (!choice->members[k].engine->gpu)
            return choice->members[k].engine;
    for (guint k = 0; k < choice->n_engines; k++)
        if (!choice->engines[k]->gpu && choice->engines[k]->describe(NULL, NULL) != NULL)
            return choice->engines[k];
    return cs_engine_on_cpu();
}

static CsMaskedMatrix *
matrix_new(Search *search, GError **error)
{
    const CsSetWork *work = search->work;
    const CsComparison *whole = search->whole;
    const CsMaskArea area = !work->self                         ? CS_MASK_NOTHING
                            : search->strand == CS_STRAND_MINUS ? CS_MASK_BACK
                                                                : CS_MASK_LOWER;
    const gboolean transposed = whole->placement.transposed;
    const CsMaskedOptions options = {
        .matrix = &search->rectangle,
        .area = area,
        .area_period = work->self ? work->target_period : 0,
        .row_period = transposed ? work->query_period : work->target_period,
        .column_period = transposed ? work->target_period : work->query_period,
        .marks = search->marks,
        .engine = cs_all_engine(&whole->choice),
        .least = work->least,
        .threads = whole->sweep.engine_options.threads,
        .budget = cs_all_budget(work->options),
        .sizes = work->sizes.masked,
        .go_on = go_on,
        .user_data = search,
        .checkpoint = work->folder != NULL ? whole->checkpoint : NULL,
        .name = name_of(search->strand),
        .zone_name = zone_name_of(search->strand),
        .trace_name = trace_name_of(search->strand),
        .interval = cs_compare_options_interval(whole),
        .note = cs_compare_notes_leave,
        .note_data = search->whole};
    return cs_masked_matrix_new(&options, error);
}

/* Masks the pairs of a path, on circles in all copies. */
static gboolean
mask(Search *search, const CsPath *path, GError **error)
{
    return cs_set_is_circular(search->work)
               ? cs_all_circle_mask(search->work, search->whole, search->matrix, search->strand,
                                    path, error)
               : cs_masked_matrix_mask(search->matrix, path, error);
}

/* Masks what was found before on this strand. */
static gboolean
mask_found(Search *search, GError **error)
{
    const GPtrArray *found = search->work->found;
    for (guint k = 0; k < found->len; k++) {
        g_auto(CsPath) path = {0};
        const CsAlignment *alignment = g_ptr_array_index(found, k);
        if (cs_alignment_get_summary(alignment)->strand != search->strand)
            continue;
        if (!cs_set_keep_path(search->work, search->whole, alignment, &path, error))
            return FALSE;
        if (!mask(search, &path, error))
            return FALSE;
        search->found++;
    }
    return TRUE;
}

static void
ahead_clear(gpointer data)
{
    cs_alignment_free(((Ahead *)data)->alignment);
}

/* Puts an alignment in its place among those that were found. */
static void
insert(Search *search, const CsBest *end, CsAlignment *alignment)
{
    const CsTieOrder order = search->rectangle.tie_order;
    const Ahead one = {*end, alignment};
    guint at = search->ahead->len;
    while (at > 0 && cs_best_yields_to(&g_array_index(search->ahead, Ahead, at - 1).end, order,
                                       end->score, end->i, end->j))
        at--;
    g_array_insert_val(search->ahead, at, one);
}

/* Takes an alignment with this path, and masks its pairs. */
static gboolean
take_one(Search *search, const CsBest *end, CsPath *path, GError **error)
{
    CsSetWork *work = search->work;
    if (!mask(search, path, error))
        return FALSE;
    CsAlignment *alignment =
        cs_alignment_new(work->target, work->query, search->strand, &search->whole->placement,
                         &search->rectangle, path, end->score, error);
    if (alignment == NULL)
        return FALSE;
    if (cs_set_is_circular(work))
        cs_circle_settle(work, alignment);
    insert(search, end, alignment);
    return TRUE;
}

/* Traces the alignments that end there, and takes those that have no base twice. *left: the first has
 * some, so what comes next may be another one (take_next_on_circles()). */
static gboolean
take(Search *search, const CsBest *ends, guint count, gboolean *left, GError **error)
{
    g_autofree CsPath *paths = g_new0(CsPath, count);
    gboolean good = cs_masked_matrix_trace(search->matrix, ends, count, paths, error);
    guint taken = 0;
    *left = FALSE;
    for (guint k = 0; k < count; k++) {
        const gboolean fits =
            good && cs_all_circle_fits(search->work, search->whole, search->strand, &paths[k]);
        *left = *left || (k == 0 && !fits);
        good = good && (!fits || take_one(search, &ends[k], &paths[k], error));
        taken += fits;
        cs_path_clear(&paths[k]);
    }
    *left = *left && (taken == 0 || search->found + search->ahead->len >= search->work->most);
    return good;
}

/* Moves those to the list that do not come after the next one; NULL: there is none. */
static void
append(Search *search, const CsBest *next)
{
    CsSetWork *work = search->work;
    const CsTieOrder order = search->rectangle.tie_order;
    guint count = 0;
    for (; count < search->ahead->len && search->found < work->most; count++) {
        Ahead *one = &g_array_index(search->ahead, Ahead, count);
        if (next != NULL && cs_best_yields_to(&one->end, order, next->score, next->i, next->j))
            break;
        g_ptr_array_add(work->found, g_steal_pointer(&one->alignment));
        search->found++;
    }
    g_array_remove_range(search->ahead, 0, count);
}

/* The next one, if the best of all takes bases twice: found by a search of all turns, without the pairs
 * that are masked. It joins the list, as nothing that is left goes before it. *more: there is one. */
static gboolean
take_next_on_circles(Search *search, gboolean *more, GError **error)
{
    CsSetWork *work = search->work;
    g_autoptr(CsAlignment) alignment = NULL;
    g_auto(CsPath) path = {0};
    gboolean kept;
    const CsSetPart whole = cs_circle_whole(work, search->strand);
    cs_masked_matrix_forget_traces(search->matrix);
    if (!cs_circle_align(work, &whole, work->least, FALSE, &alignment, &kept, error))
        return FALSE;
    *more = alignment != NULL;
    if (alignment == NULL)
        return TRUE;
    CsBest end = {.score = cs_alignment_get_summary(alignment)->score};
    if (!cs_set_keep_path(work, search->whole, alignment, &path, error))
        return FALSE;
    cs_all_circle_settle(work, search->whole, &path, &end);
    if (!take_one(search, &end, &path, error))
        return FALSE;
    append(search, &end);
    if (kept && cs_set_keep_save(work, search->whole))
        cs_circle_forget(work, search->strand);
    return TRUE;
}

/* The shares of a strand that the sweep and the tiles are. Without marks tiles are both. */
#define SWEEP_SHARE 0.5
#define TILES_SHARE 0.25

/* The share of a strand that is done. */
static double
share_of(const Search *search)
{
    const double found = (double)search->found, most = (double)search->work->most;
    const double before = SWEEP_SHARE + TILES_SHARE;
    if (!search->swept)
        return search->marks != NULL ? SWEEP_SHARE : 0;
    return before +
           (1 - before) * (search->work->most < G_MAXINT64 ? found / most : found / (found + MANY));
}

/* The box of all bases. */
static CsSetBox
whole_box(const Search *search)
{
    const CsSetWork *work = search->work;
    return (CsSetBox){0, work->target->length, 0, work->query->length, search->strand};
}

/* Chains the words that both sequences have, on a thread of its own. */
typedef struct {
    Search *search;
    gint64 bases; /* of the chain, minus the costs of the steps between its words */
    gint stop;    /* atomic */
} Chaining;

static void
chain(gpointer user_data)
{
    Chaining *chaining = user_data;
    const CsRectangle *matrix = &chaining->search->rectangle;
    const CsSurvey survey = {.rows = matrix->rows,
                             .columns = matrix->columns,
                             .scoring = matrix->scoring,
                             .threads = chaining->search->whole->sweep.engine_options.threads,
                             .stop = &chaining->stop};
    g_auto(CsLowerBoundSearch) found = {0};
    g_autoptr(CsSeedsIndex) index = NULL;
    if (cs_lower_bound_find_seeds(&found, &survey, &index, NULL) &&
        cs_lower_bound_find_chain(&found, &survey, NULL))
        chaining->bases = found.bases;
}

static void
ask(gpointer user_data)
{
    Chaining *chaining = user_data;
    if (!go_on(0, chaining->search))
        g_atomic_int_set(&chaining->stop, 1);
}

/* Whether to expect an alignment that scores so much. If not, it is found like any other. */
static gboolean
is_likely(Search *search, CsScore score)
{
    const CsSetWork *work = search->work;
    const double cells = (double)work->target->length * (double)work->query->length;
    Chaining chaining = {.search = search};
    if (work->sizes.far > 0 || cells < cs_set_small(work))
        return work->sizes.far > 0;
    CsThread *thread = cs_thread_new("chain", chain, &chaining, NULL);
    if (thread == NULL)
        return FALSE;
    cs_thread_join_asking(thread, ask, &chaining);
    return chaining.bases >= score / work->options->scoring.match;
}

/* The best of all bases, on circles without any of them twice. */
static gboolean
find_best(Search *search, CsSetPart *part, const CsSetAim *aim, gboolean *kept, GError **error)
{
    CsSetWork *work = search->work;
    if (!cs_set_is_circular(work))
        return cs_set_box_align(work, part, aim, kept, error);
    const CsSetPart whole = cs_circle_whole(work, search->strand);
    if (!cs_circle_align(work, &whole, aim->floor, aim->hopeless, &part->best, kept, error))
        return FALSE;
    if (part->best != NULL)
        cs_circle_settle(work, part->best);
    return TRUE;
}

/* Finds the first alignment if it is long, before anything else. */
static gboolean
find_far(Search *search, GError **error)
{
    CsSetWork *work = search->work;
    const CsScore match = work->options->scoring.match;
    const CsScore far = MAX(work->least, work->sizes.far > 0 ? work->sizes.far : FAR * match);
    CsSetPart part = {.box = whole_box(search), .most = G_MAXINT64};
    const CsSetAim aim = {far, FALSE, far, NULL};
    gboolean kept;
    if (search->found > 0 || work->self ||
        match * MIN(work->target->length, work->query->length) < far ||
        cs_set_box_is_marked(work, &part.box, search->marks) || !is_likely(search, far))
        return TRUE;
    if (!find_best(search, &part, &aim, &kept, error))
        return FALSE;
    if (part.best == NULL)
        return TRUE;
    g_ptr_array_add(work->found, part.best);
    search->found++;
    if (kept && cs_set_keep_save(work, search->whole))
        cs_circle_forget(work, search->strand);
    return TRUE;
}

/* Finds the first alignment and the marks, where that pays. */
static gboolean
begin_strand(Search *search, GError **error)
{
    CsSetWork *work = search->work;
    const CsSetBox box = whole_box(search);
    const gint64 unit = work->sizes.masked.unit;
    if (unit < 0 || (unit == 0 && !marks_pay(work->options, work->least)))
        return TRUE;
    search->marks = cs_end_marks_new(cs_rectangle_m(&search->rectangle),
                                     cs_rectangle_n(&search->rectangle), unit, work->least, error);
    if (search->marks == NULL || !find_far(search, error))
        return FALSE;
    if (search->found >= work->most)
        return TRUE;
    const gint64 begun = g_get_monotonic_time();
    const gboolean last = search->strand == CS_STRAND_MINUS ||
                          work->options->strand != CS_STRAND_BOTH ||
                          cs_set_strand_is_complete(work, CS_STRAND_MINUS);
    work->later = last ? 0 : CS_SET_LATER_AS_NOW;
    work->marking = search->marks;
    const gboolean marked = cs_set_box_mark(work, &box, search->marks, error);
    work->marking = NULL;
    if (!marked)
        return FALSE;
    search->marked = g_get_monotonic_time();
    work->later = last ? 0 : (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
    return TRUE;
}

/* The next ones, and what goes before them. *more: there may be others. */
static gboolean
find_next(Search *search, GArray *bests, gboolean *more, GError **error)
{
    CsSetWork *work = search->work;
    guint count = 0;
    if (!cs_masked_matrix_update(search->matrix, bests, error))
        return FALSE;
    while (count < bests->len && g_array_index(bests, CsBest, count).score >= work->least)
        count++;
    search->expected = count;
    if (!search->swept)
        begin_stage(search, traced_share(search));
    search->swept = TRUE;
    append(search, count > 0 ? &g_array_index(bests, CsBest, 0) : NULL);
    *more = count > 0;
    const gint64 most = AT_ONCE * (gint64)search->whole->sweep.engine_options.threads;
    count = (guint)MIN(count, MIN(most, work->most - search->found));
    if (count == 0)
        return TRUE;
    gboolean left;
    if (!take(search, &g_array_index(bests, CsBest, 0), count, &left, error) ||
        (left && !take_next_on_circles(search, more, error)))
        return FALSE;
    if (!*more)
        append(search, NULL);
    return TRUE;
}

/* All of one strand, which begins when so much of the work is done, and is that share of it. */
static gboolean
run_strand(Search *search, double before, double share, GError **error)
{
    CsSetWork *work = search->work;
    g_autoptr(GArray) bests = g_array_new(FALSE, TRUE, sizeof(CsBest));
    gboolean more = TRUE;
    work->done = before;
    work->sweep = share * SWEEP_SHARE;
    work->later = CS_SET_LATER_UNKNOWN;
    if (!begin_strand(search, error))
        return FALSE;
    if (search->found >= work->most)
        return TRUE;
    search->matrix = matrix_new(search, error);
    search->found = 0;
    if (search->matrix == NULL || !mask_found(search, error))
        return FALSE;
    if (search->marks == NULL)
        work->later = 0;
    begin_stage(search, 0);
    while (search->found < work->most && more) {
        work->done = before + share * share_of(search);
        work->sweep = search->swept ? 0 : share * (SWEEP_SHARE + TILES_SHARE - share_of(search));
        if (!cs_set_go_on(work, error) || !find_next(search, bests, &more, error))
            return FALSE;
        cs_set_keep_save_if_due(work, search->whole);
    }
    work->ended[search->strand] = !more;
    if (search->marks != NULL) {
        work->after = (double)(g_get_monotonic_time() - search->marked) / G_USEC_PER_SEC;
        work->after_squares = search->marks->count;
    }
    return TRUE;
}

/* By score; of equal ones those on plus go first, then those that were found first. */
static gint
compare_places(gconstpointer one, gconstpointer other, gpointer user_data)
{
    const guint a = *(const guint *)one, b = *(const guint *)other;
    GPtrArray *found = user_data;
    const CsAlignmentSummary *first = cs_alignment_get_summary(g_ptr_array_index(found, a));
    const CsAlignmentSummary *second = cs_alignment_get_summary(g_ptr_array_index(found, b));
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    if (first->strand != second->strand)
        return first->strand == CS_STRAND_PLUS ? -1 : 1;
    return a < b ? -1 : a > b;
}

void
cs_all_put_in_order(CsSetWork *work)
{
    GPtrArray *found = work->found;
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint k = 0; k < found->len; k++)
        g_array_append_val(places, k);
    g_array_sort_with_data(places, compare_places, found);
    g_autofree gpointer *sorted = g_new(gpointer, found->len + 1);
    for (guint k = 0; k < places->len; k++)
        sorted[k] = found->pdata[g_array_index(places, guint, k)];
    for (guint k = 0; k < places->len; k++)
        found->pdata[k] = sorted[k];
}

static void
search_clear(Search *search)
{
    g_array_unref(search->ahead);
    cs_end_marks_free(search->marks);
    cs_masked_matrix_free(search->matrix);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Search, search_clear)

/* One strand, and what is kept of it meanwhile. */
static gboolean
search_strand(CsSetWork *work, CsComparison *whole, CsStrand strand, GError **error)
{
    const gboolean both = work->options->strand == CS_STRAND_BOTH;
    const double share = both ? 0.5 : 1;
    g_auto(Search) search = {.work = work,
                             .whole = whole,
                             .strand = strand,
                             .rectangle = cs_comparison_rectangle(whole, strand),
                             .ahead = g_array_new(FALSE, FALSE, sizeof(Ahead))};
    g_array_set_clear_func(search.ahead, ahead_clear);
    for (guint k = 0; k < work->found->len; k++)
        search.found +=
            cs_alignment_get_summary(g_ptr_array_index(work->found, k))->strand == strand;
    if (!check_memory(work, whole, error))
        return FALSE;
    if (work->masked != NULL)
        g_array_set_size(work->masked, 0);
    if (!run_strand(&search, both && strand == CS_STRAND_MINUS ? share : 0, share, error)) {
        if (search.matrix != NULL)
            cs_masked_matrix_save(search.matrix);
        cs_compare_notes_tell(whole);
        return FALSE;
    }
    if (search.matrix != NULL)
        work->cells_computed += cs_masked_matrix_cells(search.matrix);
    if (cs_set_keep_save(work, whole)) {
        cs_found_drop(whole->checkpoint, name_of(strand));
        cs_found_drop(whole->checkpoint, zone_name_of(strand));
        cs_found_drop(whole->checkpoint, trace_name_of(strand));
        cs_circle_forget(work, strand);
        cs_all_circle_forget(work);
        cs_set_box_forget(work);
    }
    return TRUE;
}

static gboolean
search_strands(CsSetWork *work, CsComparison *whole, GError **error)
{
    const CsStrand wanted = work->options->strand;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if ((wanted == CS_STRAND_BOTH || wanted == strand) &&
            !cs_set_strand_is_complete(work, strand) && !search_strand(work, whole, strand, error))
            return FALSE;
    return TRUE;
}

gboolean
cs_all_run(CsSetWork *work, CsComparison *whole, GError **error)
{
    const gboolean done = search_strands(work, whole, error);
    g_clear_pointer(&work->masked, g_array_unref);
    return done;
}
