/*
 * Whether a chunk is skipped (skip_rule.h), and what a strip holds after a skipped chunk.
 *
 * It cannot hold zero, which may be too far below later values from above for 16 bits. It holds the
 * least that H, E and F can be, so no value that is computed from it exceeds the true one.
 * docs/proofs/skipping-gpu.md has the proof.
 */
#ifndef CS_CHUNK_SKIP_CUH
#define CS_CHUNK_SKIP_CUH

#include "cuda/borders.cuh"

/* The H that enter a chunk, absolute. */
struct Entering {
    int lowest, highest; /* of the strip's current values */
    int top, top_last;   /* from above: the highest, and the H of the last column */
};

/* H above the chunk; turn: its place in the ring. */
template <class S>
CS_DEVICE void
look_above(const Warp<S> &warp, const Ahead &ahead, int turn, Entering &entering)
{
    int h[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        h[r] = ahead.cells[r].h;
        if (warp.w > 0)
            h[r] = cell_above(warp, turn, r).h;
    }
    entering.top = warp_max(max(max(h[0], h[1]), max(h[2], h[3])));
    entering.top_last = __shfl_sync(~0u, h[EACH - 1], 31);
}

/* The same of the strip itself. */
template <class S>
CS_DEVICE void
look_left(const Strip<S> &strip, Entering &entering)
{
    typedef typename S::Cell Cell;
    const Lane<S> &l = strip.l;
    uint32_t lowest = l.h[0], highest = Cell::max3(l.up, l.low[0], l.low[1]);
#pragma unroll
    for (int k = 0; k < S::A; k++) {
        lowest = Cell::min2(lowest, l.h[k]);
        highest = Cell::max2(highest, l.h[k]);
    }
    const int last = S::H - 1;
    entering.lowest = strip.base + warp_min(min(Cell::part(lowest, 0), Cell::part(lowest, last)));
    entering.highest =
        strip.base + warp_max(max(Cell::part(highest, 0), Cell::part(highest, last)));
}

/* Whether the chunk's values, relative to the base, fit 16 bits. */
CS_DEVICE bool
fits_16(const Entering &entering, int base, int match)
{
    return max(entering.highest, entering.top) - base + match * (CS_CHUNK + 1) < 32000;
}

CS_DEVICE int64_t
gap_cost(const CsKernelLaunch &p, int bases)
{
    return p.first + (int64_t)p.extend * (bases - 1);
}

/* The least value of E (or of F below the row above) beside cells with this H, relative to the
 * base. No H of the row above is lower by more than gap_open + match + extend. */
template <class S>
CS_DEVICE uint32_t
least_e(const Warp<S> &warp, int h, int base)
{
    const int64_t e = h - gap_cost(warp.p, 1);
    return S::Cell::both(warp.relative((int)max((int64_t)CS_NONE_32, e), base));
}

template <class S>
CS_DEVICE uint32_t
least_f(const Warp<S> &warp, int h, int base)
{
    const CsKernelLaunch &p = warp.p;
    const int64_t f = h - gap_cost(p, 1) - p.open - p.match - p.extend;
    return S::Cell::both(warp.relative((int)max((int64_t)CS_NONE_32, f), base));
}

/* Gives every cell of the strip this H, and the least E and F beside it: not lower ones, because the
 * base may rise before F is read. Returns the base. */
template <class S>
CS_DEVICE int
level(const Warp<S> &warp, Lane<S> &l, int h)
{
    const int base = S::Cell::BITS == 16 ? max(0, h - warp.drop()) : 0;
    l.set(S::Cell::both(h - base), least_e(warp, h, base), least_f(warp, h, base));
    return base;
}

/*
 * A lower bound on H of all cells of the strip, now and in the chunk's columns: the highest H above
 * them, less a gap down the strip, less a way back to the left, on which H changes by at most
 * gap_open + (match + extend) * c over c columns. A gap to the right costs less.
 */
template <class S>
CS_DEVICE int
reach(const CsKernelLaunch &p, const Entering &entering)
{
    const int64_t back = p.open + ((int64_t)p.match + p.extend) * (CS_CHUNK + S::SKEW + 2);
    return (int)max((int64_t)0, entering.top - gap_cost(p, S::STRIP) - back);
}

/* Raises the strip to reach() before a chunk is computed, because values after skipped chunks may
 * be too far below what comes from above for 16 bits. Returns the base. */
template <class S>
CS_DEVICE int
raise(const Warp<S> &warp, Lane<S> &l, int base, Entering &entering)
{
    typedef typename S::Cell Cell;
    const int least = reach<S>(warp.p, entering);
    entering.lowest = least;
    if (least >= entering.highest) {
        entering.highest = least;
        return level(warp, l, least);
    }
    const uint32_t h = Cell::both(least - base), e = least_e(warp, least, base);
#pragma unroll
    for (int k = 0; k < S::A; k++) {
        l.h[k] = Cell::max2(l.h[k], h);
        l.e[k] = Cell::max2(l.e[k], e);
    }
    l.up = Cell::max2(l.up, h);
    for (int g = 0; g < 2; g++) {
        l.low[g] = Cell::max2(l.low[g], h);
        l.bottom[g] = Cell::max2(l.bottom[g], least_f(warp, least, base));
    }
    return base;
}

/* By how much the highest H misses being below what the rule skips; less than 0: it is below. */
CS_DEVICE int64_t
excess(int highest, int bound, int open, int known)
{
    return bound < known ? highest - ((int64_t)known - bound - open) : INT64_MAX;
}

/* The chunk's bound by the table of both sides: the highest of the entries that it touches. A boundary
 * belongs to the entries on both of its sides. */
template <class S>
CS_DEVICE int
bound_of_both(const CsKernelLaunch &p, const StripRows &rows, int xc)
{
    const CsKernelTable &both = p.both;
    const int top = both.above + rows.start, left = both.left_of + xc * CS_CHUNK;
    const int height = min((int)S::STRIP, rows.end - rows.start);
    const int row_last = min((top + height - 1) / both.layer, both.rows - 1);
    const int column_last = min((left + CS_CHUNK - 1) / both.part, both.columns - 1);
    int highest = 0;
    for (int r = top / both.layer; r <= row_last; r++)
        for (int c = max(left - S::SKEW - 2, 0) / both.part; c <= column_last; c++)
            highest = max(highest, both.highest[r * both.columns + c]);
    return highest;
}

/* The lowest of the chunk's bounds: of its block row, of its block column and that of the chunk before,
 * of which the lower lanes still have columns, and of the table of both sides. */
template <class S>
CS_DEVICE int
least_bound(const CsKernelLaunch &p, const StripRows &rows, int xc)
{
    const int columns =
        max(p.column_bounds[xc / p.block_chunks], p.column_bounds[max(xc - 1, 0) / p.block_chunks]);
    const int bound = min(p.row_bounds[rows.row], columns);
    return p.both.highest == NULL ? bound : min(bound, bound_of_both<S>(p, rows, xc));
}

/* The chunk's bound by the table of gains, found by all lanes together. Down to a line an alignment
 * gains at most a match for each row. */
template <class S>
CS_DEVICE int
bound_of_gains(const Warp<S> &warp, const StripRows &rows, int xc)
{
    const CsKernelGains &gains = warp.p.gains;
    const int left = gains.left_of + xc * CS_CHUNK;
    const int64_t column_from = max(left - S::SKEW - 2, 0);
    const int64_t column_to = min(left + CS_CHUNK, gains.n);
    const int last = gains.above + min(rows.start + (int)S::STRIP, rows.end);
    int highest = 0;
    for (int top = gains.above + rows.start; top <= last;) {
        const int k = (top + gains.band - 1) / gains.band;
        const int row = (int)min((int64_t)k * gains.band, (int64_t)gains.m);
        const int bottom = min(row, last);
        const CsKernelGainLine line = gains.lines[k];
        const int from = (int)((column_from - bottom + gains.m) / gains.block);
        const int to = (int)((column_to - top + gains.m) / gains.block);
        int below = from < line.counted_from || to >= line.counted_to ? line.beyond : 0;
        if (from < line.from)
            below = max(below, line.left);
        if (to >= line.to)
            below = max(below, line.right);
        for (int b = max(from, line.from) + warp.lane; b < min(to + 1, line.to); b += 32)
            below = max(below, gains.entries[line.first + b - line.from]);
        const int64_t gained = (int64_t)warp.p.match * (row - top) + below;
        highest = (int)max((int64_t)highest, min(gained, (int64_t)INT32_MAX));
        top = bottom + 1;
    }
    return warp_max(highest);
}

/*
 * The first chunk, from this one on, that is worth a test; the chunk itself if the rule allows it to be
 * skipped. Its cells lie in this chunk's columns and, since lanes are apart, in as many columns before
 * them. A chunk that is not tested is computed, so this number affects the time alone: over the columns of a
 * chunk neither H nor a bound falls by much more than a match and a gap.
 */
template <class S>
CS_DEVICE int
next_test(const Warp<S> &warp, const StripRows &rows, int xc, const Entering &entering, int known)
{
    const CsKernelLaunch &p = warp.p;
    const int highest = max(entering.highest, entering.top);
    int64_t left = excess(highest, least_bound<S>(p, rows, xc), p.open, known);
    if (left >= 0 && p.gains.lines != NULL)
        left = min(left, excess(highest, bound_of_gains(warp, rows, xc), p.open, known));
    if (left < 0)
        return xc;
    const int64_t chunks = left / (2 * CS_CHUNK * ((int64_t)p.match + p.extend));
    return xc + 1 + (int)min(chunks, (int64_t)p.block_chunks);
}

/* Leaves a skipped chunk: every cell gets the strip's lowest H less a gap to the right, or reach()
 * if that is higher. No cell's true H is below. Returns the base. */
template <class S>
CS_DEVICE int
skip_chunk(const Warp<S> &warp, Lane<S> &l, const Chunk &chunk, Entering &entering)
{
    typedef typename S::Cell Cell;
    const int64_t from_left = max((int64_t)0, entering.lowest - gap_cost(warp.p, CS_CHUNK));
    const int h = (int)max(from_left, (int64_t)reach<S>(warp.p, entering));
    const int base = level(warp, l, h);
    entering.lowest = entering.highest = h;
    if (warp.lane == 0) /* H above it at the last column */
        l.up = Cell::with_part(l.up, 0, warp.relative(entering.top_last, base));
    Bottom *line = &warp.mine().ring[chunk.line + warp.lane * EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++)
        store_bottom(line + r, Cell::both(h - base),
                     Cell::both(Cell::BITS == 16 ? CS_NONE_16 : CS_NONE_32));
    return base;
}

#endif
