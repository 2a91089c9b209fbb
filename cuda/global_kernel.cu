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
 * Which values are exact, if a lane keeps the values themselves. No H is below -2 open, since a gap of all rows and one of all columns cost
 * that. No E or F is below -3 open, and no pair gains less than -2 open. So no sum is below -4 open.
 * None is above the shorter length times the highest gain. The host takes no value of a record for
 * which these do not fit (cuda_global.c). Sums wrap, and what comes of it stays within the record.
 *
 * Or a lane keeps 32 bits of what its values are above a base, which has 64, and moves the base with
 * them. Let g be the highest gain. Neighbouring H differ by -open to g + open: what H is to the left or
 * above only needs a gap of one letter, and to leave a letter out of an alignment costs no more than
 * its pair and a gap for the other one. E and F of the next cell are from H - open to the H that they
 * enter. The base is H of the first row where it moves. So after MOVE_COLUMNS columns no value, and no
 * sum with a gain, is further from it than (MOVE_COLUMNS + ROWS + 3) (g + open), which is to fit
 * (cs_global_moving_steps()). What goes down to the next lane, or to the next pass, is the sum of value
 * and base modulo 2^32, and the lane below subtracts its own base: it needs only the difference.
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

CS_DEVICE int32_t
wrapping_difference(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
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
template <int ROWS, class VALUE, class FOUND> struct GlobalRows {
    typedef FOUND Found;

    static constexpr bool MOVES = sizeof(FOUND) > sizeof(VALUE);
    static constexpr int IN_16_BYTES = 16 / sizeof(VALUE), CHUNKS = ROWS / IN_16_BYTES;

    VALUE h[ROWS];  /* in the last column */
    VALUE diagonal; /* H above the first row */
    FOUND base;     /* what all values are above; 0 unless it moves */

    __device__ __forceinline__ void
    restart()
    {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            h[r] = 0;
        diagonal = 0;
        base = 0;
    }

    /* From a sum with the base to a value, and back. */
    __device__ __forceinline__ VALUE
    inside(VALUE sum) const
    {
        return MOVES ? wrapping_sum(sum, (VALUE) - (uint64_t)base) : sum;
    }

    __device__ __forceinline__ VALUE
    outside(VALUE value) const
    {
        return MOVES ? wrapping_sum(value, (VALUE)base) : value;
    }

    /* Moves the base by as much as all values fall. */
    __device__ __forceinline__ VALUE
    move_base()
    {
        const VALUE by = h[0];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            h[r] = wrapping_difference(h[r], by);
        diagonal = wrapping_difference(diagonal, by);
        base += by;
        return by;
    }

    __device__ __forceinline__ Found
    finish(const CsTapeLaunch &launch, int place, Found from_above) const
    {
        const int last = launch.query_rows[0] - 1 - place * ROWS;
        Found found = from_above;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            found = r == last ? base + h[r] : found;
        return found;
    }

    /* What the last pass stores remains. */
    static __device__ __forceinline__ void
    store(const CsTapeLaunch &launch, int place, Found found)
    {
        ((Found *)launch.found)[launch.records[place].number] = found;
    }
};

template <int ROWS, class VALUE, class FOUND> struct LinearRows : GlobalRows<ROWS, VALUE, FOUND> {
    typedef GlobalRows<ROWS, VALUE, FOUND> Base;
    typedef LinearCell<VALUE> Cell;

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
    step(const CsTapeLaunch &launch, const uint4 *one, const Cell &above)
    {
        VALUE *h = this->h, up = Base::inside(above.h), before = this->diagonal;
        this->diagonal = up;
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
        return {Base::outside(up)};
    }

    __device__ __forceinline__ void
    move()
    {
        Base::move_base();
    }
};

template <int ROWS, class VALUE, class FOUND> struct AffineRows : GlobalRows<ROWS, VALUE, FOUND> {
    typedef GlobalRows<ROWS, VALUE, FOUND> Base;
    typedef AffineCell<VALUE> Cell;

    VALUE e[ROWS]; /* already that of the next column */

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
    step(const CsTapeLaunch &launch, const uint4 *one, const Cell &above)
    {
        const VALUE minus_open = (VALUE)launch.minus_open;
        VALUE *h = this->h, f = Base::inside(above.f), before = this->diagonal;
        this->diagonal = Base::inside(above.h);
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
        return {Base::outside(h[ROWS - 1]), Base::outside(f)};
    }

    __device__ __forceinline__ void
    move()
    {
        const VALUE by = Base::move_base();
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            e[r] = wrapping_difference(e[r], by);
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

/*
 * What a lane does with its rows is for a type to say:
 *
 *     Cell, Found     what goes down to the lane below, what is found
 *     CHUNKS          16 bytes of gains of a lane's rows
 *     corner()        the cell above the first row, in the column before a tape
 *     edge()          that in the next column, where the pass takes none
 *     step()          computes a column below a cell, and returns the cell below it
 *     finish(), restart()   at a letter that is none: what is found of the record; begins the next
 *     store()         what the last lane has found
 *     MOVES, move()   whether it wants to be called at least every CS_TAPE_MOVE columns
 *
 * The column of a letter that is none is computed as any other, after restart(). It is the border before
 * the first column of the next record.
 */

/* Columns that are computed without a look at what ends. */
static constexpr int UNROLLED = 2;

template <class Rows>
CS_DEVICE void
walk_tape(const CsTapeLaunch &launch, const uint4 *profile, const Tape &tape, bool stores)
{
    typedef typename Rows::Cell Cell;
    const int lane = (int)threadIdx.x & 31, place = lane & (launch.lanes - 1);
    const bool top = place == 0, bottom = place == launch.lanes - 1;
    const bool takes = launch.takes && top, gives = launch.gives && bottom && stores;
    const int steps = most_in_warp(tape.length + launch.lanes);
    int j = -1 - place, now = tape.first; /* the column, and the record that ends next */
    const uint8_t *letters = launch.letters + tape.one.start + j;
    Cell *cell = (Cell *)launch.column + (launch.takes || launch.gives ? tape.one.start : 0) + j;
    int letter = letters[0], next = letters[1];
    Cell border = Rows::corner(launch), above = border;
    typename Rows::Found passed = 0; /* what is found by this lane and those above it */
    Rows rows;
    rows.restart();
    auto compute_column = [&]() {
        const uint4 *gains = profile + letter * (Rows::CHUNKS * 32) + lane;
        letter = next;
        next = letters[2];
        Rows::edge(launch, letter, border);
        /* What lies behind the tape may be another warp's; nothing that comes of it is kept. */
        if (takes)
            border = cell[1];
        const Cell below = rows.step(launch, gains, above);
        if (gives && (uint32_t)j < (uint32_t)tape.length)
            *cell = below;
        const Cell lane_above = Rows::of_lane_above(below);
        above = top ? border : lane_above;
        j++;
        letters++;
        cell++;
    };
    for (int t = 0; t < steps; t += UNROLLED) {
        if constexpr (Rows::MOVES) /* not before the first column: there are no values */
            if (t % CS_TAPE_MOVE == 0 && t > 0)
                rows.move();
        if (!__any_sync(~0u, letter == launch.none || next == launch.none)) {
#pragma unroll
            for (int u = 0; u < UNROLLED; u++)
                compute_column();
            continue;
        }
#pragma unroll 1
        for (int u = 0; u < UNROLLED; u++) {
            const typename Rows::Found from_above = __shfl_up_sync(~0u, passed, 1);
            if (letter == launch.none) {
                passed = rows.finish(launch, place, from_above);
                if (bottom && stores && j >= 0 && now < tape.end)
                    Rows::store(launch, now, passed);
                now += j >= 0;
                rows.restart();
            }
            compute_column();
        }
    }
}

template <template <int, class, class> class Rows, int ROWS, class VALUE, class FOUND, int THREADS>
__global__ void
__launch_bounds__(THREADS, 1) global_kernel(const __grid_constant__ CsTapeLaunch launch)
{
    uint4 *profile = dynamic_shared();
    make_profile<ROWS, Rows<ROWS, VALUE, FOUND>::CHUNKS>(
        launch, profile, THREADS,
        [&](int row, int letter) { return pack_gains(launch, row, letter, VALUE()); });
    __syncthreads();
    take_tapes<false>(launch, CS_GLOBAL_NONES, [&](const Tape &tape, bool stores) {
        walk_tape<Rows<ROWS, VALUE, FOUND>>(launch, profile, tape, stores);
    });
}

template <template <int, class, class> class Rows, int ROWS, class VALUE, class FOUND, int THREADS>
static constexpr CsGlobalKernel
global_form(int affine)
{
    typedef Rows<ROWS, VALUE, FOUND> Kept;
    return {TapeForm<global_kernel<Rows, ROWS, VALUE, FOUND, THREADS>, ROWS, sizeof(VALUE), false,
                     THREADS>::kernel(),
            sizeof(VALUE) == 8 ? CS_GLOBAL_64
            : Kept::MOVES      ? CS_GLOBAL_MOVING
                               : CS_GLOBAL_32,
            affine};
}

template <int ROWS, int THREADS, class VALUE = int32_t, class FOUND = VALUE>
static constexpr CsGlobalKernel linear = global_form<LinearRows, ROWS, VALUE, FOUND, THREADS>(0);

template <int ROWS, int THREADS, class VALUE = int32_t, class FOUND = VALUE>
static constexpr CsGlobalKernel affine = global_form<AffineRows, ROWS, VALUE, FOUND, THREADS>(1);

extern "C" const CsGlobalKernel cs_global_tape_kernels[] = {
    linear<8, 512>,
    linear<16, 512>,
    linear<24, 512>,
    linear<32, 512>,
    linear<48, 512>,
    affine<8, 512>,
    affine<16, 512>,
    affine<24, 512>,
    affine<32, 384>,
    affine<48, 384>,
    linear<8, 512, int32_t, int64_t>,
    linear<16, 512, int32_t, int64_t>,
    linear<24, 512, int32_t, int64_t>,
    linear<32, 512, int32_t, int64_t>,
    affine<8, 512, int32_t, int64_t>,
    affine<16, 512, int32_t, int64_t>,
    affine<24, 512, int32_t, int64_t>,
    affine<32, 384, int32_t, int64_t>,
    linear<8, 512, int64_t>,
    linear<16, 512, int64_t>,
    linear<32, 384, int64_t>,
    affine<8, 512, int64_t>,
    affine<16, 384, int64_t>,
    {},
};
