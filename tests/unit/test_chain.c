/* Chains must be as good as those of a search that tries every pair of seeds. */
#include <stdlib.h>

#include <chromosweep/error.h>

#include "lower_bound/chain.h"
#include "lower_bound/chain_front.h"

static int
compare_places(const void *a, const void *b)
{
    const CsSeed *first = a, *second = b;
    if (first->row != second->row)
        return first->row < second->row ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

static gboolean
may_follow(const CsSeed *before, const CsSeed *seed)
{
    return before->row + before->length <= seed->row &&
           before->column + before->length <= seed->column;
}

static gint64
cost_between(const CsSeed *before, const CsSeed *seed, const CsChainCosts *costs)
{
    const gint64 rows = seed->row - before->row - before->length;
    const gint64 columns = seed->column - before->column - before->length;
    return costs->step + costs->diagonal * ABS(rows - columns) + costs->base * (rows + columns);
}

static gint64
highest_worth(const CsSeed *seeds, gint64 count, const CsChainCosts *costs)
{
    g_autofree gint64 *worth = g_new(gint64, count + 1);
    gint64 highest = 0;
    for (gint64 j = 0; j < count; j++) {
        worth[j] = 0;
        for (gint64 i = 0; i < j; i++)
            if (may_follow(&seeds[i], &seeds[j]))
                worth[j] = MAX(worth[j], worth[i] - cost_between(&seeds[i], &seeds[j], costs));
        worth[j] += CS_CHAIN_BASE * seeds[j].length;
        highest = MAX(highest, worth[j]);
    }
    return highest;
}

/* The chain consists of given seeds in order, its worth is right, and no chain is worth more. */
static gint64
expect_best(const CsSeed *seeds, gint64 count, const CsChainCosts *costs)
{
    g_autoptr(GError) error = NULL;
    gint64 length = -1, worth = -1, sum = 0;
    g_autofree CsSeed *chain =
        cs_chain_find(seeds, count, costs, 1 + count % 3, NULL, &length, &worth, &error);
    g_assert_no_error(error);
    for (gint64 k = 0; k < length; k++) {
        const CsSeed *given =
            bsearch(&chain[k], seeds, (gsize)count, sizeof *seeds, compare_places);
        g_assert_nonnull(given);
        g_assert_cmpint(given->length, ==, chain[k].length);
        sum += CS_CHAIN_BASE * chain[k].length;
        if (k == 0)
            continue;
        g_assert_true(may_follow(&chain[k - 1], &chain[k]));
        sum -= cost_between(&chain[k - 1], &chain[k], costs);
    }
    g_assert_cmpint(worth, ==, sum);
    g_assert_cmpint(worth, ==, highest_worth(seeds, count, costs));
    return length;
}

/* Random seeds, some of them along a few diagonals, sorted and without duplicates. */
static CsSeed *
random_seeds(GRand *rand, gint64 *count)
{
    const int most = g_rand_int_range(rand, 0, 700), range = g_rand_int_range(rand, 1, 3000);
    const int longest = g_rand_int_range(rand, 1, 60);
    CsSeed *seeds = g_new(CsSeed, most + 1);
    for (int k = 0; k < most; k++) {
        seeds[k].row = g_rand_int_range(rand, 0, range);
        seeds[k].column = k % 3 == 0 ? g_rand_int_range(rand, 0, range)
                                     : seeds[k].row + 100 * g_rand_int_range(rand, 0, 3);
        seeds[k].length = g_rand_int_range(rand, 1, longest + 1);
    }
    qsort(seeds, (gsize)most, sizeof *seeds, compare_places);
    gint64 kept = 0;
    for (int k = 0; k < most; k++)
        if (kept == 0 || compare_places(&seeds[kept - 1], &seeds[k]) != 0)
            seeds[kept++] = seeds[k];
    *count = kept;
    return seeds;
}

static void
test_random(void)
{
    gint64 lengths = 0;
    for (guint32 seed = 0; seed < 1000; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        gint64 count;
        g_autofree CsSeed *seeds = random_seeds(rand, &count);
        CsChainCosts costs = cs_chain_costs(&(CsScoring)CS_SCORING_DEFAULT);
        if (seed % 2 == 0)
            costs = (CsChainCosts){.step = g_rand_int_range(rand, 0, 1000),
                                   .diagonal = g_rand_int_range(rand, 0, 200),
                                   .base = g_rand_int_range(rand, 0, 20)};
        lengths += expect_best(seeds, count, &costs);
    }
    g_test_message("%" G_GINT64_FORMAT " seeds in chains", lengths);
    g_assert_cmpint(lengths, >, 10000);
}

/* Many seeds that lie anywhere, and little to pay for a change of diagonal: chains go to and fro. */
static void
test_scattered(void)
{
    gint64 lengths = 0;
    for (guint32 seed = 0; seed < 30; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        const gint64 count = g_rand_int_range(rand, 1000, 4000);
        g_autofree CsSeed *seeds = g_new(CsSeed, count);
        const CsChainCosts costs = {.step = g_rand_int_range(rand, 0, 2000),
                                    .diagonal = g_rand_int_range(rand, 0, 4),
                                    .base = g_rand_int_range(rand, 0, 3)};
        const gint32 columns = g_rand_int_range(rand, 100, seed % 2 ? 20000 : 1000000);
        const gint32 apart = g_rand_int_range(rand, 3, seed % 2 ? 4 : 300);
        for (gint64 k = 0; k < count; k++)
            seeds[k] = (CsSeed){.row = apart * k + g_rand_int_range(rand, 0, 3),
                                .column = g_rand_int_range(rand, 0, columns),
                                .length = g_rand_int_range(rand, 1, 40)};
        lengths += expect_best(seeds, count, &costs);
    }
    g_assert_cmpint(lengths, >, 1000);
}

/*
 * Seeds end one column before each other, so the slope of each soon meets the wall of the last one.
 * That of the first seed, far behind, meets another wall first with each seed that enters. What is
 * out of date is left out then, and the slope still comes to all walls.
 */
static void
try_front(gint32 seeds)
{
    enum {
        COLUMN = 1000
    };
    CsChainFront front;
    g_assert_true(cs_chain_front_init(&front, seeds + 2, 2 * COLUMN));
    cs_chain_front_enter(&front, &(CsChainEntry){.seed = seeds, .value = 5000});
    for (gint32 k = 0; k < seeds; k++) {
        const CsChainEntry entry = {.seed = k,
                                    .column = seeds - k,
                                    .diagonal = seeds - k,
                                    .value = 1000 - k,
                                    .row = k,
                                    .end = COLUMN - k};
        cs_chain_front_go_to(&front, k);
        cs_chain_front_enter(&front, &entry);
        g_assert_cmpint(front.active, <=, 3);
        g_assert_cmpint(front.pending, <, 40);
    }
    /* One more on the right of all, which changes nothing for the others. */
    const CsChainEntry last = {.seed = seeds + 1,
                               .column = seeds + 1,
                               .diagonal = seeds + 1,
                               .value = 1,
                               .row = seeds,
                               .end = 2 * COLUMN};
    cs_chain_front_go_to(&front, seeds);
    cs_chain_front_enter(&front, &last);
    for (gint64 row = seeds; row <= COLUMN; row++) {
        cs_chain_front_go_to(&front, row);
        g_assert_cmpint(cs_chain_front_find(&front, row, seeds, row < COLUMN)->seed, ==,
                        row < COLUMN ? 0 : seeds);
    }
    cs_chain_front_clear(&front);
}

static void
test_front(void)
{
    for (gint32 seeds = 1; seeds < 200; seeds++)
        try_front(seeds);
}

/* A chain continues across an inversion and a long gap, and takes no detour for a short copy. */
static void
test_ways(void)
{
    const CsSeed seeds[] = {
        {0, 0, 3000}, {1000, 90000, 500}, {33000, 33000, 4000}, {40000, 45000, 9000}};
    const CsScoring scoring = CS_SCORING_DEFAULT;
    const CsChainCosts costs = cs_chain_costs(&scoring);
    g_assert_cmpint(costs.step, ==, 300);
    g_assert_cmpint(costs.diagonal, ==, 80);
    g_assert_cmpint(expect_best(seeds, G_N_ELEMENTS(seeds), &costs), ==, 3);
}

static void
test_edges(void)
{
    g_autoptr(GError) error = NULL;
    const CsScoring scorings[] = {
        {G_MAXINT64 / 8, 1, 1, 1}, {1, 0, 0, 0}, {1, 3, G_MAXINT64 / 64, G_MAXINT64 / 64}};
    const CsSeed one = {5, 7, 20};
    for (guint k = 0; k < G_N_ELEMENTS(scorings); k++) {
        const CsChainCosts costs = cs_chain_costs(&scorings[k]);
        g_assert_cmpint(costs.step, >=, 0);
        g_assert_cmpint(costs.step, <=, 1000000);
        g_assert_cmpint(costs.diagonal, >=, 1);
        g_assert_cmpint(costs.diagonal, <=, 80);
        g_assert_cmpint(expect_best(&one, 1, &costs), ==, 1);
        g_assert_cmpint(expect_best(&one, 0, &costs), ==, 0);
    }
    const gint stop = 1;
    gint64 length = 7, worth = 7;
    const CsChainCosts costs = cs_chain_costs(&scorings[1]);
    g_assert_null(cs_chain_find(&one, 1, &costs, 1, &stop, &length, &worth, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/chain/random", test_random);
    g_test_add_func("/chain/scattered", test_scattered);
    g_test_add_func("/chain/front", test_front);
    g_test_add_func("/chain/ways", test_ways);
    g_test_add_func("/chain/edges", test_edges);
    return g_test_run();
}
