/*
 * Lanes of single bits on every target that works here: blocks with random bases and borders must agree
 * with the scalar kernel, in every number, on both sides of what these lanes hold. A spy counts the
 * blocks that they held.
 */
#include "../case_count.h"
#include "../engine_choice.h"
#include "block_case.h"
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

/* The target's kernels, with the spy first. Returns FALSE if the target does not work here. */
static gboolean
spy_on(const char *target, CsSimdKernel *spy, const CsSimdKernel **kernels)
{
    mask_simd(target);
    if (g_strcmp0(cs_simd_target(NULL), target) != 0)
        return FALSE;
    const CsSimdKernel *const *all = cs_simd_kernels(NULL);
    g_assert_cmpint(all[0]->bits, ==, 1);
    sliced = all[0];
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

static const char *const names[] = {"avx512", "avx2", "sse4.1", "neon", "portable"};

/* Random blocks of every height. Most of them have to be held. */
static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    const guint cases = case_count(300);
    for (guint t = 0; t < G_N_ELEMENTS(names); t++) {
        const CsSimdKernel *kernels[MOST_KERNELS];
        CsSimdKernel spy;
        tried = held = 0;
        if (!spy_on(names[t], &spy, kernels))
            continue;
        for (guint k = 0; k < cases; k++) {
            const gint64 most_depth = CS_SLICED_HEIGHT / sliced->strip;
            const gint64 depth = 1 + k % most_depth;
            const gint64 width = 2 * sliced->strip + g_rand_int_range(rand, 0, 200);
            CsCpuBlock block = random_block(rand, depth, width);
            expect_as_scalar(kernels, &block);
            block_clear(&block);
        }
        g_test_message("%s: held %d of %d blocks", names[t], held, tried);
        g_assert_cmpint(tried, ==, cases);
        g_assert_cmpint(held, >, (int)cases / 4);
        g_assert_cmpint(held, <, (int)cases);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sliced/random", test_random);
    return g_test_run();
}
