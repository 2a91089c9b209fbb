/*
 * What warps do together: reductions over lanes, barriers between neighbours within a block, and
 * the progress that blocks report to each other.
 */
#ifndef CS_WARP_CUH
#define CS_WARP_CUH

#include "cuda/recurrence.cuh"

CS_DEVICE int
warp_min(int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(~0u, value);
#else
    for (int d = 16; d > 0; d /= 2)
        value = min(value, __shfl_xor_sync(~0u, value, d));
    return value;
#endif
}

CS_DEVICE int
warp_max(int value)
{
    return -warp_min(-value);
}

/*
 * Waits until the warps above and below have finished their step: the one above has written what
 * this warp reads next, and the one below has read what this warp overwrites next. Other warps may
 * be ahead or behind. The barrier of two neighbours has the number of the lower one, and both
 * meet at the same instruction, as they must.
 */
CS_DEVICE void
meet_neighbours(int self, int warps)
{
    __syncwarp();
#pragma unroll 1
    for (int below = max(self, 1); below <= min(self + 1, warps - 1); below++)
        meet_two_warps(below);
}

/* Waits until another block has reported this much progress. Returns how much it has. */
CS_DEVICE int
wait_for(const int32_t *progress, int enough)
{
    int seen;
    while ((seen = load_acquire(progress)) < enough)
        __nanosleep(100);
    return seen;
}

/* Reports progress. Whoever waits for it sees what the lanes of this warp have written. */
CS_DEVICE void
tell(int32_t *progress, int value, int lane)
{
    __syncwarp();
    if (lane != 0)
        return;
    __threadfence();
    store_release(progress, value);
}

#endif
