/* Launches of a sweep that computes every block, and what comes back of each diagonal. */
#include "cuda/cuda_borders.h"
#include "cuda/cuda_dense.h"
#include "cuda/cuda_device.h"

enum {
    SETTLE_OFTEN = 64, /* diagonals at the start, when the best score is low */
    SETTLE_EVERY = 4,  /* after that */
};

gboolean
cs_cuda_dense_make_queue(CsCudaDense *dense, GError **error)
{
    for (guint k = 0; k < CS_CUDA_QUEUE; k++)
        if (!cs_cuda_check(cudaEventCreateWithFlags(&dense->diagonals[k].event,
                                                    cudaEventDisableTiming | cudaEventBlockingSync),
                           "creating an event", error))
            return FALSE;
    return cs_cuda_check(
        cudaHostAlloc((void **)&dense->totals, CS_CUDA_QUEUE * sizeof *dense->totals, 0),
        "allocating host memory", error);
}

void
cs_cuda_dense_clear(CsRun *run)
{
    CsCudaDense *dense = cs_cuda_dense_of(run);
    for (guint k = 0; k < CS_CUDA_QUEUE; k++)
        if (dense->diagonals[k].event != NULL)
            (void)cudaEventDestroy(dense->diagonals[k].event);
    (void)cudaFreeHost(dense->totals);
    cs_cuda_pieces_clear(&dense->pieces);
    cs_cuda_feed_clear(&dense->feed);
}

/* One phase of the launch's diagonal. */
static gboolean
launch_phase(CsRun *run, gint64 diagonal, int from, int to, GError **error)
{
    run->launch.diagonal = diagonal;
    run->launch.chunk_begin = from;
    run->launch.chunk_end = to;
    return cs_cuda_check(run->plan.kernel->sweep(&run->launch, run->memory.stream),
                         "launching a kernel", error);
}

gboolean
cs_cuda_dense_launch(CsRun *run, gint64 diagonal, gboolean last, GError **error)
{
    int phase = cs_kernel_short_phase(run->plan.warps);
    return launch_phase(run, diagonal, 0, phase, error) &&
           (last || launch_phase(run, diagonal, phase, run->plan.block_chunks, error));
}

gboolean
cs_cuda_dense_settles_after(gint64 diagonal)
{
    return diagonal < SETTLE_OFTEN || diagonal % SETTLE_EVERY == 0;
}

gboolean
cs_cuda_dense_settle(CsRun *run, GError **error)
{
    return cs_cuda_check(run->plan.kernel->settle(&run->launch, run->memory.stream),
                         "launching a kernel", error);
}

gboolean
cs_cuda_dense_close(CsRun *run, gint64 d, gboolean settles, GError **error)
{
    CsCudaDense *dense = cs_cuda_dense_of(run);
    dense->diagonals[d % CS_CUDA_QUEUE].settled = settles;
    if (settles && (!cs_cuda_dense_settle(run, error) ||
                    !cs_cuda_memory_fetch(&run->memory, &dense->totals[d % CS_CUDA_QUEUE],
                                          run->totals, sizeof *run->totals, error)))
        return FALSE;
    return cs_cuda_check(
        cudaEventRecord(dense->diagonals[d % CS_CUDA_QUEUE].event, run->memory.stream),
        "recording an event", error);
}

static gint64
cells_of(const CsGrid *grid, gint64 d)
{
    gint64 cells = 0;
    for (gint64 s = 0; s < grid->depth && s <= d; s++) {
        gint64 bi, bj;
        if (d - s >= cs_grid_slot_blocks(grid, s))
            continue;
        cs_grid_slot_block(grid, s, d - s, &bi, &bj);
        cells += (grid->row_starts[bi + 1] - grid->row_starts[bi]) *
                 (cs_grid_column_start(grid, bj + 1) - cs_grid_column_start(grid, bj));
    }
    return cells;
}

gboolean
cs_cuda_dense_collect(CsRun *run, gint64 d, CsCollected *collected, GError **error)
{
    CsCudaDense *dense = cs_cuda_dense_of(run);
    if (!cs_cuda_check(cudaEventSynchronize(dense->diagonals[d % CS_CUDA_QUEUE].event),
                       "running on the device", error))
        return FALSE;
    if (dense->diagonals[d % CS_CUDA_QUEUE].settled)
        run->latest = dense->totals[d % CS_CUDA_QUEUE];
    const gint64 cells = cells_of(run->grid, d);
    const gint64 reruns = (gint64)(run->latest.reruns - dense->reruns_told);
    *collected = (CsCollected){
        .cells = cells,
        .cells_computed = cells + reruns * cs_cuda_run_chunk_cells(run),
        .skipped = cs_cuda_run_leaves_bounds(run),
        .best = cs_cuda_run_best(run),
    };
    dense->reruns_told = run->latest.reruns;
    return TRUE;
}

gboolean
cs_cuda_dense_leave_right(CsRun *run, gint64 block_rows, GError **error)
{
    CsCudaDense *dense = cs_cuda_dense_of(run);
    const gint64 rows = run->grid->row_starts[block_rows];
    if (!cs_cuda_borders_leave_right(run, dense->right_rows, rows, error))
        return FALSE;
    dense->right_rows = MAX(dense->right_rows, rows);
    return TRUE;
}

gboolean
cs_cuda_dense_stand(CsRun *run, CsStaircase *copy, gint64 block_rows, const CsKernelCell *bus,
                    GError **error)
{
    copy->row = run->grid->row_starts[block_rows];
    return cs_cuda_memory_download_bus(&run->memory, copy->horizontal, 0, bus, run->grid->n,
                                       error) &&
           cs_cuda_borders_corner(run, copy->row, &copy->corner, error);
}

gboolean
cs_cuda_dense_finish(CsRun *run, const CsKernelCell *bus, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    return (rectangle->bottom == NULL ||
            cs_cuda_memory_download_bus(&run->memory, rectangle->bottom, 0, bus,
                                        cs_rectangle_n(rectangle), error)) &&
           cs_cuda_borders_leave_right(run, 0, cs_rectangle_m(rectangle), error);
}
