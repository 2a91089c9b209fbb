/*
 * Gains in a keep: four numbers of the table, seven of each line, and the entries, two to a number.
 * The entries are in the order in which they are counted, from the last line to the first.
 */
#include "skipping/kept_gains.h"

#include "sweep/grid.h"

#define NAME "gains"

enum {
    TABLE = 4, /* numbers of the table: band, block, match, entries */
    LINE = 7,  /* of a line: from, to, counted from, to, left, right, beyond */
};

void
cs_kept_gains_save(const CsKeep *keep, const CsGainTable *table)
{
    if (keep == NULL)
        return;
    const gint64 count = TABLE + LINE * table->length + cs_divide_up(table->count, 2);
    g_autofree gint64 *values = g_try_new(gint64, (gsize)count);
    gint64 *next = values;
    if (values == NULL)
        return;
    *next++ = table->band;
    *next++ = table->block;
    *next++ = table->match;
    *next++ = table->count;
    for (gint64 k = 0; k < table->length; k++) {
        const CsGainLine *line = &table->lines[k];
        *next++ = line->from;
        *next++ = line->to;
        *next++ = line->counted_from;
        *next++ = line->counted_to;
        *next++ = line->left;
        *next++ = line->right;
        *next++ = line->beyond;
    }
    for (gint64 k = 0; k < table->count; k += 2) {
        const gint64 second = k + 1 < table->count ? table->entries[k + 1] : 0;
        *next++ = second << 32 | table->entries[k];
    }
    cs_keep_save(keep, NAME, values, count);
}

static gboolean
is_gain(gint64 value)
{
    return value >= 0 && value <= G_MAXINT32;
}

/* Reads the lines. Returns whether they are possible and have all entries. */
static gboolean
take_lines(CsGainTable *table, const gint64 *values)
{
    const gint64 blocks = (table->n + table->m) / table->block + 1;
    gint64 entries = 0;
    for (gint64 k = table->length - 1; k >= 0; k--) {
        const gint64 *line = values + LINE * k;
        if (line[2] < 0 || line[0] < line[2] || line[1] < line[0] || line[3] < line[1] ||
            line[3] > blocks || !is_gain(line[4]) || !is_gain(line[5]) || !is_gain(line[6]))
            return FALSE;
        table->lines[k] = (CsGainLine){.from = line[0],
                                       .to = line[1],
                                       .first = entries,
                                       .counted_from = line[2],
                                       .counted_to = line[3],
                                       .left = (gint32)line[4],
                                       .right = (gint32)line[5],
                                       .beyond = (gint32)line[6]};
        entries += line[1] - line[0];
    }
    return entries == table->count;
}

static gboolean
take_entries(CsGainTable *table, const gint64 *values)
{
    table->entries = g_try_new(gint32, (gsize)MAX(table->count, 1));
    if (table->entries == NULL && table->count > 0)
        return FALSE;
    for (gint64 k = 0; k < table->count; k++) {
        const gint64 entry = k % 2 == 0 ? values[k / 2] & G_MAXUINT32 : values[k / 2] >> 32;
        if (!is_gain(entry))
            return FALSE;
        table->entries[k] = (gint32)entry;
    }
    return TRUE;
}

CsGainTable *
cs_kept_gains_load(const CsSurvey *survey)
{
    const gint64 m = survey->rows.length, n = survey->columns.length;
    gint64 count;
    g_autofree gint64 *values = cs_keep_load(survey->keep, NAME, &count);
    if (values == NULL || count < TABLE || values[0] < 1 || values[0] > m + 1 || values[1] < 1 ||
        values[1] > m + n + 1 || values[2] != survey->scoring.match || values[3] < 0)
        return NULL;
    const gint64 length = cs_divide_up(m, values[0]) + 1, rest = count - TABLE - LINE * length;
    if (rest < 0 || values[3] > 2 * rest || rest != cs_divide_up(values[3], 2))
        return NULL;
    g_autoptr(CsGainTable) table = g_new0(CsGainTable, 1);
    *table = (CsGainTable){.m = m,
                           .n = n,
                           .match = (gint32)values[2],
                           .band = values[0],
                           .block = values[1],
                           .length = length,
                           .lines = g_new(CsGainLine, length),
                           .count = values[3]};
    if (!take_lines(table, values + TABLE) || !take_entries(table, values + TABLE + LINE * length))
        return NULL;
    return g_steal_pointer(&table);
}
