/*
 * The forms in which the kernels are compiled, and which of them compute a rectangle exactly: 16 or
 * 32 bits, of any gap costs or of certain ones. Knows nothing of a device.
 */
#ifndef CS_CUDA_FORMS_H
#define CS_CUDA_FORMS_H

#include "cuda/sweep_kernel.h"
#include "sweep/engine_class.h"

/* Whether a chunk's score bytes, which the fast loop reads, hold the scores. */
gboolean cs_cuda_forms_fits_bytes(const CsScoring *scoring);

/* Whether 16 bits hold every value of the rectangle's strips relative to their base. */
gboolean cs_cuda_forms_fits_16(const CsRectangle *rectangle, const CsKernel *kernel);

/*
 * The forms of one width, from the tallest to the lowest: those of 16 bits if the lowest of them
 * fits and the borders that enter are smooth or are made so (`smooths`). Which of them compute the
 * rectangle exactly, cs_cuda_forms_may_take() tells; the last one does. Fails with CS_ERROR_DEVICE
 * where no width will do.
 */
const CsKernel *cs_cuda_forms_pick(const CsRectangle *rectangle, const CsEngineOptions *options,
                                   gboolean smooths, GError **error);

/* Whether a form holds the rectangle's values and is for its gap costs. */
gboolean cs_cuda_forms_may_take(const CsRectangle *rectangle, const CsKernel *kernel);

#endif
