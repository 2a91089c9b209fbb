/* The forms of 16 bits. */
#include "cuda/sweep_kernel.cuh"

extern "C" const CsKernel cs_kernels_16[] = {
    /* For the default gap costs ... */
    Form<Pair, 20, 8, 5, 2, 8, 1, true>::kernel(),
    Form<Pair, 12, 8, 5, 2, 4, 2, false>::kernel(),
    Form<Pair, 8, 8, 5, 2, 4, 2, true>::kernel(),
    Form<Pair, 4, 0, 5, 2, 4, 4, false>::kernel(),
    /* ... and for any. */
    Form<Pair, 16, 8, 0, 0, 8, 1, false>::kernel(),
    Form<Pair, 8, 8, 0, 0, 4, 2, true>::kernel(),
    Form<Pair, 1, 0, 0, 0, 4, 4, true>::kernel(),
    {},
};
