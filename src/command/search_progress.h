/* Shows the progress of a search, in the forms of progress.h. */
#ifndef CS_SEARCH_PROGRESS_H
#define CS_SEARCH_PROGRESS_H

#include <chromosweep/search.h>

#include "command/progress.h"

/* Initialise all but the first member with zeroes. */
typedef struct {
    CsProgressForm form;
    CsSearchProgress last;
    gboolean begun, printed;
    gint64 next_print, next_log; /* on the monotonic clock, in microseconds */
} CsSearchTeller;

/* A CsSearchProgressFunc; data is a CsSearchTeller. */
void cs_search_progress_tell(const CsSearchProgress *progress, gpointer data);

/* All is over: prints the last progress if it was not printed yet, and removes the line from the
 * terminal. */
void cs_search_progress_end(CsSearchTeller *teller);

#endif
