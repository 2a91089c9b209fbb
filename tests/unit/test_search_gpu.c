/*
 * The scores that a GPU finds: those of the CPU's lanes, or -1 where 16 bits may not hold them. And
 * searches on a GPU: the hits of the CPU, with states that either takes from the other.
 */
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/search.h>

#include "../case_count.h"
#include "engines/engine_registry.h"
#include "scorer_case.h"
#include "search/device_scores.h"

enum {
    LETTERS = 27,
};

typedef struct {
    CsPairScoring scoring;
    CsScorerSequence queries[CS_SCORER_SEQUENCES]; /* the longest one first */
    guint query_count;
    CsScorerSequence *records;
    guint count;
} Problem;

static int
longest_first(const void *a, const void *b)
{
    const gint64 one = ((const CsScorerSequence *)a)->length;
    const gint64 other = ((const CsScorerSequence *)b)->length;
    return one < other ? 1 : one > other ? -1 : 0;
}

/* Queries of these lengths, and others of random ones. */
static void
problem_init(Problem *problem, GRand *rand, gint64 rows, gint64 other_rows, guint others,
             guint count, gint64 longest)
{
    *problem = (Problem){.query_count = (other_rows > 0) + 1 + others, .count = count};
    problem->records = g_new(CsScorerSequence, MAX(count, 1));
    for (guint k = 0; k < problem->query_count; k++) {
        const gint64 length = k == 0 ? rows
                              : k == 1 && other_rows > 0
                                  ? other_rows
                                  : g_rand_int_range(rand, 1, (gint32)rows + 1);
        problem->queries[k] = random_sequence(rand, length, LETTERS);
    }
    qsort(problem->queries, problem->query_count, sizeof *problem->queries, longest_first);
    for (guint k = 0; k < count; k++) {
        const gint64 length = k < 3 ? (gint)k + 1 : g_rand_int_range(rand, 1, (gint32)longest + 1);
        problem->records[k] =
            g_rand_boolean(rand)
                ? random_sequence(rand, length, LETTERS)
                : similar_sequence(rand, &problem->queries[k % problem->query_count], length,
                                   LETTERS);
    }
}

static void
problem_clear(Problem *problem)
{
    sequences_clear(problem->records, problem->count);
    sequences_clear(problem->queries, problem->query_count);
    g_free(problem->records);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Problem, problem_clear)

/* Letters that gain much with themselves, and little with others. Or nothing costs anything. */
static void
draw_scoring(CsPairScoring *scoring, GRand *rand, gint32 most, gboolean costs)
{
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            scoring->pairs[a][b] = a == b ? g_rand_int_range(rand, 1, most + 1)
                                          : g_rand_int_range(rand, costs ? -most : 0, most / 3 + 1);
    scoring->more = costs ? g_rand_int_range(rand, 0, most + 1) : 0;
    scoring->first =
        scoring->more + (costs && g_rand_boolean(rand) ? g_rand_int_range(rand, 0, 12) : 0);
    cs_pair_scoring_init(scoring, LETTERS);
}

static CsScorerScoring
scoring_of(const CsPairScoring *scoring)
{
    const CsQueries queries = {.alphabet = CS_ALPHABET_PROTEIN, .scoring = *scoring};
    CsScorerScoring of = cs_device_scoring(&queries);
    of.pairs = scoring->pairs;
    return of;
}

/* What the CPU finds. */
static CsLaneFound *
find_truths(const Problem *problem, guint k)
{
    const CsScorerSequence *query = &problem->queries[k];
    g_autofree char *memory = g_malloc(cs_lane_scratch(query->length) + CS_LANE_VECTOR_MAX);
    g_autofree CsLaneRecord *records = g_new0(CsLaneRecord, MAX(problem->count, 1));
    CsLaneFound *found = g_new0(CsLaneFound, MAX(problem->count, 1));
    CsPairQuery pair = {.kernels = cs_pair_kernels(NULL),
                        .scoring = &problem->scoring,
                        .query = query->letters,
                        .rows = query->length,
                        .scratch = memory + (-(guintptr)memory & (CS_LANE_VECTOR_MAX - 1))};
    for (guint l = 0; l < problem->count; l++)
        records[l] = (CsLaneRecord){problem->records[l].letters, problem->records[l].length, 0};
    g_assert_true(cs_pair_scores(&pair, records, problem->count, found));
    return found;
}

/* Of the first records. Returns how many scores the GPU did not know. */
static guint
check_scores(const Problem *problem, guint count, guint k, const gint32 *scores)
{
    const gint64 top = G_MAXINT16 - problem->scoring.highest;
    g_autofree CsLaneFound *truths = find_truths(problem, k);
    guint unknown = 0;
    for (guint l = 0; l < count; l++) {
        const gboolean known = truths[l].score <= top && problem->records[l].length <= LONGEST;
        g_assert_cmpint(scores[l], ==, known ? truths[l].score : -1);
        unknown += !known;
    }
    return unknown;
}

/* Loads the first records and submits as much as there are slots. */
static guint
check_loaded(const Problem *problem, CsScorer *scorer, guint count)
{
    const CsScorerClass *class = cs_engine_scorer();
    g_autofree gint32 *all = g_new(gint32, (count + 1) * CS_SCORER_SEQUENCES);
    gint32 *scores[CS_SCORER_SEQUENCES];
    GError *error = NULL;
    guint unknown = 0;
    g_assert_true(class->load(scorer, problem->records, count, 2, &error));
    for (guint k = 0; k < CS_SCORER_SLOTS; k++)
        g_assert_true(class->submit(scorer, problem->queries, problem->query_count, &error));
    for (guint k = 0; k < CS_SCORER_SEQUENCES; k++)
        scores[k] = all + k * (count + 1);
    for (guint k = 0; k < CS_SCORER_SLOTS; k++) {
        memset(all, 0x5a, (count + 1) * CS_SCORER_SEQUENCES * sizeof *all);
        g_assert_true(class->collect(scorer, scores, &error));
        unknown = 0;
        for (guint query = 0; query < problem->query_count; query++)
            unknown += check_scores(problem, count, query, scores[query]);
    }
    return unknown;
}

/* Some of the records, and then all. */
static guint
check(const Problem *problem)
{
    const CsScorerClass *class = cs_engine_scorer();
    const CsScorerScoring scoring = scoring_of(&problem->scoring);
    GError *error = NULL;
    g_assert_true(class->accepts(&scoring));
    CsScorer *scorer = class->open(NULL, &scoring, &error);
    g_assert_no_error(error);
    (void)check_loaded(problem, scorer, problem->count / 2);
    const guint unknown = check_loaded(problem, scorer, problem->count);
    class->free(scorer);
    return unknown;
}

/* Every kernel with every number of lanes, and as many rows as it just holds. Tapes of any length. */
static void
test_forms(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    static const gint rows[] = {8, 16, 20, 24, 28, 32, 36};
    if (!has_gpu())
        return;
    for (guint k = 0; k < G_N_ELEMENTS(rows); k++)
        for (gint lanes = 1; lanes <= 32; lanes *= 2) {
            if (CASE_DIVISOR > 1 && lanes * rows[k] > 200 && g_rand_int_range(rand, 0, 6) > 0)
                continue;
            g_autofree char *form =
                g_strdup_printf("%d:%d:%d", rows[k], lanes, g_rand_int_range(rand, 1, 400));
            g_setenv("CHROMOSWEEP_SCORE_FORM", form, TRUE);
            for (gint sets = 0; sets < 3; sets++) {
                g_auto(Problem) problem;
                const gint height = rows[k] * lanes + g_rand_int_range(rand, -1, 1);
                problem_init(&problem, rand, height,
                             sets > 0 ? g_rand_int_range(rand, 1, height + 1) : 0,
                             sets == 2 && lanes > 1 ? (guint)g_rand_int_range(rand, 1, 15) : 0,
                             (guint)g_rand_int_range(rand, 1, 40), 60);
                draw_scoring(&problem.scoring, rand, 12, TRUE);
                check(&problem);
            }
        }
    g_unsetenv("CHROMOSWEEP_SCORE_FORM");
}

/* Any lengths; some queries take several passes. */
static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    if (!has_gpu())
        return;
    for (guint k = case_count(400); k > 0; k--) {
        g_auto(Problem) problem;
        const gint most = k % 4 == 0 ? 3000 : k % 2 == 0 ? 400 : 40;
        if (k % 3 == 0)
            g_setenv("CHROMOSWEEP_SCORE_FORM", k % 2 == 0 ? "8:32:1000" : "8:4:300", TRUE);
        /* Without costs what comes behind the end of a query gains less than anything else. */
        const gboolean costs = k % 4 != 1;
        const gint rows = g_rand_int_range(rand, 1, most);
        const gint other_rows = !costs                 ? rows + 9
                                : g_rand_boolean(rand) ? g_rand_int_range(rand, 1, most)
                                                       : 0;
        problem_init(&problem, rand, rows, other_rows,
                     g_rand_int_range(rand, 0, 3) == 0 ? (guint)g_rand_int_range(rand, 0, 15) : 0,
                     (guint)g_rand_int_range(rand, 0, most > 1000 ? 10 : 80),
                     most > 1000 ? 100 : 300);
        draw_scoring(&problem.scoring, rand, k % 5 == 0 ? 8000 : 15, costs);
        check(&problem);
        g_unsetenv("CHROMOSWEEP_SCORE_FORM");
    }
}

/* A sequence whose score with itself is `score`, and a letter of the highest gain comes last, so that
 * a sum is too high as late as can be. */
static CsScorerSequence
sequence_of_score(gint score)
{
    static const gint gains[] = {1000, 100, 10, 1};
    guint8 *codes = g_malloc(100 + (gsize)score / 1000);
    gint64 length = 0;
    for (guint letter = 0; letter < G_N_ELEMENTS(gains); letter++)
        for (; score >= gains[letter]; score -= gains[letter])
            codes[length++] = (guint8)letter;
    for (gint64 k = 0; k < length / 2; k++) {
        const guint8 code = codes[k];
        codes[k] = codes[length - 1 - k];
        codes[length - 1 - k] = code;
    }
    return (CsScorerSequence){codes, length};
}

/* Scores about the highest that is exact, and about the highest that 16 bits hold. */
static void
test_edges(void)
{
    static const gint scores[] = {31766, 31767, 31768, 32000, 32766, 32767, 32768,
                                  32769, 33768, 65535, 65536, 65537, 98304};
    static const char *const forms[] = {"8:32:200", "8:8", "32:16:500", "32:4"};
    guint unknown = 0;
    if (!has_gpu())
        return;
    for (guint k = 0; k < 2 * G_N_ELEMENTS(scores); k++)
        for (gint two = 0; two < 2; two++) {
            g_auto(Problem)
                problem = {.query_count = two == 1 ? 6 : 1, .count = G_N_ELEMENTS(scores)};
            g_setenv("CHROMOSWEEP_SCORE_FORM", forms[k % G_N_ELEMENTS(forms)], TRUE);
            problem.records = g_new(CsScorerSequence, problem.count);
            for (guint a = 0; a < LETTERS; a++)
                for (guint b = 0; b < LETTERS; b++)
                    problem.scoring.pairs[a][b] = k % 2 == 0 ? -3000 : -20000;
            problem.scoring.pairs[0][0] = 1000;
            problem.scoring.pairs[1][1] = 100;
            problem.scoring.pairs[2][2] = 10;
            problem.scoring.pairs[3][3] = 1;
            /* The highest costs that fit, or none. */
            problem.scoring.first = problem.scoring.more = k / 2 % 2 == 0 ? 16384 : 0;
            cs_pair_scoring_init(&problem.scoring, LETTERS);
            for (guint query = 0; query < problem.query_count; query++)
                problem.queries[query] =
                    sequence_of_score(scores[(k / 2 + 3 * query) % G_N_ELEMENTS(scores)]);
            qsort(problem.queries, problem.query_count, sizeof *problem.queries, longest_first);
            for (guint l = 0; l < problem.count; l++)
                problem.records[l] = sequence_of_score(scores[l]);
            unknown += check(&problem);
        }
    g_assert_cmpuint(unknown, >, 0);
    g_unsetenv("CHROMOSWEEP_SCORE_FORM");
}

/* Records that are too long are left to the caller, even if there are no others. */
static void
test_long_records(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    if (!has_gpu())
        return;
    for (guint k = 0; k < 2; k++) {
        g_auto(Problem) problem;
        problem_init(&problem, rand, 2, k, 0, 5, 3);
        draw_scoring(&problem.scoring, rand, 12, TRUE);
        for (guint l = k == 0 ? 0 : 3; l < problem.count; l++) {
            g_free((gpointer)problem.records[l].letters);
            problem.records[l] = random_sequence(rand, LONGEST + 1 + l, LETTERS);
        }
        g_assert_cmpuint(check(&problem), ==, k == 0 ? 5 : 4);
    }
}

/* Costs and gains that 16 bits do not hold for sure. */
static void
test_accepts(void)
{
    const CsScorerClass *class = cs_engine_scorer();
    if (!has_gpu())
        return;
    const CsScorerScoring good = {
        .letters = 27, .lowest = -32768, .highest = 32766, .first = 16384, .more = 16384};
    g_assert_true(class->accepts(&good));
    CsScorerScoring bad[] = {good, good, good, good, good};
    bad[0].lowest--;
    bad[1].highest++;
    bad[2].first++;
    bad[3].highest = 0;
    bad[4].more++;
    for (guint k = 0; k < G_N_ELEMENTS(bad); k++)
        g_assert_false(class->accepts(&bad[k]));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/search-gpu/forms", test_forms);
    g_test_add_func("/search-gpu/random", test_random);
    g_test_add_func("/search-gpu/edges", test_edges);
    g_test_add_func("/search-gpu/long-records", test_long_records);
    g_test_add_func("/search-gpu/accepts", test_accepts);
    return g_test_run();
}
