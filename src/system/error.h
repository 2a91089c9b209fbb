/* Why something failed, where a caller wants to know more than the kind of failure. */
#ifndef CS_SYSTEM_ERROR_H
#define CS_SYSTEM_ERROR_H

#include <chromosweep/error.h>

/* Of an error of CS_ERROR that was just set; error may be NULL. */
void cs_error_set_reason(GError **error, CsErrorReason reason);

#endif
