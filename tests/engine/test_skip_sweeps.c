/*
 * Single sweeps that skip. With the bounds that a run finds, the best cell and the borders must be
 * the oracle's, for the whole matrix and cut in four. With bounds that are wrong on purpose,
 * answers must be wrong; this shows that the tests would notice.
 *
 *     test_skip_sweeps [SEED]   SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include "../case_count.h"
#include "../some_ring.h"
#include "skipping/skip.h"
#include "skip_trial.h"
#include "sweep/sweep.h"

enum {
    CASES = 4000,
    LONGEST = 60,
    LARGEST = 15,   /* rows and columns of an exact table's entry */
    FAULTY = 60000, /* a fault must show within so many cases */
    SOUND = 10000,  /* cases without a fault; more than any fault needs to show */
    SOUND_NS = 300, /* the same for a fault that shows at once, with longer pairs */
};

static guint32 first_seed = 1;

/* How many cells have the best score. */
static guint
count_ends(const SkipTrial *trial)
{
    guint ends = 0;
    for (int k = 0; k < (trial->problem.m + 1) * (trial->problem.n + 1); k++)
        ends += trial->oracle.h[k] == trial->oracle.score;
    return ends;
}

static gboolean
is_found(const SkipTrial *trial, const CsBest *best)
{
    return best->score == trial->oracle.score && best->i == trial->oracle.i &&
           best->j == trial->oracle.j;
}

/* A random engine and random blocks of a few cells, or of one. */
static CsSweepOptions
random_sweep(GRand *rand)
{
    const int most = g_rand_int_range(rand, 2, 14);
    CsSweepOptions options = {
        .engine = g_rand_boolean(rand) ? &cs_simd_engine : &cs_scalar_engine,
        .engine_options = {.threads = g_rand_int_range(rand, 0, 8) == 0 ? 3 : 1},
        .shape = {.block_height = g_rand_int_range(rand, 1, most),
                  .block_width = g_rand_int_range(rand, 1, most),
                  .depth = g_rand_int_range(rand, 1, 9)},
    };
    if (g_rand_int_range(rand, 0, 3) == 0)
        options.engine = some_ring((guint)g_rand_int_range(rand, 1, 5), g_rand_boolean(rand),
                                   &options.engine_options);
    return options;
}

/* A value that leaves a sweep that skips is the score of an alignment, perhaps not the best one. */
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

/* Sweeps a part of the whole into its borders that leave. Its best cell is in the whole's
 * coordinates. */
static CsSweepState
sweep_part(SkipTrial *trial, const CsSkip *skip, CsRectangle part, gint64 above, gint64 left,
           CsScore best)
{
    g_autoptr(GError) error = NULL;
    CsSweepState state;
    CsSweepOptions options = random_sweep(trial->rand);
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part, &options);
    CsSkipBounds attached = cs_skip_attach(skip, &part, grid, above, left, best);
    cs_sweep_run(&part, grid, &options, &state, &error);
    cs_skip_detach(&attached);
    g_assert_no_error(error);
    g_assert_cmpint(state.cells, ==, cs_rectangle_m(&part) * cs_rectangle_n(&part));
    if (state.best.score > 0) {
        state.best.i += above;
        state.best.j += left;
    }
    return state;
}

/* Of a whole sweep. */
typedef struct {
    const Oracle *oracle;
    gint64 row;
    gint64 to, handed_out; /* columns of it: where the last piece ended, and in all */
} SpecialRow;

/* A CsRowFunc. */
static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, G_GNUC_UNUSED GError **error)
{
    SpecialRow *special = user_data;
    const gint64 first = i * special->oracle->width + from + 1;
    g_assert_cmpint(i, ==, special->row);
    g_assert_cmpint(from, >=, special->to);
    for (gint64 k = 0; k < count; k++) {
        g_assert_cmpint(h[k], >=, 0);
        g_assert_cmpint(h[k], <=, special->oracle->h[first + k]);
        g_assert_true(bounds || h[k] == special->oracle->h[first + k]);
        g_assert_cmpint(f[k], <=, MAX(0, special->oracle->f[first + k]));
    }
    special->to = from + count;
    special->handed_out += count;
    return TRUE;
}

/* A border full of values that the sweep must replace. */
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
sweep_whole(SkipTrial *trial, const CsSkip *skip)
{
    const gint64 m = cs_rectangle_m(&trial->whole), n = cs_rectangle_n(&trial->whole);
    const Oracle *oracle = &trial->oracle;
    SpecialRow special = {.oracle = oracle};
    g_autoptr(CsBus) bottom = used_bus(n), right = used_bus(m);
    CsRectangle part = trial->whole;
    part.bottom = bottom;
    part.right = right;
    part.special_rows = &special.row;
    part.row_func = take_row;
    part.row_data = &special;
    if (m > 0 && g_rand_boolean(trial->rand)) {
        special.row = g_rand_int_range(trial->rand, 1, (gint32)m + 1);
        part.n_special_rows = 1;
    }
    CsSweepState state = sweep_part(trial, skip, part, 0, 0, 0);
    g_assert_cmpint(special.to, <=, n);
    if (!state.skipped)
        g_assert_cmpint(special.handed_out, ==, part.n_special_rows > 0 ? n : 0);
    expect_bus(bottom, oracle, oracle->f, m * (n + 1) + 1, 1);
    expect_bus(right, oracle, oracle->e, n + 1 + n, n + 1);
    return state;
}

/* The same in four parts. Each knows its place in the whole and passes its borders on. */
static CsSweepState
sweep_quarters(SkipTrial *trial, const CsSkip *skip)
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
            if (width > 0) /* these values of the next part enter this one */
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
expect_found(const SkipTrial *trial, guint32 seed, const CsSkip *skip, const CsBest *best)
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
    const guint cases = case_count(CASES);
    guint skipping[4] = {0}, kinds[SKIP_KINDS] = {0}, tied = 0, not_first = 0, reached = 0;
    gint64 cells = 0, computed[4] = {0};
    for (guint k = 0; k < cases; k++) {
        SkipTrial trial;
        skip_trial_init(&trial, first_seed + k, LONGEST);
        skip_case_count(kinds, trial.c);
        tied += trial.oracle.score > 0 && count_ends(&trial) > 1;
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
        skip_trial_clear(&trial);
    }
    skip_case_expect_all(kinds, cases);
    g_test_message("%u cases: %u with several ends, %u columns first, %u lower bounds reach the "
                   "score; best skips in %u (computed %.3f), bounds in %u (%.3f)",
                   cases, tied, not_first, reached, skipping[CS_SKIP_BEST],
                   (double)computed[CS_SKIP_BEST] / (double)cells, skipping[CS_SKIP_BOUNDS],
                   (double)computed[CS_SKIP_BOUNDS] / (double)cells);
    g_assert_cmpuint(skipping[CS_SKIP_NONE], ==, 0);
    if (cases < 300)
        return;
    g_assert_cmpuint(tied, >, cases / 5);
    g_assert_cmpuint(not_first, >, cases / 3);
    g_assert_cmpuint(reached, >, cases / 5);
    g_assert_cmpuint(skipping[CS_SKIP_BEST], >, cases / 5);
    g_assert_cmpuint(skipping[CS_SKIP_BOUNDS], >, cases / 4);
}

/* Bounds under which as much as possible is skipped, so that a look-up one row or column off would
 * show. */
static void
expect_found_by_tightest(SkipTrial *trial, guint32 seed, int largest)
{
    g_auto(CsSkip) skip = {.mode = CS_SKIP_BOUNDS,
                           .bounds = skip_trial_tightest(trial, largest),
                           .lower.score = trial->oracle.score};
    const CsSweepState whole = sweep_whole(trial, &skip), parts = sweep_quarters(trial, &skip);
    expect_found(trial, seed, &skip, &whole.best);
    expect_found(trial, seed, &skip, &parts.best);
}

static void
test_tightest(void)
{
    for (guint k = 0; k < case_count(CASES); k++) {
        SkipTrial trial;
        skip_trial_init(&trial, first_seed + k, LONGEST);
        expect_found_by_tightest(&trial, first_seed + k, LARGEST);
        skip_trial_clear(&trial);
    }
}

static void
test_gaps(void)
{
    for (guint k = 0; k < MIN(case_count(CASES), 1000); k++) {
        SkipTrial trial;
        skip_trial_init_case(&trial, first_seed + k, skip_case_new_gap(first_seed + k, 1));
        expect_found_by_tightest(&trial, first_seed + k, 3);
        skip_trial_clear(&trial);
    }
}

/* A fault: something that the proof in docs/proofs/skipping.md does not allow. */
typedef struct {
    const char *name;
    CsScore kmer, ambiguous; /* added to the weights, which makes them too large */
    gboolean reached;        /* <= in the rule, so that blocks which just reach T are skipped */
    gboolean open;           /* the rule forgets alignments that enter in an open gap */
    gboolean tight;          /* use the tightest bounds, or the fault would hardly show */
    gboolean ns;             /* use a pair made for this fault, under the default scoring */
    int longest;
} Fault;

static CsBounds *
faulty_bounds(const SkipTrial *trial, const Fault *fault)
{
    CsBounds *bounds = g_new0(CsBounds, 1);
    const CsSurvey rows = {.rows = trial->whole.rows,
                           .columns = trial->whole.columns,
                           .scoring = trial->whole.scoring,
                           .threads = 1};
    const CsSurvey columns = cs_survey_turned(&rows);
    const gint64 m = rows.rows.length, n = rows.columns.length;
    CsBoundsRule of_rows = cs_bounds_rule(&rows.scoring, m, n);
    CsBoundsRule of_columns = cs_bounds_rule(&rows.scoring, n, m);
    of_rows.kmer += fault->kmer;
    of_columns.kmer += fault->kmer;
    of_rows.ambiguous += fault->ambiguous;
    of_columns.ambiguous += fault->ambiguous;
    g_assert_true(cs_bounds_side_init(&bounds->rows, &rows, &of_rows, NULL, NULL));
    g_assert_true(cs_bounds_side_init(&bounds->columns, &columns, &of_columns, NULL, NULL));
    return bounds;
}

/* Whether a sweep with this fault still gives the right answer. */
static gboolean
survives(SkipTrial *trial, const Fault *fault)
{
    g_autoptr(CsBounds) bounds =
        fault->tight ? skip_trial_tightest(trial, LARGEST) : faulty_bounds(trial, fault);
    const CsSkip skip = {.mode = CS_SKIP_BOUNDS,
                         .bounds = bounds,
                         .lower.score = trial->oracle.score + fault->reached +
                                        fault->open * trial->whole.scoring.gap_open};
    const CsSweepState state = sweep_part(trial, &skip, trial->whole, 0, 0, 0);
    return is_found(trial, &state.best);
}

static void
test_faults(void)
{
    static const Fault faults[] = {
        {.name = "none", .longest = 30},
        {.name = "a k-mer weighs one more", .kmer = 1, .longest = 30},
        {.name = "an ambiguous base weighs one more", .ambiguous = 1, .longest = 30},
        {.name = "none, runs of N", .ns = TRUE},
        {.name = "an N weighs 4", .ambiguous = 1, .ns = TRUE},
        {.name = "<= in place of <", .reached = TRUE, .longest = 30},
        {.name = "none, true gains", .tight = TRUE, .longest = 12},
        {.name = "an open gap is forgotten", .open = TRUE, .tight = TRUE, .longest = 12},
    };
    if (case_count_is_low()) {
        g_test_skip("few cases are wanted");
        return;
    }
    for (guint f = 0; f < G_N_ELEMENTS(faults); f++) {
        const gboolean sound = g_str_has_prefix(faults[f].name, "none");
        guint wrong = 0, k = 0;
        const guint most = !sound ? FAULTY : faults[f].ns ? SOUND_NS : SOUND;
        for (; k < most && wrong < 3; k++) {
            SkipTrial trial;
            if (faults[f].ns)
                skip_trial_init_case(&trial, first_seed + k, skip_case_new_ns(first_seed + k));
            else
                skip_trial_init(&trial, first_seed + k, faults[f].longest);
            wrong += !survives(&trial, &faults[f]);
            skip_trial_clear(&trial);
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
    g_test_add_func("/skip-sweeps/tightest", test_tightest);
    g_test_add_func("/skip-sweeps/gaps", test_gaps);
    g_test_add_func("/skip-sweeps/faults", test_faults);
    return g_test_run();
}
