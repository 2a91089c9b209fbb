/*
 * What sharing costs and gains, measured in the same minute: bench_ring [LENGTH [ROUNDS]]
 *
 * An unrelated and a similar pair of random sequences of LENGTH bases (default 200,000) are swept
 * on one thread, on two, by a ring of two members with a thread each, and by a ring of two on one
 * thread, which shows what the seams cost. They take turns. The medians of ROUNDS (5) are printed:
 * GCUPS, and ratios of wall time and of CPU time to one thread. Cells that are computed twice do not
 * count twice.
 */
#include <stdlib.h>
#include <time.h>

#include <chromosweep/chromosweep.h>

#include "cpu/simd.h"
#include "ring/ring.h"
#include "sweep/sweep.h"

enum {
    MOST_ROUNDS = 99
};

typedef struct {
    const char *name;
    guint members; /* 0: no ring */
    guint threads;
    double wall[MOST_ROUNDS], cpu[MOST_ROUNDS];
} Contestant;

static CsSequence *
random_sequence(GRand *rand, gint64 length, const char *like, char *bases)
{
    for (gint64 k = 0; k < length; k++)
        bases[k] = like != NULL && g_rand_int_range(rand, 0, 33) != 0
                       ? like[k]
                       : "ACGT"[g_rand_int_range(rand, 0, 4)];
    return cs_sequence_new("random", bases, length, NULL);
}

static double
cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
measure(Contestant *contestant, guint round, const CsSequence *rows, const CsSequence *columns)
{
    static const CsMember members[] = {{&cs_simd_engine, NULL, 0, 0},
                                       {&cs_simd_engine, NULL, 0, 0}};
    const CsRectangle rectangle = {
        .rows = cs_view_of(rows), .columns = cs_view_of(columns), .scoring = CS_SCORING_DEFAULT};
    CsSweepOptions sweep = {.engine = contestant->members > 0 ? &cs_ring_engine : &cs_simd_engine,
                            .engine_options = {.threads = contestant->threads,
                                               .on_caller = contestant->threads == 1,
                                               .members = members,
                                               .n_members = contestant->members}};
    g_autoptr(GError) error = NULL;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    CsSweepState state;
    const double cpu = cpu_seconds();
    const gint64 start = g_get_monotonic_time();
    if (!cs_sweep_run(&rectangle, grid, &sweep, &state, &error))
        g_error("%s", error->message);
    contestant->wall[round] = (double)(g_get_monotonic_time() - start) / 1e6;
    contestant->cpu[round] = cpu_seconds() - cpu;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
race(const char *what, const CsSequence *rows, const CsSequence *columns, guint rounds)
{
    Contestant contestants[] = {{.name = "one thread", .threads = 1},
                                {.name = "two threads", .threads = 2},
                                {.name = "ring of two, two threads", .members = 2, .threads = 2},
                                {.name = "ring of two, one thread", .members = 2, .threads = 1}};
    const double cells = (double)rows->length * (double)columns->length;
    for (guint round = 0; round < rounds; round++)
        for (guint k = 0; k < G_N_ELEMENTS(contestants); k++)
            measure(&contestants[k], round, rows, columns);
    for (guint k = 0; k < G_N_ELEMENTS(contestants); k++) {
        Contestant *one = &contestants[k];
        qsort(one->wall, rounds, sizeof(double), compare_doubles);
        qsort(one->cpu, rounds, sizeof(double), compare_doubles);
        const double wall = one->wall[rounds / 2], cpu = one->cpu[rounds / 2];
        g_print("%-10s %-25s %7.2f GCUPS  wall %5.3f x faster  CPU %5.3f x the time\n", what,
                one->name, cells / wall / 1e9, contestants[0].wall[rounds / 2] / wall,
                cpu / contestants[0].cpu[rounds / 2]);
    }
}

int
main(int argc, char **argv)
{
    const gint64 length = argc > 1 ? g_ascii_strtoll(argv[1], NULL, 10) : 200000;
    const guint rounds = argc > 2 ? (guint)g_ascii_strtoull(argv[2], NULL, 10) : 5;
    if (length < 1 || rounds < 1 || rounds > MOST_ROUNDS)
        g_error("usage: bench_ring [LENGTH [ROUNDS]]");
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autofree char *a = g_malloc(length), *b = g_malloc(length), *c = g_malloc(length);
    g_autoptr(CsSequence) target = random_sequence(rand, length, NULL, a);
    g_autoptr(CsSequence) unrelated = random_sequence(rand, length, NULL, b);
    g_autoptr(CsSequence) similar = random_sequence(rand, length, a, c);
    g_print("%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT ", medians of %u\n", length, length, rounds);
    race("unrelated", target, unrelated, rounds);
    race("similar", target, similar, rounds);
    return EXIT_SUCCESS;
}
