/* The forms of 16 bits, for the emulated device. */
#include "cuda/sweep_kernel_16.cu"
