/* The forms of 16 bits. */
#include "cuda/kernel_forms.cuh"

extern "C" const CsKernel cs_kernels_16[] = {
    /* For the default gap costs ... */
    Form<Shape<Pair, 20, 8, 5, 2>, 8, 1, true>::kernel(),
    Form<Shape<Pair, 19, 8, 5, 2>, 8, 1, false>::kernel(),
    Form<Shape<Pair, 12, 8, 5, 2>, 4, 2, false>::kernel(),
    Form<Shape<Pair, 8, 8, 5, 2>, 4, 2, true>::kernel(),
    Form<Shape<Pair, 4, 0, 5, 2>, 4, 4, false>::kernel(),
    /* ... and for any. */
    Form<Shape<Pair, 16, 8, 0, 0>, 8, 1, false>::kernel(),
    Form<Shape<Pair, 8, 8, 0, 0>, 4, 2, true>::kernel(),
    Form<Shape<Pair, 1, 0, 0, 0>, 4, 4, true>::kernel(),
    {},
};
