/* How many threads are worth starting. */
#ifndef CHROMOSWEEP_THREADS_H
#define CHROMOSWEEP_THREADS_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * cs_threads_granted:
 *
 * Returns: how many threads it makes sense to run, at least 1: the lower limit of the process's CPU
 *   affinity and of its cgroup's CPU quota
 */
CS_API guint cs_threads_granted(void);

G_END_DECLS

#endif
