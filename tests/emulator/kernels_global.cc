/* The kernels of global alignments, for the emulated device. */
#include "cuda/global_kernel.cu"
