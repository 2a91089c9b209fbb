/* A table of bounds: looked up, lowered. */
#include "sweep/bounds_table.h"

void
cs_bounds_table_free(CsBoundsTable *table)
{
    if (table != NULL)
        g_free(table->highest);
    g_free(table);
}

CsScore
cs_bounds_table_highest(const CsBoundsTable *table, gint64 row_from, gint64 row_to,
                        gint64 column_from, gint64 column_to)
{
    if (table == NULL)
        return G_MAXINT64;
    /* A boundary belongs to the entries on both of its sides, so the last one is left out. */
    const gint64 rows = table->rows - 1, columns = table->columns - 1;
    const gint64 last_row = MIN(rows, MAX(row_from, row_to - 1) / table->layer);
    const gint64 last_column = MIN(columns, MAX(column_from, column_to - 1) / table->part);
    gint32 highest = 0;
    for (gint64 r = MIN(rows, row_from / table->layer); r <= last_row; r++)
        for (gint64 c = MIN(columns, column_from / table->part); c <= last_column; c++)
            highest = MAX(highest, table->highest[r * table->columns + c]);
    return highest;
}

void
cs_bounds_table_lower(CsBoundsTable *table, const CsBoundsTable *turned, gint64 m, gint64 n)
{
    for (gint64 r = 0; r < table->rows; r++)
        for (gint64 c = 0; c < table->columns; c++) {
            const CsScore bound =
                cs_bounds_table_highest(turned, c * table->part, MIN(n, (c + 1) * table->part),
                                        r * table->layer, MIN(m, (r + 1) * table->layer));
            gint32 *entry = &table->highest[r * table->columns + c];
            *entry = (gint32)MIN(*entry, bound);
        }
}
