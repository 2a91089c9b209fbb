/* A table of gains: looked up. */
#include "sweep/gain_table.h"

void
cs_gain_table_free(CsGainTable *table)
{
    if (table == NULL)
        return;
    g_free(table->lines);
    g_free(table->entries);
    g_free(table);
}

/* The highest gain of a line on the blocks from .. to. */
static gint32
highest_of_line(const CsGainTable *table, const CsGainLine *line, gint64 from, gint64 to)
{
    gint32 highest = 0;
    if (from < line->from)
        highest = MAX(highest, line->left);
    if (to >= line->to)
        highest = MAX(highest, line->right);
    const gint32 *entries = table->entries + line->first;
    const gint64 end = MIN(to + 1, line->to) - line->from;
    for (gint64 k = MAX(from, line->from) - line->from; k < end; k++)
        highest = MAX(highest, entries[k]);
    return highest;
}

CsScore
cs_gain_table_highest(const CsGainTable *table, gint64 row_from, gint64 row_to, gint64 column_from,
                      gint64 column_to)
{
    if (table == NULL)
        return G_MAXINT64;
    CsScore highest = 0;
    /* Down to the next line an alignment gains at most a match for each row. */
    for (gint64 top = row_from; top <= row_to;) {
        const gint64 k = (top + table->band - 1) / table->band;
        const gint64 row = MIN(k * table->band, table->m);
        const gint64 bottom = MIN(row, row_to);
        const gint64 from = (column_from - bottom + table->m) / table->block;
        const gint64 to = (column_to - top + table->m) / table->block;
        const CsScore below = highest_of_line(table, &table->lines[k], from, to);
        highest = MAX(highest, table->match * (row - top) + below);
        top = bottom + 1;
    }
    return highest;
}
