/* What all kernels that walk along tapes share: the profile, and how warps take tapes (tape.h). */
#ifndef CS_TAPE_CUH
#define CS_TAPE_CUH

#include "cuda/nvcc.cuh"
#include "cuda/tape.h"

/* Fills the profile of the block: gains(row, letter) are 16 bytes, from a row on. */
template <int ROWS, int CHUNKS, class Gains>
CS_DEVICE void
make_profile(const CsTapeLaunch &launch, uint4 *profile, int threads, Gains gains)
{
    const int count = (launch.none + 1) * CHUNKS * 32;
    for (int k = (int)threadIdx.x; k < count; k += threads) {
        const int place = k & (launch.lanes - 1), chunk = k / 32 % CHUNKS;
        profile[k] = gains(place * ROWS + chunk * (ROWS / CHUNKS), k / 32 / CHUNKS);
    }
}

/* What a team computes. */
struct Tape {
    CsTapeRecord one, other; /* the first record of each half */
    int first, end;          /* places of its records, or of pairs of them */
    int length;              /* letters, with those that are none behind each record */
};

/* Behind each record are so many letters that are none. */
template <bool TWO>
CS_DEVICE Tape
find_tape(const CsTapeLaunch &launch, int unit, int nones)
{
    Tape tape = {};
    tape.first = TWO ? unit : (int)launch.tapes[unit];
    tape.end = TWO ? unit + 1 : (int)launch.tapes[unit + 1];
    tape.one = launch.records[TWO ? 2 * unit : tape.first];
    tape.other = launch.records[TWO ? 2 * unit + 1 : tape.first];
    const CsTapeRecord last = TWO ? tape.one : launch.records[tape.end - 1];
    tape.length = (int)(last.start - tape.one.start) + last.length + nones;
    return tape;
}

CS_DEVICE int
most_in_warp(int value)
{
    for (int by = 1; by < 32; by *= 2)
        value = max(value, __shfl_xor_sync(~0u, value, by));
    return value;
}

/* What a warp does once its block has the profile: it takes tapes until there are no more, and walks along
 * them: walk(tape, stores). A team without a tape walks along the last one, too, but stores nothing. */
template <bool TWO, class Walk>
CS_DEVICE void
take_tapes(const CsTapeLaunch &launch, int nones, Walk walk)
{
    const int lane = (int)threadIdx.x & 31, teams = 32 / launch.lanes;
    for (;;) {
        int first = 0;
        if (lane == 0)
            first = atomicAdd(launch.next, teams);
        first = __shfl_sync(~0u, first, 0);
        if (first >= launch.units)
            break;
        const int own = first + lane / launch.lanes;
        walk(find_tape<TWO>(launch, min(own, launch.units - 1), nones), own < launch.units);
    }
}

/* What a list of kernels has of one. */
template <void (*KERNEL)(const CsTapeLaunch), int ROWS, int ROW_BYTES, bool TWO, int THREADS>
struct TapeForm {
    static cudaError_t
    resident(size_t shared, int *blocks)
    {
        const cudaError_t code =
            cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (code != cudaSuccess)
            return code;
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, KERNEL, THREADS, shared);
    }

    static cudaError_t
    start(const CsTapeLaunch *launch, int blocks, size_t shared, cudaStream_t stream)
    {
        launch_kernel(KERNEL, blocks, THREADS, shared, stream, *launch);
        return cudaGetLastError();
    }

    static constexpr CsTapeKernel
    kernel()
    {
        return {ROWS, ROW_BYTES, TWO, THREADS, resident, start};
    }
};

#endif
