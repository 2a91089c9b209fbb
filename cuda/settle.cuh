/*
 * Settles pending chunks: computes those again that may still hold the best cell, looking at every
 * cell.
 *
 * Launch: a CUDA block for each slot, with p.warps warps, after the launches of a sweep.
 * Shared memory: a WarpMemory for each warp; no tables.
 * Synchronisation: only between the lanes of a warp; blocks share data through atomics.
 * Bus: none; what was read from it is kept with the pending chunks.
 */
#ifndef CS_SETTLE_CUH
#define CS_SETTLE_CUH

#include "cuda/chunk_loop.cuh"

/* The entries of a pending chunk. */
template <class S>
CS_DEVICE void
enter_again(const Warp<S> &warp, const uint32_t *bus, int xc, int base, bool odd)
{
    Ahead ahead;
    look_ahead(warp, ahead, xc, false);
    fill(warp, ahead, xc, 0, base, odd, false);
    for (int r = 0; r < EACH; r++) {
        Column &column = warp.mine().columns[place(xc, warp.lane * EACH + r)];
        if (S::H == 1)
            column.z = bus[CS_CHUNK + warp.lane * EACH + r];
        column.w = bus[warp.lane * EACH + r];
    }
    __syncwarp();
}

/* Computes pending chunks again and keeps their best cell. */
template <class S>
CS_DEVICE void
settle(const Warp<S> &warp, int which)
{
    const CsKernelLaunch &p = warp.p;
    const int4 what = *(const int4 *)about(warp, which);
    const int end = what.y + what.w;
    int base = what.z;
    Lane<S> l;
    uint32_t selectors[S::A];
    l.restore(pending(warp, which) + warp.lane, 32);
    Chunk chunk = {strip_rows(warp, 0, what.x, false)};
    chunk.odd = load_rows(warp, chunk, selectors);
    refill(warp, what.y, base, chunk.odd);
    chunk.capture_column = p.n;
    for (int xc = what.y; xc < end; xc++) {
        if (xc > what.y)
            base = move_base(warp, l, base);
        enter_again(warp, pending_bus(warp, which, xc - what.y), xc, base, chunk.odd);
        chunk.turn = xc & 1;
        chunk.first_column = xc * CS_CHUNK;
        chunk.base = base;
        chunk.threshold = max(1, *(volatile int32_t *)p.best_score);
        steps<S, true, false, true>(warp, l, selectors, chunk);
        __syncwarp();
    }
    merge_best(warp, chunk.best);
    if (warp.lane == 0)
        atomicAdd((unsigned long long *)p.reruns, (unsigned long long)what.w);
    __syncwarp();
}

/* Merges into *p.best, whose last member is a lock. */
CS_DEVICE void
merge_into_all(const CsKernelLaunch &p, const CsKernelBest &mine)
{
    volatile CsKernelBest *all = p.best;
    if (mine.score <= 0 || mine.score < all->score)
        return;
    while (atomicCAS((int *)&all->unused, 0, 1) != 0)
        ;
    __threadfence();
    CsKernelBest old = {all->score, all->i, all->j, 0};
    if (better(p, mine.score, mine.i, mine.j, old)) {
        all->score = mine.score;
        all->i = mine.i;
        all->j = mine.j;
    }
    __threadfence();
    atomicExch((int *)&all->unused, 0);
}

/* Settles the warp's share of all pending chunks, and merges its best cell. The chunks of one strip
 * go to different warps, so that no warp has many. */
template <class S, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) settle_kernel(const __grid_constant__ CsKernelLaunch p)
{
    Warp<S> warp(p, dynamic_shared(), (int)blockIdx.x, (int)blockIdx.x);
    const int warps = p.slots * p.warps, me = (int)blockIdx.x * p.warps + warp.self;
    for (int which = 0; which < CS_PENDING; which++) {
        int owner = (int)((me + which * 977LL) % warps);
        int32_t *bound = &p.bounds[owner * CS_PENDING + which];
        int at_most = *bound;
        __syncwarp();
        warp.slot = owner / p.warps;
        warp.w = owner % p.warps;
        if (at_most >= 0 && at_most >= *(volatile int32_t *)p.best_score)
            settle(warp, which);
        if (warp.lane == 0)
            *bound = -1;
    }
    if (warp.lane == 0)
        merge_into_all(p, p.bests[me]);
}

#endif
