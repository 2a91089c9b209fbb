/*
 * The forms in which the kernels are compiled (16 or 32 bits, for any gap costs or for certain
 * ones), and which of them compute a rectangle exactly. Knows nothing of a device.
 */
#ifndef CS_CUDA_FORMS_H
#define CS_CUDA_FORMS_H

#include "cuda/sweep_kernel.h"
#include "sweep/engine_class.h"

/* Whether score bytes, which the fast loop reads, can hold the scores. */
gboolean cs_cuda_forms_fits_bytes(const CsScoring *scoring);

/* Whether 16 bits hold every value of the rectangle's strips relative to their base. */
gboolean cs_cuda_forms_fits_16(const CsRectangle *rectangle, const CsKernel *kernel);

/*
 * The forms of one width, the tallest first: those of 16 bits if the lowest of them fits and the
 * borders that enter are smooth or will be smoothed (`smooths`), else those of 32 bits.
 * cs_cuda_forms_may_take() says which of them compute the rectangle exactly; the last one does.
 * Fails with CS_ERROR_DEVICE if no width is enough.
 */
const CsKernel *cs_cuda_forms_pick(const CsRectangle *rectangle, const CsEngineOptions *options,
                                   gboolean smooths, GError **error);

/* Whether a form holds the rectangle's values and is for its gap costs. */
gboolean cs_cuda_forms_may_take(const CsRectangle *rectangle, const CsKernel *kernel);

#endif
