/*
 * Sweeps that skip on a GPU: pairs long enough that there are many chunks and blocks, in blocks as
 * small as there are, with bounds as they are found and with the tightest that there can be.
 *
 *     test_skip_gpu [SEED]   of the first case (1); CHROMOSWEEP_TEST_CASES is their number
 */
#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>
#include <chromosweep/engine.h>

#include "oracle.h"
#include "skip.h"
#include "skip_cases.h"
#include "sweep.h"

enum {
    CASES = 60,
    LONGEST = 2500, /* of half a sequence, about */
};

static guint32 first_seed = 1;

static guint
cases(void)
{
    const char *wanted = g_getenv("CHROMOSWEEP_TEST_CASES");
    return wanted != NULL ? (guint)g_ascii_strtoull(wanted, NULL, 10) : CASES;
}

/* A case, its truth and a sweep of all of it. */
typedef struct {
    SkipCase *c;
    GRand *rand;
    CsSequence *target, *query;
    CsRectangle whole;
    OracleProblem problem;
    Oracle oracle;
} Trial;

static void
trial_init(Trial *trial, guint32 seed)
{
    *trial = (Trial){.rand = g_rand_new_with_seed(seed)};
    static const int longest[] = {100, 600, LONGEST};
    SkipCase *c = trial->c = skip_case_new(seed, longest[seed % 3]);
    g_autoptr(GError) error = NULL;
    trial->target = cs_sequence_new("target", c->target->str, (gint64)c->target->len, &error);
    g_assert_no_error(error);
    trial->query = cs_sequence_new("query", c->query->str, (gint64)c->query->len, &error);
    g_assert_no_error(error);
    trial->whole = (CsRectangle){
        .rows = cs_view_of(trial->target),
        .columns = cs_view_of(trial->query),
        .scoring = *c->scoring,
        .kind = CS_KIND_LOCAL,
        .tie_order = g_rand_boolean(trial->rand) ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST,
        .pruned = TRUE,
    };
    trial->problem = (OracleProblem){
        .a = c->target->str,
        .b = c->query->str,
        .m = (int)c->target->len,
        .n = (int)c->query->len,
        .match = c->scoring->match,
        .mismatch = c->scoring->mismatch,
        .open = c->scoring->gap_open,
        .extend = c->scoring->gap_extend,
        .columns_first = trial->whole.tie_order == CS_TIE_COLUMN_FIRST,
    };
    oracle_solve(&trial->problem, &trial->oracle);
}

static void
trial_clear(Trial *trial)
{
    oracle_clear(&trial->oracle);
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    g_rand_free(trial->rand);
    skip_case_free(trial->c);
}

/* gains[i * (n + 1) + j]: the most that an alignment can gain after cell (i, j). */
static void
find_gains(const OracleProblem *problem, gint64 *gains)
{
    const int m = problem->m, n = problem->n;
    const gint64 open = problem->open, extend = problem->extend;
    /* The same in a gap that is open: down, for each column, and right. */
    g_autofree gint64 *down = g_new(gint64, n + 1);
    for (int i = m; i >= 0; i--) {
        gint64 right = 0;
        for (int j = n; j >= 0; j--) {
            gint64 gain = 0;
            gint64 on_right = j < n ? right - extend : 0, on_down = i < m ? down[j] - extend : 0;
            if (i < m && j < n)
                gain = MAX(gain, oracle_pair(problem, i + 1, j + 1) +
                                     gains[(i + 1) * (gint64)(n + 1) + j + 1]);
            gain = MAX(gain, MAX(on_right, on_down) - open);
            gains[i * (gint64)(n + 1) + j] = gain;
            right = MAX(gain, on_right);
            down[j] = MAX(gain, on_down);
        }
    }
}

/* Bounds that are exactly what alignments gain, and the score itself as the lower bound. */
static void
find_tightest(const Trial *trial, CsSkip *skip)
{
    const gint64 m = trial->problem.m, n = trial->problem.n;
    g_autofree gint64 *gains = g_new(gint64, (m + 1) * (n + 1));
    find_gains(&trial->problem, gains);
    CsBounds *bounds = cs_bounds_new_of_matches(m, n, &trial->whole.scoring, NULL);
    g_assert_cmpuint(bounds->rows.shift, ==, bounds->columns.shift);
    for (gint64 k = 0; k <= m >> bounds->rows.shift; k++)
        bounds->rows.highest[k] = 0;
    for (gint64 k = 0; k <= n >> bounds->columns.shift; k++)
        bounds->columns.highest[k] = 0;
    for (gint64 i = 0; i <= m; i++)
        for (gint64 j = 0; j <= n; j++) {
            CsScore gain = gains[i * (n + 1) + j];
            CsScore *row = &bounds->rows.highest[i >> bounds->rows.shift];
            CsScore *column = &bounds->columns.highest[j >> bounds->columns.shift];
            *row = MAX(*row, gain);
            *column = MAX(*column, gain);
        }
    *skip = (CsSkip){.mode = CS_SKIP_BOUNDS, .bounds = bounds, .lower.score = trial->oracle.score};
}

static CsSweepOptions
random_sweep(GRand *rand)
{
    static const gint64 heights[] = {0, 1, 64, 128, 256, 512, 1024};
    CsSweepOptions options = {
        .engine = cs_engine_find("cuda", NULL),
        .engine_options = {.threads = 1, .bits = g_rand_int_range(rand, 0, 4) == 0 ? 32 : 0},
        .shape = {.block_height = heights[g_rand_int_range(rand, 0, 7)],
                  .block_width = g_rand_int_range(rand, 0, 1500),
                  .depth = g_rand_int_range(rand, 0, 3)},
    };
    if (g_rand_boolean(rand))
        options.shape.block_threads = 32 * (guint)g_rand_int_range(rand, 1, 5);
    return options;
}

/* Sweeps rows first + 1 .. last. */
static CsSweepState
sweep_rows(Trial *trial, const CsSkip *skip, CsBus *border, gint64 first, gint64 last, CsScore best)
{
    g_autoptr(GError) error = NULL;
    CsSweepState state;
    CsRectangle part = trial->whole;
    part.rows = cs_view_slice(&part.rows, first, last - first);
    part.top = first > 0 ? border : NULL;
    part.bottom = border;
    CsSweepOptions options = random_sweep(trial->rand);
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part, &options);
    cs_skip_attach(skip, &part, grid, first, 0, best);
    cs_sweep_run(&part, grid, &options, &state, &error);
    cs_skip_detach(&part);
    g_assert_no_error(error);
    g_assert_cmpint(state.cells, ==, cs_rectangle_m(&part) * cs_rectangle_n(&part));
    /* What leaves is the score of an alignment. */
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
expect_found(Trial *trial, const CsSkip *skip, guint32 seed, gint64 *computed)
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
    if (cs_engine_find("cuda", NULL) != NULL)
        return FALSE;
    g_test_skip("no GPU");
    return TRUE;
}

static void
test_random(void)
{
    gint64 cells = 0, computed[3] = {0};
    if (lacks_gpu())
        return;
    for (guint k = 0; k < cases(); k++) {
        g_autoptr(GError) error = NULL;
        Trial trial;
        trial_init(&trial, first_seed + k);
        if (trial.problem.m > 0 && trial.problem.n > 0)
            for (int kind = 0; kind < 3; kind++) {
                g_auto(CsSkip) skip = {0};
                const CsSkipSearch search = {
                    .wanted = kind == 0 ? CS_SKIP_BEST : CS_SKIP_BOUNDS, .gpu = TRUE, .threads = 1};
                if (kind == 2)
                    find_tightest(&trial, &skip);
                else
                    g_assert_true(cs_skip_init(&skip, &trial.whole, &search, &error));
                expect_found(&trial, &skip, first_seed + k, &computed[kind]);
            }
        cells += (gint64)trial.problem.m * trial.problem.n;
        trial_clear(&trial);
    }
    g_test_message("%u cases; computed, with what fills the last strips: best %.3f, bounds %.3f, "
                   "tightest %.3f",
                   cases(), (double)computed[0] / (double)cells,
                   (double)computed[1] / (double)cells, (double)computed[2] / (double)cells);
    g_assert_cmpint(computed[2], <, computed[0]);
}

typedef struct {
    guint left; /* diagonals until it stops */
} Stop;

static CsControl
control(gpointer data)
{
    Stop *stop = data;
    return stop->left == 0 || --stop->left == 0 ? CS_CONTROL_STOP : CS_CONTROL_GO_ON;
}

/* Stopped again and again, and gone on with on the GPU or the CPU, in another mode. */
static void
test_resumed(void)
{
    if (lacks_gpu())
        return;
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    g_autofree char *directory = g_build_filename(folder, "run", NULL);
    guint stops = 0, resumed = 0;
    for (guint k = 0; k < MIN(cases(), 200); k++) {
        Trial trial;
        trial_init(&trial, first_seed + k);
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        for (guint session = 0;; session++) {
            g_autoptr(GError) error = NULL;
            CsCompareResult result;
            CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
            Stop stop = {.left = session < 6 ? (guint)g_rand_int_range(rand, 1, 12) : G_MAXUINT};
            options.scoring = trial.whole.scoring;
            options.engine = g_rand_int_range(rand, 0, 4) == 0 ? "simd" : "cuda";
            options.threads = 2;
            options.grid_blocks = (guint)g_rand_int_range(rand, 1, 12);
            options.grid_threads = 32 * (guint)g_rand_int_range(rand, 1, 5);
            options.grid_alpha = g_rand_boolean(rand) ? 2 : 8;
            options.skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_NONE, CS_SKIP_BOUNDS + 1);
            options.checkpoint = directory;
            options.control = control;
            options.control_data = &stop;
            if (cs_compare(trial.target, trial.query, &options, &result, &error)) {
                g_assert_cmpint(result.score, ==, trial.oracle.score);
                if (trial.whole.tie_order == CS_TIE_ROW_FIRST) {
                    g_assert_cmpint(result.target_end, ==, trial.oracle.i);
                    g_assert_cmpint(result.query_end, ==, trial.oracle.j);
                }
                resumed += result.cells_resumed > 0;
                break;
            }
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
            stops++;
        }
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        trial_clear(&trial);
    }
    g_test_message("stopped %u times, %u went on amid the cells", stops, resumed);
    g_rmdir(folder);
}

int
main(int argc, char **argv)
{
    /* Rows under way stand where they are, and are not ended first. */
    g_setenv("CHROMOSWEEP_FLATTEN_SECONDS", "0", TRUE);
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/skip-gpu/random", test_random);
    g_test_add_func("/skip-gpu/resumed", test_resumed);
    return g_test_run();
}
