/*
 * What enters a member of a ring at its seams: pieces of rows that other members computed, on their
 * way to the horizontal bus of a wave.
 *
 *     the caller's values -> pinned memory -> the bus, in the order of the run's stream
 *
 * The copy lies between two launches, so it needs no buffer on the device: the wave has passed these
 * columns with the block row above, and the launch that reads them comes later.
 */
#ifndef CS_CUDA_FEED_H
#define CS_CUDA_FEED_H

#include "cuda/cuda_run.h"

/* A piece is at most a block wide. */
enum {
    CS_CUDA_FEED_PIECES = 8, /* under way at a time; then the host waits for the oldest */
};

typedef struct {
    CsKernelCell *cells; /* pinned: CS_CUDA_FEED_PIECES pieces; NULL: nothing is fed */
    cudaEvent_t copied[CS_CUDA_FEED_PIECES];
    guint next;
} CsCudaFeed;

/* Makes room for pieces if the rectangle is a ring member's. Fails with CS_ERROR_DEVICE, like
 * everything here; clear it even then. */
gboolean cs_cuda_feed_init(CsCudaFeed *feed, const CsRun *run, GError **error);
void cs_cuda_feed_clear(CsCudaFeed *feed);

/* As in CsEngineClass. */
gboolean cs_cuda_feed_cells(CsCudaFeed *feed, CsRun *run, gint64 from, gint64 count,
                            const CsScore *h, const CsScore *f, GError **error);

#endif
