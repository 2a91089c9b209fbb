/*
 * How long a trace takes for the strip of a long gap: bench_trace [HEIGHT [WIDTH [THREADS]]]. In the middle
 * of the strip the query has so many bases that the target lacks. The row above the strip is made up, as if
 * both were the same far above, so the trace is stopped where it leaves the strip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "../unit/related.h"
#include "alignment/trace.h"
#include "cpu/simd.h"

#define HIGHEST 100000000 /* H where the path enters the strip, in the first column */

static double
seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The first row of the matrix: the path, and a gap from there on. */
static CsRows *
make_row(const CsRectangle *matrix, GError **error)
{
    const CsScoring *scoring = &matrix->scoring;
    const gint64 at = 1, n = cs_rectangle_n(matrix);
    g_autoptr(CsRows) rows = cs_rows_new(&at, 1, CS_WIDTH_32, error);
    g_autofree CsScore *h = g_new(CsScore, n);
    g_autofree CsScore *f = g_new0(CsScore, n);
    h[0] = HIGHEST;
    for (gint64 j = 1; j < n; j++)
        h[j] = HIGHEST - scoring->gap_open - scoring->gap_extend * j;
    if (rows == NULL || !cs_rows_take(at, 0, n, h, f, TRUE, rows, error))
        return NULL;
    return g_steal_pointer(&rows);
}

/* A CsTraceFunc. */
static void
stop_above(const CsNode *node, const CsPath *path, gboolean started, gpointer user_data)
{
    (void)path;
    (void)started;
    if (node->i == 1)
        *(gint *)user_data = 1;
}

static gboolean
measure(const CsRectangle *matrix, guint threads, GError **error)
{
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix);
    const CsScoring *scoring = &matrix->scoring;
    const CsScore score =
        HIGHEST + scoring->match * (m - 1) - scoring->gap_open - scoring->gap_extend * (n - m);
    g_autoptr(CsRows) rows = make_row(matrix, error);
    g_autoptr(GError) failure = NULL;
    g_auto(CsPath) path = {0};
    CsTraceWork work = {0};
    gint stop = 0;
    const CsTrace trace = {.matrix = matrix,
                           .end = {score, m, n},
                           .rows = rows,
                           .engine = &cs_simd_engine,
                           .threads = threads,
                           .stop = &stop,
                           .keep = stop_above,
                           .keep_data = &stop,
                           .work = &work};
    if (rows == NULL)
        return FALSE;
    const double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (!cs_trace_run(&trace, &path, &failure) &&
        !g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    printf("%u threads: %.3f s, %.3f CPU s, %.3g cells computed\n", threads,
           seconds_of(CLOCK_MONOTONIC) - wall, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu,
           (double)work.computed);
    return TRUE;
}

int
main(int argc, char **argv)
{
    const int height = argc > 1 ? atoi(argv[1]) : 51200, width = argc > 2 ? atoi(argv[2]) : 2500000;
    const guint threads = argc > 3 ? (guint)atoi(argv[3]) : cs_threads_granted();
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 4, height + 1);
    g_autoptr(GString) b = g_string_new_len(a->str, height / 2);
    related_append(rand, b, 4, width);
    g_string_append(b, a->str + height / 2);
    g_autoptr(CsSequence) target = cs_sequence_new("target", a->str, (gint64)a->len, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("query", b->str, (gint64)b->len, NULL);
    g_autoptr(GError) error = NULL;
    const CsRectangle matrix = {
        .rows = cs_view_of(target), .columns = cs_view_of(query), .scoring = CS_SCORING_DEFAULT};
    if (measure(&matrix, threads, &error))
        return 0;
    fprintf(stderr, "bench_trace: %s\n", error->message);
    return 1;
}
