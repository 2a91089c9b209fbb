/* Cases of skipping, ready to be swept, and their tightest possible bounds. */
#include "skip_trial.h"

#include "sweep/bounds_table.h"

void
skip_trial_init(SkipTrial *trial, guint32 seed, int longest)
{
    skip_trial_init_case(trial, seed, skip_case_new(seed, longest));
}

void
skip_trial_init_case(SkipTrial *trial, guint32 seed, SkipCase *c)
{
    *trial = (SkipTrial){.c = c, .rand = g_rand_new_with_seed(seed)};
    g_autoptr(GError) error = NULL;
    trial->target = cs_sequence_new("target", c->target->str, (gint64)c->target->len, &error);
    g_assert_no_error(error);
    trial->query = cs_sequence_new("query", c->query->str, (gint64)c->query->len, &error);
    g_assert_no_error(error);
    trial->whole = (CsRectangle){
        .rows = cs_view_of(trial->target),
        .columns = cs_view_of(trial->query),
        .scoring = *c->scoring,
        .tie_order = g_rand_boolean(trial->rand) ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST,
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

void
skip_trial_clear(SkipTrial *trial)
{
    oracle_clear(&trial->oracle);
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    g_rand_free(trial->rand);
    skip_case_free(trial->c);
}

static CsBoundsTable *
exact_table(const SkipTrial *trial, const gint64 *gains, gint64 layer, gint64 part)
{
    const gint64 m = trial->problem.m, n = trial->problem.n;
    CsBoundsTable *table = g_new(CsBoundsTable, 1);
    *table = (CsBoundsTable){.layer = layer,
                             .part = part,
                             .rows = (m + layer - 1) / layer,
                             .columns = (n + part - 1) / part};
    table->highest = g_new0(gint32, table->rows * table->columns);
    for (gint64 r = 0; r < table->rows; r++)
        for (gint64 c = 0; c < table->columns; c++)
            for (gint64 i = r * layer; i <= MIN(m, (r + 1) * layer); i++)
                for (gint64 j = c * part; j <= MIN(n, (c + 1) * part); j++) {
                    gint32 *entry = &table->highest[r * table->columns + c];
                    *entry = (gint32)MAX(*entry, gains[i * (n + 1) + j]);
                }
    return table;
}

CsBounds *
skip_trial_tightest(SkipTrial *trial, int most)
{
    const gint64 m = trial->problem.m, n = trial->problem.n;
    g_autofree gint64 *gains = g_new(gint64, (m + 1) * (n + 1));
    oracle_gains(&trial->problem, gains);
    CsBounds *bounds = cs_bounds_new_of_matches(m, n, &trial->whole.scoring, NULL);
    g_assert_cmpuint(bounds->rows.shift, ==, 0);
    g_assert_cmpuint(bounds->columns.shift, ==, 0);
    memset(bounds->rows.highest, 0, sizeof(CsScore) * (gsize)(m + 1));
    memset(bounds->columns.highest, 0, sizeof(CsScore) * (gsize)(n + 1));
    for (gint64 i = 0; i <= m; i++)
        for (gint64 j = 0; j <= n; j++) {
            const CsScore gain = gains[i * (n + 1) + j];
            bounds->rows.highest[i] = MAX(bounds->rows.highest[i], gain);
            bounds->columns.highest[j] = MAX(bounds->columns.highest[j], gain);
        }
    const gint64 layer = g_rand_int_range(trial->rand, 1, most + 1);
    const gint64 part = g_rand_int_range(trial->rand, 1, most + 1);
    if (m > 0 && n > 0 && g_rand_int_range(trial->rand, 0, 4) > 0)
        bounds->table = exact_table(trial, gains, layer, part);
    return bounds;
}

/* The most that is gained on the way from row i on, or from a column right or left of it along the
 * row: as far as that pays. A row that is left out on the way costs a match, too. */
static void
reach_along(const SkipTrial *trial, gint64 *gains, gint64 n)
{
    const gint64 right = trial->problem.extend, left = right + trial->problem.match;
    for (gint64 j = 1; j <= n; j++)
        gains[j] = MAX(gains[j], gains[j - 1] - left);
    for (gint64 j = n - 1; j >= 0; j--)
        gains[j] = MAX(gains[j], gains[j + 1] - right);
}

/* The line after a row, from what is gained there on each diagonal -m .. n. */
static void
put_line(SkipTrial *trial, CsGainTable *table, gint64 k, const gint64 *gains)
{
    const gint64 blocks = (table->m + table->n) / table->block + 1;
    CsGainLine *line = &table->lines[k];
    *line = (CsGainLine){.first = table->count};
    line->from = g_rand_int_range(trial->rand, 0, (gint32)blocks + 1);
    line->to = g_rand_int_range(trial->rand, (gint32)line->from, (gint32)blocks + 1);
    line->counted_from = g_rand_int_range(trial->rand, 0, (gint32)line->from + 1);
    line->counted_to = g_rand_int_range(trial->rand, (gint32)line->to, (gint32)blocks + 1);
    table->entries =
        g_renew(gint32, table->entries, (gsize)(table->count + line->to - line->from) + 1);
    for (gint64 b = 0; b < blocks; b++) {
        gint64 highest = 0;
        for (gint64 d = b * table->block; d < MIN((b + 1) * table->block, table->m + table->n + 1);
             d++)
            highest = MAX(highest, gains[d]);
        if (b < line->counted_from || b >= line->counted_to)
            line->beyond = MAX(line->beyond, (gint32)highest);
        else if (b < line->from)
            line->left = MAX(line->left, (gint32)highest);
        else if (b >= line->to)
            line->right = MAX(line->right, (gint32)highest);
        else
            table->entries[table->count++] = (gint32)highest;
    }
}

CsGainTable *
skip_trial_tightest_gains(SkipTrial *trial, int most)
{
    const gint64 m = trial->problem.m, n = trial->problem.n;
    g_autofree gint64 *gains = g_new(gint64, (m + 1) * (n + 1));
    g_autofree gint64 *on_diagonals = g_new(gint64, m + n + 1);
    CsGainTable *table = g_new(CsGainTable, 1);
    *table = (CsGainTable){
        .m = m,
        .n = n,
        .match = (gint32)trial->problem.match,
        .band = g_rand_int_range(trial->rand, 1, most + 1),
        .block = g_rand_int_range(trial->rand, 1, most + 1),
    };
    oracle_gains(&trial->problem, gains);
    table->length = (m + table->band - 1) / table->band + 1;
    table->lines = g_new(CsGainLine, table->length);
    for (gint64 k = 0; k < table->length; k++) {
        const gint64 row = MIN(k * table->band, m);
        memset(on_diagonals, 0, sizeof(gint64) * (gsize)(m + n + 1));
        for (gint64 j = 0; j <= n; j++)
            on_diagonals[j - row + m] = gains[row * (n + 1) + j];
        reach_along(trial, on_diagonals, m + n);
        put_line(trial, table, k, on_diagonals);
    }
    return table;
}
