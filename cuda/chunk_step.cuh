/*
 * The parts of a warp's step, in the order in which both sweeps take them: fetch a chunk ahead,
 * begin its row or move its base, enter it, compute it, hand it down.
 *
 * Warps of a block meet after each step (meet_neighbours()). During a step a warp writes its own
 * entries, ring and bases, and reads the ring and the bases of the warp above.
 */
#ifndef CS_CHUNK_STEP_CUH
#define CS_CHUNK_STEP_CUH

#include "cuda/chunk_loop.cuh"

/* The strip's next chunk; turn: its place in the ring. */
template <class S>
CS_DEVICE Chunk
next_chunk(const Warp<S> &warp, Strip<S> &strip, int turn)
{
    if (strip.ahead.chunk != strip.xc) /* the warp had no rows in the tier before */
        look_ahead(warp, strip.ahead, strip.xc, true);
    Chunk chunk = {strip.rows};
    chunk.turn = strip.xc & 1;
    chunk.odd = strip.odd;
    chunk.first_column = strip.xc * CS_CHUNK;
    chunk.left = warp.p.left;
    chunk.line = turn * CS_CHUNK;
    return chunk;
}

/* Loads the bases of the strip's rows when its block row begins. */
template <class S>
CS_DEVICE void
begin_row(const Warp<S> &warp, Strip<S> &strip)
{
    strip.odd = load_rows(warp, strip.rows, strip.selectors);
    make_table(warp, strip.selectors);
    strip.plain = 0;
}

/* The same for a block row that was begun in an earlier launch. */
template <class S>
CS_DEVICE void
resume_row(const Warp<S> &warp, Strip<S> &strip)
{
    strip.odd = load_rows(warp, strip.rows, strip.selectors);
    make_table(warp, strip.selectors);
    strip.plain = refill(warp, strip.xc, strip.base, strip.odd);
}

/* Prepares the chunk's entries and its base, and fetches the next chunk ahead. */
template <class S>
CS_DEVICE void
take_in(const Warp<S> &warp, Strip<S> &strip, Chunk &chunk, int turn, bool with_bus)
{
    chunk.base = strip.base;
    if (warp.lane == 0)
        warp.mine().bases[turn] = strip.base;
    strip.plain = fill(warp, strip.ahead, strip.xc, turn, strip.base, strip.odd, with_bus)
                      ? strip.plain + 1
                      : 0;
    const int next = strip.xc + 1;
    look_ahead(warp, strip.ahead, next == warp.p.block_columns * warp.p.block_chunks ? 0 : next,
               true);
    __syncwarp();
}

/* Marks the squares of the chunk's cells. */
template <class S>
CS_DEVICE void
mark(const Warp<S> &warp, const Chunk &chunk)
{
    const CsKernelLaunch &p = warp.p;
    const int end = min(chunk.end, chunk.start + (int)S::STRIP), unit = p.mark_unit;
    const int from = max(chunk.first_column - (int)S::SKEW, 0);
    const int until = min(chunk.first_column + (int)CS_CHUNK, p.n);
    if (from >= until)
        return;
    for (int64_t i = (p.mark_above + chunk.start) / unit; i <= (p.mark_above + end - 1) / unit; i++)
        for (int j = (p.mark_left_of + from) / unit + warp.lane;
             j <= (p.mark_left_of + until - 1) / unit; j += 32)
            p.marks[i * p.mark_columns + j] = 1;
}

/* Computes a chunk with the slow loop: with borders, or looking at every cell. */
template <class S>
CS_DEVICE void
compute_slow(const Warp<S> &warp, Strip<S> &strip, Chunk &chunk, int known)
{
    uint32_t all[S::A];
    load_rows(warp, strip.rows, all);
    const CsKernelLaunch &p = warp.p;
    chunk.threshold = p.marks != NULL ? min(known, p.mark_least) : known;
    steps<S, true, false, true>(warp, strip.l, all, chunk);
    if (p.marks != NULL && __any_sync(~0u, chunk.best.score >= p.mark_least))
        mark(warp, chunk);
    if (__any_sync(~0u, chunk.best.score > 0))
        merge_best(warp, chunk.best);
}

/* Computes a chunk with the fast loop. Returns the highest score that it looked at. */
template <class S>
CS_DEVICE int
compute_fast(const Warp<S> &warp, Strip<S> &strip, Chunk &chunk)
{
    typedef typename S::Cell Cell;
    const bool tabled =
        S::TABLE > 0 && strip.plain >= 2; /* the table's columns are A, C, G and T */
    uint32_t best;
    if (S::TABLE > 0 ? !tabled : strip.odd) {
        uint32_t all[S::A];
        load_rows(warp, strip.rows, all);
        best = steps<S, false, false, true>(warp, strip.l, all, chunk);
    } else if (S::TABLE > 0 && strip.odd) {
        best = steps<S, false, (S::TABLE > 0), true>(warp, strip.l, strip.selectors, chunk);
    } else {
        best = steps<S, false, (S::TABLE > 0), false>(warp, strip.l, strip.selectors, chunk);
    }
    int tracked = max(Cell::part(best, 0), Cell::part(best, S::H - 1)) + strip.base;
    return warp_max(tracked);
}

/* Computes the chunk. */
template <class S>
CS_DEVICE void
compute(const Warp<S> &warp, Strip<S> &strip, Chunk &chunk, int known, bool drains)
{
    const CsKernelLaunch &p = warp.p;
    chunk.enter = p.left != NULL && strip.xc * CS_CHUNK <= S::SKEW;
    const bool cut = chunk.kept && chunk.end < chunk.start + S::STRIP;
    const bool slow = p.full || drains || cut || chunk.enter || chunk.capture != NULL;
    if (slow)
        close_pending(warp, known);
    if (slow || !keep_pending(warp, strip, known)) {
        compute_slow(warp, strip, chunk, known);
    } else {
        int tracked = compute_fast(warp, strip, chunk);
        note_tracked(warp, tracked, known);
        if (p.marks != NULL && tracked + slack<S>(p) >= p.mark_least)
            mark(warp, chunk);
        const WarpMemory &mine = warp.mine();
        if (tracked + slack<S>(p) >= known || mine.chunks >= mine.limit ||
            strip.xc + 1 == p.block_columns * p.block_chunks)
            close_pending(warp, known);
    }
    __syncwarp();
}

#endif
