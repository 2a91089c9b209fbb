/*
 * All alignments of circular records. Each pair of bases lies in the doubled matrix up to four times, so
 * it is masked as often. If the best alignment there takes bases twice, the next one is found by a search
 * of all turns (circle.h), whose boxes are matrices with the same masks.
 */
#include <stdlib.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "compare/align_set.h"

/* A box of fewer cells takes next to no time, so the caller is asked before it and not meanwhile. */
#define CELLS_ASKED 1e6

/* Prefix of the names of what a checkpoint keeps of a slow box. */
#define KEPT "turn-"

/* Rows and columns of the doubled matrix: that a path passes, or after which they are the same again. */
typedef struct {
    gint64 rows, columns;
} Span;

static Span
span_of(const CsPath *path)
{
    Span span = {0, 0};
    for (gsize k = 0; k < path->n; k++) {
        const CsPathKind kind = cs_path_kind(path, k);
        span.rows += kind != CS_PATH_COLUMNS ? cs_path_length(path, k) : 0;
        span.columns += kind != CS_PATH_ROWS ? cs_path_length(path, k) : 0;
    }
    return span;
}

gboolean
cs_all_circle_is_tied(const CsSetWork *work, CsStrand strand)
{
    return work->self && cs_set_is_circular(work) && strand == CS_STRAND_PLUS;
}

/* The periods of rows and columns; 0 for those of a linear record. */
static Span
periods_of(const CsSetWork *work, const CsComparison *doubled)
{
    return doubled->placement.transposed ? (Span){work->query_period, work->target_period}
                                         : (Span){work->target_period, work->query_period};
}

gboolean
cs_all_circle_fits(const CsSetWork *work, const CsComparison *doubled, CsStrand strand,
                   const CsPath *path)
{
    const Span span = span_of(path), periods = periods_of(work, doubled);
    if (work->self && cs_set_is_circular(work))
        return strand == CS_STRAND_MINUS ||
               path->j0 + span.columns - path->i0 <= work->target_period;
    return (periods.rows == 0 || span.rows <= periods.rows) &&
           (periods.columns == 0 || span.columns <= periods.columns);
}

void
cs_all_circle_settle(const CsSetWork *work, const CsComparison *doubled, CsPath *path, CsBest *end)
{
    const Span span = span_of(path), periods = periods_of(work, doubled);
    const gboolean later = path->i0 >= work->target_period;
    if (work->self) {
        path->i0 -= later ? work->target_period : 0;
        path->j0 -= later ? work->target_period : 0;
        end->i = path->i0 + span.rows;
        end->j = path->j0 + span.columns;
        return;
    }
    path->i0 -= periods.rows > 0 && path->i0 >= periods.rows ? periods.rows : 0;
    path->j0 -= periods.columns > 0 && path->j0 >= periods.columns ? periods.columns : 0;
    end->i = path->i0 + span.rows;
    end->j = path->j0 + span.columns;
}

/* The part of a run within rows and columns of a rectangle; its length is 0 if there is none. */
static CsMaskRun
clip(CsMaskRun run, gint64 above, gint64 height, gint64 left_of, gint64 width)
{
    const gint64 before = MAX(0, MAX(above + 1 - run.i, left_of + 1 - run.j));
    run.i += before;
    run.j += before;
    run.length = MIN(run.length - before, MIN(above + height - run.i, left_of + width - run.j) + 1);
    run.length = MAX(run.length, 0);
    return run;
}

/* Masks a run in one of its copies. */
static gboolean
mask_copy(CsSetWork *work, const CsComparison *doubled, CsMaskedMatrix *matrix, CsMaskRun run,
          GError **error)
{
    const gboolean transposed = doubled->placement.transposed;
    const gint64 rows = transposed ? work->query->length : work->target->length;
    const gint64 columns = transposed ? work->target->length : work->query->length;
    const CsMaskRun inside = clip(run, 0, rows, 0, columns);
    const CsMaskRun kept = transposed ? (CsMaskRun){inside.j, inside.i, inside.length} : inside;
    if (inside.length == 0)
        return TRUE;
    g_array_append_val(work->masked, kept);
    return cs_masked_matrix_mask_run(matrix, inside, error);
}

/* Masks a run in all copies. */
static gboolean
mask_copies(CsSetWork *work, const CsComparison *doubled, CsMaskedMatrix *matrix,
            const CsMaskRun *run, GError **error)
{
    const Span periods = periods_of(work, doubled);
    const int down = periods.rows > 0, right = periods.columns > 0;
    for (int a = -down; a <= down; a++)
        for (int b = -right; b <= right; b++) {
            const CsMaskRun copy = {run->i + a * periods.rows, run->j + b * periods.columns,
                                    run->length};
            if (!mask_copy(work, doubled, matrix, copy, error))
                return FALSE;
        }
    return TRUE;
}

/* The same of a circle with itself, whose bases are counted forwards here. A pair of base i with a base
 * less than one turn further on has copies one turn further in both, and is the same as that of the second
 * base with i, one turn further. */
static gboolean
mask_mirrored(CsSetWork *work, const CsComparison *doubled, CsMaskedMatrix *matrix,
              const CsMaskRun *run, gboolean minus, GError **error)
{
    const gint64 period = work->target_period, all = 2 * period, last = run->length - 1;
    const gint64 base = minus ? all + 1 - run->j : run->j;
    const gint64 other = run->i + ((base - run->i) % period + period) % period;
    for (int way = 0; way < 10; way++) {
        const gint64 turns = (way / 2 - 2) * period;
        CsMaskRun copy = {run->i + turns, other + turns, run->length};
        if (way % 2 != 0)
            copy = minus ? (CsMaskRun){other - last + turns, run->i + last + period + turns,
                                       run->length}
                         : (CsMaskRun){other + turns, run->i + period + turns, run->length};
        if (minus)
            copy.j = all + 1 - copy.j;
        if (!mask_copy(work, doubled, matrix, copy, error))
            return FALSE;
    }
    return TRUE;
}

gboolean
cs_all_circle_mask(CsSetWork *work, const CsComparison *doubled, CsMaskedMatrix *matrix,
                   CsStrand strand, const CsPath *path, GError **error)
{
    gint64 i = path->i0, j = path->j0;
    if (work->masked == NULL)
        work->masked = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
    for (gsize k = 0; k < path->n; k++) {
        const CsPathKind kind = cs_path_kind(path, k);
        const gint64 length = cs_path_length(path, k);
        const CsMaskRun run = {i + 1, j + 1, length};
        if (kind == CS_PATH_PAIRS &&
            !(work->self
                  ? mask_mirrored(work, doubled, matrix, &run, strand == CS_STRAND_MINUS, error)
                  : mask_copies(work, doubled, matrix, &run, error)))
            return FALSE;
        i += kind != CS_PATH_COLUMNS ? length : 0;
        j += kind != CS_PATH_ROWS ? length : 0;
    }
    return TRUE;
}

static gint
compare_runs(gconstpointer one, gconstpointer other)
{
    const CsMaskRun *a = one, *b = other;
    if (a->i != b->i)
        return a->i < b->i ? -1 : 1;
    if (a->j != b->j)
        return a->j < b->j ? -1 : 1;
    return (a->length > b->length) - (a->length < b->length);
}

gint64
cs_all_circle_hash(const CsSetWork *work)
{
    if (work->masked == NULL || work->masked->len == 0)
        return 0;
    const gsize bytes = work->masked->len * sizeof(CsMaskRun);
    g_autofree CsMaskRun *runs = g_memdup2(work->masked->data, bytes);
    qsort(runs, work->masked->len, sizeof *runs, compare_runs);
    return (gint64)XXH3_64bits(runs, bytes);
}

/* A box that is computed. */
typedef struct {
    CsSetWork *work;
    CsStrand strand;
} Asking;

/* Asks the caller whether to go on, and tells the progress. */
static gboolean
go_on(double done, gpointer user_data)
{
    const Asking *asking = user_data;
    const CsProgress inner = {.fraction = done,
                              .seconds_left = -1,
                              .stage = CS_STAGE_TILES,
                              .stage_strand = asking->strand};
    cs_set_tell(asking->work, &inner);
    return cs_set_go_on(asking->work, NULL);
}

/* Masks in a box what is masked. */
static gboolean
mask_box(const CsSetWork *work, const CsComparison *comparison, const CsSetBox *box,
         CsMaskedMatrix *matrix, GError **error)
{
    const gint64 height = box->target_end - box->target, width = box->query_end - box->query;
    const gint64 left_of =
        box->strand == CS_STRAND_MINUS ? work->query->length - box->query_end : box->query;
    for (guint k = 0; work->masked != NULL && k < work->masked->len; k++) {
        CsMaskRun run =
            clip(g_array_index(work->masked, CsMaskRun, k), box->target, height, left_of, width);
        run.i -= box->target;
        run.j -= left_of;
        if (comparison->placement.transposed)
            run = (CsMaskRun){run.j, run.i, run.length};
        if (run.length > 0 && !cs_masked_matrix_mask_run(matrix, run, error))
            return FALSE;
    }
    return TRUE;
}

void
cs_all_circle_forget(const CsSetWork *work)
{
    if (work->folder != NULL)
        cs_found_drop_stage(work->keeper->checkpoint, KEPT);
}

/* Names of what is kept of a box without these masked pairs. */
typedef struct {
    char *tiles, *traces;
} Names;

static void
names_init(Names *names, const CsSetWork *work, const CsSetBox *box)
{
    const gint64 all[] = {box->target,    box->target_end,     box->query,
                          box->query_end, (gint64)box->strand, cs_all_circle_hash(work)};
    const guint64 hash = XXH3_64bits(all, sizeof all);
    names->tiles = g_strdup_printf(KEPT "%016" G_GINT64_MODIFIER "x-tiles", hash);
    names->traces = g_strdup_printf(KEPT "%016" G_GINT64_MODIFIER "x-traces", hash);
}

static void
names_clear(Names *names)
{
    g_free(names->tiles);
    g_free(names->traces);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Names, names_clear)

/* The end of the best alignment in a matrix, and its path. FALSE without an error: nothing scores
 * enough. */
static gboolean
solve(CsMaskedMatrix *matrix, CsScore floor, CsBest *end, CsPath *path, GError **error)
{
    g_autoptr(GArray) bests = g_array_new(FALSE, TRUE, sizeof(CsBest));
    if (!cs_masked_matrix_update(matrix, bests, error) || bests->len == 0)
        return FALSE;
    *end = g_array_index(bests, CsBest, 0);
    return end->score >= floor && cs_masked_matrix_trace(matrix, end, 1, path, error);
}

gboolean
cs_all_circle_box(CsSetWork *work, const CsComparison *comparison, const CsSetBox *box,
                  CsScore floor, gboolean kept, CsAlignment **best, GError **error)
{
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, box->strand);
    Asking asking = {work, box->strand};
    g_auto(Names) names;
    names_init(&names, work, box);
    const CsMaskedOptions options = {.matrix = &rectangle,
                                     .area = work->self ? CS_MASK_LOWER : CS_MASK_NOTHING,
                                     .area_period = work->self ? work->target_period : 0,
                                     .engine = cs_all_engine(&comparison->choice),
                                     .least = floor,
                                     .threads = comparison->sweep.engine_options.threads,
                                     .budget = cs_all_budget(work->options),
                                     .sizes = work->sizes.masked,
                                     .go_on = cs_set_box_cells(box) >= CELLS_ASKED ? go_on : NULL,
                                     .user_data = &asking,
                                     .checkpoint = kept ? work->keeper->checkpoint : NULL,
                                     .name = names.tiles,
                                     .trace_name = names.traces,
                                     .interval = cs_compare_options_interval(work->keeper),
                                     .note = cs_compare_notes_leave,
                                     .note_data = (gpointer)work->keeper};
    g_auto(CsPath) path = {0};
    GError *failure = NULL;
    CsBest end;
    *best = NULL;
    if (box->target >= box->target_end || box->query >= box->query_end)
        return TRUE;
    g_autoptr(CsMaskedMatrix) matrix = cs_masked_matrix_new(&options, error);
    if (matrix == NULL || !mask_box(work, comparison, box, matrix, error))
        return FALSE;
    const gboolean found = solve(matrix, floor, &end, &path, &failure);
    if (failure != NULL) {
        cs_masked_matrix_save(matrix);
        g_propagate_error(error, failure);
        return FALSE;
    }
    work->cells_computed += cs_masked_matrix_cells(matrix);
    if (!found)
        return TRUE;
    *best = cs_alignment_new(work->target, work->query, box->strand, &comparison->placement,
                             &rectangle, &path, end.score, error);
    return *best != NULL;
}
