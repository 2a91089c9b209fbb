/*
 * Compares global alignments of all pairs with libparasail and vsearch:
 * bench_identity SEQUENCES.fa [RECORDS [ROUNDS]]
 *
 * The first RECORDS sequences (default 120), match 4, mismatch 5, 8 for each letter of a gap, one
 * thread: parasail's nw_scan of 16 bits; vsearch --allpairs_global where it is installed; scores alone, and
 * with matches and columns, on each instruction set that works here; and the latter with affine gaps
 * (1, 3, 3 + 2 a letter). They take turns, ROUNDS times (default 3). Prints the median GCUPS by CPU time, and the
 * ratio to parasail. All scores must be equal to parasail's.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <glib/gstdio.h>
#include <parasail.h>

#include "identity/global_pairs.h"
#include "search/alphabet.h"
#include "sequence/record_stream.h"

enum {
    MATCH = 4,
    MISMATCH = 5,
    GAP = 8,
};

typedef struct {
    CsRecordChunk *chunk;
    guint count;
    guint *order;   /* the longest first */
    char **letters; /* as text, for parasail */
    char *path;     /* of a file with the sequences, for vsearch */
    CsPairScoring linear, affine;
    gint64 *scores; /* of parasail */
    double cells;
} Bench;

static double
seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* Of this process, and of those that it has waited for. */
static double
cpu_seconds(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return seconds_of(&own.ru_utime) + seconds_of(&own.ru_stime) + seconds_of(&children.ru_utime) +
           seconds_of(&children.ru_stime);
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
load(Bench *bench, const char *path, guint most)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsRecordStream) stream = cs_record_stream_new(path, &cs_alphabet_nucleotide, &error);
    if (stream != NULL)
        bench->chunk = cs_record_stream_next(stream, G_MAXINT64, &error);
    if (error != NULL)
        g_error("%s", error->message);
    bench->count = MIN((guint)bench->chunk->count, most);
    bench->order = g_new(guint, bench->count);
    bench->letters = g_new(char *, bench->count);
    g_autoptr(GString) fasta = g_string_new(NULL);
    double letters = 0;
    for (guint k = 0; k < bench->count; k++) {
        const CsStreamRecord *record = &bench->chunk->records[k];
        const guint8 *codes = bench->chunk->letters + record->letters;
        bench->order[k] = k;
        bench->letters[k] = g_malloc0((gsize)record->length + 1);
        for (gint64 i = 0; i < record->length; i++)
            bench->letters[k][i] = "ACGTN"[MIN(codes[i], 4)];
        g_string_append_printf(fasta, ">%u\n%s\n", k, bench->letters[k]);
        bench->cells += letters * (double)record->length;
        letters += (double)record->length;
    }
    const gint file = g_file_open_tmp("bench-identity-XXXXXX", &bench->path, &error);
    if (file < 0 || !g_close(file, &error) ||
        !g_file_set_contents(bench->path, fasta->str, (gssize)fasta->len, &error))
        g_error("%s", error->message);
    sorted = bench->chunk;
    qsort(bench->order, bench->count, sizeof(guint), longest_first);
}

static void
set_scoring(CsPairScoring *scoring, gint32 match, gint32 mismatch, gint64 first, gint64 more)
{
    for (guint a = 0; a < CS_BASE_LETTERS; a++)
        for (guint b = 0; b < CS_BASE_LETTERS; b++)
            scoring->pairs[a][b] = a == b && a < 4 ? match : -mismatch;
    scoring->first = first;
    scoring->more = more;
    cs_pair_scoring_init(scoring, CS_BASE_LETTERS);
}

static void
run_parasail(Bench *bench)
{
    parasail_matrix_t *matrix = parasail_matrix_create("ACGTN", MATCH, -MISMATCH);
    parasail_matrix_set_value(matrix, 4, 4, -MISMATCH);
    for (guint i = 0; i < bench->count; i++)
        for (guint j = i + 1; j < bench->count; j++) {
            const CsStreamRecord *one = &bench->chunk->records[bench->order[i]];
            const CsStreamRecord *other = &bench->chunk->records[bench->order[j]];
            parasail_result_t *result = parasail_nw_scan_avx2_256_16(
                bench->letters[bench->order[i]], (int)one->length, bench->letters[bench->order[j]],
                (int)other->length, GAP, GAP, matrix);
            bench->scores[(gsize)i * bench->count + j] = result->score;
            parasail_result_free(result);
        }
    parasail_matrix_free(matrix);
}

static void
run_vsearch(const Bench *bench)
{
    g_autofree char *command =
        g_strdup_printf("vsearch --quiet --threads 1 --allpairs_global %s --acceptall --match %d "
                        "--mismatch -%d --gapopen 0 --gapext %d --userout /dev/null "
                        "--userfields query+target+id",
                        bench->path, MATCH, MISMATCH, GAP);
    if (system(command) != 0)
        g_error("vsearch failed");
}

static void
run_own(const Bench *bench, const CsGlobalKernels *kernels, const CsPairScoring *scoring,
        gboolean scores_only)
{
    g_autofree CsLaneRecord *records = g_new(CsLaneRecord, bench->count);
    g_autofree CsGlobalFound *found = g_new(CsGlobalFound, bench->count);
    for (guint k = 0; k < bench->count; k++) {
        const CsStreamRecord *record = &bench->chunk->records[bench->order[k]];
        records[k] = (CsLaneRecord){bench->chunk->letters + record->letters, record->length, 0};
    }
    for (guint i = 0; i < bench->count; i++) {
        const CsGlobalQuery query = {.kernels = kernels,
                                     .scoring = scoring,
                                     .matching = cs_global_nucleotide_matching,
                                     .query = records[i].letters,
                                     .rows = records[i].length,
                                     .scores_only = scores_only};
        if (!cs_global_pairs(&query, records + i + 1, bench->count - i - 1, found))
            g_error("not enough memory");
        for (guint j = i + 1; j < bench->count && scoring == &bench->linear; j++)
            if (found[j - i - 1].score != bench->scores[(gsize)i * bench->count + j])
                g_error("pair %u, %u is %" G_GINT64_FORMAT ", parasail's %" G_GINT64_FORMAT, i, j,
                        found[j - i - 1].score, bench->scores[(gsize)i * bench->count + j]);
    }
}

static int
compare_times(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

typedef enum {
    PARASAIL,
    VSEARCH,
    SCORES,
    IDENTITIES,
    AFFINE,
} What;

static const struct {
    const char *name, *target;
    What what;
} contestants[] = {
    {"parasail nw_scan AVX2, 16 bits", NULL, PARASAIL},
    {"vsearch --allpairs_global", NULL, VSEARCH},
    {"scores, avx512", "avx512", SCORES},
    {"scores, avx2", "avx2", SCORES},
    {"scores, sse4.1", "sse4.1", SCORES},
    {"with identities, avx512", "avx512", IDENTITIES},
    {"with identities, avx2", "avx2", IDENTITIES},
    {"with identities, sse4.1", "sse4.1", IDENTITIES},
    {"with identities, affine, avx512", "avx512", AFFINE},
    {"with identities, affine, avx2", "avx2", AFFINE},
};

/* FALSE if it does not work here. */
static gboolean
run(Bench *bench, guint c)
{
    const What what = contestants[c].what;
    if (what == PARASAIL) {
        run_parasail(bench);
        return TRUE;
    }
    if (what == VSEARCH) {
        g_autofree char *program = g_find_program_in_path("vsearch");
        if (program != NULL)
            run_vsearch(bench);
        return program != NULL;
    }
    g_setenv("CHROMOSWEEP_SIMD", contestants[c].target, TRUE);
    const CsGlobalKernels *kernels = cs_global_kernels(NULL);
    if (kernels != NULL)
        run_own(bench, kernels, what == AFFINE ? &bench->affine : &bench->linear, what == SCORES);
    return kernels != NULL;
}

int
main(int argc, char **argv)
{
    double *times[G_N_ELEMENTS(contestants)];
    gboolean works[G_N_ELEMENTS(contestants)];
    if (argc < 2)
        return 77;
    const guint rounds = argc > 3 ? (guint)atoi(argv[3]) : 3;
    Bench bench = {.cells = 0};
    load(&bench, argv[1], argc > 2 ? (guint)atoi(argv[2]) : 120);
    set_scoring(&bench.linear, MATCH, MISMATCH, GAP, GAP);
    set_scoring(&bench.affine, 1, 3, 5, 2);
    bench.scores = g_new0(gint64, (gsize)bench.count * bench.count);
    for (guint c = 0; c < G_N_ELEMENTS(contestants); c++)
        times[c] = g_new(double, rounds);
    for (guint r = 0; r < rounds; r++)
        for (guint c = 0; c < G_N_ELEMENTS(contestants); c++) {
            const double begun = cpu_seconds();
            works[c] = run(&bench, c);
            times[c][r] = cpu_seconds() - begun;
        }
    g_unlink(bench.path);
    for (guint c = 0; c < G_N_ELEMENTS(contestants); c++)
        qsort(times[c], rounds, sizeof(double), compare_times);
    for (guint c = 0; c < G_N_ELEMENTS(contestants); c++)
        if (works[c])
            g_print("%-40s %6.2f GCUPS %6.2f\n", contestants[c].name,
                    bench.cells / times[c][rounds / 2] / 1e9,
                    times[0][rounds / 2] / times[c][rounds / 2]);
    return 0;
}
