/* Where a chain may be bypassed: see bypasses.h. */
#include "lower_bound/bypasses.h"

#include "lower_bound/way.h"

enum {
    MOST = 6, /* long steps that one bypass takes the place of */
};

/* A long step from one seed to the next. */
typedef struct {
    gint64 seed; /* after the step */
    CsWay way;
    double cost;
    double bases; /* of all seeds of the chain before that one */
} Step;

static GArray *
find_long_steps(const CsSurvey *survey, const CsSeed *chain, gint64 length)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(Step));
    double bases = 0;
    for (gint64 k = 1; k < length; k++) {
        const CsSeed *before = &chain[k - 1];
        CsWay way = cs_way_between(before, &chain[k]);
        bases += (double)before->length;
        if (!cs_way_is_long(&way))
            continue;
        cs_way_count_ambiguous(&way, survey, before);
        const Step step = {k, way, cs_way_cost(&survey->scoring, &way), bases};
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
        CsWay ambiguous = first->way;
        for (guint j = k + 1; j < MIN(steps->len, k + MOST); j++) {
            const Step *last = &g_array_index(steps, Step, j);
            CsWay way = cs_way_between(&chain[first->seed - 1], &chain[last->seed]);
            way.ambiguous_rows = ambiguous.ambiguous_rows += last->way.ambiguous_rows;
            way.ambiguous_columns = ambiguous.ambiguous_columns += last->way.ambiguous_columns;
            cost += last->cost;
            const double lost = (double)survey->scoring.match * (last->bases - first->bases);
            const CsBypass bypass = {first->seed - 1, last->seed,
                                     cost - lost - cs_way_cost(&survey->scoring, &way)};
            if (bypass.gain > least)
                g_array_append_val(found, bypass);
        }
    }
    g_array_sort(found, compare_gains);
    return found;
}
