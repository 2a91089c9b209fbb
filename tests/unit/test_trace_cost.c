/* What the strips of a trace cost: ordinary ones, unrelated ones, and gaps. */
#include "alignment/trace_cost.h"

enum {
    DISTANCE = 1000,
    STRIPS = 20,
    START = 100000, /* the path's column and H above all rows */
};

static const CsScoring scoring = {.match = 1, .mismatch = 3, .gap_open = 3, .gap_extend = 2};

/* A strip of the path: its columns, and what it gains in it. */
typedef struct {
    gint64 width;
    CsScore gain;
} Step;

/* The rows have H of the path, and less beside it and far from it. */
static void
cost_of(const Step *steps, CsTraceCost *cost)
{
    g_autoptr(GError) error = NULL;
    gint64 at[STRIPS - 1], j = START;
    for (gint64 k = 0; k < STRIPS - 1; k++)
        at[k] = (k + 1) * DISTANCE;
    g_autoptr(CsRows) rows = cs_rows_new(at, STRIPS - 1, CS_WIDTH_64, &error);
    g_assert_no_error(error);
    CsScore value = START;
    const CsScore f[3] = {0}, far[3] = {START / 2, START / 2, START / 2};
    for (gsize k = 0; k < STRIPS - 1; k++) {
        j += steps[k].width;
        value += steps[k].gain;
        const CsScore h[3] = {value - 2, value, value - 2};
        g_assert_true(cs_rows_take(at[k], 10, 3, far, f, FALSE, rows, &error));
        g_assert_true(cs_rows_take(at[k], j - 2, 3, h, f, FALSE, rows, &error));
    }
    const CsBest end = {value + steps[STRIPS - 1].gain, (gint64)STRIPS * DISTANCE,
                        j + steps[STRIPS - 1].width};
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
    Step steps[STRIPS];
    for (gsize k = 0; k < STRIPS; k++)
        steps[k] = (Step){DISTANCE, 700};
    steps[3].gain = -5; /* alone: another thread takes it */
    for (gsize k = 6; k < 10; k++)
        steps[k].gain = -1000;
    for (gsize k = 11; k < 15; k++)
        steps[k] = (Step){0, -2 * DISTANCE}; /* a gap down */
    steps[17] = (Step){10 * DISTANCE, 700 - 3 - 2 * 9 * DISTANCE};
    CsTraceCost cost;
    cost_of(steps, &cost);
    for (gint64 k = 0; k < STRIPS; k++) {
        const double columns = k == 6 || k == 7 ? 1.5 * DISTANCE : k == 17 ? 9 * DISTANCE : 0;
        /* The path may be at either end of a piece. */
        g_assert_cmpfloat_with_epsilon(cost_of_strip(&cost, k),
                                       DISTANCE * (1 + columns / CS_TRACE_COLUMNS),
                                       4 * DISTANCE / CS_TRACE_COLUMNS);
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
