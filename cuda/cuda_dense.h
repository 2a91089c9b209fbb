/*
 * What the layouts that compute every block share: a diagonal is two launches, and an event marks
 * its end.
 *
 *     short phase of d | long phase of d | now and then: settle, totals to the host | event d
 *
 * Everything is queued on one stream. Only collect() waits, for the event of a diagonal up to
 * CS_CUDA_QUEUE behind.
 */
#ifndef CS_CUDA_DENSE_H
#define CS_CUDA_DENSE_H

#include "cuda/cuda_feed.h"
#include "cuda/cuda_pieces.h"

typedef struct {
    CsRun run;
    CsCudaPieces pieces;
    CsCudaFeed feed;
    struct {
        cudaEvent_t event;
        gboolean settled; /* totals were copied */
    } diagonals[CS_CUDA_QUEUE];
    CsCudaTotals *totals; /* host: copies, one per submitted diagonal */
    guint64 reruns_told;
    gint64 right_rows; /* rows whose right border earlier staircases copied out */
} CsCudaDense;

static inline CsCudaDense *
cs_cuda_dense_of(CsRun *run)
{
    return (CsCudaDense *)run;
}

/* Makes events, and memory for totals. Fails with CS_ERROR_DEVICE, like everything here. */
gboolean cs_cuda_dense_make_queue(CsCudaDense *dense, GError **error);

/* The layouts' clear(). */
void cs_cuda_dense_clear(CsRun *run);

/* Launches both phases of a diagonal in the slots that run->launch names; after the last diagonal
 * only the short phase, which finishes its rest. */
gboolean cs_cuda_dense_launch(CsRun *run, gint64 diagonal, gboolean last, GError **error);

/* Whether best cells are settled after a diagonal: more often at first, when the score is low. */
gboolean cs_cuda_dense_settles_after(gint64 diagonal);

gboolean cs_cuda_dense_settle(CsRun *run, GError **error);

/* Queues the end of submitted diagonal d. */
gboolean cs_cuda_dense_close(CsRun *run, gint64 d, gboolean settles, GError **error);

/* Waits for diagonal d and fills collected; the layout hands out special rows. */
gboolean cs_cuda_dense_collect(CsRun *run, gint64 d, CsCollected *collected, GError **error);

/* Copies out the right border of the first `block_rows` block rows, which are complete, except what
 * an earlier staircase copied. */
gboolean cs_cuda_dense_leave_right(CsRun *run, gint64 block_rows, GError **error);

/* Fills the level part of a staircase, below `block_rows` block rows, whose bottom is on this bus.
 */
gboolean cs_cuda_dense_stand(CsRun *run, CsStaircase *copy, gint64 block_rows,
                             const CsKernelCell *bus, GError **error);

/* The layouts' finish(), with the bottom row on this bus. */
gboolean cs_cuda_dense_finish(CsRun *run, const CsKernelCell *bus, GError **error);

#endif
