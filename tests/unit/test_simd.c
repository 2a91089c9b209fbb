/*
 * Blocks at the edges of the vector kernels, on every target that works here, must agree with the
 * scalar kernel and the oracle. Spies replace the kernels and tell in which lanes a block was
 * tried.
 */
#include "../case_count.h"
#include "../engine/oracle.h"
#include "../engine_choice.h"
#include "block_case.h"
#include "config.h"
#include "cpu/simd.h"

enum {
    LANES_TILTED,
    LANES_8,
    LANES_16,
    LANES_32,
    N_LANES,
};

typedef struct {
    const char *name;
    const char *description;
    int bytes; /* of a vector */
    const CsSimdKernel *kernels[N_LANES];
} Target;

static const Target targets[] = {
#ifdef CS_SIMD_X86
    {"avx512",
     "AVX-512",
     64,
     {&cs_simd_avx512_tilted, &cs_simd_avx512_8, &cs_simd_avx512_16, &cs_simd_avx512_32}},
    {"avx2",
     "AVX2",
     32,
     {&cs_simd_avx2_tilted, &cs_simd_avx2_8, &cs_simd_avx2_16, &cs_simd_avx2_32}},
    {"sse4.1",
     "SSE4.1",
     16,
     {&cs_simd_128_tilted, &cs_simd_128_8, &cs_simd_128_16, &cs_simd_128_32}},
#elif defined(__aarch64__)
    {"neon", "NEON", 16, {&cs_simd_128_tilted, &cs_simd_128_8, &cs_simd_128_16, &cs_simd_128_32}},
#else
    {"portable",
     "portable vectors",
     16,
     {&cs_simd_128_tilted, &cs_simd_128_8, &cs_simd_128_16, &cs_simd_128_32}},
#endif
};

static gboolean
works(const Target *target)
{
    mask_simd(target->name);
    return g_strcmp0(cs_simd_engine.describe(NULL, NULL), target->description) == 0;
}

/* What cs_simd_compute() did with a block. */
typedef struct {
    int sweeps[N_LANES];
    int finds;
    int lanes;    /* the lanes in which it was finished */
    CsScore base; /* its base then */
} Seen;

static Seen seen;
static const CsSimdKernel *const *spied;

static void
spy_sweep(int lanes, CsSimdPass *pass)
{
    seen.sweeps[lanes]++;
    spied[lanes]->sweep(pass);
}

static void
spy_find(int lanes, CsSimdPass *pass)
{
    seen.finds++;
    spied[lanes]->find(pass);
}

static void
spy_leave(int lanes, CsSimdPass *pass)
{
    seen.lanes = lanes;
    seen.base = pass->base;
    spied[lanes]->leave(pass);
}

#define FINDING_SPY(lanes)                                                                         \
    static void find_##lanes(CsSimdPass *pass)                                                     \
    {                                                                                              \
        spy_find(lanes, pass);                                                                     \
    }
#define SPIES(lanes)                                                                               \
    static void sweep_##lanes(CsSimdPass *pass)                                                    \
    {                                                                                              \
        spy_sweep(lanes, pass);                                                                    \
    }                                                                                              \
    static void leave_##lanes(CsSimdPass *pass)                                                    \
    {                                                                                              \
        spy_leave(lanes, pass);                                                                    \
    }
SPIES(LANES_TILTED)
SPIES(LANES_8)
SPIES(LANES_16)
SPIES(LANES_32)
FINDING_SPY(LANES_8)
FINDING_SPY(LANES_16)
FINDING_SPY(LANES_32)

static const CsSimdKernel spies[] = {
    {16, TRUE, 0, G_MAXUINT16, sweep_LANES_TILTED, NULL, leave_LANES_TILTED, 0},
    {8, FALSE, 16, G_MAXUINT8, sweep_LANES_8, find_LANES_8, leave_LANES_8, 0},
    {16, FALSE, 8, G_MAXUINT16, sweep_LANES_16, find_LANES_16, leave_LANES_16, 0},
    {32, FALSE, 0, G_MAXINT32, sweep_LANES_32, find_LANES_32, leave_LANES_32, 0},
};

static void
expect_values(const char *what, const void *found, const void *wanted, gint64 count,
              const CsCpuBlock *block, const char *target)
{
    const gint32 *x = found, *y = wanted;
    for (gint64 k = 0; k < count; k++)
        if (x[k] != y[k])
            g_error("%s: %s %" G_GINT64_FORMAT " is %d, not %d; %" G_GINT64_FORMAT
                    " x %" G_GINT64_FORMAT ", lanes of %d, base %" G_GINT64_FORMAT
                    ", scoring %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                    " %" G_GINT64_FORMAT,
                    target, what, k, x[k], y[k], block->height, block->width,
                    spies[seen.lanes].bits, seen.base, block->scoring->match,
                    block->scoring->mismatch, block->scoring->gap_open, block->scoring->gap_extend);
}

static void
expect_block(const CsCpuBlock *found, const CsCpuBlock *wanted, const char *target)
{
    expect_values("bottom H", found->top_h, wanted->top_h, wanted->width, wanted, target);
    expect_values("bottom F", found->top_f, wanted->top_f, wanted->width, wanted, target);
    expect_values("right H", found->left_h, wanted->left_h, wanted->height, wanted, target);
    expect_values("right E", found->left_e, wanted->left_e, wanted->height, wanted, target);
    gint32 best[] = {(gint32)found->best.score, (gint32)found->best.i, (gint32)found->best.j};
    gint32 truth[] = {(gint32)wanted->best.score, (gint32)wanted->best.i, (gint32)wanted->best.j};
    expect_values("best", best, truth, 3, wanted, target);
}

/* Computes the block on a target, in these lanes or the next wider ones that can hold it. */
static Seen
compute(const CsCpuBlock *block, const Target *target, int narrowest, const CsCpuBlock *truth)
{
    const CsSimdKernel *kernels[] = {&spies[LANES_TILTED], &spies[LANES_8], &spies[LANES_16],
                                     &spies[LANES_32]};
    CsCpuBlock found = block_to_compute(block);
    seen = (Seen){0};
    spied = target->kernels;
    cs_simd_compute(kernels + narrowest, &found);
    expect_block(&found, truth, target->name);
    int passes = seen.finds;
    for (int lanes = 0; lanes < N_LANES; lanes++)
        passes += seen.sweeps[lanes];
    g_assert_cmpint(found.cells_computed, ==, passes * block->height * block->width);
    block_clear(&found);
    return seen;
}

/* The highest H that the block can have with these borders. */
static CsScore
most_of(const CsCpuBlock *block)
{
    const gint32 *top_h = block->top_h, *left_h = block->left_h;
    CsScore highest = block->corner;
    for (gint64 j = 0; j < block->width; j++)
        highest = MAX(highest, top_h[j]);
    for (gint64 i = 0; i < block->height; i++)
        highest = MAX(highest, left_h[i]);
    return highest + block->scoring->match * MIN(block->width, block->height);
}

static int tilted_blocks; /* that check_tilted() saw in tilted lanes */

/* The block with a best score that is one higher than any score in it can be, so that tilted lanes
 * can take it. */
static Seen
check_tilted(const CsCpuBlock *block, const Target *target)
{
    CsCpuBlock below = *block;
    below.best = (CsBest){most_of(block) + 1, 1, 1};
    CsCpuBlock truth = scalar_truth(&below);
    Seen now = compute(&below, target, LANES_TILTED, &truth);
    g_assert_cmpint(now.finds, ==, 0);
    tilted_blocks += now.lanes == LANES_TILTED;
    block_clear(&truth);
    return now;
}

/* Computes the block on every target, in all lanes that can hold it. Returns the outcome with all
 * lanes except tilted ones, which is the same on every target. */
static Seen
check(const CsCpuBlock *block)
{
    CsCpuBlock truth = scalar_truth(block);
    Seen all = {0};
    gboolean first = TRUE;
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++) {
        if (!works(&targets[t]))
            continue;
        Seen now = compute(block, &targets[t], LANES_8, &truth);
        g_assert_true(first ||
                      (now.lanes == all.lanes && now.finds == all.finds && now.base == all.base &&
                       memcmp(now.sweeps, all.sweeps, sizeof all.sweeps) == 0));
        all = now;
        first = FALSE;
        for (int narrowest = now.lanes == LANES_8 ? LANES_16 : LANES_32; narrowest < N_LANES;
             narrowest++)
            compute(block, &targets[t], narrowest, &truth);
        check_tilted(block, &targets[t]);
    }
    block_clear(&truth);
    return all;
}

/* Checks that the block stays in the lanes in which it is first tried, or is computed again in
 * others. */
static void
expect_lanes(const CsCpuBlock *block, int tried, int left_in)
{
    Seen now = check(block);
    for (int lanes = 0; lanes < N_LANES; lanes++)
        g_assert_cmpint(now.sweeps[lanes], ==, lanes == tried || lanes == left_in);
    g_assert_cmpint(now.lanes, ==, left_in);
}

/* A border that falls from the corner by one gap in each direction, as after a match in the corner.
 * The gaps across it are opened at the border's own cells. */
static void
set_falling_borders(CsCpuBlock *block, CsScore corner)
{
    const CsScoring *scoring = block->scoring;
    const CsScore first = cs_scoring_first_gap(scoring);
    gint32 *h[] = {block->top_h, block->left_h}, *gap[] = {block->top_f, block->left_e};
    gint64 count[] = {block->width, block->height};
    block->corner = corner;
    for (int side = 0; side < 2; side++)
        for (gint64 k = 0; k < count[side]; k++) {
            CsScore value = MAX(corner - scoring->gap_open - (k + 1) * scoring->gap_extend, 0);
            h[side][k] = (gint32)value;
            gap[side][k] = (gint32)MAX(value - first, 0);
        }
}

/* The same value all along the borders, as H may be between two matches. No gap enters. */
static void
set_flat_borders(CsCpuBlock *block, CsScore value)
{
    gint32 *top_h = block->top_h, *left_h = block->left_h;
    block->corner = value;
    for (gint64 j = 0; j < block->width; j++)
        top_h[j] = (gint32)value;
    for (gint64 i = 0; i < block->height; i++)
        left_h[i] = (gint32)value;
    memset(block->top_f, 0, block->width * sizeof(gint32));
    memset(block->left_e, 0, block->height * sizeof(gint32));
}

/*
 * Heights and widths on both sides of a vector's lanes, of the rows of a strip (of 1 to 6 a lane)
 * and of all of 2 to 4 strips, of the columns that one strip lags behind another and of those from
 * which on all strips go fast. Each in every lanes, on borders low and high above the base.
 */
static void
check_shapes(const Target *target, int lanes_at, GRand *rand)
{
    static const CsScoring scorings[] = {{1, 3, 3, 2}, {1, 0, 0, 0}};
    const gint64 lanes = target->bytes * 8 / spies[lanes_at].bits, lag = lanes + 32;
    const gint64 heights[] = {
        1,
        2,
        3,
        4,
        5,
        7,
        lanes - 1,
        lanes,
        lanes + 1,
        2 * lanes,
        3 * lanes + 1,
        4 * lanes - 5,
        4 * lanes - 1,
        4 * lanes,
        4 * lanes + 1,
        4 * lanes + 6,
        6 * lanes - 1,
        6 * lanes,
        6 * lanes + 1,
        8 * lanes + 2,
        12 * lanes - 1,
        12 * lanes,
        12 * lanes + 1,
        16 * lanes,
        24 * lanes,
        24 * lanes + 7,
    };
    const gint64 widths[] = {
        1,
        2,
        3,
        4,
        lanes - 1,
        lanes,
        lanes + 1,
        lag - 1,
        lag,
        lag + 1,
        2 * lag + lanes - 1,
        2 * lag + lanes,
        2 * lag + lanes + 1,
        2 * lag + lanes + 2,
        3 * lag + lanes,
        3 * lag + lanes + 1,
        3 * lag + lanes + 2,
        3 * lag + 2 * lanes + 5,
    };
    for (guint a = 0; a < G_N_ELEMENTS(heights); a++)
        for (guint b = 0; b < G_N_ELEMENTS(widths); b++)
            for (guint s = 0; s < G_N_ELEMENTS(scorings); s++) {
                CsCpuBlock block = block_new(heights[a], widths[b], &scorings[s]);
                set_bases(&block, rand, 5);
                if (s == 0) { /* so that 8 bits can hold every H */
                    for (gint64 i = 0; i < block.height; i++)
                        ((guint8 *)block.rows)[i] &= i % 16 < 12 ? 3 : 0;
                    for (gint64 j = 0; j < block.width; j++)
                        ((guint8 *)block.columns)[j] &= j % 32 < 20 ? 7 : 0;
                }
                const gboolean tilted = lanes_at == LANES_TILTED;
                set_falling_borders(&block, tilted                 ? 10000
                                            : (s + a + b) % 2 == 0 ? 0
                                            : s == 0               ? 30
                                                                   : 30000);
                block.tie_order = (a + b) % 3 == 0 ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST;
                if (tilted)
                    block.best = (CsBest){most_of(&block) + 1, 1, 1};
                CsCpuBlock truth = scalar_truth(&block);
                Seen now = compute(&block, target, lanes_at, &truth);
                if (s == 0 || tilted)
                    g_assert_cmpint(now.lanes, ==, lanes_at);
                block_clear(&truth);
                block_clear(&block);
            }
}

static void
test_shapes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++)
        for (int lanes_at = LANES_TILTED; works(&targets[t]) && lanes_at < N_LANES; lanes_at++)
            check_shapes(&targets[t], lanes_at, rand);
}

/* Every width up to 600 and every height, each with a few values of the other. */
static void
test_sizes(void)
{
    static const gint64 others[] = {1, 17, 130};
    static const CsScoring scoring = {1, 3, 3, 2};
    const guint few =
        case_is_sanitized() ? 3 : 2; /* with either, each width and each height has its turn */
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    for (gint64 size = 1; size <= 600; size++)
        for (guint k = 0; k < G_N_ELEMENTS(others); k++)
            for (int tall = 0; tall < 2; tall++) {
                if (case_count_is_low() && (size + k + tall) % few != 0)
                    continue;
                CsCpuBlock block =
                    block_new(tall ? size : others[k], tall ? others[k] : size, &scoring);
                set_bases(&block, rand, 5);
                set_falling_borders(&block, size % 3 == 0 ? 0 : 20 * size);
                check(&block);
                block_clear(&block);
            }
}

/*
 * The highest H one below, at and one above what 8-bit lanes hold, with base 0: known beforehand
 * where the block has no more rows than pair, and only afterwards where it has. Then on the border.
 */
static void
test_top_8(void)
{
    for (gint64 match = 1; match <= 5; match++)
        for (int nudge = -1; nudge <= 2; nudge++) {
            const gint64 count = 150 / match;
            /* What is left of the top is count matches: less match and mismatch, a floor of open + 2
             * and the 16 steps by which it rises. */
            const CsScoring scoring = {match, 3, 255 - match - 3 - 2 - 32 - count * match + nudge,
                                       2};
            const int left_in = nudge <= 0 ? LANES_8 : LANES_16;
            CsCpuBlock sure = block_new(count, 400, &scoring);
            set_run(&sure, 0, 100, count);
            expect_lanes(&sure, LANES_8, left_in);
            block_clear(&sure);
            CsCpuBlock maybe = block_new(300, 400, &scoring);
            set_run(&maybe, 90, 30, count);
            expect_lanes(&maybe, LANES_8, left_in);
            block_clear(&maybe);
            /* If 8 bits cannot hold an H on the border, they are not even tried. */
            CsCpuBlock border = block_new(300, 400, &scoring);
            set_falling_borders(&border, count * match);
            expect_lanes(&border, left_in, left_in);
            /* One more pair, from the corner, raises H by a match. */
            set_run(&border, 0, 0, 1);
            expect_lanes(&border, left_in, nudge + match <= 0 ? LANES_8 : LANES_16);
            block_clear(&border);
        }
    /* A run so long that lanes of 8 bits are full, and their H falls by the mismatch again. */
    for (gint64 count = 205; count <= 262; count++) {
        static const CsScoring scoring = {1, 3, 3, 2};
        CsCpuBlock block = block_new(290, 300, &scoring);
        set_run(&block, 20, 30, count);
        expect_lanes(&block, LANES_8, count <= 214 ? LANES_8 : LANES_16);
        block_clear(&block);
    }
}

/* The same for 16 bits above a base that moves, and for 8 bits above one; then 32 bits. The corner
 * is the highest, the ends of the borders are lowest. */
static void
test_top_above_base(void)
{
    for (int lanes = LANES_8; lanes <= LANES_16; lanes++)
        for (gint64 offset = 0; offset < 3; offset++)
            for (int nudge = -1; nudge <= 1; nudge++) {
                const gint64 size = lanes == LANES_8 ? 20 : 300, top = spies[lanes].top;
                const CsScore base = 1000 + 20000 * offset;
                const CsScore open = lanes == LANES_8 ? 28 : 13000;
                CsScoring scoring = {1, 5, open, 2};
                /* From the corner down the border, from there to the base; what may pair adds to
                 * it. */
                const CsScore corner = open + 2 * size + 2 * (open + 2) + 2 * size;
                const CsScore floor = open + 2 + 2 * spies[lanes].period;
                const CsScore room = top - floor - corner - (lanes == LANES_16) * size;
                scoring.mismatch = room - scoring.match + nudge;
                CsCpuBlock block = block_new(size, size, &scoring);
                set_falling_borders(&block, base + corner);
                Seen now = check(&block);
                g_assert_cmpint(now.base, ==, now.lanes == LANES_32 ? 0 : base);
                g_assert_cmpint(now.lanes, ==, nudge <= 0 ? lanes : lanes + 1);
                set_run(&block, 0, 0, size);
                now = check(&block);
                if (lanes == LANES_8)
                    g_assert_cmpint(now.lanes, ==, LANES_16);
                else
                    g_assert_cmpint(now.lanes, ==, nudge <= 0 ? LANES_16 : LANES_32);
                block_clear(&block);
            }
}

/* A base of just 0, and just above 0. */
static void
test_base(void)
{
    static const CsScoring scorings[] = {
        {1, 3, 3, 2}, {1, 3, 0, 0}, {1, 0, 0, 0}, {1, 4, 12, 1}, {3, 200, 0, 1}, {1, 1, 0, 1},
    };
    static const gint64 sizes[][2] = {{1, 1}, {5, 70}, {70, 5}, {40, 40}, {64, 65}, {150, 9}};
    for (guint s = 0; s < G_N_ELEMENTS(scorings); s++)
        for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
            for (CsScore base = -2; base <= 3; base++) {
                CsCpuBlock block = block_new(sizes[k][0], sizes[k][1], &scorings[s]);
                const CsScoring *scoring = block.scoring;
                CsScore fall = 2 * cs_scoring_first_gap(scoring) +
                               scoring->gap_extend * MIN(block.height, block.width);
                CsScore along =
                    scoring->gap_open + scoring->gap_extend * MAX(block.height, block.width);
                set_falling_borders(&block, MAX(base + fall + along, 0));
                Seen now = check(&block);
                g_assert_cmpint(now.lanes, <=, LANES_16);
                g_assert_cmpint(now.base, ==, MAX(base, 0));
                g_autoptr(GRand) rand = g_rand_new_with_seed(s + k);
                set_bases(&block, rand, 3);
                check(&block);
                /* An E and an F that enter far below the base. */
                memset(block.top_f, 0, block.width * sizeof(gint32));
                memset(block.left_e, 0, block.height * sizeof(gint32));
                check(&block);
                block_clear(&block);
            }
}

/*
 * What claim 1 in simd_block.c is about: nothing pairs, so H falls by a gap into the block, and the
 * gaps that open there are lower still. The borders fall by one as well, as behind a long match, or
 * are all as high.
 */
static void
test_fall(void)
{
    static const gint64 sizes[] = {1, 2, 3, 8, 20, 33, 64, 100, 257};
    for (gint64 extend = 0; extend <= 9; extend += 3)
        for (gint64 open = 0; open <= 40; open += 8)
            for (guint a = 0; a < G_N_ELEMENTS(sizes); a++)
                for (guint b = 0; b < G_N_ELEMENTS(sizes); b++) {
                    const CsScoring scoring = {1, 2 * extend + 2 * open + 1, open, extend};
                    CsCpuBlock block = block_new(sizes[a], sizes[b], &scoring);
                    set_falling_borders(&block, 30000);
                    Seen now = check(&block);
                    g_assert_cmpint(now.base, >, 20000);
                    g_assert_cmpint(now.lanes, <=, LANES_16);
                    set_flat_borders(&block, 30000);
                    now = check(&block);
                    g_assert_cmpint(now.base, >, 25000);
                    g_assert_cmpint(now.lanes, <=, LANES_16);
                    block_clear(&block);
                }
}

/* The edges of what tilted lanes hold, on borders that fall by a gap from the corner. */
static void
test_tilted(void)
{
    static const CsScoring scorings[] = {
        {1, 3, 3, 2}, {1, 300, 3, 2}, {1, 3, 300, 2}, {2, 4, 0, 1}, {1, 0, 0, 0}, {5, 900, 40, 0},
    };
    static const gint64 sizes[][2] = {{300, 900}, {900, 300}, {128, 128},
                                      {1, 1},     {1, 70},    {700, 3}};
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++)
        for (guint s = 0; works(&targets[t]) && s < G_N_ELEMENTS(scorings); s++)
            for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
                const CsScoring *scoring = &scorings[s];
                const gint64 height = sizes[k][0], width = sizes[k][1];
                const CsScore shorter = MIN(height, width);
                const CsScore fall =
                    2 * cs_scoring_first_gap(scoring) + scoring->gap_extend * shorter;
                const CsScore along = scoring->gap_open + scoring->gap_extend * MAX(height, width);
                for (int nudge = fall > 0 ? -1 : 0; nudge <= 1; nudge++) {
                    CsCpuBlock block = block_new(height, width, scoring);
                    set_falling_borders(&block, fall + along + nudge);
                    /* No bases match; all bases match. */
                    for (int run = 0; run < 2; run++) {
                        if (run)
                            set_run(&block, 0, 0, shorter);
                        Seen now = check_tilted(&block, &targets[t]);
                        g_assert_cmpint(now.lanes == LANES_TILTED, ==, nudge >= 0);
                    }
                    /* A cell as good as the best known must be found. */
                    block.best = (CsBest){most_of(&block), 1, 1};
                    CsCpuBlock truth = scalar_truth(&block);
                    Seen now = compute(&block, &targets[t], LANES_TILTED, &truth);
                    g_assert_cmpint(now.lanes, !=, LANES_TILTED);
                    block_clear(&truth);
                    block_clear(&block);
                }
            }
}

/* Pairs lead from a corner that towers above flat borders, as one of lower bounds may, to the
 * highest value that tilted lanes hold. */
static void
test_tilted_range(void)
{
    static const CsScoring scorings[] = {{1, 3, 3, 2}, {1, 30, 3, 2}, {2, 4, 50, 1}};
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++)
        for (guint s = 0; works(&targets[t]) && s < G_N_ELEMENTS(scorings); s++)
            for (int nudge = -1; nudge <= 1; nudge++) {
                const CsScoring *scoring = &scorings[s];
                const gint64 size = 300;
                const CsScore rise = (scoring->match + 2 * scoring->gap_extend) * size;
                const CsScore below =
                    scoring->gap_open +
                    MAX(scoring->gap_open, scoring->mismatch - 2 * scoring->gap_extend);
                CsCpuBlock block = block_new(size, size, scoring);
                set_flat_borders(&block, 80000);
                const CsScore base = 80000 + scoring->gap_extend - below;
                block.corner = base + G_MAXUINT16 - rise + nudge;
                set_run(&block, 0, 0, size);
                Seen now = check_tilted(&block, &targets[t]);
                g_assert_cmpint(now.lanes == LANES_TILTED, ==, nudge <= 0);
                block_clear(&block);
            }
}

/* Scorings that lanes of 16 bits cannot hold, and such where only the costs are too large. */
static void
test_32(void)
{
    static const struct {
        CsScoring scoring;
        gint64 height, width;
        CsScore corner;
        int lanes;
    } cases[] = {
        {{1, 20, 3, 8}, 1500, 5000, 100000, LANES_16},
        {{1, 20, 3, 8}, 3000, 5000, 100000, LANES_32},
        {{1000, 900, 2000, 500}, 57, 57, 0, LANES_16},
        {{1000, 900, 2000, 500}, 58, 58, 0, LANES_32},
        {{1, 3, 217, 2}, 100, 150, 0, LANES_8},
        {{1, 3, 218, 2}, 100, 150, 0, LANES_16},
        {{1, 3, 65536, 2}, 100, 150, 0, LANES_32},
        {{1, 3, 0, 300}, 100, 150, 0, LANES_16},
        {{1, 3, 3, 70000}, 100, 150, 200, LANES_32},
        {{1, 3, 70000, 70000}, 100, 150, 60000, LANES_32},
        {{1, 111, 3, 2}, 100, 150, 0, LANES_8},
        {{1, 112, 3, 2}, 100, 150, 0, LANES_16},
        {{218, 0, 3, 2}, 100, 150, 0, LANES_8},
        {{219, 0, 3, 2}, 100, 150, 0, LANES_16},
        {{1, 32709, 3, 2}, 100, 150, 0, LANES_16},
        {{1, 32710, 3, 2}, 100, 150, 0, LANES_32},
        {{1, 65536, 3, 2}, 100, 150, 0, LANES_32},
        {{1, (1 << 27) - 1, (1 << 27) - 2, 1}, 100, 150, 0, LANES_32},
        {{1, 3, (1 << 27) - 2, 1}, 100, 150, 0, LANES_32},
        {{1, 3, (1 << 27) - 2, 1}, 100, 150, 1 << 28, LANES_32},
    };
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(k);
        CsCpuBlock block = block_new(cases[k].height, cases[k].width, &cases[k].scoring);
        set_falling_borders(&block, cases[k].corner);
        Seen now = check(&block);
        g_assert_cmpint(now.lanes, ==, cases[k].lanes);
        set_bases(&block, rand, 5);
        check(&block);
        set_run(&block, 0, 0, MIN(block.height, block.width));
        check(&block);
        block_clear(&block);
    }
}

/* Borders and costs as large as cs_rectangle_width() allows for 32 bits. */
static void
test_limits(void)
{
    static const gint64 sizes[][2] = {{1, 1}, {30, 200}, {200, 30}, {130, 130}};
    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
        for (int which = 0; which < 8; which++) {
            const gint64 height = sizes[k][0], width = sizes[k][1];
            const CsScore extend =
                (which & 1) ? (CS_SCORE_32_LIMIT / 4 - 1) / (height + width + 2) : 0;
            const CsScoring scoring = {
                (CS_SCORE_32_LIMIT / 2 - 1) / (MIN(height, width) + 1),
                (which & 2) ? CS_COST_32_LIMIT - 1 : 0,
                CS_COST_32_LIMIT - 1 - extend,
                extend,
            };
            CsCpuBlock block = block_new(height, width, &scoring);
            block.corner = (which & 4) ? CS_SCORE_32_LIMIT / 2 - 1 : 0;
            for (gint64 j = 0; j < width; j++)
                ((gint32 *)block.top_h)[j] =
                    (gint32)MAX(block.corner - scoring.gap_open - (j + 1) * extend, 0);
            for (gint64 i = 0; i < height; i++)
                ((gint32 *)block.left_h)[i] =
                    (gint32)MAX(block.corner - scoring.gap_open - (i + 1) * extend, 0);
            check(&block);
            set_run(&block, 0, 0, MIN(height, width));
            check(&block);
            block_clear(&block);
        }
}

/* The block with every best cell that could tie with its own. */
static void
check_ties(CsCpuBlock *block)
{
    for (int order = 0; order < 2; order++) {
        block->tie_order = order == 0 ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST;
        block->best = (CsBest){0};
        CsCpuBlock truth = scalar_truth(block);
        const CsBest best = truth.best;
        block_clear(&truth);
        Seen now = check(block);
        g_assert_cmpint(now.finds, ==, best.score > 0);
        for (int by = -1; best.score + by > 0 && by <= 1; by++)
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    block->best = (CsBest){best.score + by, best.i + di, best.j + dj};
                    check(block);
                }
        block->best = (CsBest){best.score, block->i0 + 1, block->j0 + 1};
        now = check(block);
        g_assert_cmpint(now.finds, ==, 0);
    }
    block->best = (CsBest){0};
}

/* Equal best cells nearly everywhere, no best cell, and bases that match nothing. */
static void
test_ties(void)
{
    static const CsScoring scorings[] = {{1, 0, 0, 0}, {1, 1, 0, 1}, {1, 3, 3, 2}, {1, 50, 99, 99}};
    static const gint64 sizes[][2] = {{1, 1}, {1, 90}, {90, 1}, {37, 37}, {16, 200}, {130, 70}};
    static const CsScore corners[] = {0, 150, 200, 40000};
    const guint few = case_is_sanitized() ? 4 : 3; /* 4: a corner for each scoring and size */
    for (guint s = 0; s < G_N_ELEMENTS(scorings); s++)
        for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
            for (guint c = 0; c < G_N_ELEMENTS(corners); c++) {
                if (case_count_is_low() && (s + k + c) % few != 0)
                    continue;
                const gint64 height = sizes[k][0], width = sizes[k][1];
                CsCpuBlock block = block_new(height, width, &scorings[s]);
                set_falling_borders(&block, corners[c]);
                check_ties(&block); /* no pair */
                ((guint8 *)block.rows)[height / 2] = ((guint8 *)block.columns)[width / 2] = 2;
                check_ties(&block); /* one */
                for (gint64 i = 0; i < height; i += 7)
                    ((guint8 *)block.rows)[i] = 1;
                check_ties(&block); /* whole rows of them */
                set_run(&block, 0, 0, MIN(height, width));
                check_ties(&block); /* all */
                memset((guint8 *)block.rows, CS_ROW_AMBIGUOUS, height);
                check_ties(&block);
                memset((guint8 *)block.columns, CS_COLUMN_AMBIGUOUS, width);
                check_ties(&block);
                block_clear(&block);
            }
}

/* A matrix to cut blocks from. In some, H at the corner is so high that no alignment that begins in
 * a block is as good as those from the corner. */
typedef struct {
    char *a, *b;
    OracleProblem problem;
    Oracle oracle;
    CsScoring scoring;
} Matrix;

static void
matrix_init(Matrix *matrix, guint32 seed)
{
    static const CsScoring scorings[] = {
        {1, 3, 3, 2},  {2, 4, 3, 2},   {1, 1, 0, 1},     {5, 4, 10, 1},        {1, 0, 0, 0},
        {3, 1, 4, 0},  {1, 3, 60, 2},  {30, 20, 40, 7},  {1, 3, 300, 2},       {1, 300, 3, 2},
        {90, 5, 3, 1}, {200, 3, 9, 1}, {3, 70000, 1, 1}, {1000, 900, 2000, 5}, {1, 3, 3, 20},
    };
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    int m = g_rand_int_range(rand, 2, 500), n = g_rand_int_range(rand, 2, 500);
    int alphabet = g_rand_int_range(rand, 1, 6);
    double similar = g_rand_double_range(rand, 0.3, 1);
    matrix->a = g_malloc0(m + 1);
    matrix->b = g_malloc0(n + 1);
    for (int i = 0; i < m; i++)
        matrix->a[i] = "ACGTN"[g_rand_int_range(rand, 0, alphabet)];
    int from = g_rand_int_range(rand, 0, 100);
    for (int j = 0; j < n; j++)
        matrix->b[j] = j >= from && j - from < m && g_rand_double(rand) < similar
                           ? matrix->a[j - from]
                           : "ACGTN"[g_rand_int_range(rand, 0, alphabet)];
    matrix->scoring = scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))];
    matrix->problem = (OracleProblem){
        .a = matrix->a,
        .b = matrix->b,
        .m = m,
        .n = n,
        .match = matrix->scoring.match,
        .mismatch = matrix->scoring.mismatch,
        .open = matrix->scoring.gap_open,
        .extend = matrix->scoring.gap_extend,
        .corner = g_rand_int_range(rand, 0, 3) == 0 ? 1 << 26 : 0,
    };
    oracle_solve(&matrix->problem, &matrix->oracle);
}

static void
matrix_clear(Matrix *matrix)
{
    g_free(matrix->a);
    g_free(matrix->b);
    oracle_clear(&matrix->oracle);
}

/* Row i (column j) of the matrix as a block's border, H and the gap across. */
static void
cut_border(const Matrix *matrix, gboolean horizontal, gint64 at, gint64 from, gint64 count,
           gint32 *h, gint32 *gap)
{
    const Oracle *o = &matrix->oracle;
    for (gint64 k = 0; k < count; k++) {
        gint64 cell = horizontal ? at * o->width + from + k + 1 : (from + k + 1) * o->width + at;
        h[k] = (gint32)o->h[cell];
        gap[k] = (gint32)MAX((horizontal ? o->f : o->e)[cell], 0);
    }
}

static CsCpuBlock
cut_block(const Matrix *matrix, const gint64 *i, const gint64 *j)
{
    const Oracle *o = &matrix->oracle;
    CsCpuBlock block = block_new(i[1] - i[0], j[1] - j[0], &matrix->scoring);
    block.i0 = i[0];
    block.j0 = j[0];
    block.corner = o->h[i[0] * o->width + j[0]];
    cut_border(matrix, TRUE, i[0], j[0], block.width, block.top_h, block.top_f);
    cut_border(matrix, FALSE, j[0], i[0], block.height, block.left_h, block.left_e);
    for (gint64 k = 0; k < block.height; k++) {
        guint8 code = cs_bases_codes[(guint8)matrix->a[i[0] + k]];
        ((guint8 *)block.rows)[k] = code == CS_CODE_AMBIGUOUS ? CS_ROW_AMBIGUOUS : code;
    }
    for (gint64 k = 0; k < block.width; k++) {
        guint8 code = cs_bases_codes[(guint8)matrix->b[j[0] + k]];
        ((guint8 *)block.columns)[k] = code == CS_CODE_AMBIGUOUS ? CS_COLUMN_AMBIGUOUS : code;
    }
    /* The result of the scalar kernel must be in the matrix too. */
    CsCpuBlock truth = scalar_truth(&block), whole = block_to_compute(&block);
    cut_border(matrix, TRUE, i[1], j[0], block.width, whole.top_h, whole.top_f);
    cut_border(matrix, FALSE, j[1], i[0], block.height, whole.left_h, whole.left_e);
    whole.best = truth.best;
    expect_block(&truth, &whole, "scalar");
    block_clear(&truth);
    block_clear(&whole);
    return block;
}

/* Blocks from matrices of all kinds. In the end, every way through the lanes has been taken. */
static void
test_cut(void)
{
    int kept[N_LANES] = {0}, above_base[N_LANES] = {0}, again = 0, again_above_base = 0;
    const guint32 matrices = !case_count_is_low() ? 3000 : case_is_sanitized() ? 500 : 1000;
    tilted_blocks = 0;
    for (guint32 seed = 1; seed <= matrices; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed + 1000000);
        Matrix matrix;
        matrix_init(&matrix, seed);
        for (int k = 0; k < 4; k++) {
            gint64 i[2], j[2];
            i[0] = g_rand_int_range(rand, 0, matrix.problem.m);
            j[0] = g_rand_int_range(rand, 0, matrix.problem.n);
            i[1] = g_rand_int_range(rand, (gint32)i[0], matrix.problem.m) + 1;
            j[1] = g_rand_int_range(rand, (gint32)j[0], matrix.problem.n) + 1;
            if (k == 3) { /* a small one, which may fit 8 bits */
                i[1] = MIN(i[1], i[0] + 20);
                j[1] = MIN(j[1], j[0] + 20);
            }
            CsCpuBlock block = cut_block(&matrix, i, j);
            block.tie_order = g_rand_boolean(rand) ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST;
            Seen now = check(&block);
            if (now.sweeps[LANES_8] > 0 && now.lanes != LANES_8)
                *(now.base > 0 ? &again_above_base : &again) += 1;
            else
                (now.base > 0 ? above_base : kept)[now.lanes]++;
            block_clear(&block);
        }
        matrix_clear(&matrix);
    }
    g_test_message(
        "in 8, 16, 32 bits: %d, %d, %d with base 0, %d, %d above; again: %d, %d; tilted: "
        "%d",
        kept[LANES_8], kept[LANES_16], kept[LANES_32], above_base[LANES_8], above_base[LANES_16],
        again, again_above_base, tilted_blocks);
    for (int lanes = LANES_8; lanes < N_LANES; lanes++)
        g_assert_cmpint(kept[lanes], >, 50);
    g_assert_cmpint(tilted_blocks, >, 300);
    g_assert_cmpint(above_base[LANES_8], >, 50);
    g_assert_cmpint(above_base[LANES_16], >, 50);
    g_assert_cmpint(again, >, matrices / 200);
    g_assert_cmpint(again_above_base, >, matrices / 200);
}

/* A block whose left or top neighbour was skipped: zeros on one side, anything on the other. */
static void
test_skipping(void)
{
    static const CsScoring scoring = {1, 3, 3, 2};
    for (CsScore corner = 100; corner <= 100000; corner *= 10)
        for (int side = 0; side < 3; side++) {
            CsCpuBlock block = block_new(100, 120, &scoring);
            g_autoptr(GRand) rand = g_rand_new_with_seed(side);
            set_bases(&block, rand, 5);
            set_falling_borders(&block, corner);
            if (side == 0) {
                memset(block.top_h, 0, block.width * sizeof(gint32));
                memset(block.top_f, 0, block.width * sizeof(gint32));
            } else if (side == 1) {
                memset(block.left_h, 0, block.height * sizeof(gint32));
                memset(block.left_e, 0, block.height * sizeof(gint32));
            } else {
                block.corner = 0;
            }
            Seen now = check(&block);
            g_assert_cmpint(now.base, ==, 0);
            g_assert_cmpint(now.lanes, ==,
                            corner < 200     ? LANES_8
                            : corner < 60000 ? LANES_16
                                             : LANES_32);
            block_clear(&block);
        }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/simd/shapes", test_shapes);
    g_test_add_func("/simd/sizes", test_sizes);
    g_test_add_func("/simd/top-8", test_top_8);
    g_test_add_func("/simd/top-above-base", test_top_above_base);
    g_test_add_func("/simd/base", test_base);
    g_test_add_func("/simd/fall", test_fall);
    g_test_add_func("/simd/tilted", test_tilted);
    g_test_add_func("/simd/tilted-range", test_tilted_range);
    g_test_add_func("/simd/32", test_32);
    g_test_add_func("/simd/limits", test_limits);
    g_test_add_func("/simd/ties", test_ties);
    g_test_add_func("/simd/cut", test_cut);
    g_test_add_func("/simd/skipping", test_skipping);
    return g_test_run();
}
