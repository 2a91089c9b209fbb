/* How the strip along a chain is cut into sections: from how many threads on, and where they begin. */
#include <glib.h>
#include <string.h>

#include "skipping/gains.h"

enum {
    ROWS = 400000,
    MIDDLE = 250000,
    GAP = 50, /* columns without rows */
};

/* Two sequences that are equal but for one gap. */
typedef struct {
    guint8 *rows, *columns;
    CsSurvey survey;
    CsSeed chain[2];
    CsBounds *bounds;
} Pair;

static void
pair_clear(Pair *pair)
{
    g_free(pair->rows);
    g_free(pair->columns);
    cs_bounds_free(pair->bounds);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

static void
pair_init(Pair *pair, guint threads, gint64 gap_at, gint64 gap)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    pair->columns = g_new(guint8, ROWS + gap);
    for (gint64 j = 0; j < ROWS + gap; j++)
        pair->columns[j] = (guint8)g_rand_int_range(rand, 0, 4);
    pair->rows = g_new(guint8, ROWS);
    memcpy(pair->rows, pair->columns, gap_at);
    memcpy(pair->rows + gap_at, pair->columns + gap_at + gap, ROWS - gap_at);
    pair->survey = (CsSurvey){.rows = {.codes = pair->rows, .length = ROWS},
                              .columns = {.codes = pair->columns, .length = ROWS + gap},
                              .scoring = CS_SCORING_DEFAULT,
                              .threads = threads};
    pair->chain[0] = (CsSeed){.row = 0, .column = 0, .length = gap_at};
    pair->chain[1] = (CsSeed){.row = gap_at, .column = gap_at + gap, .length = ROWS - gap_at};
    pair->bounds = cs_bounds_new_of_matches(ROWS, ROWS + gap, &pair->survey.scoring, NULL);
}

static void
plan_init(CsGainPlan *plan, const Pair *pair)
{
    const CsGainSizes sizes = {32, 16, 9, 256, 512};
    const CsGainSearch search = {.survey = &pair->survey,
                                 .bounds = pair->bounds,
                                 .lower_bound = ROWS - 2000,
                                 .chain = pair->chain,
                                 .chain_length = 2,
                                 .sizes = &sizes};
    g_assert_true(cs_gain_plan_init(plan, &search));
}

static void
test_few_threads(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsGainPlan) plan = {0};
    pair_init(&pair, 3, MIDDLE, GAP);
    plan_init(&plan, &pair);
    g_assert_null(plan.sections);
}

/* From the last one up they own bands of their own, and the next one begins with some of them. */
static void
test_order(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsGainPlan) plan = {0};
    gint64 above = G_MAXINT64, owned = 0, shared = 0;
    pair_init(&pair, 4, MIDDLE, GAP);
    plan_init(&plan, &pair);
    g_assert_cmpuint(plan.sections->len, >, 10);
    for (guint s = 0; s < plan.sections->len; s++) {
        const CsGainSection *section = &g_array_index(plan.sections, CsGainSection, s);
        g_assert_cmpint(section->first, <=, section->own);
        g_assert_cmpint((section->last - section->own) * plan.rule.band, >=, 2048);
        g_assert_cmpint(section->last, <, plan.bands);
        g_assert_cmpint(section->own, <, above);
        above = section->first;
        owned += section->own - section->first + 1;
    }
    for (gint64 k = 0; k < plan.bands; k++)
        shared += plan.shared[k];
    g_assert_cmpint(owned, ==, shared);
    g_assert_cmpint(owned, >, plan.bands * 9 / 10);
}

/* More threads share a strip that is cut. */
static void
test_seconds(void)
{
    g_auto(Pair) one = {0}, four = {0};
    g_auto(CsGainPlan) whole = {0}, cut = {0};
    pair_init(&one, 1, MIDDLE, GAP);
    pair_init(&four, 4, MIDDLE, GAP);
    plan_init(&whole, &one);
    plan_init(&cut, &four);
    const double strip = cs_gain_plan_seconds(&whole, 1);
    g_assert_cmpfloat(cs_gain_plan_seconds(&whole, 16) - strip, >, 0);
    g_assert_cmpfloat(cs_gain_plan_seconds(&whole, 16) - cs_gain_plan_seconds(&cut, 16), >,
                      strip / 2);
}

/* The row below the lowest section that is above a row. */
static gint64
bottom_above(gint64 row, gint64 gap_at, gint64 gap)
{
    g_auto(Pair) pair = {0};
    g_auto(CsGainPlan) plan = {0};
    pair_init(&pair, 4, gap_at, gap);
    plan_init(&plan, &pair);
    for (guint s = 0; s < plan.sections->len; s++) {
        const gint64 last = g_array_index(plan.sections, CsGainSection, s).last;
        if ((last + 1) * plan.rule.band <= row)
            return (last + 1) * plan.rule.band;
    }
    return 0;
}

/* A path that begins little above a gap, on the chain's diagonal, does not pay for it. So no section
 * begins so little below it. */
static void
test_short_gap(void)
{
    const gint64 usual = bottom_above(MIDDLE, 1000, GAP);
    g_assert_cmpint(usual, >, MIDDLE - 30000);
    g_assert_cmpint(bottom_above(MIDDLE, usual - 150, GAP), ==, usual);
    g_assert_cmpint(bottom_above(MIDDLE, usual - 50, GAP), <, usual - 50);
}

/* Some rows above a long gap, the diagonal below it still gains more. */
static void
test_long_gap(void)
{
    const gint64 long_gap = 300, price = 2 * long_gap;
    const gint64 bottom = bottom_above(MIDDLE, MIDDLE, long_gap);
    g_assert_cmpint(bottom, <, MIDDLE - 3 * price);
    g_assert_cmpint(bottom, >, MIDDLE - 8 * price);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gain-plan/few-threads", test_few_threads);
    g_test_add_func("/gain-plan/order", test_order);
    g_test_add_func("/gain-plan/seconds", test_seconds);
    g_test_add_func("/gain-plan/short-gap", test_short_gap);
    g_test_add_func("/gain-plan/long-gap", test_long_gap);
    return g_test_run();
}
