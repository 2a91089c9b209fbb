/* How to run under a limit of address space (ulimit -v). */
#ifndef CS_LIMITS_H
#define CS_LIMITS_H

#include <glib.h>

/*
 * Under such a limit, makes the C library reserve no more than is used. Call this before the first
 * thread starts. FALSE, with a message on standard error, if the limit is so low that even small
 * allocations may fail; GLib would end the program then.
 */
gboolean cs_limits_prepare(void);

#endif
