/*
 * How a sweep is laid out on a GPU: which form of the kernels computes it, and on which grid. Knows
 * nothing of a device but its size.
 *
 * There are three layouts. The wave has blocks of R rows by C columns in tiers of as many slots as
 * run at once (grid.h). Row slices are for matrices with too few columns for a wave: every slot
 * sweeps its own rows over all columns, beginning `overlap` rows above them. An alignment with a
 * positive score over n columns gains at most match * n (and what the top border brings), and each
 * row beyond n costs at least gap_extend. So none spans more than
 *
 *     overlap = n + (match * n + highest H of the top border) / gap_extend + 1
 *
 * rows, and from its own first row on a slot is exact. In the grid such a block is as tall as the
 * rows of all slots together, and there is one block column. Each block computes its overlap again,
 * so there are few blocks, but none is so tall that a stop would wait long for it.
 *
 * The third layout is for a rectangle of which much will be skipped (CsRectangle.skipping): a wave
 * without tiers, in low and narrow blocks, of which cuda_spans.h launches a band.
 */
#ifndef CS_CUDA_PLAN_H
#define CS_CUDA_PLAN_H

#include "cuda/cuda_device.h"
#include "cuda/sweep_kernel.h"
#include "sweep/engine_class.h"

/*
 * How long a submitted diagonal may take, by the estimate, even in a shape that was asked for. A
 * stop waits for all submitted diagonals, and sweep.c submits at most two long ones. So a stop
 * takes a few seconds at most, even on a device several times slower than the estimate.
 */
#define CS_CUDA_DIAGONAL_SECONDS 1.0

typedef struct {
    const CsKernel *kernel;
    gboolean full;     /* scores do not fit the fast loop */
    int warps;         /* in a block */
    int block_chunks;  /* C / CS_CHUNK */
    gboolean sliced;   /* row slices */
    gint64 overlap;    /* of row slices */
    int slots_at_most; /* that run at once */
    gboolean skipping; /* blocks are skipped, if the sweep has bounds */
} CsCudaPlan;

/* After at most this many steps the host knows what a skipping sweep skipped. */
#define CS_CUDA_SKIPPING_LATE 64

/*
 * Lays out a rectangle: fills the members of shape that are 0, rounds the others to what is
 * possible, and does not change a shape that it made itself. Fails with CS_ERROR_DEVICE if the
 * device's arithmetic cannot hold the scores, or the sequences are too long for it.
 */
gboolean cs_cuda_plan_make(const CsRectangle *rectangle, const CsEngineOptions *options,
                           const CsCudaSize *size, CsGridShape *shape, CsCudaPlan *plan,
                           GError **error);

/* Rows that a CUDA block sweeps at once: R, except in row slices. */
gint64 cs_cuda_plan_block_rows(const CsCudaPlan *plan);

/* Row slices: how many of a block's rows each slot owns, and in how many tiers it sweeps these and
 * the overlap. */
gint64 cs_cuda_plan_own_rows(const CsCudaPlan *plan, gint64 rows);
gint64 cs_cuda_plan_tiers(const CsCudaPlan *plan, gint64 rows);

/* About how many seconds a diagonal of the plan takes; in row slices that is a whole block. */
double cs_cuda_plan_diagonal_seconds(const CsRectangle *rectangle, const CsCudaSize *size,
                                     const CsGridShape *shape, const CsCudaPlan *plan);

/* Slots of a skipping sweep, and the bytes of device memory that each of any sweep takes. */
gint64 cs_cuda_plan_skipping_slots(gint64 block_rows, gint64 block_columns);
gint64 cs_cuda_plan_slot_memory(const CsCudaPlan *plan);

/* Whether the borders that enter are smoothed (cuda_borders.h), because they come from a sweep that
 * skipped cells. */
gboolean cs_cuda_plan_smooths(const CsRectangle *rectangle);

#endif
