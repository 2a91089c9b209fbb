/*
 * A warp's strip: the shape that a form gives it, the words that its lanes hold, its rows, and what
 * a slot keeps of it from launch to launch.
 *
 * A word has two halves. The low half of lane l holds rows l * A .. l * A + A - 1 of the strip, one
 * row per word; the high half holds the rows 32 * A below. The loop takes two columns per round.
 * Each lane is two columns behind the lane above it, and the high half of lane 0 is behind the low
 * half of lane 31:
 *
 *     columns t, t + 1 (t even)   lane 0:  low  t, t + 1       high  t - 64, t - 63
 *                                 lane 1:  low  t - 2, t - 1   high  t - 66, t - 65
 *                                 lane 31: low  t - 62, t - 61 high  t - 126, t - 125
 *
 * So what a lane needs from the lane above was computed a round before, and a round is a (double)
 * internal diagonal with delegation at both ends.
 *
 * In 16 bits a strip's values are relative to its base, a non-negative number that moves before
 * each chunk: base' = max(0, base + min(H of all lanes) - (first - extend) - extend * CS_CHUNK). No
 * H of the chunk's columns is below base', because H falls along a row by at most the cost of one
 * gap. So the clamp at the stored zero is the recurrence's clamp if base' is 0, and has no effect
 * otherwise. The host proves that nothing is above 32767 (cs_cuda_forms_fits_16()).
 */
#ifndef CS_STRIP_CUH
#define CS_STRIP_CUH

#include "cuda/recurrence.cuh"
#include "cuda/sweep_kernel.h"
#include "cuda/warp.cuh"

enum {
    EACH = CS_CHUNK / 32, /* columns of a chunk that a lane prepares */
    PITCH = CS_CHUNK,     /* from even to odd columns' entries */
    APART = 64,           /* columns between the halves */
    COMBINATIONS = 16,    /* of two bases */
};

/* What a form fixes for its strips: A words per lane, the first TABLE of them scored by table. A
 * gap's first base costs FIRST and each further one EXTEND; if these are 0, the launch has them. */
template <class CellType, int WORDS, int TABLE_WORDS, int FIRST_COST, int EXTEND_COST>
struct Shape {
    typedef CellType Cell;
    enum {
        A = WORDS,
        TABLE = TABLE_WORDS,
        FIRST = FIRST_COST,
        EXTEND = EXTEND_COST,
        H = Cell::HALVES,
        STRIP = 32 * H * A,      /* rows */
        SKEW = 2 * (32 * H - 1), /* columns from lane 0's to the bottom row's */
        TRACK = A > 1 ? 2 : 1,   /* the fast loop looks at one of this many rows */
        FROM_M = FIRST > 0,      /* E is opened from M, too */
        TABLE_BYTES = COMBINATIONS * (TABLE / 4) * 512, /* of a warp */
    };
};

/* What a step reads of the column that lane 0 enters; 16 bytes so that one load fetches it. */
struct Column {
    /* Pair: score bytes of this column and of that APART before, a table offset, H and F of the bus
     * as 16 bits each. Single: score bytes, code, H, F. */
    uint32_t x, y, z, w;
};

/* H and F of a bottom cell, in the words that hold them; with Pair, in the upper halves. */
struct Bottom {
    uint32_t h, f;
};

/* A warp's part of shared memory. The tables of scores follow after the parts of all warps. */
struct alignas(16) WarpMemory {
    Column columns[2 * CS_CHUNK]; /* of the chunk before and of this one, in turn */
    Bottom ring[CS_RING];
    int32_t bases[4];           /* score bases of the last four chunks, by place in the stream */
    int32_t bounds[CS_PENDING]; /* -1: free */
    /* Chunks that may become pending: their place, or -1; how many there are, and at most; the
     * highest score looked at. */
    int32_t place, chunks, limit, highest;
    /* In a launch that skips: chunks computed; for warp 0, also the item and its number. */
    int32_t computed, ticket;
    CsKernelItem item;
};

/* The values that a lane holds for its rows. */
template <class S> struct Lane {
    typedef typename S::Cell Cell;

    uint32_t h[S::A];
    uint32_t e[S::A];   /* E of the next column */
    uint32_t up;        /* H above the first row of each half, one column back */
    uint32_t low[2];    /* of both columns of the round before: H of the last row of each half, */
    uint32_t bottom[2]; /* and F of it */

    /* Adds a number to every value. */
    __device__ void
    add(int value)
    {
        uint32_t by = Cell::both(value);
#pragma unroll
        for (int k = 0; k < S::A; k++) {
            h[k] = Cell::add(h[k], by);
            e[k] = Cell::add(e[k], by);
        }
        up = Cell::add(up, by);
        for (int g = 0; g < 2; g++) {
            low[g] = Cell::add(low[g], by);
            bottom[g] = Cell::add(bottom[g], by);
        }
    }

    /* Gives every row the same H and E, and the lane below the same F. */
    __device__ void
    set(uint32_t all_h, uint32_t all_e, uint32_t all_f)
    {
#pragma unroll
        for (int k = 0; k < S::A; k++) {
            h[k] = all_h;
            e[k] = all_e;
        }
        up = all_h;
        for (int g = 0; g < 2; g++) {
            low[g] = all_h;
            bottom[g] = all_f;
        }
    }

    /* The words of one lane are `stride` apart. */
    __device__ void
    save(uint32_t *words, int64_t stride) const
    {
#pragma unroll
        for (int k = 0; k < S::A; k++) {
            words[k * stride] = h[k];
            words[(S::A + k) * stride] = e[k];
        }
        words[CS_STATE_ABOVE(S::A) * stride] = up;
        for (int g = 0; g < 2; g++) {
            words[(CS_STATE_ROUND(S::A) + g) * stride] = low[g];
            words[(CS_STATE_ROUND(S::A) + 2 + g) * stride] = bottom[g];
        }
    }

    __device__ void
    restore(const uint32_t *words, int64_t stride)
    {
#pragma unroll
        for (int k = 0; k < S::A; k++) {
            h[k] = words[k * stride];
            e[k] = words[(S::A + k) * stride];
        }
        up = words[CS_STATE_ABOVE(S::A) * stride];
        for (int g = 0; g < 2; g++) {
            low[g] = words[(CS_STATE_ROUND(S::A) + g) * stride];
            bottom[g] = words[(CS_STATE_ROUND(S::A) + 2 + g) * stride];
        }
    }
};

/* A warp's place, and what is the same for all its steps. */
template <class S> struct Warp {
    typedef typename S::Cell Cell;

    const CsKernelLaunch &p;
    WarpMemory *memory;     /* of all warps of the block */
    uint4 *table;           /* of this warp */
    int slot, w;            /* whose strip */
    const int self, lane;   /* the warp in its block, the lane in the warp */
    const int home;         /* the slot under which the block keeps its best cells */
    uint32_t first, extend; /* negative, in every half */
    uint32_t mismatches;    /* four score bytes */

    __device__
    Warp(const CsKernelLaunch &p, uint4 *shared, int slot, int home)
        : p(p), memory((WarpMemory *)shared), slot(slot), w(threadIdx.x >> 5),
          self(threadIdx.x >> 5), lane(threadIdx.x & 31), home(home)
    {
        table = (uint4 *)(memory + p.warps) + (size_t)self * (S::TABLE_BYTES / 16);
        first = Cell::both(S::FIRST > 0 ? -S::FIRST : -p.first);
        extend = Cell::both(S::FIRST > 0 ? -S::EXTEND : -p.extend);
        mismatches = (uint32_t)(uint8_t)-p.mismatch * 0x01010101u;
        if (S::FIRST == 0) /* keep them in registers instead of loading them again */
            keep_in_registers(first, extend);
    }

    __device__ WarpMemory &
    mine() const
    {
        return memory[self];
    }

    /* The strip's first row in a block row, from 0. */
    __device__ int
    strip_start(int row) const
    {
        return p.starts[row] + w * S::STRIP;
    }

    /* The most that H can fall along the columns of a chunk. */
    __device__ int
    drop() const
    {
        return p.first - p.extend + p.extend * CS_CHUNK;
    }

    /* A bus value relative to the base. */
    CS_DEVICE int
    relative(int value, int base)
    {
        return Cell::BITS == 16 ? max(CS_NONE_16, min(value - base, 32000)) : value;
    }
};

/* The rows of a strip, and where its bottom row goes. */
struct StripRows {
    int tier, row;                          /* and the block row that the slot has in it */
    int start, end;                         /* first row of the strip; last row of the block row */
    int bottom_lane, bottom_half, bottom_k; /* of row `end` */
    bool kept;                              /* somebody needs row `end` */
    int piece;                              /* place of a special row's pieces, or -1 */
};

/* What the loops need to know about a chunk, and what the slow one finds. */
struct Chunk : StripRows {
    int turn;         /* which half of the columns' entries is this chunk's */
    int first_column; /* of the chunk, from 0 */
    int base;
    bool odd;                 /* the strip has rows other than A, C, G and T */
    bool enter;               /* left border values come in */
    const CsKernelCell *left; /* of all rows */
    int capture_column;       /* from 1; beyond it no cell counts */
    CsKernelCell *capture;    /* of row `start`, or NULL */
    int line;                 /* where in the ring the bottom row's cells go */
    int threshold;
    CsKernelBest best;
};

/* What a chunk needs from global memory, fetched while the chunk before is computed. Each lane
 * prepares EACH consecutive columns. */
struct Ahead {
    uint32_t before, codes;   /* texels of the lane's columns APART before, and of these */
    CsKernelCell cells[EACH]; /* warp 0: of the bus */
    int known;                /* the best score seen anywhere */
    int chunk;                /* the chunk of the block row that this is for */
};

/* What a warp carries from chunk to chunk. */
template <class S> struct Strip {
    Lane<S> l;
    uint32_t selectors[S::A]; /* of the rows; see columns.cuh */
    StripRows rows;
    Ahead ahead;
    int xc; /* the next chunk of the block row */
    int base;
    int64_t along; /* see mend() */
    bool odd;      /* has rows other than A, C, G and T */
    int plain;     /* chunks before the next that have A, C, G and T only */
};

/* A bottom cell, relative to this base. */
template <class S>
CS_DEVICE CsKernelCell
cell_of(Bottom bottom, int base)
{
    typedef typename S::Cell Cell;
    return {Cell::part(bottom.h, S::H - 1) + base, Cell::part(bottom.f, S::H - 1) + base};
}

/* The strip that the warp has in a block row. kept: somebody needs the row's last row. */
template <class S>
CS_DEVICE StripRows
strip_rows(const Warp<S> &warp, int tier, int row, bool kept)
{
    const CsKernelLaunch &p = warp.p;
    StripRows rows;
    rows.tier = tier;
    rows.row = row;
    rows.start = warp.strip_start(row);
    rows.end = p.ends[row];
    rows.kept = kept;
    rows.piece = p.special != NULL ? p.special[row] : -1;
    int last = min(rows.end - rows.start, (int)S::STRIP) - 1;
    rows.bottom_lane = last / S::A % 32;
    rows.bottom_half = last / S::A / 32;
    rows.bottom_k = last % S::A;
    return rows;
}

/* Where a slot keeps a warp's strip from launch to launch. */
template <class S> struct StripState {
    uint32_t *words; /* of the lane, threads apart */
    int64_t threads;
    Bottom *ring;
    int32_t *bases, *bounds;

    __device__
    StripState(const Warp<S> &warp)
    {
        const CsKernelLaunch &p = warp.p;
        const int64_t number = warp.slot * p.warps + warp.w;
        threads = (int64_t)p.slots * p.warps * 32;
        words = p.state + number * 32 + warp.lane;
        ring = (Bottom *)p.rings + number * CS_RING;
        bases = p.bases + number * 4;
        bounds = p.bounds + number * CS_PENDING;
    }

    /* At first nothing is pending. begun: an earlier launch began the block row; else, at most, one
     * before it in the slot. */
    __device__ void
    load(const Warp<S> &warp, Strip<S> &strip, bool begun) const
    {
        const int lane = warp.lane;
        WarpMemory &mine = warp.mine();
        strip.base = 0;
        strip.along = CS_NONE_32;
        if (begun) {
            strip.l.restore(words, threads);
            strip.base = (int)words[CS_STATE_BASE(S::A) * threads];
            strip.along = (int)words[CS_STATE_ALONG(S::A) * threads];
        }
#pragma unroll
        for (int k = 0; k < CS_RING / 32; k++)
            mine.ring[k * 32 + lane] = begun ? ring[k * 32 + lane] : Bottom{0, 0};
        if (lane < 4)
            mine.bases[lane] = begun ? bases[lane] : 0;
        if (lane < CS_PENDING)
            mine.bounds[lane] = bounds[lane];
        if (lane == 0) {
            mine.place = -1;
            mine.limit = 1;
        }
    }

    __device__ void
    save(const Warp<S> &warp, const Strip<S> &strip) const
    {
        const int lane = warp.lane;
        const WarpMemory &mine = warp.mine();
        strip.l.save(words, threads);
        words[CS_STATE_BASE(S::A) * threads] = (uint32_t)strip.base;
        words[CS_STATE_ALONG(S::A) * threads] = (uint32_t)strip.along;
        for (int k = lane; k < CS_RING; k += 32)
            ring[k] = mine.ring[k];
        if (lane < 4)
            bases[lane] = mine.bases[lane];
        if (lane < CS_PENDING)
            bounds[lane] = mine.bounds[lane];
    }
};

/* Moves the base of the lanes' values. */
template <class S>
CS_DEVICE int
move_base_to(Lane<S> &l, int base, int moved)
{
    if (moved != base)
        l.add(base - moved);
    return moved;
}

/* Moves the base so that no H of the next chunk is below it. */
template <class S>
CS_DEVICE int
move_base(const Warp<S> &warp, Lane<S> &l, int base)
{
    typedef typename S::Cell Cell;
    if (Cell::BITS == 32)
        return 0;
    uint32_t lowest = l.h[0];
#pragma unroll
    for (int k = 1; k < S::A; k++)
        lowest = Cell::min2(lowest, l.h[k]);
    int h = warp_min(min(Cell::part(lowest, 0), Cell::part(lowest, 1)));
    return move_base_to(l, base, max(0, base + h - warp.drop()));
}

#endif
