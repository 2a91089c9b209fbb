/*
 * Finding the best cell: exactly in the slow loop, by bounds in the fast loop.
 *
 * The fast loop looks only at every second column of every TRACK-th row. Any other cell is at most
 * slack() above one of these. A few consecutive chunks that may hold the best cell by that bound
 * stay pending: the state at their beginning is kept, and another kernel settles them
 * (settle.cuh, docs/proofs/gpu-settling.md).
 */
#ifndef CS_BEST_CELL_CUH
#define CS_BEST_CELL_CUH

#include "cuda/borders.cuh"

CS_DEVICE bool
better(const CsKernelLaunch &p, int score, int i, int j, const CsKernelBest &best)
{
    if (score != best.score)
        return score > best.score;
    if (p.columns_first)
        return j < best.j || (j == best.j && i < best.i);
    return i < best.i || (i == best.i && j < best.j);
}

/* Looks at every cell of a step. */
template <class S>
CS_DEVICE void
look(const Warp<S> &warp, const uint32_t (&h)[S::A], int t, Chunk &chunk)
{
#pragma unroll
    for (int k = 0; k < S::A; k++)
        for (int half = 0; half < S::H; half++) {
            int score = S::Cell::part(h[k], half) + chunk.base;
            int i = chunk.start + (warp.lane + 32 * half) * S::A + k + 1;
            int j = column_of(t, warp.lane, half, chunk);
            if (score > 0 && i <= chunk.end && j >= 1 && j <= chunk.capture_column &&
                better(warp.p, score, i, j, chunk.best))
                chunk.best = {score, i, j, 0};
        }
}

/*
 * How far a cell is at most above one that is looked at, which lies in the second column of a round
 * and the last of TRACK rows: a gap of one base, down in the second column or to the right from the
 * first, or a mismatch from the upper row of the first column to the lower row of the second.
 */
template <class S>
CS_DEVICE int
slack(const CsKernelLaunch &p)
{
    static_assert(S::TRACK <= 2, "more rows need longer gaps");
    return S::TRACK > 1 ? max(p.first, p.mismatch) : p.first;
}

/* Merges the lanes' best cells into the warp's best cell and into the score that all warps know. */
template <class S>
CS_DEVICE void
merge_best(const Warp<S> &warp, CsKernelBest best)
{
    const CsKernelLaunch &p = warp.p;
    for (int d = 16; d > 0; d /= 2) {
        CsKernelBest other = {__shfl_xor_sync(~0u, best.score, d), __shfl_xor_sync(~0u, best.i, d),
                              __shfl_xor_sync(~0u, best.j, d), 0};
        if (better(p, other.score, other.i, other.j, best))
            best = other;
    }
    CsKernelBest *mine = &p.bests[warp.home * p.warps + warp.self];
    if (warp.lane == 0 && best.score > 0) {
        if (better(p, best.score, best.i, best.j, *mine))
            *mine = best;
        if (best.score > *(volatile int32_t *)p.best_score)
            atomicMax(p.best_score, best.score);
    }
    __syncwarp();
}

/* A place for a series of pending chunks: the state of 32 lanes, the words of the bus above each
 * chunk, and which chunks they are (block row, number of the first, its base, how many). */
template <class S>
CS_DEVICE uint32_t *
pending(const Warp<S> &warp, int which)
{
    const CsKernelLaunch &p = warp.p;
    return p.pending +
           ((int64_t)(warp.slot * p.warps + warp.w) * CS_PENDING + which) * CS_PENDING_WORDS(S::A);
}

template <class S>
CS_DEVICE uint32_t *
pending_bus(const Warp<S> &warp, int which, int c)
{
    return pending(warp, which) + 32 * CS_STATE_WORDS(S::A) + c * 2 * CS_CHUNK;
}

template <class S>
CS_DEVICE uint32_t *
about(const Warp<S> &warp, int which)
{
    return pending_bus(warp, which, CS_PENDING_CHUNKS);
}

/* Finds a place whose chunks can no longer hold the best cell and keeps the strip there; -1: none.
 */
template <class S>
CS_DEVICE int
open_pending(const Warp<S> &warp, const Strip<S> &strip, int known)
{
    WarpMemory &mine = warp.mine();
    const unsigned free =
        __ballot_sync(~0u, warp.lane < CS_PENDING && mine.bounds[warp.lane % CS_PENDING] < known);
    if (free == 0)
        return -1;
    const int which = __ffs(free) - 1;
    strip.l.save(pending(warp, which) + warp.lane, 32);
    if (warp.lane == 0) {
        *(int4 *)about(warp, which) = make_int4(strip.rows.row, strip.xc, strip.base, 0);
        mine.place = which;
        mine.highest = 0;
    }
    return which;
}

/*
 * Keeps all that is needed to compute the chunk again, together with the chunks before it: the
 * state at the beginning of the first, and the bus of each. Returns whether there is a place for
 * it.
 */
template <class S>
CS_DEVICE bool
keep_pending(const Warp<S> &warp, const Strip<S> &strip, int known)
{
    WarpMemory &mine = warp.mine();
    int which = mine.place, c = mine.chunks;
    if (which < 0) {
        which = open_pending(warp, strip, known);
        if (which < 0)
            return false;
        c = 0;
    }
    __syncwarp();
    if (warp.lane == 0)
        mine.chunks = c + 1;
    uint32_t words[2][EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        const Column &column = mine.columns[place(strip.xc, warp.lane * EACH + r)];
        words[0][r] = column.w;
        words[1][r] = column.z;
    }
    uint4 *bus = (uint4 *)pending_bus(warp, which, c) + warp.lane;
    bus[0] = make_uint4(words[0][0], words[0][1], words[0][2], words[0][3]);
    if (S::H == 1)
        bus[32] = make_uint4(words[1][0], words[1][1], words[1][2], words[1][3]);
    __syncwarp();
    return true;
}

/* Notes the highest score that was looked at in a chunk. */
template <class S>
CS_DEVICE void
note_tracked(const Warp<S> &warp, int tracked, int known)
{
    if (warp.lane != 0)
        return;
    WarpMemory &mine = warp.mine();
    mine.highest = max(mine.highest, tracked);
    if (tracked > known)
        atomicMax(warp.p.best_score, tracked);
}

/* Closes a series of chunks. If they must be computed again, the next series will be shorter. */
template <class S>
CS_DEVICE void
close_pending(const Warp<S> &warp, int known)
{
    WarpMemory &mine = warp.mine();
    __syncwarp();
    if (warp.lane == 0 && mine.place >= 0) {
        const int bound = mine.highest + slack<S>(warp.p);
        about(warp, mine.place)[3] = (uint32_t)mine.chunks;
        mine.bounds[mine.place] = bound >= known ? bound : -1;
        mine.limit = bound >= known ? 1 : min(2 * mine.limit, (int)CS_PENDING_CHUNKS);
        mine.place = -1;
    }
    __syncwarp();
}

#endif
