/*
 * Shows the progress of a comparison: as a line that is redrawn on a terminal, as lines of JSON for
 * programs, and once a minute in the log file.
 */
#ifndef CS_PROGRESS_H
#define CS_PROGRESS_H

#include <chromosweep/control.h>

#include "command/progress_clock.h"

enum {
    CS_PROGRESS_LANES = 64, /* the most comparisons at a time */
};

/* A comparison under way. */
typedef struct {
    CsProgress sweep;
    gboolean told; /* something was reported of it */
} CsProgressLane;

/* Initialise all but the first three members with zeroes. */
typedef struct {
    CsProgressForm form; /* on standard error */
    gint64 cells;        /* of several comparisons; 0: there is only one */
    guint n_lanes;       /* how many of them run at a time; 0: one */
    CsProgress past;     /* cells and seconds of the comparisons that are over */
    CsProgressLane lanes[CS_PROGRESS_LANES];
    guint told;      /* the lane that reported last */
    double before;   /* cells that earlier runs did, as progress counts them */
    gint64 begun;    /* when something was reported first, on the monotonic clock */
    CsProgress last; /* what was reported last, of all comparisons */
    CsProgressClock clock;
} CsProgressTeller;

/* CS_PROGRESS_LINE if standard error is a terminal, otherwise CS_PROGRESS_NONE. */
CsProgressForm cs_progress_auto(void);

/* --progress; NULL is auto. */
gboolean cs_progress_parse(const char *text, CsProgressForm *form, GError **error);

/* A CsProgressFunc; data is a CsProgressTeller. */
gboolean cs_progress_tell(const CsProgress *progress, gpointer data);

/* The same, of one of the comparisons that run at a time. */
void cs_progress_tell_of(CsProgressTeller *teller, guint lane, const CsProgress *progress);

/* Whether progress is shown or logged anywhere. */
gboolean cs_progress_is_heard(const CsProgressTeller *teller);

/* The comparison of a lane, of so many cells, is over, whether done or not. */
void cs_progress_next(CsProgressTeller *teller, guint lane, gint64 cells);

/* The comparison of a lane will be done anew. */
void cs_progress_drop(CsProgressTeller *teller, guint lane);

/* All is over: prints the last progress if it was not printed yet, and removes the line from the
 * terminal. */
void cs_progress_end(CsProgressTeller *teller);

/* The percentage with one decimal, rounded down, so that "100.0" means that all is done. */
char *cs_progress_percent(double fraction);

/* "seeds" and so on. */
const char *cs_progress_stage(CsStage stage);

/* "3d04h", "2h05m", "7m30s" or "12s": the two units that matter. */
char *cs_progress_duration(double seconds);

#endif
