/*
 * The borders of a sweep on a GPU: top and left go to the device before the first launch, the right
 * one and the bottom come back.
 *
 * Borders that enter from a sweep that skipped are copies, raised where they lie lower than a gap
 * from a cell of theirs or a way back from one leave, which what was skipped has not kept. No
 * cell's H is below that (docs/algorithm.md), and of it 16 bits hold what a strip has.
 */
#ifndef CS_CUDA_BORDERS_H
#define CS_CUDA_BORDERS_H

#include "cuda/cuda_run.h"

/* Lets the borders enter, the top one into `top`; makes room for the right one where it is wanted.
 * Fails with CS_ERROR_DEVICE, as all here. */
gboolean cs_cuda_borders_enter(CsRun *run, CsKernelCell *top, GError **error);

/* H left of the first cell of row row + 1. From the device: the right border may stand where the
 * left one was. */
gboolean cs_cuda_borders_corner(CsRun *run, gint64 row, CsScore *corner, GError **error);

/* Rows from + 1 .. to of the right border, if it is wanted. */
gboolean cs_cuda_borders_leave_right(CsRun *run, gint64 from, gint64 to, GError **error);

#endif
