/* The forms of 32 bits, for the emulated device. */
#include "cuda/sweep_kernel_32.cu"
