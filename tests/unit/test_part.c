/*
 * Parts of tiles (identity/part.h): rows that are stopped at any save, and go on with other kernels and threads, find
 * what a whole run finds, and take from the part all that it has. What does not agree with it is computed.
 */
#include <string.h>

#include "../case_count.h"
#include "identity/part.h"
#include "system/parallel.h"

enum {
    LETTERS = 27,
    RECORDS = 5,
    TILE = 7,
};

static const char *const targets[] = {"avx512", "avx2", "sse4.1", "neon", "portable"};

typedef struct {
    CsPairScoring scoring;
    guint8 *query, *letters; /* the records', one after the other */
    gint64 rows, count;
    CsLaneRecord records[RECORDS];
} Problem;

static void
problem_clear(Problem *problem)
{
    g_free(problem->query);
    g_free(problem->letters);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Problem, problem_clear)

static void
make_problem(GRand *rand, Problem *problem)
{
    const gboolean matrix = g_rand_boolean(rand);
    CsPairScoring *s = &problem->scoring;
    gint64 letters = 0;
    *problem = (Problem){.rows = g_rand_int_range(rand, 60, 700),
                         .count = g_rand_int_range(rand, 1, RECORDS + 1)};
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] = !matrix  ? (a == b ? 2 : -3)
                             : a == b ? g_rand_int_range(rand, 1, 12)
                                      : g_rand_int_range(rand, -6, 4);
    s->more = g_rand_int_range(rand, 0, 4);
    s->first = s->more + (g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 1, 9));
    cs_pair_scoring_init(s, LETTERS);
    for (gint64 k = 0; k < problem->count; k++)
        letters += problem->records[k].length = g_rand_int_range(rand, 1, 900);
    problem->query = g_malloc((gsize)problem->rows);
    problem->letters = g_malloc((gsize)letters);
    for (gint64 k = 0; k < problem->rows; k++)
        problem->query[k] = (guint8)g_rand_int_range(rand, 0, 4);
    for (gint64 k = 0; k < letters; k++) /* they resemble the query */
        problem->letters[k] = g_rand_int_range(rand, 0, 5) == 0
                                  ? (guint8)g_rand_int_range(rand, 0, 4)
                                  : problem->query[k % problem->rows];
    for (gint64 k = 0, at = 0; k < problem->count; at += problem->records[k++].length)
        problem->records[k].letters = problem->letters + at;
}

/* What is kept, and when the run is stopped. */
typedef struct {
    CsPartKeeper keeper;
    guint8 *bytes;
    gsize size;
    gint64 done, resumed;
    gint saves; /* until a stop; negative: none */
    gint stop;
} Kept;

static guint8 *
load(gint64 tile, gsize *size, gpointer data)
{
    const Kept *kept = data;
    g_assert_cmpint(tile, ==, TILE);
    *size = kept->size;
    return g_memdup2(kept->bytes, kept->size);
}

static void
save(gint64 tile, gint64 done, guint8 *bytes, gsize size, gpointer data)
{
    Kept *kept = data;
    g_assert_cmpint(tile, ==, TILE);
    g_free(kept->bytes);
    kept->bytes = bytes;
    kept->size = size;
    kept->done = done;
    if (kept->saves >= 0 && kept->saves-- == 0)
        g_atomic_int_set(&kept->stop, 1);
}

static void
kept_init(Kept *kept, gint64 cells)
{
    *kept = (Kept){.saves = -1};
    kept->keeper = (CsPartKeeper){
        .cells = cells, .resumed = &kept->resumed, .load = load, .save = save, .data = kept};
}

static void
kept_clear(Kept *kept)
{
    g_free(kept->bytes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kept, kept_clear)

static const CsGlobalKernels *
any_kernels(GRand *rand)
{
    const CsGlobalKernels *kernels;
    do {
        g_setenv("CHROMOSWEEP_SIMD", targets[g_rand_int_range(rand, 0, G_N_ELEMENTS(targets))],
                 TRUE);
        kernels = cs_global_kernels(NULL);
    } while (kernels == NULL);
    g_unsetenv("CHROMOSWEEP_SIMD");
    return kernels;
}

static CsGlobalTeam *team;

static CsGlobalQuery
query_of(GRand *rand, const Problem *problem)
{
    return (CsGlobalQuery){.kernels = any_kernels(rand),
                           .scoring = &problem->scoring,
                           .matching = cs_global_protein_matching,
                           .query = problem->query,
                           .rows = problem->rows,
                           .team = team,
                           .alone = TRUE};
}

/* One run of a row; whether it came to its end. cigars: nullable; the paths, with commas behind them. */
static gboolean
run(Kept *kept, CsGlobalQuery query, const Problem *problem, CsGlobalFound *found, GString *cigars)
{
    gint64 under_way = 0;
    kept->resumed = kept->stop = 0;
    query.stop = &kept->stop;
    query.under_way = &under_way;
    CsPart *part = cs_part_new(&kept->keeper, TILE);
    g_assert_true(
        cs_part_pairs(part, 3, problem->letters, &query, problem->records, problem->count, found));
    for (gint64 k = 0; cigars != NULL && k < problem->count && !kept->stop; k++) {
        g_assert_true(cs_part_path(part, 3, problem->letters, &query, &problem->records[k],
                                   &found[k], cigars));
        g_string_append_c(cigars, ',');
    }
    if (kept->stop)
        cs_part_save(part);
    cs_part_free(part);
    if (!kept->stop)
        g_assert_cmpint(under_way, ==, 0);
    return !kept->stop;
}

static void
assert_same(const Problem *problem, const CsGlobalFound *found, const CsGlobalFound *wanted)
{
    for (gint64 k = 0; k < problem->count; k++) {
        g_assert_cmpint(found[k].score, ==, wanted[k].score);
        g_assert_cmpint(found[k].matches, ==, wanted[k].matches);
        g_assert_cmpint(found[k].columns, ==, wanted[k].columns);
    }
}

static void
stop_and_go_on(GRand *rand, gboolean scores_only)
{
    g_auto(Problem) problem;
    g_auto(Kept) kept;
    CsGlobalFound found[RECORDS], wanted[RECORDS];
    make_problem(rand, &problem);
    CsGlobalQuery query = query_of(rand, &problem);
    query.scores_only = scores_only;
    g_assert_true(cs_global_pairs(&query, problem.records, problem.count, wanted));
    kept_init(&kept, g_rand_boolean(rand) ? 1 : problem.rows * g_rand_int_range(rand, 1, 1500));
    for (gboolean complete = FALSE; !complete;) {
        const gint64 before = kept.done;
        kept.saves = g_rand_int_range(rand, 0, 4);
        query.kernels = any_kernels(rand);
        complete = run(&kept, query, &problem, found, NULL);
        if (!scores_only)
            g_assert_cmpint(kept.resumed, ==, before); /* all that was kept is used */
        if (!complete && !scores_only)
            g_assert_cmpint(kept.done, >, before);
    }
    assert_same(&problem, found, wanted);
}

/* The same, with paths. */
static void
stop_and_go_on_paths(GRand *rand)
{
    g_auto(Problem) problem;
    g_auto(Kept) kept;
    CsGlobalFound found[RECORDS];
    g_autoptr(GString) cigars = g_string_new(NULL);
    g_autoptr(GString) wanted = g_string_new(NULL);
    make_problem(rand, &problem);
    CsGlobalQuery query = query_of(rand, &problem);
    query.path_cells = g_rand_int_range(rand, 1, 8000);
    g_assert_true(cs_global_pairs(&query, problem.records, problem.count, found));
    for (gint64 k = 0; k < problem.count; k++) {
        g_assert_true(cs_global_path(&query, &problem.records[k], &found[k], wanted));
        g_string_append_c(wanted, ',');
    }
    kept_init(&kept, g_rand_boolean(rand) ? 1 : problem.rows * g_rand_int_range(rand, 1, 1500));
    for (gboolean complete = FALSE; !complete;) {
        const gint64 before = kept.done;
        kept.saves = g_rand_int_range(rand, 0, 20); /* one lets it go on */
        query.kernels = any_kernels(rand);
        g_string_truncate(cigars, 0);
        complete = run(&kept, query, &problem, found, cigars);
        g_assert_cmpint(kept.resumed, ==, before);
    }
    g_assert_cmpstr(cigars->str, ==, wanted->str);
}

static void
test_paths(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(54);
    for (guint k = case_count(200); k > 0; k--)
        stop_and_go_on_paths(rand);
}

static void
test_stops(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(51);
    for (guint k = case_count(200); k > 0; k--)
        stop_and_go_on(rand, k % 4 == 0);
}

static void
help(gpointer stop)
{
    while (!g_atomic_int_get((gint *)stop))
        cs_global_team_help(team, 1000);
}

static void
test_team(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(52);
    gint stop = 0;
    CsThread *threads[2];
    team = cs_global_team_new();
    for (guint k = 0; k < G_N_ELEMENTS(threads); k++)
        threads[k] = cs_thread_new("help", help, &stop, NULL);
    for (guint k = case_count(40); k > 0; k--) {
        stop_and_go_on(rand, FALSE);
        stop_and_go_on_paths(rand);
    }
    g_atomic_int_set(&stop, 1);
    for (guint k = 0; k < G_N_ELEMENTS(threads); k++)
        if (threads[k] != NULL)
            cs_thread_join(threads[k]);
    g_clear_pointer(&team, cs_global_team_free);
}

/* A part that ends early, or is of another tile, pair or sweep, or whose numbers cannot be, is of no use. */
static void
test_other(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(53);
    for (guint k = case_count(200); k > 0; k--) {
        g_auto(Problem) problem;
        g_auto(Kept) kept;
        CsGlobalFound found[RECORDS], wanted[RECORDS];
        make_problem(rand, &problem);
        CsGlobalQuery query = query_of(rand, &problem);
        g_assert_true(cs_global_pairs(&query, problem.records, problem.count, wanted));
        kept_init(&kept, 1);
        kept.saves = g_rand_int_range(rand, 0, 20);
        if (run(&kept, query, &problem, found, NULL))
            continue;
        gint64 *numbers = (gint64 *)(void *)kept.bytes;
        static const guint places[] = {0, 2, 4, 5,
                                       6, 7, 8, 9}; /* the checksum of a file tells of others */
        const gint32 what = g_rand_int_range(rand, 0, 1 + G_N_ELEMENTS(places));
        if (what == G_N_ELEMENTS(places))
            kept.size -= (gsize)g_rand_int_range(rand, 1, 65);
        else
            numbers[places[what]] += g_rand_boolean(rand) ? 64 : -64;
        kept.saves = -1;
        g_assert_true(run(&kept, query, &problem, found, NULL));
        assert_same(&problem, found, wanted);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/part/stops", test_stops);
    g_test_add_func("/part/paths", test_paths);
    g_test_add_func("/part/team", test_team);
    g_test_add_func("/part/other", test_other);
    return g_test_run();
}
