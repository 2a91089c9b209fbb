/*
 * A sweep that skips chunks: an item's block, or the rest of the delegated triangle.
 *
 * Launch: a CUDA block for each item of the launch's list, with p.warps warps. A ticket gives out
 * items in the order of the list, in whatever order CUDA blocks start.
 * Shared memory: a WarpMemory for each warp, then a table of scores for each; warp 0's has the
 * item. Synchronisation: warps of a block meet their neighbours after each step. A block waits for
 * the end of the block before it in its row and, chunk by chunk, for the row above. Only blocks
 * before it in the list report that, so some block can always go on. Bus: warp 0 reads the item's
 * chunks. Only those from top_from to top_until hold the row above; elsewhere zero enters. If
 * somebody needs the block row's last row, the warp that has it overwrites them, at most SKEW
 * columns, and CS_LAG chunks per warp, behind.
 */
#ifndef CS_SKIPPING_SWEEP_CUH
#define CS_SKIPPING_SWEEP_CUH

#include "cuda/chunk_skip.cuh"
#include "cuda/chunk_step.cuh"

template <class S> class SkippingSweep
{
    Warp<S> warp;
    Strip<S> strip = {};
    int progress_above = 0; /* as last seen by lane 0 of warp 0 */
    int test_at = 0;        /* the chunk before which none is tested */

  public:
    __device__
    SkippingSweep(const CsKernelLaunch &p, uint4 *shared, int slot)
        : warp(p, shared, slot, slot)
    {
    }

    __device__ void
    run()
    {
        const CsKernelLaunch &p = warp.p;
        const CsKernelItem &item = warp.memory[0].item;
        const int chunks = p.block_columns * p.block_chunks;
        const int begin = row_begin(), u = item.block * p.block_chunks;
        const bool end = item.block == p.block_columns, mid_row = item.block > item.start;
        const bool riser = item.drain && !end;
        const int around = CS_LAG * (p.warps - 1); /* chunks by which the last warp is behind */
        const int steps = end || riser ? around + riser : p.block_chunks;
        if (threadIdx.x == 0 && !item.drain)
            wait_for_rows(mid_row, u);
        if (warp.self == 0 && !item.drain && !end)
            wait_for_chunk_above(u);
        __syncthreads();

        const StripState<S> state(warp);
        state.load(warp, strip, mid_row);
        const int x = u - CS_LAG * warp.w;
        strip.xc = max(x, begin);
        strip.rows = strip_rows(warp, item.row, item.row, p.ends[item.row] != p.loose_end);
        const bool there = strip.rows.start < strip.rows.end;
        look_ahead(warp, strip.ahead, min(strip.xc, chunks - 1), true);
        if (there && x > begin)
            resume_row(warp, strip);
        __syncthreads();
        const int from = max(begin - x, 0), turn = x & 3;
        const int to = min((riser ? u + 1 : chunks) - x, steps);
        int computed = 0;
        for (int step = 0; step < steps; step++) {
            const bool last = step + 1 == steps;
            if (warp.self == 0 && !item.drain && !end && !last)
                wait_for_chunk_above(u + step + 1); /* which is fetched ahead */
            if (step >= from && step < to && there) {
                computed += sweep_chunk(turn + step & 3);
                strip.xc++;
            }
            if (warp.self == p.warps - 1 && !item.drain && !last)
                tell(&p.progress[item.row], u + step + 1, warp.lane);
            meet_neighbours(warp.self, p.warps);
        }
        if (item.drain)
            return;
        close_pending(warp, 1);
        state.save(warp, strip);
        tell_end(computed);
    }

  private:
    /* The chunk at which the item's row begins. */
    __device__ int
    row_begin() const
    {
        return warp.memory[0].item.start * warp.p.block_chunks;
    }

    /* One thread waits until the row has reached the block's first chunk, and item.wait_row its own
     * mark. */
    __device__ void
    wait_for_rows(bool mid_row, int first) const
    {
        const CsKernelItem &item = warp.memory[0].item;
        if (mid_row)
            wait_for(&warp.p.progress[item.row], first);
        if (item.wait > 0)
            wait_for(&warp.p.progress[item.wait_row], item.wait);
    }

    /* Warp 0 waits until the bus has the row above in this chunk, if it will ever have it. */
    __device__ void
    wait_for_chunk_above(int chunk)
    {
        const CsKernelLaunch &p = warp.p;
        const CsKernelItem &item = warp.memory[0].item;
        const int enough = CS_PROGRESS_OF_CHUNK(chunk, p.warps);
        if (warp.lane == 0 && item.row > 0 && chunk >= item.top_from && chunk < item.top_until &&
            progress_above < enough)
            progress_above = wait_for(&p.progress[item.row - 1], enough);
        __syncwarp();
    }

    /* Reports the row's progress and, to the host, how many chunks were computed. */
    __device__ void
    tell_end(int computed)
    {
        const CsKernelLaunch &p = warp.p;
        const CsKernelItem &item = warp.memory[0].item;
        if (warp.lane == 0)
            warp.mine().computed = computed;
        __syncthreads();
        const bool all = item.block + (p.warps == 1) >= p.block_columns;
        if (warp.self == 0)
            tell(&p.progress[item.row], all ? CS_PROGRESS_ALL : (item.block + 1) * p.block_chunks,
                 warp.lane);
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int k = 0; k < p.warps; k++)
                sum += warp.memory[k].computed;
            p.computed[warp.memory[0].ticket] = sum;
        }
    }

    /* Only some chunks of the bus hold the row above; elsewhere zero enters. */
    __device__ void
    forget_foreign()
    {
        const CsKernelItem &item = warp.memory[0].item;
        if (warp.w > 0 || (strip.xc >= item.top_from && strip.xc < item.top_until))
            return;
#pragma unroll
        for (int r = 0; r < EACH; r++)
            strip.ahead.cells[r] = {0, CS_NONE_32};
    }

    /* Begins the row here: everything to its left is skipped. */
    __device__ void
    enter_row_at(int begin, const Chunk &chunk)
    {
        if (begin > 0) {
            strip.base = level(warp, strip.l, 0);
            strip.plain = refill(warp, strip.xc, strip.base, strip.odd);
        } else {
            strip.base = enter_row(warp, strip.l, chunk);
        }
    }

    /* The base for a chunk that is computed. */
    __device__ void
    move_up(Entering &entering, int known)
    {
        if (S::Cell::BITS != 16)
            return;
        if (reach<S>(warp.p, entering) > entering.lowest) {
            close_pending(warp, known); /* which is computed again without this */
            strip.base = raise(warp, strip.l, strip.base, entering);
        }
        strip.base = move_base_to(strip.l, strip.base, max(0, entering.lowest - warp.drop()));
    }

    /* Returns whether the chunk was computed. */
    __device__ __forceinline__ bool
    sweep_chunk(int turn)
    {
        const CsKernelLaunch &p = warp.p;
        const CsKernelItem &item = warp.memory[0].item;
        const bool drains = item.drain;
        const int begin = row_begin(), end = item.block * p.block_chunks;
        if (strip.xc == begin)
            begin_row(warp, strip);
        Chunk chunk = next_chunk(warp, strip, turn);
        const int known = max(1, strip.ahead.known);
        if (drains && item.block < p.block_columns)
            set_capture<S>(chunk, end * CS_CHUNK, riser_of(warp));
        else
            set_capture<S>(chunk, p.n, p.right != NULL ? p.right + chunk.start : NULL);
        forget_foreign();
        /* In the last chunk that drains, only cells left of its columns count: nothing enters. */
        const bool last = drains && strip.xc == end;
        Entering entering = {};
        if (!last)
            look_above(warp, strip.ahead, turn, entering);
        if (strip.xc == begin)
            enter_row_at(begin, chunk);
        look_left(strip, entering);
        if (strip.xc >= test_at)
            test_at = next_test(warp, strip.rows, strip.xc, entering, known);
        const bool skipped = chunk.capture == NULL && test_at == strip.xc;
        if (skipped)
            strip.base = skip_chunk(warp, strip.l, chunk, entering);
        else
            move_up(entering, known);
        if (S::Cell::BITS == 16 && !fits_16(entering, strip.base, p.match) && warp.lane == 0)
            *p.trouble = 1;
        take_in(warp, strip, chunk, turn, !skipped && !last);
        if (skipped) {
            close_pending(warp, known);
            strip.along = CS_NONE_32;
        } else {
            compute(warp, strip, chunk, known, drains);
        }
        hand_down(warp, chunk, strip.xc == row_begin(), strip.along);
        __syncwarp();
        return !skipped;
    }
};

template <class S, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) skipping_kernel(const __grid_constant__ CsKernelLaunch p)
{
    uint4 *shared = dynamic_shared();
    WarpMemory *memory = (WarpMemory *)shared;
    if (threadIdx.x == 0) {
        memory[0].ticket = atomicAdd(p.ticket, 1) - p.tickets_before;
        memory[0].item = p.items[memory[0].ticket];
    }
    __syncthreads();
    SkippingSweep<S>(p, shared, memory[0].item.slot).run();
}

#endif
