/*
 * Upper bounds on what an alignment can still gain: those of each side (bounds_side.h), and a table
 * of both sides at once (bounds_walk.h), which uses the marks of both.
 */
#include "skipping/bounds.h"

#include "skipping/absent_kmers.h"
#include "skipping/kept_bounds.h"

/* The table of both sides, from layers of rows and, if `columns` is not NULL, layers of columns. */
static CsBoundsTable *
make_table(const CsBoundsWork *rows, const CsBoundsWork *columns, const gint *stop, GError **error)
{
    CsBoundsTable *table = cs_bounds_table_new(rows, stop, error);
    if (table == NULL || columns == NULL)
        return table;
    CsBoundsTable *other = cs_bounds_table_new(columns, stop, error);
    if (other == NULL)
        g_clear_pointer(&table, cs_bounds_table_free);
    else
        cs_bounds_table_lower(table, other, columns->plan.n, columns->plan.m);
    cs_bounds_table_free(other);
    return table;
}

/* Finds the bounds of a survey's rows, and gives their marks to the works that are not NULL. */
static gboolean
count_rows(CsBoundsSide *side, const CsSurvey *survey, CsBoundsWork *as_rows,
           CsBoundsWork *as_columns, GError **error)
{
    g_autofree guint8 *marks = NULL;
    const CsBoundsRule rule =
        cs_bounds_rule(&survey->scoring, survey->rows.length, survey->columns.length);
    if (!cs_bounds_side_init(side, survey, &rule, &marks, error))
        return FALSE;
    if (as_rows != NULL)
        cs_bounds_work_take_rows(as_rows, marks);
    if (as_columns != NULL)
        cs_bounds_work_take_columns(as_columns, marks);
    return TRUE;
}

CsBounds *
cs_bounds_new_planned(const CsSurvey *survey, const CsBoundsPlan *plan, const CsBoundsPlan *turned,
                      GError **error)
{
    const CsSurvey transposed = cs_survey_turned(survey);
    g_autoptr(CsBounds) bounds = g_new0(CsBounds, 1);
    g_auto(CsBoundsWork) work = {0}, turned_work = {0};
    CsBoundsWork *first = plan != NULL ? &work : NULL; /* a plan has k-mers on both sides */
    CsBoundsWork *second = plan != NULL && turned != NULL ? &turned_work : NULL;
    if (first != NULL)
        cs_bounds_work_init(first, plan);
    if (second != NULL)
        cs_bounds_work_init(second, turned);
    if (!count_rows(&bounds->rows, survey, first, second, error) ||
        !count_rows(&bounds->columns, &transposed, second, first, error))
        return NULL;
    if (first != NULL) {
        bounds->table = make_table(first, second, survey->stop, error);
        if (bounds->table == NULL)
            return NULL;
    }
    return g_steal_pointer(&bounds);
}

CsBounds *
cs_bounds_new(const CsSurvey *survey, GError **error)
{
    CsBounds *bounds = cs_kept_bounds_load(survey);
    if (bounds != NULL)
        return bounds;
    CsBoundsPlan plan, turned;
    const gint64 m = survey->rows.length, n = survey->columns.length;
    const gboolean planned = cs_bounds_plan_init(&plan, m, n, &survey->scoring) &&
                             cs_bounds_plan_init(&turned, n, m, &survey->scoring);
    bounds = cs_bounds_new_planned(survey, planned ? &plan : NULL, planned ? &turned : NULL, error);
    if (bounds != NULL)
        cs_kept_bounds_save(survey->keep, bounds);
    return bounds;
}

CsBounds *
cs_bounds_new_of_matches(gint64 m, gint64 n, const CsScoring *scoring, GError **error)
{
    g_autoptr(CsBounds) bounds = g_new0(CsBounds, 1);
    const CsSurvey rows = {.rows.length = m, .columns.length = n, .scoring = *scoring};
    const CsSurvey columns = cs_survey_turned(&rows);
    const CsBoundsRule of_rows = cs_bounds_rule_of_bases(m);
    const CsBoundsRule of_columns = cs_bounds_rule_of_bases(n);
    if (!cs_bounds_side_init(&bounds->rows, &rows, &of_rows, NULL, error) ||
        !cs_bounds_side_init(&bounds->columns, &columns, &of_columns, NULL, error))
        return NULL;
    return g_steal_pointer(&bounds);
}

void
cs_bounds_free(CsBounds *bounds)
{
    if (bounds == NULL)
        return;
    cs_bounds_side_clear(&bounds->rows);
    cs_bounds_side_clear(&bounds->columns);
    cs_bounds_table_free(bounds->table);
    g_free(bounds);
}

guint64
cs_bounds_memory(gint64 m, gint64 n, guint threads, guint64 *kept)
{
    const CsScoring scoring = CS_SCORING_DEFAULT;
    const CsBoundsRule rows = cs_bounds_rule(&scoring, m, n);
    const CsBoundsRule columns = cs_bounds_rule(&scoring, n, m);
    const guint64 of_rows = ((m >> rows.shift) + 1) * sizeof(CsScore);
    const guint64 of_columns = ((n >> columns.shift) + 1) * sizeof(CsScore);
    const guint64 first = cs_absent_kmers_memory(m, rows.longest, threads);
    const guint64 second = cs_absent_kmers_memory(n, columns.longest, threads);
    if (kept != NULL)
        *kept = of_rows + of_columns + CS_BOUNDS_TABLE_BYTES;
    return MAX(first, second) + of_rows + of_columns + cs_bounds_walk_memory();
}

CsScore *
cs_bounds_of_rows(const CsBounds *bounds, const CsGrid *grid, gint64 above)
{
    CsScore *of_blocks = g_new(CsScore, grid->block_rows + 1);
    for (gint64 bi = 0; bi < grid->block_rows; bi++)
        of_blocks[bi] = cs_bounds_side_highest(&bounds->rows, above + grid->row_starts[bi],
                                               above + grid->row_starts[bi + 1]);
    return of_blocks;
}

CsScore *
cs_bounds_of_columns(const CsBounds *bounds, const CsGrid *grid, gint64 left)
{
    CsScore *of_blocks = g_new(CsScore, grid->block_columns + 1);
    for (gint64 bj = 0; bj < grid->block_columns; bj++)
        of_blocks[bj] =
            cs_bounds_side_highest(&bounds->columns, left + cs_grid_column_start(grid, bj),
                                   left + cs_grid_column_start(grid, bj + 1));
    return of_blocks;
}
