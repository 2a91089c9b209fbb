/*
 * Upper bounds on what an alignment can still gain: those of each side (bounds_side.h), and a table
 * of both sides at once (bounds_walk.h), which uses the marks of both.
 */
#include "skipping/bounds.h"

#include "skipping/absent_kmers.h"
#include "skipping/kept_bounds.h"
#include "system/parallel.h"

/*
 * What is found of one side: the bounds of its rows, then, if there are works, the table from layers of
 * its rows. If memory allows, half of the threads do it while the others do that of the other side.
 */
typedef struct {
    CsSurvey survey;
    CsBoundsSide *side;
    CsBoundsWork *as_rows, *as_columns; /* which take the marks, or NULL */
    CsBoundsTable *table;
    GError *error;
} SideWork;

/* A CsParallelFunc: the bounds of a side's rows. */
static void
count_rows(gint64 number, gpointer data)
{
    SideWork *work = (SideWork *)data + number;
    const CsSurvey *survey = &work->survey;
    g_autofree guint8 *marks = NULL;
    const CsBoundsRule rule =
        cs_bounds_rule(&survey->scoring, survey->rows.length, survey->columns.length);
    if (!cs_bounds_side_init(work->side, survey, &rule, &marks, &work->error))
        return;
    if (work->as_rows != NULL)
        cs_bounds_work_take_rows(work->as_rows, marks);
    if (work->as_columns != NULL)
        cs_bounds_work_take_columns(work->as_columns, marks);
}

/* A CsParallelFunc: the table from layers of a side's rows. */
static void
make_table(gint64 number, gpointer data)
{
    SideWork *work = (SideWork *)data + number;
    if (work->as_rows != NULL)
        work->table = cs_bounds_table_new(work->as_rows, work->survey.threads, work->survey.stop,
                                          &work->error);
}

/* Memory of both sides' k-mers up to which they are looked up at the same time. */
#define MOST_AT_ONCE (G_GUINT64_CONSTANT(1) << 28)

/* The bytes that looking up the k-mers of both sides takes. */
static guint64
kmers_memory(const CsBoundsRule *rows, const CsBoundsRule *columns, gint64 m, gint64 n,
             guint threads, gboolean *at_once)
{
    const guint64 first = cs_absent_kmers_memory(m, rows->longest, threads);
    const guint64 second = cs_absent_kmers_memory(n, columns->longest, threads);
    *at_once = threads > 1 && first + second <= MOST_AT_ONCE;
    return *at_once ? first + second : MAX(first, second);
}

/* Runs a task of each side, maybe both at once. FALSE if one failed. */
static gboolean
run_both(SideWork *works, gboolean at_once, CsParallelFunc task, GError **error)
{
    (void)cs_parallel_run(2, at_once ? 2 : 1, NULL, task, works); /* tasks ask for the stop */
    if (works[0].error != NULL)
        g_propagate_error(error, g_steal_pointer(&works[0].error));
    else if (works[1].error != NULL)
        g_propagate_error(error, g_steal_pointer(&works[1].error));
    else
        return TRUE;
    g_clear_error(&works[1].error);
    return FALSE;
}

CsBounds *
cs_bounds_new_planned(const CsSurvey *survey, const CsBoundsPlan *plan, const CsBoundsPlan *turned,
                      GError **error)
{
    const guint threads = survey->threads;
    g_autoptr(CsBounds) bounds = g_new0(CsBounds, 1);
    g_auto(CsBoundsWork) work = {0}, turned_work = {0};
    CsBoundsWork *first = plan != NULL ? &work : NULL; /* a plan has k-mers on both sides */
    CsBoundsWork *second = plan != NULL && turned != NULL ? &turned_work : NULL;
    if (first != NULL)
        cs_bounds_work_init(first, plan);
    if (second != NULL)
        cs_bounds_work_init(second, turned);
    SideWork works[] = {
        {.survey = *survey, .side = &bounds->rows, .as_rows = first, .as_columns = second},
        {.survey = cs_survey_turned(survey),
         .side = &bounds->columns,
         .as_rows = second,
         .as_columns = first},
    };
    const gint64 m = survey->rows.length, n = survey->columns.length;
    const CsBoundsRule rows = cs_bounds_rule(&survey->scoring, m, n);
    const CsBoundsRule columns = cs_bounds_rule(&survey->scoring, n, m);
    gboolean at_once;
    (void)kmers_memory(&rows, &columns, m, n, threads, &at_once);
    if (at_once)
        works[0].survey.threads = works[1].survey.threads = threads / 2;
    const gboolean success =
        run_both(works, at_once, count_rows, error) && run_both(works, at_once, make_table, error);
    bounds->table = works[0].table;
    if (success && works[1].table != NULL)
        cs_bounds_table_lower(bounds->table, works[1].table, turned->n, turned->m);
    cs_bounds_table_free(works[1].table);
    return success ? g_steal_pointer(&bounds) : NULL;
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
    gboolean at_once;
    const guint64 kmers = kmers_memory(&rows, &columns, m, n, threads, &at_once);
    if (kept != NULL)
        *kept = of_rows + of_columns + CS_BOUNDS_TABLE_BYTES;
    return kmers + of_rows + of_columns + cs_bounds_walk_memory();
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
