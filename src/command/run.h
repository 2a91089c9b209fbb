/* A comparison as a command runs it: what compare and resume share, from loading to output. */
#ifndef CS_RUN_H
#define CS_RUN_H

#include "command/output.h"
#include "command/progress.h"
#include "command/run_job.h"

/* A job at work. Initialise with zeroes beside the job and the teller. */
typedef struct {
    const CsRunJob *job;
    CsProgressTeller *teller;
    int signal;             /* that asked to stop, or 0 */
    gboolean swept;         /* it failed, if it did, at computing or saving */
    CsAlignment *alignment; /* found where the job wants one and the score is above 0; owned */
} CsRun;

/*
 * What is done before a sweep, and refused then: opens the output, looks whether device and engine
 * are there, loads the sequences. What was made is to be freed also on failure.
 */
gboolean cs_run_load(const CsRunJob *job, CsOutput **output, CsSequence **target,
                     CsSequence **query, GError **error);

/* The sweep alone, between what there is to tell on standard error. */
gboolean cs_run_sweep(CsRun *run, const CsSequence *target, const CsSequence *query,
                      CsCompareResult *result, GError **error);

/* Whether a signal or the limit of time asks for it. */
gboolean cs_run_must_stop(const CsRunJob *job);

/*
 * Loads, sweeps and writes the result; tells what fails. Returns the exit status, or dies of the
 * signal that stopped it.
 */
int cs_run_job(const CsRunJob *job);

/* Dies of the signal that stopped it, which the log file gets to know. */
G_NORETURN void cs_run_die(int number);

#endif
