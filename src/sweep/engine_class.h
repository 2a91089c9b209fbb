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

#include "sweep/grid.h"
#include "sweep/rectangle.h"
#include "sweep/staircase.h"

/* Block columns from .. to - 1. */
typedef struct {
    gint64 from, to;
} CsSpan;

/* What an engine is told beside the problem. */
typedef struct {
    guint threads;      /* CPU threads, at least 1 */
    const char *device; /* which of its devices: NULL any that works, else an index or a UUID */
    /* Width of the arithmetic, for experiments: 0 as the bounds allow, else 16, 32 or 64. */
    guint bits;
    /*
     * For a CPU engine: of each block row of the sweep's grid the blocks that are computed, as long
     * as the run lasts; all others are skipped, whatever enters them. What leaves then are scores
     * of real alignments, but perhaps not of the best. NULL: all. A GPU computes all.
     */
    const CsSpan *spans;
} CsEngineOptions;

/* What one external diagonal came to. */
typedef struct {
    gint64 cells;          /* that it covers, skipped ones included */
    gint64 cells_computed; /* reruns included, skipped ones not */
    guint threads;    /* CPU threads that compute, perhaps fewer than were asked for; 0: a GPU */
    gboolean skipped; /* of what is done so far and of what entered some may be: what stands
                              on the borders is then bounds (CsRowFunc) */
    /*
     * The best known so far, of the blocks long done at least: an engine may look coarsely first
     * and settle the exact cell later. Exact after the last diagonal.
     */
    CsBest best;
} CsCollected;

/* What a run takes from begin() to free(), in bytes and at most; the caller's borders aside. */
typedef struct {
    gint64 buses;  /* of host memory */
    gint64 other;  /* likewise: block states, scratch, what the device's driver takes */
    gint64 device; /* of the GPU's memory */
    gint64 risers; /* cells of a state's, where they are not those of the grid's slots; or 0 */
    guint bits;    /* of the arithmetic, or of scores as they are kept where that varies */
} CsEngineNeeds;

/* One sweep on one engine; each engine has its own. */
typedef struct _CsRun CsRun;

typedef struct {
    const char *name;

    /* Whether it runs on a GPU rather than on the CPU. */
    gboolean gpu;

    /* How many diagonals may be submitted and not collected; at least 1. */
    guint queue;

    /*
     * One phrase on what this engine runs on here, for a GPU its name, or NULL with error
     * CS_ERROR_DEVICE when this machine cannot run it on this device (as in CsEngineOptions),
     * CS_ERROR_USAGE when the environment asks for what there is not. The phrase lives as long as
     * the process.
     */
    const char *(*describe)(const char *device, GError **error);

    /*
     * Fills the members of shape that are 0 with what suits the rectangle. It may round the others
     * to what the engine can do.
     */
    void (*shape)(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape);

    /*
     * Whether the engine can run this rectangle here, cut in this shape (which shape() filled): its
     * scores fit the arithmetic and its memory is there. Fails with CS_ERROR_DEVICE where another
     * engine might run it, CS_ERROR_USAGE where none can.
     */
    gboolean (*accepts)(const CsRectangle *rectangle, const CsGridShape *shape,
                        const CsEngineOptions *options, GError **error);

    /*
     * What a run of the rectangle will take, which accepts() let pass in this shape and of which
     * the grid was cut. Of a bottom border only its width is looked at.
     */
    void (*needs)(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                  const CsEngineOptions *options, CsEngineNeeds *needs);

    /*
     * Allocates what the sweep needs and takes over the borders that enter. rectangle, grid and
     * spans outlive the run, shape and options need not; the grid has at least one block and
     * is cut in this shape (which shape() filled). Fails as accepts() does, and with
     * CS_ERROR_DEVICE (too little memory); then there is no run. A CPU engine makes do with the
     * threads that can be started, if need be with the caller's.
     */
    CsRun *(*begin)(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                    const CsEngineOptions *options, GError **error);

    /*
     * Takes on the blocks of the next external diagonal, d = 0, 1, 2, ... For each block the engine
     * decides itself from the borders that then stand there whether it can be skipped
     * (skip_rule.h).
     */
    gboolean (*submit)(CsRun *run, gint64 d, GError **error);

    /*
     * Waits until the oldest diagonal not collected is done, hands out its pieces of special rows
     * and fills collected. On failure the run can only be freed.
     */
    gboolean (*collect)(CsRun *run, CsCollected *collected, GError **error);

    /*
     * At any time when every submitted diagonal is collected, also before the first and after the
     * last: copies out where the wave stands, with the best cell of at least the cells covered. The
     * run can go on afterwards. The staircase enters empty, but for a horizontal bus that may be
     * used again: memory touched for the first time can take longer than all else. Fails with
     * CS_ERROR_DEVICE when there is too little memory.
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

#endif
