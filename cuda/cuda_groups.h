/*
 * The launches of a skipping sweep: steps of cuda_spans.h in groups, one launch a group, and what
 * comes back of each.
 *
 *     step, step, ... -> launch | settle, totals to the host | event     -> learn
 *
 * Nothing waits but for a group whose event is asked for. Learning of a group brings the run's
 * latest totals up to date.
 */
#ifndef CS_CUDA_GROUPS_H
#define CS_CUDA_GROUPS_H

#include "cuda/cuda_spans.h"
#include "cuda/cuda_run.h"

typedef struct _CsCudaGroups CsCudaGroups;

/*
 * The run's launch has everything of a skipping sweep but the items. It and the spans
 * outlive the groups. Fails with CS_ERROR_DEVICE, as all here.
 */
CsCudaGroups *cs_cuda_groups_new(CsRun *run, CsCudaSpans *spans, GError **error);
void cs_cuda_groups_free(CsCudaGroups *groups);

/* Bytes of device memory. */
gint64 cs_cuda_groups_memory(gint64 slots);

/* The next step; without `fresh` no row begins. */
gboolean cs_cuda_groups_step(CsCudaGroups *groups, gboolean fresh, GError **error);

/* How many groups there are, the one that is still open included. */
gint64 cs_cuda_groups_count(const CsCudaGroups *groups);

/* Waits for the first so many groups; the open one is launched if it is among them. */
gboolean cs_cuda_groups_wait(CsCudaGroups *groups, gint64 count, GError **error);

/* Takes steps until no row is under way, and with `fresh` none is left. Waits for all. */
gboolean cs_cuda_groups_flatten(CsCudaGroups *groups, gboolean fresh, GError **error);

/* Seconds, about, until no row is under way if none begins. */
double cs_cuda_groups_seconds_left(const CsCudaGroups *groups);

/*
 * Waits for all, then ends the delegated triangles of the rows under way, whose risers go to the
 * launch's; the sweep can go on as if that had not been.
 */
gboolean cs_cuda_groups_drain(CsCudaGroups *groups, GError **error);

/* Chunks computed in the groups waited for, without reruns. */
gint64 cs_cuda_groups_chunks(const CsCudaGroups *groups);

#endif
