/* The forms of 16 bits: blocks of up to 4 warps, 4 blocks a multiprocessor. */
#include "sweep_kernel.cuh"

extern "C" const CsKernel cs_kernels_16[] = {
    Form<Pair, 12, 4, 3, 4, 4>::kernel(), Form<Pair, 10, 4, 2, 4, 4>::kernel(),
    Form<Pair, 8, 4, 2, 4, 4>::kernel(),  Form<Pair, 4, 4, 2, 4, 4>::kernel(),
    Form<Pair, 1, 0, 1, 4, 4>::kernel(),  {},
};
