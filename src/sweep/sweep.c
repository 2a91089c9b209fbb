/* The host loop over external diagonals. */
#include <chromosweep/error.h>

#include "sweep/sweep.h"

/*
 * About how many seconds of work may be submitted: a stop waits for it. Unless blocks are huge or
 * slow, an engine's queue holds less.
 */
#define SECONDS_AHEAD 1.0
/* How many diagonals are submitted at least, also at the start, when their time is not known. */
#define LEAST_AHEAD 2
/* It takes about as long to start a thread as to compute so many cells. */
#define FEW_CELLS ((gint64)1 << 20)

CsGrid *
cs_sweep_plan(const CsRectangle *rectangle, CsSweepOptions *options)
{
    CsGridShape *shape = &options->shape;
    options->engine->shape(rectangle, &options->engine_options, shape);
    return cs_grid_new(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), shape,
                       rectangle->special_rows, rectangle->n_special_rows);
}

/* How many diagonals may be submitted, learnt from how long the latest took. */
typedef struct {
    gint64 diagonals;
    double seconds; /* per diagonal, a moving average */
    gint64 last;    /* when the last one was collected, in microseconds */
} Ahead;

static void
ahead_learn(Ahead *ahead, gint64 now, guint queue)
{
    double took = (double)(now - ahead->last) / G_USEC_PER_SEC;
    ahead->seconds += (took - ahead->seconds) / 4;
    ahead->last = now;
    double bound = SECONDS_AHEAD / MAX(ahead->seconds, 1e-9);
    gint64 most = MIN(2 * ahead->diagonals, (gint64)queue);
    ahead->diagonals = bound < (double)most ? (gint64)bound : most;
    ahead->diagonals = CLAMP(ahead->diagonals, MIN(LEAST_AHEAD, queue), queue);
}

static gboolean
keep(CsRun *run, const CsSweepOptions *options, const CsSweepState *state, GError **error)
{
    g_auto(CsStaircase) staircase = {0};
    GError *failure = NULL;
    if (options->spare != NULL)
        staircase.horizontal = g_steal_pointer(options->spare);
    if (options->engine->staircase(run, &staircase, &failure))
        return options->keep(&staircase, NULL, state, options->func_data, error);
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    /* If more than memory has failed, the next diagonal will say so. */
    g_autoptr(GError) short_of = failure;
    return options->keep(NULL, short_of, state, options->func_data, error);
}

/* Does what the function asked for; every submitted diagonal is collected. */
static gboolean
act(CsRun *run, const CsSweepOptions *options, CsSweepAction action, const CsSweepState *state,
    GError **error)
{
    if (options->keep != NULL && !keep(run, options, state, error))
        return FALSE;
    if (action != CS_SWEEP_STOP)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_STOPPED, "stopped after %" G_GINT64_FORMAT " cells",
                state->cells);
    return FALSE;
}

static gboolean
submit(CsRun *run, const CsEngineClass *engine, gint64 d, GError **error)
{
    if (engine->submit(run, d, error))
        return TRUE;
    g_prefix_error(error, "diagonal %" G_GINT64_FORMAT ": ", d);
    return FALSE;
}

static gboolean
collect(CsRun *run, const CsEngineClass *engine, const CsGrid *grid, CsSweepState *state,
        GError **error)
{
    CsCollected collected;
    if (!engine->collect(run, &collected, error)) {
        g_prefix_error(error, "diagonal %" G_GINT64_FORMAT ": ", state->diagonals);
        return FALSE;
    }
    state->diagonals++;
    while (!collected.own_order && state->block_rows < grid->block_rows &&
           cs_grid_row_end(grid, state->block_rows) <= state->diagonals)
        state->block_rows++;
    if (collected.own_order) {
        state->block_rows = collected.block_rows;
        state->columns = collected.columns;
        state->in_progress = collected.in_progress;
    }
    state->cells += collected.cells;
    state->cells_computed += collected.cells_computed;
    state->threads = MAX(1, collected.threads);
    state->best = collected.best;
    state->skipped = collected.skipped;
    return TRUE;
}

/* Keeps the engine's queue full, with at most SECONDS_AHEAD of work, and collects the diagonals in
 * order. */
static gboolean
walk(CsRun *run, const CsGrid *grid, const CsSweepOptions *options, CsSweepState *state,
     GError **error)
{
    const CsEngineClass *engine = options->engine;
    const gint64 start = g_get_monotonic_time(), diagonals = cs_grid_diagonals(grid);
    CsSweepAction action = CS_SWEEP_GO_ON;
    Ahead ahead = {.diagonals = MIN(LEAST_AHEAD, engine->queue), .last = start};
    for (gint64 submitted = 0, collected = 0; collected < diagonals;) {
        while (action == CS_SWEEP_GO_ON && submitted < diagonals &&
               submitted - collected < ahead.diagonals)
            if (!submit(run, engine, submitted++, error))
                return FALSE;
        if (submitted == collected) {
            if (!act(run, options, action, state, error))
                return FALSE;
            action = CS_SWEEP_GO_ON;
            ahead.last = g_get_monotonic_time();
            continue;
        }
        if (!collect(run, engine, grid, state, error))
            return FALSE;
        collected++;
        gint64 now = g_get_monotonic_time();
        state->seconds = (double)(now - start) / G_USEC_PER_SEC;
        ahead_learn(&ahead, now, engine->queue);
        if (options->func != NULL) {
            CsSweepAction asked = options->func(state, options->func_data);
            action = MAX(action, asked);
        }
    }
    return engine->finish(run, error);
}

/* Whether the only block takes no longer than the start of a thread for it. */
static gboolean
is_soon_done(const CsGrid *grid)
{
    return cs_grid_diagonals(grid) == 1 && grid->n <= FEW_CELLS / grid->m;
}

/* A rectangle without cells hands its borders on unchanged. */
static void
pass_borders(const CsRectangle *rectangle)
{
    if (rectangle->bottom != NULL)
        cs_rectangle_read_top(rectangle, rectangle->bottom);
    if (rectangle->right != NULL)
        cs_rectangle_read_left(rectangle, rectangle->right);
}

gboolean
cs_sweep_run(const CsRectangle *rectangle, const CsGrid *grid, const CsSweepOptions *options,
             CsSweepState *state, GError **error)
{
    const CsEngineClass *engine = options->engine;
    if (grid->block_rows == 0) {
        pass_borders(rectangle);
        *state = (CsSweepState){.threads = 1, .threads_wanted = 1, .skipped = rectangle->skipped};
        return TRUE;
    }
    /* A diagonal has at most `depth` blocks, so more threads would be idle. */
    CsEngineOptions engine_options = options->engine_options;
    engine_options.threads = (guint)MIN(engine_options.threads, grid->depth);
    if (is_soon_done(grid))
        engine_options.on_caller = TRUE;
    CsSweepState walked = {.threads_wanted = engine->gpu ? 1 : engine_options.threads};
    CsRun *run = engine->begin(rectangle, grid, &options->shape, &engine_options, error);
    if (run == NULL)
        return FALSE;
    gboolean success = walk(run, grid, options, &walked, error);
    engine->free(run);
    if (success)
        *state = walked;
    return success;
}
