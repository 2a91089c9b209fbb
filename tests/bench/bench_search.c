/*
 * Compares search with libparasail: bench_search QUERIES.fa DATABASE.fa [ROUNDS]
 *
 * Proteins, BLOSUM62, gaps of 11 + 1 per letter, one thread: parasail's striped functions of 8 bits,
 * and of 16 bits for the scores that saturate; the scores of search alone, on each instruction set that
 * works here; and cs_search() with the best 250 records of each query, reading and ends included. They
 * take turns, ROUNDS times (default 3). Prints the median GCUPS by CPU time, and the ratio to parasail.
 * All scores must be equal.
 */
#include <stdlib.h>
#include <time.h>

#include <chromosweep/search.h>
#include <parasail.h>
#include <parasail/matrices/blosum62.h>

#include "search/alphabet.h"
#include "search/matrix.h"
#include "search/pair_scores.h"
#include "sequence/record_stream.h"

typedef struct {
    CsRecordChunk *chunk;
    char **letters; /* as text, for parasail */
} File;

typedef struct {
    File queries, database;
    CsPairScoring scoring;
    gint64 *scores[2]; /* of parasail and of search */
    double cells;
} Bench;

static double
cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
load(File *file, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsRecordStream) stream = cs_record_stream_new(path, &cs_alphabet_protein, &error);
    if (stream != NULL)
        file->chunk = cs_record_stream_next(stream, G_MAXINT64, &error);
    if (error != NULL)
        g_error("%s", error->message);
    file->letters = g_new(char *, file->chunk->count);
    for (guint k = 0; k < file->chunk->count; k++) {
        const CsStreamRecord *record = &file->chunk->records[k];
        file->letters[k] =
            g_strndup((const char *)file->chunk->letters + record->letters, (gsize)record->length);
        for (gint64 i = 0; i < record->length; i++) {
            const char code = (char)file->chunk->letters[record->letters + (gsize)i];
            file->letters[k][i] = code == CS_PROTEIN_STOP ? '*' : (char)('A' + code);
        }
    }
}

static void
run_parasail(Bench *bench)
{
    const CsRecordChunk *queries = bench->queries.chunk, *database = bench->database.chunk;
    for (guint q = 0; q < queries->count; q++) {
        const char *query = bench->queries.letters[q];
        const int m = (int)queries->records[q].length;
        parasail_profile_t *of_8 = parasail_profile_create_avx_256_8(query, m, &parasail_blosum62);
        parasail_profile_t *of_16 =
            parasail_profile_create_avx_256_16(query, m, &parasail_blosum62);
        for (guint k = 0; k < database->count; k++) {
            const char *record = bench->database.letters[k];
            const int n = (int)database->records[k].length;
            parasail_result_t *result =
                parasail_sw_striped_profile_avx2_256_8(of_8, record, n, 12, 1);
            if (parasail_result_is_saturated(result)) {
                parasail_result_free(result);
                result = parasail_sw_striped_profile_avx2_256_16(of_16, record, n, 12, 1);
            }
            bench->scores[0][(gsize)q * database->count + k] = result->score;
            parasail_result_free(result);
        }
        parasail_profile_free(of_8);
        parasail_profile_free(of_16);
    }
}

static const CsRecordChunk *sorted; /* whose records are sorted */

static int
longest_first(const void *a, const void *b)
{
    const gint64 one = sorted->records[*(const guint *)a].length;
    const gint64 other = sorted->records[*(const guint *)b].length;
    return one != other ? (one > other ? -1 : 1) : 0;
}

static void
run_scores(Bench *bench, const CsPairKernels *kernels)
{
    const CsRecordChunk *queries = bench->queries.chunk, *database = bench->database.chunk;
    const guint count = database->count;
    g_autofree guint *order = g_new(guint, count);
    g_autofree CsLaneRecord *records = g_new(CsLaneRecord, count);
    g_autofree CsLaneFound *found = g_new(CsLaneFound, count);
    for (guint k = 0; k < count; k++)
        order[k] = k;
    sorted = database;
    qsort(order, count, sizeof *order, longest_first);
    for (guint k = 0; k < count; k++) {
        const CsStreamRecord *record = &database->records[order[k]];
        records[k] = (CsLaneRecord){database->letters + record->letters, record->length, 0};
    }
    for (guint q = 0; q < queries->count; q++) {
        const CsStreamRecord *query = &queries->records[q];
        gpointer scratch = aligned_alloc(CS_LANE_VECTOR_MAX, cs_lane_scratch(query->length));
        CsPairQuery pair = {.kernels = kernels,
                            .scoring = &bench->scoring,
                            .query = queries->letters + query->letters,
                            .rows = query->length,
                            .scratch = scratch};
        if (!cs_pair_scores(&pair, records, count, found))
            g_error("not enough memory");
        free(scratch);
        for (guint k = 0; k < count; k++)
            bench->scores[1][(gsize)q * count + order[k]] = found[k].score;
    }
}

static void
compare_scores(const Bench *bench)
{
    const gsize count = (gsize)bench->queries.chunk->count * bench->database.chunk->count;
    for (gsize k = 0; k < count; k++)
        if (bench->scores[0][k] != bench->scores[1][k])
            g_error("score %" G_GSIZE_FORMAT " is %" G_GINT64_FORMAT
                    ", parasail's %" G_GINT64_FORMAT,
                    k, bench->scores[1][k], bench->scores[0][k]);
}

static int
compare_times(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

int
main(int argc, char **argv)
{
    static const char *const names[] = {"parasail striped AVX2, 8 then 16 bits", "avx512", "avx2",
                                        "sse4.1", "cs_search(), best 250"};
    if (argc < 3)
        return 77;
    const guint rounds = argc > 3 ? (guint)atoi(argv[3]) : 3;
    Bench bench = {.cells = 0};
    int builtin;
    load(&bench.queries, argv[1]);
    load(&bench.database, argv[2]);
    if (!cs_matrix_load("BLOSUM62", &bench.scoring, &builtin, NULL))
        return 1;
    bench.scoring.first = 12;
    bench.scoring.more = 1;
    const gsize count = (gsize)bench.queries.chunk->count * bench.database.chunk->count;
    for (guint k = 0; k < 2; k++)
        bench.scores[k] = g_new0(gint64, count);
    bench.cells =
        (double)bench.queries.chunk->letters_count * (double)bench.database.chunk->letters_count;
    double *times[G_N_ELEMENTS(names)];
    gboolean works[G_N_ELEMENTS(names)] = {TRUE, TRUE, TRUE, TRUE, TRUE};
    for (guint c = 0; c < G_N_ELEMENTS(names); c++)
        times[c] = g_new(double, rounds);
    for (guint r = 0; r < rounds; r++)
        for (guint c = 0; c < G_N_ELEMENTS(names); c++) {
            const CsPairKernels *kernels = NULL;
            if (c > 0 && c < 4) {
                g_setenv("CHROMOSWEEP_SIMD", names[c], TRUE);
                kernels = cs_pair_kernels(NULL);
                works[c] = kernels != NULL;
            }
            const double begun = cpu_seconds();
            if (c == 0) {
                run_parasail(&bench);
            } else if (kernels != NULL) {
                run_scores(&bench, kernels);
            } else if (c == 4) {
                CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
                options.threads = 1;
                g_unsetenv("CHROMOSWEEP_SIMD");
                cs_search_free(cs_search(argv[1], argv[2], &options, NULL));
            }
            times[c][r] = cpu_seconds() - begun;
            if (kernels != NULL)
                compare_scores(&bench);
        }
    for (guint c = 0; c < G_N_ELEMENTS(names); c++)
        qsort(times[c], rounds, sizeof(double), compare_times);
    for (guint c = 0; c < G_N_ELEMENTS(names); c++)
        if (works[c])
            g_print("%-40s %6.2f GCUPS %6.2f\n", names[c], bench.cells / times[c][rounds / 2] / 1e9,
                    times[0][rounds / 2] / times[c][rounds / 2]);
    return 0;
}
