/*
 * Global alignments of a query with many records: see global_kernel.h.
 *
 * H(i, j) is the best value of the first i letters of the query with the first j of the record. To
 * every value the cost of a gap's further letters is added, i + j times. So the letters of a gap cost
 * nothing, a pair gains twice that cost more, and only `open` remains of what a gap costs:
 *
 *     H = max(E, F, H diagonal + gain)     E, F: the best with a gap that ends here
 *     next E = max(E, H - open)            H(0, 0) = 0, and the other cells before the first row
 *     next F = max(F, H - open)            and column are -open
 *
 * If `open` is 0, no E and F are needed: H = max(H left, H above, H diagonal + gain). H never falls
 * to the right or down.
 *
 * Which values are exact. No H is below -2 open, since a gap of all rows and one of all columns cost
 * that. No E or F is below -3 open, and no pair gains less than -2 open. So no sum is below -4 open.
 * None is above the shorter length times the highest gain. The host takes no value of a record for
 * which these do not fit (cuda_global.c). Sums wrap, and what comes of it stays within the record.
 *
 * Between two records: a lane forgets all its cells, and the letter that is none gains the lowest
 * value there is with 0. So its column is the border before the next record: F comes from the corner,
 * H(0, 0), as -open, and H is the same in all rows. In a later pass the rows above are part of the
 * border, so the corner is -open as well.
 * Before the first of those letters a lane reads what lies before its tape. Nothing of that remains.
 *
 * Rows behind the end of a query gain something or other. No cell depends on those below it.
 */
#include "cuda/global_kernel.h"
#include "cuda/tape.cuh"

CS_DEVICE int32_t
wrapping_sum(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

CS_DEVICE int64_t
wrapping_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* A sum for the units that multiply, which have nothing else to do; factor: 1. */
CS_DEVICE int32_t
sum_by(uint32_t factor, int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * factor + (uint32_t)b);
}

CS_DEVICE int64_t
sum_by(uint32_t, int64_t a, int64_t b)
{
    return wrapping_sum(a, b);
}

CS_DEVICE int32_t
best_of(int32_t a, int32_t b, int32_t c)
{
    return __vimax3_s32(a, b, c);
}

CS_DEVICE int64_t
best_of(int64_t a, int64_t b, int64_t c)
{
    return max(max(a, b), c);
}

/* The sum of a and b, or c. */
CS_DEVICE int32_t
sum_or(int32_t a, int32_t b, int32_t c)
{
    return __viaddmax_s32(a, b, c);
}

CS_DEVICE int64_t
sum_or(int64_t a, int64_t b, int64_t c)
{
    return max(wrapping_sum(a, b), c);
}

/* The gains of some rows in 16 bytes. */
CS_DEVICE void
unpack(uint4 from, int32_t *gains)
{
    gains[0] = (int32_t)from.x;
    gains[1] = (int32_t)from.y;
    gains[2] = (int32_t)from.z;
    gains[3] = (int32_t)from.w;
}

CS_DEVICE void
unpack(uint4 from, int64_t *gains)
{
    gains[0] = (int64_t)((uint64_t)from.y << 32 | from.x);
    gains[1] = (int64_t)((uint64_t)from.w << 32 | from.z);
}

template <class VALUE>
static constexpr VALUE LOWEST = sizeof(VALUE) == 4 ? (VALUE)INT32_MIN : (VALUE)INT64_MIN;

/* A cell of the last row of a lane. */
template <class VALUE> struct LinearCell {
    VALUE h;
};

template <class VALUE> struct alignas(2 * sizeof(VALUE)) AffineCell {
    VALUE h;
    VALUE f; /* that of the row below */
};

/* What a lane keeps of its rows, of both kinds of gaps. */
template <int ROWS, class VALUE> struct GlobalRows {
    typedef VALUE Found;

    static constexpr bool TWO = false;
    static constexpr int IN_16_BYTES = 16 / sizeof(VALUE), CHUNKS = ROWS / IN_16_BYTES;

    VALUE h[ROWS];  /* in the last column */
    VALUE diagonal; /* H above the first row */

    __device__ __forceinline__ void
    restart()
    {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            h[r] = 0;
        diagonal = 0;
    }

    __device__ __forceinline__ Found
    finish(const CsTapeLaunch &launch, bool, int place, Found from_above) const
    {
        const int last = launch.query_rows[0] - 1 - place * ROWS;
        Found found = from_above;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            found = r == last ? h[r] : found;
        return found;
    }

    /* What the last pass stores remains. */
    static __device__ __forceinline__ void
    store(const CsTapeLaunch &launch, int place, Found found)
    {
        ((VALUE *)launch.found)[launch.records[place].number] = found;
    }
};

template <int ROWS, class VALUE> struct LinearRows : GlobalRows<ROWS, VALUE> {
    typedef GlobalRows<ROWS, VALUE> Base;
    typedef LinearCell<VALUE> Cell;

    __device__ __forceinline__ void
    clear()
    {
        Base::restart();
    }

    static __device__ __forceinline__ Cell
    corner(const CsTapeLaunch &)
    {
        return {0};
    }

    static __device__ __forceinline__ void
    edge(const CsTapeLaunch &, int, Cell &)
    {
    }

    static __device__ __forceinline__ Cell
    of_lane_above(const Cell &below)
    {
        return {__shfl_up_sync(~0u, below.h, 1)};
    }

    __device__ __forceinline__ Cell
    step(const CsTapeLaunch &launch, const uint4 *one, const uint4 *, const Cell &above)
    {
        VALUE *h = this->h, up = above.h, before = this->diagonal;
        this->diagonal = above.h;
#pragma unroll
        for (int q = 0; q < Base::CHUNKS; q++) {
            VALUE gains[Base::IN_16_BYTES];
            unpack(one[q * 32], gains);
#pragma unroll
            for (int k = 0; k < Base::IN_16_BYTES; k++) {
                const int r = q * Base::IN_16_BYTES + k;
                const VALUE sum = sum_by(launch.factor, before, gains[k]);
                before = h[r];
                up = h[r] = best_of(h[r], up, sum);
            }
        }
        return {up};
    }
};

template <int ROWS, class VALUE> struct AffineRows : GlobalRows<ROWS, VALUE> {
    typedef GlobalRows<ROWS, VALUE> Base;
    typedef AffineCell<VALUE> Cell;

    VALUE e[ROWS]; /* already that of the next column */

    __device__ __forceinline__ void
    clear()
    {
        restart();
    }

    __device__ __forceinline__ void
    restart()
    {
        Base::restart();
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            e[r] = LOWEST<VALUE>;
    }

    static __device__ __forceinline__ Cell
    corner(const CsTapeLaunch &launch)
    {
        const VALUE minus_open = (VALUE)launch.minus_open;
        return {launch.takes ? minus_open : 0, minus_open};
    }

    static __device__ __forceinline__ void
    edge(const CsTapeLaunch &launch, int letter, Cell &border)
    {
        const VALUE minus_open = (VALUE)launch.minus_open;
        border = {letter == launch.none ? 0 : minus_open,
                  letter == launch.none ? minus_open : wrapping_sum(minus_open, minus_open)};
    }

    static __device__ __forceinline__ Cell
    of_lane_above(const Cell &below)
    {
        return {__shfl_up_sync(~0u, below.h, 1), __shfl_up_sync(~0u, below.f, 1)};
    }

    __device__ __forceinline__ Cell
    step(const CsTapeLaunch &launch, const uint4 *one, const uint4 *, const Cell &above)
    {
        const VALUE minus_open = (VALUE)launch.minus_open;
        VALUE *h = this->h, f = above.f, before = this->diagonal;
        this->diagonal = above.h;
#pragma unroll
        for (int q = 0; q < Base::CHUNKS; q++) {
            VALUE gains[Base::IN_16_BYTES];
            unpack(one[q * 32], gains);
#pragma unroll
            for (int k = 0; k < Base::IN_16_BYTES; k++) {
                const int r = q * Base::IN_16_BYTES + k;
                const VALUE sum = sum_by(launch.factor, before, gains[k]);
                before = h[r];
                h[r] = best_of(e[r], f, sum);
                e[r] = sum_or(h[r], minus_open, e[r]);
                f = sum_or(h[r], minus_open, f);
            }
        }
        return {h[ROWS - 1], f};
    }
};

/* What a row gains with a letter. */
template <class VALUE>
CS_DEVICE VALUE
gain_of(const CsTapeLaunch &launch, int row, int letter)
{
    if (letter == launch.none)
        return LOWEST<VALUE>;
    if (row >= launch.query_rows[0])
        return 0;
    const int64_t *pairs = (const int64_t *)launch.pairs;
    return (VALUE)pairs[launch.queries[0][row] * CS_TAPE_PAIR_LETTERS + letter];
}

CS_DEVICE uint4
pack_gains(const CsTapeLaunch &launch, int row, int letter, int32_t)
{
    return make_uint4((uint32_t)gain_of<int32_t>(launch, row, letter),
                      (uint32_t)gain_of<int32_t>(launch, row + 1, letter),
                      (uint32_t)gain_of<int32_t>(launch, row + 2, letter),
                      (uint32_t)gain_of<int32_t>(launch, row + 3, letter));
}

CS_DEVICE uint4
pack_gains(const CsTapeLaunch &launch, int row, int letter, int64_t)
{
    const uint64_t one = (uint64_t)gain_of<int64_t>(launch, row, letter);
    const uint64_t other = (uint64_t)gain_of<int64_t>(launch, row + 1, letter);
    return make_uint4((uint32_t)one, (uint32_t)(one >> 32), (uint32_t)other,
                      (uint32_t)(other >> 32));
}

template <template <int, class> class Rows, int ROWS, class VALUE, int THREADS>
__global__ void
__launch_bounds__(THREADS, 1) global_kernel(const __grid_constant__ CsTapeLaunch launch)
{
    uint4 *profile = dynamic_shared();
    make_profile<ROWS, Rows<ROWS, VALUE>::CHUNKS>(
        launch, profile, THREADS,
        [&](int row, int letter) { return pack_gains(launch, row, letter, VALUE()); });
    __syncthreads();
    walk_tapes<Rows<ROWS, VALUE>>(launch, profile);
}

template <template <int, class> class Rows, int ROWS, class VALUE, int THREADS>
static constexpr CsGlobalKernel
global_form(int affine)
{
    return {TapeForm<global_kernel<Rows, ROWS, VALUE, THREADS>, ROWS, sizeof(VALUE), false,
                     THREADS>::kernel(),
            sizeof(VALUE) == 8, affine, sizeof(typename Rows<ROWS, VALUE>::Cell)};
}

extern "C" const CsGlobalKernel cs_global_tape_kernels[] = {
    global_form<LinearRows, 8, int32_t, 512>(0),  global_form<LinearRows, 16, int32_t, 512>(0),
    global_form<LinearRows, 24, int32_t, 512>(0), global_form<LinearRows, 32, int32_t, 512>(0),
    global_form<LinearRows, 48, int32_t, 512>(0), global_form<AffineRows, 8, int32_t, 512>(1),
    global_form<AffineRows, 16, int32_t, 512>(1), global_form<AffineRows, 24, int32_t, 512>(1),
    global_form<AffineRows, 32, int32_t, 384>(1), global_form<AffineRows, 48, int32_t, 384>(1),
    global_form<LinearRows, 8, int64_t, 512>(0),  global_form<LinearRows, 16, int64_t, 512>(0),
    global_form<LinearRows, 32, int64_t, 384>(0), global_form<AffineRows, 8, int64_t, 512>(1),
    global_form<AffineRows, 16, int64_t, 384>(1), {},
};
