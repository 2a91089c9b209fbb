/*
 * How much device memory a sweep takes. Knows nothing of a device.
 *
 *     (n + m) / 2         the letters, 4 bits each
 *     8 n                 the horizontal bus, in place. Row chunks: one of these for each slot, and
 *                         one for what enters the next block
 *     8 m, 8 m            a left and a right border, where they are wanted
 *     slots               what the warps of a slot keep from launch to launch; the 8 R of a riser,
 *                         as tall as a block row, for which a staircase asks. Not in row chunks,
 *                         whose staircases have no risers
 *     16 a block row      where it begins and ends, its place among special rows, what enters. Row
 *                         chunks: 8 for each slot and band
 *     pruned              bounds, a table of them, and the items under way
 *
 * So what grows with the sequences is 8 n + (n + m) / 2 bytes, 8 m more for each border down the
 * side and 16 bytes a block row.
 */
#ifndef CS_CUDA_FOOTPRINT_H
#define CS_CUDA_FOOTPRINT_H

#include "cuda/cuda_plan.h"

typedef struct {
    gint64 slots;     /* whose state is kept */
    gint64 bands;     /* of slots, at most, in which block rows are numbered (CsKernelLaunch) */
    gint64 bus_cells; /* of a horizontal bus, padding included */
    gint64 buses;     /* that blocks work on: one in place, or a slot's each */
    gint64 bytes;     /* of device memory, in all and at most */
} CsCudaFootprint;

CsCudaFootprint cs_cuda_footprint_of(const CsRectangle *rectangle, const CsCudaPlan *plan,
                                     const CsGrid *grid);

/* Whether more than zero enters from the left. */
gboolean cs_cuda_footprint_has_left(const CsRectangle *rectangle);

#endif
