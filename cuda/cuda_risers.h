/*
 * The risers of a GPU's staircase (staircase.h): H and E at the right end of the last block that a
 * slot has done in its block row.
 *
 *     prepare -> a launch that drains -> copy -> add, add, ...
 *
 * The launch finishes the delegated triangles and captures the risers on the device. They are
 * copied to the host all at once, because waiting for each would take longer than the copies.
 */
#ifndef CS_CUDA_RISERS_H
#define CS_CUDA_RISERS_H

#include "cuda/cuda_run.h"

/* The risers of all slots, on the host. */
typedef struct {
    CsKernelCell *cells; /* a block height for each slot */
    guint32 *lanes;      /* what lane 0 of warp 0 keeps: word w of slot s is [w * slots + s] */
} CsCudaRisers;

/* Allocates memory on the device, once per run. Fails with CS_ERROR_DEVICE, like everything here.
 */
gboolean cs_cuda_risers_prepare(CsRun *run, GError **error);

/* Waits for everything queued, and copies the risers. */
gboolean cs_cuda_risers_copy(CsRun *run, CsCudaRisers *risers, GError **error);

/* Appends the step of slot s, which is at this column of block row bi. */
gboolean cs_cuda_risers_add(const CsCudaRisers *risers, const CsRun *run, gint64 s, gint64 bi,
                            gint64 column, CsStaircase *copy, GError **error);

void cs_cuda_risers_clear(CsCudaRisers *risers);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsCudaRisers, cs_cuda_risers_clear)

#endif
