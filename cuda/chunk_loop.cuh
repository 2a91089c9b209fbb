/*
 * The loop over a chunk's columns, and the order of its instructions.
 *
 * The variants:
 *
 *     TABLED         fast, with scores from a table: rows and columns are A, C, G and T
 *     TABLED, ROWS   the same for any rows, and for strips that end early
 *     ROWS           fast, for any rows and columns
 *     FULL, ROWS     slow: reads and writes borders, and looks at every cell
 *
 * Two shuffles per column hand H and F of a lane's last row to the lane below.
 *
 * The fast loop is limited by how many registers a multiprocessor reads per clock. So the default
 * gap costs are compiled in (Shape): immediate operands are not read from registers.
 */
#ifndef CS_CHUNK_LOOP_CUH
#define CS_CHUNK_LOOP_CUH

#include "cuda/best_cell.cuh"

/* FULL: `selectors` has those of all rows; TABLED: only those of rows that are not in the table. */
template <class S, bool FULL, bool TABLED, bool ROWS> struct ChunkLoop {
    typedef typename S::Cell Cell;
    enum {
        A = S::A,
        TABLE = S::TABLE,
        H = S::H,
        TRACK = S::TRACK,
    };

    const Warp<S> &warp;
    Lane<S> &l;
    const uint32_t (&selectors)[A];
    const uint32_t entries, lookup; /* addresses in shared memory */
    const int from;                 /* the lane above */
    const uint32_t take_h, take_f;  /* select what it hands down */
    const uint32_t missed;          /* the score of a mismatch */
    const uint32_t bias;            /* of the columns' score bytes (columns.cuh), negative */
    Bottom *line;

    uint32_t best; /* the highest tracked value */
    uint32_t at;   /* of the next round's entries among all, */
    uint32_t next; /* and their address */
    /* Of the round's two columns: */
    Column columns[2], now[2]; /* of the next round, and of this */
    uint32_t tracked[2];
    uint4 scores[2][TABLE / 4 + 1];
    uint32_t f[2], diagonal[2];
    /* FULL: H and F of the strip's last row, and the highest of all rows. */
    uint32_t bottom, bottom_f, highest;

    /* The even or odd column of a round; entries of each lie together. */
    CS_DEVICE Column
    load_column(uint32_t at, int residue)
    {
        uint4 v = load_16(at + residue * PITCH * 16);
        return {v.x, v.y, v.z, v.w};
    }

    __device__ __forceinline__
    ChunkLoop(const Warp<S> &warp, Lane<S> &l, const uint32_t (&selectors)[A], const Chunk &chunk)
        : warp(warp), l(l), selectors(selectors),
          entries((uint32_t)__cvta_generic_to_shared(&warp.mine().columns[0])),
          lookup((uint32_t)__cvta_generic_to_shared(&warp.table[warp.lane])),
          from((warp.lane + 31) & 31),
          /* Lane 0 takes the low half from the bus, the high half from lane 31's low half. */
          take_h(warp.lane > 0 ? 0x3210 : 0x1054), take_f(warp.lane > 0 ? 0x3210 : 0x1076),
          missed(Cell::both(-warp.p.mismatch)), bias(TABLED || chunk.odd ? missed : 0),
          line(&warp.mine().ring[chunk.line]), best(0),
          at((chunk.turn * (PITCH / 2) - warp.lane & PITCH - 1) * 16),
          columns{load_column(entries + at, 0), load_column(entries + at, 1)}, tracked{}, bottom(0),
          bottom_f(0), highest(0)
    {
        if (TABLED) {
#pragma unroll
            for (int k = 0; k < TABLE / 4; k++) {
                scores[0][k] = load_16(lookup + columns[0].z + k * 512);
                scores[1][k] = load_16(lookup + columns[1].z + k * 512);
            }
        }
    }

    /* Takes what comes from above into column g of the round. */
    __device__ __forceinline__ void
    enter(const int g)
    {
        uint32_t above;
        now[g] = columns[g];
        above = __shfl_sync(~0u, l.low[g], from);
        f[g] = __shfl_sync(~0u, l.bottom[g], from);
        if (H == 2) {
            above = select_bytes(above, now[g].w, take_h);
            f[g] = select_bytes(f[g], now[g].w, take_f);
        } else if (warp.lane == 0) {
            above = now[g].z;
            f[g] = now[g].w;
        }
        f[g] = Cell::gap(f[g], warp.extend, Cell::add(above, warp.first));
        diagonal[g] = l.up;
        l.up = above;
        /* Before the store, or it would wait for that. */
        columns[g] = load_column(next, g);
    }

    __device__ __forceinline__ uint32_t
    score(const int g, const int k) const
    {
        uint32_t s;
        if (TABLED && k < TABLE)
            s = k % 4 == 0   ? scores[g][k / 4].x
                : k % 4 == 1 ? scores[g][k / 4].y
                : k % 4 == 2 ? scores[g][k / 4].z
                             : scores[g][k / 4].w;
        else if (ROWS && H == 1)
            s = now[g].y < 4 && selectors[k] >> 16 == now[g].y ? (uint32_t)warp.p.match : missed;
        else
            s = select_bytes(now[g].x, now[g].y, selectors[k]);
        return s;
    }

    /* Row k of the column. */
    __device__ __forceinline__ void
    cell(const Chunk &chunk, const int g, const int k)
    {
        if (ROWS && H == 2 && !(TABLED && k < TABLE))
            diagonal[g] = Cell::add(diagonal[g], bias);
        uint32_t m = Cell::add(diagonal[g], score(g, k));
        diagonal[g] = l.h[k];
        uint32_t h = Cell::h(l.e[k], f[g], m);
        uint32_t opened = Cell::add(m, warp.first);
        uint32_t opened_e = S::FROM_M ? opened : Cell::add(h, warp.first);
        if (FULL) {
            if (k == chunk.bottom_k) {
                bottom = h;
                bottom_f = f[g];
            }
            highest = Cell::max2(highest, h);
        }
        l.e[k] = Cell::gap(l.e[k], warp.extend, opened_e);
        if (k < A - 1)
            f[g] = Cell::gap(f[g], warp.extend, opened);
        l.h[k] = h;
        if (!FULL && (A - 1 - k) % TRACK == 0 && g == 1) {
            if ((k / TRACK) % 2 == 1)
                best = Cell::max3(best, h, tracked[g]);
            else if (k + TRACK >= A)
                best = Cell::max2(best, h);
            tracked[g] = h;
        }
        if (TABLED && k < TABLE && k % 4 == 3)
            scores[g][k / 4] = load_16(lookup + columns[g].z + k / 4 * 512);
    }

    /* Hands down the bottom of column t of the chunk. */
    __device__ __forceinline__ void
    leave(Chunk &chunk, const int g, const int t)
    {
        l.bottom[g] = f[g];
        l.low[g] = l.h[A - 1];
        if (FULL) {
            leave_bottom(warp, &line[t], bottom, bottom_f, chunk);
            if (chunk.capture != NULL)
                capture_h(warp, l, t, chunk);
            int top = max(Cell::part(highest, 0), Cell::part(highest, H - 1)) + chunk.base;
            if (top >= max(chunk.threshold, chunk.best.score))
                look(warp, l.h, t, chunk);
            highest = 0;
        } else if (warp.lane == 31) {
            store_bottom(&line[t], l.h[A - 1], f[g]);
        }
    }

    /* Column t of the chunk, number g of its round. */
    __device__ __forceinline__ void
    column(Chunk &chunk, const int g, const int t)
    {
        if (FULL && chunk.enter && t % 2 == 0 && (chunk.first_column + t) / 2 % 32 == warp.lane &&
            chunk.first_column + t < 64 * H)
            enter_left(warp, l, (chunk.first_column + t) / 64, chunk);
        if (FULL && chunk.capture != NULL)
            capture_e(warp, l, t, chunk);
        enter(g);
#pragma unroll
        for (int k = 0; k < A; k++)
            cell(chunk, g, k);
        leave(chunk, g, t);
    }

    /* Returns the highest tracked value of the lane (fast loop). */
    __device__ __forceinline__ uint32_t
    run(Chunk &chunk)
    {
#pragma unroll(FULL ? 1 : 2)
        for (int t = 0; t < CS_CHUNK; t += 2) {
            at = at + 16 & (PITCH - 1) * 16;
            next = entries + at;
            column(chunk, 0, t);
            column(chunk, 1, t + 1);
        }
        return best;
    }
};

/* CS_CHUNK steps. */
template <class S, bool FULL, bool TABLED, bool ROWS>
CS_DEVICE uint32_t
steps(const Warp<S> &warp, Lane<S> &l, const uint32_t (&selectors)[S::A], Chunk &chunk)
{
    return ChunkLoop<S, FULL, TABLED, ROWS>(warp, l, selectors, chunk).run(chunk);
}

#endif
