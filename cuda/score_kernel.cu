/*
 * Scores of queries with many records in 16 bits: see score_kernel.h.
 *
 * A lane keeps H, and E and F of the next column and row. H is never below 0:
 *
 *     H = max(E, F, H diagonal + gain, 0)
 *     next E = max(E - more, H - first)     first, more: what a gap's first letter costs, and others
 *     next F = max(F - more, H - first)
 *
 * Which scores are exact. Let T be 32767 minus the highest gain of a pair. Take the cells in an order in
 * which each comes after those that it needs.
 *
 * - As long as no H before it is above T, the sum of a cell's diagonal H and its gain is at most
 *   32767. E and F are below an H from which they come. So no sum is too high, the cell is exact, and
 *   the best H so far as well.
 * - No sum is too low, whatever the cells before it are. Every H is 0 to 32767, and no gain is below
 *   -32768. E and F are at least -first, since they are at least 0 - first or 0; and first + more is at
 *   most 32768 (accepts() in cuda_scores.c).
 * - So the first cell with an H above T is still exact, and its H is in `best`, because every row of
 *   every lane is. Whatever the cells after it are, `best` does not fall.
 *
 * Therefore a best of at most T is exact. The host takes anything above it as not known.
 *
 * E and F begin as 0, where the recurrence has minus infinity. Since gaps never gain, both mean the
 * same: a value that is not above 0 never raises an H above 0. Rows that are none (CS_LETTER_NONE, or
 * behind the end) gain -32768. Their H is at most one that comes before it, or 0.
 *
 * Between two records: the letter that is none gains -32768, so its sum is below 0 whatever the H was.
 * E is set to 0 there, and F comes so from above, where the same letter was the step before. So H is 0
 * in the whole column, E and F are at most 0, and what comes behind is as at the start. This holds even
 * behind a score that was too high.
 * Before the first of those letters a lane reads what lies before its tape. Nothing of that remains.
 *
 * Between two queries of a half (CsTapeLaunch.stripes) a lane begins with a row that is none. It takes F
 * from the lane above as 0, and the H above is added to -32768. So its rows are as at the start, and the
 * other half goes on.
 *
 * What limits the pace is the unit that takes the highest of values: a cell needs it three times, and
 * half a time more for `best`. Sums are done by the units that multiply.
 */
#include "cuda/score_kernel.h"
#include "cuda/tape.cuh"

/* What two letters gain in both halves. */
CS_DEVICE uint32_t
gain_of(const CsTapeLaunch &launch, int row, int letter)
{
    const int16_t *pairs = (const int16_t *)launch.pairs;
    uint32_t word = 0;
    for (int half = 0; half < 2; half++) {
        int gain = INT16_MIN;
        if (row < launch.query_rows[half] && letter < launch.none)
            gain = pairs[launch.queries[half][row] * CS_TAPE_PAIR_LETTERS + letter];
        word |= (uint32_t)(gain & 0xffff) << 16 * half;
    }
    return word;
}

/* The gains of four rows with the letters of the record, or of two. */
template <bool TWO>
CS_DEVICE uint4
load_gains(const uint4 *one, const uint4 *other)
{
    const uint4 a = *one;
    if (!TWO)
        return a;
    const uint4 b = *other;
    const uint32_t halves = 0x7610; /* the low half of a, the high half of b */
    return make_uint4(select_bytes(a.x, b.x, halves), select_bytes(a.y, b.y, halves),
                      select_bytes(a.z, b.z, halves), select_bytes(a.w, b.w, halves));
}

/* The score of a query with two records. */
CS_DEVICE void
store_records(const CsTapeLaunch &launch, int place, uint32_t best)
{
    for (int half = 0; half < 2; half++) {
        int16_t *score = (int16_t *)launch.found + launch.records[2 * place + half].number;
        const int found = (int16_t)(best >> 16 * half);
        *score = (int16_t)(launch.takes ? max(found, (int)*score) : found);
    }
}

/* The scores with a record of the queries that end in a lane, or that go on in the next pass. */
CS_DEVICE void
store_queries(const CsTapeLaunch &launch, int place, int lane_place, uint32_t best)
{
    for (int half = 0; half < 2; half++) {
        const int stripe = launch.stripes[half][lane_place];
        if ((stripe & CS_STRIPE_STORES) == 0)
            continue;
        int16_t *score = (int16_t *)launch.found +
                         (uint64_t)(stripe / CS_STRIPE_QUERY) * launch.found_step +
                         launch.records[place].number;
        const int found = (int16_t)(best >> 16 * half);
        *score = (int16_t)((stripe & CS_STRIPE_TAKES) != 0 ? max(found, (int)*score) : found);
    }
}

/* What a lane keeps of its rows. */
template <int ROWS, bool TWO_RECORDS> struct ScoreRows {
    typedef CsScoreCell Cell;
    typedef uint32_t Found; /* the best of both halves */

    static constexpr bool TWO = TWO_RECORDS, MOVES = false;
    static constexpr bool ALL_STORE = !TWO; /* not only the last lane of a team */
    static constexpr int CHUNKS = ROWS / 4;

    uint32_t h[ROWS];  /* in the last column */
    uint32_t e[ROWS];  /* already that of the next column */
    uint32_t diagonal; /* H above the first row */
    uint32_t best;
    uint32_t takes_h; /* 1 if there is a lane above, or 0 */
    uint32_t takes_f; /* halves whose query goes on from the lane above */

    __device__ __forceinline__ void
    clear(const CsTapeLaunch &launch, int place)
    {
        takes_h = place > 0 ? launch.factor : 0;
        takes_f = place > 0 ? ~0u : 0;
        if (!TWO)
            for (int half = 0; half < 2; half++)
                if ((launch.stripes[half][place] & CS_STRIPE_BEGINS) != 0)
                    takes_f &= 0xffff0000u >> 16 * half;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            h[r] = 0;
        diagonal = 0;
        restart();
    }

    /* Begins a record; H needs nothing, see above. */
    __device__ __forceinline__ void
    restart()
    {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            e[r] = 0;
        best = 0;
    }

    static __device__ __forceinline__ Cell
    corner(const CsTapeLaunch &)
    {
        return {0, 0};
    }

    static __device__ __forceinline__ void
    edge(const CsTapeLaunch &, int, Cell &)
    {
    }

    static __device__ __forceinline__ Cell
    of_lane_above(const Cell &below)
    {
        return {__shfl_up_sync(~0u, below.h, 1), __shfl_up_sync(~0u, below.f, 1)};
    }

    /* The border is zeroes but for the first lane. */
    __device__ __forceinline__ Cell
    enter(const Cell &lane_above, const Cell &border, bool) const
    {
        return {lane_above.h * takes_h + border.h, (lane_above.f & takes_f) | border.f};
    }

    /* F is that below the last row. */
    __device__ __forceinline__ Cell
    step(const CsTapeLaunch &launch, const uint4 *one, const uint4 *other, Cell above)
    {
        uint32_t f = above.f, before = diagonal;
        diagonal = above.h;
#pragma unroll
        for (int q = 0; q < ROWS / 4; q++) {
            const uint4 four = load_gains<TWO>(one + q * 32, other + q * 32);
            const uint32_t gains[] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int r = 4 * q; r < 4 * q + 4; r++) {
                const uint32_t sum = add_halves(before, gains[r % 4]);
                before = h[r];
                h[r] = __vimax3_s16x2_relu(e[r], f, sum);
                const uint32_t opened = add_halves(h[r], launch.minus_first);
                e[r] = __viaddmax_s16x2(e[r], launch.minus_more, opened);
                f = __viaddmax_s16x2(f, launch.minus_more, opened);
                if (r % 2 == 1)
                    best = __vimax3_s16x2(best, h[r - 1], h[r]);
            }
        }
        return {h[ROWS - 1], f};
    }

    __device__ __forceinline__ Found
    finish(const CsTapeLaunch &, bool, int, Found from_above) const
    {
        return __vmaxs2(best, from_above & takes_f);
    }

    static __device__ __forceinline__ void
    store(const CsTapeLaunch &launch, int place, int lane_place, Found best)
    {
        if (TWO)
            store_records(launch, place, best);
        else
            store_queries(launch, place, lane_place, best);
    }
};

template <int ROWS, bool TWO, int THREADS>
__global__ void
__launch_bounds__(THREADS, 1) score_kernel(const __grid_constant__ CsTapeLaunch launch)
{
    uint4 *profile = dynamic_shared();
    make_profile<ROWS, ROWS / 4>(launch, profile, THREADS, [&](int row, int letter) {
        return make_uint4(gain_of(launch, row, letter), gain_of(launch, row + 1, letter),
                          gain_of(launch, row + 2, letter), gain_of(launch, row + 3, letter));
    });
    __syncthreads();
    walk_tapes<ScoreRows<ROWS, TWO>>(launch, profile);
}

template <int ROWS, bool TWO, int THREADS>
static constexpr CsTapeKernel form =
    TapeForm<score_kernel<ROWS, TWO, THREADS>, ROWS, sizeof(uint32_t), TWO, THREADS>::kernel();

extern "C" const CsTapeKernel cs_score_kernels[] = {
    form<8, false, 512>,  form<8, true, 512>,   form<16, false, 768>,
    form<16, true, 512>,  form<20, false, 640>, form<20, true, 512>,
    form<24, false, 512>, form<24, true, 512>,  form<28, false, 512>,
    form<28, true, 512>,  form<32, false, 448>, form<32, true, 448>,
    form<36, false, 384>, form<36, true, 384>,  {},
};
