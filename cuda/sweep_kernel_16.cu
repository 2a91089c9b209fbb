/* The forms of 16 bits. */
#include "sweep_kernel.cuh"

extern "C" const CsKernel cs_kernels_16[] = {
    Form<Pair, 20, 8, 2, 4, 2>::kernel(),
    Form<Pair, 16, 8, 2, 4, 2>::kernel(),
    Form<Pair, 12, 4, 3, 4, 3>::kernel(),
    Form<Pair, 8, 4, 2, 4, 3>::kernel(),
    Form<Pair, 4, 4, 2, 4, 4>::kernel(),
    Form<Pair, 1, 0, 1, 4, 4>::kernel(),
    {},
};
