/* Whether work should end early. */
#ifndef CS_STOP_H
#define CS_STOP_H

#include <glib.h>

/* Whether *stop (if any) is nonzero. Another thread may set it. */
static inline gboolean
cs_is_stopped(const gint *stop)
{
    return stop != NULL && g_atomic_int_get(stop) != 0;
}

#endif
