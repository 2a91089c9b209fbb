/*
 * Sweeps that skip on a GPU, or on several that share them: pairs long enough for many chunks and blocks,
 * in the smallest blocks, with the bounds that a run finds and with the tightest possible ones.
 *
 *     test_skip_gpu [SEED]   SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>
#include <chromosweep/engine.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "ring/ring.h"
#include "skipping/skip.h"
#include "skip_trial.h"
#include "stop_after.h"
#include "sweep/sweep.h"

enum {
    CASES = 60,
    LONGEST = 2500, /* bases of half a sequence, about */
    LARGEST = 300,  /* rows and columns of an exact table's entry */
    SCALE = 32,     /* gaps begin after 640 bases, a multiple of many block heights */
};

static guint32 first_seed = 1;

static void
trial_init(SkipTrial *trial, guint32 seed)
{
    static const int longest[] = {100, 600, LONGEST};
    skip_trial_init(trial, seed, longest[seed % 3]);
    trial->whole.skipping = TRUE;
}

/* By lot a few rows are dealt at a time, or as many as in a run. */
static void
deal_some_rows(GRand *rand)
{
    static const char *const rows[] = {"1", "1", "2", "3", "5"};
    if (g_rand_int_range(rand, 0, 8) == 0)
        g_unsetenv("CHROMOSWEEP_RING_ROWS");
    else
        g_setenv("CHROMOSWEEP_RING_ROWS", rows[g_rand_int_range(rand, 0, 5)], TRUE);
}

/* Makes the options those of two to four GPUs that share a sweep, with unequal shares. Several may be
 * the same, and by lot some are left alone. */
static void
share(GRand *rand, CsSweepOptions *options)
{
    static const char *const devices[] = {"0", "1", "2", "3"};
    static CsMember members[4];
    const guint count = (guint)g_rand_int_range(rand, 2, 5);
    for (guint k = 0; k < count; k++)
        members[k] =
            (CsMember){.engine = options->engine,
                       .device = devices[(guint)g_rand_int_range(rand, 0, 4) % count_gpus()],
                       .speed = (guint)g_rand_int_range(rand, 1, 4)};
    deal_some_rows(rand);
    options->engine = cs_ring_class(members, count);
    options->engine_options.members = members;
    options->engine_options.n_members = count;
    options->shape.members = MAX(0, g_rand_int_range(rand, -4, (int)count));
}

static CsSweepOptions
random_sweep(GRand *rand)
{
    static const gint64 heights[] = {0, 1, 64, 128, 256, 512, 1024};
    CsSweepOptions options = {
        .engine = engine_working("cuda", NULL),
        .engine_options = {.threads = 1, .bits = g_rand_int_range(rand, 0, 4) == 0 ? 32 : 0},
        .shape = {.block_height = heights[g_rand_int_range(rand, 0, 7)],
                  .block_width = g_rand_int_range(rand, 0, 1500),
                  .depth = g_rand_int_range(rand, 0, 3)},
    };
    if (g_rand_boolean(rand))
        options.shape.block_threads = 32 * (guint)g_rand_int_range(rand, 1, 5);
    if (g_rand_boolean(rand))
        share(rand, &options);
    return options;
}

/* What was handed out of the special rows of a part. */
typedef struct {
    const SkipTrial *trial;
    const CsRectangle *part;
    gint64 first, to[3];
} SpecialRows;

/* A CsRowFunc: pieces come from left to right, and no value is above the matrix's. */
static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, G_GNUC_UNUSED GError **error)
{
    SpecialRows *special = user_data;
    const Oracle *oracle = &special->trial->oracle;
    const gint64 at = (special->first + i) * oracle->width + from + 1;
    gsize k = 0;
    while (special->part->special_rows[k] != i)
        k++;
    g_assert_cmpint(from, >=, special->to[k]);
    g_assert_true(bounds);
    for (gint64 j = 0; j < count; j++) {
        g_assert_cmpint(h[j], >=, 0);
        g_assert_cmpint(h[j], <=, oracle->h[at + j]);
        g_assert_cmpint(f[j], <=, MAX(0, oracle->f[at + j]));
    }
    special->to[k] = from + count;
    return TRUE;
}

/* Sweeps rows first + 1 .. last. */
static CsSweepState
sweep_rows(SkipTrial *trial, const CsSkip *skip, CsBus *border, gint64 first, gint64 last,
           CsScore best)
{
    g_autoptr(GError) error = NULL;
    CsSweepState state;
    CsRectangle part = trial->whole;
    part.rows = cs_view_slice(&part.rows, first, last - first);
    part.top = first > 0 ? border : NULL;
    part.bottom = border;
    SpecialRows special = {.trial = trial, .part = &part, .first = first};
    gint64 rows[3] = {g_rand_int_range(trial->rand, 1, (gint32)(last - first) + 1)};
    while (part.n_special_rows < 3 && g_rand_boolean(trial->rand)) {
        const gint64 before = rows[part.n_special_rows++];
        if (part.n_special_rows < 3)
            rows[part.n_special_rows] = before + g_rand_int_range(trial->rand, 1, 200);
        if (part.n_special_rows < 3 && rows[part.n_special_rows] > last - first)
            break;
    }
    part.special_rows = rows;
    part.row_func = take_row;
    part.row_data = &special;
    CsSweepOptions options = random_sweep(trial->rand);
    const guint members = options.shape.members;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part, &options);
    g_assert_cmpuint(grid->members, ==, members);
    CsSkipBounds attached = cs_skip_attach(skip, &part, grid, first, 0, best);
    cs_sweep_run(&part, grid, &options, &state, &error);
    cs_skip_detach(&attached);
    g_assert_no_error(error);
    g_assert_cmpint(state.cells, ==, cs_rectangle_m(&part) * cs_rectangle_n(&part));
    /* Values that leave are scores of alignments. */
    for (gint64 j = 1; j <= border->length; j++) {
        gint64 at = last * (border->length + 1) + j;
        g_assert_cmpint(cs_width_get(border->width, border->h, j - 1), >=, 0);
        g_assert_cmpint(cs_width_get(border->width, border->h, j - 1), <=, trial->oracle.h[at]);
        g_assert_cmpint(cs_width_get(border->width, border->gap, j - 1), <=,
                        MAX(0, trial->oracle.f[at]));
    }
    if (state.best.score > 0)
        state.best.i += first;
    return state;
}

static void
expect_found(SkipTrial *trial, const CsSkip *skip, guint32 seed, gint64 *computed)
{
    g_autoptr(GError) error = NULL;
    const gint64 m = trial->problem.m;
    g_autoptr(CsBus) border = cs_bus_new(trial->problem.n, CS_WIDTH_32, &error);
    gint64 cuts[] = {
        0, g_rand_boolean(trial->rand) ? m : g_rand_int_range(trial->rand, 0, (gint32)m + 1), m};
    CsBest best = {0};
    for (int part = 0; part < 2; part++) {
        if (cuts[part] == cuts[part + 1])
            continue;
        CsSweepState state =
            sweep_rows(trial, skip, border, cuts[part], cuts[part + 1], best.score);
        cs_best_merge(&best, trial->whole.tie_order, &state.best);
        *computed += state.cells_computed;
    }
    if (best.score != trial->oracle.score || best.i != trial->oracle.i || best.j != trial->oracle.j)
        g_error("seed %u, mode %d: %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
                " and not %" G_GINT64_FORMAT " at %d,%d",
                seed, (int)skip->mode, best.score, best.i, best.j, (gint64)trial->oracle.score,
                trial->oracle.i, trial->oracle.j);
}

static gboolean
lacks_gpu(void)
{
    if (engine_working("cuda", NULL) != NULL)
        return FALSE;
    g_test_skip("no GPU");
    return TRUE;
}

static void
test_random(void)
{
    gint64 cells = 0, computed[4] = {0};
    if (lacks_gpu())
        return;
    for (guint k = 0; k < case_count(CASES); k++) {
        g_autoptr(GError) error = NULL;
        SkipTrial trial;
        trial_init(&trial, first_seed + k);
        if (trial.problem.m > 0 && trial.problem.n > 0)
            for (int kind = 0; kind < 4; kind++) {
                g_auto(CsSkip) skip = {0};
                const CsSkipSearch search = {
                    .wanted = kind == 0 ? CS_SKIP_BEST : CS_SKIP_BOUNDS, .gpu = TRUE, .threads = 1};
                if (kind == 3)
                    skip = (CsSkip){
                        .mode = CS_SKIP_BOUNDS,
                        .bounds = cs_bounds_new_of_matches(trial.problem.m, trial.problem.n,
                                                           &trial.whole.scoring, NULL),
                        .gains = skip_trial_tightest_gains(&trial, k % 2 == 0 ? LARGEST : 3),
                        .lower.score = trial.oracle.score};
                else if (kind == 2)
                    skip = (CsSkip){.mode = CS_SKIP_BOUNDS,
                                    .bounds = skip_trial_tightest(&trial, k % 2 == 0 ? LARGEST : 3),
                                    .lower.score = trial.oracle.score};
                else
                    g_assert_true(cs_skip_init(&skip, &trial.whole, &search, &error));
                expect_found(&trial, &skip, first_seed + k, &computed[kind]);
            }
        cells += (gint64)trial.problem.m * trial.problem.n;
        skip_trial_clear(&trial);
    }
    g_test_message("%u cases; computed, with what fills the last strips: best %.3f, bounds %.3f, "
                   "tightest %.3f, gains %.3f",
                   case_count(CASES), (double)computed[0] / (double)cells,
                   (double)computed[1] / (double)cells, (double)computed[2] / (double)cells,
                   (double)computed[3] / (double)cells);
    if (case_count(CASES) >= 20) /* with few cases there may be nothing to skip */
        g_assert_cmpint(MAX(computed[2], computed[3]), <, computed[0]);
}

/* Cases that go wrong if a look-up is one row or column off. */
static void
test_gaps(void)
{
    gint64 computed = 0;
    if (lacks_gpu())
        return;
    for (guint k = 0; k < case_count(CASES); k++) {
        SkipTrial trial;
        skip_trial_init_case(&trial, first_seed + k, skip_case_new_gap(first_seed + k, SCALE));
        trial.whole.skipping = TRUE;
        g_auto(CsSkip) skip = {.mode = CS_SKIP_BOUNDS,
                               .bounds = skip_trial_tightest(&trial, 3),
                               .lower.score = trial.oracle.score};
        for (int sweep = 0; sweep < 4; sweep++)
            expect_found(&trial, &skip, first_seed + k, &computed);
        skip_trial_clear(&trial);
    }
}

static void
expect_oracle(const SkipTrial *trial, const CsCompareResult *result)
{
    g_assert_cmpint(result->score, ==, trial->oracle.score);
    if (trial->whole.tie_order == CS_TIE_ROW_FIRST) {
        g_assert_cmpint(result->target_end, ==, trial->oracle.i);
        g_assert_cmpint(result->query_end, ==, trial->oracle.j);
    }
}

/* Stops again and again, and resumes on the GPU or the CPU, in another mode. */
static void
test_resumed(void)
{
    if (lacks_gpu())
        return;
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    g_autofree char *directory = g_build_filename(folder, "run", NULL);
    guint stops = 0, resumed = 0;
    for (guint k = 0; k < MIN(case_count(CASES), 200); k++) {
        SkipTrial trial;
        trial_init(&trial, first_seed + k);
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        for (guint run = 0;; run++) {
            g_autoptr(GError) error = NULL;
            CsCompareResult result;
            CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
            StopAfter stop = {.left = run < 6 ? (guint)g_rand_int_range(rand, 1, 12) : G_MAXUINT};
            options.scoring = trial.whole.scoring;
            options.engine = g_rand_int_range(rand, 0, 4) == 0 ? "simd" : "cuda";
            if (strcmp(options.engine, "cuda") == 0 && g_rand_boolean(rand))
                options.device = count_gpus() == 1      ? "gpu:0,gpu:0"
                                 : g_rand_boolean(rand) ? "gpu:1,gpu:0,gpu:1"
                                                        : "cpu,gpu:1,gpu:0";
            deal_some_rows(rand);
            options.threads = 2;
            options.grid_blocks = (guint)g_rand_int_range(rand, 1, 12);
            options.grid_threads = 32 * (guint)g_rand_int_range(rand, 1, 5);
            options.grid_alpha = g_rand_boolean(rand) ? 2 : 8;
            options.skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_NONE, CS_SKIP_BOUNDS + 1);
            options.checkpoint = directory;
            options.control = stop_after;
            options.control_data = &stop;
            if (cs_compare(trial.target, trial.query, &options, &result, &error)) {
                expect_oracle(&trial, &result);
                resumed += result.cells_resumed > 0;
                break;
            }
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
            stops++;
        }
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        skip_trial_clear(&trial);
    }
    g_test_message("stopped %u times, %u went on amid the cells", stops, resumed);
    g_rmdir(folder);
}

/* How many cells the newest state in a folder covers. */
static gint64
saved_cells(const char *directory)
{
    g_autoptr(GError) error = NULL;
    if (!g_file_test(directory, G_FILE_TEST_IS_DIR)) /* nothing was saved */
        return 0;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, &error);
    g_assert_no_error(error);
    return info->n_generations > 0 ? info->generations[0].cells_done : 0;
}

/* Compares on the GPUs of a list, of which one may fail. Returns whether it did. */
static gboolean
compare_until_failure(SkipTrial *trial, GRand *rand, const char *list, const char *directory,
                      gint64 *resumed)
{
    g_autoptr(GError) error = NULL;
    CsCompareResult result;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = trial->whole.scoring;
    options.engine = list == NULL ? "simd" : NULL;
    options.device = list;
    options.threads = 2;
    options.grid_blocks = (guint)g_rand_int_range(rand, 1, 12);
    options.grid_threads = 32 * (guint)g_rand_int_range(rand, 1, 5);
    options.grid_alpha = 2;
    options.skip = CS_SKIP_BOUNDS;
    options.checkpoint = directory;
    options.checkpoint_interval = 1e-9;
    deal_some_rows(rand);
    if (cs_compare(trial->target, trial->query, &options, &result, &error)) {
        expect_oracle(trial, &result);
        *resumed = result.cells_resumed;
        return FALSE;
    }
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "member "));
    return TRUE;
}

/* One of several GPUs fails while they share a sweep. The error names it, and the state saved last stands: a run on
 * other devices goes on from there. */
static void
test_failing(void)
{
    enum {
        LEAST_AMID = 2
    };
    static const char *const others[] = {"gpu:0", "gpu:0,gpu:0,gpu:1", "gpu:0,cpu,gpu:1", NULL};
    g_autofree char *before = g_strdup(g_getenv("EMULATED_GPU"));
    guint failures = 0, amid = 0;
    if (before == NULL || count_gpus() < 2) {
        g_test_skip("no two emulated GPUs");
        return;
    }
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    g_autofree char *directory = g_build_filename(folder, "run", NULL);
    for (guint k = 0; k < case_count(CASES) / 2 || (amid < LEAST_AMID && k < 200); k++) {
        SkipTrial trial;
        trial_init(&trial, first_seed + k);
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        gint64 resumed = 0;
        g_autofree char *failing =
            g_strdup_printf("%s failing=%d launches=%d", before, g_rand_int_range(rand, 0, 2),
                            g_rand_int_range(rand, 0, 20));
        g_setenv("EMULATED_GPU", failing, TRUE);
        if (compare_until_failure(&trial, rand, "gpu:1,gpu:0,gpu:1", directory, &resumed)) {
            const gint64 saved = saved_cells(directory);
            g_setenv("EMULATED_GPU", before, TRUE);
            g_assert_false(compare_until_failure(
                &trial, rand, others[g_rand_int_range(rand, 0, G_N_ELEMENTS(others))], directory,
                &resumed));
            g_assert_cmpint(resumed, ==, saved);
            failures++;
            amid += saved > 0;
        }
        g_setenv("EMULATED_GPU", before, TRUE);
        g_assert_true(!g_file_test(directory, G_FILE_TEST_IS_DIR) ||
                      cs_checkpoint_remove(directory, NULL));
        skip_trial_clear(&trial);
    }
    g_test_message("%u failures, %u of them after a state was saved", failures, amid);
    g_assert_cmpuint(amid, >=, LEAST_AMID);
    g_rmdir(folder);
}

/* One gap crosses a run of Ns, and left of it strip after strip is skipped. The values that these
 * strips leave must not fall further and further below their neighbours, or 16 bits could not hold
 * them. */
static void
test_run_of_ns(void)
{
    enum {
        RELATED = 70000,
        RUN = 20000,
    };
    if (lacks_gpu())
        return;
    if (CASE_DIVISOR > 1 && case_count_is_low()) {
        g_test_skip("takes half a minute on an emulated GPU");
        return;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    g_autofree char *rows = g_malloc(2 * RELATED + RUN), *columns = g_malloc(2 * RELATED);
    for (int k = 0; k < 2 * RELATED; k++)
        columns[k] = "ACGT"[g_rand_int_range(rand, 0, 4)];
    memset(rows, 'N', 2 * RELATED + RUN);
    memcpy(rows, columns, RELATED);
    memcpy(rows + RELATED + RUN, columns + RELATED, RELATED);
    g_autoptr(CsSequence) target = cs_sequence_new("rows", rows, 2 * RELATED + RUN, &error);
    g_autoptr(CsSequence) query = cs_sequence_new("columns", columns, 2 * RELATED, &error);
    g_assert_no_error(error);
    CsRectangle whole = {.rows = cs_view_of(target),
                         .columns = cs_view_of(query),
                         .scoring = CS_SCORING_DEFAULT,
                         .skipping = TRUE};
    g_auto(CsSkip) skip = {0};
    const CsSkipSearch search = {.wanted = CS_SKIP_BOUNDS, .gpu = TRUE, .threads = 1};
    g_assert_true(cs_skip_init(&skip, &whole, &search, &error));
    CsSweepState state;
    CsSweepOptions options = {
        .engine = engine_working("cuda", NULL),
        .engine_options = {.threads = 1, .bits = 16},
        .shape = {.block_height = 64, .block_threads = 32},
    };
    g_autoptr(CsGrid) grid = cs_sweep_plan(&whole, &options);
    CsSkipBounds attached = cs_skip_attach(&skip, &whole, grid, 0, 0, 0);
    cs_sweep_run(&whole, grid, &options, &state, &error);
    cs_skip_detach(&attached);
    g_assert_no_error(error);
    g_test_message("%.1f%% of the cells",
                   100. * (double)state.cells_computed / (double)state.cells);
    g_assert_cmpint(state.best.score, ==, 2 * RELATED - 2 * RUN - 3);
    g_assert_cmpint(state.best.i, ==, 2 * RELATED + RUN);
    g_assert_cmpint(state.best.j, ==, 2 * RELATED);
}

int
main(int argc, char **argv)
{
    /* By default rows in progress stop where they are; they are not completed first. */
    g_setenv("CHROMOSWEEP_FLATTEN_SECONDS", "0", FALSE);
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/skip-gpu/random", test_random);
    g_test_add_func("/skip-gpu/gaps", test_gaps);
    g_test_add_func("/skip-gpu/resumed", test_resumed);
    g_test_add_func("/skip-gpu/failing", test_failing);
    g_test_add_func("/skip-gpu/run-of-ns", test_run_of_ns);
    return g_test_run();
}
