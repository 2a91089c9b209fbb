/*
 * How long a comparison takes that has not begun to sweep: what is left of the stages before (stage_time.h),
 * and the sweeps by the latest forecast (foresight.h), at the speed that `auto` reckons with.
 *
 * As soon as there is a chain, lower bound and bounds are guessed (skip_guess.h). Before that there is no
 * forecast. Then the pair is taken for one of chromosomes like those of chromosweep-simulate: a sweep
 * computes a small share of the cells, or, where that takes long, gains are counted, and it computes a
 * narrow band. If both strands are compared, one is taken for unrelated. It then has no chance against the
 * other one, and its sweep skips everything (cs_skip_raise_floor()); if neither is related, all cells of
 * both are computed.
 */
#include <math.h>

#include <chromosweep/threads.h>

#include "compare/comparison.h"
#include "skipping/foresight.h"
#include "skipping/skip_estimate.h"

/* Of the cells, without gains. */
#define SHARE 0.06
/* Strands that take so large a share of the time of all cells are unrelated. */
#define UNRELATED 0.5

/* An H is low if it is less than this share of the highest one. */
#define LOW 0.01

/* The effort of a row on a GPU, with gains. */
#define EFFORT_A_ROW_GPU 2.7e6
/* On a GPU at least, of a row. */
#define LEAST_A_ROW_GPU 1.3e6

static double
cells_of(const CsComparison *comparison)
{
    return (double)comparison->target->length * (double)comparison->query->length;
}

static gboolean
is_gpu(const CsComparison *comparison)
{
    return comparison->sweep.engine->gpu;
}

/* With AVX-512. By this speed it is chosen whether gains are counted. */
static double
usual_speed(const CsComparison *comparison)
{
    return cs_skip_estimate_cells_a_second(is_gpu(comparison),
                                           comparison->sweep.engine_options.threads);
}

/* The speed of a strand's sweep, if this run is as fast as the models. */
static double
speed_of(const CsComparison *comparison, CsStrand strand)
{
    return usual_speed(comparison) /
           cs_skip_estimate_slowness(is_gpu(comparison), comparison->foretold[strand].wide);
}

/* The effort of all cells. */
static double
dense(const CsComparison *comparison)
{
    return cs_skip_estimate_dense(is_gpu(comparison), cells_of(comparison));
}

/* The effort of a sweep after gains were counted, if all goes well. */
static double
with_gains(const CsComparison *comparison, CsStrand strand)
{
    const CsRectangle whole = cs_comparison_rectangle(comparison, strand);
    CsSweepOptions sweep = comparison->sweep;
    if (is_gpu(comparison))
        return EFFORT_A_ROW_GPU *
               (double)MAX(comparison->target->length, comparison->query->length);
    sweep.shape = comparison->wish;
    return cs_foresight_after_gains(&whole, &sweep);
}

/* The seconds that counting them usually takes. */
static double
gain_seconds(const CsComparison *comparison)
{
    return cs_stage_time_usual(CS_STEP_GAINS, comparison->target->length, comparison->query->length,
                               comparison->sweep.engine_options.threads);
}

/* Guesses the effort of a strand's sweep, and whether gains are counted before. */
static void
guess(const CsComparison *comparison, CsStrand strand, CsForetold *foretold)
{
    const double cells = cells_of(comparison), gpu = is_gpu(comparison);
    const double rows = (double)MAX(comparison->target->length, comparison->query->length);
    const double without = gpu ? MAX(SHARE * cells, rows * LEAST_A_ROW_GPU) : SHARE * cells;
    const double with = with_gains(comparison, strand), speed = usual_speed(comparison);
    const gboolean counts = with / speed + gain_seconds(comparison) < without / speed;
    foretold->effort = (gint64)MIN(dense(comparison), counts ? with : without);
    foretold->wide = !counts;
    if (!counts)
        cs_stage_time_expect(&foretold->time, CS_STEP_GAINS, 0);
}

/* That share of a strand's forecast that no earlier run has computed. */
static double
share_left(const CsComparison *comparison, CsStrand strand, const CsWorkForecast *forecast)
{
    const CsState *state = &comparison->state;
    const double cells = cs_work_forecast_cells(forecast);
    if (strand != state->under_way || state->staircase.horizontal == NULL || cells <= 0)
        return 1;
    return CLAMP(cs_work_forecast_left(forecast, &state->staircase) / cells, 0, 1);
}

/* A state has its own forecast of the strand that it left under way. */
static void
take_state(const CsComparison *comparison, CsStrand strand, CsForetold *foretold)
{
    const CsWorkForecast *forecast = &comparison->state.forecast;
    if (strand != comparison->state.under_way || forecast->m == 0)
        return;
    const double effort = cs_work_meter_effort(forecast, comparison->grid, is_gpu(comparison),
                                               comparison->sweep.engine_options.threads);
    foretold->effort = (gint64)(effort * share_left(comparison, strand, forecast));
}

void
cs_compare_foretell_begin(CsComparison *comparison, const gboolean *wanted)
{
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        CsForetold *foretold = &comparison->foretold[strand];
        foretold->wanted = wanted[strand];
        cs_stage_time_begin(&foretold->time, comparison->target->length, comparison->query->length,
                            comparison->sweep.engine_options.threads, cs_threads_granted(),
                            g_get_monotonic_time());
        guess(comparison, strand, foretold);
        take_state(comparison, strand, foretold);
    }
    comparison->foretells = TRUE;
}

/*
 * The rows of the best alignment, about: of those that the chain spans, from where H is last low to where it is
 * highest. An N run or an unrelated stretch may part the chain.
 */
static gint64
rows_of_alignment(const CsSkip *skip)
{
    const CsSeed *last = &skip->chain[skip->chain_length - 1];
    gint64 from = skip->chain->row, to = last->row + last->length, highest = -1;
    for (gint64 k = 0; k < skip->n_cuts; k++)
        if (highest < 0 || skip->cuts[k].score > skip->cuts[highest].score)
            highest = k;
    if (highest >= 0 && highest + 1 < skip->n_cuts)
        to = skip->cuts[highest + 1].row;
    for (gint64 k = 0; k < highest; k++)
        if (skip->cuts[k].score < LOW * (double)skip->cuts[highest].score)
            from = skip->cuts[k].row;
    return MAX(1, to - from);
}

void
cs_compare_foretell_news(const CsSkip *skip, const CsGainTable *table, gboolean follow,
                         gpointer data)
{
    const CsForetoldStrand *of = data;
    CsComparison *comparison = of->comparison;
    CsForetold *foretold = &comparison->foretold[of->strand];
    if (skip->chain_length == 0)
        return;
    foretold->rows = rows_of_alignment(skip);
    if (comparison->state.forecast.m > 0) /* a state has its own forecast */
        return;
    const CsRectangle whole = cs_comparison_rectangle(comparison, of->strand);
    CsSweepOptions sweep = comparison->sweep;
    sweep.shape = comparison->wish;
    double effort = MIN(cs_foresight(skip, &whole, &sweep, table, follow), dense(comparison));
    if (table == NULL) {
        cs_stage_time_expect(&foretold->time, CS_STEP_GAINS, follow ? gain_seconds(comparison) : 0);
        effort = follow ? MIN(effort, with_gains(comparison, of->strand)) : effort;
    }
    foretold->effort = (gint64)effort;
    foretold->wide = table == NULL && !follow;
}

void
cs_compare_foretell_end(CsComparison *comparison, CsStrand strand)
{
    if (comparison->skips[strand].mode == CS_SKIP_NONE) {
        comparison->foretold[strand].effort = (gint64)dense(comparison);
        comparison->foretold[strand].wide = FALSE;
    }
}

void
cs_compare_foretell_forecast(CsComparison *comparison, CsStrand strand,
                             const CsWorkForecast *forecast, const CsGrid *grid)
{
    const double effort = comparison->skips[strand].mode == CS_SKIP_BOUNDS
                              ? cs_work_meter_effort(forecast, grid, is_gpu(comparison),
                                                     comparison->sweep.engine_options.threads)
                              : dense(comparison);
    comparison->foretold[strand].wide =
        comparison->skips[strand].mode == CS_SKIP_BOUNDS && comparison->skips[strand].gains == NULL;
    comparison->foretold[strand].effort =
        (gint64)(MIN(effort, dense(comparison)) * share_left(comparison, strand, forecast));
}

/* How many times as long as by the models the CPU takes, as the stages of all strands tell. */
static double
slowness_of(const CsComparison *comparison, gint64 now)
{
    const CsStageTime *times[2];
    guint count = 0;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if (comparison->foretold[strand].wanted)
            times[count++] = &comparison->foretold[strand].time;
    return cs_stage_time_slowness_of(times, count, now);
}

/* Whether all stages of a strand are over; and found nothing to skip. */
static gboolean
is_over(const CsForetold *foretold)
{
    return foretold->time.step >= CS_STEPS;
}

static gboolean
is_unrelated(const CsComparison *comparison, const CsForetold *foretold)
{
    return is_over(foretold) && (double)foretold->effort >= UNRELATED * dense(comparison);
}

/*
 * What is left of a strand, with another one compared before or after it, or NULL. Of two strands one is
 * taken for unrelated, the minus strand as long as nothing is known: nothing is foretold of its sweep, and
 * none of what its stages do after a chain.
 */
static double
left_of(const CsComparison *comparison, CsStrand strand, const CsForetold *other, double slowness,
        gint64 now)
{
    const CsForetold *foretold = &comparison->foretold[strand];
    const double all = cs_stage_time_left(&foretold->time, now) +
                       (double)foretold->effort / speed_of(comparison, strand) * slowness;
    if (other == NULL)
        return all;
    const gboolean hopeless = is_over(foretold) ? is_unrelated(comparison, foretold)
                                                : is_over(other) || strand == CS_STRAND_MINUS;
    return hopeless && !is_unrelated(comparison, other)
               ? cs_stage_time_left_until(&foretold->time, CS_STEP_CORRIDOR, now)
               : all;
}

double
cs_compare_foretell_left(const CsComparison *comparison, gint64 now)
{
    const CsForetold *plus = &comparison->foretold[CS_STRAND_PLUS];
    const CsForetold *minus = &comparison->foretold[CS_STRAND_MINUS];
    if (!comparison->foretells)
        return -1;
    const double slowness = is_gpu(comparison) ? 1 : slowness_of(comparison, now);
    return (plus->wanted
                ? left_of(comparison, CS_STRAND_PLUS, minus->wanted ? minus : NULL, slowness, now)
                : 0) +
           (minus->wanted
                ? left_of(comparison, CS_STRAND_MINUS, plus->wanted ? plus : NULL, slowness, now)
                : 0);
}

/* A GPU's host is as fast as the host where the pace of its stages was measured. */
double
cs_compare_foretell_slowness(const CsComparison *comparison)
{
    return comparison->foretells && !is_gpu(comparison)
               ? slowness_of(comparison, g_get_monotonic_time())
               : 1;
}

double
cs_compare_foretell_seconds(const CsComparison *comparison, CsStrand strand)
{
    return comparison->foretells && !is_gpu(comparison)
               ? (double)comparison->foretold[strand].effort / speed_of(comparison, strand) *
                     cs_compare_foretell_slowness(comparison)
               : 0;
}
