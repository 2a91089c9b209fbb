/* The host loop over external diagonals. */
#include <chromosweep/error.h>

#include "sweep.h"

/* Seconds between two calls of the sweep's function. */
#define FUNC_INTERVAL 0.1

CsGrid *
cs_sweep_plan(const CsRectangle *rectangle, CsSweepOptions *options)
{
    CsGridShape *shape = &options->shape;
    options->engine->shape(rectangle, &options->engine_options, shape);
    return cs_grid_new(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), shape,
                       rectangle->special_rows, rectangle->n_special_rows);
}

/* Calls the sweep's function when it is time. */
static gboolean
report(const CsSweepOptions *options, const CsSweepState *state, double *next, GError **error)
{
    if (options->func == NULL || state->seconds < *next)
        return TRUE;
    *next = state->seconds + FUNC_INTERVAL;
    if (options->func(state, options->func_data))
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_STOPPED, "stopped after %" G_GINT64_FORMAT " cells",
                state->cells);
    return FALSE;
}

/* Keeps the engine's queue full and collects the diagonals in order. */
static gboolean
walk(CsRun *run, const CsGrid *grid, const CsSweepOptions *options, CsSweepState *state,
     GError **error)
{
    const CsEngineClass *engine = options->engine;
    const gint64 start = g_get_monotonic_time(), diagonals = cs_grid_diagonals(grid);
    double next = FUNC_INTERVAL;
    gint64 submitted = 0;
    for (gint64 d = 0; d < diagonals; d++) {
        for (; submitted < diagonals && submitted - d < engine->queue; submitted++)
            if (!engine->submit(run, submitted, error)) {
                g_prefix_error(error, "diagonal %" G_GINT64_FORMAT ": ", submitted);
                return FALSE;
            }
        CsCollected collected;
        if (!engine->collect(run, &collected, error)) {
            g_prefix_error(error, "diagonal %" G_GINT64_FORMAT ": ", d);
            return FALSE;
        }
        state->cells += collected.cells;
        state->cells_computed += collected.cells_computed;
        state->best = collected.best;
        state->seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
        if (!report(options, state, &next, error))
            return FALSE;
    }
    return engine->finish(run, error);
}

/* A rectangle without cells hands its borders on as they are. */
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
        *state = (CsSweepState){.threads = 1};
        return TRUE;
    }
    /* A diagonal has at most depth blocks, so more threads would find nothing to do. */
    CsEngineOptions engine_options = options->engine_options;
    engine_options.threads = (guint)MIN(engine_options.threads, grid->depth);
    CsSweepState walked = {.threads = engine->gpu ? 1 : engine_options.threads};
    CsRun *run = engine->begin(rectangle, grid, &options->shape, &engine_options, error);
    if (run == NULL)
        return FALSE;
    gboolean success = walk(run, grid, options, &walked, error);
    engine->free(run);
    if (success)
        *state = walked;
    return success;
}
