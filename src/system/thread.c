/* A thread of GLib's. */
#include <chromosweep/error.h>

#include "system/thread.h"

GThread *
cs_thread_new(const char *name, GThreadFunc func, gpointer data, GError **error)
{
    g_autoptr(GError) failure = NULL;
    GThread *thread = g_thread_try_new(name, func, data, &failure);
    if (thread == NULL)
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "cannot start a thread: %s",
                    failure->message);
    return thread;
}
