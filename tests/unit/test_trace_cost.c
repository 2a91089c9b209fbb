/* What the strips of a trace cost: ordinary ones, unrelated ones, and gaps. */
#include "alignment/trace_cost.h"

enum {
    DISTANCE = 1000,
    STRIPS = 20,
};

static const CsScoring scoring = {.match = 1, .mismatch = 3, .gap_open = 3, .gap_extend = 2};

/* What the path gains from the top of each strip to its bottom. */
static void
cost_of(const CsScore *gains, CsTraceCost *cost)
{
    g_autoptr(GError) error = NULL;
    gint64 at[STRIPS - 1];
    for (gint64 k = 0; k < STRIPS - 1; k++)
        at[k] = (k + 1) * DISTANCE;
    g_autoptr(CsRows) rows = cs_rows_new(at, STRIPS - 1, CS_WIDTH_64, &error);
    g_assert_no_error(error);
    CsScore h[3] = {1, 0, 1}, f[3] = {0};
    for (gsize k = 0; k < STRIPS - 1; k++) {
        h[1] += gains[k];
        g_assert_true(cs_rows_take(at[k], 0, 3, h, f, FALSE, rows, &error));
    }
    const CsBest end = {h[1] + gains[STRIPS - 1], (gint64)STRIPS * DISTANCE, 3};
    cs_trace_cost_init(cost, rows, &scoring, &end);
}

static double
cost_of_strip(const CsTraceCost *cost, gint64 k)
{
    return cs_trace_cost_above(cost, (k + 1) * DISTANCE) - cs_trace_cost_above(cost, k * DISTANCE);
}

static void
test_kinds(void)
{
    CsScore gains[STRIPS];
    for (gsize k = 0; k < STRIPS; k++)
        gains[k] = 30000;
    gains[3] = -5; /* alone: another thread takes it */
    for (gsize k = 6; k < 10; k++)
        gains[k] = -1000;
    for (gsize k = 11; k < 15; k++)
        gains[k] = -2 * DISTANCE; /* a gap down */
    gains[17] = -20000;
    CsTraceCost cost;
    cost_of(gains, &cost);
    CsScore end = 0;
    for (gsize k = 0; k < STRIPS; k++)
        end += gains[k];
    const double right = ((double)end / STRIPS + 20000) / 2;
    for (gint64 k = 0; k < STRIPS; k++) {
        const double columns = k == 6 || k == 7 ? 1.5 * DISTANCE : k == 17 ? right : 0;
        g_assert_cmpfloat_with_epsilon(cost_of_strip(&cost, k),
                                       DISTANCE * (1 + columns / CS_TRACE_COLUMNS), 1e-6);
    }
    const double whole = cost_of_strip(&cost, 17);
    g_assert_cmpfloat_with_epsilon(cs_trace_cost_above(&cost, 17 * DISTANCE + DISTANCE / 4) -
                                       cs_trace_cost_above(&cost, 17 * DISTANCE),
                                   whole / 4, 1e-6);
    cs_trace_cost_clear(&cost);
}

/* Without rows. */
static void
test_plain(void)
{
    const CsBest end = {50, 400, 300};
    CsTraceCost cost;
    cs_trace_cost_init(&cost, NULL, &scoring, &end);
    g_assert_cmpfloat_with_epsilon(cs_trace_cost_above(&cost, 400), 400, 1e-9);
    g_assert_cmpfloat_with_epsilon(cs_trace_cost_above(&cost, 100), 100, 1e-9);
    g_assert_cmpfloat(cs_trace_cost_above(&cost, 0), ==, 0);
    cs_trace_cost_clear(&cost);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace-cost/kinds", test_kinds);
    g_test_add_func("/trace-cost/plain", test_plain);
    return g_test_run();
}
