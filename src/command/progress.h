/*
 * How far a comparison is, told on the way: as a line on a terminal that is redrawn in place, as lines
 * of JSON for programs, and once a minute in the log file.
 */
#ifndef CS_PROGRESS_H
#define CS_PROGRESS_H

#include <chromosweep/control.h>

typedef enum {
    CS_PROGRESS_NONE,
    CS_PROGRESS_LINE,
    CS_PROGRESS_JSON,
} CsProgressForm;

/* Initialise with zeroes but for the first two. */
typedef struct {
    CsProgressForm form; /* on standard error */
    gint64 cells;        /* of several comparisons, one after the other; 0: there is but one */
    CsProgress past;     /* cells and seconds of those that are over */
    CsProgress sweep;    /* the one under way */
    gboolean told_one;   /* it was told something of */
    double before;       /* cells, as they count, that were not done in this run */
    gboolean begun;      /* something was told: the members below are known */
    CsProgress last;     /* of all comparisons */
    gboolean printed;    /* last is on standard error as JSON */
    gint64 next_print;   /* on the monotonic clock, in microseconds */
    gint64 next_log;     /* likewise */
} CsProgressTeller;

/* The form of a line where standard error is a terminal, of none elsewhere. */
CsProgressForm cs_progress_auto(void);

/* --progress; NULL is auto. */
gboolean cs_progress_parse(const char *text, CsProgressForm *form, GError **error);

/* A CsProgressFunc; data is a CsProgressTeller. */
gboolean cs_progress_tell(const CsProgress *progress, gpointer data);

/* Whether anybody would hear it. */
gboolean cs_progress_is_heard(const CsProgressTeller *teller);

/* One of several comparisons is over, done or not, which had so many cells. */
void cs_progress_next(CsProgressTeller *teller, gint64 cells);

/* All is over: tells what was told last where that is still to be done, and takes the line
 * off the terminal. */
void cs_progress_end(CsProgressTeller *teller);

/* With one decimal, rounded down: "100.0" is all of the work. */
char *cs_progress_percent(double fraction);

/* "seeds" and so on. */
const char *cs_progress_stage(CsStage stage);

/* "3d04h", "2h05m", "7m30s" or "12s": the two units that matter. */
char *cs_progress_duration(double seconds);

#endif
