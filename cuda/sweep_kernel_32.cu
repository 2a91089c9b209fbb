/* The forms of 32 bits: blocks of up to 4 warps, 4 blocks a multiprocessor. */
#include "sweep_kernel.cuh"

extern "C" const CsKernel cs_kernels_32[] = {
    Form<Single, 16, 0, 2, 4, 4>::kernel(),
    Form<Single, 8, 0, 2, 4, 4>::kernel(),
    Form<Single, 1, 0, 1, 4, 4>::kernel(),
    {},
};
