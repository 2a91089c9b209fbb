/* How far special rows are apart: on a GPU as near as threads can pack them, and never nearer than the
 * budget allows. */
#include "../random_sequence.h"
#include "compare/comparison.h"

#define MILLION G_GINT64_CONSTANT(1000000)

typedef struct {
    gint64 m, n;
    double share_left;
    gint64 budget;
    gboolean gpu;
    guint threads, devices;
} Case;

/* 0: no rows are kept. */
static gint64
distance_of(const Case *c)
{
    const CsEngineClass engine = {.name = "fake", .gpu = c->gpu};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    g_autoptr(CsSequence) a = random_sequence(100, 1);
    g_auto(CsComparison) comparison;
    options.row_budget = c->budget;
    cs_comparison_init(&comparison, a, a, &options);
    comparison.sweep.engine = &engine;
    comparison.sweep.engine_options =
        (CsEngineOptions){.threads = c->threads, .n_members = c->devices};
    CsRectangle matrix = cs_comparison_rectangle(&comparison, CS_STRAND_PLUS);
    matrix.rows.length = c->m;
    matrix.columns.length = c->n;
    matrix.skipping = TRUE;
    matrix.share_left = c->share_left;
    g_autoptr(CsRows) rows = cs_compare_rows_new(&comparison, CS_STRAND_PLUS, &matrix, FALSE);
    return rows != NULL ? cs_rows_at(rows, 0) : 0;
}

static void
test_threads(void)
{
    const Case one = {250 * MILLION, 250 * MILLION, 0.012, 100000 * MILLION, TRUE, 1, 0};
    Case many = one;
    g_assert_cmpint(distance_of(&one), ==, 92160);
    many.threads = 2; /* of which one drives the GPU */
    g_assert_cmpint(distance_of(&many), ==, 92160);
    many.threads = 3;
    const gint64 nearer = distance_of(&many);
    g_assert_cmpint(nearer, <, 60000);
    /* In the end as near as one thread can hand rows out. */
    many.threads = 64;
    g_assert_cmpint(distance_of(&many), <=, nearer);
    g_assert_cmpint(distance_of(&many), >, 40000);
    many.threads = 4; /* which drive four GPUs */
    many.devices = 4;
    g_assert_cmpint(distance_of(&many), ==, 92160);
}

static void
test_budget(void)
{
    Case c = {250 * MILLION, 250 * MILLION, 0.012, 0, TRUE, 16, 0};
    for (int gpu = 0; gpu < 2; gpu++) {
        c.gpu = gpu;
        c.budget = 100000 * MILLION;
        const gint64 near = distance_of(&c);
        gint64 before = near;
        for (c.budget = 4000 * MILLION; c.budget > 40 * MILLION; c.budget /= 2) {
            const gint64 distance = distance_of(&c);
            const double bytes = 0.25 * 0.012 * (double)c.n * (double)(c.m / distance);
            g_assert_cmpint(distance, >=, before);
            g_assert_true(bytes <= (double)c.budget || distance > c.m / 20);
            /* Half as far they would be too many. */
            g_assert_true(distance == near || 2.2 * bytes > (double)c.budget);
            before = distance;
        }
        g_assert_cmpint(before, >, 4 * near);
        /* What is expected may be wrong, so a few rows are tried. */
        c.budget = 1;
        g_assert_cmpint(distance_of(&c), <, c.m / 4);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/compare-rows/threads", test_threads);
    g_test_add_func("/compare-rows/budget", test_budget);
    return g_test_run();
}
