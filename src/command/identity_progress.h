/* Shows the progress of identity, in the forms of progress_clock.h. */
#ifndef CS_IDENTITY_PROGRESS_H
#define CS_IDENTITY_PROGRESS_H

#include <chromosweep/identity.h>

#include "command/progress_clock.h"

/* Initialise all but the first member with zeroes. */
typedef struct {
    CsProgressForm form;
    CsIdentityProgress last;
    CsProgressClock clock;
} CsIdentityTeller;

void cs_identity_progress_tell(CsIdentityTeller *teller, const CsIdentityProgress *progress);

/* All is over: prints the last progress if it was not printed yet, and removes the line from the
 * terminal. */
void cs_identity_progress_end(CsIdentityTeller *teller);

#endif
