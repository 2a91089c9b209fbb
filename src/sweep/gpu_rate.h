/* How fast a large GPU sweeps, for choices that do not change the result (docs/performance.md). */
#ifndef CS_GPU_RATE_H
#define CS_GPU_RATE_H

/* Approximate seconds per cell, and per row of a band so narrow that most of the GPU is idle, in the
 * low blocks that it then has. */
#define CS_GPU_SECONDS_A_CELL 2e-13
#define CS_GPU_SECONDS_A_ROW 1.5e-7

#endif
