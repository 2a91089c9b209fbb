/* Runs a comparison for compare, align and resume, from loading to output. */
#ifndef CS_RUN_H
#define CS_RUN_H

#include <pthread.h>

#include <chromosweep/device.h>

#include "command/output.h"
#include "command/pair_list.h"
#include "command/progress.h"
#include "command/run_job.h"

/* What runs on several threads share. Everything of the command, such as messages and progress, is done
 * with the lock held; only the library computes without it. */
typedef struct {
    pthread_mutex_t lock;
    guint saves;   /* how often SIGUSR1 asked for states */
    gboolean quit; /* all are to stop */
} CsRunDesk;

/* A job that is running. Initialise all but the job and the teller with zeroes. */
typedef struct {
    const CsRunJob *job;
    CsProgressTeller *teller;
    CsRunDesk *desk;        /* NULL: no other run */
    guint lane;             /* of the teller */
    guint saves;            /* of the desk's, those that this run did */
    int signal;             /* the signal that asked to stop, or 0 */
    CsStage stage;          /* of the comparison, as it was told last */
    gboolean swept;         /* a failure, if any, came from computing or saving */
    CsAlignment *alignment; /* if the job wants one and the score is above 0; owned */
    GPtrArray *set;         /* of CsAlignment, if the job wants a set; owned */
    CsPairList pairs;       /* the records of a set between many */
} CsRun;

/*
 * Does everything that can fail before the sweep: opens the output, checks that device and engine
 * exist, and loads the sequences. With `auto`, a GPU's driver may still be starting when it returns.
 * Free output, start and sequences after a failure too.
 */
gboolean cs_run_load(const CsRunJob *job, CsOutput **output, CsDeviceStart **start,
                     CsSequence **target, CsSequence **query, GError **error);

/* Runs the sweep, and shows progress and notes on standard error. The desk's lock is held by the caller. */
gboolean cs_run_sweep(CsRun *run, const CsSequence *target, const CsSequence *query,
                      CsCompareResult *result, GError **error);

/* Whether a signal or the time limit asks the job to stop. */
gboolean cs_run_must_stop(const CsRunJob *job);

/*
 * Loads the sequences, sweeps and writes the result. Tells a failure. Returns the exit status, or
 * dies of the signal that stopped it.
 */
int cs_run_job(const CsRunJob *job);

/* Dies of the signal that stopped the job, after a last line in the log file. */
G_NORETURN void cs_run_die(int number);

#endif
