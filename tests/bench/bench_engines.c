/*
 * Compares the speed of the engines, measured in the same minute: bench_engines [LENGTH [THREADS]]
 *
 * Each engine, and each target of the vector engine, sweeps an unrelated and a similar pair of
 * random sequences of LENGTH bases (default 50,000). They take turns in three rounds. The medians
 * are printed as GCUPS and as ratios to the scalar engine.
 */
#include <stdlib.h>

#include <chromosweep/chromosweep.h>

#include "../engine_choice.h"

#define ROUNDS 3

typedef struct {
    const char *engine;
    const char *simd;
    double gcups[ROUNDS];
} Contestant;

static CsSequence *
random_sequence(GRand *rand, gint64 length, const char *like, char **bases)
{
    *bases = g_malloc(length);
    for (gint64 k = 0; k < length; k++)
        (*bases)[k] = like != NULL && g_rand_int_range(rand, 0, 33) != 0
                          ? like[k]
                          : "ACGT"[g_rand_int_range(rand, 0, 4)];
    return cs_sequence_new("random", *bases, length, NULL);
}

static double
measure(const Contestant *contestant, const CsSequence *target, const CsSequence *query,
        guint threads)
{
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.engine = contestant->engine;
    options.threads = threads;
    mask_simd(contestant->simd);
    if (!cs_compare(target, query, &options, &result, &error))
        g_error("%s", error->message);
    return (double)result.cells_computed / result.seconds / 1e9;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
race(const char *what, const CsSequence *target, const CsSequence *query, guint threads)
{
    Contestant contestants[] = {{.engine = "scalar"},
                                {.engine = "simd", .simd = "sse4.1"},
                                {.engine = "simd", .simd = "avx2"},
                                {.engine = "simd", .simd = "avx512"}};
    for (guint round = 0; round < ROUNDS; round++)
        for (guint k = 0; k < G_N_ELEMENTS(contestants); k++)
            contestants[k].gcups[round] = measure(&contestants[k], target, query, threads);
    for (guint k = 0; k < G_N_ELEMENTS(contestants); k++) {
        qsort(contestants[k].gcups, ROUNDS, sizeof(double), compare_doubles);
        mask_simd(contestants[k].simd);
        g_print("%-10s %-7s %-45s %7.2f GCUPS %6.2f x scalar\n", what, contestants[k].engine,
                cs_engine_describe(contestants[k].engine, NULL), contestants[k].gcups[ROUNDS / 2],
                contestants[k].gcups[ROUNDS / 2] / contestants[0].gcups[ROUNDS / 2]);
    }
}

int
main(int argc, char **argv)
{
    gint64 length = argc > 1 ? g_ascii_strtoll(argv[1], NULL, 10) : 50000;
    guint threads = argc > 2 ? (guint)g_ascii_strtoull(argv[2], NULL, 10) : 1;
    if (length < 1 || threads < 1)
        g_error("usage: bench_engines [LENGTH [THREADS]]");
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autofree char *a = NULL, *b = NULL, *c = NULL;
    g_autoptr(CsSequence) target = random_sequence(rand, length, NULL, &a);
    g_autoptr(CsSequence) unrelated = random_sequence(rand, length, NULL, &b);
    g_autoptr(CsSequence) similar = random_sequence(rand, length, a, &c);
    g_print("%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT ", %u threads, median of %d\n", length,
            length, threads, ROUNDS);
    race("unrelated", target, unrelated, threads);
    race("similar", target, similar, threads);
    return EXIT_SUCCESS;
}
