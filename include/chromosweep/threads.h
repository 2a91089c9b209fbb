/* How many threads are worth starting. */
#ifndef CHROMOSWEEP_THREADS_H
#define CHROMOSWEEP_THREADS_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * cs_threads_granted:
 *
 * Returns: how many threads this process may usefully run, at least 1: the smaller of what its
 *   CPU affinity and its cgroup's CPU quota grant
 */
CS_API guint cs_threads_granted(void);

G_END_DECLS

#endif
