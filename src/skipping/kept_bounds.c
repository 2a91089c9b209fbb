/*
 * Bounds in a keep: those of the rows, those of the columns, and the table if there is one. All
 * sizes follow from the survey, and what is loaded must have them.
 */
#include "skipping/kept_bounds.h"

#include <string.h>

#include "sweep/grid.h"

#define NAME "bounds"

enum {
    TABLE = 4, /* numbers before the table's entries: layer, part, rows, columns */
};

static gint64
entries_of(gint64 length, guint shift)
{
    return (length >> shift) + 1;
}

static gint64 *
put_side(gint64 *values, const CsBoundsSide *side)
{
    const gint64 entries = entries_of(side->length, side->shift);
    memcpy(values, side->highest, (gsize)entries * sizeof(CsScore));
    return values + entries;
}

static gint64
table_entries(const CsBoundsTable *table)
{
    return table != NULL ? table->rows * table->columns : 0;
}

static void
put_table(gint64 *values, const CsBoundsTable *table)
{
    if (table == NULL)
        return;
    *values++ = table->layer;
    *values++ = table->part;
    *values++ = table->rows;
    *values++ = table->columns;
    for (gint64 k = 0; k < table_entries(table); k++)
        values[k] = table->highest[k];
}

void
cs_kept_bounds_save(const CsKeep *keep, const CsBounds *bounds)
{
    if (keep == NULL)
        return;
    const gint64 count = entries_of(bounds->rows.length, bounds->rows.shift) +
                         entries_of(bounds->columns.length, bounds->columns.shift) +
                         (bounds->table != NULL ? TABLE + table_entries(bounds->table) : 0);
    g_autofree gint64 *values = g_try_new(gint64, (gsize)count);
    if (values == NULL)
        return;
    put_table(put_side(put_side(values, &bounds->rows), &bounds->columns), bounds->table);
    cs_keep_save(keep, NAME, values, count);
}

/* What is left of the numbers. */
typedef struct {
    const gint64 *next;
    gint64 left;
} Reading;

static gboolean
take_side(Reading *reading, CsBoundsSide *side, const CsScoring *scoring, gint64 length,
          gint64 other)
{
    const guint shift = cs_bounds_rule(scoring, length, other).shift;
    const gint64 entries = entries_of(length, shift);
    if (reading->left < entries)
        return FALSE;
    *side = (CsBoundsSide){
        .length = length, .shift = shift, .highest = g_try_new(CsScore, (gsize)entries)};
    if (side->highest == NULL)
        return FALSE;
    memcpy(side->highest, reading->next, (gsize)entries * sizeof(CsScore));
    for (gint64 k = 0; k < entries; k++)
        if (side->highest[k] < 0)
            return FALSE;
    reading->next += entries;
    reading->left -= entries;
    return TRUE;
}

static gboolean
take_table(const Reading *reading, CsBoundsTable **taken, gint64 m, gint64 n)
{
    if (reading->left == 0)
        return TRUE;
    if (reading->left < TABLE)
        return FALSE;
    const gint64 *size = reading->next, *values = size + TABLE;
    const CsBoundsTable table = {
        .layer = size[0], .part = size[1], .rows = size[2], .columns = size[3]};
    if (table.layer < 1 || table.part < 1 || table.rows != cs_divide_up(m, table.layer) ||
        table.columns != cs_divide_up(n, table.part) || table.rows > CS_BOUNDS_TABLE_LAYERS ||
        table.columns > CS_BOUNDS_TABLE_PARTS || reading->left - TABLE != table_entries(&table))
        return FALSE;
    *taken = g_new(CsBoundsTable, 1);
    **taken = table;
    (*taken)->highest = g_new(gint32, table_entries(&table));
    for (gint64 k = 0; k < table_entries(&table); k++) {
        if (values[k] < G_MININT32 || values[k] > G_MAXINT32)
            return FALSE;
        (*taken)->highest[k] = (gint32)values[k];
    }
    return TRUE;
}

CsBounds *
cs_kept_bounds_load(const CsSurvey *survey)
{
    const gint64 m = survey->rows.length, n = survey->columns.length;
    gint64 count;
    g_autofree gint64 *values = cs_keep_load(survey->keep, NAME, &count);
    if (values == NULL)
        return NULL;
    Reading reading = {values, count};
    g_autoptr(CsBounds) bounds = g_new0(CsBounds, 1);
    if (!take_side(&reading, &bounds->rows, &survey->scoring, m, n) ||
        !take_side(&reading, &bounds->columns, &survey->scoring, n, m) ||
        !take_table(&reading, &bounds->table, m, n))
        return NULL;
    return g_steal_pointer(&bounds);
}
