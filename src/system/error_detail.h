/* The detail of an error, in addition to its code. */
#ifndef CS_ERROR_DETAIL_H
#define CS_ERROR_DETAIL_H

#include <chromosweep/error.h>

/* Sets the detail of an error that was just set, if the caller wants errors. */
void cs_error_set_detail(GError **error, CsErrorDetail detail);

/* Sets the detail for a value of errno. Most have none. */
void cs_error_set_detail_of_errno(GError **error, int code);

/* Sets the file or folder that could not be used. */
void cs_error_set_path(GError **error, const char *path);

/* Sets CS_DETAIL_ABSENT and the name of the record. */
void cs_error_set_absent(GError **error, const char *name);

#endif
