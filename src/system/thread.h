/* A thread of GLib's, with our own error where none is to be had. */
#ifndef CS_THREAD_H
#define CS_THREAD_H

#include <glib.h>

/* To be joined. Fails with CS_ERROR_DEVICE. */
GThread *cs_thread_new(const char *name, GThreadFunc func, gpointer data, GError **error);

#endif
