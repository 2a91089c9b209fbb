/*
 * What all kernels that walk along tapes share: the profile, the walk, and how warps take tapes (tape.h).
 *
 * What a lane does with its rows is for a type to say:
 *
 *     Cell, Found     what goes down to the lane below, what is found
 *     TWO, CHUNKS     whether two records are in the halves; 16 bytes of gains of a lane's rows
 *     corner()        the cell above the first row, in the column before a tape
 *     edge()          that in the next column, where the pass takes none
 *     step()          computes a column below a cell, and returns the cell below it
 *     enter()         that cell, of what the lane above has and the cell above the team
 *     finish(), restart()   at a letter that is none: what is found of the record; begins the next
 *     ALL_STORE, store()    what is found by a lane, the last one or all
 *     MOVES, move()   whether it wants to be called at least every CS_TAPE_MOVE columns
 *
 * The column of a letter that is none is computed as any other, after restart(). It is the border before
 * the first column of the next record.
 */
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
    int length;              /* letters, with one that is none behind each record */
};

template <bool TWO>
CS_DEVICE Tape
find_tape(const CsTapeLaunch &launch, int unit)
{
    Tape tape = {};
    tape.first = TWO ? unit : (int)launch.tapes[unit];
    tape.end = TWO ? unit + 1 : (int)launch.tapes[unit + 1];
    tape.one = launch.records[TWO ? 2 * unit : tape.first];
    tape.other = launch.records[TWO ? 2 * unit + 1 : tape.first];
    const CsTapeRecord last = TWO ? tape.one : launch.records[tape.end - 1];
    tape.length = (int)(last.start - tape.one.start) + last.length + 1;
    return tape;
}

CS_DEVICE int
most_in_warp(int value)
{
    for (int by = 1; by < 32; by *= 2)
        value = max(value, __shfl_xor_sync(~0u, value, by));
    return value;
}

/* Columns that are computed without a look at what ends. */
static constexpr int UNROLLED = 2;

template <class Rows>
CS_DEVICE void
walk_tape(const CsTapeLaunch &launch, const uint4 *profile, const Tape &tape, bool stores)
{
    typedef typename Rows::Cell Cell;
    const int lane = (int)threadIdx.x & 31, place = lane & (launch.lanes - 1);
    const bool top = place == 0, bottom = place == launch.lanes - 1;
    const bool takes = launch.takes && top, gives = launch.gives && bottom && stores;
    const int steps = most_in_warp(tape.length + launch.lanes);
    int j = -1 - place, now = tape.first; /* the column, and the record that ends next */
    const uint8_t *letters = launch.letters + tape.one.start + j;
    const uint8_t *letters_2 = launch.letters + tape.other.start;
    Cell *cell = (Cell *)launch.column + (launch.takes || launch.gives ? tape.one.start : 0) + j;
    int letter = letters[0], next = letters[1];
    int letter_2 = Rows::TWO ? letters_2[j] : 0,
        next_2 = Rows::TWO ? letters_2[min(j + 1, tape.other.length)] : 0;
    Cell border = Rows::corner(launch), above = border;
    typename Rows::Found passed = 0; /* what is found by this lane and those above it */
    Rows rows;
    rows.clear(launch, place);
    auto compute_column = [&]() {
        const uint4 *gains = profile + letter * (Rows::CHUNKS * 32) + lane;
        const uint4 *gains_2 = profile + letter_2 * (Rows::CHUNKS * 32) + lane;
        letter = next;
        letter_2 = next_2;
        next = letters[2];
        next_2 = Rows::TWO ? letters_2[min(j + 2, tape.other.length)] : 0;
        Rows::edge(launch, letter, border);
        /* What lies behind the tape may be another warp's; nothing that comes of it is kept. */
        if (takes)
            border = cell[1];
        const Cell below = rows.step(launch, gains, gains_2, above);
        if (gives && (uint32_t)j < (uint32_t)tape.length)
            *cell = below;
        above = rows.enter(Rows::of_lane_above(below), border, top);
        j++;
        letters++;
        cell++;
    };
    for (int t = 0; t < steps; t += UNROLLED) {
        if constexpr (Rows::MOVES) /* not before the first column: there are no values */
            if (t % CS_TAPE_MOVE == 0 && t > 0)
                rows.move();
        if (!__any_sync(~0u, letter == launch.none || next == launch.none)) {
#pragma unroll
            for (int u = 0; u < UNROLLED; u++)
                compute_column();
            continue;
        }
#pragma unroll 1
        for (int u = 0; u < UNROLLED; u++) {
            const typename Rows::Found from_above = __shfl_up_sync(~0u, passed, 1);
            if (letter == launch.none) {
                passed = rows.finish(launch, top, place, from_above);
                if ((bottom || Rows::ALL_STORE) && stores && j >= 0 && now < tape.end)
                    Rows::store(launch, now, place, passed);
                now += j >= 0;
                rows.restart();
            }
            compute_column();
        }
    }
}

/* What a warp does once its block has the profile: it takes tapes until there are no more. */
template <class Rows>
CS_DEVICE void
walk_tapes(const CsTapeLaunch &launch, const uint4 *profile)
{
    const int lane = (int)threadIdx.x & 31, teams = 32 / launch.lanes;
    for (;;) {
        int first = 0;
        if (lane == 0)
            first = atomicAdd(launch.next, teams);
        first = __shfl_sync(~0u, first, 0);
        if (first >= launch.units)
            break;
        /* A team without a tape computes the last one again. */
        const int own = first + lane / launch.lanes;
        const Tape tape = find_tape<Rows::TWO>(launch, min(own, launch.units - 1));
        walk_tape<Rows>(launch, profile, tape, own < launch.units);
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
