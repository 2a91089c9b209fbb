/*
 * Matrices that are stopped again and again, and resumed on any engine: score, end cell, last row
 * and every special row must be the oracle's. CHROMOSWEEP_TEST_CASES is the number of cases, the
 * first argument the first seed.
 */
#include <chromosweep/error.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "sweep/remainder.h"
#include "sweeps.h"

static guint32 first_seed = 1;
static gboolean gpu; /* among the engines */

/* A matrix in progress, and when it is stopped next. */
typedef struct {
    const Case *c;
    const Oracle *oracle;
    CsRemainder remainder;
    CsPart *part;
    GRand *rand;
    CsStaircase stand;                                       /* of the last stop */
    gint64 columns[G_N_ELEMENTS(((Case *)0)->special_rows)]; /* of special rows, handed out */
    guint stops;
    gboolean wide;
} Way;

static gint64
truth_at(const Way *way, const int64_t *matrix, gint64 i, gint64 j)
{
    return MAX(matrix[i * way->oracle->width + j], 0);
}

static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, GError **error)
{
    Way *way = user_data;
    gsize k = 0;
    (void)error;
    g_assert_false(bounds);
    while (way->c->special_rows[k] != i)
        k++;
    /* What a stopped part has handed out beyond its staircase is not handed out again. */
    g_assert_cmpint(from, ==, way->columns[k]);
    for (gint64 j = 0; j < count; j++) {
        g_assert_cmpint(h[j], ==, truth_at(way, way->oracle->h, i, from + j + 1));
        g_assert_cmpint(f[j], ==, truth_at(way, way->oracle->f, i, from + j + 1));
    }
    way->columns[k] += count;
    return TRUE;
}

/* A CsSweepFunc that sometimes asks to keep or to stop. */
static CsSweepAction
dice(const CsSweepState *state, gpointer user_data)
{
    Way *way = user_data;
    (void)state;
    switch (g_rand_int_range(way->rand, 0, way->stops < 40 ? 4 : 100)) {
    case 0: return CS_SWEEP_KEEP;
    case 1: return CS_SWEEP_STOP;
    default: return CS_SWEEP_GO_ON;
    }
}

/* A GPU may hand out an E that was opened from paired bases only, and engines that go on may have
 * it from there. In a riser's first rows it may hand out an E from which the next column's E
 * follows, which may have been opened here. */
static void
expect_riser(const Way *way, const CsStep *step, gint64 i)
{
    const CsBus *riser = step->riser;
    CsScore h = cs_width_get(riser->width, riser->h, i - 1);
    CsScore e = cs_width_get(riser->width, riser->gap, i - 1);
    gint64 highest = truth_at(way, way->oracle->e, step->row + i, step->column);
    gint64 lowest = truth_at(way, way->oracle->e_of_pairs, step->row + i, step->column);
    g_assert_cmpint(h, ==, truth_at(way, way->oracle->h, step->row + i, step->column));
    g_assert_cmpint(e, <=, gpu ? MAX(highest, h - way->c->scoring.gap_open) : highest);
    g_assert_cmpint(e, >=, gpu ? lowest : highest);
}

/* Every value of a staircase is the matrix's. */
static void
expect_staircase(const Way *way, const CsStaircase *stand)
{
    gint64 n = way->c->n, above = n, row = stand->steps->len > 0 ? 0 : stand->row;
    gint64 cells = 0;
    g_autofree gint64 *stands_at = g_new(gint64, n + 1);
    for (gint64 j = 1; j <= n; j++)
        stands_at[j] = stand->row;
    for (guint k = stand->steps->len; k-- > 0;) {
        const CsStep *step = &g_array_index(stand->steps, CsStep, k);
        for (gint64 j = step->column + 1; j <= n; j++)
            stands_at[j] = step->row;
    }
    for (guint k = 0; k < stand->steps->len; k++) {
        const CsStep *step = &g_array_index(stand->steps, CsStep, k);
        if (k > 0)
            g_assert_cmpint(step->row, ==, row);
        g_assert_cmpint(step->column, <=, above); /* equal after cut_step() */
        g_assert_cmpint(step->column, >, 0);
        g_assert_cmpint(step->height, >, 0);
        above = step->column;
        row = step->row + step->height;
        g_assert_cmpint(step->corner, ==, truth_at(way, way->oracle->h, step->row, step->column));
        for (gint64 i = 1; i <= step->height; i++)
            expect_riser(way, step, i);
    }
    g_assert_cmpint(row, ==, stand->row);
    for (gint64 j = 1; j <= n; j++) {
        const CsBus *bus = stand->horizontal;
        g_assert_cmpint(cs_width_get(bus->width, bus->h, j - 1), ==,
                        truth_at(way, way->oracle->h, stands_at[j], j));
        g_assert_cmpint(cs_width_get(bus->width, bus->gap, j - 1), ==,
                        truth_at(way, way->oracle->f, stands_at[j], j));
        cells += stands_at[j];
    }
    g_assert_cmpint(cs_staircase_cells(stand), ==, cells);
}

/* A CsKeepFunc. */
static gboolean
take_stand(CsStaircase *within, const GError *failure, const CsSweepState *state,
           gpointer user_data, GError **error)
{
    Way *way = user_data;
    (void)state;
    (void)failure;
    cs_staircase_clear(&way->stand);
    g_assert_true(cs_remainder_stand(&way->remainder, way->part, within, &way->stand, error));
    expect_staircase(way, &way->stand);
    return TRUE;
}

/* Sometimes cuts a step in two at the same column, as a state file may have it. */
static void
cut_step(Way *way)
{
    GArray *steps = way->stand.steps;
    if (steps->len == 0 || g_rand_int_range(way->rand, 0, 4) > 0)
        return;
    guint k = (guint)g_rand_int_range(way->rand, 0, (gint32)steps->len);
    CsStep upper = g_array_index(steps, CsStep, k), lower = upper;
    if (upper.height < 2)
        return;
    upper.height = g_rand_int_range(way->rand, 1, (gint32)upper.height);
    lower.row += upper.height;
    lower.height -= upper.height;
    lower.corner = cs_width_get(upper.riser->width, upper.riser->h, upper.height - 1);
    lower.riser = cs_bus_new(lower.height, upper.riser->width, NULL);
    cs_bus_copy(lower.riser, 0, upper.riser, upper.height, lower.height);
    CsBus *above = cs_bus_new(upper.height, upper.riser->width, NULL);
    cs_bus_copy(above, 0, upper.riser, 0, upper.height);
    cs_bus_free(upper.riser);
    upper.riser = above;
    g_array_index(steps, CsStep, k) = upper;
    g_array_insert_val(steps, k + 1, lower);
}

/* Computes one part on a random engine. If it stops, goes on from what was kept. */
static void
run_part(Way *way)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    g_autoptr(GError) error = NULL;
    g_auto(CsPart) part = {0};
    g_assert_true(cs_remainder_next(&way->remainder, &part, &error));
    way->part = &part;
    Case cut = *way->c; /* another grid each time */
    if (!way->wide || g_rand_boolean(way->rand)) {
        cut.block_height = g_rand_int_range(way->rand, 1, (gint32)cut.block_height + 1);
        cut.block_width = g_rand_int_range(way->rand, 1, (gint32)cut.block_width + 1);
    }
    const Variant *any = &variants[g_rand_int_range(way->rand, 0, (gint32)n_variants)];
    const Variant *last = &variants[n_variants - 1]; /* of wide ones half are rings of GPUs */
    const Variant *variant =
        sweeps_fitting(&cut, way->wide && g_rand_boolean(way->rand) ? last : any, &part.rectangle);
    CsSweepOptions options = sweeps_options(&cut, variant);
    options.func = dice;
    options.keep = take_stand;
    options.func_data = way;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&part.rectangle, &options);
    CsSweepState state;
    if (cs_sweep_run(&part.rectangle, grid, &options, &state, &error)) {
        g_assert_true(cs_remainder_finish(&way->remainder, &part, &state.best, &error));
        return;
    }
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    cs_remainder_clear(&way->remainder);
    cut_step(way);
    cs_remainder_init_take(&way->remainder, way->remainder.whole, &way->stand);
    way->stops++;
}

/* `wide`: with so many columns that GPUs share them. */
static guint
run_case(guint32 seed, int longest, gboolean wide)
{
    g_autoptr(Case) c = case_new(seed, longest);
    if (wide) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        case_widen(c, rand, (gsize)g_rand_int_range(rand, 60, 300),
                   (gsize)g_rand_int_range(rand, 2500, 7000));
        c->block_height = 33;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = cs_sequence_new("a", c->a, c->m, &error);
    g_autoptr(CsSequence) b = cs_sequence_new("b", c->b, c->n, &error);
    g_assert_no_error(error);
    Oracle oracle;
    OracleProblem problem = case_problem(c);
    oracle_solve(&problem, &oracle);
    Way way = {.c = c, .oracle = &oracle, .rand = g_rand_new_with_seed(seed), .wide = wide};
    CsRectangle whole = sweeps_rectangle(c, a, b);
    whole.special_rows = c->special_rows;
    whole.n_special_rows = c->n_special_rows;
    whole.row_func = take_row;
    whole.row_data = &way;
    g_assert_true(cs_remainder_init(&way.remainder, &whole, &error));
    while (!cs_remainder_is_complete(&way.remainder))
        run_part(&way);
    const CsStaircase *end = &way.remainder.staircase;
    expect_staircase(&way, end);
    g_assert_cmpint(end->best.score, ==, oracle.score);
    g_assert_cmpint(end->best.i, ==, oracle.i);
    g_assert_cmpint(end->best.j, ==, oracle.j);
    for (gsize k = 0; k < c->n_special_rows; k++)
        g_assert_cmpint(way.columns[k], ==, c->n);
    cs_staircase_clear(&way.stand);
    cs_remainder_clear(&way.remainder);
    g_rand_free(way.rand);
    oracle_clear(&oracle);
    return way.stops;
}

static void
test_stops(void)
{
    const guint cases = case_count(2000);
    guint stops = 0;
    for (guint32 k = 0; k < cases; k++)
        stops += run_case(first_seed + k, k % 32 == 31 ? 1300 : 200, FALSE);
    g_test_message("stopped %u times in %u cases", stops, cases);
    /* Usually one or two stops per case. A request has no effect once all diagonals are submitted,
     * and when that is depends on the engine and on timing. */
    if (cases >= 100)
        g_assert_cmpuint(stops, >, cases / 4);
}

/* The same where GPUs share the matrix. */
static void
test_rings(void)
{
    guint stops = 0;
    for (guint32 k = 0; gpu && k < case_count(1000); k++)
        stops += run_case(first_seed + k, 250, TRUE);
    g_test_message("stopped %u times", stops);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    gpu = engine_working("cuda", NULL) != NULL;
    g_test_add_func("/remainder/stops", test_stops);
    g_test_add_func("/remainder/rings", test_rings);
    return g_test_run();
}
