/*
 * Sweeps that skip, one by one: with what is found before a sweep, cell and borders are held
 * against the oracle's, whole and cut in four; and with bounds that are wrong on purpose the
 * answers are wrong, which is how the others would show it.
 *
 *     test_skip_sweeps [SEED]   of the first case (1); CHROMOSWEEP_TEST_CASES is their number
 */
#include <chromosweep/engine.h>

#include "bounds_private.h"
#include "oracle.h"
#include "skip.h"
#include "skip_cases.h"
#include "sweep.h"

enum {
    CASES = 4000,
    LONGEST = 60,
    FAULTY = 60000, /* cases until a fault must have shown */
    SOUND = 10000,  /* cases without one; more than any fault needs to show */
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
    Oracle oracle;
    guint ends;         /* cells with the best score */
    gint64 special_row; /* of a whole sweep */
    gint64 handed_out;  /* columns of it */
} Trial;

static OracleProblem
trial_problem(const Trial *trial)
{
    const SkipCase *c = trial->c;
    return (OracleProblem){
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
}

static void
trial_init(Trial *trial, guint32 seed, int longest)
{
    SkipCase *c = skip_case_new(seed, longest);
    *trial = (Trial){.c = c, .rand = g_rand_new_with_seed(seed)};
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
    };
    const OracleProblem problem = trial_problem(trial);
    oracle_solve(&problem, &trial->oracle);
    for (int k = 0; k < (problem.m + 1) * (problem.n + 1); k++)
        trial->ends += trial->oracle.h[k] == trial->oracle.score;
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

static gboolean
is_found(const Trial *trial, const CsBest *best)
{
    return best->score == trial->oracle.score && best->i == trial->oracle.i &&
           best->j == trial->oracle.j;
}

/* An engine and blocks by chance, of a few cells, or of one. */
static CsSweepOptions
random_sweep(GRand *rand)
{
    const int most = g_rand_int_range(rand, 2, 14);
    return (CsSweepOptions){
        .engine = cs_engine_find(g_rand_boolean(rand) ? "simd" : "scalar", NULL),
        .engine_options = {.threads = g_rand_int_range(rand, 0, 8) == 0 ? 3 : 1},
        .shape = {.block_height = g_rand_int_range(rand, 1, most),
                  .block_width = g_rand_int_range(rand, 1, most),
                  .depth = g_rand_int_range(rand, 1, 9)},
    };
}

/* What leaves a sweep that skips is the score of an alignment, if not of the best there. */
static void
expect_bus(const CsBus *bus, const Oracle *oracle, const gint64 *gaps, gint64 first, gint64 step)
{
    for (gint64 k = 0; k < bus->length; k++) {
        const CsScore h = cs_width_get(bus->width, bus->h, k);
        const CsScore gap = cs_width_get(bus->width, bus->gap, k);
        g_assert_cmpint(h, >=, 0);
        g_assert_cmpint(h, <=, oracle->h[first + k * step]);
        g_assert_cmpint(gap, <=, MAX(0, gaps[first + k * step]));
    }
}

/* Sweeps a part of the whole into its borders that leave; its best cell is one of the whole. */
static CsSweepState
sweep_part(Trial *trial, const CsSkip *skip, CsRectangle part, gint64 above, gint64 left,
           CsScore best)
{
    g_autoptr(GError) error = NULL;
    CsSweepState state;
    CsSweepOptions options = random_sweep(trial->rand);
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part, &options);
    cs_skip_attach(skip, &part, grid, above, left, best);
    cs_sweep_run(&part, grid, &options, &state, &error);
    cs_skip_detach(&part);
    g_assert_no_error(error);
    g_assert_cmpint(state.cells, ==, cs_rectangle_m(&part) * cs_rectangle_n(&part));
    if (state.best.score > 0) {
        state.best.i += above;
        state.best.j += left;
    }
    return state;
}

/* A CsRowFunc. */
static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, G_GNUC_UNUSED GError **error)
{
    Trial *trial = user_data;
    const gint64 first = i * trial->oracle.width + from + 1;
    g_assert_cmpint(i, ==, trial->special_row);
    g_assert_cmpint(from, ==, trial->handed_out);
    for (gint64 k = 0; k < count; k++) {
        g_assert_cmpint(h[k], >=, 0);
        g_assert_cmpint(h[k], <=, trial->oracle.h[first + k]);
        g_assert_true(bounds || h[k] == trial->oracle.h[first + k]);
        g_assert_cmpint(f[k], <=, MAX(0, trial->oracle.f[first + k]));
    }
    trial->handed_out += count;
    return TRUE;
}

/* What a border must not keep. */
static CsBus *
used_bus(gint64 length)
{
    CsBus *bus = cs_bus_new(length, CS_WIDTH_64, NULL);
    for (gint64 k = 0; k < length; k++) {
        cs_width_set(bus->width, bus->h, k, 1000000);
        cs_width_set(bus->width, bus->gap, k, 1000000);
    }
    return bus;
}

static CsSweepState
sweep_whole(Trial *trial, const CsSkip *skip)
{
    const gint64 m = cs_rectangle_m(&trial->whole), n = cs_rectangle_n(&trial->whole);
    const Oracle *oracle = &trial->oracle;
    g_autoptr(CsBus) bottom = used_bus(n), right = used_bus(m);
    CsRectangle part = trial->whole;
    part.bottom = bottom;
    part.right = right;
    part.special_rows = &trial->special_row;
    part.row_func = take_row;
    part.row_data = trial;
    trial->handed_out = 0;
    if (m > 0 && g_rand_boolean(trial->rand)) {
        trial->special_row = g_rand_int_range(trial->rand, 1, (gint32)m + 1);
        part.n_special_rows = 1;
    }
    CsSweepState state = sweep_part(trial, skip, part, 0, 0, 0);
    g_assert_cmpint(trial->handed_out, ==, part.n_special_rows > 0 ? n : 0);
    expect_bus(bottom, oracle, oracle->f, m * (n + 1) + 1, 1);
    expect_bus(right, oracle, oracle->e, n + 1 + n, n + 1);
    return state;
}

/* The same in four parts, which know their place in the whole and hand on what they left. */
static CsSweepState
sweep_quarters(Trial *trial, const CsSkip *skip)
{
    g_autoptr(GError) error = NULL;
    const gint64 m = cs_rectangle_m(&trial->whole), n = cs_rectangle_n(&trial->whole);
    const gint64 rows[] = {0, g_rand_int_range(trial->rand, 0, (gint32)m + 1), m};
    const gint64 columns[] = {0, g_rand_int_range(trial->rand, 0, (gint32)n + 1), n};
    g_autoptr(CsBus) horizontal = cs_bus_new(n, CS_WIDTH_64, &error);
    CsSweepState sum = {0};
    for (int r = 0; r < 2; r++) {
        const gint64 height = rows[r + 1] - rows[r];
        g_autoptr(CsBus) vertical = cs_bus_new(height, CS_WIDTH_64, &error);
        CsScore corner = 0;
        for (int c = 0; c < 2; c++) {
            const gint64 width = columns[c + 1] - columns[c];
            CsBus border = cs_bus_slice(horizontal, columns[c], width);
            CsRectangle part = trial->whole;
            part.rows = cs_view_slice(&trial->whole.rows, rows[r], height);
            part.columns = cs_view_slice(&trial->whole.columns, columns[c], width);
            part.top = part.bottom = &border;
            part.left = part.right = vertical;
            part.corner = corner;
            if (width > 0) /* of the next part: what enters this one */
                corner = cs_width_get(CS_WIDTH_64, border.h, width - 1);
            const CsSweepState state =
                sweep_part(trial, skip, part, rows[r], columns[c], sum.best.score);
            cs_best_merge(&sum.best, trial->whole.tie_order, &state.best);
            sum.cells += state.cells;
            sum.cells_computed += state.cells_computed;
        }
    }
    return sum;
}

static void
expect_found(const Trial *trial, guint32 seed, const CsSkip *skip, const CsBest *best)
{
    if (is_found(trial, best))
        return;
    g_error("seed %u, mode %d, %s: %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
            " and not %" G_GINT64_FORMAT " at %d,%d: %s %s",
            seed, (int)skip->mode,
            trial->whole.tie_order == CS_TIE_ROW_FIRST ? "rows first" : "columns first",
            best->score, best->i, best->j, (gint64)trial->oracle.score, trial->oracle.i,
            trial->oracle.j, trial->c->target->str, trial->c->query->str);
}

static void
test_random(void)
{
    guint skipping[4] = {0}, kinds[SKIP_KINDS] = {0}, tied = 0, not_first = 0, reached = 0;
    gint64 cells = 0, computed[4] = {0};
    for (guint k = 0; k < cases(); k++) {
        Trial trial;
        trial_init(&trial, first_seed + k, LONGEST);
        skip_case_count(kinds, trial.c);
        tied += trial.oracle.score > 0 && trial.ends > 1;
        not_first += trial.whole.tie_order == CS_TIE_COLUMN_FIRST;
        cells += cs_rectangle_m(&trial.whole) * cs_rectangle_n(&trial.whole);
        for (CsSkipMode mode = CS_SKIP_NONE; mode <= CS_SKIP_BOUNDS; mode++) {
            g_autoptr(GError) error = NULL;
            g_auto(CsSkip) skip = {0};
            const CsSkipSearch search = {.wanted = mode, .threads = 1};
            cs_skip_init(&skip, &trial.whole, &search, &error);
            g_assert_no_error(error);
            g_assert_cmpint(skip.lower.score, <=, trial.oracle.score);
            reached += trial.oracle.score > 0 && skip.lower.score == trial.oracle.score;
            const CsSweepState state =
                k % 3 == 0 ? sweep_quarters(&trial, &skip) : sweep_whole(&trial, &skip);
            expect_found(&trial, first_seed + k, &skip, &state.best);
            skipping[mode] += state.cells_computed < state.cells;
            computed[mode] += state.cells_computed;
        }
        trial_clear(&trial);
    }
    skip_case_expect_all(kinds, cases());
    g_test_message("%u cases: %u with several ends, %u columns first, %u lower bounds reach the "
                   "score; best skips in %u (computed %.3f), bounds in %u (%.3f)",
                   cases(), tied, not_first, reached, skipping[CS_SKIP_BEST],
                   (double)computed[CS_SKIP_BEST] / (double)cells, skipping[CS_SKIP_BOUNDS],
                   (double)computed[CS_SKIP_BOUNDS] / (double)cells);
    g_assert_cmpuint(skipping[CS_SKIP_NONE], ==, 0);
    if (cases() < 300)
        return;
    g_assert_cmpuint(tied, >, cases() / 5);
    g_assert_cmpuint(not_first, >, cases() / 3);
    g_assert_cmpuint(reached, >, cases() / 5);
    g_assert_cmpuint(skipping[CS_SKIP_BEST], >, cases() / 5);
    g_assert_cmpuint(skipping[CS_SKIP_BOUNDS], >, cases() / 4);
}

/* Anchored sweeps have values below zero, which skipping would raise. */
static void
test_anchored(void)
{
    for (guint k = 0; k < MIN(cases(), 500); k++) {
        g_autoptr(GError) error = NULL;
        Trial trial;
        trial_init(&trial, first_seed + k, LONGEST);
        g_auto(CsSkip) skip = {0};
        const CsSkipSearch search = {.wanted = CS_SKIP_BOUNDS, .threads = 1};
        cs_skip_init(&skip, &trial.whole, &search, &error);
        g_assert_no_error(error);
        trial.whole.kind = CS_KIND_ANCHORED;
        const guint32 seed = g_rand_int(trial.rand);
        CsBest best[2];
        for (int above_all = 0; above_all < 2; above_all++) {
            g_rand_set_seed(trial.rand, seed); /* the same grid */
            const CsSweepState state =
                sweep_part(&trial, &skip, trial.whole, 0, 0, above_all ? 1000000 : 0);
            g_assert_cmpint(state.cells_computed, >=, state.cells);
            best[above_all] = state.best;
        }
        g_assert_cmpint(best[0].score, ==, best[1].score);
        g_assert_cmpint(best[0].i, ==, best[1].i);
        g_assert_cmpint(best[0].j, ==, best[1].j);
        trial_clear(&trial);
    }
}

/* Something that the proof of docs/algorithm.md does not allow. */
typedef struct {
    const char *name;
    CsScore word, ambiguous; /* more than these weigh */
    gboolean reached;        /* <= in the rule: also what only reaches T is skipped */
    gboolean open;           /* what enters in an open gap is forgotten */
    gboolean tight;          /* bounds are what alignments do gain, or the fault hardly shows */
    int longest;
} Fault;

static void
find_gains(const Trial *trial, CsBounds *bounds)
{
    const gint64 m = cs_rectangle_m(&trial->whole), n = cs_rectangle_n(&trial->whole);
    const OracleProblem problem = trial_problem(trial);
    g_autofree gint64 *gains = g_new(gint64, (m + 1) * (n + 1));
    oracle_gains(&problem, gains);
    *bounds = (CsBounds){.rows = {.length = m, .highest = g_new0(CsScore, m + 1)},
                         .columns = {.length = n, .highest = g_new0(CsScore, n + 1)}};
    for (gint64 i = 0; i <= m; i++)
        for (gint64 j = 0; j <= n; j++) {
            const CsScore gain = gains[i * (n + 1) + j];
            bounds->rows.highest[i] = MAX(bounds->rows.highest[i], gain);
            bounds->columns.highest[j] = MAX(bounds->columns.highest[j], gain);
        }
}

static void
find_bounds(const Trial *trial, const Fault *fault, CsBounds *bounds)
{
    const CsView *rows = &trial->whole.rows, *columns = &trial->whole.columns;
    CsBoundsRule of_rows = cs_bounds_rule(&trial->whole.scoring, rows->length, columns->length);
    CsBoundsRule of_columns = cs_bounds_rule(&trial->whole.scoring, columns->length, rows->length);
    of_rows.word += fault->word;
    of_columns.word += fault->word;
    of_rows.ambiguous += fault->ambiguous;
    of_columns.ambiguous += fault->ambiguous;
    g_assert_true(cs_bounds_side_init(&bounds->rows, rows, columns, &trial->whole.scoring, &of_rows,
                                      1, NULL, NULL));
    g_assert_true(cs_bounds_side_init(&bounds->columns, columns, rows, &trial->whole.scoring,
                                      &of_columns, 1, NULL, NULL));
}

/* Whether a sweep with this fault gives the answer all the same. */
static gboolean
survives(Trial *trial, const Fault *fault)
{
    CsBounds bounds = {0};
    if (fault->tight)
        find_gains(trial, &bounds);
    else
        find_bounds(trial, fault, &bounds);
    const CsSkip skip = {.mode = CS_SKIP_BOUNDS,
                         .bounds = &bounds,
                         .lower.score = trial->oracle.score + fault->reached +
                                        fault->open * trial->whole.scoring.gap_open};
    const CsSweepState state = sweep_part(trial, &skip, trial->whole, 0, 0, 0);
    cs_bounds_side_clear(&bounds.rows);
    cs_bounds_side_clear(&bounds.columns);
    return is_found(trial, &state.best);
}

static void
test_faults(void)
{
    static const Fault faults[] = {
        {.name = "none", .longest = 30},
        {.name = "a word weighs one more", .word = 1, .longest = 30},
        {.name = "an ambiguous letter weighs one more", .ambiguous = 1, .longest = 30},
        {.name = "<= in place of <", .reached = TRUE, .longest = 30},
        {.name = "none, true gains", .tight = TRUE, .longest = 12},
        {.name = "an open gap is forgotten", .open = TRUE, .tight = TRUE, .longest = 12},
    };
    for (guint f = 0; f < G_N_ELEMENTS(faults); f++) {
        const gboolean sound = g_str_has_prefix(faults[f].name, "none");
        guint wrong = 0, k = 0;
        for (; k < (sound ? SOUND : FAULTY) && wrong < 3; k++) {
            Trial trial;
            trial_init(&trial, first_seed + k, faults[f].longest);
            wrong += !survives(&trial, &faults[f]);
            trial_clear(&trial);
        }
        g_test_message("%s: %u wrong answers in %u cases", faults[f].name, wrong, k);
        g_assert_cmpuint(wrong, ==, sound ? 0 : 3);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/skip-sweeps/random", test_random);
    g_test_add_func("/skip-sweeps/anchored", test_anchored);
    g_test_add_func("/skip-sweeps/faults", test_faults);
    return g_test_run();
}
