/*
 * The contract between the host loop (sweep.c) and an engine: a vtable, and nothing else. An engine
 * knows nothing of files, progress or output.
 *
 *     begin -> { submit(0), submit(1), ... | collect(0), collect(1), ... } -> finish -> free
 *
 * Work is handed over one external diagonal at a time and asynchronously: submit() never waits for
 * the computation, so an engine's queue need never run dry; collect() waits for the oldest diagonal
 * that was not collected. All slots of one run are called from one thread.
 */
#ifndef CS_ENGINE_CLASS_H
#define CS_ENGINE_CLASS_H

#include "grid.h"
#include "rectangle.h"
#include "staircase.h"

/* What one external diagonal came to. */
typedef struct {
    gint64 cells;          /* that it covers, skipped ones included */
    gint64 cells_computed; /* reruns included, skipped ones not */
    CsBest best; /* over all blocks done by now, those of this diagonal and before included */
} CsCollected;

/* One sweep on one engine; each engine has its own. */
typedef struct _CsRun CsRun;

typedef struct {
    const char *name;

    /* How many diagonals may be submitted and not collected; at least 1. */
    guint queue;

    /*
     * One phrase on what this engine runs on here, or NULL with error CS_ERROR_DEVICE when this
     * machine cannot run it, CS_ERROR_USAGE when the environment asks for what there is not. The
     * phrase lives as long as the process.
     */
    const char *(*describe)(GError **error);

    /* The block shape and wave depth that suit an m x n sweep on this many threads. */
    void (*shape)(gint64 m, gint64 n, guint threads, gint64 *block_height, gint64 *block_width,
                  gint64 *depth);

    /*
     * Allocates what the sweep needs and takes over the borders that enter. rectangle and grid
     * outlive the run; the grid has at least one block. Fails with CS_ERROR_DEVICE (too little
     * memory, no thread) or CS_ERROR_USAGE (scores do not fit); then there is no run.
     */
    CsRun *(*begin)(const CsRectangle *rectangle, const CsGrid *grid, guint threads,
                    GError **error);

    /*
     * Takes on the blocks of the next external diagonal, d = 0, 1, 2, ... For each block the engine
     * decides itself from the borders that then stand there whether it can be skipped (pruning.h).
     */
    gboolean (*submit)(CsRun *run, gint64 d, GError **error);

    /*
     * Waits until the oldest diagonal not collected is done, hands out its pieces of special rows
     * and fills collected. On failure the run can only be freed.
     */
    gboolean (*collect)(CsRun *run, CsCollected *collected, GError **error);

    /*
     * With every submitted diagonal collected: copies out where the wave stands. The best cell of
     * the last collected diagonal is then that of exactly the cells covered. The run can go on
     * afterwards. Fails with CS_ERROR_DEVICE when there is too little memory.
     */
    gboolean (*staircase)(CsRun *run, CsStaircase *staircase, GError **error);

    /* After the last diagonal: fills the borders that leave. */
    gboolean (*finish)(CsRun *run, GError **error);

    /*
     * At any time, also with diagonals under way, whose blocks then in work are waited for: within
     * a second or so, since blocks are small.
     */
    void (*free)(CsRun *run);
} CsEngineClass;

/* The engines, best first, NULL-terminated; only this file's implementation knows them by name. */
extern const CsEngineClass *const cs_engines[];

/*
 * The engine of this name; NULL or "auto" is the first that works here. Fails with CS_ERROR_USAGE
 * for a name that no engine has, CS_ERROR_DEVICE for one that this build or machine lacks.
 */
const CsEngineClass *cs_engine_find(const char *name, GError **error);

#endif
