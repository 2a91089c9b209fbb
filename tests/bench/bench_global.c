/*
 * How fast a GPU finds global alignments: bench_global [RECORDS [LETTERS [FILE.fa]]]
 *
 * Compares some sequences with RECORDS (8192) others of about LETTERS (1536) bases. All come from one
 * sequence, made by lot or the first of FILE.fa, by changing up to a quarter of its bases. For each
 * scoring it prints 10^12 cells per second, score and matches known, and columns or not: first of the
 * form that is chosen without being asked (CHROMOSWEEP_SCORE_FORM, cuda/cuda_tapes.c), then of every
 * form that the GPU has. The time for records to get to the GPU is told apart.
 */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "engines/engine_registry.h"
#include "search/alphabet.h"
#include "sequence/record_stream.h"

enum {
    QUERIES = 8,
    ROUNDS = 3,
    BASES = 4,
    MOST_ROWS = 64, /* of a lane */
};

typedef struct {
    const char *name;
    gint32 match, mismatch;
    gint64 first, more;
    gboolean columns;
} Contest;

static const Contest contests[] = {
    {"linear 4/-5/-8, columns follow", 4, -5, 8, 8, TRUE},
    {"linear 2/-2/-1, columns asked for", 2, -2, 1, 1, TRUE},
    {"affine 1/-3/3+2, without columns", 1, -3, 5, 2, FALSE},
    {"affine 1/-3/3+2, columns asked for", 1, -3, 5, 2, TRUE},
};

typedef struct {
    gint32 pairs[CS_LETTERS_MAX][CS_LETTERS_MAX];
    CsGlobalScoring scoring;
    const CsScorerSequence *records;
    guint count;
    gint64 cells; /* of all queries, which are the first records */
} Problem;

static double
now(void)
{
    return (double)g_get_monotonic_time() / 1e6;
}

static void
fail(const GError *error)
{
    g_error("%s", error->message);
}

static GByteArray *
make_ancestor(const char *path, guint length, GRand *rand)
{
    GByteArray *letters = g_byte_array_new();
    if (path == NULL) {
        for (guint k = 0; k < length; k++) {
            const guint8 base = (guint8)g_rand_int_range(rand, 0, BASES);
            g_byte_array_append(letters, &base, 1);
        }
        return letters;
    }
    GError *error = NULL;
    g_autoptr(CsRecordStream) stream = cs_record_stream_new(path, &cs_alphabet_nucleotide, &error);
    g_autoptr(CsRecordChunk) chunk =
        stream != NULL ? cs_record_stream_next(stream, G_MAXINT64, &error) : NULL;
    if (chunk == NULL)
        fail(error);
    return g_byte_array_append(letters, chunk->letters, (guint)chunk->records[0].length);
}

/* Nine of ten changes are another base, the others a base less or more. */
static CsScorerSequence
mutate(const GByteArray *ancestor, double changed, GRand *rand)
{
    GByteArray *letters = g_byte_array_new();
    for (guint k = 0; k < ancestor->len; k++) {
        const guint8 base = (guint8)g_rand_int_range(rand, 0, BASES);
        const gboolean change = g_rand_double(rand) < changed;
        const gint lot = change ? g_rand_int_range(rand, 0, 20) : -1;
        if (lot != 0)
            g_byte_array_append(letters, lot > 1 ? &base : &ancestor->data[k], 1);
        if (lot == 1)
            g_byte_array_append(letters, &base, 1);
    }
    const gint64 length = letters->len;
    return (CsScorerSequence){g_byte_array_free(letters, FALSE), length};
}

/* Submits all queries. Returns the seconds; negative: there is no such form. */
static double
measure(const Problem *problem, double *loading)
{
    const CsGlobalScorerClass *class = cs_engine_global_scorer();
    g_autofree CsGlobalNumbers *numbers = g_new(CsGlobalNumbers, problem->count);
    g_autoptr(GError) error = NULL;
    CsGlobalScorer *scorer = class->open(NULL, &problem->scoring, &error);
    if (scorer == NULL)
        fail(error);
    double best = -1;
    for (guint round = 0; round < ROUNDS && error == NULL; round++) {
        const double begun = now();
        if (!class->load(scorer, problem->records, problem->count, cs_threads_granted(), &error))
            fail(error);
        const double loaded = now();
        guint sent = 0;
        for (guint q = 0; q < QUERIES && error == NULL; q++) {
            while (sent < MIN(q + CS_SCORER_SLOTS, QUERIES) &&
                   class->submit(scorer, &problem->records[sent], &error))
                sent++;
            if (error == NULL && !class->collect(scorer, numbers, &error))
                fail(error);
        }
        if (error == NULL && (best < 0 || now() - loaded < best)) {
            best = now() - loaded;
            *loading = loaded - begun;
        }
    }
    class->free(scorer);
    return best;
}

static void
tell(const Problem *problem, const char *form)
{
    double loading = 0;
    const double seconds = measure(problem, &loading);
    if (seconds > 0)
        g_print("    %-10s %8.4f  (%.4f s, loading %.4f s)\n", form,
                (double)problem->cells / seconds / 1e12, seconds, loading);
}

static void
tell_contest(Problem *problem, const Contest *contest)
{
    for (guint a = 0; a < CS_BASE_LETTERS; a++)
        for (guint b = 0; b < CS_BASE_LETTERS; b++)
            problem->pairs[a][b] = a == b && a < BASES ? contest->match : contest->mismatch;
    problem->scoring.first = contest->first;
    problem->scoring.more = contest->more;
    problem->scoring.columns = contest->columns;
    g_print("%s\n", contest->name);
    g_unsetenv("CHROMOSWEEP_SCORE_FORM");
    tell(problem, "chosen");
    for (int rows = 8; rows <= MOST_ROWS; rows += 8)
        for (int lanes = 1; lanes <= 32; lanes *= 2) {
            g_autofree char *form = g_strdup_printf("%d:%d", rows, lanes);
            g_setenv("CHROMOSWEEP_SCORE_FORM", form, TRUE);
            tell(problem, form);
        }
}

int
main(int argc, char **argv)
{
    const guint count = argc > 1 ? (guint)atoi(argv[1]) : 8192;
    const guint length = argc > 2 ? (guint)atoi(argv[2]) : 1536;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    if (count < QUERIES || length < 1)
        g_error("bench_global [RECORDS [LETTERS [FILE.fa]]], of at least %d records", QUERIES);
    if (cs_engine_global_scorer() == NULL)
        g_error("this build has no GPU engine");
    g_autoptr(GByteArray) ancestor = make_ancestor(argc > 3 ? argv[3] : NULL, length, rand);
    g_autofree CsScorerSequence *records = g_new(CsScorerSequence, count);
    gint64 letters = 0, rows = 0;
    for (guint k = 0; k < count; k++) {
        records[k] = mutate(ancestor, 0.25 * k / count, rand);
        letters += records[k].length;
        rows += k < QUERIES ? records[k].length : 0;
    }
    Problem problem = {.records = records, .count = count, .cells = rows * letters};
    problem.scoring = (CsGlobalScoring){.letters = CS_BASE_LETTERS, .matching = (1u << BASES) - 1};
    const gint32(*pairs)[CS_LETTERS_MAX] = (const gint32(*)[CS_LETTERS_MAX])problem.pairs;
    problem.scoring.pairs = pairs;
    for (guint k = 0; k < G_N_ELEMENTS(contests); k++)
        tell_contest(&problem, &contests[k]);
    for (guint k = 0; k < count; k++)
        g_free((gpointer)records[k].letters);
    return 0;
}
