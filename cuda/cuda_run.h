/*
 * One sweep on a GPU: what its parts share, and the contract of its three layouts (cuda_plan.h).
 *
 *     cuda_engine  the engine's vtable: chooses the layout, asks whether there is room
 *        |
 *     cuda_run     memory, state and launch of any sweep, from begin to free
 *        |
 *        +-- cuda_wave        ---+-- cuda_dense   diagonals as launches, events, totals
 *        +-- cuda_row_chunks  ---+-- cuda_pieces  special rows
 *        +-- cuda_pruned      ------ cuda_groups  launches of lists of blocks, from cuda_live
 *
 * Borders that enter stand in cuda_borders, what slots leave amid a row in cuda_risers.
 *
 * A layout's own data stand in a struct of its own, which begins with a CsRun.
 */
#ifndef CS_CUDA_RUN_H
#define CS_CUDA_RUN_H

#include "cuda/cuda_footprint.h"
#include "cuda/cuda_memory.h"

enum {
    CS_CUDA_QUEUE = 32, /* diagonals under way, at most */
};

/* What the host sees of the best cell. */
typedef struct {
    CsKernelBest best;
    guint64 reruns;
    gint64 score;   /* the lower half: the highest score of a cell seen anywhere */
    gint32 trouble; /* a pruned sweep's values did not fit: CsKernelLaunch */
    gint32 tickets; /* items taken by all launches */
} CsCudaTotals;

/* What the engine's functions (engine_class.h) come to in a layout. */
typedef struct {
    gsize size; /* of its struct */

    /* When state and letters are on the device: borders, rows, and what is the layout's own. */
    gboolean (*set_up)(CsRun *run, GError **error);

    gboolean (*submit)(CsRun *run, gint64 d, GError **error);

    /* Diagonal d; makes run->latest the totals as of then. */
    gboolean (*collect)(CsRun *run, gint64 d, CsCollected *collected, GError **error);

    /* All of the staircase but its best cell, which is then run->latest's; its horizontal bus is
     * there. */
    gboolean (*staircase)(CsRun *run, CsStaircase *copy, GError **error);

    gboolean (*finish)(CsRun *run, GError **error);

    /* Also where set_up() failed or was never called; nothing is under way any more. */
    void (*clear)(CsRun *run);
} CsCudaLayout;

extern const CsCudaLayout cs_cuda_wave;
extern const CsCudaLayout cs_cuda_row_chunks;
extern const CsCudaLayout cs_cuda_pruned;

struct _CsRun {
    const CsCudaLayout *layout;
    const CsRectangle *rectangle;
    const CsGrid *grid;
    CsCudaPlan plan;
    CsCudaFootprint footprint;
    int ordinal;
    CsCudaMemory memory;
    CsKernelLaunch launch; /* what all launches have in common, and the last one's own */
    CsCudaTotals *totals;  /* on the device */
    CsCudaTotals latest;   /* the same as last seen */
    gint64 submitted, collected;
};

/*
 * Sets a run up of which the members above `memory` are set, on the device that is current. To be
 * freed even where it fails, with CS_ERROR_DEVICE.
 */
gboolean cs_cuda_run_set_up(CsRun *run, GError **error);

/* Waits for what is under way. */
void cs_cuda_run_free(CsRun *run);

/* Puts the rows of each block row of the grid on the device. */
gboolean cs_cuda_run_make_rows(CsRun *run, GError **error);

/* Whether anybody needs the rectangle's last row; if not, it may end amid a strip at no cost. */
gboolean cs_cuda_run_wants_bottom(const CsRun *run);

/* Whether what the sweep leaves are bounds (CsRowFunc). */
gboolean cs_cuda_run_leaves_bounds(const CsRun *run);

/* Cells of one warp's chunk. */
gint64 cs_cuda_run_chunk_cells(const CsRun *run);

/* The best cell of the latest totals. */
CsBest cs_cuda_run_best(const CsRun *run);

#endif
