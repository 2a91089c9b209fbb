/*
 * The launches of a pruned sweep: steps of cuda_live.h in groups, one launch a group, and what
 * comes back of each.
 *
 *     step, step, ... -> launch | settle, totals to the host | event     -> learn
 *
 * Nothing waits but for a group whose event is asked for.
 */
#ifndef CS_CUDA_BAND_H
#define CS_CUDA_BAND_H

#include "cuda/cuda_live.h"
#include "cuda/cuda_plan.h"

/* Steps of a launch: its blocks end at about the same time, so many hide how they do not. */
#define CS_CUDA_BAND_STEPS 16

/* What the host sees of the best cell. */
typedef struct {
    CsKernelBest best;
    guint64 reruns;
    gint64 score;   /* the lower half: the highest score of a cell seen anywhere */
    gint32 trouble; /* a pruned sweep's values did not fit: CsKernelLaunch */
    gint32 tickets; /* items taken by all launches */
} CsCudaTotals;

typedef struct _CsCudaBand CsCudaBand;

/*
 * launch has everything of a pruned sweep but the items, all the device's totals. It and the live
 * intervals, which are taken over, outlive the band. Fails with CS_ERROR_DEVICE.
 */
CsCudaBand *cs_cuda_band_new(CsCudaLive *live, const CsKernel *kernel, CsKernelLaunch *launch,
                             const CsCudaTotals *all, gint64 slots, cudaStream_t stream,
                             GError **error);
void cs_cuda_band_free(CsCudaBand *band);

/* Bytes of device memory. */
gint64 cs_cuda_band_memory(gint64 slots);

/* The next step; without `fresh` no row begins. */
gboolean cs_cuda_band_step(CsCudaBand *band, gboolean fresh, GError **error);

/* How many groups there are, the one that is still open included. */
gint64 cs_cuda_band_groups(const CsCudaBand *band);

/* Waits for the first so many groups; the open one is launched if it is among them. */
gboolean cs_cuda_band_wait(CsCudaBand *band, gint64 groups, GError **error);

/* Takes steps until no row is under way, and with `fresh` none is left. Waits for all. */
gboolean cs_cuda_band_flatten(CsCudaBand *band, gboolean fresh, GError **error);

/* Seconds, about, until no row is under way if none begins. */
double cs_cuda_band_seconds_left(const CsCudaBand *band);

/*
 * Waits for all, then ends the delegated triangles of the rows under way, whose risers go to the
 * launch's; the band can go on as if that had not been.
 */
gboolean cs_cuda_band_drain(CsCudaBand *band, GError **error);

/* As of the last group waited for. Chunks: computed, without reruns. */
const CsCudaTotals *cs_cuda_band_totals(const CsCudaBand *band);
gint64 cs_cuda_band_chunks(const CsCudaBand *band);

const CsCudaLive *cs_cuda_band_live(const CsCudaBand *band);

#endif
