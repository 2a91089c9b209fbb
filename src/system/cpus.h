/* Reads the CPU quota. The root of the file system is a parameter, for tests. */
#ifndef CS_CPUS_H
#define CS_CPUS_H

#include <glib.h>

/*
 * The CPUs that the cgroup quotas of this process grant, rounded up; 0 if none is set or can be
 * read. Reads ROOT/proc/self/cgroup and files below ROOT/sys/fs/cgroup.
 */
guint cs_cpus_quota(const char *root);

/* From now on cs_threads_granted() is this process's part of what so many processes share. Called
 * before there are threads. */
void cs_cpus_share(guint count);

#endif
