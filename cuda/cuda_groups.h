/*
 * The launches of a skipping sweep: steps of cuda_spans.h in groups, one launch per group, and what
 * comes back from each.
 *
 *     step, step, ... -> launch | settle, totals to the host | event     -> learn
 *
 * The host waits only for groups that it asks for. Learning from a group also updates the run's
 * latest totals, and hands out the parts of special rows that are now complete.
 *
 * If several GPUs share a sweep, each has groups of its own (cuda_members.h).
 */
#ifndef CS_CUDA_GROUPS_H
#define CS_CUDA_GROUPS_H

#include "cuda/cuda_arrivals.h"
#include "cuda/cuda_pieces.h"
#include "cuda/cuda_spans.h"

typedef struct _CsCudaGroups CsCudaGroups;

/*
 * The run's launch is complete except for the items. It, the spans and the pieces outlive the
 * groups. The pieces' seams tell whether several GPUs share the sweep, and which one this is. Fails with CS_ERROR_DEVICE, like everything here, and as the rectangle's row_func fails.
 */
CsCudaGroups *cs_cuda_groups_new(CsRun *run, CsCudaSpans *spans, CsCudaPieces *pieces,
                                 GError **error);
void cs_cuda_groups_free(CsCudaGroups *groups);

/* Bytes of device memory. */
gint64 cs_cuda_groups_memory(gint64 slots);

/* Takes the next step, in which rows begin only if `fresh`. */
gboolean cs_cuda_groups_step(CsCudaGroups *groups, gboolean fresh, GError **error);

/* How many groups there are, including the open one. */
gint64 cs_cuda_groups_count(const CsCudaGroups *groups);

/* Waits for the first `count` groups. Launches the open one if it is among them. */
gboolean cs_cuda_groups_wait(CsCudaGroups *groups, gint64 count, GError **error);

/* Of one of several GPUs: takes as many steps as make a group and, if any block can be computed,
 * launches it. */
gboolean cs_cuda_groups_fill(CsCudaGroups *groups, gboolean fresh, GError **error);

/* How many groups are launched that were not learned from; and learns from the oldest of them if it is
 * over. Sets `*learned` if it was. */
gint64 cs_cuda_groups_in_flight(const CsCudaGroups *groups);
gboolean cs_cuda_groups_poll(CsCudaGroups *groups, gboolean *learned, GError **error);

/* What others have for this GPU's next launch, and the best score that they know. */
CsCudaArrivals *cs_cuda_groups_arrivals(CsCudaGroups *groups);
void cs_cuda_groups_hear(CsCudaGroups *groups, gint32 known);

/* Takes steps until no row is in progress, or, if `fresh`, until all rows are done. Waits for all
 * groups. */
gboolean cs_cuda_groups_flatten(CsCudaGroups *groups, gboolean fresh, GError **error);

/* About how many seconds until no row is in progress, if none begins. */
double cs_cuda_groups_seconds_left(const CsCudaGroups *groups);

/*
 * Waits for all groups, then finishes the delegated triangles of the rows in progress and writes
 * their risers to the launch's. The sweep can go on as if this had not happened.
 */
gboolean cs_cuda_groups_drain(CsCudaGroups *groups, GError **error);

/* Chunks computed in the groups that were waited for, without reruns. */
gint64 cs_cuda_groups_chunks(const CsCudaGroups *groups);

#endif
