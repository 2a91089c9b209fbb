/*
 * Every engine against the oracle: score, end cell, every border and special row must be the same.
 *
 * To add
 *
 *   a pair     a line in `pairs` below, for example for a bug. It is swept on every engine, in
 *              blocks of all small sizes.
 *   a scoring  a line in `scorings` of cases.c, from which random cases draw theirs.
 *   a size     a number in `edges` of cases.c: where a vector, a strip or a block ends.
 *   an engine  a line in sweeps_variants() of sweeps.c; likewise an instruction set or a width.
 *   a test     a function here, and its line in main(). trial_init() makes a random case and the
 *              truth about it, trial_rectangle() the problem, sweeps_run() sweeps it on a variant,
 *              expect_all() compares.
 *
 * The first argument is the first seed, CHROMOSWEEP_TEST_CASES the number of cases. A failure
 * prints its seed. That case is the first one of
 *
 *     CHROMOSWEEP_TEST_CASES=5 build/tests/engine/test_engines SEED -p /engines/whole
 */
#include <string.h>

#include <chromosweep/compare.h>
#include <chromosweep/error.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "../random_sequence.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "ring/ring.h"
#include "ring/ring_share.h"
#include "sweeps.h"

static guint32 first_seed = 1;

/* A case, its sequences and the truth about it. */
typedef struct {
    Case *c;
    CsSequence *a, *b;
    Oracle oracle;
    CsBus *top, *left; /* borders that enter, or NULL */
    gboolean mixed;    /* a GPU may have computed a part of it */
    char *what;        /* for messages */
} Trial;

/* The oracle's row 0 (column 0) as a bus of cells from + 1 onwards; no gap runs across it. */
static CsBus *
border_bus(const Trial *trial, gboolean horizontal, gint64 from, gint64 count)
{
    CsBus *bus = cs_bus_new(count, CS_WIDTH_64, NULL);
    for (gint64 k = 0; k < count; k++) {
        gint64 cell = (from + k + 1) * (horizontal ? 1 : trial->oracle.width);
        cs_width_set(bus->width, bus->h, k, trial->oracle.h[cell]);
    }
    return bus;
}

/* Takes ownership of the case. With a corner above 0 it is a part of a larger matrix. */
static void
trial_init_case(Trial *trial, Case *c, guint32 seed, CsScore corner)
{
    g_autoptr(GError) error = NULL;
    *trial = (Trial){.c = c};
    trial->a = cs_sequence_new("a", c->a, c->m, &error);
    g_assert_no_error(error);
    trial->b = cs_sequence_new("b", c->b, c->n, &error);
    g_assert_no_error(error);
    OracleProblem problem = case_problem(c);
    problem.corner = corner;
    oracle_solve(&problem, &trial->oracle);
    if (corner > 0) {
        trial->top = border_bus(trial, TRUE, 0, c->n);
        trial->left = border_bus(trial, FALSE, 0, c->m);
    }
    g_autofree char *description = case_describe(c);
    trial->what = g_strdup_printf("seed %u: %s", seed, description);
}

/* A random case. With `entered` its corner has some H, sometimes beyond 32 bits. */
static void
trial_init(Trial *trial, guint32 seed, int longest, gboolean entered)
{
    trial_init_case(trial, case_new(seed, longest), seed,
                    entered ? G_GINT64_CONSTANT(1) << seed % 34 : 0);
}

static void
trial_clear(Trial *trial)
{
    oracle_clear(&trial->oracle);
    cs_bus_free(trial->top);
    cs_bus_free(trial->left);
    cs_sequence_unref(trial->a);
    cs_sequence_unref(trial->b);
    case_free(trial->c);
    g_free(trial->what);
}

static CsRectangle
trial_rectangle(const Trial *trial)
{
    CsRectangle rectangle = sweeps_rectangle(trial->c, trial->a, trial->b);
    rectangle.corner = trial->oracle.h[0];
    rectangle.top = trial->top;
    rectangle.left = trial->left;
    rectangle.special_rows = trial->c->special_rows;
    rectangle.n_special_rows = trial->c->n_special_rows;
    return rectangle;
}

static void
expect(const Trial *trial, const Variant *variant, const char *what, gint64 i, gint64 j,
       gint64 found, gint64 wanted)
{
    if (found != wanted)
        g_error("%s %s %u: %s at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                ", not %" G_GINT64_FORMAT "; %s",
                variant->engine, variant->simd != NULL ? variant->simd : "", variant->bits, what, i,
                j, found, wanted, trial->what);
}

static void
expect_best(const Trial *trial, const Variant *variant, const CsBest *best)
{
    expect(trial, variant, "score", 0, 0, best->score, trial->oracle.score);
    expect(trial, variant, "end row", 0, 0, best->i, trial->oracle.i);
    expect(trial, variant, "end column", 0, 0, best->j, trial->oracle.j);
}

/*
 * Compares E. A GPU may open it from paired bases only, and engines that go on from its border then
 * have that E.
 */
static void
expect_e(const Trial *trial, const Variant *variant, gint64 i, gint64 j, gint64 found)
{
    gint64 cell = i * trial->oracle.width + j;
    gint64 wanted = MAX(trial->oracle.e[cell], 0);
    gint64 least = MAX(trial->oracle.e_of_pairs[cell], 0);
    if (!(trial->mixed || strcmp(variant->engine, "cuda") == 0 ||
          strcmp(variant->engine, "gpus") == 0) ||
        found < least || found > wanted)
        expect(trial, variant, "right E", i, j, found, wanted);
}

/* Compares cells from + 1 onwards of a bus that leaves with the oracle's row m or column n. Gap
 * values below zero leave as zero. */
static void
expect_bus(const Trial *trial, const Variant *variant, const CsBus *bus, gboolean horizontal,
           gint64 at, gint64 from)
{
    const Oracle *oracle = &trial->oracle;
    for (gint64 k = 0; k < bus->length; k++) {
        gint64 i = horizontal ? at : from + k + 1, j = horizontal ? from + k + 1 : at;
        gint64 cell = i * oracle->width + j;
        expect(trial, variant, horizontal ? "bottom H" : "right H", i, j,
               cs_width_get(bus->width, bus->h, k), oracle->h[cell]);
        CsScore gap = cs_width_get(bus->width, bus->gap, k);
        if (horizontal)
            expect(trial, variant, "bottom F", i, j, gap, MAX(oracle->f[cell], 0));
        else
            expect_e(trial, variant, i, j, gap);
    }
}

static void
expect_all(const Trial *trial, const Variant *variant, const Swept *swept)
{
    const Case *c = trial->c;
    expect_best(trial, variant, &swept->state.best);
    if (c->m == 0 || c->n == 0)
        return;
    expect_bus(trial, variant, swept->bottom, TRUE, c->m, 0);
    expect_bus(trial, variant, swept->right, FALSE, c->n, 0);
    for (gsize k = 0; k < c->n_special_rows; k++)
        for (gint64 j = 1; j <= c->n; j++) {
            gint64 i = c->special_rows[k], cell = i * trial->oracle.width + j;
            expect(trial, variant, "special H", i, j, swept->special_h[k][j - 1],
                   trial->oracle.h[cell]);
            expect(trial, variant, "special F", i, j, swept->special_f[k][j - 1],
                   MAX(trial->oracle.f[cell], 0));
        }
}

static void
test_oracle(void)
{
    for (guint32 seed = 1; seed <= 500; seed++) {
        g_autoptr(Case) c = case_new(seed, 30);
        OracleProblem problem = case_problem(c);
        Oracle oracle;
        oracle_solve(&problem, &oracle);
        g_assert_cmpint(oracle.score, ==, oracle_score_by_every_gap(&problem));
        const gsize cells = (gsize)(problem.m + 1) * (gsize)(problem.n + 1);
        g_autofree gint64 *gains = g_new(gint64, cells), *truth = g_new(gint64, cells);
        oracle_gains(&problem, gains);
        oracle_gains_by_every_gap(&problem, truth);
        g_assert_cmpmem(gains, cells * sizeof *gains, truth, cells * sizeof *truth);
        oracle_clear(&oracle);
    }
}

/*
 * What the GPU's kernels compute, in plain code, for rows 1 .. last and the columns after `before`:
 * F opened from paired bases only, E from these or from H, and what F lacks added along the last
 * row (docs/proofs/gpu-gaps.md). Returns whether H and the last row's F are the oracle's.
 */
static gboolean
gap_order_agrees(const OracleProblem *p, const Oracle *o, int last, int before, gboolean e_of_pairs)
{
    const gint64 first = p->open + p->extend, *e_left = e_of_pairs ? o->e_of_pairs : o->e;
    gint64 enters = ORACLE_MINUS_INFINITY; /* F in the first column, opened from the entering E */
    g_autofree gint64 *f = g_new(gint64, p->n + 1);
    for (int j = before + 1; j <= p->n; j++)
        f[j] = -first; /* of the border, where H is 0 */
    for (int i = 1; i <= last; i++) {
        int row = i * o->width;
        gint64 e = MAX(e_left[row + before] - p->extend, o->h[row + before] - first);
        gint64 along = enters;
        enters = MAX(enters - p->extend, e - first);
        for (int j = before + 1; j <= p->n; j++) {
            gint64 m = o->h[row - o->width + j - 1] + oracle_pair(p, i, j);
            gint64 h = MAX(m, MAX(e, MAX(f[j], 0)));
            if (h != o->h[row + j] ||
                (i == last && MAX(MAX(f[j], along), 0) != MAX(o->f[row + j], 0)))
                return FALSE;
            along = MAX(along - p->extend, f[j] - first);
            e = MAX(e - p->extend, (e_of_pairs ? m : h) - first);
            f[j] = MAX(f[j] - p->extend, m - first);
        }
    }
    return TRUE;
}

static void
test_gap_order(void)
{
    guint differ = 0;
    for (guint32 seed = 1; seed <= 4000; seed++) {
        g_autoptr(Case) c = case_new(seed, 40);
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        OracleProblem problem = case_problem(c);
        problem.match = g_rand_int_range(rand, 1, 6);
        problem.extend = g_rand_int_range(rand, 1, 4);
        problem.open = g_rand_int_range(rand, 0, 6);
        problem.mismatch = g_rand_int_range(rand, 0, 2 * (gint32)problem.extend + 4);
        if (c->m == 0 || c->n == 0)
            continue;
        Oracle oracle;
        oracle_solve(&problem, &oracle);
        int last = g_rand_int_range(rand, 1, problem.m + 1);
        int before = g_rand_int_range(rand, 0, problem.n);
        g_assert_true(gap_order_agrees(&problem, &oracle, last, before, FALSE));
        gboolean agrees = gap_order_agrees(&problem, &oracle, last, before, TRUE);
        g_assert_true(agrees || problem.mismatch > 2 * problem.extend);
        differ += !agrees;
        oracle_clear(&oracle);
    }
    g_assert_cmpuint(differ, >, 0); /* so the condition is needed */
}

/* Sweeps the whole case on every variant. */
static void
sweep_whole(const Trial *trial)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    for (guint v = 0; v < n_variants; v++) {
        CsRectangle rectangle = trial_rectangle(trial);
        if (!sweeps_accepts(trial->c, &variants[v], &rectangle))
            continue;
        Swept swept;
        sweeps_run(trial->c, &variants[v], rectangle, &swept);
        expect_all(trial, &variants[v], &swept);
        g_assert_cmpint(swept.state.cells_computed, >=, trial->c->m * trial->c->n);
        swept_clear(&swept);
    }
}

static void
test_pairs(void)
{
    static const struct {
        const char *a, *b;
        CsScoring scoring;
    } pairs[] = {
        {"", "", {1, 3, 3, 2}},
        {"", "ACGT", {1, 3, 3, 2}},
        {"A", "A", {1, 3, 3, 2}},
        {"A", "C", {1, 0, 0, 0}},
        {"NNNN", "NNNN", {1, 3, 3, 2}},              /* N matches nothing, N neither */
        {"ACGTNACGT", "ACGTAACGT", {20, 107, 3, 9}}, /* together as much as a byte holds, */
        {"ACGTNACGT", "ACGTAACGT", {20, 108, 3, 9}}, /* and one more */
        {"ACGUacgu", "acgtACGT", {1, 3, 3, 2}},      /* U is T, and case does not count */
        {"ACGTACGT", "ACGT", {1, 3, 3, 2}},          /* two ends with one score */
        {"AAAAAA", "AAAA", {1, 1, 0, 1}},            /* many */
        {"GATTACAGATTACA", "GATTAGATTACA", {2, 3, 3, 1}},
        {"GATTAGATTACA", "GATTACAGATTACA", {2, 3, 3, 1}},
        {"AAAAAATTTCCCCCC", "AAAAAAGGGCCCCCC", {3, 20, 1, 1}}, /* a gap after a gap */
        {"AAAAAATTTCCCCCC", "AAAAAAGGGCCCCCC", {3, 4, 1, 2}},  /* or mismatches, for the same */
    };
    for (guint k = 0; k < 16 * G_N_ELEMENTS(pairs); k++) {
        Case *c = case_new(k, 0);
        g_free(c->a);
        g_free(c->b);
        c->a = g_strdup(pairs[k / 16].a);
        c->b = g_strdup(pairs[k / 16].b);
        c->m = (gint64)strlen(c->a);
        c->n = (gint64)strlen(c->b);
        c->scoring = pairs[k / 16].scoring;
        c->block_height = 1 + k % 4;
        c->block_width = 1 + k / 4 % 4;
        Trial trial;
        trial_init_case(&trial, c, k, 0);
        sweep_whole(&trial);
        trial_clear(&trial);
    }
}

static void
run_whole(gboolean entered, guint32 count)
{
    /* A GPU's whole strips are taller. */
    gboolean gpu = engine_working("cuda", NULL) != NULL;
    for (guint32 seed = first_seed; seed < first_seed + count; seed++) {
        Trial trial;
        int longest = gpu && seed % 64 == 63 ? 2500 : seed % 16 == 0 ? 700 : 270;
        trial_init(&trial, seed, longest, entered);
        sweep_whole(&trial);
        trial_clear(&trial);
    }
}

static void
test_whole(void)
{
    run_whole(FALSE, case_count(5000));
}

/* Many columns in blocks of one or two warps: a GPU's wave then has several slots, and special rows
 * in each. */
static void
test_wide(void)
{
    if (engine_working("cuda", NULL) == NULL) {
        g_test_skip("no GPU");
        return;
    }
    for (guint32 seed = first_seed; seed < first_seed + case_count(1000); seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        Case *c = case_new(seed, 400);
        case_widen(c, rand, 0, (gsize)g_rand_int_range(rand, 600, 2600));
        Trial trial;
        trial_init_case(&trial, c, seed, 0);
        sweep_whole(&trial);
        trial_clear(&trial);
    }
}

static void
test_entered(void)
{
    run_whole(TRUE, case_count(5000) / 5);
}

/*
 * The matrix as four rectangles around a random cell, each on another engine. Each enters the
 * borders that the ones before it left. The merged best cell and every border must be those of the
 * whole.
 */
static void
sweep_quarters(const Trial *trial, guint32 seed)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    const Case *c = trial->c;
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    gint64 rows[] = {0, g_rand_int_range(rand, 0, (gint32)c->m + 1), c->m};
    gint64 columns[] = {0, g_rand_int_range(rand, 0, (gint32)c->n + 1), c->n};
    Swept swept[2][2];
    CsBest best = {0};
    CsRectangle whole = sweeps_rectangle(c, trial->a, trial->b);
    const Variant *variant = NULL;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            CsRectangle part = whole;
            gint64 i0 = rows[p], j0 = columns[q];
            part.rows = cs_view_slice(&whole.rows, i0, rows[p + 1] - i0);
            part.columns = cs_view_slice(&whole.columns, j0, columns[q + 1] - j0);
            g_autoptr(CsBus) row_0 = border_bus(trial, TRUE, j0, columns[q + 1] - j0);
            g_autoptr(CsBus) column_0 = border_bus(trial, FALSE, i0, rows[p + 1] - i0);
            const gboolean entered = p == 1 || q == 1 || trial->top != NULL;
            part.top = p == 1 ? swept[0][q].bottom : entered ? row_0 : NULL;
            part.left = q == 1 ? swept[p][0].right : entered ? column_0 : NULL;
            part.corner = trial->oracle.h[i0 * trial->oracle.width + j0];
            variant =
                sweeps_fitting(c, &variants[g_rand_int_range(rand, 0, (gint32)n_variants)], &part);
            sweeps_run(c, variant, part, &swept[p][q]);
            CsBest shifted = swept[p][q].state.best;
            if (shifted.score > 0) {
                shifted.i += i0;
                shifted.j += j0;
                cs_best_merge(&best, c->tie_order, &shifted);
            }
            if (rows[p + 1] > i0 && columns[q + 1] > j0) {
                expect_bus(trial, variant, swept[p][q].bottom, TRUE, rows[p + 1], j0);
                expect_bus(trial, variant, swept[p][q].right, FALSE, columns[q + 1], i0);
            }
        }
    expect_best(trial, variant, &best);
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++)
            swept_clear(&swept[p][q]);
}

static void
test_quarters(void)
{
    for (guint32 seed = first_seed; seed < first_seed + case_count(5000) / 5; seed++) {
        Trial trial;
        trial_init(&trial, seed, 200, seed % 3 == 0);
        trial.mixed = engine_working("cuda", NULL) != NULL;
        sweep_quarters(&trial, seed);
        trial_clear(&trial);
    }
}

/* Sweeps a part that a staircase left, in place, and merges its best cell. */
static void
continue_part(const Trial *trial, const Variant *variant, CsStaircase *staircase, CsBus *right,
              const CsStep *step, CsBest *best)
{
    const Case *c = trial->c;
    CsRectangle part = sweeps_rectangle(c, trial->a, trial->b);
    gint64 i0 = step != NULL ? step->row : staircase->row, j0 = step != NULL ? step->column : 0;
    gint64 height = step != NULL ? step->height : c->m - i0;
    g_autoptr(CsBus) own_left = border_bus(trial, FALSE, i0, height);
    CsBus horizontal = cs_bus_slice(staircase->horizontal, j0, c->n - j0);
    CsBus vertical = cs_bus_slice(right, i0, height);
    part.rows = cs_view_slice(&part.rows, i0, height);
    part.columns = cs_view_slice(&part.columns, j0, c->n - j0);
    part.corner = step != NULL ? step->corner : staircase->corner;
    part.top = part.bottom = &horizontal;
    part.left = step != NULL ? step->riser : own_left;
    part.right = &vertical;
    CsSweepOptions options = sweeps_options(c, sweeps_fitting(c, variant, &part));
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part, &options);
    CsSweepState state;
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_sweep_run(&part, grid, &options, &state, &error));
    if (state.best.score == 0)
        return;
    state.best.i += i0;
    state.best.j += j0;
    cs_best_merge(best, c->tie_order, &state.best);
}

/* How many columns of each special row were handed out. */
typedef struct {
    const Case *c;
    const Oracle *oracle;
    gint64 columns[G_N_ELEMENTS(((Case *)0)->special_rows)];
} Handed;

static gboolean
count_columns(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
              gboolean bounds, gpointer user_data, GError **error)
{
    Handed *handed = user_data;
    gsize k = 0;
    (void)f;
    (void)error;
    while (handed->c->special_rows[k] != i)
        k++;
    g_assert_cmpint(from, ==, handed->columns[k]);
    for (gint64 j = 0; j < count; j++)
        g_assert_cmpint(h[j], ==, handed->oracle->h[i * handed->oracle->width + from + j + 1]);
    handed->columns[k] += count;
    return TRUE;
}

/* Checks that every special row above the staircase was handed out, and nothing below it. */
static void
expect_handed(const Trial *trial, const Variant *variant, const Handed *handed,
              const CsStaircase *staircase)
{
    for (gsize k = 0; k < trial->c->n_special_rows; k++) {
        gint64 row = trial->c->special_rows[k], reached = row <= staircase->row ? trial->c->n : 0;
        for (guint s = 0; s < staircase->steps->len; s++) {
            const CsStep *step = &g_array_index(staircase->steps, CsStep, s);
            if (row > step->row && row <= step->row + step->height)
                reached = step->column;
        }
        expect(trial, variant, "columns of special row", row, 0, handed->columns[k], reached);
    }
}

/* Stops a sweep of this variant (NULL: of any) after some diagonals and goes on from its staircase on
 * other engines. */
static void
stop_and_continue(const Trial *trial, const Variant *variant, guint32 seed)
{
    const Case *c = trial->c;
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    CsRectangle whole = trial_rectangle(trial);
    const Variant *any = &variants[g_rand_int_range(rand, 0, (gint32)n_variants)];
    variant = sweeps_fitting(c, variant != NULL ? variant : any, &whole);
    CsSweepOptions options = sweeps_options(c, variant);
    g_autoptr(GError) error = NULL;
    g_autoptr(CsBus) right = cs_bus_new(c->m, CS_WIDTH_64, &error);
    Handed handed = {.c = c, .oracle = &trial->oracle};
    whole.right = right;
    whole.row_func = count_columns;
    whole.row_data = &handed;
    if (c->in_place) {
        cs_rectangle_read_left(&whole, right);
        whole.left = right;
    }
    g_autoptr(CsGrid) grid = cs_sweep_plan(&whole, &options);
    CsRun *run =
        options.engine->begin(&whole, grid, &options.shape, &options.engine_options, &error);
    g_assert_no_error(error);
    gint64 stop = g_rand_int_range(rand, 0, (gint32)cs_grid_diagonals(grid) + 1);
    for (gint64 d = 0; d < stop; d++) {
        CsCollected collected;
        g_assert_true(options.engine->submit(run, d, &error));
        g_assert_true(options.engine->collect(run, &collected, &error));
        /* Taking a staircase must not disturb the run. */
        g_auto(CsStaircase) passed = {0};
        if (d == stop / 4 || d == stop / 2 || d == stop - 1)
            g_assert_true(options.engine->staircase(run, &passed, &error));
    }
    g_auto(CsStaircase) staircase = {0};
    g_assert_true(options.engine->staircase(run, &staircase, &error));
    expect_handed(trial, variant, &handed, &staircase);
    options.engine->free(run);

    for (guint k = 0; k <= staircase.steps->len; k++) {
        const CsStep *step =
            k < staircase.steps->len ? &g_array_index(staircase.steps, CsStep, k) : NULL;
        variant = &variants[g_rand_int_range(rand, 0, (gint32)n_variants)];
        continue_part(trial, variant, &staircase, right, step, &staircase.best);
    }
    expect_best(trial, variant, &staircase.best);
    expect_bus(trial, variant, staircase.horizontal, TRUE, c->m, 0);
    expect_bus(trial, variant, right, FALSE, c->n, 0);
}

static void
test_staircase(void)
{
    for (guint32 seed = first_seed; seed < first_seed + case_count(5000) / 5; seed++) {
        Trial trial;
        /* Sometimes large enough for several of a GPU's blocks in a row. */
        trial_init(&trial, seed, seed % 32 == 31 ? 1300 : 200, seed % 3 == 0);
        trial.mixed = engine_working("cuda", NULL) != NULL;
        if (trial.c->m > 0 && trial.c->n > 0)
            stop_and_continue(&trial, NULL, seed);
        trial_clear(&trial);
    }
}

/* A case in which GPUs usually share the columns. */
static Case *
ring_case(guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    Case *c = case_new(seed, 300);
    case_widen(c, rand, (gsize)g_rand_int_range(rand, 60, 400),
               (gsize)g_rand_int_range(rand, 2500, 7000));
    c->block_height = g_rand_int_range(rand, 0, 4) == 0 ? 65 : 33;
    return c;
}

static const Variant *
ring_variant(guint32 seed)
{
    static const Variant rings[] = {{"gpus", NULL, 0}, {"gpus", NULL, 16}, {"gpus", NULL, 32}};
    return &rings[seed % G_N_ELEMENTS(rings)];
}

/* GPUs that share a matrix: everything that leaves. */
static void
test_rings(void)
{
    if (engine_working("cuda", NULL) == NULL) {
        g_test_skip("no GPU");
        return;
    }
    guint shared = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(1000); seed++) {
        Case *c = ring_case(seed);
        Trial trial;
        trial_init_case(&trial, c, seed, seed % 4 == 0 ? 1 + seed % 10000 : 0);
        const CsRectangle rectangle = trial_rectangle(&trial);
        if (sweeps_accepts(c, ring_variant(seed), &rectangle)) {
            Swept swept;
            sweeps_run(c, ring_variant(seed), rectangle, &swept);
            expect_all(&trial, ring_variant(seed), &swept);
            shared += sweeps_members(c, ring_variant(seed), &rectangle, swept.grid) > 1;
            swept_clear(&swept);
        }
        trial_clear(&trial);
    }
    g_test_message("%u rings of several members", shared);
    g_assert_cmpuint(shared, >, case_count(1000) / 6);
}

/* A GPU that has a slot for each block row computes them in a ring as it does without one. */
static void
test_ring_of_few_rows(void)
{
    enum {
        M = 3000,
        N = 100000
    };
    const CsEngineClass *gpu = engine_working("cuda", NULL);
    if (gpu == NULL) {
        g_test_skip("no GPU");
        return;
    }
    const CsMember members[] = {{gpu, "0", 1, 0}, {gpu, "0", 1, 0}};
    g_autofree guint8 *codes = g_new0(guint8, N);
    const CsRectangle rectangle = {.rows = {.codes = codes, .length = M},
                                   .columns = {.codes = codes, .length = N},
                                   .scoring = CS_SCORING_DEFAULT};
    CsSweepOptions one = {.engine = gpu, .engine_options = {.threads = 1}};
    CsSweepOptions two = {.engine = &cs_ring_gpu_engine,
                          .engine_options = {.threads = 1, .members = members, .n_members = 2}};
    g_autoptr(CsGrid) alone = cs_sweep_plan(&rectangle, &one);
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &two);
    g_assert_cmpint(alone->depth, >, 1);
    g_assert_cmpint(grid->depth, ==, alone->depth);
    g_assert_cmpint(grid->block_rows, ==, alone->block_rows);
    g_assert_cmpuint(cs_ring_share_count(&rectangle, grid, &two.engine_options), ==, 1);
    g_autoptr(CsGrid) again = cs_sweep_plan(&rectangle, &two);
    g_assert_cmpint(again->depth, ==, alone->depth);
    g_assert_cmpuint(again->members, ==, 1);
}

/* The same, stopped anywhere. */
static void
test_rings_staircase(void)
{
    for (guint32 seed = first_seed;
         engine_working("cuda", NULL) != NULL && seed < first_seed + case_count(1000); seed++) {
        Case *c = ring_case(seed);
        Trial trial;
        if (seed % 3 > 0) /* the last row is not kept */
            c->n_special_rows = 0;
        trial_init_case(&trial, c, seed, seed % 4 == 0 ? 1 + seed % 10000 : 0);
        trial.mixed = TRUE;
        stop_and_continue(&trial, ring_variant(seed), seed);
        trial_clear(&trial);
    }
}

/* Bounds per block row: a match for each row that is left. */
static CsScore *
matches_left(const CsGrid *grid, gboolean rows, CsScore match)
{
    gint64 blocks = rows ? grid->block_rows : grid->block_columns;
    CsScore *bounds = g_new(CsScore, blocks + 1);
    for (gint64 b = 0; b < blocks; b++)
        bounds[b] = match * (rows ? grid->m - grid->row_starts[b]
                                  : grid->n - cs_grid_column_start(grid, b));
    return bounds;
}

/* Skipping with bounds that hold changes neither score nor end cell, and does skip blocks. */
static void
test_skipping(void)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    gint64 cells = 0, cells_computed = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(5000) / 5; seed++) {
        Trial trial;
        trial_init(&trial, seed, 270, FALSE);
        Case *c = trial.c;
        c->block_height = MIN(c->block_height, 1 + seed % 17);
        c->block_width = MIN(c->block_width, 1 + seed % 23);
        c->n_special_rows = 0;
        CsRectangle rectangle = trial_rectangle(&trial);
        const Variant *variant = sweeps_fitting(trial.c, &variants[seed % n_variants], &rectangle);
        g_autoptr(CsGrid) grid = sweeps_grid(c, variant, &rectangle);
        g_autofree CsScore *row_bounds = matches_left(grid, TRUE, c->scoring.match);
        g_autofree CsScore *column_bounds = matches_left(grid, FALSE, c->scoring.match);
        rectangle.row_bounds = row_bounds;
        rectangle.column_bounds = column_bounds;
        rectangle.threshold = seed % 2 == 0 ? trial.oracle.score : 0;
        Swept swept;
        sweeps_run(c, variant, rectangle, &swept);
        expect_best(&trial, variant, &swept.state.best);
        if (variant->bits == 0) { /* a GPU may leave skipping alone */
            cells += c->m * c->n;
            cells_computed += swept.state.cells_computed;
        }
        swept_clear(&swept);
        trial_clear(&trial);
    }
    g_test_message("computed %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " cells", cells_computed,
                   cells);
    if (case_count(5000) >= 100) /* with few small pairs there may be nothing to skip */
        g_assert_cmpint(cells_computed, <, cells);
}

/* The tightest bounds: the highest gain in a row or column of blocks, borders included. */
static CsScore *
true_gains(const CsGrid *grid, gboolean rows, const gint64 *gains)
{
    gint64 blocks = rows ? grid->block_rows : grid->block_columns;
    CsScore *bounds = g_new0(CsScore, blocks + 1);
    for (gint64 b = 0; b < blocks; b++) {
        gint64 from = rows ? grid->row_starts[b] : cs_grid_column_start(grid, b);
        gint64 to = rows ? grid->row_starts[b + 1] : cs_grid_column_start(grid, b + 1);
        for (gint64 k = from; k <= to; k++)
            for (gint64 l = 0; l <= (rows ? grid->n : grid->m); l++)
                bounds[b] =
                    MAX(bounds[b], gains[rows ? k * (grid->n + 1) + l : l * (grid->n + 1) + k]);
    }
    return bounds;
}

/* Two sequences that share their first and last thirds; only one has a middle third. */
static void
make_long_gap(Case *c, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    gint64 side = g_rand_int_range(rand, 8, 20), gap = g_rand_int_range(rand, 2, 9);
    c->m = 2 * side + gap;
    c->n = 2 * side;
    c->a = g_realloc(c->a, c->m + 1);
    c->b = g_realloc(c->b, c->n + 1);
    for (gint64 k = 0; k < c->m; k++)
        c->a[k] = "ACGT"[g_rand_int_range(rand, 0, 4)];
    for (gint64 k = 0; k < c->n; k++)
        c->b[k] = c->a[k < side ? k : k + gap];
    c->a[c->m] = c->b[c->n] = '\0';
    if (g_rand_boolean(rand)) {
        char *bases = c->a;
        c->a = c->b;
        c->b = bases;
        c->m = 2 * side;
        c->n = 2 * side + gap;
    }
}

/* Skipping with the tightest bounds and the true score: with one less anywhere in the rule, the
 * answers would be wrong. */
static void
test_tight_skipping(void)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    const CsScoring scorings[] = {{1, 3, 3, 2}, {2, 3, 5, 2}, {5, 4, 10, 1}};
    const guint32 cases = case_count_is_low() ? 250 : 1000;
    for (guint32 seed = first_seed; seed < first_seed + cases; seed++) {
        Case *c = case_new(seed, 1);
        c->scoring = scorings[seed % G_N_ELEMENTS(scorings)];
        c->block_height = 1 + seed % 3;
        c->block_width = 1 + seed / 3 % 3;
        c->n_special_rows = 0;
        make_long_gap(c, seed);
        Trial trial;
        trial_init_case(&trial, c, seed, 0);
        const OracleProblem problem = case_problem(c);
        g_autofree gint64 *gains = g_new(gint64, (c->m + 1) * (c->n + 1));
        oracle_gains(&problem, gains);
        CsRectangle rectangle = trial_rectangle(&trial);
        const Variant *variant = sweeps_fitting(trial.c, &variants[seed % n_variants], &rectangle);
        g_autoptr(CsGrid) grid = sweeps_grid(c, variant, &rectangle);
        g_autofree CsScore *row_bounds = true_gains(grid, TRUE, gains);
        g_autofree CsScore *column_bounds = true_gains(grid, FALSE, gains);
        rectangle.row_bounds = row_bounds;
        rectangle.column_bounds = column_bounds;
        rectangle.threshold = trial.oracle.score;
        Swept swept;
        sweeps_run(c, variant, rectangle, &swept);
        expect_best(&trial, variant, &swept.state.best);
        swept_clear(&swept);
        trial_clear(&trial);
    }
}

/* A sweep over reversed, or reversed and complemented, views equals one over such bases. */
static void
test_views(void)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    for (guint32 seed = first_seed; seed < first_seed + 200; seed++) {
        Trial trial;
        trial_init(&trial, seed, 150, FALSE);
        Case *c = trial.c;
        CsRectangle rectangle = sweeps_rectangle(c, trial.a, trial.b);
        rectangle.columns.reversed = TRUE;
        rectangle.columns.complement = TRUE;
        g_strreverse(c->b);
        for (char *base = c->b; *base != '\0'; base++)
            switch (g_ascii_toupper(*base)) {
            case 'A': *base = 'T'; break;
            case 'C': *base = 'G'; break;
            case 'G': *base = 'C'; break;
            case 'T': *base = 'A'; break;
            default: break;
            }
        OracleProblem problem = case_problem(c);
        oracle_clear(&trial.oracle);
        oracle_solve(&problem, &trial.oracle);
        Swept swept;
        const Variant *variant = sweeps_fitting(trial.c, &variants[seed % n_variants], &rectangle);
        sweeps_run(c, variant, rectangle, &swept);
        expect_best(&trial, variant, &swept.state.best);
        swept_clear(&swept);
        trial_clear(&trial);
    }
}

/* With one thread and a small depth, a special row is complete before rows far below it begin. */
typedef struct {
    gint64 completed[4];
    gsize n;
    gint64 width;
} Order;

static gboolean
note_completion(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                gboolean bounds, gpointer user_data, GError **error)
{
    Order *order = user_data;
    if (from + count == order->width)
        order->completed[order->n++] = i;
    return TRUE;
}

static gboolean
fail_at_once(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
             gboolean bounds, gpointer user_data, GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED, "no room");
    return FALSE;
}

static CsSweepAction
stop_at_once(const CsSweepState *state, gpointer user_data)
{
    return CS_SWEEP_STOP;
}

static void
test_row_function(void)
{
    g_autoptr(CsSequence) a = random_sequence(4000, 1), b = random_sequence(3000, 2);
    const gint64 rows[] = {1000, 2000, 3000, 4000};
    Order order = {.width = 3000};
    CsRectangle rectangle = {
        .rows = cs_view_of(a),
        .columns = cs_view_of(b),
        .scoring = CS_SCORING_DEFAULT,
        .special_rows = rows,
        .n_special_rows = G_N_ELEMENTS(rows),
        .row_func = note_completion,
        .row_data = &order,
    };
    CsSweepOptions options = {.engine = &cs_simd_engine,
                              .engine_options = {.threads = 2},
                              .shape = {100, 200, 4, 0, 0, FALSE}};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    CsSweepState state = {.cells = -1};
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, &error));
    g_assert_cmpuint(order.n, ==, 4);
    for (gsize k = 0; k < order.n; k++)
        g_assert_cmpint(order.completed[k], ==, rows[k]);

    /* A row function that fails ends the sweep with its error, and the state stays as it was. */
    rectangle.row_func = fail_at_once;
    state.cells = -1;
    g_assert_false(cs_sweep_run(&rectangle, grid, &options, &state, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_cmpint(state.cells, ==, -1);
}

static void
test_stop(void)
{
    g_autoptr(CsSequence) a = random_sequence(60000, 1), b = random_sequence(60000, 2);
    CsRectangle rectangle = {
        .rows = cs_view_of(a),
        .columns = cs_view_of(b),
        .scoring = CS_SCORING_DEFAULT,
    };
    CsSweepOptions options = {
        .engine = &cs_scalar_engine,
        .engine_options = {.threads = 2},
        .func = stop_at_once,
    };
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    CsSweepState state = {.cells = -1};
    g_autoptr(GError) error = NULL;
    g_assert_false(cs_sweep_run(&rectangle, grid, &options, &state, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_assert_cmpint(state.cells, ==, -1);
}

/* The public call: target rows first in ties, whichever of the two is longer and lies along the
 * rows. */
static void
test_compare(void)
{
    gint64 transposed = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(5000) / 5; seed++) {
        Trial trial;
        trial_init(&trial, seed, 60, FALSE);
        trial.c->tie_order = CS_TIE_ROW_FIRST;
        OracleProblem problem = case_problem(trial.c);
        oracle_clear(&trial.oracle);
        oracle_solve(&problem, &trial.oracle);
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        options.scoring = trial.c->scoring;
        options.threads = trial.c->threads;
        CsCompareResult result;
        g_autoptr(GError) error = NULL;
        g_assert_true(cs_compare(trial.a, trial.b, &options, &result, &error));
        CsBest best = {result.score, result.target_end, result.query_end};
        expect_best(&trial, &(Variant){"compare", NULL, 0}, &best);
        g_assert_cmpint(result.cells, ==, trial.c->m * trial.c->n);
        transposed += trial.c->n > trial.c->m;
        trial_clear(&trial);
    }
    if (case_count(5000) >= 250) /* with few cases there may be none */
        g_assert_cmpint(transposed, >, 0);
}

/* What cs_compare() refuses, each with its kind of error. */
static void
test_refusals(void)
{
    g_autoptr(CsSequence) a = random_sequence(100, 1);
    const gint64 large = G_MAXINT64 / 64;
    const struct {
        CsScoring scoring;
        const char *engine;
        CsError code;
    } refusals[] = {
        {{0, 3, 3, 2}, NULL, CS_ERROR_USAGE},
        {{-1, 3, 3, 2}, NULL, CS_ERROR_USAGE},
        {{1, -3, 3, 2}, NULL, CS_ERROR_USAGE},
        {{1, 3, -3, 2}, NULL, CS_ERROR_USAGE},
        {{1, 3, 3, -2}, NULL, CS_ERROR_USAGE},
        {{large, 3, 3, 2}, NULL, CS_ERROR_USAGE},
        {{1, G_MAXINT64, 3, 2}, NULL, CS_ERROR_USAGE},
        {{1, 3, G_MAXINT64, 2}, NULL, CS_ERROR_USAGE},
        {{1, 3, 3, G_MAXINT64 / 2}, NULL, CS_ERROR_USAGE},
        {{1, 3, 3, 2}, "none", CS_ERROR_USAGE},
    };
    for (guint k = 0; k < G_N_ELEMENTS(refusals); k++) {
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        options.scoring = refusals[k].scoring;
        options.engine = refusals[k].engine;
        CsCompareResult result = {.score = -7};
        g_autoptr(GError) error = NULL;
        g_assert_false(cs_compare(a, a, &options, &result, &error));
        g_assert_error(error, CS_ERROR, (int)refusals[k].code);
        g_assert_cmpint(result.score, ==, -7);
    }

    /* The largest costs that are accepted are exact. */
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = (CsScoring){1, large, large, large};
    CsCompareResult result;
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_compare(a, a, &options, &result, &error));
    g_assert_cmpint(result.score, ==, 100);
    g_assert_cmpint(result.target_end, ==, 100);
}

/* Gains and costs at the limits of 32 bits, where the width must change and nothing may wrap. */
static void
test_widths(void)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    g_autofree char *bases = g_strnfill(300, 'G');
    g_autoptr(CsSequence) a = cs_sequence_new("a", bases, 300, NULL);
    for (gint64 total = G_GINT64_CONSTANT(1) << 27; total < G_GINT64_CONSTANT(1) << 36; total *= 2)
        for (gint64 nudge = -2; nudge <= 2; nudge++)
            for (guint v = 0; v < n_variants; v++) {
                Case c = {.m = 300,
                          .n = 300,
                          .block_height = 70,
                          .block_width = 90,
                          .depth = 2,
                          .threads = 1};
                c.scoring =
                    (CsScoring){total / 300 + nudge, total / 16 + nudge, total / 32, total / 32};
                CsRectangle rectangle = sweeps_rectangle(&c, a, a);
                if (!sweeps_accepts(&c, &variants[v], &rectangle))
                    continue;
                Swept swept;
                sweeps_run(&c, &variants[v], rectangle, &swept);
                g_assert_cmpint(swept.state.best.score, ==, 300 * c.scoring.match);
                g_assert_cmpint(swept.state.best.i, ==, 300);
                swept_clear(&swept);
            }
}

/* The width that is asked for is taken or refused. The CPU always has 64 bits, and 32 if the scores
 * fit. */
static void
test_bits(void)
{
    g_autoptr(CsSequence) a = random_sequence(500, 1), b = random_sequence(500, 2);
    const struct {
        gint64 match;
        guint bits;
        gboolean fits;
    } widths[] = {
        {1, 0, TRUE},       {1, 16, FALSE},       {1, 32, TRUE},       {1, 64, TRUE},
        {1 << 28, 0, TRUE}, {1 << 28, 32, FALSE}, {1 << 28, 64, TRUE}, {1, 7, FALSE},
    };
    CsScore score = 0;
    for (guint k = 0; k < G_N_ELEMENTS(widths); k++) {
        Case c = {.scoring = {widths[k].match, 3, 3, 2}, .threads = 1};
        CsRectangle rectangle = sweeps_rectangle(&c, a, b);
        CsSweepOptions options = sweeps_options(&c, &(Variant){"simd", NULL, widths[k].bits});
        g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
        g_autoptr(GError) error = NULL;
        gboolean fits =
            options.engine->accepts(&rectangle, &options.shape, &options.engine_options, &error);
        g_assert_cmpint(fits, ==, widths[k].fits);
        CsSweepState state;
        if (!fits) {
            g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
            g_clear_error(&error);
            g_assert_false(cs_sweep_run(&rectangle, grid, &options, &state, &error));
            g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
            continue;
        }
        g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, &error));
        if (widths[k].match == 1 && score != 0)
            g_assert_cmpint(state.best.score, ==, score);
        score = k == 0 ? state.best.score : score;
    }
}

/*
 * The best cell in every row of a lane, in even and odd columns. A GPU looks only at some of these cells. Another cell
 * scores the same further down, and is known before: then the chunk of the best cell counts only if its bound is right.
 */
static void
test_seldom_seen(void)
{
    enum {
        M = 1216,
        N = 800,
        WORDS = 19,
        LENGTH = 61
    }; /* a block of one warp of the form of 19 words */
    if (engine_working("cuda", NULL) == NULL) {
        g_test_skip("no GPU");
        return;
    }
    for (guint k = 0; k < 2 * WORDS; k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(k);
        Case *c = case_new(1, 90);
        g_free(c->a);
        g_free(c->b);
        c->m = M;
        c->n = N;
        c->a = g_strnfill(M, 'A');
        c->b = g_strnfill(N, 'G');
        for (int l = 0; l < LENGTH; l++) {
            c->a[900 + l] = c->b[60 + l] = "CT"[g_rand_int_range(rand, 0, 2)];
            c->a[500 + k / 2 + (guint)l] = c->b[600 + k % 2 + (guint)l] =
                "CT"[g_rand_int_range(rand, 0, 2)];
        }
        c->scoring = (CsScoring){1, 3, 3, 2};
        c->tie_order = CS_TIE_ROW_FIRST;
        c->n_special_rows = 0;
        Trial trial;
        trial_init_case(&trial, c, k, 0);
        const Variant variant = {"cuda", NULL, 0};
        const CsRectangle rectangle = trial_rectangle(&trial);
        CsSweepOptions options = sweeps_options(c, &variant);
        options.shape = (CsGridShape){.block_height = M, .block_width = 1, .block_threads = 32};
        g_autoptr(GError) error = NULL;
        g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
        g_assert_cmpint(grid->block_rows, ==, 1);
        CsSweepState state;
        g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, &error));
        g_assert_no_error(error);
        expect_best(&trial, &variant, &state.best);
        trial_clear(&trial);
    }
}

/* Without a GPU, a skipped test says so. */
static void
test_cuda(void)
{
    g_autoptr(GError) error = NULL;
    if (engine_working("cuda", &error) == NULL)
        g_test_skip(error->message);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/oracle/every-gap", test_oracle);
    g_test_add_func("/oracle/gap-order", test_gap_order);
    g_test_add_func("/engines/pairs", test_pairs);
    g_test_add_func("/engines/whole", test_whole);
    g_test_add_func("/engines/wide", test_wide);
    g_test_add_func("/engines/entered", test_entered);
    g_test_add_func("/engines/quarters", test_quarters);
    g_test_add_func("/engines/staircase", test_staircase);
    g_test_add_func("/engines/rings", test_rings);
    g_test_add_func("/engines/rings-staircase", test_rings_staircase);
    g_test_add_func("/engines/ring-of-few-rows", test_ring_of_few_rows);
    g_test_add_func("/engines/skipping", test_skipping);
    g_test_add_func("/engines/tight-skipping", test_tight_skipping);
    g_test_add_func("/engines/views", test_views);
    g_test_add_func("/engines/row-function", test_row_function);
    g_test_add_func("/engines/stop", test_stop);
    g_test_add_func("/engines/widths", test_widths);
    g_test_add_func("/engines/compare", test_compare);
    g_test_add_func("/engines/refusals", test_refusals);
    g_test_add_func("/engines/bits", test_bits);
    g_test_add_func("/engines/seldom-seen", test_seldom_seen);
    g_test_add_func("/engines/cuda", test_cuda);
    return g_test_run();
}
