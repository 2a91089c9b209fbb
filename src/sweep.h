/*
 * The host loop: one rectangle, one engine, the external diagonals in order.
 *
 *   rectangle -> cs_sweep_plan() -> grid -> (bounds for its blocks) -> cs_sweep_run() -> best,
 * borders
 */
#ifndef CS_SWEEP_H
#define CS_SWEEP_H

#include "engine_class.h"

typedef struct {
    gint64 cells; /* done so far, skipped ones included */
    gint64 cells_computed;
    double seconds;
    CsBest best;
    guint threads; /* at work */
} CsSweepState;

/* Called now and then from cs_sweep_run(). FALSE stops the sweep. */
typedef gboolean (*CsSweepFunc)(const CsSweepState *state, gpointer user_data);

typedef struct {
    const CsEngineClass *engine;
    guint threads; /* at least 1 */
    /* 0: as suits the engine and the matrix. Any value gives the same result. */
    gint64 block_height;
    gint64 block_width;
    gint64 depth;
    CsSweepFunc func; /* or NULL */
    gpointer func_data;
} CsSweepOptions;

/* The grid that a sweep of the rectangle will walk. */
CsGrid *cs_sweep_plan(const CsRectangle *rectangle, const CsSweepOptions *options);

/*
 * Computes the rectangle. On success state is final and the borders that leave are filled; on
 * failure they are undefined. Fails with the engine's or the row function's error, or with
 * CS_ERROR_STOPPED when func asked to stop.
 */
gboolean cs_sweep_run(const CsRectangle *rectangle, const CsGrid *grid,
                      const CsSweepOptions *options, CsSweepState *state, GError **error);

#endif
