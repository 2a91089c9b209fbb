/*
 * A sweep that skips nothing: one phase of a slot's block, or the rest of the delegated triangle.
 *
 * Launch: a CUDA block for each of slot_count slots, with p.warps warps; two launches per block
 * (the phases, sweep_kernel.h), in one stream. Shared memory: a WarpMemory for each warp, then a
 * table of scores for each warp. Synchronisation: warps of a block meet their neighbours after each
 * step. Blocks do not wait for each other; the order of launches is enough. Bus: warp 0 reads the
 * chunks of the launch, which hold the row above. If somebody needs the block row's last row, the
 * warp that has it overwrites them, at most SKEW columns, and CS_LAG chunks per warp, behind.
 */
#ifndef CS_DENSE_SWEEP_CUH
#define CS_DENSE_SWEEP_CUH

#include "cuda/chunk_step.cuh"

template <class S> class DenseSweep
{
    Warp<S> warp;
    Strip<S> strip = {};
    bool there = false; /* the strip has rows in the tier */
    int tiers, tier_chunks;
    int64_t q;        /* the slot's block */
    bool mid_row;     /* its block row has blocks before it */
    int64_t u, u_end; /* warp 0's chunks of this launch, counted through all tiers */
    int64_t x_end;    /* after the last chunk of any warp */

  public:
    __device__
    DenseSweep(const CsKernelLaunch &p, uint4 *shared)
        : warp(p, shared, p.slot_from + (int)blockIdx.x, (int)blockIdx.x)
    {
    }

    __device__ void
    run()
    {
        const CsKernelLaunch &p = warp.p;
        if (!find_steps())
            return;
        const StripState<S> state(warp);
        state.load(warp, strip, true);
        const int64_t x = u - CS_LAG * warp.w;
        int tier = x > 0 ? (int)(x / tier_chunks) : 0;
        strip.xc = x > 0 ? (int)(x % tier_chunks) : 0;
        look_ahead(warp, strip.ahead, strip.xc, true);
        if (x > 0 && tier < tiers) {
            enter_tier(tier);
            if (strip.xc > 0 && there)
                resume_row(warp, strip);
        }
        __syncthreads();
        /* The steps of this launch in which the warp has a chunk. */
        const int steps = (int)(u_end - u), turn = (int)(x & 3);
        const int from = (int)max(-x, (int64_t)0), to = (int)min(x_end - x, (int64_t)steps);
        for (int step = 0; step < steps; step++) {
            if (step >= from && step < to)
                take_step(tier, turn + step & 3);
            meet_neighbours(warp.self, p.warps);
        }
        if (p.drain)
            return;
        close_pending(warp, 1);
        state.save(warp, strip);
    }

  private:
    /* The slot's block row in a tier. */
    __device__ int
    block_row(int tier) const
    {
        return tier * warp.p.slots + warp.slot;
    }

    /* The tiers in which the slot has rows. */
    __device__ int
    count_tiers() const
    {
        const CsKernelLaunch &p = warp.p;
        int tiers = p.tiers;
        while (tiers > 0 && p.starts[block_row(tiers - 1)] == p.ends[block_row(tiers - 1)])
            tiers--;
        return tiers;
    }

    /* Finds the slot's chunks in this launch; false: it has none. */
    __device__ bool
    find_steps()
    {
        const CsKernelLaunch &p = warp.p;
        q = p.diagonal - (int64_t)p.stagger * warp.slot;
        tiers = count_tiers();
        tier_chunks = p.block_columns * p.block_chunks;
        const int64_t blocks = (int64_t)tiers * p.block_columns;
        if (q < (p.drain ? 1 : 0) || q > blocks)
            return false;
        u = q * p.block_chunks + p.chunk_begin;
        u_end = q * p.block_chunks + p.chunk_end;
        x_end = blocks * p.block_chunks;
        mid_row = q % p.block_columns != 0;
        if (p.drain) {
            u = q * p.block_chunks;
            u_end = u + CS_LAG * (p.warps - 1) + 1;
            x_end = u + mid_row;
        } else if (q == blocks) {
            u_end = min(u_end, q * p.block_chunks + CS_LAG * (p.warps - 1));
        }
        return u < u_end;
    }

    __device__ StripRows
    rows_of(int tier) const
    {
        const CsKernelLaunch &p = warp.p;
        const int row = block_row(tier), end = p.ends[row];
        return strip_rows(warp, tier, row,
                          p.kept_end < 0 ? end != p.loose_end
                                         : end == p.kept_end || tier + 1 < count_tiers());
    }

    __device__ __forceinline__ void
    enter_tier(int tier)
    {
        strip.rows = rows_of(tier);
        there = strip.rows.start < strip.rows.end;
    }

    /* Computes a chunk of the stream. This warp may have no rows in it. */
    __device__ __forceinline__ void
    take_step(int &tier, int turn)
    {
        if (strip.xc == 0)
            enter_tier(tier);
        if (there)
            sweep_chunk(turn);
        if (++strip.xc == tier_chunks) {
            strip.xc = 0;
            tier++;
        }
    }

    __device__ __forceinline__ void
    sweep_chunk(int turn)
    {
        const CsKernelLaunch &p = warp.p;
        if (strip.xc == 0)
            begin_row(warp, strip);
        Chunk chunk = next_chunk(warp, strip, turn);
        const int known = max(1, strip.ahead.known);
        strip.base =
            strip.xc == 0 ? enter_row(warp, strip.l, chunk) : move_base(warp, strip.l, strip.base);
        take_in(warp, strip, chunk, turn, true);
        if (p.drain && mid_row)
            set_capture<S>(chunk, (int)(q % p.block_columns) * p.block_chunks * CS_CHUNK,
                           riser_of(warp));
        else
            set_capture<S>(chunk, p.n, p.right != NULL ? p.right + chunk.start : NULL);
        compute(warp, strip, chunk, known, p.drain);
        hand_down(warp, chunk, strip.xc == 0, strip.along);
        __syncwarp();
    }
};

template <class S, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) dense_kernel(const __grid_constant__ CsKernelLaunch p)
{
    DenseSweep<S>(p, dynamic_shared()).run();
}

#endif
