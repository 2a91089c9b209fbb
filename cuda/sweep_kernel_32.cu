/* The forms of 32 bits. */
#include "cuda/sweep_kernel.cuh"

extern "C" const CsKernel cs_kernels_32[] = {
    Form<Single, 16, 0, 0, 0, 4, 3, false>::kernel(),
    Form<Single, 8, 0, 0, 0, 4, 4, true>::kernel(),
    Form<Single, 1, 0, 0, 0, 4, 4, true>::kernel(),
    {},
};
