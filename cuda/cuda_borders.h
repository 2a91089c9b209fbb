/*
 * The borders of a sweep on a GPU: top and left, which are uploaded before the first launch, and
 * the right one. The bottom is what the horizontal bus has at the end.
 *
 * Borders that enter from a sweep that skipped are copies, raised where they lie lower than a gap
 * from a cell of theirs or a way back from one leave, which what was skipped has not kept. No
 * cell's H is below that (docs/algorithm.md), and of it 16 bits hold what a strip has.
 */
#ifndef CS_CUDA_BORDERS_H
#define CS_CUDA_BORDERS_H

#include "cuda/cuda_run.h"

/* Uploads what enters, the top border to the bus `top`, and makes room for the right border where
 * it is wanted. Fails with CS_ERROR_DEVICE, as all here. */
gboolean cs_cuda_borders_enter(CsRun *run, CsKernelCell *top, GError **error);

/* H(row, 0), from the device: the right border may stand where the left one was. */
gboolean cs_cuda_borders_corner(CsRun *run, gint64 row, CsScore *corner, GError **error);

/* Downloads rows from + 1 .. to of the right border, if it is wanted. */
gboolean cs_cuda_borders_leave_right(CsRun *run, gint64 from, gint64 to, GError **error);

#endif
