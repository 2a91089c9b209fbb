/* The line on a terminal that says how far a sweep is. */
#ifndef CS_PROGRESS_H
#define CS_PROGRESS_H

#include <chromosweep/compare.h>

/* Initialise with zeroes. */
typedef struct {
    int shown;           /* columns that the line now covers */
    gboolean begun;      /* the two below are known */
    gint64 cells_before; /* done when the line was first shown: perhaps by an earlier run */
    double seconds_before;
} CsProgressLine;

/* Whether standard error is a terminal, which alone may get the line. */
gboolean cs_progress_line_wanted(void);

/* A CsProgressFunc; data is a CsProgressLine. */
gboolean cs_progress_line_show(const CsProgress *progress, gpointer data);

/* Takes the line off the terminal; nothing when there is none. */
void cs_progress_line_erase(CsProgressLine *line);

/* "3d04h", "2h05m", "7m30s" or "12s": the two units that matter. */
char *cs_progress_duration(double seconds);

#endif
