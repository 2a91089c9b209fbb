/* The kernels of scores, for the emulated device. */
#include "cuda/score_kernel.cu"
