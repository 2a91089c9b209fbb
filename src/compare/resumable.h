/*
 * A whole matrix that may be stopped and resumed: part by part from where its checkpoint stands,
 * with a state saved now and then, at the end and when asked to stop.
 */
#ifndef CS_RESUMABLE_H
#define CS_RESUMABLE_H

#include "checkpoint/checkpoint.h"
#include "skipping/skip.h"
#include "skipping/work_meter.h"
#include "sweep/sweep.h"

/* As a CsSweepFunc, of the whole; next: seconds until a state is due. */
typedef CsSweepAction (*CsResumableFunc)(const CsSweepState *state, double next,
                                         gpointer user_data);

/* Called before a state is saved: what of the matrix it covers, the special rows of which were
 * handed out. */
typedef void (*CsResumableMarkFunc)(const CsStaircase *staircase, gboolean complete,
                                    gpointer user_data);

typedef struct {
    const CsRectangle *whole;
    const CsSkip *skip;          /* what of it need not be computed, or NULL */
    CsWorkMeter *work;           /* the strand begun */
    gint64 cells_before;         /* of a strand that is complete */
    const CsSweepOptions *sweep; /* engine and wished shape; func and keep are our own */
    CsResumableFunc func;        /* or NULL */
    CsResumableMarkFunc mark;    /* or NULL */
    gpointer func_data;
    CsCheckpoint *checkpoint;
    double interval;    /* seconds between saved states */
    guint threads;      /* that may compress while nothing is computed */
    const char *device; /* as states tell it, or NULL */
    CsNoteFunc note;    /* told what was saved because func asked for it, and what could not be */
    gpointer note_data;
} CsResumableOptions;

/*
 * Goes on from the state to the last row; the state enters as cs_checkpoint_load() found it, or all
 * zero for the first row, and leaves complete. A state that cannot be saved is warned of and tried
 * again later. Fails as cs_sweep_run() does; when func asked to stop, with CS_ERROR_STOPPED once
 * the state is durable, with CS_ERROR_FAILED when it could not be saved.
 */
gboolean cs_resumable_run(const CsResumableOptions *options, CsState *state, GError **error);

#endif
