/*
 * A second sweep, from the top of the matrix to the end that the first one found. It keeps rows. No
 * alignment there scores more than the best, so it skips what cannot reach that score. A stopped
 * sweep goes on from its own rows: the last one above which everything is done is the top border of
 * what is left.
 */
#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "compare/align.h"
#include "engines/engine_registry.h"

/* A sweep of what lies below the first `above` rows. */
typedef struct {
    CsAligning *aligning;
    CsRows *rows;
    CsRowQueue *queue; /* on their way from a GPU, or NULL */
    const CsGrid *grid;
    gint64 above;
    const GArray *at; /* the special rows, from there */
    guint passed;     /* of these, that are complete */
    gint64 computed;  /* cells, by the sweep under way */
} Sweep;

/* Marks how far all is complete, once that is another special row: a later run goes on from one. */
static void
mark_rows(Sweep *sweep, gint64 block_rows)
{
    const gint64 complete = sweep->grid->row_starts[block_rows];
    const CsRowsMark mark = {CS_ROWS_MARK_ROW, {sweep->above + complete, 0, 0}};
    guint passed = sweep->passed;
    while (passed < sweep->at->len && g_array_index(sweep->at, gint64, passed) <= complete)
        passed++;
    if (passed == sweep->passed)
        return;
    if (sweep->queue != NULL)
        cs_row_queue_wait(sweep->queue);
    cs_rows_mark(sweep->rows, &mark);
    sweep->passed = passed;
}

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    Sweep *sweep = user_data;
    CsAligning *aligning = sweep->aligning;
    const double rows = (double)aligning->end.i, columns = (double)aligning->end.j;
    const double cells = (double)state->cells + (double)sweep->above * columns;
    if (sweep->rows != NULL)
        mark_rows(sweep, state->block_rows);
    aligning->comparison->cells_again += state->cells_computed - sweep->computed;
    sweep->computed = state->cells_computed;
    g_atomic_int_set(&aligning->stage_done, (gint)(cells / rows / columns * 1e6));
    return g_atomic_int_get(&aligning->stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* A CsRowFunc. */
static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, GError **error)
{
    const Sweep *sweep = user_data;
    if (sweep->queue != NULL)
        return cs_row_queue_take(sweep->above + i, from, count, h, f, bounds, sweep->queue, error);
    return cs_rows_take(sweep->above + i, from, count, h, f, bounds, sweep->rows, error);
}

/* The GPU that compared, or the CPU, also where this thread may not ask other processes for theirs. If a checkpoint
 * had the whole comparison, no engine was chosen yet. */
static const CsEngineClass *
choose_engine(const CsAligning *aligning)
{
    CsComparison *comparison = aligning->comparison;
    const CsEngineClass *engine = comparison->sweep.engine;
    if (!cs_compare_options_take_ranks(comparison, NULL))
        return cs_engine_on_cpu();
    if (engine == NULL && cs_compare_engine_choose(comparison, &aligning->matrix, NULL))
        engine = comparison->sweep.engine;
    return engine != NULL && engine->gpu ? engine : cs_engine_on_cpu();
}

/* Where the best of it ends is known; it is below the rows above. */
static gboolean
check_score(const CsSweepState *state, const CsBest *end, GError **error)
{
    if (state->best.score == end->score)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: a second sweep finds score %" G_GINT64_FORMAT
                ", not %" G_GINT64_FORMAT,
                state->best.score, end->score);
    return FALSE;
}

static GArray *
rows_below(const Sweep *sweep)
{
    GArray *at = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (gsize k = 0; k < cs_rows_count(sweep->rows); k++) {
        const gint64 i = cs_rows_at(sweep->rows, k) - sweep->above;
        if (i > 0)
            g_array_append_val(at, i);
    }
    return at;
}

/* The last row from which to go on: the last that was kept among those that are complete. */
static gint64
find_start(const CsRows *rows, gint64 complete)
{
    gsize k = cs_rows_count(rows);
    while (k > 0 && cs_rows_at(rows, k - 1) > complete)
        k--;
    return k > 0 ? cs_rows_at(rows, k - 1) : 0;
}

/* The row from which the sweep goes on, as its top border; NULL where it is the first. */
static gboolean
read_top(const Sweep *sweep, gint64 n, CsBus **top, GError **error)
{
    if (sweep->above == 0)
        return TRUE;
    gsize k = 0;
    while (cs_rows_at(sweep->rows, k) != sweep->above)
        k++;
    *top = cs_bus_new(n, cs_rows_width(sweep->rows), error);
    return *top != NULL && cs_rows_read(sweep->rows, k, 0, *top, error);
}

/* Sweeps what lies below the rows that are there. */
static gboolean
run(Sweep *sweep, const CsRectangle *region, const CsSkip *skip, const CsEngineClass *engine,
    GError **error)
{
    CsAligning *aligning = sweep->aligning;
    CsRectangle part = *region;
    CsSweepOptions options = {.engine = engine,
                              .engine_options = aligning->comparison->sweep.engine_options,
                              .func = watch,
                              .func_data = sweep};
    options.engine_options.threads = aligning->threads;
    options.engine_options.bits = 0;
    g_autoptr(CsBus) top = NULL;
    if (!read_top(sweep, cs_rectangle_n(region), &top, error))
        return FALSE;
    g_autoptr(GArray) at = rows_below(sweep);
    part.rows = cs_view_slice(&region->rows, sweep->above, cs_rectangle_m(region) - sweep->above);
    part.top = top;
    part.skipped = top != NULL;
    part.special_rows = (gint64 *)at->data;
    part.n_special_rows = at->len;
    part.row_func = take_row;
    part.row_data = sweep;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part, &options);
    sweep->grid = grid;
    sweep->at = at;
    sweep->passed = 0;
    sweep->computed = 0;
    CsSkipBounds attached = cs_skip_attach(skip, &part, grid, sweep->above, 0, aligning->end.score);
    CsSweepState state;
    sweep->queue = cs_compare_rows_queue(aligning->comparison, engine, sweep->rows);
    const gboolean swept = cs_sweep_run(&part, grid, &options, &state, error);
    g_clear_pointer(&sweep->queue, cs_row_queue_free);
    cs_skip_detach(&attached);
    return swept && check_score(&state, &aligning->end, error);
}

/* Takes rows that an earlier run of this sweep kept, and goes on below them. */
static void
go_on(Sweep *sweep, const CsRectangle *region)
{
    CsAligning *aligning = sweep->aligning;
    const CsCheckpoint *checkpoint = aligning->comparison->checkpoint;
    CsRowsMark mark = {CS_ROWS_MARK_ROW, {0}};
    if (checkpoint == NULL || !cs_checkpoint_is_writable(checkpoint))
        return;
    sweep->rows = cs_compare_rows_load(aligning->comparison, aligning->strand,
                                       cs_rectangle_m(region), TRUE, &mark);
    if (sweep->rows == NULL)
        return;
    sweep->above = find_start(sweep->rows, mark.numbers[0]);
    if (sweep->above > 0)
        cs_rows_restart(sweep->rows, sweep->above);
    if (cs_rows_count(sweep->rows) > 0)
        return;
    g_clear_pointer(&sweep->rows, cs_rows_free); /* or the restart could not be written */
    sweep->above = 0;
}

/* Rows that an earlier run of this sweep kept; else new ones. */
static gboolean
prepare(Sweep *sweep, const CsRectangle *region)
{
    CsAligning *aligning = sweep->aligning;
    go_on(sweep, region);
    if (sweep->rows == NULL)
        sweep->rows = cs_compare_rows_new(aligning->comparison, aligning->strand, region, TRUE);
    return sweep->rows != NULL;
}

static gboolean
sweep_again(Sweep *sweep, const CsRectangle *region, const CsSkip *skip,
            const CsEngineClass *engine, GError **error)
{
    CsComparison *comparison = sweep->aligning->comparison;
    g_autoptr(GError) failure = NULL;
    if (run(sweep, region, skip, engine, &failure))
        return TRUE;
    /* Rows of an earlier run may be wrong though their checksums are right. */
    const gboolean damaged =
        g_error_matches(failure, CS_ERROR, CS_ERROR_CONTENT) ||
        (sweep->above > 0 && g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED));
    if (comparison->checkpoint != NULL && g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED))
        cs_found_drop_stage(comparison->checkpoint, CS_FOUND_AGAIN); /* so may be these */
    if (!damaged && !(engine->gpu && g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE))) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    g_autofree char *message =
        damaged ? g_strdup("saved rows are damaged; sweeping again")
                : g_strdup_printf("finding rows for the alignment on the CPU, not on a GPU: %s",
                                  failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, comparison);
    cs_rows_free(sweep->rows);
    sweep->rows = cs_compare_rows_new(comparison, sweep->aligning->strand, region, TRUE);
    sweep->above = 0;
    return sweep->rows == NULL || run(sweep, region, skip, cs_engine_on_cpu(), error);
}

static CsRowsMark
mark_complete(const CsBest *end)
{
    return (CsRowsMark){CS_ROWS_MARK_AGAIN, {end->score, end->i, end->j}};
}

/* All rows, as an earlier run kept them; NULL where it did not. */
static CsRows *
load_complete(const CsAligning *aligning, gint64 m)
{
    CsRowsMark mark = mark_complete(&aligning->end);
    return cs_compare_rows_load(aligning->comparison, aligning->strand, m, TRUE, &mark);
}

static gboolean
find_skip(const CsAligning *aligning, const CsRectangle *region, const CsEngineClass *engine,
          CsSkip *skip, GError **error)
{
    const CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS,
                              .gpu = engine->gpu,
                              .threads = aligning->threads,
                              .known = aligning->end.score,
                              .stop = &aligning->stop};
    return cs_compare_keep_search(aligning->comparison, CS_FOUND_AGAIN, aligning->strand, region,
                                  &how, skip, error);
}

gboolean
cs_align_rows_find(CsAligning *aligning, CsRows **rows, GError **error)
{
    g_auto(CsSkip) skip = {0};
    CsRectangle region = aligning->matrix;
    Sweep sweep = {.aligning = aligning};
    region.rows = cs_view_slice(&region.rows, 0, aligning->end.i);
    region.columns = cs_view_slice(&region.columns, 0, aligning->end.j);
    *rows = NULL;
    if (!cs_compare_rows_pay(&aligning->matrix))
        return TRUE;
    *rows = load_complete(aligning, cs_rectangle_m(&region));
    if (*rows != NULL)
        return TRUE;
    const CsEngineClass *engine = choose_engine(aligning);
    if (!find_skip(aligning, &region, engine, &skip, error))
        return FALSE;
    region.skipping = cs_skip_wants_small_blocks(&skip, engine->gpu);
    region.share_left = skip.share_left;
    if (!prepare(&sweep, &region))
        return TRUE;
    cs_compare_notes_leave(CS_NOTE_DETAIL, "finding rows for the alignment in a second sweep",
                           aligning->comparison);
    const gboolean swept = sweep_again(&sweep, &region, &skip, engine, error);
    if (swept && sweep.rows != NULL) {
        const CsRowsMark mark = mark_complete(&aligning->end);
        cs_rows_mark(sweep.rows, &mark);
        *rows = g_steal_pointer(&sweep.rows);
    }
    g_clear_pointer(&sweep.rows, cs_rows_free);
    return swept;
}
