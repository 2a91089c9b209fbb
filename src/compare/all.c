/*
 * All alignments: the best, then the best that shares no pair with those before, and so on, strand
 * by strand. A strand's scores never rise, so the alignments of both are put in order at the end.
 */
#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "compare/align_set.h"
#include "compare/needs.h"
#include "system/memory.h"

/* Of the free memory, and at most so much, for the borders of tiles. */
enum {
    SHARE = 4,
};
#define MOST_BYTES (G_GINT64_CONSTANT(1) << 29)

/* Without a limit of their number: with so many alignments a strand is half done after its first
 * sweep, as far as progress tells. */
#define MANY 100.0

typedef struct {
    CsSetWork *work;
    CsComparison *whole;
    CsStrand strand;
    CsRectangle rectangle;
    CsMaskedMatrix *matrix;
    gint64 found; /* on this strand */
    gboolean swept;
} Search;

/* Asks the caller whether to go on, and tells the progress. */
static gboolean
go_on(double done, gpointer user_data)
{
    Search *search = user_data;
    CsSetWork *work = search->work;
    const CsProgress inner = {.fraction = done,
                              .stage = search->swept ? CS_STAGE_TRACE : CS_STAGE_SWEEP,
                              .stage_strand = search->strand};
    cs_compare_notes_tell(search->whole);
    cs_set_tell(work, &inner);
    const gboolean more = cs_set_go_on(work, NULL);
    if (work->save && search->matrix != NULL) {
        (void)cs_set_keep_save(work, search->whole);
        cs_masked_matrix_save_soon(search->matrix);
    }
    return more;
}

/* What the tiles of a strand are kept as. */
static const char *
name_of(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-tiles" : "plus-tiles";
}

static gint64
choose_budget(const CsCompareOptions *options)
{
    const char *limit;
    const gint64 left = cs_memory_left("/", &limit);
    const gint64 most = left >= 0 ? MIN(left / SHARE, MOST_BYTES) : MOST_BYTES;
    return options->row_budget > 0 ? options->row_budget : most;
}

gboolean
cs_all_borders(const CsComparison *whole, double *bytes, GError **error)
{
    const CsRectangle matrix = cs_comparison_rectangle(whole, CS_STRAND_PLUS);
    return cs_masked_matrix_bytes(&matrix, choose_budget(whole->options), bytes, error);
}

/* Whether there is enough memory, of which tests with other tiles need next to none. */
static gboolean
check_memory(const CsSetWork *work, const CsComparison *whole, GError **error)
{
    CsPlan plan = {0};
    double borders;
    if (work->sizes.masked.side > 0)
        return TRUE;
    if (!cs_all_borders(whole, &borders, error))
        return FALSE;
    cs_needs_fill_all(&plan, whole, borders);
    return cs_needs_check_memory(&plan, error);
}

/* A GPU is no help: it may leave another E at the right border of a rectangle (sweep/rectangle.h). */
const CsEngineClass *
cs_all_engine(const CsDeviceChoice *choice, GError **error)
{
    if (choice->n_members > 0) /* each thread takes a tile, whatever member it would be */
        return choice->members[0].engine;
    for (guint k = 0; k < choice->n_engines; k++)
        if (!choice->engines[k]->gpu && choice->engines[k]->describe(NULL, NULL) != NULL)
            return choice->engines[k];
    g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                        "all alignments are found on the CPU, not on a GPU");
    return NULL;
}

static CsMaskedMatrix *
matrix_new(Search *search, GError **error)
{
    const CsSetWork *work = search->work;
    const CsComparison *whole = search->whole;
    const CsMaskArea area = !work->self                         ? CS_MASK_NOTHING
                            : search->strand == CS_STRAND_MINUS ? CS_MASK_BACK
                                                                : CS_MASK_LOWER;
    const CsEngineClass *engine = cs_all_engine(&whole->choice, error);
    if (engine == NULL || !check_memory(work, whole, error))
        return NULL;
    search->rectangle = cs_comparison_rectangle(whole, search->strand);
    const CsMaskedOptions options = {.matrix = &search->rectangle,
                                     .area = area,
                                     .engine = engine,
                                     .least = work->least,
                                     .threads = whole->sweep.engine_options.threads,
                                     .budget = choose_budget(work->options),
                                     .sizes = work->sizes.masked,
                                     .go_on = go_on,
                                     .user_data = search,
                                     .checkpoint = work->folder != NULL ? whole->checkpoint : NULL,
                                     .name = name_of(search->strand),
                                     .interval = cs_compare_options_interval(whole),
                                     .note = cs_compare_notes_leave,
                                     .note_data = search->whole};
    return cs_masked_matrix_new(&options, error);
}

/* Masks what earlier runs found on this strand. */
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
        cs_masked_matrix_mask(search->matrix, &path);
        search->found++;
    }
    return TRUE;
}

/* Appends the alignment that ends there, and masks its pairs. */
static gboolean
take(Search *search, const CsBest *end, GError **error)
{
    CsSetWork *work = search->work;
    g_auto(CsPath) path = {0};
    if (!cs_masked_matrix_trace(search->matrix, end, &path, error))
        return FALSE;
    cs_masked_matrix_mask(search->matrix, &path);
    CsAlignment *alignment =
        cs_alignment_new(work->target, work->query, search->strand, &search->whole->placement,
                         &search->rectangle, &path, end->score, error);
    if (alignment == NULL)
        return FALSE;
    g_ptr_array_add(work->found, alignment);
    search->found++;
    return TRUE;
}

/* The share of a strand that is done. The first sweep is half of it. */
static double
share_of(const Search *search)
{
    const double found = (double)search->found, most = (double)search->work->most;
    if (!search->swept)
        return 0;
    return 0.5 + 0.5 * (search->work->most < G_MAXINT64 ? found / most : found / (found + MANY));
}

/* All of one strand, which begins when so much of the work is done, and is that share of it. */
static gboolean
run_strand(Search *search, double before, double share, GError **error)
{
    CsSetWork *work = search->work;
    if (!mask_found(search, error))
        return FALSE;
    while (search->found < work->most) {
        CsBest best;
        work->done = before + share * share_of(search);
        work->sweep = search->swept ? 0 : share / 2;
        if (!cs_set_go_on(work, error) || !cs_masked_matrix_update(search->matrix, &best, error))
            return FALSE;
        search->swept = TRUE;
        if (best.score < work->least) {
            work->ended[search->strand] = TRUE;
            return TRUE;
        }
        if (!take(search, &best, error))
            return FALSE;
        cs_set_keep_save_if_due(work, search->whole);
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

/* One strand, and what is kept of it meanwhile. */
static gboolean
search_strand(CsSetWork *work, CsComparison *whole, CsStrand strand, GError **error)
{
    const gboolean both = work->options->strand == CS_STRAND_BOTH;
    const double share = both ? 0.5 : 1;
    Search search = {.work = work, .whole = whole, .strand = strand};
    g_autoptr(CsMaskedMatrix) matrix = matrix_new(&search, error);
    if (matrix == NULL)
        return FALSE;
    search.matrix = matrix;
    if (!run_strand(&search, both && strand == CS_STRAND_MINUS ? share : 0, share, error)) {
        cs_masked_matrix_save(matrix);
        cs_compare_notes_tell(whole);
        return FALSE;
    }
    work->cells_computed += cs_masked_matrix_cells(matrix);
    if (cs_set_keep_save(work, whole))
        cs_found_drop(whole->checkpoint, name_of(strand));
    return TRUE;
}

gboolean
cs_all_run(CsSetWork *work, CsComparison *whole, GError **error)
{
    const CsStrand wanted = work->options->strand;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if ((wanted == CS_STRAND_BOTH || wanted == strand) &&
            !cs_set_strand_is_complete(work, strand) && !search_strand(work, whole, strand, error))
            return FALSE;
    return TRUE;
}
