/*
 * The sweep of one slot: see sweep_kernel.h for the launch, recurrence.cuh for the cell.
 *
 * A strip of a warp: with two halves the low one of lane l holds rows l * A .. l * A + A - 1 of it,
 * one word for each, and the high one the rows 32 * A below. The loop takes two columns a round,
 * and each lane is two columns behind the one above it, the high half of lane 0 behind the low half
 * of lane 31:
 *
 *     columns t, t + 1 (t even)   lane 0:  low  t, t + 1       high  t - 64, t - 63
 *                                 lane 1:  low  t - 2, t - 1   high  t - 66, t - 65
 *                                 lane 31: low  t - 62, t - 61 high  t - 126, t - 125
 *
 * so what a lane needs of the one above was made a round before, and a round is a (double) internal
 * diagonal with delegation at both ends.
 *
 * Two shuffles a column hand H and F of a lane's last row to the lane below. Lane 0 gets its own
 * from the bus; what lane 31 has at the bottom goes to the ring that the warp below reads, and from
 * the last warp to the bus.
 *
 * In 16 bits a strip's values are relative to its base, a non-negative number that moves before
 * each chunk: base' = max(0, base + min(H of all lanes) - (first - extend) - extend * CS_CHUNK). No
 * H of the chunk's columns is below base', since H falls along a row by at most one gap's cost; so
 * clamping at the stored zero is clamping at zero where base' is 0 and never happens elsewhere. The
 * host proves that nothing is above 32767 (cs_cuda_plan_fits_16()).
 *
 * The fast loop tracks every second column of every TRACK-th row only: any other cell is at most
 * the slack above one of these. A few chunks in a row of which one may hold the best cell by that
 * bound stay pending, as the state at their beginning, and are settled by another kernel. The loop
 * comes in three variants: with scores from a table (TABLED), where rows and columns are A, C, G
 * and T; for any columns; and for any rows too and strips that end early (ROWS). The slow loop
 * (FULL) takes borders in, gives them out and tracks exactly.
 *
 * What bounds the fast loop is how many registers a multiprocessor reads a clock. So the default
 * gap costs are compiled in (FIRST, EXTEND): as immediate operands they are not read.
 */
#ifndef CS_SWEEP_KERNEL_CUH
#define CS_SWEEP_KERNEL_CUH

#include "cuda/recurrence.cuh"
#include "cuda/sweep_kernel.h"

/* What a step reads of the column that lane 0 enters; 16 bytes so that one load fetches it. */
struct Column {
    /* Pair: score bytes of this column and of that APART before, a table offset, H and F of the bus
     * as 16 bits each. Single: score bytes, code, H, F. */
    uint32_t x, y, z, w;
};

/* H and F of a bottom cell, as the words that hold them: Pair in the upper halves. */
struct Bottom {
    uint32_t h, f;
};

template <class Cell> struct alignas(16) WarpMemory {
    Column columns[2 * CS_CHUNK]; /* of the chunk before and of this one, in turn */
    Bottom ring[CS_RING];
    int32_t bases[4];           /* of the last four chunks, by their place in the stream */
    int32_t bounds[CS_PENDING]; /* -1: free */
    /* What is to be pending: its place, or -1; how many chunks so far, and at most; the highest
     * tracked. */
    int32_t place, chunks, limit, highest;
    /* Of a launch that skips: chunks computed; and, of warp 0, the item and its number. */
    int32_t computed, ticket;
    CsKernelItem item;
};

template <class Cell, int A> struct Lane {
    uint32_t h[A];
    uint32_t e[A];      /* E of the next column */
    uint32_t up;        /* H above the first row of each half, one column back */
    uint32_t low[2];    /* of both columns of the round before: H of the last row of each half, */
    uint32_t bottom[2]; /* and F of it */
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
template <class Cell, int A, int TABLE, int FIRST, int EXTEND, bool PRUNED> struct Sweep {
    enum {
        H = Cell::HALVES,
        STRIP = 32 * H * A,
        SKEW = 2 * (32 * H - 1), /* columns from lane 0's to the bottom row's */
        COMBINATIONS = 16,
        TRACK = A % 2 == 0 ? 2 : 1, /* of so many rows the fast loop looks at one */
        FROM_M = FIRST > 0,         /* E too is opened from M */
        EACH = CS_CHUNK / 32,       /* columns of a chunk that a lane prepares */
        PITCH = CS_CHUNK,           /* of the columns' entries */
        APART = 64,                 /* columns between the halves */
    };

    const CsKernelLaunch &p;
    WarpMemory<Cell> *memory; /* of all warps of the block */
    uint4 *table;             /* of this warp */
    int slot, w;              /* whose strip */
    const int self, lane;     /* the warp in its block, the lane in the warp */
    int home;                 /* PRUNED: the slot whose best cell the block keeps */
    uint32_t first, extend;   /* negative, in every half */
    uint32_t mismatches;      /* four score bytes */

    __device__
    Sweep(const CsKernelLaunch &p, WarpMemory<Cell> *memory, uint4 *tables, int slot)
        : p(p), memory(memory), slot(slot), w(threadIdx.x >> 5), self(threadIdx.x >> 5),
          lane(threadIdx.x & 31), home(PRUNED ? slot : 0)
    {
        table = tables + (size_t)self * COMBINATIONS * (TABLE / 4) * 32;
        first = Cell::both(FIRST > 0 ? -FIRST : -p.first);
        extend = Cell::both(FIRST > 0 ? -EXTEND : -p.extend);
        mismatches = (uint32_t)(uint8_t)-p.mismatch * 0x01010101u;
        if (FIRST == 0) /* registers, not constants loaded again */
            asm volatile("" : "+r"(first), "+r"(extend));
    }

    __device__ int
    row_code(int i) const
    {
        return tex1Dfetch<unsigned>(p.rows, i / CS_CODES) >> i % CS_CODES * 4 & 15;
    }

    /* The CS_CODES codes from column c on, c a multiple of it; outside: that match nothing. */
    __device__ uint32_t
    column_codes(int64_t c) const
    {
        return c >= 0 && c < p.n ? tex1Dfetch<unsigned>(p.columns, (int)(c / CS_CODES))
                                 : 0x44444444u;
    }

    /* The score bytes of a letter against A, C, G and T. */
    __device__ uint32_t
    profile(uint32_t code) const
    {
        uint32_t differ = (uint32_t)(uint8_t)(p.match ^ -p.mismatch), at;
        asm("shl.b32 %0, %1, %2;" : "=r"(at) : "r"(differ), "r"(8 * code)); /* by 32: nothing */
        return mismatches ^ at;
    }

    /* Where the entry of column o, from -CS_CHUNK to CS_CHUNK - 1, of chunk xc is kept: what the
     * lanes read at once, 2 columns apart, are neighbours. */
    CS_DEVICE int
    place(int xc, int o)
    {
        int c = ((xc & 1) * CS_CHUNK + o) & (2 * CS_CHUNK - 1);
        return c % 2 * PITCH + c / 2;
    }

    /* The block row that the slot works on in a band. PRUNED: every row is a band of its own. */
    __device__ int
    block_row(int band) const
    {
        return PRUNED ? band : band * p.slots + slot;
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
    selector(int start, int end, int k, bool &odd) const
    {
        int i = start + lane * A + k;
        int a = i < end ? row_code(i) : 4;
        odd |= a > 3;
        if (H == 1)
            return (uint32_t)(a & 3) | (uint32_t)(a & 3 | 8) * 0x1110u | (uint32_t)a << 16;
        int b = i + 32 * A < end ? row_code(i + 32 * A) : 4;
        odd |= b > 3;
        uint32_t second = (a < 4 ? 0x10u : 0x54u) | (b < 4 ? 0x3200u : 0x7600u);
        a &= 3;
        b &= 3;
        return (uint32_t)a | (uint32_t)(a | 8) << 4 | (uint32_t)(4 | b) << 8 |
               (uint32_t)(12 | b) << 12 | second << 16;
    }

    /* Whether the strip has ambiguous rows, or rows below the last one, which count as such. */
    __device__ bool
    load_rows(int band, uint32_t (&selectors)[A]) const
    {
        int start = strip_start(band), end = p.ends[block_row(band)];
        bool odd = false;
#pragma unroll
        for (int k = 0; k < A; k++)
            selectors[k] = selector(start, end, k, odd);
        return __any_sync(~0u, odd);
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

    /* A bus value relative to the base. */
    CS_DEVICE int
    relative(int value, int base)
    {
        return Cell::BITS == 16 ? max(CS_NONE_16, min(value - base, 32000)) : value;
    }

    /* What a chunk needs from global memory, fetched while the one before is computed. Each lane
     * prepares EACH columns that follow each other. */
    struct Ahead {
        uint32_t before, codes;   /* texels of the lane's columns APART before, and of these */
        CsKernelCell cells[EACH]; /* warp 0: of the bus */
        int known;                /* the best score anywhere */
        int chunk;                /* of the band, that this is for */
    };

    __device__ void
    look_ahead(Ahead &ahead, int xc, bool with_bus) const
    {
        int64_t c = (int64_t)xc * CS_CHUNK + lane * EACH;
        ahead.codes = column_codes(c / CS_CODES * CS_CODES);
        if (H == 2)
            ahead.before = column_codes(c / CS_CODES * CS_CODES - APART);
        if (with_bus && w == 0) {
            const int4 *cells = (const int4 *)(p.bus + slot * p.bus_stride + c);
#pragma unroll
            for (int r = 0; r < EACH; r += 2) {
                int4 pair = cells[r / 2];
                ahead.cells[r].h = pair.x;
                ahead.cells[r].gap = pair.y;
                ahead.cells[r + 1].h = pair.z;
                ahead.cells[r + 1].gap = pair.w;
            }
        }
        /* Not a uniform load, which would wait for its value at once. */
        asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(ahead.known) : "l"(p.best_score));
        ahead.chunk = xc;
    }

    /*
     * Fills the entries of the chunk that was looked ahead at. Its turn in the ring tells
     * which of the warp above's bases hold. Returns whether all of them are A, C, G or T.
     */
    __device__ bool
    fill(const Ahead &ahead, int xc, int turn, int base, bool with_bus)
    {
        static_assert(EACH == 4 && CS_CODES == 8, "a lane has half of a texel's columns");
        uint32_t codes = ahead.codes >> lane % 2 * 16, before = ahead.before >> lane % 2 * 16;
        Column columns[EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            uint32_t code = codes >> 4 * r & 7, other = before >> 4 * r & 7;
            columns[r] = {profile(code), H == 2 ? profile(other) : code, 0, 0};
            if (H == 2)
                columns[r].z = ((code & 3) + 4 * (other & 3)) * (TABLE / 4) * 512;
        }
        if (with_bus)
            read_bus(columns, ahead, turn, base);
#pragma unroll
        for (int r = 0; r < EACH; r++)
            memory[self].columns[place(xc, lane * EACH + r)] = columns[r];
        return __all_sync(~0u, (codes & 0x4444) == 0);
    }

    /* H and F above the columns: from the bus, or what the warp above has left in its ring. */
    __device__ void
    read_bus(Column (&columns)[EACH], const Ahead &ahead, int turn, int base) const
    {
        if (w == 0) {
#pragma unroll
            for (int r = 0; r < EACH; r++)
                set_bus(columns[r], relative(ahead.cells[r].h, base),
                        relative(ahead.cells[r].gap, base));
            return;
        }
        const WarpMemory<Cell> &above = memory[self - 1];
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            int made = lane * EACH + r + SKEW, chunk = turn + made / CS_CHUNK & 3;
            Bottom bottom = above.ring[chunk * CS_CHUNK + made % CS_CHUNK];
            int from = above.bases[chunk];
            set_bus(columns[r], relative(bottom_h(bottom) + from, base),
                    relative(bottom_f(bottom) + from, base));
        }
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
    bottom_h(Bottom bottom)
    {
        return Cell::part(bottom.h, H - 1);
    }
    CS_DEVICE int
    bottom_f(Bottom bottom)
    {
        return Cell::part(bottom.f, H - 1);
    }

    /* What lies left of chunk xc: letters that match nothing. */
    __device__ void
    clear_columns(int xc)
    {
        Column none = {mismatches, H == 2 ? mismatches : 4u, 0, 0};
        for (int r = 0; r < EACH; r++)
            memory[self].columns[place(xc, lane * EACH + r - CS_CHUNK)] = none;
    }

    /* What the slow loop takes in, gives out and finds. */
    struct Chunk {
        int start, end;   /* rows of the strip; of the block row: the last */
        int turn;         /* which half of the columns' entries is this chunk's */
        int first_column; /* of the chunk, from 0 */
        int base;
        bool enter; /* left border values come in */
        const CsKernelCell *left;
        int capture_column;                     /* from 1; beyond it no cell counts */
        CsKernelCell *capture;                  /* of row `start`, or NULL */
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
        return chunk.first_column + t - 2 * (lane + 32 * half) + 1;
    }

    /* Looks at every cell of a step. */
    __device__ void
    look(const uint32_t (&h)[A], int t, Chunk &chunk) const
    {
#pragma unroll
        for (int k = 0; k < A; k++)
            for (int half = 0; half < H; half++) {
                int score = Cell::part(h[k], half) + chunk.base;
                int i = chunk.start + (lane + 32 * half) * A + k + 1;
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
        int i0 = chunk.start + (lane + 32 * half) * A; /* rows above the half */
        l.up = Cell::with_part(l.up, half, relative(left_h(i0, chunk), chunk.base));
#pragma unroll
        for (int k = 0; k < A; k++) {
            int i = i0 + k + 1;
            int h = left_h(i, chunk);
            int e =
                i <= chunk.end ? max(chunk.left[i - 1].gap - p.extend, h - p.first) : CS_NONE_32;
            l.h[k] = Cell::with_part(l.h[k], half, relative(h, chunk.base));
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
        const uint32_t entries = (uint32_t)__cvta_generic_to_shared(&memory[self].columns[0]);
        const uint32_t lookup = (uint32_t)__cvta_generic_to_shared(&table[lane]);
        const int from = (lane + 31) & 31;
        /* Lane 0: the low half's from the bus, the high half's from lane 31's low half. */
        const uint32_t take_h = lane > 0 ? 0x3210 : 0x1054, take_f = lane > 0 ? 0x3210 : 0x1076;
        const uint32_t missed = Cell::both(-p.mismatch);
        Bottom *line = &memory[self].ring[chunk.line];
        uint32_t best = 0;
        uint32_t at = (chunk.turn * (PITCH / 2) - lane & PITCH - 1) * 16;
        Column columns[2] = {load_column(entries + at, 0), load_column(entries + at, 1)}, now[2];
        uint32_t tracked[2] = {};
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
        auto enter = [&](const int g) __attribute__((always_inline))
        {
            uint32_t above;
            now[g] = columns[g];
            above = __shfl_sync(~0u, l.low[g], from);
            f[g] = __shfl_sync(~0u, l.bottom[g], from);
            if (H == 2) {
                above = select_bytes(above, now[g].w, take_h);
                f[g] = select_bytes(f[g], now[g].w, take_f);
            } else if (lane == 0) {
                above = now[g].z;
                f[g] = now[g].w;
            }
            f[g] = Cell::gap(f[g], extend, Cell::add(above, first));
            diagonal[g] = l.up;
            l.up = above;
            /* Before the store: it would wait for it. */
            columns[g] = load_column(entries + at, g);
        };

        /* Row k of it. */
        auto cell = [&](const int g, const int k) __attribute__((always_inline))
        {
            uint32_t s;
            if (TABLED && k < TABLE)
                s = k % 4 == 0   ? scores[g][k / 4].x
                    : k % 4 == 1 ? scores[g][k / 4].y
                    : k % 4 == 2 ? scores[g][k / 4].z
                                 : scores[g][k / 4].w;
            else if (ROWS && H == 1)
                s = now[g].y < 4 && selectors[k] >> 16 == now[g].y ? (uint32_t)p.match : missed;
            else
                s = select_bytes(now[g].x, now[g].y, selectors[k]);
            if (ROWS && H == 2)
                s = select_bytes(s, missed, selectors[k] >> 16);
            uint32_t m = Cell::add(diagonal[g], s), h;
            diagonal[g] = l.h[k];
            h = Cell::h(l.e[k], f[g], m);
            uint32_t opened = Cell::add(m, first);
            uint32_t opened_e = FROM_M ? opened : Cell::add(h, first);
            if (FULL) {
                if (k == chunk.bottom_k) {
                    bottom = h;
                    bottom_f = f[g];
                }
                highest = Cell::max2(highest, h);
            }
            l.e[k] = Cell::gap(l.e[k], extend, opened_e);
            if (k < A - 1)
                f[g] = Cell::gap(f[g], extend, opened);
            l.h[k] = h;
            if (!FULL && k % TRACK == TRACK - 1 && g == 1) {
                if ((k / TRACK) % 2 == 1)
                    best = Cell::max3(best, h, tracked[g]);
                else if (k + TRACK >= A)
                    best = Cell::max2(best, h);
                tracked[g] = h;
            }
            if (TABLED && k < TABLE && k % 4 == 3)
                scores[g][k / 4] = load_16(lookup + columns[g].z + k / 4 * 512);
        };

        /* What goes down from it. */
        auto leave = [&](const int g, const int t) __attribute__((always_inline))
        {
            l.bottom[g] = f[g];
            l.low[g] = l.h[A - 1];
            if (FULL) {
                leave_bottom(&line[t], bottom, bottom_f, chunk);
                if (chunk.capture != NULL)
                    capture_h(l, t, chunk);
                int top = max(Cell::part(highest, 0), Cell::part(highest, H - 1)) + chunk.base;
                if (top >= max(chunk.threshold, chunk.best.score))
                    look(l.h, t, chunk);
                highest = 0;
            } else if (lane == 31) {
                store_bottom(&line[t], l.h[A - 1], f[g]);
            }
        };

        /* Column t of the chunk, number g of its round. */
        auto column = [&](const int g, const int t) __attribute__((always_inline))
        {
            if (FULL && chunk.enter && t % 2 == 0 && (chunk.first_column + t) / 2 % 32 == lane &&
                chunk.first_column + t < 64 * H)
                enter_left(l, (chunk.first_column + t) / 64, chunk);
            if (FULL && chunk.capture != NULL)
                capture_e(l, t, chunk);
            enter(g);
#pragma unroll
            for (int k = 0; k < A; k++)
                cell(g, k);
            leave(g, t);
        };

#pragma unroll(FULL ? 1 : 2)
        for (int t = 0; t < CS_CHUNK; t += 2) {
            at = at + 16 & (PITCH - 1) * 16;
            column(0, t);
            column(1, t + 1);
        }
        return best;
    }

    CS_DEVICE void
    store_bottom(Bottom *line, uint32_t h, uint32_t f)
    {
        line->h = h;
        line->f = f;
    }

    __device__ void
    leave_bottom(Bottom *to, uint32_t h, uint32_t f, const Chunk &chunk) const
    {
        if (lane != chunk.bottom_lane)
            return;
        if (H == 2)
            store_bottom(to, upper(h, chunk.bottom_half), upper(f, chunk.bottom_half));
        else
            store_bottom(to, h, f);
    }

    /* A half of the word as the upper one. */
    CS_DEVICE uint32_t
    upper(uint32_t word, int half)
    {
        return half ? word : word << 16;
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
                    int r = (lane + 32 * half) * A + k;
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
                    int r = (lane + 32 * half) * A + k;
                    if (captured(r, chunk))
                        chunk.capture[r].h = Cell::part(l.h[k], half) + chunk.base;
                }
    }

    /* A gap value as it leaves: clamped where H is. */
    CS_DEVICE int
    leaving(int gap)
    {
        return max(gap, 0);
    }

    /* The even or odd column of a round; entries of each lie together. */
    CS_DEVICE Column
    load_column(uint32_t at, int residue)
    {
        uint4 v = load_16(at + residue * PITCH * 16);
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
        chunk.bottom_lane = last / A % 32;
        chunk.bottom_half = last / A / 32;
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
        CsKernelBest *mine = &p.bests[(PRUNED ? home : (int)blockIdx.x) * p.warps + self];
        if (lane == 0 && best.score > 0) {
            if (better(best.score, best.i, best.j, *mine))
                *mine = best;
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
            l.h[k] = 0;
            l.e[k] = none;
        }
        l.up = 0;
        for (int g = 0; g < 2; g++) {
            l.low[g] = 0;
            l.bottom[g] = none;
        }
        clear_columns(0);
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

    /*
     * How far any cell is at most above one that is tracked, of the second column of a round and
     * the last of TRACK rows: one letter's gap, down in the second column or right from the first;
     * or the mismatch that leads from the first column's upper row to the second's lower one.
     */
    __device__ int
    slack() const
    {
        static_assert(TRACK <= 2, "more rows need longer gaps");
        return TRACK > 1 ? max(p.first, p.mismatch) : p.first;
    }

    __device__ int
    move_base(Lane<Cell, A> &l, int base)
    {
        if (Cell::BITS == 32)
            return 0;
        uint32_t lowest = l.h[0];
#pragma unroll
        for (int k = 1; k < A; k++)
            lowest = Cell::min2(lowest, l.h[k]);
        int h = warp_min(min(Cell::part(lowest, 0), Cell::part(lowest, 1)));
        return move_base_to(l, base, max(0, base + h - drop()));
    }

    __device__ int
    move_base_to(Lane<Cell, A> &l, int base, int moved)
    {
        if (moved != base) {
            uint32_t by = Cell::both(base - moved);
#pragma unroll
            for (int k = 0; k < A; k++) {
                l.h[k] = Cell::add(l.h[k], by);
                l.e[k] = Cell::add(l.e[k], by);
            }
            l.up = Cell::add(l.up, by);
            for (int g = 0; g < 2; g++) {
                l.low[g] = Cell::add(l.low[g], by);
                l.bottom[g] = Cell::add(l.bottom[g], by);
            }
        }
        return moved;
    }

    __device__ void
    save(const Lane<Cell, A> &l, uint32_t *words, int64_t stride) const
    {
#pragma unroll
        for (int k = 0; k < A; k++) {
            words[k * stride] = l.h[k];
            words[(A + k) * stride] = l.e[k];
        }
        words[CS_STATE_ABOVE(A) * stride] = l.up;
        for (int g = 0; g < 2; g++) {
            words[(CS_STATE_ROUND(A) + g) * stride] = l.low[g];
            words[(CS_STATE_ROUND(A) + 2 + g) * stride] = l.bottom[g];
        }
    }

    __device__ void
    restore(Lane<Cell, A> &l, const uint32_t *words, int64_t stride) const
    {
#pragma unroll
        for (int k = 0; k < A; k++) {
            l.h[k] = words[k * stride];
            l.e[k] = words[(A + k) * stride];
        }
        l.up = words[CS_STATE_ABOVE(A) * stride];
        for (int g = 0; g < 2; g++) {
            l.low[g] = words[(CS_STATE_ROUND(A) + g) * stride];
            l.bottom[g] = words[(CS_STATE_ROUND(A) + 2 + g) * stride];
        }
    }

    enum {
        WORDS = CS_STATE_WORDS(A)
    };

    __device__ uint32_t *
    pending(int which) const
    {
        return p.pending +
               ((int64_t)(slot * p.warps + w) * CS_PENDING + which) * CS_PENDING_WORDS(A);
    }

    /* The words of the bus above chunk c of what is pending. */
    __device__ uint32_t *
    pending_bus(int which, int c) const
    {
        return pending(which) + 32 * WORDS + c * 2 * CS_CHUNK;
    }

    /* What tells which chunks are pending: band, number of the first, its base, how many. */
    __device__ uint32_t *
    about(int which) const
    {
        return pending_bus(which, CS_PENDING_CHUNKS);
    }

    /*
     * Everything that computing the chunk again takes, together with those before it: the state
     * where the first begins, and each one's bus. Returns whether there is a place for it.
     */
    __device__ bool
    keep_pending(const Lane<Cell, A> &l, int band, int xc, int base, int known)
    {
        WarpMemory<Cell> &mine = memory[self];
        int which = mine.place, c = mine.chunks;
        if (which < 0) {
            const unsigned free =
                __ballot_sync(~0u, lane < CS_PENDING && mine.bounds[lane % CS_PENDING] < known);
            if (free == 0)
                return false;
            which = __ffs(free) - 1;
            c = 0;
            save(l, pending(which) + lane, 32);
            if (lane == 0) {
                *(int4 *)about(which) = make_int4(band, xc, base, 0);
                mine.place = which;
                mine.highest = 0;
            }
        }
        __syncwarp();
        if (lane == 0)
            mine.chunks = c + 1;
        uint32_t words[2][EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            const Column &column = mine.columns[place(xc, lane * EACH + r)];
            words[0][r] = column.w;
            words[1][r] = column.z;
        }
        uint4 *bus = (uint4 *)pending_bus(which, c) + lane;
        bus[0] = make_uint4(words[0][0], words[0][1], words[0][2], words[0][3]);
        if (H == 1)
            bus[32] = make_uint4(words[1][0], words[1][1], words[1][2], words[1][3]);
        __syncwarp();
        return true;
    }

    /* Notes a chunk's highest tracked score. */
    __device__ void
    note_tracked(int tracked, int known)
    {
        if (lane != 0)
            return;
        memory[self].highest = max(memory[self].highest, tracked);
        if (tracked > known)
            atomicMax(p.best_score, tracked);
    }

    /* No more chunks to these. Where some must be computed again, the next will be fewer. */
    __device__ void
    close_pending(int known)
    {
        WarpMemory<Cell> &mine = memory[self];
        __syncwarp();
        if (lane == 0 && mine.place >= 0) {
            const int bound = mine.highest + slack();
            about(mine.place)[3] = (uint32_t)mine.chunks;
            mine.bounds[mine.place] = bound >= known ? bound : -1;
            mine.limit = bound >= known ? 1 : min(2 * mine.limit, (int)CS_PENDING_CHUNKS);
            mine.place = -1;
        }
        __syncwarp();
    }

    /* The entries of the chunk before chunk xc. Whether all of them are A, C, G or T. */
    __device__ bool
    refill(int xc, int base)
    {
        if (xc == 0) {
            clear_columns(xc);
            return false;
        }
        Ahead ahead;
        look_ahead(ahead, xc - 1, false);
        return fill(ahead, xc - 1, 0, base, false);
    }

    /* Computes pending chunks again and keeps their best cell. */
    __device__ void
    settle(int which)
    {
        const int4 what = *(const int4 *)about(which);
        const int band = what.x, end = what.y + what.w;
        int base = what.z;
        Lane<Cell, A> l;
        uint32_t selectors[A];
        restore(l, pending(which) + lane, 32);
        load_rows(band, selectors);
        refill(what.y, base);
        Chunk chunk = strip_of(band);
        for (int xc = what.y; xc < end; xc++) {
            if (xc > what.y)
                base = move_base(l, base);
            enter_again(pending_bus(which, xc - what.y), xc, base);
            chunk.turn = xc & 1;
            chunk.first_column = xc * CS_CHUNK;
            chunk.base = base;
            chunk.threshold = max(1, *(volatile int32_t *)p.best_score);
            steps<true, false, true>(l, selectors, chunk);
            __syncwarp();
        }
        merge_best(chunk.best);
        if (lane == 0)
            atomicAdd((unsigned long long *)p.reruns, (unsigned long long)what.w);
        __syncwarp();
    }

    /* The entries of a pending chunk. */
    __device__ void
    enter_again(const uint32_t *bus, int xc, int base)
    {
        Ahead ahead;
        look_ahead(ahead, xc, false);
        fill(ahead, xc, 0, base, false);
        for (int r = 0; r < EACH; r++) {
            Column &column = memory[self].columns[place(xc, lane * EACH + r)];
            if (H == 1)
                column.z = bus[CS_CHUNK + lane * EACH + r];
            column.w = bus[lane * EACH + r];
        }
        __syncwarp();
    }

    /*
     * Completes F of EACH neighbouring bottom cells a lane: the loops open F from M only, so what
     * is opened from E is still missing. A gap down after a gap right costs what it costs the other
     * way round, so it is what a gap right would make of F here. along: that, at lane 0's first
     * column; made to be that of the chunk behind. What is not above 0 makes no difference, since
     * H is clamped there.
     */
    __device__ void
    mend(int (&f)[EACH], int64_t &along) const
    {
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

    /* The bottom row of a strip: to the warp below, or to the bus where the block row ends. */
    __device__ void
    hand_down(const Chunk &chunk, int band, int until, int64_t &along)
    {
        if (chunk.end > chunk.start + STRIP || !chunk.kept)
            return; /* the warp below reads it where it is, or nobody does */
        const Bottom *ring = &memory[self].ring[chunk.line + lane * EACH];
        const int skew = 2 * (chunk.bottom_lane + 32 * chunk.bottom_half);
        const int c = chunk.first_column - skew + lane * EACH;
        int h[EACH], f[EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            Bottom bottom = ring[r];
            h[r] = bottom_h(bottom) + chunk.base;
            f[r] = c + r >= 0 ? bottom_f(bottom) + chunk.base : CS_NONE_32;
        }
        if (chunk.first_column == (PRUNED ? item_begin() * CS_CHUNK : 0)) /* the row begins here */
            along = (p.enter_f != NULL ? p.enter_f[block_row(band)] : CS_NONE_32) +
                    (int64_t)p.extend * skew;
        mend(f, along);
        CsKernelCell *bus = p.bus + slot * p.bus_stride + c;
        if (c >= 0 && c + EACH <= until) {
            ((int4 *)bus)[0] = make_int4(h[0], leaving(f[0]), h[1], leaving(f[1]));
            ((int4 *)bus)[1] = make_int4(h[2], leaving(f[2]), h[3], leaving(f[3]));
        } else {
            for (int r = 0; r < EACH; r++)
                if (c + r >= 0 && c + r < until)
                    bus[r] = {h[r], leaving(f[r])};
        }
        if (chunk.piece >= 0)
            hand_piece(chunk, band, until, c, h, f);
    }

    /* The same to the host's pieces of a special row. */
    __device__ void
    hand_piece(const Chunk &chunk, int band, int until, int c, const int (&h)[EACH],
               const int (&f)[EACH]) const
    {
        const int width = p.block_chunks * CS_CHUNK;
        for (int r = 0; r < EACH; r++) {
            int at = c + r, bj = at / width;
            if (at < 0 || at >= until)
                continue;
            int64_t d = (int64_t)band * p.block_columns + bj + (int64_t)p.stagger * slot;
            p.pieces[((d % p.queue) * p.special_places + chunk.piece) * width + at % width] = {
                h[r], leaving(f[r])};
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

    /*
     * A step of the warps above and below is over: what the one above leaves is there, and the one
     * below has read what this one overwrites next. Others may be further or less far. Two
     * neighbours' barrier has the number of the one below, and they meet at one instruction, as
     * they must.
     */
    __device__ void
    meet_neighbours() const
    {
        __syncwarp();
#pragma unroll 1
        for (int below = max(self, 1); below <= min(self + 1, p.warps - 1); below++)
            asm volatile("bar.sync %0, 64;" : : "r"(below) : "memory");
    }

    /* What of H, absolute, a chunk of a launch that skips may start from. */
    struct Entering {
        int lowest, highest; /* of the strip, as it stands */
        int top, top_last;   /* from above: the highest, and that of the last column */
        __device__ bool
        fits_16(int base, int match) const
        {
            return max(highest, top) - base + match * (CS_CHUNK + 1) < 32000;
        }
    };

    /* The bus is the row above's only so far; elsewhere nothing enters. */
    __device__ void
    forget_foreign(Ahead &ahead, int xc) const
    {
        if (w > 0 || (xc >= memory[0].item.top_from && xc < memory[0].item.top_until))
            return;
#pragma unroll
        for (int r = 0; r < EACH; r++)
            ahead.cells[r] = {0, CS_NONE_32};
    }

    /* H above the chunk. */
    __device__ Entering
    look_above(const Ahead &ahead, int turn) const
    {
        int h[EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            h[r] = ahead.cells[r].h;
            if (w > 0) {
                const WarpMemory<Cell> &above = memory[self - 1];
                int made = lane * EACH + r + SKEW, chunk = turn + made / CS_CHUNK & 3;
                h[r] =
                    bottom_h(above.ring[chunk * CS_CHUNK + made % CS_CHUNK]) + above.bases[chunk];
            }
        }
        Entering entering;
        entering.lowest = entering.highest = 0;
        entering.top = warp_max(max(max(h[0], h[1]), max(h[2], h[3])));
        entering.top_last = __shfl_sync(~0u, h[EACH - 1], 31);
        return entering;
    }

    /* The same of the strip itself. */
    __device__ void
    look_left(const Lane<Cell, A> &l, int base, Entering &entering) const
    {
        uint32_t lowest = l.h[0], highest = Cell::max3(l.up, l.low[0], l.low[1]);
#pragma unroll
        for (int k = 0; k < A; k++) {
            lowest = Cell::min2(lowest, l.h[k]);
            highest = Cell::max2(highest, l.h[k]);
        }
        entering.lowest = base + warp_min(min(Cell::part(lowest, 0), Cell::part(lowest, H - 1)));
        entering.highest = base + warp_max(max(Cell::part(highest, 0), Cell::part(highest, H - 1)));
    }

    __device__ int64_t
    gap(int letters) const
    {
        return p.first + (int64_t)p.extend * (letters - 1);
    }

    /* What E, or F below the row above, is at least beside cells of this H, relative to the base.
     * The row above has no H lower by more than gap_open + match + extend. */
    __device__ uint32_t
    least_e(int h, int base) const
    {
        return Cell::both(relative((int)max((int64_t)CS_NONE_32, h - gap(1)), base));
    }
    __device__ uint32_t
    least_f(int h, int base) const
    {
        const int64_t f = h - gap(1) - p.open - p.match - p.extend;
        return Cell::both(relative((int)max((int64_t)CS_NONE_32, f), base));
    }

    /* Every cell of the strip as it stands has this H. */
    __device__ int
    level(Lane<Cell, A> &l, int h) const
    {
        const int base = Cell::BITS == 16 ? max(0, h - drop()) : 0;
        const uint32_t all = Cell::both(h - base), e = least_e(h, base);
#pragma unroll
        for (int k = 0; k < A; k++) {
            l.h[k] = all;
            l.e[k] = e;
        }
        l.up = all;
        for (int g = 0; g < 2; g++) {
            l.low[g] = all;
            l.bottom[g] = least_f(h, base); /* no lower: the base may rise before it is read */
        }
        return base;
    }

    /*
     * What no cell of the strip is below, as it stands and in the chunk's columns: the highest H
     * above them, less one gap down the strip and a way back to the left, on which H rises by at
     * most gap_open + (match + extend) * c over c columns. A way on to the right costs less.
     */
    __device__ int
    reach(const Entering &entering) const
    {
        const int64_t back = p.open + ((int64_t)p.match + p.extend) * (CS_CHUNK + SKEW + 2);
        return (int)max((int64_t)0, entering.top - gap(STRIP) - back);
    }

    /* Lifts the strip there before a chunk that is computed: what was skipped on its left may lie
     * too far below what comes from above for 16 bits. Returns the base. */
    __device__ int
    raise(Lane<Cell, A> &l, int base, Entering &entering) const
    {
        const int floor = reach(entering);
        entering.lowest = floor;
        if (floor >= entering.highest) {
            entering.highest = floor;
            return level(l, floor);
        }
        const uint32_t h = Cell::both(floor - base), e = least_e(floor, base);
#pragma unroll
        for (int k = 0; k < A; k++) {
            l.h[k] = Cell::max2(l.h[k], h);
            l.e[k] = Cell::max2(l.e[k], e);
        }
        l.up = Cell::max2(l.up, h);
        for (int g = 0; g < 2; g++) {
            l.low[g] = Cell::max2(l.low[g], h);
            l.bottom[g] = Cell::max2(l.bottom[g], least_f(floor, base));
        }
        return base;
    }

    CS_DEVICE bool
    is_below(int highest, int bound, int open, int known)
    {
        return bound < known && highest < (int64_t)known - bound - open;
    }

    /*
     * Whether pruning.h lets the chunk be skipped. It has cells of this chunk's columns and of as
     * many before as its lanes are apart.
     */
    __device__ bool
    skips(const Entering &entering, int band, int xc, int known) const
    {
        const int highest = max(entering.highest, entering.top);
        int here = p.column_bounds[xc / p.block_chunks];
        int before = p.column_bounds[max(xc - 1, 0) / p.block_chunks];
        int bound = min(p.row_bounds[block_row(band)], max(here, before));
        return is_below(highest, bound, p.open, known) ||
               (p.both.highest != NULL &&
                is_below(highest, bound_of_both(band, xc), p.open, known));
    }

    /* The chunk's bound by the table of both sides: the highest of the entries that it lies in. */
    __device__ int
    bound_of_both(int band, int xc) const
    {
        const CsKernelTable &both = p.both;
        const int top = both.above + strip_start(band), left = both.left_of + xc * CS_CHUNK;
        const int rows = min((int)STRIP, p.ends[block_row(band)] - strip_start(band));
        /* Boundaries belong to the entries on both of their sides. */
        const int row_last = min((top + rows - 1) / both.band, both.rows - 1);
        const int column_last = min((left + CS_CHUNK - 1) / both.part, both.columns - 1);
        int highest = 0;
        for (int r = top / both.band; r <= row_last; r++)
            for (int c = max(left - SKEW - 2, 0) / both.part; c <= column_last; c++)
                highest = max(highest, both.highest[r * both.columns + c]);
        return highest;
    }

    /*
     * What a skipped chunk leaves: not zero, which would lie too far below what comes from above
     * later for 16 bits, but what a gap right from the strip's lowest cell leaves, or what reach()
     * says; no cell's H is below. Returns the base.
     */
    __device__ int
    skip_chunk(Lane<Cell, A> &l, const Chunk &chunk, Entering &entering)
    {
        const int64_t from_left = max((int64_t)0, entering.lowest - gap(CS_CHUNK));
        const int h = (int)max(from_left, (int64_t)reach(entering));
        const int base = level(l, h);
        entering.lowest = entering.highest = h;
        if (lane == 0) /* H above it at the last column */
            l.up = Cell::with_part(l.up, 0, relative(entering.top_last, base));
        Bottom *line = &memory[self].ring[chunk.line + lane * EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++)
            store_bottom(line + r, Cell::both(h - base),
                         Cell::both(Cell::BITS == 16 ? CS_NONE_16 : CS_NONE_32));
        return base;
    }

    CS_DEVICE int
    load_acquire(const int32_t *from)
    {
        int value;
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
        return value;
    }

    /* Until a row has come so far: a block before this one in the list sees to it. */
    __device__ void
    wait_for(int row, int progress) const
    {
        while (load_acquire(&p.progress[row]) < progress)
            __nanosleep(200);
    }

    /* The last warp has done what others wait for. */
    __device__ void
    tell(int row, int progress) const
    {
        __syncwarp();
        if (lane != 0)
            return;
        __threadfence();
        asm volatile("st.release.gpu.global.s32 [%0], %1;"
                     :
                     : "l"(&p.progress[row]), "r"(progress)
                     : "memory");
    }

    /* A block of a launch that skips, or the end of the delegated triangle behind the last. */
    __device__ void
    run_item()
    {
        const CsKernelItem &item = memory[0].item;
        const int row = item.row, width = p.block_chunks, chunks = p.block_columns * width;
        const int begin = item.start * width, u = item.block * width;
        const bool end = item.block == p.block_columns, amid = item.block > item.start;
        const bool riser = item.drain && !end;
        const int steps = end || riser ? CS_LAG * (p.warps - 1) + riser : width;
        const int phase = CS_LAG * (p.warps - 1) + 2;
        if (threadIdx.x == 0 && !item.drain) {
            if (amid)
                wait_for(row, CS_PROGRESS_LONG(item.block - 1));
            if (item.wait > 0)
                wait_for(item.wait_row, item.wait);
        }
        __syncthreads();

        WarpMemory<Cell> &mine = memory[self];
        const int64_t threads = (int64_t)p.slots * p.warps * 32, warp = slot * p.warps + w;
        uint32_t *state = p.state + warp * 32 + lane;
        Bottom *ring = (Bottom *)p.rings + warp * CS_RING;
        Lane<Cell, A> l;
        uint32_t selectors[A];
        int base = 0, computed = 0;
        int64_t along = CS_NONE_32;
        if (amid) {
            restore(l, state, threads);
            base = (int)state[CS_STATE_BASE(A) * threads];
            along = (int)state[CS_STATE_ALONG(A) * threads];
        }
#pragma unroll
        for (int k = 0; k < CS_RING / 32; k++)
            mine.ring[k * 32 + lane] = amid ? ring[k * 32 + lane] : Bottom{0, 0};
        if (lane < 4)
            mine.bases[lane] = amid ? p.bases[warp * 4 + lane] : 0;
        if (lane < CS_PENDING)
            mine.bounds[lane] = p.bounds[warp * CS_PENDING + lane];
        if (lane == 0) {
            mine.place = -1;
            mine.limit = 1;
        }

        const int x = u - CS_LAG * w;
        bool odd = false;
        int plain = 0, xc = max(x, begin);
        const Chunk strip = strip_of(row);
        const bool there = strip.start < strip.end;
        Ahead ahead = {};
        look_ahead(ahead, min(xc, chunks - 1), true);
        if (there && x > begin) {
            odd = load_rows(row, selectors);
            make_table(selectors);
            plain = refill(xc, base);
        }
        __syncthreads();
        const int from = max(begin - x, 0), turn = x & 3;
        const int to = min((riser ? u + 1 : chunks) - x, steps);
        for (int step = 0; step < steps; step++) {
            if (self == 0 && step == phase - 1 && item.wait_long > 0) {
                if (lane == 0)
                    wait_for(row - 1, item.wait_long);
                __syncwarp();
            }
            if (step >= from && step < to && there) {
                computed += chunk_step(l, selectors, strip, ahead, base, along, row, xc,
                                       turn + step & 3, odd, plain, item.drain);
                xc++;
            }
            if (self == p.warps - 1 && step == phase - 1 && !end)
                tell(row, CS_PROGRESS_SHORT(item.block));
            meet_neighbours();
        }
        if (item.drain)
            return;
        close_pending(1);
        save(l, state, threads);
        state[CS_STATE_BASE(A) * threads] = (uint32_t)base;
        state[CS_STATE_ALONG(A) * threads] = (uint32_t)along;
        for (int k = lane; k < CS_RING; k += 32)
            ring[k] = mine.ring[k];
        if (lane < 4)
            p.bases[warp * 4 + lane] = mine.bases[lane];
        if (lane < CS_PENDING)
            p.bounds[warp * CS_PENDING + lane] = mine.bounds[lane];
        if (lane == 0)
            mine.computed = computed;
        __syncthreads();
        if (self == 0)
            tell(row, CS_PROGRESS_LONG(item.block));
        if (threadIdx.x == 0) {
            int all = 0;
            for (int k = 0; k < p.warps; k++)
                all += memory[k].computed;
            p.computed[memory[0].ticket] = all;
        }
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
            u_end = u + CS_LAG * (p.warps - 1) + 1;
            x_end = u + amid;
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
        int base = (int)state[CS_STATE_BASE(A) * threads];
        int64_t along = (int)state[CS_STATE_ALONG(A) * threads]; /* see mend() */
#pragma unroll
        for (int k = 0; k < CS_RING / 32; k++)
            mine.ring[k * 32 + lane] = ring[k * 32 + lane];
        if (lane < 4)
            mine.bases[lane] = p.bases[warp * 4 + lane];
        if (lane < CS_PENDING)
            mine.bounds[lane] = p.bounds[warp * CS_PENDING + lane];
        if (lane == 0) {
            mine.place = -1;
            mine.limit = 1;
        }

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
                odd = load_rows(band, selectors);
                make_table(selectors);
                plain = refill(xc, base);
            }
        }
        __syncthreads();
        /* The steps of this launch in which the warp has a chunk. */
        const int steps = (int)(u_end - u), turn = (int)(x & 3);
        const int from = (int)max(-x, (int64_t)0), to = (int)min(x_end - x, (int64_t)steps);
        for (int step = 0; step < steps; step++) {
            if (step >= from && step < to) {
                if (xc == 0) {
                    strip = strip_of(band);
                    there = strip.start < strip.end;
                }
                if (there)
                    chunk_step(l, selectors, strip, ahead, base, along, band, xc, turn + step & 3,
                               odd, plain, amid);
                if (++xc == band_chunks) {
                    xc = 0;
                    band++;
                }
            }
            meet_neighbours();
        }
        if (p.drain)
            return;
        close_pending(1);
        save(l, state, threads);
        state[CS_STATE_BASE(A) * threads] = (uint32_t)base;
        state[CS_STATE_ALONG(A) * threads] = (uint32_t)along;
        for (int k = lane; k < CS_RING; k += 32)
            ring[k] = mine.ring[k];
        if (lane < 4)
            p.bases[warp * 4 + lane] = mine.bases[lane];
        if (lane < CS_PENDING)
            p.bounds[warp * CS_PENDING + lane] = mine.bounds[lane];
    }

    /* Where a border leaves: the right one, or the riser of what drains amid a row. */
    __device__ void
    set_capture(Chunk &chunk, bool amid) const
    {
        const int64_t q = PRUNED ? memory[0].item.block : p.diagonal - (int64_t)p.stagger * slot;
        if (PRUNED ? amid && q < p.block_columns : p.drain && amid) {
            chunk.capture_column = (int)(q % p.block_columns) * p.block_chunks * CS_CHUNK;
            chunk.capture = p.risers + (int64_t)slot * p.warps * STRIP + w * STRIP;
        } else if (p.right != NULL) {
            chunk.capture = p.right + chunk.start;
        }
        if (chunk.capture_column <= chunk.first_column - SKEW ||
            chunk.capture_column > chunk.first_column + CS_CHUNK)
            chunk.capture = NULL;
    }

    /* One chunk of the warp's strip; amid: the row has blocks before this one, or, PRUNED, this
     * only drains. Returns whether it was computed. */
    __device__ __forceinline__ bool
    chunk_step(Lane<Cell, A> &l, uint32_t (&selectors)[A], const Chunk &strip, Ahead &ahead,
               int &base, int64_t &along, int band, int xc, int turn, bool &odd, int &plain,
               bool amid)
    {
        WarpMemory<Cell> &mine = memory[self];
        const int begin = PRUNED ? item_begin() : 0;
        if (ahead.chunk != xc) /* the warp had no rows in the band before */
            look_ahead(ahead, xc, true);
        const int known = max(1, ahead.known);
        Chunk chunk = strip;
        chunk.turn = xc & 1;
        chunk.first_column = xc * CS_CHUNK;
        chunk.left = p.left;
        chunk.line = turn * CS_CHUNK;
        Entering entering = {};
        /* Of the last one that drains only what lies left of its columns counts: nothing enters. */
        const bool last = PRUNED && amid && xc == memory[0].item.block * p.block_chunks;
        if (PRUNED) {
            set_capture(chunk, amid);
            forget_foreign(ahead, xc);
            if (!last)
                entering = look_above(ahead, turn);
        }
        if (xc == begin) {
            odd = load_rows(band, selectors);
            make_table(selectors);
            plain = 0;
            if (PRUNED && begin > 0) {
                base = level(l, 0); /* what is left of it is skipped */
                plain = refill(xc, base);
            } else {
                base = enter_band(l, chunk);
            }
        } else if (!PRUNED) {
            base = move_base(l, base);
        }
        bool skipped = false;
        if (PRUNED) {
            look_left(l, base, entering);
            skipped = chunk.capture == NULL && skips(entering, band, xc, known);
            if (skipped) {
                base = skip_chunk(l, chunk, entering);
            } else if (Cell::BITS == 16) {
                if (reach(entering) > entering.lowest) {
                    close_pending(known); /* which is computed again without this */
                    base = raise(l, base, entering);
                }
                base = move_base_to(l, base, max(0, entering.lowest - drop()));
            }
            if (Cell::BITS == 16 && !entering.fits_16(base, p.match) && lane == 0)
                *p.trouble = 1;
        }
        chunk.base = base;
        if (lane == 0)
            mine.bases[turn] = base;
        plain = fill(ahead, xc, turn, base, !skipped && !last) ? plain + 1 : 0;
        look_ahead(ahead, xc + 1 == p.block_columns * p.block_chunks ? 0 : xc + 1, true);
        __syncwarp();
        if (PRUNED && skipped) {
            close_pending(known);
            along = CS_NONE_32;
            hand_down(chunk, band, chunk.capture_column, along);
            __syncwarp();
            return false;
        }

        /* The borders of this chunk. */
        chunk.enter = p.left != NULL && xc * CS_CHUNK <= SKEW;
        if (!PRUNED)
            set_capture(chunk, amid);

        const bool cut = chunk.kept && chunk.end < chunk.start + STRIP;
        const bool drain = PRUNED ? amid : p.drain;
        const bool slow = p.full || drain || cut || chunk.enter || chunk.capture != NULL;
        if (slow)
            close_pending(known);
        if (slow || !keep_pending(l, band, xc, base, known)) {
            uint32_t all[A];
            load_rows(band, all);
            chunk.threshold = known;
            steps<true, false, true>(l, all, chunk);
            if (__any_sync(~0u, chunk.best.score > 0))
                merge_best(chunk.best);
        } else {
            uint32_t best;
            if (odd || (TABLE > 0 && plain < 2)) { /* the table knows A, C, G and T only */
                uint32_t all[A];
                load_rows(band, all);
                best = odd ? steps<false, false, true>(l, all, chunk)
                           : steps<false, false, false>(l, all, chunk);
            } else {
                best = steps<false, (TABLE > 0), false>(l, selectors, chunk);
            }
            int tracked = max(Cell::part(best, 0), Cell::part(best, H - 1)) + base;
            tracked = warp_max(tracked);
            note_tracked(tracked, known);
            if (tracked + slack() >= known || mine.chunks >= mine.limit ||
                xc + 1 == p.block_columns * p.block_chunks)
                close_pending(known);
        }
        __syncwarp();
        hand_down(chunk, band, chunk.capture_column, along);
        __syncwarp();
        return true;
    }

    /* The chunk at which the item's row begins. */
    __device__ int
    item_begin() const
    {
        return memory[0].item.start * p.block_chunks;
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

template <class Cell, int A, int TABLE, int FIRST, int EXTEND, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) sweep_kernel(const __grid_constant__ CsKernelLaunch p)
{
    extern __shared__ uint4 shared[];
    WarpMemory<Cell> *memory = (WarpMemory<Cell> *)shared;
    Sweep<Cell, A, TABLE, FIRST, EXTEND, false>(p, memory, (uint4 *)(memory + p.warps),
                                                p.slot_from + (int)blockIdx.x)
        .run();
}

/* Items are taken in their order, whatever the order in which blocks start. */
template <class Cell, int A, int TABLE, int FIRST, int EXTEND, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) pruned_kernel(const __grid_constant__ CsKernelLaunch p)
{
    extern __shared__ uint4 shared[];
    WarpMemory<Cell> *memory = (WarpMemory<Cell> *)shared;
    if (threadIdx.x == 0) {
        memory[0].ticket = atomicAdd(p.ticket, 1) - p.tickets_before;
        memory[0].item = p.items[memory[0].ticket];
    }
    __syncthreads();
    Sweep<Cell, A, TABLE, FIRST, EXTEND, true>(p, memory, (uint4 *)(memory + p.warps),
                                               memory[0].item.slot)
        .run_item();
}

template <class Cell, int A, int TABLE, int FIRST, int EXTEND, bool PRUNED, int WARPS, int RESIDENT>
__global__ void
__launch_bounds__(WARPS * 32, RESIDENT) settle_kernel(const __grid_constant__ CsKernelLaunch p)
{
    extern __shared__ uint4 shared[];
    WarpMemory<Cell> *memory = (WarpMemory<Cell> *)shared;
    Sweep<Cell, A, TABLE, FIRST, EXTEND, PRUNED>(p, memory, (uint4 *)(memory + p.warps), blockIdx.x)
        .settle_all();
}

/* One form's wrappers; with those of launches that skip where PRUNED. */
template <class Cell, int A, int TABLE, int FIRST, int EXTEND, int WARPS, int RESIDENT, bool PRUNED>
struct Form {
    static constexpr CsKernel
    kernel()
    {
        CsKernel kernel = {Cell::BITS,   A,
                           FIRST,        EXTEND,
                           WARPS,        RESIDENT,
                           shared_bytes, resident<false>,
                           sweep<false>, settle<false>,
                           nullptr,      nullptr,
                           nullptr};
        if constexpr (PRUNED) {
            kernel.resident_pruned = resident<true>;
            kernel.sweep_pruned = sweep<true>;
            kernel.settle_pruned = settle<true>;
        }
        return kernel;
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

    static size_t
    settle_bytes(int warps)
    {
        return warps * sizeof(WarpMemory<Cell>);
    }

    typedef void Kernel(CsKernelLaunch);

    /* How many blocks run at once, of the two kernels prepared for so many warps. */
    static cudaError_t
    prepare(Kernel *sweep, Kernel *settle, int warps, int *blocks)
    {
        cudaError_t code = cudaFuncSetAttribute(sweep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)shared_bytes(warps));
        if (code == cudaSuccess)
            code = cudaFuncSetAttribute(settle, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)settle_bytes(warps));
        if (code != cudaSuccess)
            return code;
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, sweep, warps * 32,
                                                             shared_bytes(warps));
    }

    /* SKIPS: of launches that skip. */
    template <bool SKIPS>
    static constexpr Kernel *
    sweep_form()
    {
        if constexpr (SKIPS)
            return pruned_kernel<Cell, A, TABLE, FIRST, EXTEND, WARPS, RESIDENT>;
        else
            return sweep_kernel<Cell, A, TABLE, FIRST, EXTEND, WARPS, RESIDENT>;
    }

    template <bool SKIPS>
    static cudaError_t
    resident(int warps, int *blocks)
    {
        return prepare(sweep_form<SKIPS>(),
                       settle_kernel<Cell, A, TABLE, FIRST, EXTEND, SKIPS, WARPS, RESIDENT>, warps,
                       blocks);
    }

    template <bool SKIPS>
    static cudaError_t
    sweep(const CsKernelLaunch *launch, cudaStream_t stream)
    {
        const int blocks = SKIPS ? launch->item_count : launch->slot_count;
        sweep_form<SKIPS>()<<<blocks, launch->warps * 32, shared_bytes(launch->warps), stream>>>(
            *launch);
        return cudaGetLastError();
    }

    template <bool SKIPS>
    static cudaError_t
    settle(const CsKernelLaunch *launch, cudaStream_t stream)
    {
        settle_kernel<Cell, A, TABLE, FIRST, EXTEND, SKIPS, WARPS, RESIDENT>
            <<<launch->slots, launch->warps * 32, settle_bytes(launch->warps), stream>>>(*launch);
        return cudaGetLastError();
    }
};

#endif
