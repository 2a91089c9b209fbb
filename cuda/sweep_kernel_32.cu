/* The forms of 32 bits. */
#include "cuda/kernel_forms.cuh"

extern "C" const CsKernel cs_kernels_32[] = {
    Form<Shape<Single, 16, 0, 0, 0>, 4, 3, false>::kernel(),
    Form<Shape<Single, 8, 0, 0, 0>, 4, 4, true>::kernel(),
    Form<Shape<Single, 1, 0, 0, 0>, 4, 4, true>::kernel(),
    {},
};
