/*
 * The borders of a sweep on a GPU: top and left, which are uploaded before the first launch, and
 * right. The bottom border is the horizontal bus at the end.
 *
 * If the entering borders come from a sweep that skipped cells, copies of them are smoothed: each H
 * is raised to what is left of another cell's H after a gap, or a way back, from that cell. No true
 * H is below that, and 16 bits then hold the values of a strip (docs/proofs/skipping-gpu.md).
 */
#ifndef CS_CUDA_BORDERS_H
#define CS_CUDA_BORDERS_H

#include "cuda/cuda_run.h"

/* Uploads the borders that enter, the top border to the bus `top`, and allocates the right border
 * if it is wanted. Fails with CS_ERROR_DEVICE, like everything here. */
gboolean cs_cuda_borders_enter(CsRun *run, CsKernelCell *top, GError **error);

/* H(row, 0), from the device, because on the host the right border may have overwritten it. */
gboolean cs_cuda_borders_corner(CsRun *run, gint64 row, CsScore *corner, GError **error);

/* Downloads rows from + 1 .. to of the right border, if it is wanted. */
gboolean cs_cuda_borders_leave_right(CsRun *run, gint64 from, gint64 to, GError **error);

#endif
