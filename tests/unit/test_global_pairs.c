/*
 * Score, matches and columns of global alignments on every kind of lanes, and their paths, against
 * tests/engine/global_oracle.h.
 */
#include <string.h>

#include "../case_count.h"
#include "../engine/global_oracle.h"
#include "identity/global_pairs.h"

enum {
    LETTERS = 27,
};

/* Those that the processor has; NULL: no lanes. */
static const char *const targets[] = {NULL, "avx512", "avx2", "sse4.1", "neon", "portable"};

typedef struct {
    CsPairScoring scoring;
    guint32 matching;
    guint8 *query;
    gint64 rows;
    CsLaneRecord *records;
    GlobalTruth *truths;
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

static GlobalProblem
problem_of(const Problem *problem, gint64 k)
{
    GlobalProblem other = {.pairs = problem->scoring.pairs,
                           .first = problem->scoring.first,
                           .more = problem->scoring.more,
                           .query = problem->query,
                           .record = problem->records[k].letters,
                           .rows = problem->rows,
                           .columns = problem->records[k].length};
    for (guint a = 0; a < GLOBAL_LETTERS; a++)
        other.counts[a] = (problem->matching >> a & 1) != 0;
    return other;
}

static CsGlobalTeam *team; /* with helping threads; NULL without */

static CsGlobalQuery
query_of(const Problem *problem, const CsGlobalKernels *kernels)
{
    return (CsGlobalQuery){.kernels = kernels,
                           .team = team,
                           .scoring = &problem->scoring,
                           .matching = problem->matching,
                           .query = problem->query,
                           .rows = problem->rows};
}

static void
check_with(const Problem *problem, const CsGlobalKernels *kernels)
{
    CsGlobalQuery query = query_of(problem, kernels);
    g_autofree CsGlobalFound *found = g_new(CsGlobalFound, problem->count);
    for (guint way = 0; way < 4; way++) {
        const guint only = way % 2;
        query.scores_only = only == 1;
        query.alone = way >= 2;
        memset(found, 0x5a, (gsize)problem->count * sizeof *found);
        g_assert_true(cs_global_pairs(&query, problem->records, problem->count, found));
        for (gint64 k = 0; k < problem->count; k++) {
            g_assert_cmpint(found[k].score, ==, problem->truths[k].score);
            g_assert_cmpint(found[k].matches, ==, only == 1 ? -1 : problem->truths[k].matches);
            g_assert_cmpint(found[k].columns, ==, only == 1 ? -1 : problem->truths[k].columns);
        }
    }
}

/* Whether the processor has the kernels of a target. */
static gboolean
find_kernels(const char *target, const CsGlobalKernels **kernels)
{
    *kernels = NULL;
    if (target == NULL)
        return TRUE;
    g_setenv("CHROMOSWEEP_SIMD", target, TRUE);
    *kernels = cs_global_kernels(NULL);
    g_unsetenv("CHROMOSWEEP_SIMD");
    return *kernels != NULL;
}

static void
check(const Problem *problem)
{
    const CsGlobalKernels *kernels;
    for (guint k = 0; k < G_N_ELEMENTS(targets); k++)
        if (find_kernels(targets[k], &kernels))
            check_with(problem, kernels);
}

static guint8 *
random_letters(GRand *rand, gint64 length, guint8 kinds)
{
    guint8 *letters = g_malloc(MAX(length, 1));
    for (gint64 k = 0; k < length; k++)
        letters[k] = (guint8)g_rand_int_range(rand, 0, kinds);
    return letters;
}

/* A copy with changes. */
static guint8 *
related_letters(GRand *rand, const guint8 *from, gint64 from_length, gint64 length, guint8 kinds)
{
    guint8 *letters = random_letters(rand, length, kinds);
    for (gint64 k = 0, at = g_rand_int_range(rand, 0, (gint32)MIN(from_length, 4));
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

/* Small numbers, for ties, and now and then some around the edges of lanes. Nucleotides have one score for
 * matches and one for all others. */
static void
random_scoring(GRand *rand, Problem *problem, gboolean nucleotides)
{
    static const gint32 edges[] = {1,   2,    40,    126,   127,       128,      129,         255,
                                   256, 2000, 32767, 32768, 300000000, 70000000, CS_PAIR_MOST};
    const gboolean large = g_rand_int_range(rand, 0, 4) == 0;
    CsPairScoring *s = &problem->scoring;
    const gint32 top =
        large ? pick(rand, edges, G_N_ELEMENTS(edges)) : g_rand_int_range(rand, 0, 9);
    const gint32 low =
        large ? pick(rand, edges, G_N_ELEMENTS(edges)) : g_rand_int_range(rand, 0, 9);
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = a == b && (a < 4 || !nucleotides) ? top
                             : nucleotides                     ? -low
                                           : g_rand_int_range(rand, -MIN(low, 9), MIN(top, 5) + 1);
    gint32 one = g_rand_int_range(rand, 0, 12), other = g_rand_int_range(rand, 0, 12);
    if (large && g_rand_boolean(rand))
        one = pick(rand, edges, G_N_ELEMENTS(edges));
    if (large && g_rand_boolean(rand))
        other = pick(rand, edges, G_N_ELEMENTS(edges));
    if (g_rand_boolean(rand))
        other = one;
    /* The first letter of a gap costs at least as much as a further one. */
    s->more = MIN(one, other);
    s->first = MAX(one, other);
    cs_pair_scoring_init(s, problem->scoring.letters);
    problem->matching = nucleotides ? cs_global_nucleotide_matching : (g_rand_int(rand) | 1);
}

/* Query and records of these lengths at most. */
static void
random_sequences(GRand *rand, Problem *problem, const gint32 *lengths, gsize count)
{
    static const gint32 counts[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129};
    const guint8 kinds = (guint8)problem->scoring.letters;
    problem->rows = pick(rand, lengths, count);
    problem->query = random_letters(rand, problem->rows, kinds);
    problem->count = pick(rand, counts, G_N_ELEMENTS(counts));
    problem->records = g_new0(CsLaneRecord, problem->count);
    problem->truths = g_new(GlobalTruth, problem->count);
    for (gint64 k = 0; k < problem->count; k++) {
        CsLaneRecord *record = &problem->records[k];
        record->length = pick(rand, lengths, count);
        record->letters =
            g_rand_int_range(rand, 0, 4) > 0
                ? related_letters(rand, problem->query, problem->rows, record->length, kinds)
                : random_letters(rand, record->length, kinds);
        const GlobalProblem other = problem_of(problem, k);
        problem->truths[k] = global_oracle(&other, NULL);
    }
}

static void
random_problem(GRand *rand, Problem *problem)
{
    static const gint32 lengths[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 24, 31};
    const gboolean nucleotides = g_rand_boolean(rand);
    problem->scoring.letters = (guint)g_rand_int_range(rand, 1, nucleotides ? 6 : LETTERS + 1);
    random_scoring(rand, problem, nucleotides);
    random_sequences(rand, problem, lengths, G_N_ELEMENTS(lengths));
}

static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(24);
    for (guint k = case_count(600); k > 0; k--) {
        g_auto(Problem) problem = {0};
        random_problem(rand, &problem);
        check(&problem);
    }
}

/*
 * The numbers are just low enough for the lanes, or just too high: highest gain, opening, or both, with 1, 2
 * or 3 digits.
 */
static void
edge_problem(GRand *rand, Problem *problem)
{
    const int bits = 8 << g_rand_int_range(rand, 0, 3), digits = g_rand_int_range(rand, 1, 4);
    const gint32 length = g_rand_int_range(rand, 1, 9);
    const gint32 lengths[] = {1, MAX(1, length - 1), length, length, length};
    gint64 unit = 1;
    for (int digit = 1; digit < digits; digit++)
        unit *= length + 1;
    const gint64 half = ((gint64)1 << (bits - 1)) / unit;
    const gint64 off = g_rand_int_range(rand, -3, 4);
    gint64 more = g_rand_int_range(rand, 0, 4), open = 0, match = 2 * half - 2 * more + off;
    if (g_rand_boolean(rand)) {
        open = g_rand_boolean(rand) ? half / 3 + off : g_rand_int_range(rand, 0, 9);
        match = g_rand_boolean(rand) ? half - open - 2 * more + off : g_rand_int_range(rand, 0, 9);
    }
    open = CLAMP(open, 0, CS_PAIR_MOST - more);
    match = CLAMP(match, 0, CS_PAIR_MOST);
    const gint32 mismatch = g_rand_boolean(rand) ? CS_PAIR_MOST : g_rand_int_range(rand, 0, 9);
    problem->scoring.letters = digits == 3 ? 7 : 5;
    problem->matching = digits == 3 ? 0x55 : cs_global_nucleotide_matching;
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            problem->scoring.pairs[a][b] =
                a == b && (digits == 3 || a < 4) ? (gint32)match : -mismatch;
    problem->scoring.first = more + open;
    problem->scoring.more = more;
    cs_pair_scoring_init(&problem->scoring, problem->scoring.letters);
    random_sequences(rand, problem, lengths, G_N_ELEMENTS(lengths));
}

static void
test_edges(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(27);
    for (guint k = case_count(3000); k > 0; k--) {
        g_auto(Problem) problem = {0};
        edge_problem(rand, &problem);
        check(&problem);
    }
}

/* The path is the one that the rule says, however little of it is kept at a time. */
static void
check_path(const Problem *problem, gint64 k, gint64 path_cells, gboolean known)
{
    const GlobalProblem other = problem_of(problem, k);
    g_autoptr(GString) steps = g_string_new(NULL), cigar = g_string_new(NULL),
                       plain = g_string_new(NULL);
    const GlobalTruth truth = global_oracle(&other, steps);
    CsGlobalQuery query = query_of(problem, NULL);
    query.path_cells = path_cells;
    const CsGlobalFound found = {truth.score, truth.matches, truth.columns};
    g_assert_true(cs_global_path(&query, &problem->records[k], known ? &found : NULL, cigar));
    const GlobalTruth worth = global_oracle_worth(&other, cigar->str);
    g_assert_cmpint(worth.score, ==, truth.score);
    g_assert_cmpint(worth.matches, ==, truth.matches);
    g_assert_cmpint(worth.columns, ==, truth.columns);
    for (const char *at = cigar->str; *at != '\0';) {
        char *kind;
        for (gint64 run = g_ascii_strtoll(at, &kind, 10); run > 0; run--)
            g_string_append_c(plain, *kind);
        at = kind + 1;
    }
    g_assert_cmpstr(plain->str, ==, steps->str);
}

static void
test_paths(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(25);
    for (guint k = case_count(600); k > 0; k--) {
        g_auto(Problem) problem = {0};
        random_problem(rand, &problem);
        for (gint64 n = 0; n < MIN(problem.count, 4); n++)
            for (int known = 0; known < 2; known++)
                check_path(&problem, n, n == 0 ? 0 : g_rand_int_range(rand, 1, 200), known != 0);
    }
}

/* With and without lanes, and with the numbers known, it is always the same path of the best alignments. */
static void
check_long_path(const Problem *problem, gint64 path_cells)
{
    const GlobalProblem other = problem_of(problem, 0);
    const GlobalTruth *truth = &problem->truths[0];
    const CsGlobalFound found = {truth->score, truth->matches, truth->columns};
    const CsGlobalKernels *kernels;
    g_autoptr(GString) first = g_string_new(NULL);
    for (guint k = 0; k < 2 * G_N_ELEMENTS(targets); k++) {
        g_autoptr(GString) cigar = g_string_new(NULL);
        if (!find_kernels(targets[k / 2], &kernels))
            continue;
        CsGlobalQuery query = query_of(problem, kernels);
        query.alone = TRUE;
        query.path_cells = path_cells;
        g_assert_true(
            cs_global_path(&query, &problem->records[0], k % 2 == 0 ? NULL : &found, cigar));
        if (k == 0)
            g_string_assign(first, cigar->str);
        g_assert_cmpstr(cigar->str, ==, first->str);
    }
    const GlobalTruth worth = global_oracle_worth(&other, first->str);
    g_assert_cmpint(worth.score, ==, truth->score);
    g_assert_cmpint(worth.matches, ==, truth->matches);
    g_assert_cmpint(worth.columns, ==, truth->columns);
}

/* Query and records of these lengths, with any scoring. */
static void
check_long(GRand *rand, Problem *problem, gint64 rows, gint64 columns, gint64 count, guint8 kinds)
{
    problem->rows = rows;
    problem->query = random_letters(rand, rows, kinds);
    problem->count = count;
    problem->records = g_new0(CsLaneRecord, count);
    problem->truths = g_new(GlobalTruth, count);
    for (gint64 k = 0; k < count; k++) {
        CsLaneRecord *record = &problem->records[k];
        record->length = columns - k;
        record->letters =
            related_letters(rand, problem->query, problem->rows, record->length, kinds);
        const GlobalProblem other = problem_of(problem, k);
        problem->truths[k] = global_oracle_long(&other);
    }
    check(problem);
    check_long_path(problem, rows * columns / g_rand_int_range(rand, 3, 20) + 1);
}

static void
plain_scoring(Problem *problem, gint32 match, gint32 mismatch, gint64 first, gint64 more)
{
    CsPairScoring *s = &problem->scoring;
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = a == b && a < 4 ? match : -mismatch;
    s->first = first;
    s->more = more;
    cs_pair_scoring_init(s, 5);
    problem->matching = cs_global_nucleotide_matching;
}

/* Pairs of their own scores, whose gaps stay. */
static void
matrix_scoring(GRand *rand, Problem *problem)
{
    CsPairScoring *s = &problem->scoring;
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = a == b ? g_rand_int_range(rand, 1, 12) : g_rand_int_range(rand, -6, 4);
    cs_pair_scoring_init(s, LETTERS);
    problem->matching = cs_global_protein_matching;
}

/* Records that have all lanes for themselves: around the edges of strips, and of lanes of 32 bits. */
static void
test_alone(void)
{
    static const gint32 lengths[] = {1,  2,  3,  7,  8,  9,  15, 16,  17,  31,  32,  33, 47,
                                     48, 49, 63, 64, 65, 79, 96, 127, 128, 129, 190, 193};
    g_autoptr(GRand) rand = g_rand_new_with_seed(30);
    for (guint k = case_count(400); k > 0; k--) {
        g_auto(Problem) problem = {0};
        const gint64 rows = pick(rand, lengths, G_N_ELEMENTS(lengths));
        const gint64 columns = pick(rand, lengths, G_N_ELEMENTS(lengths));
        const gint64 unit = (MIN(rows, columns) + 1) * (MIN(rows, columns) + 1);
        const gint32 edge = (gint32)CLAMP(((gint64)1 << 31) / unit + g_rand_int_range(rand, -2, 3),
                                          0, CS_PAIR_MOST);
        const gint32 kind = g_rand_int_range(rand, 0, 5), more = g_rand_int_range(rand, 0, 4);
        const gint64 open = kind == 0   ? 0
                            : kind <= 2 ? MIN(edge / 3, CS_PAIR_MOST - more)
                                        : g_rand_int_range(rand, 0, 9);
        const gint32 match = kind >= 3 && g_rand_boolean(rand)
                                 ? MAX(0, edge - (gint32)open - 2 * more)
                             : kind == 1 ? MAX(0, edge / 2 - 2 * more)
                                         : g_rand_int_range(rand, 0, 9);
        const gboolean matrix = g_rand_boolean(rand);
        plain_scoring(&problem, match, g_rand_boolean(rand) ? CS_PAIR_MOST : 2, more + open, more);
        if (matrix)
            matrix_scoring(rand, &problem);
        check_long(rand, &problem, rows, columns, MIN(columns, 2), matrix ? LETTERS : 5);
    }
}

static void
help(gpointer stop)
{
    while (!g_atomic_int_get((gint *)stop))
        cs_global_team_help(team, 1000);
}

/* Threads that help compute long pairs, whose strips follow each other in pieces; paths with few diagonals. */
static void
test_team(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(41);
    gint stop = 0;
    CsThread *threads[3];
    team = cs_global_team_new();
    for (guint k = 0; k < G_N_ELEMENTS(threads); k++)
        threads[k] = cs_thread_new("help", help, &stop, NULL);
    for (guint k = case_count(12); k > 0; k--) {
        g_auto(Problem) problem = {0};
        const gint64 rows = g_rand_int_range(rand, 200, 900);
        const gint64 columns = g_rand_int_range(rand, 2100, 5000);
        const gint64 more = g_rand_int_range(rand, 0, 4);
        const gboolean matrix = g_rand_boolean(rand), turned = g_rand_boolean(rand);
        const gboolean square = g_rand_boolean(rand);
        plain_scoring(&problem, g_rand_int_range(rand, 1, 6), g_rand_int_range(rand, 0, 6),
                      more + (g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 0, 9)), more);
        if (matrix)
            matrix_scoring(rand, &problem);
        check_long(rand, &problem, turned ? columns : rows,
                   square && turned ? columns - 20
                   : turned         ? rows
                                    : columns,
                   1, matrix ? LETTERS : 5);
    }
    g_atomic_int_set(&stop, 1);
    for (guint k = 0; k < G_N_ELEMENTS(threads); k++)
        if (threads[k] != NULL)
            cs_thread_join(threads[k]);
    g_clear_pointer(&team, cs_global_team_free);
}

/* Scores, matches and pairs that numbers of 64 bits do not hold together. */
static void
test_wide(void)
{
    if (case_skip_one_thread())
        return;
    static const struct {
        gint32 match, mismatch;
        gint64 first, more;
    } scorings[] = {{CS_PAIR_MOST, CS_PAIR_MOST, CS_PAIR_MOST, CS_PAIR_MOST},
                    {CS_PAIR_MOST, 3, 5, 2}};
    g_autoptr(GRand) rand = g_rand_new_with_seed(26);
    for (guint k = 0; k < G_N_ELEMENTS(scorings); k++) {
        g_auto(Problem) problem = {0};
        plain_scoring(&problem, scorings[k].match, scorings[k].mismatch, scorings[k].first,
                      scorings[k].more);
        check_long(rand, &problem, 2600, 2500, 1, 5);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/global-pairs/random", test_random);
    g_test_add_func("/global-pairs/edges", test_edges);
    g_test_add_func("/global-pairs/paths", test_paths);
    g_test_add_func("/global-pairs/alone", test_alone);
    g_test_add_func("/global-pairs/team", test_team);
    g_test_add_func("/global-pairs/wide", test_wide);
    return g_test_run();
}
