/* Sizes of what a sweep keeps on a device. */
#include "cuda/cuda_footprint.h"
#include "cuda/cuda_groups.h"

/* Small things, and what rounding up adds. */
#define SLACK (1 << 20)

static gint64
slots_of(const CsCudaPlan *plan, const CsGrid *grid)
{
    if (plan->skipping)
        return cs_cuda_plan_skipping_slots(grid->block_rows, grid->block_columns);
    return plan->sliced ? plan->slots_at_most : grid->depth;
}

gboolean
cs_cuda_footprint_has_left(const CsRectangle *rectangle)
{
    return rectangle->left != NULL || rectangle->corner != 0;
}

/* Bytes on the device for each block row, and for each block row of a slot. */
static gint64
bytes_of_rows(const CsCudaFootprint *footprint, const CsCudaPlan *plan, const CsGrid *grid)
{
    if (plan->sliced)
        return 8 * footprint->slots * footprint->tiers;
    gint64 bytes = 20 * grid->block_rows + 8 * footprint->slots * grid->block_height;
    if (plan->skipping)
        bytes += cs_cuda_groups_memory(footprint->slots) +
                 8 * (grid->block_rows + grid->block_columns) + CS_BOUNDS_TABLE_BYTES;
    return bytes;
}

CsCudaFootprint
cs_cuda_footprint_of(const CsRectangle *rectangle, const CsCudaPlan *plan, const CsGrid *grid)
{
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const gint64 borders = cs_cuda_footprint_has_left(rectangle) + (rectangle->right != NULL);
    CsCudaFootprint footprint = {.slots = slots_of(plan, grid)};
    footprint.tiers = plan->sliced ? cs_cuda_plan_tiers(plan, grid->block_height)
                                   : cs_divide_up(grid->block_rows, footprint.slots);
    footprint.bus_cells =
        (plan->sliced ? 1 : grid->block_columns) * (gint64)plan->block_chunks * CS_CHUNK;
    footprint.buses = plan->sliced ? footprint.slots : 1;
    const CsEndMarks *marks = rectangle->marks;
    const gint64 squares = marks != NULL ? marks->rows * marks->columns : 0;
    footprint.bytes = squares + (m + n) / 2 +
                      8 * footprint.bus_cells * (footprint.buses + plan->sliced) + 8 * m * borders +
                      footprint.slots * cs_cuda_plan_slot_memory(plan) +
                      bytes_of_rows(&footprint, plan, grid) + SLACK;
    return footprint;
}
