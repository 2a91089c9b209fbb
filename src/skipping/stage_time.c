/* How long the stages before a sweep still take: see stage_time.h. */
#include "skipping/stage_time.h"

/*
 * Seconds per base of both sequences: what threads do not share, and the seconds of one thread that they
 * do. Measured on two cores and on sixteen, with AVX-512 (docs/performance.md). The bounds are found while
 * chain and corridor are (BESIDE); what is left of them then is mostly nothing.
 */
static const struct {
    double alone, shared;
} seconds_a_base[CS_STEPS] = {
    [CS_STEP_SEEDS] = {8e-9, 3.9e-8},       [CS_STEP_CHAIN] = {1.9e-8, 0},
    [CS_STEP_CORRIDOR] = {1.6e-8, 1.25e-7}, [CS_STEP_BOUNDS] = {0, 0},
    [CS_STEP_GAINS] = {0, 2.2e-7},
};

/* The seconds of a thread per base that the bounds take beside the corridor: 6.7e-8 (5 Mb), less those beside the chain.
 * The corridor takes so much longer if its threads use all CPUs. */
#define BESIDE 5e-8

/* Gains, which are counted for long sequences only, take so much longer a base for each base, since their
 * strip is wider the longer it is; and not more than so much longer. They may take a tenth of that. */
#define GAINS_A_BASE_A_BASE 8e-14
#define GAINS_A_BASE_MOST 3.3e-6

/* A step that took less than this share of the model's time had been taken by an earlier run. */
#define KEPT 0.05

/* The model counts as much as a run of so many seconds that keeps to it, and for the rest of a step as
 * much as this share of it. */
#define MODEL_SECONDS 0.5
#define MODEL_SHARE 0.15

/* A step that takes more than so many times as long as expected has other reasons than a slow machine. */
#define LATE 2

static double
seconds_of(gint64 microseconds)
{
    return (double)microseconds / G_USEC_PER_SEC;
}

static gint64
microseconds_of(double seconds)
{
    return (gint64)(CLAMP(seconds, 0, 1e12) * G_USEC_PER_SEC);
}

double
cs_stage_time_usual(CsStageStep step, gint64 m, gint64 n, guint threads)
{
    const double bases = (double)m + (double)n;
    const double longer = MIN(GAINS_A_BASE_MOST, GAINS_A_BASE_A_BASE * bases);
    const double shared = seconds_a_base[step].shared + (step == CS_STEP_GAINS ? longer : 0);
    return bases * (seconds_a_base[step].alone + shared / MAX(1, threads));
}

void
cs_stage_time_begin(CsStageTime *time, gint64 m, gint64 n, guint threads, guint cpus, gint64 now)
{
    const double beside = threads >= cpus ? BESIDE * ((double)m + (double)n) / MAX(1, threads) : 0;
    for (int step = 0; step < CS_STEPS; step++) {
        cs_stage_time_expect(time, (CsStageStep)step,
                             cs_stage_time_usual((CsStageStep)step, m, n, threads) +
                                 (step == CS_STEP_CORRIDOR ? beside : 0));
        time->taken[step] = 0;
    }
    time->done = 0;
    time->begun = now;
    time->step = -1;
}

void
cs_stage_time_enter(CsStageTime *time, CsStageStep step, gint64 now)
{
    const int before = time->step;
    if ((int)step <= before)
        return;
    if (before >= 0) {
        time->taken[before] = now - time->begun;
        if ((double)time->taken[before] < KEPT * (double)time->expected[before])
            time->expected[before] = 0;
    }
    for (int left_out = before + 1; left_out < (int)step; left_out++)
        time->expected[left_out] = 0;
    time->begun = now;
    time->done = 0;
    time->step = (int)step;
}

void
cs_stage_time_expect(CsStageTime *time, CsStageStep step, double seconds)
{
    time->expected[step] = microseconds_of(seconds);
}

void
cs_stage_time_done(CsStageTime *time, double seconds)
{
    const int step = time->step;
    if (step >= 0 && step < CS_STEPS)
        time->done = MIN(microseconds_of(seconds), time->expected[step]);
}

/* The seconds of the step under way. */
static double
in_step(const CsStageTime *time, gint64 now)
{
    return seconds_of(MAX(0, now - time->begun));
}

double
cs_stage_time_slowness_of(const CsStageTime *const *times, guint count, gint64 now)
{
    double taken = MODEL_SECONDS, expected = MODEL_SECONDS;
    for (guint t = 0; t < count; t++) {
        const CsStageTime *time = times[t];
        const int step = time->step;
        for (int k = 0; k < step; k++)
            if (time->expected[k] > 0) {
                taken += seconds_of(time->taken[k]);
                expected += seconds_of(time->expected[k]);
            }
        if (step < 0 || step >= CS_STEPS)
            continue;
        const double passed = in_step(time, now), whole = seconds_of(time->expected[step]);
        if (time->done > 0) {
            taken += passed;
            expected += seconds_of(time->done);
            continue;
        }
        const double due = whole * taken / expected;
        if (passed > due) { /* it tells nothing of what it has done, but is late */
            taken += MIN(passed, LATE * due);
            expected += whole;
        }
    }
    return taken / expected;
}

double
cs_stage_time_slowness(const CsStageTime *time, gint64 now)
{
    return cs_stage_time_slowness_of(&time, 1, now);
}

/* For the step under way, the model at the slowness so far counts less and less beside the step's pace. */
static double
left_of_step(const CsStageTime *time, int step, double slowness, gint64 now)
{
    const double expected = seconds_of(time->expected[step]), done = seconds_of(time->done);
    const double trust = MODEL_SHARE * expected;
    if (done <= 0)
        return MAX(0, expected * slowness - in_step(time, now));
    return (expected - done) * (in_step(time, now) + slowness * trust) / (done + trust);
}

double
cs_stage_time_left_until(const CsStageTime *time, CsStageStep last, gint64 now)
{
    const int step = time->step;
    const double slowness = cs_stage_time_slowness(time, now);
    double left = step >= 0 && step <= (int)last ? left_of_step(time, step, slowness, now) : 0;
    for (int k = step + 1; k <= (int)last; k++)
        left += slowness * seconds_of(time->expected[k]);
    return left;
}

double
cs_stage_time_left(const CsStageTime *time, gint64 now)
{
    return cs_stage_time_left_until(time, CS_STEPS - 1, now);
}
