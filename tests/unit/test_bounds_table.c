/* The table of both sides: its walk over blocks must agree with the definition, column by
 * column. */
#include <string.h>

#include <glib.h>

#include "../case_count.h"
#include "skipping/bounds_walk.h"
#include "weight_within.h"

static guint32 n_cases = 4000;

/* The numbers of the proof in docs/algorithm.md. */
static void
test_plan(void)
{
    static const CsScoring scorings[] = {CS_SCORING_DEFAULT, {1, 1, 0, 1},  {4, 20, 1, 1},
                                         {5, 4, 10, 1},      {1, 20, 8, 0}, {5, 4, 0, 9}};
    static const gint64 lengths[] = {1, 50, 5000, 1000000, 100000000};
    for (gsize k = 0; k < G_N_ELEMENTS(scorings) * 25; k++) {
        const CsScoring *scoring = &scorings[k / 25];
        const gint64 m = lengths[k / 5 % 5], n = lengths[k % 5];
        const CsBoundsRule rows = cs_bounds_rule(scoring, m, n);
        const CsBoundsRule columns = cs_bounds_rule(scoring, n, m);
        const CsScore first = scoring->gap_open + scoring->gap_extend;
        CsBoundsPlan plan;
        g_assert_true(cs_bounds_plan_init(&plan, m, n, scoring));
        g_assert_cmpint(plan.rows.kmer, ==, rows.kmer);
        g_assert_cmpint(plan.columns.kmer, ==, columns.kmer);
        g_assert_cmpint(plan.open, ==, scoring->gap_open);
        g_assert_cmpint(plan.split, ==, columns.kmer);
        g_assert_cmpint(plan.insertion_rows, ==, MIN(scoring->gap_extend, first - rows.kmer));
        g_assert_cmpint(plan.insertion_columns, ==, MIN(scoring->gap_extend, first - columns.kmer));
        g_assert_cmpint(plan.window * plan.block, >=, plan.layer);
    }
}

/* The highest of the entries that share more than a boundary with rows and columns from .. to. */
static CsScore
highest_by_definition(const CsBoundsTable *table, gint64 row_from, gint64 row_to,
                      gint64 column_from, gint64 column_to)
{
    CsScore highest = 0;
    for (gint64 r = 0; r < table->rows; r++)
        for (gint64 c = 0; c < table->columns; c++)
            if (r * table->layer < row_to && (r + 1) * table->layer > row_from &&
                c * table->part < column_to && (c + 1) * table->part > column_from)
                highest = MAX(highest, table->highest[r * table->columns + c]);
    return highest;
}

static CsBoundsTable *
random_table(GRand *rand, gint64 m, gint64 n)
{
    CsBoundsTable *table = g_new(CsBoundsTable, 1);
    table->layer = g_rand_int_range(rand, 1, 12);
    table->part = g_rand_int_range(rand, 1, 12);
    table->rows = (m + table->layer - 1) / table->layer;
    table->columns = (n + table->part - 1) / table->part;
    table->highest = g_new(gint32, table->rows * table->columns);
    for (gint64 k = 0; k < table->rows * table->columns; k++)
        table->highest[k] = g_rand_int_range(rand, 0, 1000);
    return table;
}

static void
test_ranges(void)
{
    for (guint32 seed = 0; seed < n_cases / 4; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        const gint32 m = g_rand_int_range(rand, 1, 50), n = g_rand_int_range(rand, 1, 50);
        CsBoundsTable *table = random_table(rand, m, n), *turned = random_table(rand, n, m);
        for (int k = 0; k < 50; k++) {
            const gint32 top = g_rand_int_range(rand, 0, m), left = g_rand_int_range(rand, 0, n);
            const gint32 bottom = g_rand_int_range(rand, top, m) + 1;
            const gint32 right = g_rand_int_range(rand, left, n) + 1;
            g_assert_cmpint(cs_bounds_table_highest(table, top, bottom, left, right), ==,
                            highest_by_definition(table, top, bottom, left, right));
        }
        g_autofree gint32 *before =
            g_memdup2(table->highest, sizeof(gint32) * (gsize)(table->rows * table->columns));
        cs_bounds_table_lower(table, turned, m, n);
        for (gint64 r = 0; r < table->rows; r++)
            for (gint64 c = 0; c < table->columns; c++) {
                const CsScore other =
                    highest_by_definition(turned, c * table->part, MIN(n, (c + 1) * table->part),
                                          r * table->layer, MIN(m, (r + 1) * table->layer));
                const gint64 k = r * table->columns + c;
                g_assert_cmpint(table->highest[k], ==, MIN(before[k], other));
            }
        cs_bounds_table_free(table);
        cs_bounds_table_free(turned);
    }
}

/* K-mers that do not overlap, runs of ambiguous bases, and stretches without either. */
static guint8 *
random_marks(GRand *rand, const CsBoundsRule *rule, gint64 length)
{
    guint8 *marks = g_malloc0((gsize)length / 2 + 1);
    const int plain = g_rand_int_range(rand, 1, 12);
    for (gint64 k = 0; k < length;) {
        const guint kmer = (guint)g_rand_int_range(rand, 1, 5);
        const gint64 end = k + rule->shortest + kmer - 1;
        switch (g_rand_int_range(rand, 0, 4)) {
        case 0:
            for (int count = g_rand_int_range(rand, 1, 60); count > 0 && k < length; count--)
                cs_marks_set(marks, k++, CS_MARK_AMBIGUOUS);
            break;
        case 1:
            if (end <= length)
                cs_marks_set(marks, end - 1, kmer);
            k = end;
            break;
        default: k += g_rand_int_range(rand, 0, plain);
        }
    }
    return marks;
}

/* Random numbers that the walk may get, with more rows or more columns. */
static CsBoundsPlan
random_plan(GRand *rand)
{
    CsBoundsPlan plan = {.m = g_rand_int_range(rand, 1, 100),
                         .n = g_rand_int_range(rand, 1, 100),
                         .match = g_rand_int_range(rand, 1, 6),
                         .open = g_rand_int_range(rand, 0, 8),
                         .insertion_rows = g_rand_boolean(rand) ? g_rand_int_range(rand, 0, 4) : 0,
                         .insertion_columns = g_rand_int_range(rand, 0, 4),
                         .split = g_rand_int_range(rand, 0, 6),
                         .layer = g_rand_int_range(rand, 1, g_rand_boolean(rand) ? 4 : 20),
                         .block = g_rand_int_range(rand, 1, 7),
                         .group = g_rand_int_range(rand, 1, 4)};
    plan.window = (plan.layer + plan.block - 1) / plan.block + g_rand_int_range(rand, 0, 4);
    plan.rows = (CsBoundsRule){.kmer = g_rand_int_range(rand, 1, 10),
                               .ambiguous = g_rand_int_range(rand, 1, 10),
                               .shortest = 2};
    plan.columns = (CsBoundsRule){.kmer = g_rand_int_range(rand, 1, 10),
                                  .ambiguous = g_rand_int_range(rand, 1, 10),
                                  .shortest = 3};
    return plan;
}

/* below[j]: what can be gained below layer r, in column j, as docs/algorithm.md has it; to here[j],
 * the same above the layer. */
static void
cross_by_definition(const CsBoundsPlan *plan, gint64 by_rows, const gint64 *beta,
                    const gint64 *below, gint64 *here)
{
    for (gint64 j = 0; j <= plan->n; j++) {
        here[j] = plan->match * plan->layer + plan->open;
        for (gint64 to = j; to <= plan->n; to++) {
            const gint64 more = to - j - plan->layer;
            const gint64 rows = by_rows - plan->insertion_rows * MAX(0, more);
            const gint64 columns =
                beta[to] - beta[j] + plan->split - plan->insertion_columns * MAX(0, -more);
            here[j] = MAX(here[j], MIN(rows, columns) + plan->open + below[to]);
        }
    }
}

/* Checks that no entry of layer r is below what can be gained there. Returns how many are equal. */
static guint
expect_entries(const CsBoundsPlan *plan, const CsBoundsTable *table, gint64 r, const gint64 *below)
{
    guint exact = 0;
    for (gint64 c = 0; c < table->columns; c++) {
        gint64 highest = 0;
        for (gint64 j = c * table->part; j <= MIN(plan->n, (c + 1) * table->part); j++)
            for (gint64 to = j; r + 1 < table->rows && to <= plan->n; to++)
                highest =
                    MAX(highest, below[to] - plan->insertion_rows * MAX(0, to - j - plan->layer));
        highest += plan->match * plan->layer;
        g_assert_cmpint(table->highest[r * table->columns + c], >=, highest);
        exact += table->highest[r * table->columns + c] == highest;
    }
    return exact;
}

/* The walk over blocks gives no less than the definition gives column by column. Usually it gives
 * the same, and more only because it rounds to blocks. */
static void
test_walk(void)
{
    guint exact = 0, entries = 0;
    for (guint32 seed = 0; seed < 8 * n_cases; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        const CsBoundsPlan plan = random_plan(rand);
        g_autofree guint8 *rows = random_marks(rand, &plan.rows, plan.m);
        g_autofree guint8 *columns = random_marks(rand, &plan.columns, plan.n);
        g_auto(CsBoundsWork) work;
        cs_bounds_work_init(&work, &plan);
        cs_bounds_work_take_rows(&work, rows);
        cs_bounds_work_take_columns(&work, columns);
        CsBoundsTable *table =
            cs_bounds_table_new(&work, (guint)g_test_rand_int_range(1, 4), NULL, NULL);
        g_assert_cmpint(table->rows * plan.layer, >=, plan.m);
        g_assert_cmpint(table->columns * table->part, >=, plan.n);
        g_autofree gint64 *beta = g_new(gint64, 3 * (plan.n + 1));
        gint64 *below = beta + plan.n + 1, *here = below + plan.n + 1;
        for (gint64 j = 0; j <= plan.n; j++) {
            beta[j] = plan.match * j - weight_within(columns, &plan.columns, plan.n, 0, j);
            below[j] = plan.match * plan.layer + plan.open;
        }
        exact += expect_entries(&plan, table, table->rows - 1, below);
        for (gint64 r = table->rows - 2; r >= 0; r--) {
            const gint64 lost =
                weight_within(rows, &plan.rows, plan.m, r * plan.layer, (r + 1) * plan.layer);
            exact += expect_entries(&plan, table, r, below);
            cross_by_definition(&plan, plan.match * plan.layer - lost, beta, below, here);
            memcpy(below, here, (gsize)(plan.n + 1) * sizeof *below);
        }
        entries += (guint)(table->rows * table->columns);
        cs_bounds_table_free(table);
    }
    g_test_message("%u of %u entries as low as can be", exact, entries);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    n_cases = case_count(n_cases);
    g_test_add_func("/bounds-table/plan", test_plan);
    g_test_add_func("/bounds-table/ranges", test_ranges);
    g_test_add_func("/bounds-table/walk", test_walk);
    return g_test_run();
}
