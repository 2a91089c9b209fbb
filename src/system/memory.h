/* How much memory this process can get. */
#ifndef CS_MEMORY_H
#define CS_MEMORY_H

#include <glib.h>

/*
 * The bytes that this process can hold: what it holds now and what it may still get, by what the
 * machine has left (swap included), by its cgroups and by its limit of address space. *limit says
 * in words which of them it is. -1 where nothing is known. Reads ROOT/proc and below
 * ROOT/sys/fs/cgroup.
 */
gint64 cs_memory_reach(const char *root, const char **limit);

#endif
