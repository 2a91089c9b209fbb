/*
 * The risers of a staircase (staircase.h) of a GPU: what stands right of the last block that a slot
 * has done of a block row. They are on the device once a launch has ended the slots' delegated
 * triangles, and are copied to the host all at once: a wait for each would take longer than the
 * copies.
 *
 *     cs_cuda_risers_prepare(), a launch that drains, cs_cuda_risers_copy(), cs_cuda_risers_add()
 * ...
 */
#ifndef CS_CUDA_RISERS_H
#define CS_CUDA_RISERS_H

#include "cuda/cuda_run.h"

/* On the host. */
typedef struct {
    CsKernelCell *cells; /* a block height for each slot */
    guint32 *lanes;      /* what lane 0 of warp 0 keeps: word w of slot s is [w * slots + s] */
} CsCudaRisers;

/* Room for them on the device, made when first asked for. Fails with CS_ERROR_DEVICE, as all here.
 */
gboolean cs_cuda_risers_prepare(CsRun *run, GError **error);

/* Waits for what was queued. */
gboolean cs_cuda_risers_copy(CsRun *run, CsCudaRisers *risers, GError **error);

/* Appends the step at this column of slot s, which is at block row bi. */
gboolean cs_cuda_risers_add(const CsCudaRisers *risers, const CsRun *run, gint64 s, gint64 bi,
                            gint64 column, CsStaircase *copy, GError **error);

void cs_cuda_risers_clear(CsCudaRisers *risers);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsCudaRisers, cs_cuda_risers_clear)

#endif
