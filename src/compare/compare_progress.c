/*
 * The progress of a comparison: the stages before a sweep, then how much of the work is done and
 * how long the rest will take. Reported only by the thread that called cs_compare().
 */
#include "compare/comparison.h"

/* Microseconds between two calls of the progress function. */
#define INTERVAL (G_USEC_PER_SEC / 10)

/* For so many seconds the speed of a sweep is not known. */
#define FIRST_SECONDS 0.5
/* The speed is that of the latest work: half of the run's time, within these limits, or all of it
 * if it is shorter. */
#define LATEST_LEAST 5.0
#define LATEST_MOST 300.0

/* The part of all work that comes after the sweeps if the alignment is traced back; with --verify;
 * and then the part of it that comes before verifying. */
#define LATER (1 - CS_PROGRESS_SWEEPS)
#define LATER_VERIFIED (1 - CS_PROGRESS_SWEEPS_VERIFIED)
#define BEFORE_VERIFYING                                                                           \
    ((CS_PROGRESS_TRACED_VERIFIED - CS_PROGRESS_SWEEPS_VERIFIED) / LATER_VERIFIED)

/* What a model says of the speed counts as much as so large a share of the sweep: it begins where the band is
 * wide, which is faster than the rest. */
#define MODEL_SHARE 0.2

/* CPU seconds of the trace per pair of the alignment, as measured on 2 threads after sweeps of a CPU (3.0e-7 to
 * 4.3e-7 from 2 to 10 Mb, where stages took 1.3 times as long as by stage_time.c). After those of a GPU, which
 * keep rows further apart, as measured on 16 threads: a part that is always needed, and one for each row from
 * one kept row to the next, since a higher strip is also wider. */
#define SECONDS_A_PAIR 3.3e-7
#define SECONDS_A_PAIR_GPU 9.5e-7
#define SECONDS_A_PAIR_AND_ROW 1.2e-11

/* What its strips usually cost, of the cost of ordinary ones (trace_cost.h), after sweeps of a GPU. */
#define USUAL_COST 1.3

/* The pace of a stage after the sweeps is not known before so much of it is done, in no less than
 * FIRST_SECONDS. */
#define LEAST_PACE 0.02

/* The share that is shown as long as anything is left. */
#define NEARLY_ALL 0.999999

static double
seconds_between(gint64 from, gint64 to)
{
    return (double)(to - from) / G_USEC_PER_SEC;
}

void
cs_compare_progress_begin(CsComparison *comparison)
{
    const CsState *state = &comparison->state;
    CsProgressClock *clock = &comparison->clock;
    comparison->cells_resumed = state->cells;
    comparison->computed_resumed = state->cells_computed;
    comparison->seconds_resumed = state->seconds;
    clock->seconds = state->seconds;
    clock->lower_bound = state->threshold;
    comparison->work.fraction = cs_state_fraction(state, comparison->cells);
}

const CsWorkForecast *
cs_compare_progress_forecast(const CsComparison *comparison, CsStrand strand)
{
    const CsState *state = &comparison->state;
    const CsSkip *skip = &comparison->skips[strand];
    const gboolean left = strand == state->under_way && state->forecast.m > 0;
    return skip->mode == CS_SKIP_BOUNDS && skip->chain_length == 0 && left
               ? &state->forecast
               : &comparison->forecasts[strand];
}

void
cs_compare_progress_strand(CsComparison *comparison)
{
    CsState *state = &comparison->state;
    const gboolean first =
        comparison->options->strand == CS_STRAND_BOTH && state->under_way == CS_STRAND_PLUS;
    const double later =
        first ? cs_work_forecast_cells(&comparison->forecasts[CS_STRAND_MINUS]) : 0;
    if (comparison->clock.speed <= 0)
        comparison->clock.model_seconds = cs_compare_foretell_seconds(comparison, state->under_way);
    comparison->work.by_best = comparison->skips[state->under_way].mode == CS_SKIP_BEST
                                   ? &comparison->options->scoring
                                   : NULL;
    cs_work_meter_begin(
        &comparison->work, cs_compare_progress_forecast(comparison, state->under_way), later,
        state->staircase.horizontal != NULL ? &state->staircase : NULL, state->cells_computed);
}

/* The effort of the sweep under way, what is done of it included. */
static double
effort_of_sweep(const CsWorkMeter *work)
{
    return work->effort + MAX(0, work->likely_left - work->later) + work->overhead;
}

/* Updates the speed with what was computed since the last call. */
static void
learn_speed(CsComparison *comparison, const CsSweepState *sweep)
{
    CsProgressClock *clock = &comparison->clock;
    const double model = MODEL_SHARE * clock->model_seconds;
    const double run = sweep->seconds - comparison->seconds_resumed;
    const double seconds = sweep->seconds - clock->seconds;
    if (run < FIRST_SECONDS || seconds <= 0)
        return;
    const double speed = (comparison->work.effort - clock->effort) / seconds;
    const double model_effort = model > 0 ? MODEL_SHARE * effort_of_sweep(&comparison->work) : 0;
    const double latest = MIN(run + model, MAX(model, CLAMP(run / 2, LATEST_LEAST, LATEST_MOST)));
    if (clock->speed <= 0)
        clock->speed = (speed * seconds + model_effort) / (seconds + model);
    else
        clock->speed += (speed - clock->speed) * MIN(1, seconds / latest);
    clock->seconds = sweep->seconds;
    clock->effort = comparison->work.effort;
}

/* The pairs of the alignment, about: its rows, or as many as there can be. Of both strands, the worse one is seldom
 * traced. */
static double
pairs_of_alignment(const CsComparison *comparison)
{
    const CsForetold *foretold = comparison->foretold;
    const gint64 rows = MAX(foretold[CS_STRAND_PLUS].rows, foretold[CS_STRAND_MINUS].rows);
    const gint64 most = MIN(comparison->target->length, comparison->query->length);
    return (double)(rows > 0 ? MIN(rows, most) : most);
}

/* The seconds of a trace whose strips are ordinary, with rows this far apart; -1 without an engine. */
static double
ordinary_seconds(const CsComparison *comparison, gint64 distance)
{
    const CsSweepOptions *sweep = &comparison->sweep;
    if (sweep->engine == NULL)
        return -1;
    const double a_pair = sweep->engine->gpu
                              ? SECONDS_A_PAIR_GPU + SECONDS_A_PAIR_AND_ROW * (double)distance
                              : SECONDS_A_PAIR;
    const guint threads = MAX(1, sweep->engine_options.threads);
    return pairs_of_alignment(comparison) * a_pair / threads;
}

/* What the strips usually cost, of the cost of ordinary ones. */
static double
usual_cost(const CsComparison *comparison)
{
    return comparison->sweep.engine != NULL && comparison->sweep.engine->gpu ? USUAL_COST : 1;
}

double
cs_compare_progress_trace_seconds(const CsComparison *comparison, gint64 distance)
{
    const double ordinary = ordinary_seconds(comparison, distance);
    return ordinary >= 0 ? ordinary * usual_cost(comparison) : -1;
}

/* The seconds of a trace whose strips are ordinary, or -1 where it is not known. Before a sweep the kept rows are not
 * planned yet, which makes a difference on a GPU only. */
static double
trace_seconds(const CsComparison *comparison)
{
    const gint64 *rows = comparison->rows_at[comparison->state.under_way];
    const CsStage stage = comparison->clock.stage;
    const gboolean gpu = comparison->sweep.engine == NULL || comparison->sweep.engine->gpu;
    const gboolean before = stage != CS_STAGE_SWEEP && stage < CS_STAGE_ROWS;
    if (comparison->verifies || (rows == NULL && (gpu || !before)))
        return -1;
    return ordinary_seconds(comparison, rows != NULL ? rows[0] : 0) *
           cs_compare_foretell_slowness(comparison);
}

void
cs_compare_progress_expect_trace(CsComparison *comparison)
{
    comparison->clock.trace_seconds = trace_seconds(comparison);
}

/* The time left of a stage after the sweeps, of which this share is done; -1: not known. The time of the whole
 * stage that is expected counts less and less beside its pace, which is uneven where strips are traced ahead. */
static double
left_of_stage(const CsComparison *comparison, CsStage stage, double done, double stage_seconds)
{
    const CsProgressClock *clock = &comparison->clock;
    const double cost = clock->trace_cost > 0 ? clock->trace_cost : 1;
    const double expected = stage == CS_STAGE_TRACE ? clock->trace_seconds * cost : -1;
    if (done >= 1)
        return 0;
    if (expected >= 0)
        return (1 - done) * ((1 - done) * expected + stage_seconds);
    return done < LEAST_PACE || stage_seconds < FIRST_SECONDS ? -1
                                                              : stage_seconds * (1 - done) / done;
}

/* The stages after the sweeps. */
static void
fill_later(const CsComparison *comparison, CsProgress *progress)
{
    const gboolean verified = comparison->verifies;
    const double done = comparison->clock.later_done, later = verified ? LATER_VERIFIED : LATER;
    progress->fraction *= 1 - later;
    if (progress->stage < CS_STAGE_ROWS) {
        const double sweeps = progress->seconds + progress->seconds_left;
        const double expected = trace_seconds(comparison);
        if (progress->seconds_left >= 0)
            progress->seconds_left +=
                expected >= 0 ? expected * usual_cost(comparison) : sweeps * later / (1 - later);
        return;
    }
    progress->fraction = done < 1 ? MIN(1 - later + later * done, NEARLY_ALL) : 1;
    double of_stage = done;
    if (verified) /* how long that will take is not known while it has not begun */
        of_stage = MAX(0, (done - BEFORE_VERIFYING) / (1 - BEFORE_VERIFYING));
    progress->seconds_left =
        left_of_stage(comparison, progress->stage, of_stage, progress->stage_seconds);
}

/* The time left before the speed of a sweep is known, or -1. */
static double
foretold(const CsComparison *comparison, const CsSweepState *sweep)
{
    const double left = cs_compare_foretell_left(comparison, g_get_monotonic_time());
    const double swept = sweep->seconds - comparison->seconds_resumed;
    return left >= 0 ? MAX(0, left - swept) : -1;
}

/* How much of the work is done, and how long the rest will take. */
static void
fill_work(const CsComparison *comparison, const CsSweepState *sweep, CsProgress *progress)
{
    const CsProgressClock *clock = &comparison->clock;
    if (sweep->cells >= comparison->cells) {
        progress->fraction = 1;
        progress->cells_expected = sweep->cells_computed;
        return;
    }
    progress->fraction = MIN(comparison->work.fraction, NEARLY_ALL);
    progress->cells_expected = sweep->cells_expected;
    if (clock->speed > 0)
        progress->seconds_left =
            (comparison->work.likely_left + comparison->work.overhead) / clock->speed;
    else
        progress->seconds_left = foretold(comparison, sweep);
}

static void
tell(CsComparison *comparison, const CsSweepState *sweep, double next)
{
    const CsCompareOptions *options = comparison->options;
    const CsState *state = &comparison->state;
    CsProgressClock *clock = &comparison->clock;
    const gint64 now = g_get_monotonic_time();
    if (options->progress == NULL)
        return;
    clock->next = now + INTERVAL;
    const gboolean behind = state->under_way == CS_STRAND_MINUS &&
                            options->strand == CS_STRAND_BOTH &&
                            cs_strand_better(&state->plus, &sweep->best) == CS_STRAND_PLUS;
    const CsStrand strand = behind ? CS_STRAND_PLUS : state->under_way;
    const CsStrandResult best =
        cs_compare_result_of(comparison, strand, behind ? &state->plus : &sweep->best);
    CsProgress progress = {
        .cells_done = sweep->cells,
        .cells = comparison->cells,
        .seconds = sweep->seconds,
        .score = best.score,
        .target_end = best.target_end,
        .query_start = strand == CS_STRAND_MINUS ? best.query_start : 0,
        .query_end = strand == CS_STRAND_MINUS ? 0 : best.query_end,
        .strand = strand,
        .cells_before = comparison->cells_resumed,
        .seconds_before = comparison->seconds_resumed,
        .next_checkpoint = next,
        .cells_computed = sweep->cells_computed,
        .cells_computed_before = comparison->computed_resumed,
        .elapsed = seconds_between(comparison->begun, now),
        .stage = clock->stage,
        .stage_strand = clock->stage_strand,
        .stage_seconds =
            clock->stage != CS_STAGE_SWEEP ? seconds_between(clock->stage_begun, now) : 0,
        .lower_bound = clock->lower_bound,
    };
    learn_speed(comparison, sweep);
    fill_work(comparison, sweep, &progress);
    if (comparison->traces)
        fill_later(comparison, &progress);
    if (!options->progress(&progress, options->progress_data))
        comparison->stopped = TRUE;
}

void
cs_compare_progress_tell(CsComparison *comparison, double next)
{
    const CsState *state = &comparison->state;
    const CsSweepState sweep = {.cells = state->cells,
                                .cells_computed = state->cells_computed,
                                .cells_expected = cs_state_expected(state, comparison->cells),
                                .seconds = state->seconds,
                                .best = state->staircase.best};
    tell(comparison, &sweep, next);
}

void
cs_compare_progress_sweep(CsComparison *comparison, const CsSweepState *sweep, double next)
{
    if (g_get_monotonic_time() >= comparison->clock.next)
        tell(comparison, sweep, next);
}

void
cs_compare_progress_first(CsComparison *comparison, CsStage stage, CsStrand strand)
{
    CsProgressClock *clock = &comparison->clock;
    clock->stage = stage;
    clock->stage_strand = strand;
    clock->stage_begun = g_get_monotonic_time();
    if (comparison->state.cells < comparison->cells)
        cs_compare_progress_tell(
            comparison, stage == CS_STAGE_SWEEP ? cs_compare_options_interval(comparison) : -1);
}

void
cs_compare_progress_stage(CsComparison *comparison, CsStage stage, CsStrand strand,
                          gint64 lower_bound)
{
    CsProgressClock *clock = &comparison->clock;
    const gint64 now = g_get_monotonic_time();
    if (stage != clock->stage || strand != clock->stage_strand)
        clock->stage_begun = now;
    clock->stage = stage;
    clock->stage_strand = strand;
    clock->lower_bound = MAX(clock->lower_bound, lower_bound);
    if (stage != CS_STAGE_SWEEP && now >= clock->next)
        cs_compare_progress_tell(comparison, -1);
}

void
cs_compare_progress_later(CsComparison *comparison, CsStage stage, CsStrand strand, double done)
{
    CsProgressClock *clock = &comparison->clock;
    double of_all = done;
    if (comparison->verifies)
        of_all = stage == CS_STAGE_VERIFY ? BEFORE_VERIFYING + (1 - BEFORE_VERIFYING) * done
                                          : BEFORE_VERIFYING * done;
    clock->later_done = MAX(clock->later_done, of_all);
    if (done >= 1)
        clock->next = 0;
    cs_compare_progress_stage(comparison, stage, strand, 0);
}
