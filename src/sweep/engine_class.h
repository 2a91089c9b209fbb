/*
 * The contract between the host loop (sweep.c) and an engine: a vtable and nothing else. An engine
 * knows nothing of files, progress or output.
 *
 *     begin -> { submit(0), submit(1), ... | collect(0), collect(1), ... } -> finish -> free
 *
 * The host hands over one external diagonal at a time. submit() never waits for the computation, so
 * the engine always has work; collect() waits for the oldest diagonal that was not collected. All
 * functions of one run are called from one thread.
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

typedef struct _CsEngineClass CsEngineClass;

/* A member of a ring (ring/ring.h): a device, and the engine that runs on it. */
typedef struct {
    const CsEngineClass *engine;
    const char *device; /* as in CsEngineOptions */
    /* For a GPU: its multiprocessors, or its part of them if it is several members. For any member that was measured: as
     * many of the first GPU's. 0: a CPU that was not measured. */
    guint speed;
    guint threads; /* of a CPU in another process; 0: it gets some of the ring's */
} CsMember;

/* What an engine gets beside the problem. */
typedef struct {
    guint threads;      /* CPU threads, at least 1 */
    gboolean on_caller; /* a CPU engine starts no thread: the one that collects computes */
    const char *device; /* which of its devices: NULL for any that works, else index or UUID */
    /* Width of the arithmetic, for experiments: 16, 32 or 64; 0 lets the bounds decide. */
    guint bits;
    /*
     * For a CPU engine: the blocks to compute, one span per block row of the grid. All others are
     * skipped, whatever enters them, so what leaves are scores of real alignments but perhaps not
     * of the best. NULL computes all. A GPU always computes all. Must outlive the run.
     */
    const CsSpan *spans;
    /* For a ring: its members, at least one. Must outlive the run. An engine that shares skipping
     * (CsEngineClass) gets those that share a sweep, and its errors name them; the first is
     * `device`. */
    const CsMember *members;
    guint n_members;
} CsEngineOptions;

/* The result of one external diagonal. */
typedef struct {
    gint64 cells;          /* cells that it covers, skipped ones included */
    gint64 cells_computed; /* without skipped ones; a cell computed twice counts twice */
    guint threads;         /* CPU threads in use, perhaps fewer than asked for; 0: a GPU */
    gboolean skipped;      /* whether cells may have been skipped so far, here or before what
                              entered: values on the borders are then bounds (CsRowFunc) */
    /*
     * The best cell known so far. It may miss recent blocks, because an engine may look coarsely
     * first and settle the exact cell later. It is exact after the last diagonal.
     */
    CsBest best;
    /* Whether blocks are not computed by the grid's diagonals; then how many block rows are
     * complete, from the first on. */
    gboolean own_order;
    gint64 block_rows;
    /* If so, the columns that the block rows in progress have come to, from the first of them on.
     * Valid until the next call. */
    const gint64 *columns;
    gint64 in_progress;
} CsCollected;

/* What a run takes from begin() to free(), in bytes, at most, without the caller's borders. */
typedef struct {
    gint64 buses;  /* host memory for buses */
    gint64 other;  /* host memory for block states, scratch, and the device's driver */
    gint64 device; /* memory of the GPU */
    gint64 risers; /* cells in a state's risers; 0 if these are the grid's slots */
    guint bits;    /* of the arithmetic, or of stored scores if the arithmetic varies */
} CsEngineNeeds;

/* One sweep on one engine; each engine has its own. */
typedef struct _CsRun CsRun;

struct _CsEngineClass {
    const char *name;

    /* Whether it runs on a GPU rather than on the CPU. */
    gboolean gpu;

    /* Whether one run of it can be a skipping sweep on several of its devices, which are then the
     * members in the options. */
    gboolean shares_skipping;

    /* How many diagonals may be submitted but not collected; at least 1. */
    guint queue;

    /* By how many diagonals the piece of a special row leaves later than its block; with the last
     * diagonal all leave. */
    guint late;

    /*
     * What this engine runs on here in a few words, such as the GPU's name. NULL with error
     * CS_ERROR_DEVICE if this machine cannot run it on this device (as in CsEngineOptions), or
     * CS_ERROR_USAGE if the environment asks for something that does not exist. The text lives as
     * long as the process.
     */
    const char *(*describe)(const char *device, GError **error);

    /*
     * Fills the members of shape that are 0 with values that suit the rectangle. It may round the
     * others to what the engine can do.
     */
    void (*shape)(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape);

    /*
     * Whether the engine can run this rectangle here, in this shape (which shape() filled): its
     * scores fit the arithmetic, and there is enough memory. Fails with CS_ERROR_DEVICE if another
     * engine might run it, with CS_ERROR_USAGE if none can.
     */
    gboolean (*accepts)(const CsRectangle *rectangle, const CsGridShape *shape,
                        const CsEngineOptions *options, GError **error);

    /*
     * What a run will take. accepts() has accepted the rectangle in this shape, and the grid is cut
     * from it. Of a bottom border only the width is read.
     */
    void (*needs)(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                  const CsEngineOptions *options, CsEngineNeeds *needs);

    /*
     * Allocates what the sweep needs and reads the borders that enter. rectangle, grid and spans
     * outlive the run; shape and options need not. The grid has at least one block and is cut in
     * this shape (which shape() filled). Fails as accepts() does, and with CS_ERROR_DEVICE if there
     * is not enough memory; then there is no run. A CPU engine uses the threads that can be
     * started, or else the caller's.
     */
    CsRun *(*begin)(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                    const CsEngineOptions *options, GError **error);

    /*
     * For a member of a ring, whose block rows do not all follow each other in the matrix: the
     * border above its next block row that does not follow the one above it. H and F of columns
     * from + 1 .. from + count enter the horizontal bus; NULL for zeros. Called before the diagonal
     * that has the block below them is submitted, and after the one that has the block above them
     * is collected. `known` is the score of some real alignment, or 0: it raises the threshold.
     * NULL: the engine cannot be a member of a ring.
     */
    gboolean (*feed)(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                     CsScore known, GError **error);

    /*
     * Starts the blocks of the next external diagonal, d = 0, 1, 2, ... The engine decides for each
     * block, from the borders that enter it, whether it can be skipped (skip_rule.h).
     */
    gboolean (*submit)(CsRun *run, gint64 d, GError **error);

    /*
     * Waits until the oldest uncollected diagonal is done, hands out its pieces of special rows,
     * and fills collected. After a failure the run can only be freed.
     */
    gboolean (*collect)(CsRun *run, CsCollected *collected, GError **error);

    /*
     * Copies out where the wave stands, with the best cell of at least the cells covered. Called
     * whenever every submitted diagonal is collected, even before the first or after the last. The
     * run can go on afterwards. The staircase is empty on entry, except for a horizontal bus that
     * may be used again (to touch new memory can take longer than everything else). Fails with
     * CS_ERROR_DEVICE if there is not enough memory.
     */
    gboolean (*staircase)(CsRun *run, CsStaircase *staircase, GError **error);

    /* Fills the borders that leave. Called after the last diagonal. */
    gboolean (*finish)(CsRun *run, GError **error);

    /*
     * Frees the run, at any time. It waits for blocks that are being computed, for a second or so,
     * because blocks are small.
     */
    void (*free)(CsRun *run);
};

#endif
