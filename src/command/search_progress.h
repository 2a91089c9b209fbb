/* Shows the progress of a search, in the forms of progress_clock.h. */
#ifndef CS_SEARCH_PROGRESS_H
#define CS_SEARCH_PROGRESS_H

#include <chromosweep/search.h>

#include "command/progress_clock.h"

/* Initialise all but the first member with zeroes. */
typedef struct {
    CsProgressForm form;
    CsSearchProgress last;
    CsProgressClock clock;
} CsSearchTeller;

void cs_search_progress_tell(CsSearchTeller *teller, const CsSearchProgress *progress);

/* All is over: prints the last progress if it was not printed yet, and removes the line from the
 * terminal. */
void cs_search_progress_end(CsSearchTeller *teller);

#endif
