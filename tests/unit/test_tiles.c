/* Tile scores must be the oracle's, on every engine and vector target that works here. */
#include <string.h>

#include <chromosweep/compare.h>
#include <chromosweep/error.h>
#include <chromosweep/tiles.h>

#include "../engine/oracle.h"
#include "../engine_choice.h"
#include "../random_sequence.h"
#include "cpu/simd.h"

static const char *const masks[] = {"avx512", "avx2", "sse4.1", "neon"};

static const CsScoring scorings[] = {
    CS_SCORING_DEFAULT,
    {2, 3, 5, 2},
    {5, 4, 0, 1},
    {1, 0, 0, 0},
    {100, 300, 200, 50},                                            /* 16 bits from the start */
    {30000, 10000, 40000, 10000},                                   /* 32 bits */
    {G_GINT64_CONSTANT(1) << 40, 3, 3, G_GINT64_CONSTANT(1) << 41}, /* 64 bits: no vectors */
};

/* Bases with a few that match nothing; half of the time a mutated piece of another sequence. */
static char *
make_bases(GRand *rand, int length, const char *kin, gboolean reversed)
{
    static const char alphabet[] = "ACGTacgtNR";
    char *bases = g_malloc(length + 1);
    int kin_length = kin != NULL ? (int)strlen(kin) : 0;
    for (int k = 0; k < length; k++) {
        gboolean copy = k < kin_length && g_rand_int_range(rand, 0, 12) > 0;
        char base = alphabet[g_rand_int_range(rand, 0, g_rand_int_range(rand, 0, 9) ? 8 : 10)];
        if (copy && !reversed)
            base = kin[k];
        else if (copy && strchr("ACGT", kin[kin_length - 1 - k]) != NULL)
            base = "TGCA"[strchr("ACGT", kin[kin_length - 1 - k]) - "ACGT"];
        bases[k] = base;
    }
    bases[length] = '\0';
    return bases;
}

static char *
reverse_complement(const char *bases, gint64 length)
{
    static const char from[] = "ACGTacgtNR", to[] = "TGCAtgcaNY";
    char *reversed = g_malloc(length + 1);
    for (gint64 k = 0; k < length; k++)
        reversed[k] = to[strchr(from, bases[length - 1 - k]) - from];
    reversed[length] = '\0';
    return reversed;
}

static gint64
oracle_of(const char *a, gint64 m, const char *b, gint64 n, const CsScoring *scoring)
{
    g_autofree char *rows = g_ascii_strup(a, m), *columns = g_ascii_strup(b, n);
    OracleProblem problem = {.a = rows,
                             .b = columns,
                             .m = (int)m,
                             .n = (int)n,
                             .match = scoring->match,
                             .mismatch = scoring->mismatch,
                             .open = scoring->gap_open,
                             .extend = scoring->gap_extend};
    Oracle oracle;
    oracle_solve(&problem, &oracle);
    gint64 score = oracle.score;
    oracle_clear(&oracle);
    return score;
}

/* Compares the tiles of two texts on every engine with these scores. */
static void
check(const char *a, const char *b, const CsTileOptions *wish)
{
    const gint64 m = (gint64)strlen(a), n = (gint64)strlen(b);
    g_autoptr(CsSequence) target = cs_sequence_new("a", a, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("b", b, -1, NULL);
    GPtrArray *found = g_ptr_array_new_with_free_func((GDestroyNotify)cs_tiles_free);
    CsTileOptions options = *wish;
    for (guint k = 0; k <= G_N_ELEMENTS(masks); k++) {
        gboolean scalar = k == G_N_ELEMENTS(masks);
        g_autoptr(GError) error = NULL;
        mask_simd(scalar ? NULL : masks[k]);
        options.engine = scalar ? "scalar" : "simd";
        if (!scalar && cs_simd_engine.describe(NULL, NULL) == NULL)
            continue;
        CsTiles *tiles = cs_tiles_new(target, query, &options, &error);
        g_assert_no_error(error);
        g_ptr_array_add(found, tiles);
    }
    mask_simd(NULL);
    const CsTiles *any = found->pdata[0];
    g_assert_cmpint(any->rows, ==, (m + options.target_tile - 1) / options.target_tile);
    g_assert_cmpint(any->columns, ==, (n + options.query_tile - 1) / options.query_tile);
    g_assert_cmpint(any->cells, ==, 2 * m * n);
    for (gint64 t = 0; t < any->rows * any->columns; t++) {
        gint64 i = t / any->columns * options.target_tile;
        gint64 j = t % any->columns * options.query_tile;
        gint64 height = MIN(options.target_tile, m - i), width = MIN(options.query_tile, n - j);
        g_autofree char *reversed = reverse_complement(b + j, width);
        gint64 plus = oracle_of(a + i, height, b + j, width, &options.scoring);
        gint64 minus = oracle_of(a + i, height, reversed, width, &options.scoring);
        for (guint k = 0; k < found->len; k++) {
            const CsTiles *tiles = found->pdata[k];
            g_assert_cmpint(tiles->plus[t], ==, plus);
            g_assert_cmpint(tiles->minus[t], ==, minus);
        }
    }
    g_ptr_array_unref(found);
}

static void
test_random(void)
{
    for (guint32 seed = 0; seed < 150; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        int longest = seed % 10 == 0 ? 900 : 150;
        g_autofree char *a = make_bases(rand, g_rand_int_range(rand, 1, longest), NULL, FALSE);
        g_autofree char *b = make_bases(rand, g_rand_int_range(rand, 1, longest),
                                        seed % 3 > 0 ? a : NULL, seed % 3 == 2);
        CsTileOptions options = CS_TILE_OPTIONS_INIT;
        options.scoring = scorings[seed % G_N_ELEMENTS(scorings)];
        options.target_tile = g_rand_int_range(rand, 1, seed % 2 ? 40 : longest + 20);
        options.query_tile = g_rand_int_range(rand, 1, seed % 2 ? 40 : longest + 20);
        options.threads = (guint)g_rand_int_range(rand, 1, 4);
        check(a, b, &options);
    }
}

/* Sizes at the edges of lanes, strips and vectors, and of runs of tiles. */
static void
test_edges(void)
{
    static const gint64 sizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autofree char *a = make_bases(rand, 600, NULL, FALSE);
    g_autofree char *b = make_bases(rand, 580, a, FALSE);
    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
        CsTileOptions options = CS_TILE_OPTIONS_INIT;
        options.target_tile = options.query_tile = sizes[k];
        options.threads = 2;
        gint64 bases = MIN(600, 20 * sizes[k]);
        g_autofree char *some_a = g_strndup(a, bases), *some_b = g_strndup(b, bases - 1);
        check(some_a, some_b, &options);
    }
}

/* Tiles of several blocks, for which the oracle would need too much memory. Their score must be
 * that of a comparison of their bases. */
static void
test_large(void)
{
    enum {
        M = 7000,
        N = 40000
    };
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    g_autofree char *b = make_bases(rand, N, NULL, FALSE);
    g_autofree char *a = make_bases(rand, M, b + 14000, FALSE);
    CsTileOptions options = CS_TILE_OPTIONS_INIT;
    options.target_tile = 6500;
    options.query_tile = 36000;
    options.threads = 2;
    g_autoptr(CsSequence) target = cs_sequence_new("a", a, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("b", b, -1, NULL);
    g_autoptr(CsTiles) tiles = cs_tiles_new(target, query, &options, NULL);
    g_assert_cmpint(tiles->rows * tiles->columns, ==, 4);
    for (gint64 t = 0; t < 8; t++) {
        gint64 i = t / 2 % 2 * 6500, j = t % 2 * 36000;
        gint64 height = MIN(6500, M - i), width = MIN(36000, N - j);
        g_autofree char *reversed = reverse_complement(b + j, width);
        g_autoptr(CsSequence) rows = cs_sequence_new("a", a + i, height, NULL);
        g_autoptr(CsSequence) columns = cs_sequence_new("b", t < 4 ? b + j : reversed, width, NULL);
        CsCompareOptions whole = CS_COMPARE_OPTIONS_INIT;
        CsCompareResult result;
        whole.device = "cpu";
        g_assert_true(cs_compare(rows, columns, &whole, &result, NULL));
        g_assert_cmpint(t < 4 ? tiles->plus[t] : tiles->minus[t - 4], ==, result.score);
    }
    g_assert_cmpint(tiles->plus[0], >, 4000);
}

static void
expect_failure(const CsTileOptions *options, CsError code, const char *pattern)
{
    g_autoptr(CsSequence) sequence = random_sequence(3000, 3);
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_tiles_new(sequence, sequence, options, &error));
    g_assert_error(error, CS_ERROR, (int)code);
    g_assert_true(g_pattern_match_simple(pattern, error->message));
}

static CsControl
stop(gpointer user_data)
{
    return CS_CONTROL_STOP;
}

static gboolean
stop_progress(const CsProgress *progress, gpointer user_data)
{
    CsProgress *last = user_data;
    *last = *progress;
    return FALSE;
}

static void
test_failures(void)
{
    CsTileOptions options = CS_TILE_OPTIONS_INIT;
    options.query_tile = 0;
    expect_failure(&options, CS_ERROR_USAGE, "a tile must span at least 1 base");
    options = (CsTileOptions)CS_TILE_OPTIONS_INIT;
    options.scoring.match = 0;
    expect_failure(&options, CS_ERROR_USAGE, "match is 0*");
    options = (CsTileOptions)CS_TILE_OPTIONS_INIT;
    options.engine = "abacus";
    expect_failure(&options, CS_ERROR_USAGE, "unknown engine 'abacus'*");
    options.engine = "cuda";
    expect_failure(&options, CS_ERROR_DEVICE, "*cuda*");
}

/* Cells that take the scalar engine many seconds. */
static void
test_stopped(void)
{
    g_autoptr(CsSequence) sequence = random_sequence(60000, 4);
    for (int k = 0; k < 2; k++) {
        g_autoptr(GError) error = NULL;
        CsProgress last = {0};
        CsTileOptions options = CS_TILE_OPTIONS_INIT;
        options.engine = "scalar";
        options.target_tile = k == 0 ? 1000 : 60000;
        options.control = k == 0 ? stop : NULL;
        options.progress = k == 0 ? NULL : stop_progress;
        options.progress_data = &last;
        g_assert_null(cs_tiles_new(sequence, sequence, &options, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        g_assert_cmpint(last.cells, ==, k == 0 ? 0 : G_GINT64_CONSTANT(7200000000));
        g_assert_cmpint(last.cells_done, <, G_GINT64_CONSTANT(7200000000));
    }
}

static void
test_empty(void)
{
    g_autoptr(CsSequence) empty = cs_sequence_new("empty", "", 0, NULL);
    g_autoptr(CsSequence) other = random_sequence(10, 5);
    g_autoptr(CsTiles) tiles = cs_tiles_new(other, empty, NULL, NULL);
    g_assert_cmpint(tiles->rows, ==, 1);
    g_assert_cmpint(tiles->columns, ==, 0);
    g_assert_cmpint(tiles->cells, ==, 0);
    g_autoptr(CsTiles) one = cs_tiles_new(other, other, NULL, NULL);
    g_assert_cmpint(one->plus[0], ==, 10);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tiles/random", test_random);
    g_test_add_func("/tiles/edges", test_edges);
    g_test_add_func("/tiles/large", test_large);
    g_test_add_func("/tiles/failures", test_failures);
    g_test_add_func("/tiles/stopped", test_stopped);
    g_test_add_func("/tiles/empty", test_empty);
    return g_test_run();
}
