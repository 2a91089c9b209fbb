/*
 * How much device memory a sweep takes. Knows nothing of a device.
 *
 *     (n + m) / 2       the bases, 4 bits each
 *     8 n               the horizontal bus, in place
 *     8 m, 8 m          the left and the right border, where they are wanted
 *     20 per block row  its first and last row, its place among special rows, what enters it
 *     slots             what the warps of a slot keep from launch to launch, and a riser of 8 bytes
 *                       per row of a block
 *     skipping          bounds, a table of them, items of submitted launches; not the table of
 *                       gains: if that does not fit, the sweep does without it
 *
 * So 8 n + (n + m) / 2 bytes grow with the sequences, 8 m for each border, and 20 per block row.
 *
 * Row slices have a horizontal bus for each slot and one that enters the next block, 8 bytes per
 * slot and tier instead of 20 per block row, and no risers.
 */
#ifndef CS_CUDA_FOOTPRINT_H
#define CS_CUDA_FOOTPRINT_H

#include "cuda/cuda_plan.h"

typedef struct {
    gint64 slots;     /* whose state is kept */
    gint64 tiers;     /* how often, at most, each slot has a block row (CsKernelLaunch) */
    gint64 bus_cells; /* of a horizontal bus, padding included */
    gint64 buses;     /* one for all slots, or one for each */
    gint64 bytes;     /* of device memory in all, at most */
} CsCudaFootprint;

CsCudaFootprint cs_cuda_footprint_of(const CsRectangle *rectangle, const CsCudaPlan *plan,
                                     const CsGrid *grid);

/* Whether anything but zero enters from the left. */
gboolean cs_cuda_footprint_has_left(const CsRectangle *rectangle);

#endif
