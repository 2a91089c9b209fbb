/*
 * What the layouts that compute every block have in common: a diagonal is two launches, and its end
 * is an event.
 *
 *     short phase of d | long phase of d | now and then: settle, totals to the host | event d
 *
 * All is queued on one stream, and nothing waits but collect(), for the event of a diagonal that is
 * up to CS_CUDA_QUEUE behind.
 */
#ifndef CS_CUDA_DENSE_H
#define CS_CUDA_DENSE_H

#include "cuda/cuda_pieces.h"

typedef struct {
    CsRun run;
    CsCudaPieces pieces;
    struct {
        cudaEvent_t event;
        gboolean settled; /* totals were copied */
    } diagonals[CS_CUDA_QUEUE];
    CsCudaTotals *totals; /* host: copies, of each diagonal under way */
    guint64 reruns_told;
    gint64 right_rows; /* whose right border staircases have copied out */
} CsCudaDense;

static inline CsCudaDense *
cs_cuda_dense_of(CsRun *run)
{
    return (CsCudaDense *)run;
}

/* Events, and memory for totals. Fails with CS_ERROR_DEVICE, as all here. */
gboolean cs_cuda_dense_make_queue(CsCudaDense *dense, GError **error);

/* The layouts' clear(). */
void cs_cuda_dense_clear(CsRun *run);

/* Launches both phases of a diagonal in the slots that run->launch names; the short phase alone
 * where that ends what the last diagonal left. */
gboolean cs_cuda_dense_launch(CsRun *run, gint64 diagonal, gboolean last, GError **error);

/* Whether best cells are settled after a diagonal: more often at first, when the score is low. */
gboolean cs_cuda_dense_settles_after(gint64 diagonal);

gboolean cs_cuda_dense_settle(CsRun *run, GError **error);

/* Queues what ends submitted diagonal d. */
gboolean cs_cuda_dense_close(CsRun *run, gint64 d, gboolean settles, GError **error);

/* Waits for diagonal d and fills collected; the layout hands out special rows. */
gboolean cs_cuda_dense_collect(CsRun *run, gint64 d, CsCollected *collected, GError **error);

/* Copies out the right border of the first so many block rows, which are complete, but for what an
 * earlier staircase copied. */
gboolean cs_cuda_dense_leave_right(CsRun *run, gint64 block_rows, GError **error);

/* Fills the level part of a staircase, below so many block rows whose bottom this bus has. */
gboolean cs_cuda_dense_stand(CsRun *run, CsStaircase *copy, gint64 block_rows,
                             const CsKernelCell *bus, GError **error);

/* The layouts' finish(), with the bottom row on this bus. */
gboolean cs_cuda_dense_finish(CsRun *run, const CsKernelCell *bus, GError **error);

#endif
