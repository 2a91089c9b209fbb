/* What cpus.c reads, with the root of the file system as a parameter, for its test. */
#ifndef CS_CPUS_H
#define CS_CPUS_H

#include <glib.h>

/*
 * The CPUs that the cgroup quotas of this process grant, rounded up; 0 where none is set or none
 * can be read. Reads ROOT/proc/self/cgroup and below ROOT/sys/fs/cgroup.
 */
guint cs_cpus_quota(const char *root);

#endif
