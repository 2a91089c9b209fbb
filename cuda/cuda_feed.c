/* Pieces of rows on their way to the device. */
#include "cuda/cuda_device.h"
#include "cuda/cuda_feed.h"

gboolean
cs_cuda_feed_init(CsCudaFeed *feed, const CsRun *run, GError **error)
{
    const gsize cells = CS_CUDA_FEED_PIECES * (gsize)run->grid->block_width;
    if (run->rectangle->corners == NULL)
        return TRUE;
    for (guint k = 0; k < CS_CUDA_FEED_PIECES; k++)
        if (!cs_cuda_check(cudaEventCreateWithFlags(&feed->copied[k],
                                                    cudaEventDisableTiming | cudaEventBlockingSync),
                           "creating an event", error))
            return FALSE;
    return cs_cuda_check(cudaHostAlloc((void **)&feed->cells, cells * sizeof *feed->cells, 0),
                         "allocating host memory", error);
}

void
cs_cuda_feed_clear(CsCudaFeed *feed)
{
    for (guint k = 0; k < CS_CUDA_FEED_PIECES; k++)
        if (feed->copied[k] != NULL)
            (void)cudaEventDestroy(feed->copied[k]);
    (void)cudaFreeHost(feed->cells);
}

/* A gap value not above zero makes no difference, and the kernels' own are clamped there, too. */
static CsKernelCell
cell_of(CsScore h, CsScore f)
{
    CsKernelCell cell;
    cs_width_set(CS_WIDTH_32, &cell.h, 0, h);
    cs_width_set(CS_WIDTH_32, &cell.gap, 0, MAX(f, 0));
    return cell;
}

/* Queues the copy of a piece that is at most a block wide. */
static gboolean
feed_piece(CsCudaFeed *feed, CsRun *run, gint64 from, gint64 count, const CsScore *h,
           const CsScore *f, GError **error)
{
    const guint k = feed->next++ % CS_CUDA_FEED_PIECES;
    CsKernelCell *cells = feed->cells + (gsize)k * (gsize)run->grid->block_width;
    if (!cs_cuda_check(cudaEventSynchronize(feed->copied[k]), "running on the device", error))
        return FALSE;
    for (gint64 j = 0; j < count; j++)
        cells[j] = cell_of(h[j], f[j]);
    return cs_cuda_memory_upload(&run->memory, run->launch.bus + from, cells,
                                 (gsize)count * sizeof *cells, error) &&
           cs_cuda_check(cudaEventRecord(feed->copied[k], run->memory.stream), "recording an event",
                         error);
}

gboolean
cs_cuda_feed_cells(CsCudaFeed *feed, CsRun *run, gint64 from, gint64 count, const CsScore *h,
                   const CsScore *f, GError **error)
{
    g_assert(feed->cells != NULL && from >= 0 && from + count <= run->grid->n);
    if (h == NULL)
        return cs_cuda_memory_fill(&run->memory, run->launch.bus + from, 0,
                                   (gsize)count * sizeof(CsKernelCell), error);
    for (gint64 done = 0; done < count;) {
        const gint64 some = MIN(count - done, run->grid->block_width);
        if (!feed_piece(feed, run, from + done, some, h + done, f + done, error))
            return FALSE;
        done += some;
    }
    return TRUE;
}
