/* Getting along with a limit of address space (ulimit -v). */
#ifndef CS_LIMITS_H
#define CS_LIMITS_H

#include <glib.h>

/*
 * Under such a limit, makes the C library reserve no more than is used. To be called before the
 * first thread starts. FALSE where even the small allocations may fail that GLib ends the program
 * for; standard error then says so.
 */
gboolean cs_limits_prepare(void);

#endif
