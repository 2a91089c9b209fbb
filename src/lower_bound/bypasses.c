/* Where a chain may be bypassed: see bypasses.h. */
#include "lower_bound/bypasses.h"

#include <math.h>

enum {
    LONG = 2048, /* rows and columns of a long step */
    MOST = 6,    /* long steps that one bypass takes the place of */
};

/*
 * Unrelated bases along a diagonal cost so many matches each. A gap's bases cost little at first, since some
 * match by chance, and more and more of their full price as there are more of them than bases along the
 * diagonal. Both were measured on best alignments of chromosweep-simulate under the default scoring.
 */
#define DIAGONAL_BASE 1.1
#define BEND 0.55

/* Rows and columns between two seeds, and how many of either are ambiguous bases. */
typedef struct {
    gint64 rows, columns;
    gint64 ambiguous_rows, ambiguous_columns;
} Way;

/* A long step from one seed to the next. */
typedef struct {
    gint64 seed; /* after the step */
    Way way;
    double cost;
    double bases; /* of all seeds of the chain before that one */
} Step;

/* What a best alignment pays for a way, about. Gaps go along ambiguous bases first; what is left of them is paired,
 * and never matches. */
static double
cost_of(const CsScoring *scoring, const Way *way)
{
    const double common = (double)MIN(way->rows, way->columns);
    const double aside = (double)ABS(way->columns - way->rows);
    const gboolean down = way->rows > way->columns;
    const double along = (double)(down ? way->ambiguous_rows : way->ambiguous_columns);
    const double beside = (double)(down ? way->ambiguous_columns : way->ambiguous_rows);
    const double free = MIN(along, aside), paired = MIN(common, MAX(along - free, beside));
    const double bend = BEND * (common - paired), rest = aside - free;
    const double mismatch = (double)scoring->mismatch, extend = (double)scoring->gap_extend;
    return extend * (free + sqrt(rest * rest + bend * bend) - bend) +
           MIN(mismatch, 2 * extend) * paired +
           DIAGONAL_BASE * (double)scoring->match * (common - paired);
}

static gint64
count_ambiguous(const CsView *view, gint64 from, gint64 length)
{
    const CsView slice = cs_view_slice(view, from, length);
    gint64 count = 0;
    for (gint64 k = 0; k < length; k++)
        count += slice.codes[k] == CS_CODE_AMBIGUOUS;
    return count;
}

/* The way between two seeds. The ambiguous bases are not counted. */
static Way
way_between(const CsSeed *before, const CsSeed *after)
{
    return (Way){.rows = after->row - before->row - before->length,
                 .columns = after->column - before->column - before->length};
}

static GArray *
find_long_steps(const CsSurvey *survey, const CsSeed *chain, gint64 length)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(Step));
    double bases = 0;
    for (gint64 k = 1; k < length; k++) {
        const CsSeed *before = &chain[k - 1];
        Way way = way_between(before, &chain[k]);
        bases += (double)before->length;
        if (way.rows + way.columns < LONG)
            continue;
        way.ambiguous_rows = count_ambiguous(&survey->rows, before->row + before->length, way.rows);
        way.ambiguous_columns =
            count_ambiguous(&survey->columns, before->column + before->length, way.columns);
        const Step step = {k, way, cost_of(&survey->scoring, &way), bases};
        g_array_append_val(steps, step);
    }
    return steps;
}

static gint
compare_gains(gconstpointer a, gconstpointer b)
{
    const CsBypass *first = a, *second = b;
    if (first->gain != second->gain)
        return first->gain > second->gain ? -1 : 1;
    return (first->before > second->before) - (first->before < second->before);
}

GArray *
cs_bypasses_find(const CsSurvey *survey, const CsSeed *chain, gint64 length, double least)
{
    g_autoptr(GArray) steps = find_long_steps(survey, chain, length);
    GArray *found = g_array_new(FALSE, FALSE, sizeof(CsBypass));
    for (guint k = 0; k < steps->len; k++) {
        const Step *first = &g_array_index(steps, Step, k);
        double cost = first->cost;
        Way ambiguous = first->way;
        for (guint j = k + 1; j < MIN(steps->len, k + MOST); j++) {
            const Step *last = &g_array_index(steps, Step, j);
            Way way = way_between(&chain[first->seed - 1], &chain[last->seed]);
            way.ambiguous_rows = ambiguous.ambiguous_rows += last->way.ambiguous_rows;
            way.ambiguous_columns = ambiguous.ambiguous_columns += last->way.ambiguous_columns;
            cost += last->cost;
            const double lost = (double)survey->scoring.match * (last->bases - first->bases);
            const CsBypass bypass = {first->seed - 1, last->seed,
                                     cost - lost - cost_of(&survey->scoring, &way)};
            if (bypass.gain > least)
                g_array_append_val(found, bypass);
        }
    }
    g_array_sort(found, compare_gains);
    return found;
}
