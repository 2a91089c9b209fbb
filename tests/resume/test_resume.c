/*
 * Interrupted comparisons give the oracle's answer. Runs die or stop at any diagonal, and the next
 * run resumes with another engine, grid, width and number of threads.
 *
 *     test_resume [SEED]      SEED of the first random case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../case_count.h"
#include "../engine/strand_oracle.h"
#include "test_run.h"

enum {
    RANDOM_CASES = 300,
    MOST_RUNS = 14,
    CHAIN = 100,
};

typedef struct {
    char *a, *b;
    CsSequence *target, *query;
    CsScoring scoring;
    CsStrand strand; /* the strand to compare; with both, the better one is found */
    gint64 score, target_end, query_end;
    CsStrand better;
} Pair;

static guint32 first_seed = 1;
static const char *engines[8]; /* those that work here */
static guint n_engines;
static gboolean gpu;

static void
pair_free(Pair *pair)
{
    cs_sequence_unref(pair->target);
    cs_sequence_unref(pair->query);
    g_free(pair->a);
    g_free(pair->b);
    g_free(pair);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pair, pair_free)

/* Few bases and repeats, so that many cells have the same score. */
static char *
random_bases(GRand *rand, gint length, gint alphabet)
{
    char *bases = g_malloc(length + 1);
    gint period = g_rand_int_range(rand, 0, 3) == 0 ? g_rand_int_range(rand, 1, 40) : length;
    for (gint k = 0; k < length; k++)
        bases[k] = k >= period ? bases[k - period] : "ACGTN"[g_rand_int_range(rand, 0, alphabet)];
    bases[length] = '\0';
    return bases;
}

/* A changed piece of a. */
static char *
mutate(GRand *rand, const char *a, gint alphabet)
{
    GString *b = g_string_new(NULL);
    gint m = (gint)strlen(a), from = m > 0 ? g_rand_int_range(rand, 0, (m + 1) / 2 + 1) : 0;
    double rate = g_rand_double_range(rand, 0, 0.2);
    for (gint k = from; k < m; k++) {
        double dice = g_rand_double(rand);
        if (dice < rate)
            g_string_append_c(b, "ACGTN"[g_rand_int_range(rand, 0, alphabet)]);
        else if (dice < rate * 1.15)
            k += g_rand_int_range(rand, 0, 30);
        else if (dice < rate * 1.3)
            for (gint count = g_rand_int_range(rand, 1, 30); count > 0; count--)
                g_string_append_c(b, "ACGTN"[g_rand_int_range(rand, 0, alphabet)]);
        else
            g_string_append_c(b, a[k]);
    }
    return g_string_free(b, FALSE);
}

/* Takes the answer on one strand if it is better than the present one. */
static void
pair_solve_strand(Pair *pair, CsStrand strand)
{
    const CsStrandResult found = strand_oracle_solve(pair->a, pair->b, &pair->scoring, strand);
    if (strand == pair->strand || strand == CS_STRAND_PLUS || found.score > pair->score) {
        pair->score = found.score;
        pair->target_end = found.target_end;
        pair->query_end = found.query_end;
        pair->better = strand;
    }
}

static void
pair_solve(Pair *pair)
{
    if (pair->strand != CS_STRAND_MINUS)
        pair_solve_strand(pair, CS_STRAND_PLUS);
    if (pair->strand != CS_STRAND_PLUS)
        pair_solve_strand(pair, CS_STRAND_MINUS);
    pair->target = cs_sequence_new("target", pair->a, -1, NULL);
    pair->query = cs_sequence_new("query", pair->b, -1, NULL);
}

static gint
random_length(GRand *rand)
{
    switch (g_rand_int_range(rand, 0, 8)) {
    case 0: return g_rand_int_range(rand, 0, 4);
    case 1: return g_rand_int_range(rand, 1, 40);
    default: return g_rand_int_range(rand, 40, 500);
    }
}

static gint64
pair_cells(const Pair *pair)
{
    return (gint64)(strlen(pair->a) * strlen(pair->b)) * (pair->strand == CS_STRAND_BOTH ? 2 : 1);
}

static Pair *
pair_new_on(GRand *rand, CsStrand strand, gint m, gint n)
{
    static const CsScoring scorings[] = {
        CS_SCORING_DEFAULT, {1, 1, 0, 1}, {2, 3, 5, 2}, {1, 0, 0, 0}, {5, 4, 0, 4}, {1, 9, 9, 0},
    };
    Pair *pair = g_new0(Pair, 1);
    gint alphabet = g_rand_int_range(rand, 1, 6);
    pair->scoring = scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))];
    pair->a = random_bases(rand, m, alphabet);
    pair->b = n < 0 ? mutate(rand, pair->a, alphabet) : random_bases(rand, n, alphabet);
    if (g_rand_boolean(rand)) {
        char *a = pair->a;
        pair->a = pair->b;
        pair->b = a;
    }
    /* Similar stretches are as often on minus. */
    if (strand != CS_STRAND_PLUS && g_rand_boolean(rand)) {
        g_autofree char *b = pair->b;
        pair->b = reverse_complement(b);
    }
    pair->strand = strand;
    pair_solve(pair);
    return pair;
}

static Pair *
pair_new(GRand *rand, gint m, gint n)
{
    return pair_new_on(rand, CS_STRAND_PLUS, m, n);
}

static Pair *
pair_random(GRand *rand)
{
    static const CsStrand strands[] = {CS_STRAND_PLUS, CS_STRAND_PLUS, CS_STRAND_MINUS,
                                       CS_STRAND_BOTH, CS_STRAND_BOTH};
    gint m = random_length(rand), n = g_rand_boolean(rand) ? -1 : random_length(rand);
    return pair_new_on(rand, strands[g_rand_int_range(rand, 0, G_N_ELEMENTS(strands))], m, n);
}

/* A folder in memory if possible, so that thousands of runs do not wait for a disk. */
static char *
make_directory(void)
{
    const char *place = g_get_tmp_dir();
    if (g_getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        place = "/dev/shm";
    char *directory = g_build_filename(place, "chromosweep-resume-XXXXXX", NULL);
    g_assert_nonnull(g_mkdtemp(directory));
    return directory;
}

/* Removes the checkpoint with the library, after which nothing may be left. */
static void
remove_directory(char *directory)
{
    g_autoptr(GError) error = NULL;
    cs_checkpoint_remove(directory, &error);
    g_assert_no_error(error);
    g_assert_false(g_file_test(directory, G_FILE_TEST_EXISTS));
    g_free(directory);
}

/* Cells of the newest generation; 0 if there is none yet. */
static gint64
cells_saved(const char *directory)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, &error);
    if (info == NULL) {
        g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
        return 0;
    }
    g_assert_cmpuint(info->n_generations, >=, 1);
    g_assert_cmpstr(info->generations[0].fault, ==, NULL);
    return info->generations[0].cells_done;
}

static void
expect(const Pair *pair, const RunOutcome *outcome, gint64 resumed)
{
    g_assert_cmpstr(outcome->message, ==, "");
    g_assert_true(outcome->success);
    g_assert_cmpint(outcome->score, ==, pair->score);
    g_assert_cmpint(outcome->target_end, ==, pair->target_end);
    g_assert_cmpint(outcome->query_end, ==, pair->query_end);
    g_assert_cmpint(outcome->strand, ==, pair->better);
    g_assert_cmpint(outcome->cells, ==, pair_cells(pair));
    g_assert_cmpint(outcome->cells_resumed, ==, resumed);
    /* A run killed before the first manifest leaves a state that no manifest names. Random bases
     * may seem to share more with the other strand. */
    if (strstr(outcome->warning, "manifest.json is missing") == NULL &&
        strstr(outcome->warning, "which is the one compared") == NULL)
        g_assert_cmpstr(outcome->warning, ==, "");
}

/* A finished checkpoint gives the result at once. */
static void
expect_again(const Pair *pair, const char *directory)
{
    RunPlan plan = {
        .scoring = pair->scoring, .strand = pair->strand, .engine = engines[0], .threads = 1};
    RunOutcome outcome;
    run_in_child(&plan, pair->target, pair->query, directory, &outcome);
    expect(pair, &outcome, pair_cells(pair));
    g_assert_cmpuint(outcome.diagonals, ==, 0);
}

/* A random engine, perhaps a ring of it, threads, a grid and a width that the engine has. */
static RunPlan
plan_random(GRand *rand, const Pair *pair)
{
    static const guint cpu_bits[] = {0, 32, 64}, gpu_bits[] = {0, 32, 32};
    static const char *const rings[] = {NULL, NULL, "cpu,cpu", "cpu,cpu,cpu", "cpu,cpu,cpu,cpu"};
    static const char *const gpu_rings[] = {NULL, "gpu:all", "gpu:0,gpu:0", "cpu,gpu:0,gpu:0"};
    RunPlan plan = {
        .scoring = pair->scoring,
        .strand = pair->strand,
        .engine = engines[g_rand_int_range(rand, 0, n_engines)],
        .threads = g_rand_int_range(rand, 1, 5),
    };
    guint width = g_rand_int_range(rand, 0, 3);
    const gboolean on_gpu = strcmp(plan.engine, "cuda") == 0;
    plan.bits = on_gpu ? gpu_bits[width] : cpu_bits[width];
    plan.device = on_gpu ? gpu_rings[g_rand_int_range(rand, 0, G_N_ELEMENTS(gpu_rings))]
                         : rings[g_rand_int_range(rand, 0, G_N_ELEMENTS(rings))];
    if (g_rand_int_range(rand, 0, 6) > 0)
        plan.blocks = g_rand_int_range(rand, 1, 12);
    if (g_rand_int_range(rand, 0, 6) > 0) {
        plan.block_threads = g_rand_int_range(rand, 1, 9);
        plan.alpha = g_rand_int_range(rand, 1, 6);
    }
    plan.save_every = g_rand_int_range(rand, 0, 4);
    plan.wait = g_rand_boolean(rand);
    return plan;
}

/* A ring has its own engines. */
static void
plan_change_engine(RunPlan *plan, const char *engine)
{
    if (strcmp(engine, plan->engine) != 0)
        plan->device = NULL;
    plan->engine = engine;
}

static char *
describe(const Pair *pair, const RunPlan *plan)
{
    return g_strdup_printf(
        "%zu x %zu, strand %d, %s on %s, %u threads, %u bits, grid %u,%u,%u, save %u, wait %d, "
        "end %d after %u",
        strlen(pair->a), strlen(pair->b), plan->strand, plan->engine,
        plan->device != NULL ? plan->device : "one device", plan->threads, plan->bits, plan->blocks,
        plan->block_threads, plan->alpha, plan->save_every, plan->wait, plan->end, plan->end_after);
}

/* Dies after k diagonals, for every k; each time another engine resumes. */
static void
kill_every_diagonal(const char *engine, CsStrand strand)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    guint deaths = 0, resumed = 0;
    const gboolean on_gpu = strcmp(engine, "cuda") == 0; /* its blocks are larger */
    g_autoptr(Pair) pair = pair_new_on(rand, strand, on_gpu ? 1700 : 230, -1);
    RunOutcome outcome = {.killed = TRUE};
    /* With a share of the cases, a share of the diagonals: all numbers of threads, with and without waiting. */
    const guint step = case_count_is_low() ? 7 : case_count(100) < 100 ? 5 : 1;
    for (guint k = 1; outcome.killed; k += step) {
        char *directory = make_directory();
        RunPlan plan = {
            .scoring = pair->scoring,
            .strand = strand,
            .engine = engine,
            .device = k % 5 > 0 ? NULL
                      : on_gpu  ? "gpu:0,gpu:0"
                                : "cpu,cpu",
            .threads = 1 + k % 3,
            .blocks = 5,
            .block_threads = 1,
            .alpha = 2,
            .save_every = 1,
            .wait = k % 4 != 0,
            .end = RUN_KILL,
            .end_after = k,
        };
        run_in_child(&plan, pair->target, pair->query, directory, &outcome);
        gint64 saved = cells_saved(directory);
        if (outcome.killed) {
            RunOutcome after;
            RunPlan next = plan_random(rand, pair);
            run_in_child(&next, pair->target, pair->query, directory, &after);
            g_autofree char *text = describe(pair, &next);
            g_test_message("killed after %u: %s", k, text);
            expect(pair, &after, saved);
            deaths++;
            resumed += saved > 0;
        } else {
            expect(pair, &outcome, 0);
        }
        expect_again(pair, directory);
        remove_directory(directory);
    }
    g_test_message("%u deaths, %u resumed", deaths, resumed);
    /* An engine may round the grid up. */
    g_assert_cmpuint(deaths * step, >=, on_gpu ? 4 : 100);
    g_assert_cmpuint(resumed, >, 0);
}

static void
test_kill_every_diagonal(gconstpointer engine)
{
    kill_every_diagonal(engine, CS_STRAND_PLUS);
}

/* A hundred runs are stopped after one diagonal each. Every one gets further. */
static void
test_chain(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + 1);
    for (guint round = 0; round < 3; round++) {
        g_autoptr(Pair) pair = pair_new_on(rand, (CsStrand)round, 900, round == 0 ? -1 : 300);
        char *directory = make_directory();
        gint64 saved = 0;
        guint stops = 0;
        RunOutcome outcome;
        while (TRUE) {
            RunPlan plan = plan_random(rand, pair);
            if (round == 0)
                plan_change_engine(&plan, engines[stops % n_engines]);
            plan.bits = 0;
            plan.blocks = 6;
            plan.block_threads = 1;
            plan.alpha = 2;
            plan.save_every = 0;
            plan.end = stops < CHAIN ? RUN_STOP : RUN_GO_ON;
            plan.end_after = 1;
            run_in_child(&plan, pair->target, pair->query, directory, &outcome);
            if (outcome.success)
                break;
            g_assert_cmpint(outcome.code, ==, CS_ERROR_STOPPED);
            g_assert_cmpuint(outcome.warnings, ==, 0);
            gint64 now = cells_saved(directory);
            g_assert_cmpint(now, >, saved);
            saved = now;
            stops++;
        }
        g_test_message("%u stops", stops);
        expect(pair, &outcome, saved);
        /* An engine may round such a grid up, but not this far. */
        g_assert_cmpuint(stops, >=, gpu ? 3 : CHAIN);
        remove_directory(directory);
    }
}

/* A comparison that moves from machine to machine. */
static void
test_hops(void)
{
    static const char *const way[] = {"scalar", "simd", "cuda", "simd", "cuda", "scalar"};
    if (!gpu)
        g_test_message("no GPU: hops between the CPU's engines only");
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + 2);
    for (guint round = 0; round < 12; round++) {
        g_autoptr(Pair) pair =
            pair_new_on(rand, (CsStrand)(round % 3), 700, round % 2 == 0 ? -1 : 600);
        char *directory = make_directory();
        gint64 saved = 0;
        RunOutcome outcome;
        for (guint k = 0; k < G_N_ELEMENTS(way); k++) {
            if (strcmp(way[k], "cuda") == 0 && !gpu)
                continue;
            RunPlan plan = plan_random(rand, pair);
            plan_change_engine(&plan, way[k]);
            plan.bits = 0;
            plan.end = k + 1 < G_N_ELEMENTS(way) ? RUN_STOP : RUN_GO_ON;
            plan.end_after = g_rand_int_range(rand, 1, 20);
            run_in_child(&plan, pair->target, pair->query, directory, &outcome);
            if (outcome.success)
                break;
            g_assert_cmpint(outcome.code, ==, CS_ERROR_STOPPED);
            saved = cells_saved(directory);
        }
        expect(pair, &outcome, saved);
        remove_directory(directory);
    }
}

/* Random ends at random diagonals, resumed in random ways. */
static void
test_random(void)
{
    const guint cases = case_count(RANDOM_CASES);
    guint runs = 0, interrupted = 0, resumed = 0;
    for (guint k = 0; k < cases; k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        g_autoptr(Pair) pair = pair_random(rand);
        char *directory = make_directory();
        RunOutcome outcome;
        gint64 saved = 0;
        for (guint turn = 0; turn == 0 || !outcome.success; turn++) {
            RunPlan plan = plan_random(rand, pair);
            if (turn < MOST_RUNS)
                plan.end =
                    g_rand_int_range(rand, 0, 5) == 0 ? RUN_GO_ON : g_rand_int_range(rand, 1, 3);
            plan.end_after = g_rand_int_range(rand, 1, g_rand_boolean(rand) ? 4 : 25);
            g_autofree char *text = describe(pair, &plan);
            g_test_message("seed %u: %s", first_seed + k, text);
            run_in_child(&plan, pair->target, pair->query, directory, &outcome);
            runs++;
            resumed += saved > 0;
            if (outcome.success) {
                expect(pair, &outcome, saved);
                break;
            }
            interrupted++;
            g_assert_true(outcome.killed || outcome.code == CS_ERROR_STOPPED);
            gint64 now = cells_saved(directory);
            g_assert_cmpint(now, >=, saved);
            saved = now;
        }
        expect_again(pair, directory);
        remove_directory(directory);
    }
    g_test_message("%u cases, %u runs, %u interrupted, %u resumed from a state", cases, runs,
                   interrupted, resumed);
}

/* A GPU rounds small grids up to few diagonals. */
static const char *
cpu_engine(guint k)
{
    const char *engine = engines[k % n_engines];
    return strcmp(engine, "cuda") == 0 ? "simd" : engine;
}

/* Another comparison is refused unless it starts over. Then the checkpoint is its own. */
static void
test_fresh(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + 3);
    for (guint round = 0; round < 6; round++) {
        g_autoptr(Pair) old = pair_new(rand, 300, 200);
        g_autoptr(Pair) new = pair_new(rand, 310, 200);
        char *directory = make_directory();
        RunPlan plan = {
            .scoring = old->scoring,
            .engine = cpu_engine(round),
            .threads = 2,
            .blocks = 4,
            .block_threads = 1,
            .alpha = 1,
            .save_every = 1,
            .wait = TRUE,
            .end = RUN_STOP,
            .end_after = 9,
        };
        RunOutcome outcome;
        run_in_child(&plan, old->target, old->query, directory, &outcome);
        g_assert_cmpint(outcome.code, ==, CS_ERROR_STOPPED);
        plan.scoring = new->scoring;
        run_in_child(&plan, new->target, new->query, directory, &outcome);
        g_assert_cmpint(outcome.code, ==, CS_ERROR_CHECKPOINT);
        gint64 saved = cells_saved(directory);
        g_assert_cmpint(saved, >, 0);

        /* If it dies before its first state, the old state is still there, unchanged. */
        plan.fresh = TRUE;
        plan.end = RUN_KILL;
        plan.end_after = 1;
        run_in_child(&plan, new->target, new->query, directory, &outcome);
        g_assert_true(outcome.killed);
        g_assert_cmpint(cells_saved(directory), ==, saved);

        plan.end = RUN_STOP;
        plan.end_after = 5 + round;
        run_in_child(&plan, new->target, new->query, directory, &outcome);
        g_assert_cmpint(outcome.code, ==, CS_ERROR_STOPPED);
        plan.fresh = FALSE;
        plan.end = RUN_GO_ON;
        plan.scoring = old->scoring;
        run_in_child(&plan, old->target, old->query, directory, &outcome);
        g_assert_cmpint(outcome.code, ==, CS_ERROR_CHECKPOINT);
        saved = cells_saved(directory);
        plan.scoring = new->scoring;
        run_in_child(&plan, new->target, new->query, directory, &outcome);
        expect(new, &outcome, saved);
        g_assert_cmpint(saved, >, 0);

        /* A comparison that starts over ignores what is there. */
        plan.fresh = TRUE;
        run_in_child(&plan, new->target, new->query, directory, &outcome);
        expect(new, &outcome, 0);
        remove_directory(directory);
    }
}

static void
test_minus(void)
{
    kill_every_diagonal(cpu_engine(0), CS_STRAND_MINUS);
}

static void
test_both(void)
{
    kill_every_diagonal(cpu_engine(1), CS_STRAND_BOTH);
}

/* Strands are different comparisons. */
static void
test_strands(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + 5);
    g_autoptr(Pair) pair = pair_new_on(rand, CS_STRAND_BOTH, 300, 200);
    char *directory = make_directory();
    RunPlan plan = {.scoring = pair->scoring, .strand = CS_STRAND_MINUS, .engine = "scalar"};
    RunOutcome outcome;
    run_in_child(&plan, pair->target, pair->query, directory, &outcome);
    g_assert_true(outcome.success);
    plan.strand = CS_STRAND_BOTH;
    run_in_child(&plan, pair->target, pair->query, directory, &outcome);
    g_assert_cmpint(outcome.code, ==, CS_ERROR_CHECKPOINT);
    g_assert_nonnull(strstr(outcome.message, "strand is - there and both here"));
    plan.fresh = TRUE;
    run_in_child(&plan, pair->target, pair->query, directory, &outcome);
    expect(pair, &outcome, 0);
    expect_again(pair, directory);
    remove_directory(directory);
}

/* Sequences the other way round are another comparison. */
static void
test_swapped(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + 4);
    g_autoptr(Pair) pair = pair_new(rand, 300, 200);
    char *directory = make_directory();
    RunPlan plan = {.scoring = pair->scoring,
                    .engine = cpu_engine(0),
                    .blocks = 4,
                    .block_threads = 1,
                    .alpha = 1,
                    .end = RUN_STOP,
                    .end_after = 4};
    RunOutcome outcome;
    run_in_child(&plan, pair->target, pair->query, directory, &outcome);
    g_assert_cmpint(outcome.code, ==, CS_ERROR_STOPPED);
    plan.end = RUN_GO_ON;
    run_in_child(&plan, pair->query, pair->target, directory, &outcome);
    g_assert_cmpint(outcome.code, ==, CS_ERROR_CHECKPOINT);
    run_in_child(&plan, pair->target, pair->query, directory, &outcome);
    g_assert_true(outcome.success);
    g_assert_cmpint(outcome.cells_resumed, >, 0);
    remove_directory(directory);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    for (const char *const *name = cs_engine_names(); *name != NULL; name++)
        if (n_engines < G_N_ELEMENTS(engines) && run_engine_works(*name)) {
            engines[n_engines++] = *name;
            gpu = gpu || strcmp(*name, "cuda") == 0;
            g_autofree char *path = g_strdup_printf("/resume/kill-every-diagonal/%s", *name);
            g_test_add_data_func(path, *name, test_kill_every_diagonal);
        }
    g_test_add_func("/resume/chain", test_chain);
    g_test_add_func("/resume/hops", test_hops);
    g_test_add_func("/resume/random", test_random);
    g_test_add_func("/resume/fresh", test_fresh);
    g_test_add_func("/resume/swapped", test_swapped);
    g_test_add_func("/resume/kill-every-diagonal-of-minus", test_minus);
    g_test_add_func("/resume/kill-every-diagonal-of-both", test_both);
    g_test_add_func("/resume/strands", test_strands);
    return g_test_run();
}
