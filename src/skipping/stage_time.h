/*
 * How long the stages before a sweep (skip.h) still take, told while they run.
 *
 * Each step has so many seconds by a model: the pace of one machine times the length of the
 * sequences, or for gains what their plan says. The steps that are over, and that part of a step that
 * is, tell how much slower this run is than the model.
 *
 *     enter seeds -> chain -> corridor -> bounds -> gains (expect, done, done, ...) -> end
 *
 * The thread of the search writes; another one may read at any time. Only progress comes from it.
 */
#ifndef CS_STAGE_TIME_H
#define CS_STAGE_TIME_H

#include <stdatomic.h>

#include <glib.h>

typedef enum {
    CS_STEP_SEEDS,
    CS_STEP_CHAIN,
    CS_STEP_CORRIDOR,
    CS_STEP_BOUNDS,
    CS_STEP_GAINS,
    CS_STEPS
} CsStageStep;

/* Of one strand. Times are in microseconds, `now` and `begun` on the monotonic clock. */
typedef struct {
    atomic_int step; /* under way; -1: none has begun; CS_STEPS: all are over */
    atomic_llong begun;
    atomic_llong expected[CS_STEPS]; /* by the model */
    atomic_llong done;               /* of what is expected of the step under way */
    atomic_llong taken[CS_STEPS];
} CsStageTime;

/* The seconds of a step by the model, before more is known. */
double cs_stage_time_usual(CsStageStep step, gint64 m, gint64 n, guint threads);

/* Before the first step. The gains are not planned yet: they may be counted or not. Threads run on so many CPUs. */
void cs_stage_time_begin(CsStageTime *time, gint64 m, gint64 n, guint threads, guint cpus,
                         gint64 now);

/* A step begins, and all before it are over; those that did not run are left out. CS_STEPS: the end. */
void cs_stage_time_enter(CsStageTime *time, CsStageStep step, gint64 now);

/* What the model says of a step, once more is known; 0: it is left out. */
void cs_stage_time_expect(CsStageTime *time, CsStageStep step, double seconds);

/* So many seconds of what is expected of the step under way are done. */
void cs_stage_time_done(CsStageTime *time, double seconds);

/* How many times as long as by the model this run takes, as one strand tells, or several. */
double cs_stage_time_slowness(const CsStageTime *time, gint64 now);
double cs_stage_time_slowness_of(const CsStageTime *const *times, guint count, gint64 now);

/* Seconds left of all steps that are expected; then of those as far as `last`. */
double cs_stage_time_left(const CsStageTime *time, gint64 now);
double cs_stage_time_left_until(const CsStageTime *time, CsStageStep last, gint64 now);

#endif
