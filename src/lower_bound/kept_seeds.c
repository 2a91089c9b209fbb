/* Seeds in a keep. Loaded seeds are checked, because other code relies on their positions. */
#include "lower_bound/kept_seeds.h"

#include <string.h>

enum {
    NUMBERS = 3, /* of a seed */
};

_Static_assert(sizeof(CsSeed) == NUMBERS * sizeof(gint64), "a seed is three numbers");

void
cs_kept_seeds_save(const CsKeep *keep, const char *name, const CsSeed *seeds, gint64 count,
                   gint64 beside)
{
    if (keep == NULL)
        return;
    const gint64 numbers = NUMBERS * count;
    g_autofree gint64 *values = g_try_new(gint64, (gsize)numbers + 1);
    if (values == NULL)
        return;
    if (count > 0)
        memcpy(values, seeds, (gsize)count * sizeof(CsSeed));
    values[numbers] = beside;
    cs_keep_save(keep, name, values, numbers + 1);
}

static gboolean
is_inside(gint64 from, gint64 length, gint64 end)
{
    return from >= 0 && length >= 1 && length <= end && from <= end - length;
}

static gboolean
may_follow(const CsSeed *before, const CsSeed *seed, gboolean chain)
{
    if (chain)
        return seed->row - before->row >= before->length &&
               seed->column - before->column >= before->length;
    return seed->row > before->row || (seed->row == before->row && seed->column > before->column);
}

CsSeed *
cs_kept_seeds_load(const CsSurvey *survey, const char *name, gboolean chain, gint64 *count,
                   gint64 *beside)
{
    const gint64 m = survey->rows.length, n = survey->columns.length;
    gint64 numbers;
    g_autofree gint64 *values = cs_keep_load(survey->keep, name, &numbers);
    if (values == NULL || numbers % NUMBERS != 1 || numbers / NUMBERS >= G_MAXINT32)
        return NULL;
    CsSeed *seeds = (CsSeed *)values; /* as saved: no padding */
    for (gint64 k = 0; k < numbers / NUMBERS; k++)
        if (!is_inside(seeds[k].row, seeds[k].length, m) ||
            !is_inside(seeds[k].column, seeds[k].length, n) ||
            (k > 0 && !may_follow(&seeds[k - 1], &seeds[k], chain)))
            return NULL;
    *count = numbers / NUMBERS;
    *beside = values[numbers - 1];
    values = NULL;
    return seeds;
}
