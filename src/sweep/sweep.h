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
    gint64 cells; /* done so far, skipped ones included */
    gint64 cells_computed;
    gboolean skipped; /* as CsCollected has it */
    double seconds;
    CsBest best;
    guint threads;        /* at work, */
    guint threads_wanted; /* and those that there would be work for */
} CsSweepState;

typedef enum {
    CS_SWEEP_GO_ON,
    CS_SWEEP_KEEP, /* hand out where the wave stands, then go on */
    CS_SWEEP_STOP, /* hand out where the wave stands, if anyone takes it, then stop */
} CsSweepAction;

/*
 * Called after each diagonal. Once it asked for something, what is submitted is waited for first;
 * what it asks for after the last diagonal has no effect.
 */
typedef CsSweepAction (*CsSweepFunc)(const CsSweepState *state, gpointer user_data);

/*
 * Takes over the staircase at which the wave stands; the rectangle's borders that leave are filled
 * as far as that. Where there was too little memory for one it is NULL, and failure says so. FALSE
 * with error set ends the sweep.
 */
typedef gboolean (*CsKeepFunc)(CsStaircase *staircase, const GError *failure,
                               const CsSweepState *state, gpointer user_data, GError **error);

typedef struct {
    const CsEngineClass *engine;
    CsEngineOptions engine_options;
    CsGridShape shape;  /* as wished; cs_sweep_plan() makes it the engine's */
    CsSweepFunc func;   /* or NULL */
    CsKeepFunc keep;    /* or NULL: then nothing is kept */
    CsBus **spare;      /* NULL, or of a bus that a staircase may take over, or of NULL */
    gpointer func_data; /* of both */
} CsSweepOptions;

/* The grid that a sweep of the rectangle will walk; options->shape becomes the one it is cut in. */
CsGrid *cs_sweep_plan(const CsRectangle *rectangle, CsSweepOptions *options);

/*
 * Computes the rectangle, with the grid and the options that cs_sweep_plan() left. On success state
 * is final and the borders that leave are filled; on failure they are undefined. Fails with the
 * engine's, the row function's or keep's error, or with CS_ERROR_STOPPED when func asked to stop.
 */
gboolean cs_sweep_run(const CsRectangle *rectangle, const CsGrid *grid,
                      const CsSweepOptions *options, CsSweepState *state, GError **error);

#endif
