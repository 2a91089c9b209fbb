/*
 * Lanes of single bits on every target that works here: blocks with random bases and borders must agree
 * with the scalar kernel, in every number, on both sides of what these lanes hold. A spy counts the
 * blocks that they held.
 */
#include "../case_count.h"
#include "../engine_choice.h"
#include "block_case.h"
#include "config.h"
#include "cpu/simd.h"
#include "cpu/sliced.h"

enum {
    MOST_KERNELS = 8,
};

static const CsScoring scoring = CS_SCORING_DEFAULT;
static const CsSimdKernel *sliced; /* the target's own */
static int tried, held;

static void
spy_sweep(CsSimdPass *pass)
{
    sliced->sweep(pass);
    tried++;
    held += pass->highest == 0;
}

/* Some targets; `kernel` is not the one that the target has here. */
static const struct {
    const char *name;
    const CsSimdKernel *kernel;
} targets[] = {
    {"avx512", NULL},
#ifdef CS_SIMD_X86
    {"avx512", &cs_simd_avx512_1},
#endif
    {"avx2", NULL},
    {"sse4.1", NULL},
    {"neon", NULL},
    {"portable", NULL},
};

/* The target's kernels, with the spy first. Returns FALSE if the target does not work here. */
static gboolean
spy_on(guint t, CsSimdKernel *spy, const CsSimdKernel **kernels)
{
    mask_simd(targets[t].name);
    if (g_strcmp0(cs_simd_target(NULL), targets[t].name) != 0)
        return FALSE;
    const CsSimdKernel *const *all = cs_simd_kernels(NULL);
    g_assert_cmpint(all[0]->bits, ==, 1);
    sliced = targets[t].kernel != NULL ? targets[t].kernel : all[0];
    *spy = *sliced;
    spy->sweep = spy_sweep;
    kernels[0] = spy;
    guint k = 0;
    do {
        k++;
        g_assert_cmpuint(k, <, MOST_KERNELS);
        kernels[k] = all[k];
    } while (all[k]->bits < 32);
    return TRUE;
}

static void
expect_same(const char *what, const void *found, const void *wanted, gint64 count,
            const CsCpuBlock *block)
{
    const gint32 *x = found, *y = wanted;
    for (gint64 k = 0; k < count; k++)
        if (x[k] != y[k])
            g_error("%s %" G_GINT64_FORMAT " is %d, not %d; %" G_GINT64_FORMAT
                    " x %" G_GINT64_FORMAT ", rows of a strip: %" G_GINT64_FORMAT,
                    what, k, x[k], y[k], block->height, block->width, sliced->strip);
}

static void
expect_as_scalar(const CsSimdKernel *const *kernels, const CsCpuBlock *block)
{
    CsCpuBlock found = block_to_compute(block), truth = scalar_truth(block);
    cs_simd_compute(kernels, &found);
    expect_same("bottom H", found.top_h, truth.top_h, block->width, block);
    expect_same("bottom F", found.top_f, truth.top_f, block->width, block);
    expect_same("right H", found.left_h, truth.left_h, block->height, block);
    expect_same("right E", found.left_e, truth.left_e, block->height, block);
    g_assert_cmpint(found.best.score, ==, truth.best.score);
    g_assert_cmpint(found.best.i, ==, truth.best.i);
    g_assert_cmpint(found.best.j, ==, truth.best.j);
    block_clear(&found);
    block_clear(&truth);
}

/* Copies pieces of the rows into the columns, with a few other bases and gaps. */
static void
set_copies(CsCpuBlock *block, GRand *rand, int count, int longest)
{
    guint8 *columns = (guint8 *)block->columns;
    for (int k = 0; k < count; k++) {
        gint64 i = g_rand_int_range(rand, 0, (gint32)block->height);
        gint64 j = g_rand_int_range(rand, 0, (gint32)block->width);
        const int length = g_rand_int_range(rand, 6, longest);
        for (int n = 0; n < length && i < block->height && j < block->width; n++) {
            const int change = g_rand_int_range(rand, 0, 40);
            if (change == 0)
                i += g_rand_int_range(rand, 1, 4);
            else if (change == 1)
                j += g_rand_int_range(rand, 1, 4);
            else
                columns[j++] = change == 2 ? 3 : block->rows[i++];
            if (change == 2)
                i++;
        }
    }
}

/* Values up to `most` on a border, and gaps that H allows: low ones, those opened there, or others. */
static void
set_border(void *h, void *gap, gint64 count, GRand *rand, int most, int rare)
{
    gint32 *values = h, *gaps = gap;
    for (gint64 k = 0; k < count; k++) {
        const gboolean high = rare > 0 && g_rand_int_range(rand, 0, rare) == 0;
        values[k] = g_rand_int_range(rand, 0, (high ? most : MIN(most, 7)) + 1);
        gaps[k] = g_rand_boolean(rand) || rare == 0 ? 0 : g_rand_int_range(rand, 0, values[k] + 1);
    }
}

/* A block that single bits may hold, if `most` is below 32. */
static CsCpuBlock
random_block(GRand *rand, gint64 depth, gint64 width)
{
    static const int alphabets[] = {4, 4, 4, 3, 2, 1};
    static const int rares[] = {0, 0, 500, 100, 5, 1};
    static const int mosts[] = {0, 3, 7, 8, 12, 31};
    CsCpuBlock block = block_new(depth * sliced->strip, width, &scoring);
    const int alphabet = alphabets[g_rand_int_range(rand, 0, G_N_ELEMENTS(alphabets))];
    const int rare = rares[g_rand_int_range(rand, 0, G_N_ELEMENTS(rares))];
    const int most = mosts[g_rand_int_range(rand, 0, G_N_ELEMENTS(mosts))];
    guint8 *rows = (guint8 *)block.rows, *columns = (guint8 *)block.columns;
    for (gint64 i = 0; i < block.height; i++)
        rows[i] = (guint8)g_rand_int_range(rand, 0, alphabet);
    for (gint64 j = 0; j < width; j++)
        columns[j] = (guint8)(alphabet == 1 ? 1 : g_rand_int_range(rand, 0, alphabet));
    set_copies(&block, rand, g_rand_int_range(rand, 0, 6), g_rand_boolean(rand) ? 12 : 50);
    set_border(block.top_h, block.top_f, width, rand, most, rare);
    set_border(block.left_h, block.left_e, block.height, rand, most, rare);
    block.corner = g_rand_int_range(rand, 0, most + 1);
    block.best = (CsBest){g_rand_int_range(rand, CS_SLICED_LEAST_BEST, 40), 20, 30};
    block.tie_order = g_rand_boolean(rand) ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST;
    return block;
}

/* Random blocks of every height. Most of them have to be held. */
static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    const guint cases = case_count(300);
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++) {
        const CsSimdKernel *kernels[MOST_KERNELS];
        CsSimdKernel spy;
        tried = held = 0;
        if (!spy_on(t, &spy, kernels))
            continue;
        for (guint k = 0; k < cases; k++) {
            const gint64 most_depth = CS_SLICED_HEIGHT / sliced->strip;
            const gint64 depth = 1 + k % most_depth;
            const gint64 width = 2 * sliced->strip + g_rand_int_range(rand, 0, 200);
            CsCpuBlock block = random_block(rand, depth, width);
            expect_as_scalar(kernels, &block);
            block_clear(&block);
        }
        g_test_message("%s: held %d of %d blocks", targets[t].name, held, tried);
        g_assert_cmpint(tried, ==, cases);
        g_assert_cmpint(held, >, (int)cases / 4);
        g_assert_cmpint(held, <, (int)cases);
    }
}

/* Computes the block on every target, and checks whether single bits are tried and hold it. */
static void
expect(const CsCpuBlock *block, gboolean tries, gboolean holds)
{
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++) {
        const CsSimdKernel *kernels[MOST_KERNELS];
        CsSimdKernel spy;
        if (!spy_on(t, &spy, kernels))
            continue;
        tried = held = 0;
        expect_as_scalar(kernels, block);
        g_assert_cmpint(tried > 0, ==, tries);
        g_assert_cmpint(held == tried, ==, holds || !tries);
    }
}

enum {
    HEIGHT = 768, /* whole strips on every target */
    WIDTH = 1100,
};

/* A block without matches, whose best is that high. */
static CsCpuBlock
quiet_block(CsScore best)
{
    CsCpuBlock block = block_new(HEIGHT, WIDTH, &scoring);
    block.best = (CsBest){best, 20, 30};
    return block;
}

/* A run whose H is as high as can be held, and one higher; and as high as the best. */
static void
test_top(void)
{
    for (int best = CS_SLICED_LEAST_BEST; best <= 34; best++)
        for (int count = 28; count <= 33; count++) {
            CsCpuBlock block = quiet_block(best);
            set_run(&block, 97, 301, count);
            expect(&block, TRUE, count < MIN(best, 32));
            set_run(&block, 97, 301, MIN(best, 32) - 1);
            memset((guint8 *)block.rows + 97 + MIN(best, 32) - 1, 0, 40);
            expect(&block, TRUE, TRUE);
            block_clear(&block);
        }
}

/* Scores that narrow steps would not see: below that, these lanes are not tried. */
static void
test_least_best(void)
{
    for (int best = 0; best <= 9; best++)
        for (int count = 6; count <= 9; count++) {
            CsCpuBlock block = quiet_block(best);
            set_run(&block, 97, 301, count);
            expect(&block, best >= CS_SLICED_LEAST_BEST, count < best);
            block_clear(&block);
        }
}

/* What may enter: one less, and one too much. */
static void
test_borders(void)
{
    for (int value = 31; value <= 33; value++)
        for (int side = 0; side < 5; side++) {
            CsCpuBlock block = quiet_block(100);
            if (side == 4)
                block.corner = value;
            else
                ((gint32 *[]){block.top_h, block.top_f, block.left_h, block.left_e})[side][300] =
                    value;
            expect(&block, value <= 31, TRUE);
            block_clear(&block);
        }
}

/*
 * A gap that comes down from the top border where all else suits narrow steps, in the last column of a
 * chunk, after which the next step is narrow if F is not looked at. A run of pairs takes it to the right border.
 */
static void
test_gap_from_above(void)
{
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++) {
        const CsSimdKernel *kernels[MOST_KERNELS];
        CsSimdKernel spy;
        if (!spy_on(t, &spy, kernels))
            continue;
        for (gint64 at = 2 * sliced->strip; at < 2 * sliced->strip + 64; at++) {
            CsCpuBlock block = block_new(sliced->strip, at + 5, &scoring);
            ((gint32 *)block.top_h)[at] = ((gint32 *)block.top_f)[at] = 7;
            set_run(&block, 2, at + 1, 4);
            block.best.score = 30;
            tried = held = 0;
            expect_as_scalar(kernels, &block);
            g_assert_cmpint(held, ==, 1);
            block_clear(&block);
        }
    }
}

/* Whatever else these lanes are not made for. */
static void
test_others(void)
{
    CsCpuBlock block = quiet_block(30);
    set_run(&block, 97, 301, 20);
    ((guint8 *)block.rows)[105] = CS_ROW_AMBIGUOUS;
    expect(&block, FALSE, FALSE);
    ((guint8 *)block.rows)[105] = 2;
    ((guint8 *)block.columns)[305] = CS_COLUMN_AMBIGUOUS;
    expect(&block, FALSE, FALSE);
    ((guint8 *)block.columns)[305] = 2;
    expect(&block, TRUE, TRUE);
    block.height--;
    expect(&block, FALSE, FALSE);
    block.height++;
    block.width = 255;
    expect(&block, FALSE, FALSE);
    block.width = WIDTH;
    for (int k = 0; k < 4; k++) {
        CsScoring other = scoring;
        *(gint64 *[]){&other.match, &other.mismatch, &other.gap_open, &other.gap_extend}[k] += 1;
        block.scoring = &other;
        expect(&block, FALSE, FALSE);
    }
    block_clear(&block);
}

/* H stays at 20 or more along all diagonals, so that all steps are wide: few are taken, many not. */
static void
test_wide_steps(void)
{
    for (int longer = 0; longer < 2; longer++) {
        CsCpuBlock block = block_new(HEIGHT, longer ? 6000 : WIDTH, &scoring);
        for (gint64 j = 0; j < block.width; j++) {
            ((guint8 *)block.columns)[j] = j % 4 == 3 ? 1 : 0;
            ((gint32 *)block.top_h)[j] = 20;
        }
        for (gint64 i = 0; i < HEIGHT; i++)
            ((gint32 *)block.left_h)[i] = 20;
        block.corner = 20;
        block.best = (CsBest){30, 20, 30};
        expect(&block, TRUE, !longer);
        block_clear(&block);
    }
}

/* Every number of columns in the last chunk, and blocks of several parts, one of which has a best cell. */
static void
test_widths(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    for (guint t = 0; t < G_N_ELEMENTS(targets); t++) {
        const CsSimdKernel *kernels[MOST_KERNELS];
        CsSimdKernel spy;
        if (!spy_on(t, &spy, kernels))
            continue;
        for (gint64 more = 0; more <= 130; more++) {
            CsCpuBlock block = random_block(rand, 1, 2 * sliced->strip + more);
            expect_as_scalar(kernels, &block);
            block_clear(&block);
        }
        for (gint64 more = -1; more <= 1; more++) {
            CsCpuBlock block = random_block(rand, 1, 2 * CS_SLICED_WIDTH + more);
            block.best.score = 25;
            set_run(&block, 50, CS_SLICED_WIDTH + 500, 40);
            /* From the second part's corner to the bottom row. */
            ((gint32 *)block.top_h)[CS_SLICED_WIDTH - 1] = 7;
            set_run(&block, 0, CS_SLICED_WIDTH, sliced->strip);
            tried = held = 0;
            expect_as_scalar(kernels, &block);
            g_assert_cmpint(tried, ==, more < 0 ? 1 : 2);
            block_clear(&block);
        }
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sliced/random", test_random);
    g_test_add_func("/sliced/top", test_top);
    g_test_add_func("/sliced/least-best", test_least_best);
    g_test_add_func("/sliced/borders", test_borders);
    g_test_add_func("/sliced/gap-from-above", test_gap_from_above);
    g_test_add_func("/sliced/others", test_others);
    g_test_add_func("/sliced/wide-steps", test_wide_steps);
    g_test_add_func("/sliced/widths", test_widths);
    return g_test_run();
}
