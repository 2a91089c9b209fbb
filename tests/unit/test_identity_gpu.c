/*
 * Score, matches and columns of global alignments that a GPU finds, against
 * tests/engine/global_oracle.h.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "../case_count.h"
#include "../engine/global_oracle.h"
#include "engines/engine_registry.h"
#include "scorer_case.h"

enum {
    LETTERS = 27,
    BASES = 5,
};

typedef struct {
    gint32 pairs[CS_LETTERS_MAX][CS_LETTERS_MAX];
    CsGlobalScoring scoring;
    CsScorerSequence queries[CS_SCORER_SLOTS]; /* submitted one behind the other */
    CsScorerSequence *records;
    guint count;
} Problem;

/* Queries of `rows` letters, and of at most as many; records of up to `longest`. */
static void
problem_init(Problem *problem, GRand *rand, guint letters, gint64 rows, guint count, gint64 longest)
{
    *problem = (Problem){.count = count, .scoring.letters = letters};
    problem->records = g_new(CsScorerSequence, MAX(count, 1));
    problem->queries[0] = random_sequence(rand, rows, letters);
    problem->queries[1] =
        random_sequence(rand, g_rand_int_range(rand, 1, (gint32)rows + 1), letters);
    for (guint k = 0; k < count; k++) {
        const gint64 length = k < 3 ? (gint)k : g_rand_int_range(rand, 1, (gint32)longest + 1);
        problem->records[k] =
            g_rand_boolean(rand)
                ? random_sequence(rand, length, letters)
                : similar_sequence(rand, &problem->queries[k % 2], length, letters);
    }
}

static void
problem_clear(Problem *problem)
{
    sequences_clear(problem->records, problem->count);
    sequences_clear(problem->queries, CS_SCORER_SLOTS);
    g_free(problem->records);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Problem, problem_clear)

/* All letters but the last match themselves. */
static void
set_pairs(Problem *problem, gint32 match, gint32 other)
{
    problem->scoring.matching = (1u << (problem->scoring.letters - 1)) - 1;
    for (guint a = 0; a < problem->scoring.letters; a++)
        for (guint b = 0; b < problem->scoring.letters; b++)
            problem->pairs[a][b] = a == b && a + 1 < problem->scoring.letters ? match : other;
}

/* Small numbers, so that many alignments have the best score. Either all matches gain the same, and all
 * other pairs, or any pair gains anything. */
static void
draw_scoring(Problem *problem, GRand *rand, gint32 most, gboolean uniform, gboolean linear)
{
    CsGlobalScoring *scoring = &problem->scoring;
    set_pairs(problem, g_rand_int_range(rand, 1, most + 1), -g_rand_int_range(rand, 0, most + 1));
    if (!uniform) {
        scoring->matching = g_rand_int(rand);
        for (guint a = 0; a < scoring->letters; a++)
            for (guint b = 0; b < scoring->letters; b++)
                problem->pairs[a][b] = g_rand_int_range(rand, a == b ? -most / 4 : -most, most + 1);
    }
    scoring->more = g_rand_int_range(rand, 0, most + 1);
    /* A pair that costs what two unpaired letters do leaves the columns open. */
    if (uniform && g_rand_int_range(rand, 0, 4) == 0)
        set_pairs(problem, g_rand_int_range(rand, 1, most + 1), -2 * (gint32)scoring->more);
    scoring->first = scoring->more + (linear ? 0 : g_rand_int_range(rand, 1, most + 2));
    scoring->columns = g_rand_int_range(rand, 0, 3) > 0;
}

static GlobalTruth
find_truth(const Problem *problem, const CsScorerSequence *query, const CsScorerSequence *record)
{
    GlobalProblem other = {.pairs = problem->pairs,
                           .first = problem->scoring.first,
                           .more = problem->scoring.more,
                           .query = query->letters,
                           .record = record->letters,
                           .rows = query->length,
                           .columns = record->length};
    for (guint a = 0; a < GLOBAL_LETTERS; a++)
        other.counts[a] = (problem->scoring.matching >> a & 1) != 0;
    return global_oracle_long(&other);
}

/* What was not known of some pairs. */
typedef struct {
    guint numbers, columns;
} Unknown;

static void
check_numbers(const Problem *problem, const CsScorerSequence *query, guint count,
              const CsGlobalNumbers *numbers, Unknown *unknown)
{
    for (guint k = 0; k < count; k++) {
        if (numbers[k].matches == -1) {
            g_assert_cmpint(numbers[k].columns, ==, -1);
            unknown->numbers++;
            continue;
        }
        const GlobalTruth truth = find_truth(problem, query, &problem->records[k]);
        g_assert_cmpint(numbers[k].score, ==, truth.score);
        g_assert_cmpint(numbers[k].matches, ==, truth.matches);
        if (numbers[k].columns == -1) {
            g_assert_false(problem->scoring.columns);
            unknown->columns++;
        } else {
            g_assert_cmpint(numbers[k].columns, ==, truth.columns);
        }
    }
}

/* Loads the first records and submits as much as there are slots. */
static Unknown
check_loaded(const Problem *problem, CsGlobalScorer *scorer, guint count)
{
    const CsGlobalScorerClass *class = cs_engine_global_scorer();
    g_autofree CsGlobalNumbers *numbers = g_new(CsGlobalNumbers, count + 1);
    GError *error = NULL;
    Unknown unknown = {0, 0};
    g_assert_true(class->load(scorer, problem->records, count, 2, &error));
    for (guint k = 0; k < CS_SCORER_SLOTS; k++)
        g_assert_true(class->submit(scorer, &problem->queries[k], &error));
    for (guint k = 0; k < CS_SCORER_SLOTS; k++) {
        memset(numbers, 0x5a, count * sizeof *numbers);
        g_assert_true(class->collect(scorer, numbers, &error));
        check_numbers(problem, &problem->queries[k], count, numbers, &unknown);
    }
    return unknown;
}

/* Some of the records, and then all. */
static Unknown
check(const Problem *problem)
{
    const CsGlobalScorerClass *class = cs_engine_global_scorer();
    GError *error = NULL;
    CsGlobalScoring scoring = problem->scoring;
    scoring.pairs = problem->pairs;
    CsGlobalScorer *scorer = class->open(NULL, &scoring, &error);
    g_assert_no_error(error);
    (void)check_loaded(problem, scorer, problem->count / 2);
    const Unknown unknown = check_loaded(problem, scorer, problem->count);
    class->free(scorer);
    return unknown;
}

enum {
    WIDTHS =
        3, /* 32 bits, 32 bits above a base that moves, 64 bits: in the scorer's order of choice */
    ROW_COUNTS = 5,
    NEAR_STEPS = 67, /* of a moving value: how many gains and gaps it is from its base at most */
};

/* Costs of which 32 bits hold so many letters with three digits; or 32 bits do only above a base that
 * moves, from about a hundred letters on; or 64 bits. */
static gint32
many_for(gint64 rows, guint width)
{
    const gint64 weight = (rows + 1) * (rows + 1);
    const gint64 many[WIDTHS] = {12, G_MAXINT32 / NEAR_STEPS / 4 / weight - 1,
                                 G_MAXINT32 / 4 / MAX(rows, 8)};
    return (gint32)many[width];
}

/* Every kernel with every number of lanes, and as many rows as it just holds, or in several passes.
 * Tapes of any length. */
static void
test_forms(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    static const gint rows[WIDTHS][2][ROW_COUNTS] = {{{8, 16, 24, 32, 48}, {8, 16, 24, 32, 48}},
                                                     {{8, 16, 24, 32}, {8, 16, 24, 32}},
                                                     {{8, 16, 32}, {8, 16}}};
    if (!has_gpu())
        return;
    for (guint k = 0; k < 2 * WIDTHS * ROW_COUNTS; k++)
        for (gint lanes = 1; lanes <= 32; lanes *= 2) {
            const guint width = k / 2 % WIDTHS;
            const gboolean linear = k % 2 == 0, moves = width == 1;
            const gint height = rows[width][!linear][k / 2 / WIDTHS] * lanes;
            const gint letters = moves ? MAX(height, 150) : height;
            if (height == 0 ||
                (CASE_DIVISOR > 1 && letters > 140 && g_rand_int_range(rand, 0, 6) > 0))
                continue;
            g_autofree char *form =
                g_strdup_printf("%d:%d:%d", height / lanes, lanes, g_rand_int_range(rand, 1, 400));
            g_setenv("CHROMOSWEEP_SCORE_FORM", form, TRUE);
            g_auto(Problem) problem;
            /* what the smallest GPU has shared memory for */
            const gint lane_bytes = height / lanes * (width == 2 ? 8 : 4);
            problem_init(&problem, rand, lane_bytes > 64 ? BASES : LETTERS,
                         letters + g_rand_int_range(rand, -1, 1),
                         (guint)g_rand_int_range(rand, 4, moves ? 8 : 30), moves ? letters : 60);
            draw_scoring(&problem, rand, MAX(many_for(letters, width), 1), FALSE, linear);
            if (width == 2)
                problem.pairs[0][0] = G_MAXINT32 / 4;
            problem.scoring.columns |= width > 0;
            g_assert_cmpuint(check(&problem).numbers, ==, 0);
        }
    g_unsetenv("CHROMOSWEEP_SCORE_FORM");
}

/* Any lengths; some queries take several passes. */
static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    const guint cases = case_count(1000);
    Unknown unknown = {0, 0};
    if (!has_gpu())
        return;
    for (guint k = cases; k > 0; k--) {
        g_auto(Problem) problem;
        const gint most = k % 20 == 0 ? 2000 : k % 2 == 0 ? 200 : 12;
        if (k % 3 == 0)
            g_setenv("CHROMOSWEEP_SCORE_FORM", k % 2 == 0 ? "8:32:1000" : "8:4:300", TRUE);
        const gboolean uniform = g_rand_boolean(rand);
        problem_init(&problem, rand, uniform ? BASES : LETTERS, g_rand_int_range(rand, 1, most),
                     (guint)g_rand_int_range(rand, 0, most > 1000 ? 8 : 40),
                     most > 1000 ? 100
                     : most < 20 ? 12
                                 : 200);
        draw_scoring(&problem, rand, k % 5 == 0 ? 100000 : 4, uniform, g_rand_boolean(rand));
        unknown.columns += check(&problem).columns;
        g_unsetenv("CHROMOSWEEP_SCORE_FORM");
    }
    g_assert_true(cases < 10 || unknown.columns > 0);
}

/* The best alignments begin or end with a gap as long as some passes, at the beginning of a tape or not. */
static void
test_passes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(4);
    static const char *const forms[] = {"8:4:1", "8:4:500", "8:1:60"};
    if (!has_gpu())
        return;
    for (guint k = 0; k < 3 * G_N_ELEMENTS(forms); k++) {
        const gint64 pass = k % 3 == 2 ? 8 : 32;
        g_auto(Problem) problem;
        problem_init(&problem, rand, BASES, 3 * pass, 8, 3);
        draw_scoring(&problem, rand, 4, TRUE, FALSE);
        problem.scoring.more = k / 3;
        problem.scoring.first = k / 3 + 3;
        problem.scoring.columns = k % 2 == 0;
        g_setenv("CHROMOSWEEP_SCORE_FORM", forms[k % 3], TRUE);
        for (guint l = 0; l < problem.count; l++) {
            const gint64 left_out = l / 2 * pass, length = 3 * pass - left_out;
            g_free((gpointer)problem.records[l].letters);
            problem.records[l] = random_sequence(rand, MAX(length, 1), BASES);
            if (length > 0)
                memcpy((guint8 *)problem.records[l].letters,
                       problem.queries[0].letters + (l % 2 == 0 ? left_out : 0), (gsize)length);
        }
        check(&problem);
    }
    g_unsetenv("CHROMOSWEEP_SCORE_FORM");
}

/* A sequence of one letter. */
static CsScorerSequence
letters_of(guint8 letter, gint64 length)
{
    guint8 *codes = g_malloc((gsize)length);
    memset(codes, letter, (gsize)length);
    return (CsScorerSequence){codes, length};
}

/* The value of `length` matches is about the highest that some bits hold. Returns what is unknown. */
static Unknown
check_edge(gint64 length, gint64 other_length, gint32 match, gint32 mismatch, gint64 first,
           gint64 more, gboolean columns)
{
    g_auto(Problem) problem = {.count = 4, .scoring.letters = BASES};
    problem.scoring.first = first;
    problem.scoring.more = more;
    problem.scoring.columns = columns;
    problem.records = g_new(CsScorerSequence, problem.count);
    set_pairs(&problem, match, mismatch);
    for (guint k = 0; k < CS_SCORER_SLOTS; k++)
        problem.queries[k] = letters_of((guint8)k, length);
    for (guint k = 0; k < problem.count; k++)
        problem.records[k] = letters_of((guint8)(k % 2), k < 2 ? other_length : 1);
    return check(&problem);
}

/* With a match that gains so much, n letters are about what a number of bits holds. */
static gint32
match_for(gint64 n, guint digits, gint64 highest)
{
    const gint64 weight = digits == 3 ? (n + 1) * (n + 1) : n + 1;
    return (gint32)(highest / n / weight);
}

/* Values at the edges of 32 bits, above and below. */
static void
test_edges(void)
{
    if (!has_gpu())
        return;
    for (gint64 n = 1; n < 200; n += n < 20 ? 1 : 37)
        for (gint32 more = -3; more <= 3; more++) {
            /* linear, two digits; then affine, two and three; matches gain all that fits */
            const gint64 top = G_MAXINT32;
            g_assert_cmpuint(check_edge(n, n, match_for(n, 2, top) + more, -1, 0, 0, TRUE).numbers,
                             ==, 0);
            for (gint columns = 0; columns < 2; columns++) {
                const gint32 match = match_for(n, columns ? 3 : 2, top) + more;
                if (match > 0)
                    g_assert_cmpuint(check_edge(n, n, match, -1, 2, 1, columns).numbers, ==, 0);
                /* values as low as can be: gaps cost so much that opening four is what fits */
                const gint64 weight = columns ? (n + 1) * (n + 1) : n + 1;
                const gint64 open = MAX(top / 4 / weight + more, 1);
                g_assert_cmpuint(check_edge(n, n + 1, 1, -G_MAXINT32 / 2, open, 0, columns).numbers,
                                 ==, 0);
            }
        }
}

/* Values about as far from a base that moves as 32 bits hold, and further. */
static void
test_moving_edges(void)
{
    if (!has_gpu())
        return;
    g_setenv("CHROMOSWEEP_SCORE_FORM", "16:8", TRUE);
    for (gint64 n = 100; n<400; n += CASE_DIVISOR> 1 ? 140 : 47)
        for (gint64 halves = 2; halves <= 8; halves += case_count_is_low() ? 3 : 1)
            for (gint32 more = -2; more <= 2; more += halves == 2 ? 1 : 4) {
                const gint64 top = halves * (G_MAXINT32 / NEAR_STEPS / (n + 1) / (n + 1)) / 2;
                /* all matches: values rise as fast as they can; all gaps: they fall */
                for (gint rises = 0; rises < 2; rises++) {
                    const gint32 match = (gint32)(rises ? top - 2 : top / 8) + more;
                    const gint64 open = rises ? 1 : top - match;
                    const gint64 others[] = {n, n + 90, 1};
                    for (guint k = 0; k < G_N_ELEMENTS(others); k++)
                        g_assert_cmpuint(
                            check_edge(n, others[k], match, -match, open, 0, TRUE).numbers, ==, 0);
                }
            }
    g_unsetenv("CHROMOSWEEP_SCORE_FORM");
}

/* The costs are so high that even 64 bits hold only short pairs. */
static void
test_wide_edges(void)
{
    const gint32 most = 1000000000;
    if (!has_gpu())
        return;
    /* Three digits: n (n + 1)^2 (10^9 + 2 * 10^9) is above 2^63 for n = 1454, and not for 1453. */
    g_assert_cmpuint(check_edge(1453, 1453, most, -most, most + 1, most, TRUE).numbers, ==, 0);
    /* of each query the two records that are long */
    g_assert_cmpuint(check_edge(1454, 1500, most, -most, most + 1, most, TRUE).numbers, ==, 4);
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
        problem_init(&problem, rand, BASES, 2, 5, 3);
        draw_scoring(&problem, rand, 4, TRUE, TRUE);
        for (guint l = k == 0 ? 0 : 3; l < problem.count; l++) {
            g_free((gpointer)problem.records[l].letters);
            problem.records[l] = random_sequence(rand, LONGEST + 1 + l, BASES);
        }
        g_assert_cmpuint(check(&problem).numbers, ==, CS_SCORER_SLOTS * (k == 0 ? 5 : 2));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/identity-gpu/forms", test_forms);
    g_test_add_func("/identity-gpu/random", test_random);
    g_test_add_func("/identity-gpu/passes", test_passes);
    g_test_add_func("/identity-gpu/edges", test_edges);
    g_test_add_func("/identity-gpu/moving-edges", test_moving_edges);
    g_test_add_func("/identity-gpu/wide-edges", test_wide_edges);
    g_test_add_func("/identity-gpu/long-records", test_long_records);
    return g_test_run();
}
