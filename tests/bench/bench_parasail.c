/*
 * Compares the vector engine with libparasail: bench_parasail [LENGTH [ROUNDS]]
 *
 * Two random sequences of LENGTH bases (default 100,000) are compared for the score alone, then one
 * sequence and a copy with 3% substitutions. This is done by parasail's striped functions, called
 * directly (building the query's profile on each call takes almost no time), and by each target of
 * the engine that works here. They take turns, ROUNDS times (default 3), on one thread of one CPU.
 *
 * Prints the median GCUPS of the whole call: the cells of the matrix divided by CPU time, which
 * other work on the machine disturbs less than the clock time. Also prints the ratio to the first
 * of parasail's functions for that pair. At the default length this ratio must not fall below the
 * floor, but nothing asserts it. Scores must agree, unless parasail says that its score overflowed.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include <chromosweep/chromosweep.h>
#include <parasail.h>
#include <parasail/cpuid.h>

#include "../engine_choice.h"

#define EXIT_SKIPPED 77

typedef enum {
    RANDOM,
    SIMILAR,
    N_PAIRS
} PairKind;

typedef struct {
    const char *name;
    char *bases[2];
    CsSequence *sequences[2];
    int length;
} Pair;

/* If there is no function of parasail, this is the engine. */
typedef struct {
    const char *name;
    parasail_function_t *function;
    const char *simd;
    double floor;
    double *seconds;
    gint64 score;
    gboolean saturated;
} Contestant;

/* Ratios are to the first function of a pair. 16 bits hold scores up to 65,535; a similar pair of
 * the default length has a higher score. */
static const struct {
    const char *name;
    parasail_function_t *function;
    gboolean runs[N_PAIRS];
} parasails[] = {
    {"parasail_sw_striped_avx2_256_32", parasail_sw_striped_avx2_256_32, {FALSE, TRUE}},
    {"parasail_sw_striped_avx2_256_16", parasail_sw_striped_avx2_256_16, {TRUE, TRUE}},
};

/* The best first, in the order in which they mask each other. Those that this build lacks are left
 * out. */
static const struct {
    const char *name;
    double floors[N_PAIRS];
} targets[] = {
    {"avx512", {4.0, 6.0}},
    {"avx2", {2.5, 0}},
    {"sse4.1", {0}},
    {"neon", {0}},
};

#define MAX_CONTESTANTS (G_N_ELEMENTS(parasails) + G_N_ELEMENTS(targets))

/* The readings of the clocks in all timed calls. */
static double cpu_total, wall_total;

static double
read_clock(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        g_error("no clock: %s", g_strerror(errno));
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Threads that are started later stay on the same CPU. */
static int
stay_on_this_cpu(void)
{
    int cpu = sched_getcpu();
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu >= 0)
        CPU_SET(cpu, &set);
    if (cpu < 0 || sched_setaffinity(0, sizeof set, &set) != 0)
        g_error("cannot stay on one CPU: %s", g_strerror(errno));
    return cpu;
}

static void
pair_init(Pair *pair, PairKind kind, int length)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1 + kind);
    *pair = (Pair){.name = kind == RANDOM ? "random" : "similar", .length = length};
    char *a = pair->bases[0] = g_malloc(length), *b = pair->bases[1] = g_malloc(length);
    for (int k = 0; k < length; k++) {
        gint32 base = g_rand_int_range(rand, 0, 4), other = g_rand_int_range(rand, 0, 4);
        if (kind == SIMILAR)
            other = g_rand_int_range(rand, 0, 100) < 3 ? base + g_rand_int_range(rand, 1, 4) : base;
        a[k] = "ACGT"[base];
        b[k] = "ACGT"[other % 4];
    }
    for (guint k = 0; k < 2; k++)
        pair->sequences[k] = cs_sequence_new(pair->name, pair->bases[k], length, NULL);
}

static void
pair_clear(Pair *pair)
{
    for (guint k = 0; k < 2; k++) {
        g_free(pair->bases[k]);
        cs_sequence_unref(pair->sequences[k]);
    }
}

static void
run_parasail(Contestant *contestant, const Pair *pair, const parasail_matrix_t *matrix,
             const CsScoring *scoring)
{
    int length = pair->length, first_gap = (int)cs_scoring_first_gap(scoring),
        next_gap = (int)scoring->gap_extend;
    parasail_result_t *result = contestant->function(pair->bases[0], length, pair->bases[1], length,
                                                     first_gap, next_gap, matrix);
    if (result == NULL)
        g_error("%s failed", contestant->name);
    contestant->score = parasail_result_get_score(result);
    contestant->saturated = parasail_result_is_saturated(result) != 0;
    parasail_result_free(result);
}

static void
run_engine(Contestant *contestant, const Pair *pair)
{
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.engine = "simd";
    options.threads = 1;
    mask_simd(contestant->simd);
    if (!cs_compare(pair->sequences[0], pair->sequences[1], &options, &result, &error))
        g_error("%s: %s", contestant->name, error->message);
    contestant->score = result.score;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills the list of competitors, parasail first, and returns their number. */
static guint
gather(Contestant *contestants, PairKind kind)
{
    guint n = 0;
    const char *last = NULL;
    for (guint k = 0; k < G_N_ELEMENTS(parasails); k++)
        if (parasails[k].runs[kind])
            contestants[n++] =
                (Contestant){.name = parasails[k].name, .function = parasails[k].function};
    /* The worst first: masking a target that does not work here gives the next one. */
    for (guint k = G_N_ELEMENTS(targets); k-- > 0;) {
        mask_simd(targets[k].name);
        const char *name = cs_engine_describe("simd", NULL);
        if (name == NULL || g_strcmp0(name, last) == 0)
            continue;
        last = name;
        contestants[n++] =
            (Contestant){.name = name, .simd = targets[k].name, .floor = targets[k].floors[kind]};
    }
    return n;
}

/* Runs it and returns its CPU time. */
static double
measure(Contestant *contestant, const Pair *pair, const parasail_matrix_t *matrix,
        const CsScoring *scoring)
{
    double wall = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    if (contestant->function != NULL)
        run_parasail(contestant, pair, matrix, scoring);
    else
        run_engine(contestant, pair);
    cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    cpu_total += cpu;
    wall_total += read_clock(CLOCK_MONOTONIC) - wall;
    return cpu;
}

/* A function whose score overflowed may have stopped early, so its time means nothing. */
static void
print_row(const Contestant *contestant, const Contestant *reference, const Pair *pair, guint rounds)
{
    double cells = (double)pair->length * pair->length, seconds = contestant->seconds[rounds / 2];
    g_print("%-8s %-40s ", pair->name, contestant->name);
    if (contestant->saturated) {
        g_print("saturated: its score is wrong\n");
        return;
    }
    g_print("%6.2f ", cells / seconds / 1e9);
    if (reference->saturated)
        g_print("%6s ", "-");
    else
        g_print("%6.2f ", reference->seconds[rounds / 2] / seconds);
    if (contestant->floor > 0)
        g_print("%6.1f ", contestant->floor);
    else
        g_print("%6s ", "-");
    g_print("%9" G_GINT64_FORMAT "\n", contestant->score);
}

static void
race(const Pair *pair, PairKind kind, guint rounds)
{
    const CsScoring scoring = CS_SCORING_DEFAULT;
    parasail_matrix_t *matrix =
        parasail_matrix_create("ACGT", (int)scoring.match, -(int)scoring.mismatch);
    Contestant contestants[MAX_CONTESTANTS];
    guint n = gather(contestants, kind);
    for (guint k = 0; k < n; k++)
        contestants[k].seconds = g_new(double, rounds);
    for (guint round = 0; round < rounds; round++)
        for (guint k = 0; k < n; k++)
            contestants[k].seconds[round] = measure(&contestants[k], pair, matrix, &scoring);
    /* The last one is an engine, whose score never overflows. */
    for (guint k = 0; k < n; k++)
        if (!contestants[k].saturated && contestants[k].score != contestants[n - 1].score)
            g_error("%s pair: %s scores %" G_GINT64_FORMAT ", %s %" G_GINT64_FORMAT, pair->name,
                    contestants[k].name, contestants[k].score, contestants[n - 1].name,
                    contestants[n - 1].score);
    for (guint k = 0; k < n; k++)
        qsort(contestants[k].seconds, rounds, sizeof(double), compare_doubles);
    for (guint k = 0; k < n; k++)
        print_row(&contestants[k], &contestants[0], pair, rounds);
    for (guint k = 0; k < n; k++)
        g_free(contestants[k].seconds);
    parasail_matrix_free(matrix);
}

int
main(int argc, char **argv)
{
    gint64 length = argc > 1 ? g_ascii_strtoll(argv[1], NULL, 10) : 100000;
    gint64 rounds = argc > 2 ? g_ascii_strtoll(argv[2], NULL, 10) : 3;
    if (argc > 3 || length < 1 || length > 100000000 || rounds < 1 || rounds > 1000) {
        g_printerr("usage: bench_parasail [LENGTH [ROUNDS]]\n");
        return EXIT_FAILURE;
    }
    if (!parasail_can_use_avx2()) {
        g_print("no AVX2 here, which parasail's functions need\n");
        return EXIT_SKIPPED;
    }
    int major, minor, patch;
    parasail_version(&major, &minor, &patch);
    g_print("%d x %d, parasail %d.%d.%d, one thread on CPU %d, medians of %d\n", (int)length,
            (int)length, major, minor, patch, stay_on_this_cpu(), (int)rounds);
    g_print("%-8s %-40s %6s %6s %6s %9s\n", "pair", "", "GCUPS", "ratio", "floor", "score");
    for (PairKind kind = RANDOM; kind < N_PAIRS; kind++) {
        Pair pair;
        pair_init(&pair, kind, (int)length);
        race(&pair, kind, (guint)rounds);
        pair_clear(&pair);
    }
    g_print("of the time on the clock %.0f%% was ours\n", 100 * cpu_total / wall_total);
    return EXIT_SUCCESS;
}
