/* What the command prints beside results: help, the version, a failure. */
#ifndef CS_PRINT_H
#define CS_PRINT_H

#include <glib.h>

/* Both return the exit status: 0, or 1 with the failure said when standard output fails. */
int cs_print_text(const char *text);
int cs_print_version(void);

/*
 * Says a failure in one line on standard error and returns its exit status. who is the prefix of an
 * error of usage, such as "chromosweep compare".
 */
int cs_print_failure(const char *who, const GError *error);

#endif
