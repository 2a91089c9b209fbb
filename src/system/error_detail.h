/* What an error tells beside its code. */
#ifndef CS_ERROR_DETAIL_H
#define CS_ERROR_DETAIL_H

#include <chromosweep/error.h>

/* Of an error that was just set, if the caller wants one. */
void cs_error_set_detail(GError **error, CsErrorDetail detail);

/* The same, as an errno tells it; most tell nothing. */
void cs_error_set_detail_of_errno(GError **error, int code);

/* CS_DETAIL_ABSENT, and the name of the record. */
void cs_error_set_absent(GError **error, const char *name);

#endif
