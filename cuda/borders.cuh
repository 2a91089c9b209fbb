/*
 * What enters and leaves a strip: the left border, the captured column, and the bottom row with the
 * gap value that the loops leave out.
 *
 * Lane 0 reads H and F of the row above from the bus. The bottom of lane 31 goes to the ring that
 * the warp below reads, and at the end of the block row to the bus. Lanes are two columns apart, so
 * both are up to SKEW columns behind the chunk that they leave with. A gap value leaves clamped at
 * zero, like H, because a lower one makes no difference.
 */
#ifndef CS_BORDERS_CUH
#define CS_BORDERS_CUH

#include "cuda/columns.cuh"

/* H of the left border at row i; row 0 is the corner. Below the block row, any value in range. */
CS_DEVICE int
left_h(const CsKernelLaunch &p, int i, const Chunk &chunk)
{
    if (p.corners != NULL && i == p.starts[chunk.row])
        return p.corners[chunk.row];
    return i == 0 ? p.corner : i <= chunk.end ? chunk.left[i - 1].h : chunk.base;
}

/* H and E of the left border for the half that enters column 1 in this step. */
template <class S>
CS_DEVICE void
enter_left(const Warp<S> &warp, Lane<S> &l, int half, const Chunk &chunk)
{
    typedef typename S::Cell Cell;
    const CsKernelLaunch &p = warp.p;
    int i0 = chunk.start + (warp.lane + 32 * half) * S::A; /* rows above the half */
    l.up = Cell::with_part(l.up, half, warp.relative(left_h(p, i0, chunk), chunk.base));
#pragma unroll
    for (int k = 0; k < S::A; k++) {
        int i = i0 + k + 1;
        int h = left_h(p, i, chunk);
        int e = i <= chunk.end ? max(chunk.left[i - 1].gap - p.extend, h - p.first) : CS_NONE_32;
        l.h[k] = Cell::with_part(l.h[k], half, warp.relative(h, chunk.base));
        l.e[k] = Cell::with_part(l.e[k], half, warp.relative(e, chunk.base));
    }
}

/* Sets the state at the beginning of a block row, left of column 1. Returns the base. */
template <class S>
CS_DEVICE int
enter_row(const Warp<S> &warp, Lane<S> &l, const Chunk &chunk)
{
    typedef typename S::Cell Cell;
    const uint32_t none = Cell::both(Cell::BITS == 16 ? CS_NONE_16 : CS_NONE_32);
    l.set(0, none, none);
    clear_columns(warp, 0, chunk.odd);
    if (chunk.left == NULL || Cell::BITS == 32)
        return 0;
    int lowest = left_h(warp.p, chunk.start, chunk);
    for (int r = warp.lane; r < S::STRIP && chunk.start + r < chunk.end; r += 32)
        lowest = min(lowest, chunk.left[chunk.start + r].h);
    return max(0, warp_min(lowest) - warp.drop());
}

CS_DEVICE void
store_bottom(Bottom *to, uint32_t h, uint32_t f)
{
    to->h = h;
    to->f = f;
}

/* A half of the word, moved to the upper half. */
CS_DEVICE uint32_t
upper(uint32_t word, int half)
{
    return half ? word : word << 16;
}

/* The bottom row of a strip that ends in any lane and word. */
template <class S>
CS_DEVICE void
leave_bottom(const Warp<S> &warp, Bottom *to, uint32_t h, uint32_t f, const Chunk &chunk)
{
    if (warp.lane != chunk.bottom_lane)
        return;
    if (S::H == 2)
        store_bottom(to, upper(h, chunk.bottom_half), upper(f, chunk.bottom_half));
    else
        store_bottom(to, h, f);
}

/* The column, from 1, that a half of the lane is at in step t of the chunk. */
CS_DEVICE int
column_of(int t, int lane, int half, const Chunk &chunk)
{
    return chunk.first_column + t - 2 * (lane + 32 * half) + 1;
}

/* The column, from 1, at which the right border leaves, or the riser when a row drains. */
template <class S>
CS_DEVICE void
set_capture(Chunk &chunk, int column, CsKernelCell *cells)
{
    chunk.capture_column = column;
    chunk.capture = cells;
    if (column <= chunk.first_column - S::SKEW || column > chunk.first_column + CS_CHUNK)
        chunk.capture = NULL;
}

/* Where the riser of a strip is kept. */
template <class S>
CS_DEVICE CsKernelCell *
riser_of(const Warp<S> &warp)
{
    const CsKernelLaunch &p = warp.p;
    return p.risers + (int64_t)warp.slot * p.warps * S::STRIP + warp.w * S::STRIP;
}

/* Whether row r of the strip hands out its border. */
template <class S>
CS_DEVICE bool
captured(const Warp<S> &warp, int r, const Chunk &chunk)
{
    int i = chunk.start + r;
    return i < chunk.end && (warp.p.owned == NULL || i >= warp.p.owned[warp.slot]);
}

/* Before the step in which a half passes the captured column: captures E. */
template <class S>
CS_DEVICE void
capture_e(const Warp<S> &warp, const Lane<S> &l, int t, const Chunk &chunk)
{
    for (int half = 0; half < S::H; half++)
        if (column_of(t, warp.lane, half, chunk) == chunk.capture_column)
#pragma unroll
            for (int k = 0; k < S::A; k++) {
                int r = (warp.lane + 32 * half) * S::A + k;
                if (captured(warp, r, chunk))
                    chunk.capture[r].gap = max(S::Cell::part(l.e[k], half) + chunk.base, 0);
            }
}

/* After that step: captures H. */
template <class S>
CS_DEVICE void
capture_h(const Warp<S> &warp, const Lane<S> &l, int t, const Chunk &chunk)
{
    for (int half = 0; half < S::H; half++)
        if (column_of(t, warp.lane, half, chunk) == chunk.capture_column)
#pragma unroll
            for (int k = 0; k < S::A; k++) {
                int r = (warp.lane + 32 * half) * S::A + k;
                if (captured(warp, r, chunk))
                    chunk.capture[r].h = S::Cell::part(l.h[k], half) + chunk.base;
            }
}

/*
 * Completes F of EACH neighbouring bottom cells per lane. The loops open F from M only, so gaps
 * opened from E are missing. A gap down after a gap to the right costs the same in the other order,
 * so what is missing is a gap to the right that is opened from F here. `along` is that gap at lane
 * 0's first column; on return, at the first column of the next chunk. Values not above 0 make no
 * difference, because H is clamped there (docs/proofs/gpu-gaps.md).
 */
template <class S>
CS_DEVICE void
mend(const Warp<S> &warp, int (&f)[EACH], int64_t &along)
{
    const CsKernelLaunch &p = warp.p;
    const int lane = warp.lane;
    int highest = max(max(f[0], f[1]), max(f[2], f[3]));
    if (along <= 0 && __all_sync(~0u, highest <= p.first)) {
        along = CS_NONE_32;
        return;
    }
    const int64_t extend = p.extend, at = extend * lane * EACH; /* costs may be large */
    int64_t made[EACH], all = INT64_MIN;
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        made[r] = f[r] - p.first + at + extend * (r + 1);
        all = max(all, made[r]);
    }
    for (int d = 1; d < 32; d *= 2) {
        int64_t other = __shfl_up_sync(~0u, all, d);
        if (lane >= d)
            all = max(all, other);
    }
    int64_t left = __shfl_up_sync(~0u, all, 1);
    left = lane > 0 ? max(left, along) : along;
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        f[r] = (int)max((int64_t)f[r], left - at - extend * r);
        left = max(left, made[r]);
    }
    along = max(__shfl_sync(~0u, all, 31), along) - extend * CS_CHUNK;
    along = max(along, (int64_t)CS_NONE_32);
}

/* Writes EACH cells of a special row, from column c (counted from 0) on, to the host's pieces. */
template <class S>
CS_DEVICE void
hand_piece(const Warp<S> &warp, const Chunk &chunk, int c, const int (&h)[EACH],
           const int (&f)[EACH])
{
    const CsKernelLaunch &p = warp.p;
    const int width = p.block_chunks * CS_CHUNK;
    for (int r = 0; r < EACH; r++) {
        int at = c + r, bj = at / width;
        if (at < 0 || at >= chunk.capture_column)
            continue;
        int64_t d = (int64_t)chunk.tier * p.block_columns + bj + (int64_t)p.stagger * warp.slot;
        p.pieces[((d % p.queue) * p.special_places + chunk.piece) * width + at % width] = {
            h[r], max(f[r], 0)};
    }
}

/* Writes a strip's bottom row to the bus if the block row ends there and somebody needs it.
 * Otherwise the warp below reads it in the ring. begins: the block row begins with this chunk. */
template <class S>
CS_DEVICE void
hand_down(const Warp<S> &warp, const Chunk &chunk, bool begins, int64_t &along)
{
    if (chunk.end > chunk.start + S::STRIP || !chunk.kept)
        return;
    const CsKernelLaunch &p = warp.p;
    const Bottom *ring = &warp.mine().ring[chunk.line + warp.lane * EACH];
    const int skew = 2 * (chunk.bottom_lane + 32 * chunk.bottom_half);
    const int c = chunk.first_column - skew + warp.lane * EACH, until = chunk.capture_column;
    int h[EACH], f[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        CsKernelCell cell = cell_of<S>(ring[r], chunk.base);
        h[r] = cell.h;
        f[r] = c + r >= 0 ? cell.gap : CS_NONE_32;
    }
    if (begins)
        along = (p.enter_f != NULL ? p.enter_f[chunk.row] : CS_NONE_32) + (int64_t)p.extend * skew;
    mend(warp, f, along);
    CsKernelCell *bus = p.bus + warp.slot * p.bus_stride + c;
    if (c >= 0 && c + EACH <= until) {
        ((int4 *)bus)[0] = make_int4(h[0], max(f[0], 0), h[1], max(f[1], 0));
        ((int4 *)bus)[1] = make_int4(h[2], max(f[2], 0), h[3], max(f[3], 0));
    } else {
        for (int r = 0; r < EACH; r++)
            if (c + r >= 0 && c + r < until)
                bus[r] = {h[r], max(f[r], 0)};
    }
    if (chunk.piece >= 0)
        hand_piece(warp, chunk, c, h, f);
}

#endif
