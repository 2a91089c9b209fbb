/*
 * Several GPUs that share a skipping sweep: the members of a ring without a ring.
 *
 *        rows 1 .. 64      GPU 0        each has all rows of the grid and a bus of its own,
 *            65 .. 128     GPU 1        but launches only blocks of its rows
 *           129 .. 192     GPU 0
 *
 * There is one CsCudaSpans for all, so what is launched and what counts as skipped is as on one GPU.
 * Each GPU has groups of its own (cuda_groups.h) and goes on as soon as one of them is over. What a
 * group has completed of a row at a seam (cuda_pieces.h) is copied to the bus of the GPU below, before
 * its next launch (cuda_arrivals.h). A kernel waits for no other GPU: a block at a seam is launched only
 * when all that it reads from above is there (cuda_spans.c).
 *
 * Why the bus of the GPU below is free there: the row above the seam has passed these columns, and so
 * all rows above have passed them or have ended. Those of their blocks that this GPU computes were
 * launched before, so the copy comes after them in its stream. Rows further down pass these columns
 * after the row below the seam, or once it has ended. Then nothing more is copied for it.
 */
#ifndef CS_CUDA_MEMBERS_H
#define CS_CUDA_MEMBERS_H

#include "cuda/cuda_groups.h"

typedef struct {
    CsRun *run;
    CsCudaGroups *groups;
} CsCudaMember;

typedef struct {
    CsCudaSpans *spans;
    guint8 *owners; /* of each block row, the number of the member that computes it */
    CsCudaMember *member;
    guint count; /* 1: nothing is shared */
} CsCudaMembers;

/* Deals block rows in turn to members of these speeds. */
guint8 *cs_cuda_members_deal(gint64 block_rows, const guint *speeds, guint count);

/* A CsCudaPassFunc whose user data are the members. */
gboolean cs_cuda_members_pass(gint64 bi, gint64 from, gint64 count, const CsKernelCell *cells,
                              gpointer user_data, GError **error);

/* Puts the number of a member before an error. Returns FALSE. */
gboolean cs_cuda_members_name(guint k, GError **error);

/* Makes a member's GPU the current one. Fails with CS_ERROR_DEVICE, like everything here, and as the
 * rectangle's row_func fails. */
gboolean cs_cuda_members_enter(const CsCudaMembers *members, guint k, GError **error);

/* Sweeps until so large a share of all steps has been taken; for 1 until all is over. */
gboolean cs_cuda_members_sweep(CsCudaMembers *members, double share, GError **error);

/* Sweeps until no row is in progress; none begins. */
gboolean cs_cuda_members_flatten(CsCudaMembers *members, GError **error);

/* Waits for all that is launched. */
gboolean cs_cuda_members_wait(CsCudaMembers *members, GError **error);

/* As cs_cuda_groups_seconds_left(). */
double cs_cuda_members_seconds_left(const CsCudaMembers *members);

#endif
