/*
 * Times the stages before a sweep one by one: bench_stages TARGET.fa QUERY.fa [THREADS [gpu]]. Prints for
 * each its seconds, of the clock and of all CPUs together, and what it found. Gains are counted as for a
 * sweep on a CPU, or with `gpu` as for one on a GPU, but without rooms. As in a comparison, the longer
 * sequence lies along the rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lower_bound/lower_bound.h"
#include "skipping/gains.h"

typedef struct {
    gint64 clock;
    double cpu;
} Time;

static Time
now(void)
{
    return (Time){g_get_monotonic_time(), (double)clock() / CLOCKS_PER_SEC};
}

/* Tells the time since *before, which becomes now. */
static void
tell(const char *stage, Time *before)
{
    const Time after = now();
    printf("%-9s %7.3f s, CPUs %7.3f s", stage, (double)(after.clock - before->clock) / 1e6,
           after.cpu - before->cpu);
    *before = after;
}

/* The gains, if there is a plan for them. */
static gboolean
count_gains(const CsSurvey *survey, const CsLowerBoundSearch *lower, const CsBounds *bounds,
            gboolean gpu, GError **error)
{
    const CsGainSearch search = {.survey = survey,
                                 .bounds = bounds,
                                 .lower_bound = lower->bound.score,
                                 .gpu = gpu,
                                 .chain = lower->chain,
                                 .chain_length = lower->bound.chain};
    Time time = now();
    g_auto(CsGainPlan) plan = {0};
    const gboolean pays = cs_gain_plan_init(&plan, &search);
    tell("plan", &time);
    if (!pays)
        return printf(": gains do not pay\n"), TRUE;
    printf(": bands of %d rows, blocks of %d, %d sections, %.2f s foretold\n", (int)plan.rule.band,
           (int)plan.rule.block, plan.sections != NULL ? (int)plan.sections->len : 0,
           cs_gain_plan_seconds(&plan, survey->threads));
    gint64 cells = 0;
    g_autoptr(CsGainTable) gains = cs_gains_new(&plan, survey, bounds, &cells, error);
    if (gains == NULL)
        return FALSE;
    tell("gains", &time);
    printf(": %.3g cells, %d entries\n", (double)cells, (int)gains->count);
    return TRUE;
}

static gboolean
run_stages(const CsSurvey *survey, gboolean gpu, GError **error)
{
    g_auto(CsLowerBoundSearch) lower = {0};
    g_autoptr(CsSeedsIndex) index = NULL;
    Time time = now();
    if (!cs_lower_bound_find_seeds(&lower, survey, &index, error))
        return FALSE;
    tell("seeds", &time);
    printf(": %d seeds\n", (int)lower.bound.seeds);
    if (!cs_lower_bound_find_chain(&lower, survey, error))
        return FALSE;
    tell("chain", &time);
    printf(": %d seeds\n", (int)lower.bound.chain);
    if (!cs_lower_bound_sweep(&lower, survey, error))
        return FALSE;
    tell("corridor", &time);
    printf(": lower bound %" G_GINT64_FORMAT ", %.3g cells\n", lower.bound.score,
           (double)lower.bound.cells_computed);
    g_autoptr(CsBounds) bounds = cs_bounds_new(survey, error);
    if (bounds == NULL)
        return FALSE;
    tell("bounds", &time);
    printf(": at most %" G_GINT64_FORMAT "\n", cs_bounds_side_highest(&bounds->rows, 0, 0));
    return count_gains(survey, &lower, bounds, gpu, error);
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: bench_stages TARGET.fa QUERY.fa [THREADS [gpu]]\n"), 2;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = cs_sequence_load(argv[1], NULL, &error);
    g_autoptr(CsSequence) query = target != NULL ? cs_sequence_load(argv[2], NULL, &error) : NULL;
    if (query == NULL)
        return fprintf(stderr, "%s\n", error->message), 1;
    const gboolean transposed = cs_sequence_get_length(query) > cs_sequence_get_length(target);
    const CsSurvey survey = {.rows = cs_view_of(transposed ? query : target),
                             .columns = cs_view_of(transposed ? target : query),
                             .scoring = CS_SCORING_DEFAULT,
                             .threads = argc > 3 ? (guint)atoi(argv[3]) : 2};
    if (!run_stages(&survey, argc > 4 && strcmp(argv[4], "gpu") == 0, &error))
        return fprintf(stderr, "%s\n", error->message), 1;
    return 0;
}
