/*
 * The sweep of one slot: see sweep_kernel.h for the launch, recurrence.cuh for the cell.
 *
 * A strip of a warp: lane l holds HALVES * A rows, one word for each k in 0 .. A - 1. With two
 * halves the low one is the upper A rows and the high one the lower A rows. The loop takes two
 * columns at once, and each half is two columns behind the one above it:
 *
 *     columns t, t + 1 (t even)   lane 0: low  rows 0 ..  A-1  t, t + 1
 *                                         high rows A .. 2A-1  t - 2, t - 1
 *                                 lane 1: low                  t - 4, t - 3
 *                                         high                 t - 6, t - 5
 *
 * so what a half needs of the one above was made a round before, and a round is a (double) internal
 * diagonal with delegation at both ends. Within it the second column follows a row behind the
 * first: two chains of F, which one warp needs to keep its pipes busy.
 *
 * One shuffle a column hands the bottom cell of a lane to the lane below (two in 32 bits). Lane 0
 * gets its own from the bus, lane 31's goes to the ring that the warp below reads, and from the
 * last warp to the bus.
 *
 * In 16 bits a strip's values are relative to its base, a non-negative number that moves before
 * each chunk: base' = max(0, base + min(H of all lanes) - (first - extend) - extend * CS_CHUNK). No
 * H of the chunk's columns is below base', since H falls along a row by at most one gap's cost; so
 * clamping at the stored zero is clamping at zero where base' is 0 and never happens elsewhere. The
 * host proves that nothing is above 32767 (cs_cuda_plan_fits_16()).
 *
 * The fast loop tracks every TRACK-th row only: any other cell is at most the slack above one of
 * these. A chunk that may hold the best cell by that bound stays pending, as the state at its
 * beginning, and is settled by another kernel. It comes in two variants: with scores from a table
 * (TABLED), where rows and columns are A, C, G and T, and for any letters and for strips that end
 * early (ROWS). The slow loop (FULL) takes borders in, gives them out and tracks exactly.
 */
#ifndef CS_SWEEP_KERNEL_CUH
#define CS_SWEEP_KERNEL_CUH

#include "recurrence.cuh"
#include "sweep_kernel.h"

/* What a step reads of the column that lane 0 enters; 16 bytes so that one load fetches it. */
struct Column {
    /* Pair: score bytes of this column and of that two before, a table offset, H and F of the bus
     * as 16 bits each. Single: score bytes, code, H, F. */
    uint32_t x, y, z, w;
};

/* Which step of a round of the loop. */
template <int NUMBER> struct Which {
    enum {
        N = NUMBER
    };
};

template <class Cell> struct BottomOf;
template <> struct BottomOf<Pair> {
    typedef uint32_t type;
}; /* low H, high F */
template <> struct BottomOf<Single> {
    typedef int2 type;
};

template <class Cell> struct WarpMemory {
    Column columns[CS_PAD + CS_CHUNK + 8];
    typename BottomOf<Cell>::type ring[CS_RING];
    int32_t bases[4];           /* of the last four chunks, by their place in the stream */
    int32_t bounds[CS_PENDING]; /* -1: free */
};

template <class Cell, int A> struct Lane {
    uint32_t g[A];      /* G = H - first: what a gap is opened from */
    uint32_t e[A];      /* E of the next column */
    uint32_t up;        /* G above the first row of each half, one column back */
    uint32_t low[2];    /* of both columns of the step before: G of the last row of each half, */
    uint32_t bottom[2]; /* F of it, */
    uint32_t out[2];    /* what goes to the lane below: Pair {G, F} of the high half; Single G */
};

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

/* Everything of a launch that is the same for all steps of a warp. */
template <class Cell, int A, int TABLE, int TRACK> struct Sweep {
    enum {
        H = Cell::HALVES,
        STRIP = 32 * H * A,
        SKEW = 2 * (32 * H - 1), /* columns from lane 0's to the bottom row's */
        COMBINATIONS = 16,
        BEHIND = CS_PAD, /* columns before a chunk that its lanes still read */
        BEFORE = BEHIND / CS_CHUNK,
        PITCH = (BEHIND + CS_CHUNK + 8) / (2 * H), /* of the columns' entries */
    };
    typedef typename BottomOf<Cell>::type Bottom;

    const CsKernelLaunch &p;
    WarpMemory<Cell> *memory; /* of all warps of the block */
    uint4 *table;             /* of this warp */
    int slot, w;              /* whose strip */
    const int self, lane;     /* the warp in its block, the lane in the warp */
    uint32_t first, extend;   /* negative, in every half */
    uint32_t mismatches;      /* four score bytes */

    __device__
    Sweep(const CsKernelLaunch &p, WarpMemory<Cell> *memory, uint4 *tables, int slot)
        : p(p), memory(memory), slot(slot), w(threadIdx.x >> 5), self(threadIdx.x >> 5),
          lane(threadIdx.x & 31)
    {
        table = tables + (size_t)self * COMBINATIONS * (TABLE / 4) * 32;
        first = Cell::both(-p.first);
        extend = Cell::both(-p.extend);
        mismatches = (uint32_t)(uint8_t)(p.first - p.mismatch) * 0x01010101u;
        asm volatile("" : "+r"(first), "+r"(extend)); /* registers, not constants loaded again */
        if (lane < 2) /* the last step of a chunk looks one step ahead */
            memory[self].columns[place(CS_CHUNK + lane)] = {};
    }

    __device__ int
    row_code(int i) const
    {
        return tex1Dfetch<unsigned>(p.rows, i / CS_CODES) >> i % CS_CODES * 4 & 15;
    }

    /* Code of column c from 0; those outside match nothing. */
    __device__ int
    column_code(int64_t c) const
    {
        if (c < 0 || c >= p.n)
            return 4;
        return tex1Dfetch<unsigned>(p.columns, (int)c / CS_CODES) >> (int)c % CS_CODES * 4 & 15;
    }

    __device__ uint32_t
    profile(int code) const
    {
        uint32_t field = 0xffu << 8 * (code & 3);
        return code < 4 ? (mismatches & ~field) | (uint32_t)(uint8_t)(p.match + p.first) << 8 * code
                        : mismatches;
    }

    /* Where the entry of column c, -128 .. 65 of the chunk, is kept: what the lanes read at once,
     * 2 H columns apart, are neighbours. */
    CS_DEVICE int
    place(int c)
    {
        return (c + BEHIND) % (2 * H) * PITCH + (c + BEHIND) / (2 * H);
    }

    /* The block row that the slot works on in a band. */
    __device__ int
    block_row(int band) const
    {
        return band * p.slots + slot;
    }

    __device__ int
    strip_start(int band) const
    {
        return p.starts[block_row(band)] + w * STRIP;
    }

    /* Selectors of the rows' scores. Bits 0 .. 15: from the column's bytes, with their signs; 16 ..
     * 31, Pair: from that and the mismatch, so that an ambiguous row matches nothing. Single: the
     * code in the upper half. */
    __device__ uint32_t
    selector(int start, int end, int k) const
    {
        int i = start + lane * H * A + k;
        int a = i < end ? row_code(i) : 4;
        if (H == 1)
            return (uint32_t)(a & 3) | (uint32_t)(a & 3 | 8) * 0x1110u | (uint32_t)a << 16;
        int b = i + A < end ? row_code(i + A) : 4;
        uint32_t second = (a < 4 ? 0x10u : 0x54u) | (b < 4 ? 0x3200u : 0x7600u);
        a &= 3;
        b &= 3;
        return (uint32_t)a | (uint32_t)(a | 8) << 4 | (uint32_t)(4 | b) << 8 |
               (uint32_t)(12 | b) << 12 | second << 16;
    }

    __device__ void
    load_rows(int band, uint32_t (&selectors)[A]) const
    {
        int start = strip_start(band), end = p.ends[block_row(band)];
#pragma unroll
        for (int k = 0; k < A; k++)
            selectors[k] = selector(start, end, k);
    }

    /* The scores of the first TABLE words for each pair of letters in neighbouring columns. */
    __device__ void
    make_table(const uint32_t (&selectors)[A])
    {
#pragma unroll
        for (int k = 0; k < TABLE; k++)
            for (int c = 0; c < COMBINATIONS; c++)
                ((uint32_t *)&table[(c * (TABLE / 4) + k / 4) * 32 + lane])[k & 3] =
                    select_bytes(profile(c & 3), profile(c >> 2), selectors[k]);
    }

    /* Whether the strip has ambiguous rows, or rows below the last one, which count as such. */
    __device__ bool
    strip_is_odd(int band) const
    {
        int start = strip_start(band), end = p.ends[block_row(band)];
        bool odd = start + STRIP > end;
        for (int k = 0; k < H * A; k++) {
            int i = start + lane * H * A + k;
            odd |= i < end && row_code(i) > 3;
        }
        return __any_sync(~0u, odd);
    }

    /* A bus value relative to the base. */
    CS_DEVICE int
    relative(int value, int base)
    {
        return Cell::BITS == 16 ? max(CS_NONE_16, min(value - base, 32000)) : value;
    }

    /* What a chunk needs from global memory, fetched while the one before is computed. */
    struct Ahead {
        int codes[CS_CHUNK / 32];          /* every 32nd column's, and of that 2 before << 4 */
        CsKernelCell cells[CS_CHUNK / 32]; /* warp 0: of the bus */
        int known;                         /* the best score anywhere */
        int chunk;                         /* of the band, that this is for */
    };

    __device__ void
    look_ahead(Ahead &ahead, int xc, bool with_bus) const
    {
#pragma unroll
        for (int r = 0; r < CS_CHUNK / 32; r++) {
            int64_t c = (int64_t)xc * CS_CHUNK + lane + 32 * r;
            ahead.codes[r] = column_code(c) | column_code(c - 2) << 4;
            if (with_bus && w == 0 && c < p.n)
                ahead.cells[r] = p.bus[slot * p.bus_stride + c];
        }
        ahead.known = max(1, *(volatile int32_t *)p.best_score);
        ahead.chunk = xc;
    }

    /*
     * Fills the entries of the chunk that was looked ahead at. Stream chunk x tells which of the
     * warp above's bases hold. Returns whether all of them are A, C, G or T.
     */
    __device__ bool
    fill(const Ahead &ahead, int xc, int64_t x, int base, bool with_bus)
    {
        bool plain = true;
        Column *columns = memory[self].columns;
#pragma unroll
        for (int r = 0; r < CS_CHUNK / 32; r++) {
            int o = lane + 32 * r, code = ahead.codes[r] & 15, before = ahead.codes[r] >> 4;
            int64_t c = (int64_t)xc * CS_CHUNK + o;
            plain &= code < 4;
            Column column = {profile(code), 0, 0, 0};
            if (H == 2) {
                column.y = profile(before);
                column.z = ((uint32_t)(code & 3) + 4 * (uint32_t)(before & 3)) * (TABLE / 4) * 512;
            } else {
                column.y = (uint32_t)code;
            }
            if (with_bus)
                read_bus(column, ahead.cells[r], c, x, o, base);
            columns[place(o)] = column;
        }
        return __all_sync(~0u, plain);
    }

    __device__ void
    read_bus(Column &column, CsKernelCell cell, int64_t c, int64_t x, int o, int base) const
    {
        int h, f;
        if (c >= p.n) {
            h = f = Cell::BITS == 16 ? CS_NONE_16 : CS_NONE_32;
        } else if (w == 0) {
            h = relative(cell.h - p.first, base);
            f = relative(cell.gap, base);
        } else {
            const WarpMemory<Cell> &above = memory[self - 1];
            int made = o + SKEW, chunk = (int)(x + made / CS_CHUNK) & 3;
            Bottom bottom = above.ring[chunk * CS_CHUNK + made % CS_CHUNK];
            int from = above.bases[chunk];
            h = relative(bottom_h(bottom) + from, base);
            f = relative(bottom_f(bottom) + from, base);
        }
        set_bus(column, h, f);
    }

    CS_DEVICE void
    set_bus(Column &column, int h, int f)
    {
        if (H == 2) {
            column.w = pack(h, f);
        } else {
            column.z = (uint32_t)h;
            column.w = (uint32_t)f;
        }
    }

    CS_DEVICE int
    bottom_h(uint32_t bottom)
    {
        return low_of(bottom);
    }
    CS_DEVICE int
    bottom_f(uint32_t bottom)
    {
        return high_of(bottom);
    }
    CS_DEVICE int
    bottom_h(int2 bottom)
    {
        return bottom.x;
    }
    CS_DEVICE int
    bottom_f(int2 bottom)
    {
        return bottom.y;
    }

    /* Moves the entries of the columns before to where the lanes behind still read them. */
    __device__ void
    shift_columns()
    {
        Column *columns = memory[self].columns, kept[BEHIND / 32];
        __syncwarp();
#pragma unroll
        for (int r = 0; r < BEHIND / 32; r++)
            kept[r] = columns[place(lane + 32 * r + CS_CHUNK - BEHIND)];
        __syncwarp();
#pragma unroll
        for (int r = 0; r < BEHIND / 32; r++)
            columns[place(lane + 32 * r - BEHIND)] = kept[r];
        __syncwarp();
    }

    __device__ void
    clear_columns()
    {
        Column none = {mismatches, H == 2 ? mismatches : 4u, 0, 0};
        for (int r = 0; r < BEHIND / 32; r++)
            memory[self].columns[place(lane + 32 * r + CS_CHUNK - BEHIND)] = none;
    }

    /* What the slow loop takes in, gives out and finds. */
    struct Chunk {
        int start, end;   /* rows of the strip; of the block row: the last */
        int first_column; /* of the chunk, from 0 */
        int base;
        bool enter; /* left border values come in */
        const CsKernelCell *left;
        int capture_column;                     /* from 1; beyond it no cell counts */
        CsKernelCell *capture;                  /* of row `start`, or NULL */
        int32_t *corner;                        /* H above the strip at capture_column, or NULL */
        int bottom_lane, bottom_half, bottom_k; /* of row `end` */
        int line;                               /* where in the ring its cells go */
        bool kept;                              /* somebody needs row `end` */
        int piece;                              /* place of a special row's pieces, or -1 */
        int threshold;
        CsKernelBest best;
    };

    __device__ bool
    better(int score, int i, int j, const CsKernelBest &best) const
    {
        if (score != best.score)
            return score > best.score;
        if (p.columns_first)
            return j < best.j || (j == best.j && i < best.i);
        return i < best.i || (i == best.i && j < best.j);
    }

    /* The column, from 1, that a half of the lane is at in step t of the chunk. */
    __device__ int
    column_of(int t, int half, const Chunk &chunk) const
    {
        return chunk.first_column + t - 2 * (H * lane + half) + 1;
    }

    /* Looks at every cell of a step. */
    __device__ void
    look(const uint32_t (&g)[A], int t, Chunk &chunk) const
    {
#pragma unroll
        for (int k = 0; k < A; k++)
            for (int half = 0; half < H; half++) {
                int score = Cell::part(g[k], half) + p.first + chunk.base;
                int i = chunk.start + (lane * H + half) * A + k + 1;
                int j = column_of(t, half, chunk);
                if (score > 0 && i <= chunk.end && j >= 1 && j <= chunk.capture_column &&
                    better(score, i, j, chunk.best))
                    chunk.best = {score, i, j, 0};
            }
    }

    /* H and E of the left border for the half that enters column 1 in this step. */
    __device__ void
    enter_left(Lane<Cell, A> &l, int half, const Chunk &chunk) const
    {
        int i0 = chunk.start + (lane * H + half) * A; /* rows above the half */
        l.up = Cell::with_part(l.up, half, relative(left_h(i0, chunk) - p.first, chunk.base));
#pragma unroll
        for (int k = 0; k < A; k++) {
            int i = i0 + k + 1;
            int h = left_h(i, chunk);
            int e =
                i <= chunk.end ? max(chunk.left[i - 1].gap - p.extend, h - p.first) : CS_NONE_32;
            l.g[k] = Cell::with_part(l.g[k], half, relative(h - p.first, chunk.base));
            l.e[k] = Cell::with_part(l.e[k], half, relative(e, chunk.base));
        }
    }

    /* H of the left border at row i, 0: the corner; below the block row anything in range. */
    __device__ int
    left_h(int i, const Chunk &chunk) const
    {
        return i == 0 ? p.corner : i <= chunk.end ? chunk.left[i - 1].h : chunk.base;
    }

    /*
     * CS_CHUNK steps. FULL: the slow loop; then selectors has every row's. Returns the highest
     * tracked value of the lane (fast loop).
     */
    template <bool FULL, bool TABLED, bool ROWS>
    __device__ __forceinline__ uint32_t
    steps(Lane<Cell, A> &l, const uint32_t (&selectors)[A], Chunk &chunk)
    {
        const uint32_t entry = (uint32_t)__cvta_generic_to_shared(&memory[self].columns[0]) +
                               (BEHIND / (2 * H) - lane) * 16;
        const uint32_t lookup = (uint32_t)__cvta_generic_to_shared(&table[lane]);
        const int from = (lane + 31) & 31;
        const uint32_t missed = Cell::both(p.first - p.mismatch);
        const int floor = p.floor;
        Bottom *line = &memory[self].ring[chunk.line];
        uint32_t best = first; /* G where H is 0 */
        Column columns[2] = {load_column(entry, 0), load_column(entry, 1)}, now[2];
        uint32_t tracked[2] = {first, first};
        uint4 scores[2][TABLE / 4 + 1];
        if (TABLED) {
#pragma unroll
            for (int k = 0; k < TABLE / 4; k++) {
                scores[0][k] = load_16(lookup + columns[0].z + k * 512);
                scores[1][k] = load_16(lookup + columns[1].z + k * 512);
            }
        }
        uint32_t f[2], diagonal[2], bottom = 0, bottom_f = 0, highest = 0;

        /* What comes from above to a column. */
        auto enter = [&](auto which, const int t, const uint32_t at) __attribute__((always_inline))
        {
            constexpr int place = decltype(which)::N, g = place % 2;
            uint32_t above;
            now[g] = columns[g];
            if (H == 2) {
                uint32_t passed = __shfl_sync(~0u, l.out[g], from);
                if (lane == 0)
                    passed = now[g].w;
                above = select_bytes(passed, l.low[g], 0x5410);
                f[g] = select_bytes(passed, l.bottom[g], 0x5432);
            } else {
                above = __shfl_sync(~0u, l.out[g], from);
                f[g] = __shfl_sync(~0u, l.bottom[g], from);
                if (lane == 0) {
                    above = now[g].z;
                    f[g] = now[g].w;
                }
            }
            f[g] = Cell::gap(f[g], extend, above);
            if (FULL && chunk.corner != NULL && lane == 0 &&
                chunk.first_column + t + 1 == chunk.capture_column)
                *chunk.corner = Cell::part(above, 0) + p.first + chunk.base;
            diagonal[g] = l.up;
            l.up = above;
            columns[g] = load_column(at, place + 2); /* before the store: it would wait for it */
        };

        /* Row k of it. */
        auto cell = [&](auto which, const int k) __attribute__((always_inline))
        {
            constexpr int g = decltype(which)::N % 2;
            uint32_t s;
            if (TABLED && k < TABLE)
                s = k % 4 == 0   ? scores[g][k / 4].x
                    : k % 4 == 1 ? scores[g][k / 4].y
                    : k % 4 == 2 ? scores[g][k / 4].z
                                 : scores[g][k / 4].w;
            else if (ROWS && H == 1)
                s = now[g].y < 4 && selectors[k] >> 16 == now[g].y ? (uint32_t)(p.match + p.first)
                                                                   : missed;
            else
                s = select_bytes(now[g].x, now[g].y, selectors[k]);
            if (ROWS && H == 2)
                s = select_bytes(s, missed, selectors[k] >> 16);
            uint32_t m = Cell::add(diagonal[g], s), h;
            diagonal[g] = l.g[k];
            if (FULL && H == 1)
                h = (uint32_t)max((int)Cell::max3(l.e[k], f[g], m), floor);
            else
                h = Cell::h(l.e[k], f[g], m);
            uint32_t opened = Cell::add(h, first);
            if (FULL) {
                if (k == chunk.bottom_k) {
                    bottom = opened;
                    bottom_f = f[g];
                }
                highest = Cell::max2(highest, h);
            }
            l.e[k] = Cell::gap(l.e[k], extend, opened);
            if (k < A - 1)
                f[g] = Cell::gap(f[g], extend, opened);
            l.g[k] = opened;
            if (!FULL && k % TRACK == TRACK - 1) {
                if ((k / TRACK) % 2 == 1)
                    best = Cell::max3(best, opened, tracked[g]);
                else if (k + TRACK >= A)
                    best = Cell::max2(best, opened);
                tracked[g] = opened;
            }
            if (TABLED && k < TABLE && k % 4 == 3)
                scores[g][k / 4] = load_16(lookup + columns[g].z + k / 4 * 512);
        };

        /* What goes down from it. */
        auto leave = [&](auto which, const int t) __attribute__((always_inline))
        {
            constexpr int g = decltype(which)::N % 2;
            l.bottom[g] = f[g];
            l.low[g] = l.g[A - 1];
            l.out[g] = H == 2 ? select_bytes(l.g[A - 1], f[g], 0x7632) : l.g[A - 1];
            if (FULL) {
                leave_bottom(&line[t], bottom, bottom_f, chunk);
                if (chunk.capture != NULL)
                    capture_h(l, t, chunk);
                int top = max(Cell::part(highest, 0), Cell::part(highest, H - 1)) + chunk.base;
                if (top >= max(chunk.threshold, chunk.best.score))
                    look(l.g, t, chunk);
                highest = 0;
            } else if (lane == 31) {
                store_bottom(&line[t], l.out[g], f[g]);
            }
        };

        /* Two columns, the second a row behind the first, so that there are two chains of F. */
        auto both = [&](auto first_one, auto second_one, const int t, const uint32_t at)
            __attribute__((always_inline))
        {
            enter(first_one, t, at);
            enter(second_one, t + 1, at);
#pragma unroll
            for (int k = 0; k <= A; k++) {
                if (k < A)
                    cell(first_one, k);
                if (k == A - 1)
                    leave(first_one, t);
                if (k > 0)
                    cell(second_one, k - 1);
            }
            leave(second_one, t + 1);
        };

        auto one = [&](auto which, const int t, const uint32_t at) __attribute__((always_inline))
        {
            if (chunk.enter && t % 2 == 0 && (chunk.first_column + t) / (2 * H) == lane)
                enter_left(l, (chunk.first_column + t) / 2 % H, chunk);
            if (chunk.capture != NULL)
                capture_e(l, t, chunk);
            enter(which, t, at);
#pragma unroll
            for (int k = 0; k < A; k++)
                cell(which, k);
            leave(which, t);
        };

#pragma unroll 1
        for (int t = 0; t < CS_CHUNK; t += 2 * H) {
            const uint32_t at = entry + t / (2 * H) * 16;
            if constexpr (FULL) {
                one(Which<0>(), t, at);
                one(Which<1>(), t + 1, at);
                if constexpr (H == 2) {
                    one(Which<2>(), t + 2, at);
                    one(Which<3>(), t + 3, at);
                }
            } else {
                both(Which<0>(), Which<1>(), t, at);
                if constexpr (H == 2)
                    both(Which<2>(), Which<3>(), t + 2, at);
            }
        }
        return best;
    }

    CS_DEVICE void
    store_bottom(uint32_t *line, uint32_t out, uint32_t)
    {
        *line = out;
    }
    CS_DEVICE void
    store_bottom(int2 *line, uint32_t out, uint32_t f)
    {
        *line = make_int2((int)out, (int)f);
    }

    __device__ void
    leave_bottom(Bottom *to, uint32_t h, uint32_t f, const Chunk &chunk) const
    {
        if (lane != chunk.bottom_lane)
            return;
        if (H == 2)
            store_bottom(to, select_bytes(h, f, chunk.bottom_half ? 0x7632 : 0x5410), 0);
        else
            store_bottom(to, h, f);
    }

    /* Whether row r of the strip hands its border out. */
    __device__ bool
    captured(int r, const Chunk &chunk) const
    {
        int i = chunk.start + r;
        return i < chunk.end && (p.owned == NULL || i >= p.owned[slot]);
    }

    /* Before the step that takes a half over the captured column: its E there. */
    __device__ void
    capture_e(const Lane<Cell, A> &l, int t, const Chunk &chunk) const
    {
        for (int half = 0; half < H; half++)
            if (column_of(t, half, chunk) == chunk.capture_column)
#pragma unroll
                for (int k = 0; k < A; k++) {
                    int r = (lane * H + half) * A + k;
                    if (captured(r, chunk))
                        chunk.capture[r].gap = leaving(Cell::part(l.e[k], half) + chunk.base);
                }
    }

    __device__ void
    capture_h(const Lane<Cell, A> &l, int t, const Chunk &chunk) const
    {
        for (int half = 0; half < H; half++)
            if (column_of(t, half, chunk) == chunk.capture_column)
#pragma unroll
                for (int k = 0; k < A; k++) {
                    int r = (lane * H + half) * A + k;
                    if (captured(r, chunk))
                        chunk.capture[r].h = Cell::part(l.g[k], half) + p.first + chunk.base;
                }
    }

    /* A gap value as it leaves: clamped where H is. */
    __device__ int
    leaving(int gap) const
    {
        return max(gap, p.floor);
    }

    CS_DEVICE Column
    load_column(uint32_t entry, int t)
    {
        uint4 v = load_16(entry + (t % (2 * H) * PITCH + t / (2 * H)) * 16);
        return {v.x, v.y, v.z, v.w};
    }

    CS_DEVICE uint4
    load_16(uint32_t address)
    {
        uint4 v;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(address));
        return v;
    }

    /* The strip's rows and its bottom row's place; the rest is the caller's. */
    __device__ Chunk
    strip_of(int band) const
    {
        Chunk chunk = {};
        chunk.start = strip_start(band);
        chunk.end = p.ends[block_row(band)];
        chunk.piece = p.special != NULL ? p.special[block_row(band)] : -1;
        chunk.capture_column = p.n;
        chunk.kept = p.kept_end < 0 ? chunk.end != p.loose_end
                                    : chunk.end == p.kept_end || band + 1 < count_bands();
        int last = min(chunk.end - chunk.start, (int)STRIP) - 1;
        chunk.bottom_lane = last / (H * A);
        chunk.bottom_half = last / A % H;
        chunk.bottom_k = last % A;
        return chunk;
    }

    /* Merges the lanes' best cells into the warp's record and the score that all know. */
    __device__ void
    merge_best(CsKernelBest best)
    {
        for (int d = 16; d > 0; d /= 2) {
            CsKernelBest other = {__shfl_xor_sync(~0u, best.score, d),
                                  __shfl_xor_sync(~0u, best.i, d), __shfl_xor_sync(~0u, best.j, d),
                                  0};
            if (better(other.score, other.i, other.j, best))
                best = other;
        }
        CsKernelBest *record = &p.bests[blockIdx.x * p.warps + self];
        if (lane == 0 && best.score > 0) {
            if (better(best.score, best.i, best.j, *record))
                *record = best;
            if (best.score > *(volatile int32_t *)p.best_score)
                atomicMax(p.best_score, best.score);
        }
        __syncwarp();
    }

    /* The state at the beginning of a band: what lies left of column 1. Returns the base. */
    __device__ int
    enter_band(Lane<Cell, A> &l, const Chunk &chunk)
    {
        const uint32_t none = Cell::both(Cell::BITS == 16 ? CS_NONE_16 : CS_NONE_32);
#pragma unroll
        for (int k = 0; k < A; k++) {
            l.g[k] = first;
            l.e[k] = none;
        }
        l.up = first;
        for (int g = 0; g < 2; g++) {
            l.low[g] = l.out[g] = first;
            l.bottom[g] = none;
        }
        clear_columns();
        if (chunk.left == NULL || Cell::BITS == 32)
            return 0;
        int lowest = left_h(chunk.start, chunk);
        for (int r = lane; r < STRIP && chunk.start + r < chunk.end; r += 32)
            lowest = min(lowest, chunk.left[chunk.start + r].h);
        return max(0, warp_min(lowest) - drop());
    }

    /* The most that H can fall along the columns of a chunk. */
    __device__ int
    drop() const
    {
        return p.first - p.extend + p.extend * CS_CHUNK;
    }

    __device__ int
    move_base(Lane<Cell, A> &l, int base)
    {
        if (Cell::BITS == 32)
            return 0;
        uint32_t lowest = l.g[0];
#pragma unroll
        for (int k = 1; k < A; k++)
            lowest = Cell::min2(lowest, l.g[k]);
        int h = warp_min(min(Cell::part(lowest, 0), Cell::part(lowest, 1)));
        int moved = max(0, base + h + p.first - drop());
        if (moved != base) {
            uint32_t by = Cell::both(base - moved);
#pragma unroll
            for (int k = 0; k < A; k++) {
                l.g[k] = Cell::add(l.g[k], by);
                l.e[k] = Cell::add(l.e[k], by);
            }
            l.up = Cell::add(l.up, by);
            for (int g = 0; g < 2; g++) {
                l.low[g] = Cell::add(l.low[g], by);
                l.bottom[g] = Cell::add(l.bottom[g], by);
                l.out[g] = Cell::add(l.out[g], by);
            }
        }
        return moved;
    }

    __device__ void
    save(const Lane<Cell, A> &l, uint32_t *words, int64_t stride) const
    {
#pragma unroll
        for (int k = 0; k < A; k++) {
            words[k * stride] = l.g[k];
            words[(A + k) * stride] = l.e[k];
        }
        words[2 * A * stride] = l.up;
        for (int g = 0; g < 2; g++) {
            words[(2 * A + 1 + g) * stride] = l.low[g];
            words[(2 * A + 3 + g) * stride] = l.bottom[g];
            words[(2 * A + 5 + g) * stride] = l.out[g];
        }
    }

    __device__ void
    restore(Lane<Cell, A> &l, const uint32_t *words, int64_t stride) const
    {
#pragma unroll
        for (int k = 0; k < A; k++) {
            l.g[k] = words[k * stride];
            l.e[k] = words[(A + k) * stride];
        }
        l.up = words[2 * A * stride];
        for (int g = 0; g < 2; g++) {
            l.low[g] = words[(2 * A + 1 + g) * stride];
            l.bottom[g] = words[(2 * A + 3 + g) * stride];
            l.out[g] = words[(2 * A + 5 + g) * stride];
        }
    }

    enum {
        WORDS = 2 * A + 8,
        PENDING_WORDS = 32 * WORDS + 2 * CS_CHUNK + 8
    };

    __device__ uint32_t *
    pending(int which) const
    {
        return p.pending + ((int64_t)(slot * p.warps + w) * CS_PENDING + which) * PENDING_WORDS;
    }

    /* Everything that computing the chunk again takes. */
    __device__ void
    save_pending(int which, const Lane<Cell, A> &l, int band, int xc, int base) const
    {
        uint32_t *words = pending(which);
        save(l, words + lane, 32);
        words += 32 * WORDS;
        for (int o = lane; o < CS_CHUNK; o += 32) {
            const Column &column = memory[self].columns[place(o)];
            words[o] = column.z;
            words[CS_CHUNK + o] = column.w;
        }
        words += 2 * CS_CHUNK;
        if (lane == 0) {
            words[0] = (uint32_t)band;
            words[1] = (uint32_t)xc;
            words[2] = (uint32_t)base;
        }
    }

    /* The entries of the columns before chunk xc. Whether all of them are A, C, G or T. */
    __device__ bool
    refill(int xc, int base)
    {
        clear_columns();
        bool plain = xc >= BEFORE;
        for (int c = max(xc - BEFORE, 0); c < xc; c++) {
            Ahead ahead;
            shift_columns();
            look_ahead(ahead, c, false);
            plain &= fill(ahead, c, 0, base, false);
        }
        return plain;
    }

    /* Computes a pending chunk again and keeps its best cell. */
    __device__ void
    settle(int which)
    {
        const uint32_t *words = pending(which), *bus = words + 32 * WORDS;
        const uint32_t *about = bus + 2 * CS_CHUNK;
        int band = (int)about[0], xc = (int)about[1], base = (int)about[2];
        Lane<Cell, A> l;
        uint32_t selectors[A];
        restore(l, words + lane, 32);
        load_rows(band, selectors);
        refill(xc, base);
        shift_columns();
        Ahead ahead;
        look_ahead(ahead, xc, false);
        fill(ahead, xc, 0, base, false);
        for (int o = lane; o < CS_CHUNK; o += 32) {
            Column &column = memory[self].columns[place(o)];
            if (H == 1)
                column.z = bus[o];
            column.w = bus[CS_CHUNK + o];
        }
        __syncwarp();
        Chunk chunk = strip_of(band);
        chunk.first_column = xc * CS_CHUNK;
        chunk.base = base;
        chunk.threshold = max(1, *(volatile int32_t *)p.best_score);
        steps<true, false, true>(l, selectors, chunk);
        merge_best(chunk.best);
        if (lane == 0)
            atomicAdd((unsigned long long *)p.reruns, 1ull);
        __syncwarp();
    }

    /* The bottom row of a strip: to the warp below, or to the bus where the block row ends. */
    __device__ void
    hand_down(const Chunk &chunk, int band, int until)
    {
        WarpMemory<Cell> &mine = memory[self];
        if (chunk.end > chunk.start + STRIP || !chunk.kept)
            return; /* the warp below reads it where it is, or nobody does */
        int skew = 2 * (H * chunk.bottom_lane + chunk.bottom_half);
        for (int o = lane; o < CS_CHUNK; o += 32) {
            Bottom bottom = mine.ring[chunk.line + o];
            int c = chunk.first_column + o - skew;
            if (c < 0 || c >= until)
                continue;
            CsKernelCell cell = {bottom_h(bottom) + p.first + chunk.base,
                                 leaving(bottom_f(bottom) + chunk.base)};
            p.bus[slot * p.bus_stride + c] = cell;
            if (chunk.piece >= 0) {
                int width = p.block_chunks * CS_CHUNK, bj = c / width;
                int64_t d = (int64_t)band * p.block_columns + bj + (int64_t)p.stagger * slot;
                p.pieces[((d % p.queue) * p.special_places + chunk.piece) * width + c % width] =
                    cell;
            }
        }
    }

    /* The bands in which the slot has rows. */
    __device__ int
    count_bands() const
    {
        int bands = p.bands;
        while (bands > 0 && p.starts[block_row(bands - 1)] == p.ends[block_row(bands - 1)])
            bands--;
        return bands;
    }

    /* One phase of the slot's block, or the end of the delegated triangle (drain). */
    __device__ void
    run()
    {
        const int64_t q = p.diagonal - (int64_t)p.stagger * slot;
        const int bands = count_bands(), band_chunks = p.block_columns * p.block_chunks;
        const int64_t blocks = (int64_t)bands * p.block_columns;
        if (q < (p.drain ? 1 : 0) || q > blocks)
            return;
        int64_t u = q * p.block_chunks + p.chunk_begin, u_end = q * p.block_chunks + p.chunk_end;
        int64_t x_end = blocks * p.block_chunks;
        const bool amid = q % p.block_columns != 0;
        if (p.drain) {
            u = q * p.block_chunks;
            u_end = u + CS_LAG * (p.warps - 1) + BEFORE;
            x_end = u + (amid ? BEFORE : 0);
        } else if (q == blocks) {
            u_end = min(u_end, q * p.block_chunks + CS_LAG * (p.warps - 1));
        }
        if (u >= u_end)
            return;

        WarpMemory<Cell> &mine = memory[self];
        const int64_t threads = (int64_t)p.slots * p.warps * 32, warp = slot * p.warps + w;
        uint32_t *state = p.state + warp * 32 + lane;
        Bottom *ring = (Bottom *)p.rings + warp * CS_RING;
        Lane<Cell, A> l;
        uint32_t selectors[A];
        restore(l, state, threads);
        int base = (int)state[(2 * A + 7) * threads];
        for (int k = lane; k < CS_RING; k += 32)
            mine.ring[k] = ring[k];
        if (lane < 4)
            mine.bases[lane] = p.bases[warp * 4 + lane];
        if (lane < CS_PENDING)
            mine.bounds[lane] = p.bounds[warp * CS_PENDING + lane];

        int64_t x = u - CS_LAG * w;
        int band = x > 0 ? (int)(x / band_chunks) : 0, xc = x > 0 ? (int)(x % band_chunks) : 0;
        bool odd = false, there = false;
        int plain = 0; /* chunks before this one that have A, C, G and T only */
        Chunk strip = {};
        Ahead ahead = {};
        look_ahead(ahead, xc, true);
        if (x > 0 && band < bands) {
            strip = strip_of(band);
            there = strip.start < strip.end;
            if (xc > 0 && there) {
                load_rows(band, selectors);
                make_table(selectors);
                odd = strip_is_odd(band);
                plain = refill(xc, base) ? BEFORE : 0;
            }
        }
        __syncthreads();
        for (; u < u_end; u++, x++) {
            if (x >= 0 && x < x_end) {
                if (xc == 0) {
                    strip = strip_of(band);
                    there = strip.start < strip.end;
                }
                if (there)
                    chunk_step(l, selectors, strip, ahead, base, band, xc, x, odd, plain, amid);
                if (++xc == band_chunks) {
                    xc = 0;
                    band++;
                }
            }
            __syncthreads();
        }
        if (p.drain)
            return;
        save(l, state, threads);
        state[(2 * A + 7) * threads] = (uint32_t)base;
        for (int k = lane; k < CS_RING; k += 32)
            ring[k] = mine.ring[k];
        if (lane < 4)
            p.bases[warp * 4 + lane] = mine.bases[lane];
        if (lane < CS_PENDING)
            p.bounds[warp * CS_PENDING + lane] = mine.bounds[lane];
    }

    /* One chunk of the warp's strip. */
    __device__ __forceinline__ void
    chunk_step(Lane<Cell, A> &l, uint32_t (&selectors)[A], const Chunk &strip, Ahead &ahead,
               int &base, int band, int xc, int64_t x, bool &odd, int &plain, bool amid)
    {
        WarpMemory<Cell> &mine = memory[self];
        if (ahead.chunk != xc) /* the warp had no rows in the band before */
            look_ahead(ahead, xc, true);
        const int known = ahead.known;
        Chunk chunk = strip;
        chunk.first_column = xc * CS_CHUNK;
        chunk.left = p.left;
        if (xc == 0) {
            load_rows(band, selectors);
            make_table(selectors);
            odd = strip_is_odd(band);
            plain = 0;
            base = enter_band(l, chunk);
        } else {
            base = move_base(l, base);
        }
        chunk.base = base;
        chunk.line = (int)(x & 3) * CS_CHUNK;
        if (lane == 0)
            mine.bases[x & 3] = base;
        shift_columns();
        plain = fill(ahead, xc, x, base, true) ? plain + 1 : 0;
        look_ahead(ahead, xc + 1 == p.block_columns * p.block_chunks ? 0 : xc + 1, true);
        __syncwarp();

        /* The borders of this chunk. */
        chunk.enter = p.left != NULL && xc * CS_CHUNK <= SKEW;
        if (p.drain && amid) {
            int64_t q = p.diagonal - (int64_t)p.stagger * slot;
            chunk.capture_column = (int)(q % p.block_columns) * p.block_chunks * CS_CHUNK;
            chunk.capture = p.risers + (int64_t)slot * p.warps * STRIP + w * STRIP;
            chunk.corner = w == 0 ? p.riser_corners + slot : NULL;
        } else if (p.right != NULL) {
            chunk.capture = p.right + chunk.start;
        }
        if (chunk.capture_column <= chunk.first_column - SKEW ||
            chunk.capture_column > chunk.first_column + CS_CHUNK)
            chunk.capture = NULL;
        if (chunk.capture == NULL)
            chunk.corner = NULL;

        const unsigned free =
            __ballot_sync(~0u, lane < CS_PENDING && mine.bounds[lane % CS_PENDING] < known);
        const bool cut = chunk.kept && chunk.end < chunk.start + STRIP;
        if (p.full || p.drain || cut || chunk.enter || chunk.capture != NULL || free == 0) {
            uint32_t all[A];
            load_rows(band, all);
            chunk.threshold = known;
            steps<true, false, true>(l, all, chunk);
            if (__any_sync(~0u, chunk.best.score > 0))
                merge_best(chunk.best);
        } else {
            const int which = __ffs(free) - 1;
            uint32_t best;
            save_pending(which, l, band, xc, base);
            if (odd || (TABLE > 0 && plain <= BEFORE)) { /* the table knows A, C, G and T only */
                uint32_t all[A];
                load_rows(band, all);
                best = steps<false, false, true>(l, all, chunk);
            } else {
                best = steps<false, (TABLE > 0), false>(l, selectors, chunk);
            }
            int tracked = max(Cell::part(best, 0), Cell::part(best, H - 1)) + p.first + base;
            tracked = warp_max(tracked);
            const int bound = tracked + (TRACK > 1 ? p.first + p.extend * (TRACK - 2) : 0);
            if (bound >= known && lane == 0) {
                mine.bounds[which] = bound;
                if (tracked > known)
                    atomicMax(p.best_score, tracked);
            } else if (lane == 0) {
                mine.bounds[which] = -1;
            }
        }
        __syncwarp();
        hand_down(chunk, band, chunk.capture_column);
        __syncwarp();
    }

    /* Settles its share of what is pending anywhere, and hands the warp's best cell to all. The
     * chunks of one strip go to different warps, so that none has many. */
    __device__ void
    settle_all()
    {
        const int warps = p.slots * p.warps, me = blockIdx.x * p.warps + self;
        for (int which = 0; which < CS_PENDING; which++) {
            int owner = (int)((me + which * 977LL) % warps);
            int32_t *bound = &p.bounds[owner * CS_PENDING + which];
            int at_most = *bound;
            __syncwarp();
            slot = owner / p.warps;
            w = owner % p.warps;
            if (at_most >= 0 && at_most >= *(volatile int32_t *)p.best_score)
                settle(which);
            if (lane == 0)
                *bound = -1;
        }
        if (lane == 0)
            merge_into_all(p.bests[me]);
    }

    /* *p.best, whose last member is a lock. */
    __device__ void
    merge_into_all(const CsKernelBest &mine) const
    {
        volatile CsKernelBest *all = p.best;
        if (mine.score <= 0 || mine.score < all->score)
            return;
        while (atomicCAS((int *)&all->unused, 0, 1) != 0)
            ;
        __threadfence();
        CsKernelBest old = {all->score, all->i, all->j, 0};
        if (better(mine.score, mine.i, mine.j, old)) {
            all->score = mine.score;
            all->i = mine.i;
            all->j = mine.j;
        }
        __threadfence();
        atomicExch((int *)&all->unused, 0);
    }
};

template <class Cell, int A, int TABLE, int TRACK, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) sweep_kernel(const __grid_constant__ CsKernelLaunch p)
{
    extern __shared__ uint4 shared[];
    WarpMemory<Cell> *memory = (WarpMemory<Cell> *)shared;
    int slot = p.list != NULL ? p.list[blockIdx.x] : (int)blockIdx.x;
    Sweep<Cell, A, TABLE, TRACK>(p, memory, (uint4 *)(memory + p.warps), slot).run();
}

template <class Cell, int A, int TABLE, int TRACK, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) settle_kernel(const __grid_constant__ CsKernelLaunch p)
{
    extern __shared__ uint4 shared[];
    WarpMemory<Cell> *memory = (WarpMemory<Cell> *)shared;
    Sweep<Cell, A, TABLE, TRACK>(p, memory, (uint4 *)(memory + p.warps), blockIdx.x).settle_all();
}

/* One form's wrappers. */
template <class Cell, int A, int TABLE, int TRACK, int WARPS, int RESIDENT> struct Form {
    static constexpr CsKernel
    kernel()
    {
        return {Cell::BITS, A, TRACK, RESIDENT, shared_bytes, resident, sweep, settle};
    }

    static size_t
    table_bytes(int warps)
    {
        return (size_t)warps * 16 * (TABLE / 4) * 512;
    }

    static size_t
    shared_bytes(int warps)
    {
        return warps * sizeof(WarpMemory<Cell>) + table_bytes(warps);
    }

    static cudaError_t
    prepare(int warps)
    {
        cudaError_t code = cudaFuncSetAttribute(
            sweep_kernel<Cell, A, TABLE, TRACK, WARPS, RESIDENT>,
            cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes(warps));
        if (code != cudaSuccess)
            return code;
        return cudaFuncSetAttribute(settle_kernel<Cell, A, TABLE, TRACK, WARPS, RESIDENT>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)(warps * sizeof(WarpMemory<Cell>)));
    }

    static cudaError_t
    resident(int warps, int *blocks)
    {
        cudaError_t code = prepare(warps);
        if (code != cudaSuccess)
            return code;
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks, sweep_kernel<Cell, A, TABLE, TRACK, WARPS, RESIDENT>, warps * 32,
            shared_bytes(warps));
    }

    static cudaError_t
    sweep(const CsKernelLaunch *launch, cudaStream_t stream)
    {
        sweep_kernel<Cell, A, TABLE, TRACK, WARPS, RESIDENT>
            <<<launch->list != NULL ? launch->list_length : launch->slots, launch->warps * 32,
               shared_bytes(launch->warps), stream>>>(*launch);
        return cudaGetLastError();
    }

    static cudaError_t
    settle(const CsKernelLaunch *launch, cudaStream_t stream)
    {
        settle_kernel<Cell, A, TABLE, TRACK, WARPS, RESIDENT>
            <<<launch->slots, launch->warps * 32, launch->warps * sizeof(WarpMemory<Cell>),
               stream>>>(*launch);
        return cudaGetLastError();
    }
};

#endif
