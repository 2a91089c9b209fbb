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
 * - No sum is too low, whatever the cells before it are. Every H, E and F is 0 to 32767, no gain is
 *   below -32768, and first and more are at most 32768 (accepts() in cuda_scores.c).
 * - So the first cell with an H above T is still exact, and its H is in `best`, because every row of
 *   every lane is. Whatever the cells after it are, `best` does not fall.
 *
 * Therefore a best of at most T is exact. The host takes anything above it as not known.
 *
 * E and F begin as 0, where the recurrence has minus infinity, and are raised to 0. This changes nothing:
 * a value that is not above 0 never raises an H above 0. And so no H needs to be raised. Rows that are
 * none (CS_LETTER_NONE, or behind the end) gain -32768. Their H is at most one that comes before it, or 0.
 *
 * Between two records are two letters that are none, and nothing of one record comes to the next, even
 * if a score was too high:
 *
 * - Such a letter gains -32768, so its sums are below 0, and for it E takes 32767 off instead of `first`
 *   and `more`. So F is 0 in its column: it comes from above, where the same letter was, or from an H less
 *   than 32768. And E of the next column is 0. But H of its own column may still be an E of the record.
 * - So behind the second one E, F and H are all 0.
 *
 * The H of the first one is at most the best of the record. A lane checks for ends after every second column.
 * So it stops at one of the two letters, when `best` has all of its own record and nothing of the next.
 * Before these letters a lane reads what lies before its tape. Nothing of that remains, either.
 *
 * Between two queries of a half (CsTapeLaunch.stripes) a lane begins with a row that is none. It takes F
 * from the lane above as 0, and the H above is added to -32768. So its rows are as at the start, and the
 * other half goes on.
 *
 * The unit for maxima limits the pace. A cell needs it three times, and half a time more for `best`, and the
 * two sums of 16 bits take turns with it. Each row waits for the one above. So a lane computes two columns at
 * once, and is two columns behind the lane above.
 */
#include "cuda/score_kernel.h"
#include "cuda/tape.cuh"

/* What two letters gain, in both halves, or with two records in the low one. */
template <bool TWO>
CS_DEVICE uint32_t
gain_of(const CsTapeLaunch &launch, int row, int letter)
{
    const int16_t *pairs = (const int16_t *)launch.pairs;
    uint32_t word = 0;
    for (int half = 0; half < (TWO ? 1 : 2); half++) {
        int gain = INT16_MIN;
        if (row < launch.query_rows[half] && letter < launch.none)
            gain = pairs[launch.queries[half][row] * CS_TAPE_PAIR_LETTERS + letter];
        word |= (uint32_t)(gain & 0xffff) << 16 * half;
    }
    return word;
}

/*
 * The gains of four rows with the letters of the record, or of two. Those of two records are in low halves,
 * with zeros above; a multiplication puts the second one's into the high half, by other units than maxima.
 */
template <bool TWO>
CS_DEVICE uint4
load_gains(const CsTapeLaunch &launch, const uint4 *one, const uint4 *other)
{
    const uint4 a = *one;
    if (!TWO)
        return a;
    const uint4 b = *other;
    return make_uint4(b.x * launch.high + a.x, b.y * launch.high + a.y, b.z * launch.high + a.z,
                      b.w * launch.high + a.w);
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
store_queries(const CsTapeLaunch &launch, int place, uint32_t stripes, uint32_t best)
{
    if ((stripes & (CS_STRIPE_STORES | CS_STRIPE_STORES << 16)) == 0)
        return;
    for (int half = 0; half < 2; half++) {
        const int stripe = (int)(stripes >> 16 * half & 0xffff);
        if ((stripe & CS_STRIPE_STORES) == 0)
            continue;
        int16_t *score = (int16_t *)launch.found +
                         (uint64_t)(stripe / CS_STRIPE_QUERY) * launch.found_step +
                         launch.records[place].number;
        const int found = (int16_t)(best >> 16 * half);
        *score = (int16_t)((stripe & CS_STRIPE_TAKES) != 0 ? max(found, (int)*score) : found);
    }
}

static constexpr uint32_t MINUS_ALL = 0x80018001; /* -32767 in both halves */

/* What a column is computed from. */
struct Column {
    const uint4 *one, *other; /* the gains of its letters */
    CsScoreCell above;
    uint32_t minus_first,
        minus_more; /* MINUS_ALL if its letter is none; F always takes `more` off */
};

/* What a lane keeps of its rows. */
template <int ROWS, bool TWO> struct ScoreRows {
    uint32_t h[ROWS];  /* in the last column */
    uint32_t e[ROWS];  /* already that of the next column */
    uint32_t diagonal; /* H above the first row */
    uint32_t best;
    uint32_t takes_h; /* 1 if there is a lane above, or 0 */
    uint32_t takes_f; /* halves whose query goes on from the lane above */
    uint32_t stripes; /* what the rows of both halves are for */

    __device__ __forceinline__ void
    clear(const CsTapeLaunch &launch, int place)
    {
        takes_h = place > 0 ? launch.factor : 0;
        takes_f = place > 0 ? ~0u : 0;
        stripes = 0;
        if (!TWO)
            stripes = launch.stripes[0][place] | (uint32_t)launch.stripes[1][place] << 16;
        for (int half = 0; half < 2; half++)
            if ((stripes >> 16 * half & CS_STRIPE_BEGINS) != 0)
                takes_f &= 0xffff0000u >> 16 * half;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            h[r] = e[r] = 0;
        diagonal = best = 0;
    }

    /* The cell above the rows. The border is zeroes but for the first lane. */
    __device__ __forceinline__ CsScoreCell
    enter(const CsScoreCell &below, const CsScoreCell &border) const
    {
        const CsScoreCell lane_above = {__shfl_up_sync(~0u, below.h, 1),
                                        __shfl_up_sync(~0u, below.f, 1)};
        return {lane_above.h * takes_h + border.h, (lane_above.f & takes_f) | border.f};
    }

    /* Computes two columns, and sets the cells below them. */
    __device__ __forceinline__ void
    step(const CsTapeLaunch &launch, const Column &a, const Column &b, CsScoreCell *below)
    {
        uint4 gains_a = load_gains<TWO>(launch, a.one, a.other);
        uint4 gains_b = load_gains<TWO>(launch, b.one, b.other);
        uint32_t f_a = a.above.f, f_b = b.above.f;
        uint32_t sum_a = add_halves(diagonal, gains_a.x), sum_b = add_halves(a.above.h, gains_b.x);
        diagonal = b.above.h;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (r % 4 == 3 && r + 1 < ROWS) {
                const int next = (r + 1) / 4 * 32;
                gains_a = load_gains<TWO>(launch, a.one + next, a.other + next);
                gains_b = load_gains<TWO>(launch, b.one + next, b.other + next);
            }
            const uint32_t gain_a[] = {gains_a.x, gains_a.y, gains_a.z, gains_a.w};
            const uint32_t gain_b[] = {gains_b.x, gains_b.y, gains_b.z, gains_b.w};
            const uint32_t h_a = __vimax3_s16x2(e[r], f_a, sum_a);
            const uint32_t opened_a = add_halves(h_a, a.minus_first);
            const uint32_t e_b = __viaddmax_s16x2_relu(e[r], a.minus_more, opened_a);
            f_a = __viaddmax_s16x2_relu(f_a, launch.minus_more, opened_a);
            sum_a = add_halves(h[r], gain_a[(r + 1) % 4]);
            const uint32_t h_b = __vimax3_s16x2(e_b, f_b, sum_b);
            const uint32_t opened_b = add_halves(h_b, b.minus_first);
            e[r] = __viaddmax_s16x2_relu(e_b, b.minus_more, opened_b);
            f_b = __viaddmax_s16x2_relu(f_b, launch.minus_more, opened_b);
            sum_b = add_halves(h_a, gain_b[(r + 1) % 4]);
            h[r] = h_b;
            best = __vimax3_s16x2(best, h_a, h_b);
            below[0].h = h_a;
        }
        below[0].f = f_a;
        below[1] = {h[ROWS - 1], f_b};
    }
};

template <int ROWS, bool TWO>
CS_DEVICE void
walk_tape(const CsTapeLaunch &launch, const uint4 *profile, const Tape &tape, bool stores)
{
    const int lane = (int)threadIdx.x & 31, place = lane & (launch.lanes - 1);
    const bool bottom = place == launch.lanes - 1;
    const bool takes = launch.takes && place == 0, gives = launch.gives && bottom && stores;
    const int columns = most_in_warp(tape.length + 2 * launch.lanes);
    int j = -2 - 2 * place, now = tape.first; /* the first column, and the record that ends next */
    const uint8_t *letters = launch.letters + tape.one.start + j;
    const uint8_t *letters_2 = launch.letters + tape.other.start;
    CsScoreCell *cell =
        (CsScoreCell *)launch.column + (launch.takes || launch.gives ? tape.one.start : 0) + j;
    CsScoreCell above[2] = {}, border[2] = {};
    int letter[2], letter_2[2];
    uint32_t passed = 0; /* the best of this lane and those above it */
    ScoreRows<ROWS, TWO> rows;
    rows.clear(launch, place);
#pragma unroll
    for (int u = 0; u < 2; u++) {
        letter[u] = letters[u];
        letter_2[u] = TWO ? letters_2[min(j + u, tape.other.length)] : 0;
    }
#pragma unroll 2
    for (int t = 0; t < columns; t += 2) {
        const bool ends = letter[1] == launch.none;
        Column column[2];
        CsScoreCell below[2];
#pragma unroll
        for (int u = 0; u < 2; u++) {
            const bool none = letter[u] == launch.none;
            column[u] = {profile + letter[u] * (ROWS / 4 * 32) + lane,
                         profile + letter_2[u] * (ROWS / 4 * 32) + lane, above[u],
                         none ? MINUS_ALL : launch.minus_first,
                         none ? MINUS_ALL : launch.minus_more};
            letter[u] = letters[u + 2];
            letter_2[u] = TWO ? letters_2[min(j + u + 2, tape.other.length)] : 0;
            /* What lies behind the tape may be another warp's; nothing that comes of it is kept. */
            if (takes)
                border[u] = cell[u + 2];
        }
        rows.step(launch, column[0], column[1], below);
#pragma unroll
        for (int u = 0; u < 2; u++) {
            if (gives && (uint32_t)(j + u) < (uint32_t)tape.length)
                cell[u] = below[u];
            above[u] = rows.enter(below[u], border[u]);
        }
        if (__any_sync(~0u, ends)) {
            const uint32_t from_above = __shfl_up_sync(~0u, passed, 1);
            if (ends) {
                passed = __vmaxs2(rows.best, from_above & rows.takes_f);
                if (stores && j >= 0 && now < tape.end) {
                    if (!TWO)
                        store_queries(launch, now, rows.stripes, passed);
                    else if (bottom)
                        store_records(launch, now, passed);
                }
                now += j >= 0;
                rows.best = 0;
            }
        }
        j += 2;
        letters += 2;
        cell += 2;
    }
}

template <int ROWS, bool TWO, int THREADS>
__global__ void
__launch_bounds__(THREADS, 1) score_kernel(const __grid_constant__ CsTapeLaunch launch)
{
    uint4 *profile = dynamic_shared();
    make_profile<ROWS, ROWS / 4>(launch, profile, THREADS, [&](int row, int letter) {
        return make_uint4(gain_of<TWO>(launch, row, letter), gain_of<TWO>(launch, row + 1, letter),
                          gain_of<TWO>(launch, row + 2, letter),
                          gain_of<TWO>(launch, row + 3, letter));
    });
    __syncthreads();
    take_tapes<TWO>(launch, CS_SCORE_NONES, [&](const Tape &tape, bool stores) {
        walk_tape<ROWS, TWO>(launch, profile, tape, stores);
    });
}

template <int ROWS, bool TWO, int THREADS>
static constexpr CsTapeKernel form =
    TapeForm<score_kernel<ROWS, TWO, THREADS>, ROWS, sizeof(uint32_t), TWO, THREADS>::kernel();

extern "C" const CsTapeKernel cs_score_kernels[] = {
    form<8, false, 512>,  form<8, true, 512>,   form<16, false, 512>,
    form<16, true, 512>,  form<20, false, 512>, form<20, true, 512>,
    form<24, false, 512>, form<24, true, 512>,  form<28, false, 512>,
    form<28, true, 384>,  form<32, false, 384>, form<32, true, 384>,
    form<36, false, 384>, form<36, true, 384>,  {},
};
