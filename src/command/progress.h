/*
 * Shows the progress of a comparison: as a line that is redrawn on a terminal, as lines of JSON for
 * programs, and once a minute in the log file.
 */
#ifndef CS_PROGRESS_H
#define CS_PROGRESS_H

#include <chromosweep/control.h>

#include "command/progress_clock.h"

/* Initialise all but the first two members with zeroes. */
typedef struct {
    CsProgressForm form; /* on standard error */
    gint64 cells;        /* of several comparisons, one after the other; 0: there is only one */
    CsProgress past;     /* cells and seconds of the comparisons that are over */
    CsProgress sweep;    /* the comparison under way */
    gboolean told_one;   /* something was reported of the comparison under way */
    double before;       /* cells that earlier runs did, as progress counts them */
    CsProgress last;     /* what was reported last, of all comparisons */
    CsProgressClock clock;
} CsProgressTeller;

/* CS_PROGRESS_LINE if standard error is a terminal, otherwise CS_PROGRESS_NONE. */
CsProgressForm cs_progress_auto(void);

/* --progress; NULL is auto. */
gboolean cs_progress_parse(const char *text, CsProgressForm *form, GError **error);

/* A CsProgressFunc; data is a CsProgressTeller. */
gboolean cs_progress_tell(const CsProgress *progress, gpointer data);

/* Whether progress is shown or logged anywhere. */
gboolean cs_progress_is_heard(const CsProgressTeller *teller);

/* One of several comparisons, of so many cells, is over, whether done or not. */
void cs_progress_next(CsProgressTeller *teller, gint64 cells);

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
