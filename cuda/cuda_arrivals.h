/*
 * What enters a GPU from others that share its sweep, between two launches: pieces of rows that they
 * computed, on their way to the horizontal bus, and the best score that they know.
 *
 *     pieces in pinned memory -> here, pinned -> the bus, in the order of the run's stream
 *
 * The copy lies before the launch that reads it and after those that passed these columns with rows
 * further up, so it needs no buffer on the device. The pinned memory is used again when the launch is
 * over.
 */
#ifndef CS_CUDA_ARRIVALS_H
#define CS_CUDA_ARRIVALS_H

#include "cuda/cuda_run.h"

typedef struct {
    CsKernelCell *cells; /* pinned */
    gsize count, room;
    GArray *stretches; /* of the bus that they are for */
    gint32 *known;     /* pinned */
} CsCudaArrivals;

/* Initialises zeroed arrivals. Fails with CS_ERROR_DEVICE, like everything here; clear them even
 * then. */
gboolean cs_cuda_arrivals_init(CsCudaArrivals *arrivals, GError **error);
void cs_cuda_arrivals_clear(CsCudaArrivals *arrivals);

/* Keeps cells of columns from + 1 .. from + count. */
gboolean cs_cuda_arrivals_add(CsCudaArrivals *arrivals, gint64 from, gint64 count,
                              const CsKernelCell *cells, GError **error);

/* Queues the copies of all that was kept, and of `known` if the run is not known to have heard of it.
 * Then nothing is kept, but the memory is in use until the copies are done. */
gboolean cs_cuda_arrivals_enter(CsCudaArrivals *arrivals, CsRun *run, gint32 known, GError **error);

#endif
