/*
 * Sweeps a whole matrix so that it can be stopped and resumed. It goes part by part from where the
 * checkpoint stands, and saves a state at intervals, at the end and when asked to stop.
 */
#ifndef CS_RESUMABLE_H
#define CS_RESUMABLE_H

#include "checkpoint/checkpoint.h"
#include "skipping/skip.h"
#include "skipping/work_meter.h"
#include "sweep/sweep.h"

/* A CsSweepFunc for the whole matrix; next is the seconds until a state is due. */
typedef CsSweepAction (*CsResumableFunc)(const CsSweepState *state, double next,
                                         gpointer user_data);

/* Called before a state is saved, with what it covers. The special rows there were handed out. */
typedef void (*CsResumableMarkFunc)(const CsStaircase *staircase, gboolean complete,
                                    gpointer user_data);

/* Called with the score of an alignment known before the sweep, and the score found. FALSE with error
 * set: the program is wrong, and the state must not be saved as complete. */
typedef gboolean (*CsResumableCheckFunc)(CsScore known, CsScore score, GError **error);

typedef struct {
    const CsRectangle *whole;
    const CsSkip *skip;          /* what need not be computed, or NULL */
    CsWorkMeter *work;           /* cs_work_meter_begin() was called for the strand */
    gint64 cells_before;         /* of a strand that is complete */
    const CsSweepOptions *sweep; /* engine and wished shape; its func and keep are not used */
    CsResumableFunc func;        /* or NULL */
    CsResumableMarkFunc mark;    /* or NULL */
    CsResumableCheckFunc check;  /* or NULL: cs_skip_check_score() */
    CsScore floor;               /* a lower score that is known need not be found */
    gpointer func_data;
    CsCheckpoint *checkpoint;
    const char *found;  /* NULL: states are generations; else the name of what is found (found.h) */
    double interval;    /* seconds between saved states */
    guint threads;      /* that may compress while nothing is computed */
    const char *device; /* as states name it, or NULL */
    CsNoteFunc note; /* called when a state that func asked for is saved, and when one cannot be */
    gpointer note_data;
} CsResumableOptions;

/*
 * Sweeps from the state to the last row. The state comes from cs_checkpoint_load() or
 * cs_found_state_load(), or is all zero for the first row; it becomes the complete state. If a state
 * cannot be saved, a note warns and the save is tried again later. Fails as cs_sweep_run() does. If
 * func asks to stop, fails with CS_ERROR_STOPPED once the state is durable, or with CS_ERROR_FAILED
 * if it could not be saved.
 */
gboolean cs_resumable_run(const CsResumableOptions *options, CsState *state, GError **error);

#endif
