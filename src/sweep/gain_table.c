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
    if (from < line->counted_from || to >= line->counted_to)
        highest = line->beyond;
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

/* Rows up to a line. Down to it an alignment gains at most a match for each row. */
typedef struct {
    gint64 top, bottom;
    const CsGainLine *line;
    CsScore gained; /* from the first row on */
} Rows;

static Rows
rows_from(const CsGainTable *table, gint64 top, gint64 last)
{
    const gint64 k = (top + table->band - 1) / table->band;
    const gint64 row = MIN(k * table->band, table->m);
    return (Rows){top, MIN(row, last), &table->lines[k], table->match * (row - top)};
}

CsScore
cs_gain_table_highest(const CsGainTable *table, gint64 row_from, gint64 row_to, gint64 column_from,
                      gint64 column_to)
{
    if (table == NULL)
        return G_MAXINT64;
    CsScore highest = 0;
    for (Rows rows = {.bottom = row_from - 1}; rows.bottom < row_to;) {
        rows = rows_from(table, rows.bottom + 1, row_to);
        const gint64 from = (column_from - rows.bottom + table->m) / table->block;
        const gint64 to = (column_to - rows.top + table->m) / table->block;
        highest = MAX(highest, rows.gained + highest_of_line(table, rows.line, from, to));
    }
    return highest;
}

/* The blocks of a line from *from to *to outside which nothing gains `least` or more. */
static gboolean
span_of_line(const CsGainTable *table, const CsGainLine *line, CsScore least, gint64 *from,
             gint64 *to)
{
    const gint64 last = (table->n + table->m) / table->block;
    const gint32 *entries = table->entries + line->first;
    gint64 first = 0, end = line->to - line->from;
    while (first < end && entries[first] < least)
        first++;
    while (first < end && entries[end - 1] < least)
        end--;
    const gboolean beyond = line->beyond >= least;
    const gboolean on_left = beyond && line->counted_from > 0;
    const gboolean on_right = beyond && line->counted_to <= last;
    const gboolean left = line->left >= least, right = line->right >= least;
    *from = on_left ? 0 : left ? line->counted_from : line->from + first;
    *to = on_right ? last : right ? line->counted_to - 1 : line->from + end - 1;
    return on_left || on_right || left || right || first < end;
}

gboolean
cs_gain_table_span(const CsGainTable *table, gint64 row_from, gint64 row_to, CsScore least,
                   gint64 *column_from, gint64 *column_to)
{
    *column_from = table->n;
    *column_to = 0;
    gboolean any = FALSE;
    for (Rows rows = {.bottom = row_from - 1}; rows.bottom < row_to;) {
        gint64 from, to;
        rows = rows_from(table, rows.bottom + 1, row_to);
        if (!span_of_line(table, rows.line, least - rows.gained, &from, &to))
            continue;
        any = TRUE;
        *column_from = MIN(*column_from, from * table->block - table->m + rows.top);
        *column_to = MAX(*column_to, (to + 1) * table->block - 1 - table->m + rows.bottom);
    }
    *column_from = CLAMP(*column_from, 0, table->n);
    *column_to = CLAMP(*column_to, 0, table->n);
    return any;
}
