/*
 * The host loop: one rectangle, one engine, the external diagonals in order.
 *
 *   rectangle -> cs_sweep_plan() -> grid -> (bounds for its blocks) -> cs_sweep_run()
 *             -> best, borders
 */
#ifndef CS_SWEEP_H
#define CS_SWEEP_H

#include "sweep/engine_class.h"

typedef struct {
    gint64 diagonals;  /* done so far */
    gint64 block_rows; /* complete so far, from the first on */
    /* As in CsCollected: for each of the next block rows, the column that it has come to. NULL if
     * blocks are computed by diagonals. Valid during a call of a CsSweepFunc. */
    const gint64 *columns;
    gint64 in_progress;
    gint64 cells; /* likewise, skipped ones included */
    gint64 cells_computed;
    gint64 cells_expected; /* to be computed in the end; cs_sweep_run() leaves it 0 */
    gboolean skipped;      /* as in CsCollected */
    double seconds;
    CsBest best;
    guint threads;        /* in use */
    guint threads_wanted; /* for which there is work */
} CsSweepState;

typedef enum {
    CS_SWEEP_GO_ON,
    CS_SWEEP_KEEP, /* hand out the staircase, then go on */
    CS_SWEEP_STOP, /* hand out the staircase if `keep` is set, then stop */
} CsSweepAction;

/*
 * Called after each diagonal. The sweep waits for all submitted diagonals before it does what this
 * asks for. After the last diagonal it has no effect.
 */
typedef CsSweepAction (*CsSweepFunc)(const CsSweepState *state, gpointer user_data);

/*
 * Takes over the staircase where the wave stands. The borders that leave the rectangle are filled
 * as far as that. If there was not enough memory, staircase is NULL and failure says so. FALSE
 * with error set ends the sweep.
 */
typedef gboolean (*CsKeepFunc)(CsStaircase *staircase, const GError *failure,
                               const CsSweepState *state, gpointer user_data, GError **error);

typedef struct {
    const CsEngineClass *engine;
    CsEngineOptions engine_options;
    CsGridShape shape;  /* as asked for; cs_sweep_plan() makes it the engine's */
    CsSweepFunc func;   /* or NULL */
    CsKeepFunc keep;    /* or NULL: nothing is kept */
    CsBus **spare;      /* NULL, or where a bus may be that a staircase may take over */
    gpointer func_data; /* passed to func and keep */
} CsSweepOptions;

/* The grid that a sweep of the rectangle will walk. Sets options->shape to the grid's shape. */
CsGrid *cs_sweep_plan(const CsRectangle *rectangle, CsSweepOptions *options);

/*
 * Computes the rectangle with the grid and the options from cs_sweep_plan(). On success state is
 * final and the borders that leave are filled; on failure they are undefined. Fails with an error
 * of the engine, the row function or keep, or with CS_ERROR_STOPPED if func asked to stop.
 */
gboolean cs_sweep_run(const CsRectangle *rectangle, const CsGrid *grid,
                      const CsSweepOptions *options, CsSweepState *state, GError **error);

#endif
