/*
 * The scores of a query with many records on every kind of lanes, and where they end, against full
 * matrices filled in by definition: the best gap into a cell is looked for among all gaps.
 */
#include <string.h>

#include "../case_count.h"
#include "search/pair_scores.h"

enum {
    LETTERS = 27,
};

typedef struct {
    gint64 score, column, row;
} Truth;

/* The first column with the best score, and in it the first row. Rows are the query. */
static Truth
fill_matrix(const CsPairScoring *s, const guint8 *query, gint64 m, const guint8 *record, gint64 n)
{
    Truth best = {0};
    g_autofree gint64 *matrix = g_new0(gint64, (m + 1) * (n + 1));
#define H(i, j) matrix[(i) * (n + 1) + (j)]
    for (gint64 j = 1; j <= n; j++)
        for (gint64 i = 1; i <= m; i++) {
            gint64 h = MAX(0, H(i - 1, j - 1) + s->pairs[query[i - 1]][record[j - 1]]);
            for (gint64 k = 1; k <= i; k++)
                h = MAX(h, H(i - k, j) - s->first - (k - 1) * s->more);
            for (gint64 k = 1; k <= j; k++)
                h = MAX(h, H(i, j - k) - s->first - (k - 1) * s->more);
            H(i, j) = h;
            if (h > best.score)
                best = (Truth){h, j, i};
        }
#undef H
    return best;
}

/* The same in linear memory, for matrices that are too large for that. */
static Truth
fill_columns(const CsPairScoring *s, const guint8 *query, gint64 m, const guint8 *record, gint64 n)
{
    Truth best = {0};
    g_autofree double *h = g_new0(double, m + 1), *left = g_new0(double, m + 1);
    g_autofree double *e = g_new(double, m + 1);
    for (gint64 i = 0; i <= m; i++)
        e[i] = -1e18;
    for (gint64 j = 1; j <= n; j++) {
        double f = -1e18;
        memcpy(left, h, (gsize)(m + 1) * sizeof *h);
        for (gint64 i = 1; i <= m; i++) {
            e[i] = MAX(e[i] - (double)s->more, left[i] - (double)s->first);
            f = MAX(f - (double)s->more, h[i - 1] - (double)s->first);
            h[i] = MAX(MAX(0, left[i - 1] + s->pairs[query[i - 1]][record[j - 1]]), MAX(e[i], f));
            if (h[i] > (double)best.score)
                best = (Truth){(gint64)h[i], j, i};
        }
    }
    return best;
}

/* Those that the processor has. */
static const char *const targets[] = {"avx512", "avx2", "sse4.1", "neon", "portable"};

static const CsPairKernels *
kernels_of(guint k)
{
    g_setenv("CHROMOSWEEP_SIMD", targets[k], TRUE);
    const CsPairKernels *kernels = cs_pair_kernels(NULL);
    g_unsetenv("CHROMOSWEEP_SIMD");
    return kernels;
}

typedef struct {
    CsPairScoring scoring;
    guint8 *query;
    gint64 rows;
    CsLaneRecord *records;
    Truth *truths;
    gint64 count;
} Problem;

static void
problem_clear(Problem *problem)
{
    for (gint64 k = 0; k < problem->count; k++)
        g_free((gpointer)problem->records[k].letters);
    g_free(problem->records);
    g_free(problem->truths);
    g_free(problem->query);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Problem, problem_clear)

static void
check_with(const Problem *problem, const CsPairKernels *kernels, guint lanes, gboolean striped)
{
    const gsize size = cs_lane_scratch(problem->rows);
    g_autofree char *memory = g_malloc(size + CS_LANE_VECTOR_MAX);
    memset(memory, 0x5a, size + CS_LANE_VECTOR_MAX);
    char *aligned = memory + (-(guintptr)memory & (CS_LANE_VECTOR_MAX - 1));
    CsPairQuery query = {.kernels = kernels,
                         .scoring = &problem->scoring,
                         .query = problem->query,
                         .rows = problem->rows,
                         .lanes = lanes,
                         .striped = striped,
                         .scratch = aligned};
    g_autofree CsLaneFound *found = g_new(CsLaneFound, problem->count);
    g_assert_true(cs_pair_scores(&query, problem->records, problem->count, found));
    g_autoptr(GArray) hits = g_array_new(FALSE, FALSE, sizeof(CsLaneRecord));
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(CsLaneFound));
    g_autoptr(GArray) truths = g_array_new(FALSE, FALSE, sizeof(Truth));
    for (gint64 k = 0; k < problem->count; k++) {
        g_assert_cmpint(found[k].score, ==, problem->truths[k].score);
        if (found[k].score == 0)
            continue;
        g_array_append_val(hits, problem->records[k]);
        g_array_append_val(ends, found[k]);
        g_array_append_val(truths, problem->truths[k]);
    }
    g_assert_true(cs_pair_ends(&query, (CsLaneRecord *)(void *)hits->data, hits->len,
                               (CsLaneFound *)(void *)ends->data));
    for (guint k = 0; k < hits->len; k++) {
        g_assert_cmpint(g_array_index(ends, CsLaneFound, k).column, ==,
                        g_array_index(truths, Truth, k).column);
        g_assert_cmpint(g_array_index(ends, CsLaneFound, k).row, ==,
                        g_array_index(truths, Truth, k).row);
    }
}

static void
check(const Problem *problem)
{
    for (guint k = 0; k < G_N_ELEMENTS(targets); k++) {
        const CsPairKernels *kernels = kernels_of(k);
        for (guint lanes = 0; kernels != NULL && lanes < 3; lanes++)
            check_with(problem, kernels, lanes, FALSE);
        for (guint lanes = 1; kernels != NULL && lanes < 3; lanes++)
            check_with(problem, kernels, lanes, TRUE);
    }
}

static guint8 *
random_letters(GRand *rand, gint64 length, guint8 kinds)
{
    guint8 *letters = g_malloc(MAX(length, 1));
    for (gint64 k = 0; k < length; k++)
        letters[k] = (guint8)g_rand_int_range(rand, 0, kinds);
    return letters;
}

/* A copy with changes, so that scores are high and paths have gaps. */
static guint8 *
related_letters(GRand *rand, const guint8 *from, gint64 from_length, gint64 length, guint8 kinds)
{
    guint8 *letters = random_letters(rand, length, kinds);
    for (gint64 k = 0, at = g_rand_int_range(rand, 0, (gint32)from_length);
         k < length && at < from_length; k++, at++) {
        const guint32 chance = (guint32)g_rand_int_range(rand, 0, 20);
        at += chance == 0;
        if (chance > 2 && at < from_length)
            letters[k] = from[at];
        k += chance == 1;
    }
    return letters;
}

static gint32
pick(GRand *rand, const gint32 *values, gsize count)
{
    return values[g_rand_int_range(rand, 0, (gint32)count)];
}

/* Numbers around the edges of lanes, and ordinary ones more often. */
static void
random_scoring(GRand *rand, CsPairScoring *s)
{
    static const gint32 tops[] = {1,    2,     5,     9,     11,        11,
                                  17,   126,   127,   128,   129,       255,
                                  2000, 32767, 32768, 70000, 300000000, CS_PAIR_MOST};
    static const gint32 costs[] = {0,   0,   1,   1,   2,     3,     8,     11,    12,          126,
                                   127, 128, 129, 255, 32766, 32767, 32768, 99999, CS_PAIR_MOST};
    const gint32 top = pick(rand, tops, G_N_ELEMENTS(tops));
    const gint32 low = -pick(rand, tops, G_N_ELEMENTS(tops));
    const gint64 costs_of[] = {pick(rand, costs, G_N_ELEMENTS(costs)),
                               pick(rand, costs, G_N_ELEMENTS(costs))};
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = a == b ? top : g_rand_int_range(rand, MAX(low, -9), 3);
    s->pairs[1][2] = low;
    /* The first letter of a gap costs at least as much as a further one. */
    s->more = MIN(costs_of[0], costs_of[1]);
    s->first = MAX(costs_of[0], costs_of[1]);
    cs_pair_scoring_init(s, LETTERS);
}

static void
random_problem(GRand *rand, Problem *problem)
{
    static const gint32 counts[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 140};
    static const gint32 lengths[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 40};
    const guint8 kinds = (guint8)g_rand_int_range(rand, 1, LETTERS + 1);
    random_scoring(rand, &problem->scoring);
    problem->rows = pick(rand, lengths, G_N_ELEMENTS(lengths));
    problem->query = random_letters(rand, problem->rows, kinds);
    problem->count = pick(rand, counts, G_N_ELEMENTS(counts));
    problem->records = g_new0(CsLaneRecord, problem->count);
    problem->truths = g_new(Truth, problem->count);
    for (gint64 k = 0; k < problem->count; k++) {
        CsLaneRecord *record = &problem->records[k];
        record->length = pick(rand, lengths, G_N_ELEMENTS(lengths));
        record->letters =
            g_rand_boolean(rand)
                ? related_letters(rand, problem->query, problem->rows, record->length, kinds)
                : random_letters(rand, record->length, kinds);
        problem->truths[k] = fill_matrix(&problem->scoring, problem->query, problem->rows,
                                         record->letters, record->length);
    }
}

static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(23);
    for (guint k = case_count(1500); k > 0; k--) {
        g_auto(Problem) problem = {0};
        random_problem(rand, &problem);
        check(&problem);
    }
}

/* Exactly these scores: equal letters that gain what it takes, between others. */
static void
check_score(gint64 score, gint32 match, gint64 around, gint64 count)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)score);
    g_auto(Problem) problem = {.scoring = {.first = 12, .more = 1}};
    CsPairScoring *s = &problem.scoring;
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = a == b && a > 0 ? 1 : -3;
    s->pairs[2][2] = match;
    cs_pair_scoring_init(s, LETTERS);
    const gint64 pairs = score / match + score % match;
    problem.rows = pairs;
    problem.query = g_malloc((gsize)pairs);
    for (gint64 k = 0; k < pairs; k++)
        problem.query[k] = k < score / match ? 2 : 1;
    problem.count = count;
    problem.records = g_new0(CsLaneRecord, count);
    problem.truths = g_new(Truth, count);
    for (gint64 k = 0; k < count; k++) {
        const gint64 before = g_rand_int_range(rand, 0, (gint32)around + 1);
        guint8 *letters = g_malloc0((gsize)(before + pairs + around));
        memcpy(letters + before, problem.query, (gsize)pairs);
        problem.records[k] = (CsLaneRecord){letters, before + pairs + around, 0};
        problem.truths[k] = (Truth){score, before + pairs, pairs};
        if (k == 0) {
            const Truth filled =
                fill_columns(s, problem.query, pairs, letters, problem.records[k].length);
            g_assert_cmpint(filled.score, ==, score);
            g_assert_cmpint(filled.column, ==, before + pairs);
            g_assert_cmpint(filled.row, ==, pairs);
        }
    }
    check(&problem);
}

static void
test_edges(void)
{
    for (gint64 score = 120; score <= 132; score++)
        check_score(score, 11, 9, 70);
    for (gint64 score = 200; score <= 262; score++)
        check_score(score, 11, 9, 70);
    for (gint64 score = 32760; score <= 32772; score++)
        check_score(score, 125, 3, 17);
    for (gint64 score = 65530; score <= 65540; score++)
        check_score(score, 125, 3, 17);
}

/* More than 32 bits hold. */
static void
test_highest(void)
{
    for (gint32 match = CS_PAIR_MOST - 1; match <= CS_PAIR_MOST; match++)
        check_score(8 * (gint64)match, match, 5, 3);
    for (gint32 match = (1 << 29) - 1; match <= (1 << 29) + 1; match++)
        check_score(match, match, 5, 3);
}

/* Longer ones, with an oracle in linear memory: random letters, and a query against itself. */
static void
test_long(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(4);
    g_auto(Problem) problem = {.rows = 3001, .count = 6, .scoring = {.first = 12, .more = 1}};
    CsPairScoring *s = &problem.scoring;
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = a == b ? 12 : g_rand_int_range(rand, -4, 2);
    cs_pair_scoring_init(s, LETTERS);
    problem.query = random_letters(rand, problem.rows, 20);
    problem.records = g_new0(CsLaneRecord, problem.count);
    problem.truths = g_new(Truth, problem.count);
    for (gint64 k = 0; k < problem.count; k++) {
        CsLaneRecord *record = &problem.records[k];
        record->length = k == 0 ? problem.rows : g_rand_int_range(rand, 1, 4000);
        record->letters =
            k == 0       ? g_memdup2(problem.query, (gsize)problem.rows)
            : k % 2 == 0 ? random_letters(rand, record->length, 20)
                         : related_letters(rand, problem.query, problem.rows, record->length, 20);
        problem.truths[k] =
            fill_columns(s, problem.query, problem.rows, record->letters, record->length);
    }
    g_assert_cmpint(problem.truths[0].score, ==, 12 * problem.rows);
    check(&problem);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pair-scores/random", test_random);
    g_test_add_func("/pair-scores/edges", test_edges);
    g_test_add_func("/pair-scores/highest", test_highest);
    g_test_add_func("/pair-scores/long", test_long);
    return g_test_run();
}
