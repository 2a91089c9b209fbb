/*
 * Scores of queries with many records in 16 bits: see score_kernel.h.
 *
 * Let `first` be the cost of a gap's first letter. A lane keeps H, and E and F with `first` added. So
 * H opens a gap as it is, and all three are never negative. What two letters gain is kept with `first`
 * added as well, so that it stands beside E and F.
 *
 * Which scores are exact. Let T be 32767 minus the highest gain of a pair and minus `first`. Take the
 * cells in an order in which each comes after those that it needs.
 *
 * - As long as no H before it is above T, the sum of a cell's diagonal H and its gain is at most
 *   32767. E and F are never above an H from which they come. So no sum is too high, the cell is
 *   exact, and the best H so far as well.
 * - No sum is too low: H is at least 0, and no gain is below -32768 (cuda_scores.c). Costs are at most
 *   32767, and E and F at least 0 when they are subtracted.
 * - So the first cell with an H above T is still exact, and its H is in `best`, because every row of
 *   every lane is. Whatever the cells after it are, `best` does not fall.
 *
 * Therefore a best of at most T is exact. The host takes anything above it as not known.
 *
 * E and F begin as minus `first`, where the recurrence has minus infinity. Since gaps never gain, both
 * mean the same: a value that is not above 0 never raises an H above 0. Rows behind the end of a query
 * gain -1. Their H is at most one that comes before it, or 0.
 *
 * Sums of both halves in one addition: if no gain is below minus `first`, all gains are kept as 0 to
 * 32767, or 32768 for a letter that is none. H is 0 to 32767 even behind a score that was too high. So
 * the sum of the low halves is at most 65535, and nothing is carried into the high half. Such an
 * addition is done by the units that multiply, which have nothing else to do. With lower gains (ANY)
 * each half is added for itself.
 *
 * Between two records: the letter that is none gains -32768, so its sum is below 0 whatever the H was.
 * E is set to minus `first` there, and F comes so from above, where the same letter was the step
 * before. So H is 0 in the whole column, E and F are at most minus `first`, and what comes behind is as
 * at the start. This holds even behind a score that was too high.
 * Before the first of those letters a lane reads what lies before its tape. Nothing of that remains.
 */
#include "cuda/score_kernel.h"
#include "cuda/tape.cuh"

/* What two letters gain in both halves, as a lane keeps it. */
CS_DEVICE uint32_t
gain_of(const CsTapeLaunch &launch, int row, int letter)
{
    const int16_t *pairs = (const int16_t *)launch.pairs;
    uint32_t word = 0;
    for (int half = 0; half < 2; half++) {
        int gain = INT16_MIN;
        if (letter < launch.none)
            gain = launch.first - 1;
        if (row < launch.query_rows[half] && letter < launch.none)
            gain = launch.first + pairs[launch.queries[half][row] * CS_TAPE_PAIR_LETTERS + letter];
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

/* The score of a record, or of a pair. */
template <bool TWO>
CS_DEVICE void
store_score(const CsTapeLaunch &launch, int place, uint32_t best)
{
    if (TWO) {
        for (int half = 0; half < 2; half++) {
            int16_t *score = (int16_t *)launch.found + launch.records[2 * place + half].number;
            const int found = (int16_t)(best >> 16 * half);
            *score = (int16_t)(launch.takes ? max(found, (int)*score) : found);
        }
    } else {
        uint32_t *score = (uint32_t *)launch.found + launch.records[place].number;
        *score = launch.takes ? __vmaxs2(best, *score) : best;
    }
}

/* What a lane keeps of its rows. */
template <int ROWS, bool TWO_RECORDS, bool ANY> struct ScoreRows {
    typedef CsScoreCell Cell;
    typedef uint32_t Found; /* the best of both halves */

    static constexpr bool TWO = TWO_RECORDS, MOVES = false;
    static constexpr int CHUNKS = ROWS / 4;

    uint32_t h[ROWS];  /* in the last column */
    uint32_t e[ROWS];  /* already that of the next column */
    uint32_t diagonal; /* H above the first row */
    uint32_t best;

    __device__ __forceinline__ void
    clear()
    {
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
                const uint32_t sum =
                    ANY ? add_halves(before, gains[r % 4]) : before * launch.factor + gains[r % 4];
                before = h[r];
                h[r] = __viaddmax_s16x2_relu(__vimax3_s16x2(e[r], f, sum), launch.minus_first, 0);
                e[r] = __viaddmax_s16x2(e[r], launch.minus_more, h[r]);
                f = __viaddmax_s16x2(f, launch.minus_more, h[r]);
                if (r % 2 == 1)
                    best = __vimax3_s16x2(best, h[r - 1], h[r]);
            }
        }
        return {h[ROWS - 1], f};
    }

    __device__ __forceinline__ Found
    finish(const CsTapeLaunch &, bool top, int, Found from_above) const
    {
        return top ? best : __vmaxs2(best, from_above);
    }

    static __device__ __forceinline__ void
    store(const CsTapeLaunch &launch, int place, Found best)
    {
        store_score<TWO>(launch, place, best);
    }
};

template <int ROWS, bool TWO, int THREADS, bool ANY>
__global__ void
__launch_bounds__(THREADS, 1) score_kernel(const __grid_constant__ CsTapeLaunch launch)
{
    uint4 *profile = dynamic_shared();
    make_profile<ROWS, ROWS / 4>(launch, profile, THREADS, [&](int row, int letter) {
        return make_uint4(gain_of(launch, row, letter), gain_of(launch, row + 1, letter),
                          gain_of(launch, row + 2, letter), gain_of(launch, row + 3, letter));
    });
    __syncthreads();
    walk_tapes<ScoreRows<ROWS, TWO, ANY>>(launch, profile);
}

template <int ROWS, bool TWO, int THREADS, bool ANY = false>
static constexpr CsScoreKernel
score_form()
{
    return {TapeForm<score_kernel<ROWS, TWO, THREADS, ANY>, ROWS, sizeof(uint32_t), TWO,
                     THREADS>::kernel(),
            ANY};
}

extern "C" const CsScoreKernel cs_score_kernels[] = {
    score_form<8, false, 512>(),
    score_form<8, true, 512>(),
    score_form<16, false, 896>(),
    score_form<16, true, 512>(),
    score_form<20, false, 640>(),
    score_form<20, true, 512>(),
    score_form<24, false, 640>(),
    score_form<24, true, 512>(),
    score_form<28, false, 512>(),
    score_form<28, true, 512>(),
    score_form<32, false, 512>(),
    score_form<32, true, 512>(),
    score_form<36, false, 384>(),
    score_form<36, true, 384>(),
    score_form<8, false, 512, true>(),
    score_form<8, true, 512, true>(),
    score_form<32, false, 512, true>(),
    score_form<32, true, 512, true>(),
    {},
};
