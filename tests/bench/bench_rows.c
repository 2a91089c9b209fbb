/*
 * How fast threads pack special rows (alignment/row_queue.h): bench_rows TARGET.fa QUERY.fa [PIECE
 * [ROUNDS]]. A CPU sweeps the first rows of the matrix and hands out the last of them. Then it goes
 * through a queue as if many rows came from a GPU, in pieces of so many columns, with one thread that
 * packs, with two, and so on; in each round all take turns. Prints the medians.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <chromosweep/threads.h>

#include "alignment/row_queue.h"
#include "alignment/rows.h"
#include "cpu/simd.h"
#include "sweep/sweep.h"

enum {
    ROWS = 12288, /* of the matrix */
    COPIES = 20,  /* of the row */
    MOST_THREADS = 16,
    MOST_ROUNDS = 99,
};

/* As a GPU writes it (CsKernelCell). */
typedef struct {
    gint32 h, f;
} Cell;

typedef struct {
    gint64 columns;
    Cell *cells;
} Row;

typedef struct {
    double seconds, cpu;
    double entering; /* what the thread took that hands rows out */
} Times;

/* A CsRowFunc. */
static gboolean
take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
     gpointer user_data, GError **error)
{
    const Row *row = user_data;
    for (gint64 k = 0; k < count; k++)
        row->cells[from + k] = (Cell){(gint32)h[k], (gint32)f[k]};
    return TRUE;
}

static gboolean
sweep(const CsSequence *target, const CsSequence *query, Row *row, GError **error)
{
    const CsView whole = cs_view_of(query);
    const gint64 at = MIN(ROWS, cs_sequence_get_length(query));
    CsRectangle matrix = {.rows = cs_view_slice(&whole, 0, at),
                          .columns = cs_view_of(target),
                          .scoring = CS_SCORING_DEFAULT,
                          .special_rows = &at,
                          .n_special_rows = 1,
                          .row_func = take,
                          .row_data = row};
    CsSweepOptions options = {.engine = &cs_simd_engine,
                              .engine_options = {.threads = cs_threads_granted()}};
    CsSweepState state;
    row->columns = cs_sequence_get_length(target);
    row->cells = g_new0(Cell, row->columns);
    g_autoptr(CsGrid) grid = cs_sweep_plan(&matrix, &options);
    return cs_sweep_run(&matrix, grid, &options, &state, error);
}

static double
cpu_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* As the host of a GPU does (cuda/cuda_pieces.c). */
static gboolean
hand_out(const Row *row, gint64 piece, gint64 i, CsRowQueue *queue, GError **error)
{
    for (gint64 from = 0; from < row->columns; from += piece) {
        const gint64 count = MIN(piece, row->columns - from);
        g_autofree CsScore *values = g_new(CsScore, 2 * count);
        for (gint64 k = 0; k < count; k++) {
            values[k] = cs_width_get(CS_WIDTH_32, &row->cells[from + k].h, 0);
            values[count + k] = cs_width_get(CS_WIDTH_32, &row->cells[from + k].f, 0);
        }
        if (!cs_row_queue_take(i, from, count, values, values + count, FALSE, queue, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
pack(const Row *row, gint64 piece, guint threads, Times *times, gint64 *bytes, GError **error)
{
    g_autoptr(CsRows) rows =
        cs_rows_new_packed(COPIES + 1, 1, CS_WIDTH_32, G_MAXINT64, NULL, NULL, error);
    if (rows == NULL)
        return FALSE;
    const CsRowWork work = cs_rows_work(rows);
    const gint64 begun = g_get_monotonic_time();
    const double cpu = cpu_of(CLOCK_PROCESS_CPUTIME_ID), own = cpu_of(CLOCK_THREAD_CPUTIME_ID);
    CsRowQueue *queue = cs_row_queue_new(&work, threads);
    if (queue == NULL)
        return FALSE;
    gboolean taken = TRUE;
    for (gint64 i = 1; taken && i <= COPIES; i++)
        taken = hand_out(row, piece, i, queue, error);
    cs_row_queue_free(queue);
    *times = (Times){(double)(g_get_monotonic_time() - begun) / 1e6,
                     cpu_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, cpu_of(CLOCK_THREAD_CPUTIME_ID) - own};
    *bytes = cs_rows_bytes(rows);
    return taken;
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nanoseconds a column: the median. */
static double
median(const Times *times, gsize offset, int rounds, gint64 columns)
{
    double values[MOST_ROUNDS];
    for (int k = 0; k < rounds; k++)
        values[k] = *(const double *)((const char *)&times[k] + offset);
    qsort(values, (gsize)rounds, sizeof *values, compare_doubles);
    return values[rounds / 2] / (double)columns / COPIES * 1e9;
}

static gboolean
run(const Row *row, gint64 piece, int rounds, GError **error)
{
    static Times times[MOST_THREADS][MOST_ROUNDS];
    const guint most = MIN(MOST_THREADS, cs_threads_granted());
    gint64 bytes = 0;
    for (int round = 0; round < rounds; round++)
        for (guint t = 0; t < most; t++)
            if (!pack(row, piece, t + 1, &times[t][round], &bytes, error))
                return FALSE;
    printf("%" G_GINT64_FORMAT " columns in pieces of %" G_GINT64_FORMAT
           ", %.3f bytes a column; nanoseconds a column:\n"
           "threads  clock    CPUs     of these, handing out\n",
           row->columns, piece, (double)bytes / (double)row->columns / COPIES);
    for (guint t = 0; t < most; t++)
        printf("%-8u %-8.2f %-8.2f %.2f\n", t + 1,
               median(times[t], G_STRUCT_OFFSET(Times, seconds), rounds, row->columns),
               median(times[t], G_STRUCT_OFFSET(Times, cpu), rounds, row->columns),
               median(times[t], G_STRUCT_OFFSET(Times, entering), rounds, row->columns));
    return TRUE;
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: bench_rows TARGET.fa QUERY.fa [PIECE [ROUNDS]]\n"), 2;
    const gint64 piece = argc > 3 ? atoi(argv[3]) : 1152;
    const int rounds = argc > 4 ? CLAMP(atoi(argv[4]), 1, MOST_ROUNDS) : 5;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = cs_sequence_load(argv[1], NULL, &error);
    g_autoptr(CsSequence) query = target != NULL ? cs_sequence_load(argv[2], NULL, &error) : NULL;
    Row row = {0};
    const gboolean done = query != NULL && sweep(target, query, &row, &error) &&
                          run(&row, MAX(1, piece), rounds, &error);
    g_free(row.cells);
    if (!done)
        fprintf(stderr, "%s\n", error != NULL ? error->message : "no thread can be started");
    return done ? 0 : 1;
}
