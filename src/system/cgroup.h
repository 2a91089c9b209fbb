/* The cgroups of this process. The root of the file system is a parameter, for tests. */
#ifndef CS_CGROUP_H
#define CS_CGROUP_H

#include <glib.h>

typedef void (*CsCgroupFunc)(const char *directory, gpointer user_data);

/*
 * Calls func with each folder below ROOT/sys/fs/cgroup that may hold a limit of the controller
 * ("cpu", "memory") for this process, by ROOT/proc/self/cgroup. Some of them may not exist.
 */
void cs_cgroup_walk(const char *root, const char *controller, CsCgroupFunc func,
                    gpointer user_data);

/* The words of a small file; NULL if it cannot be read. */
char **cs_cgroup_words(const char *directory, const char *file);

/* Word k as a number; 0 if words is NULL, if there is no such word, or if it is "max". */
gint64 cs_cgroup_number(char **words, guint k);

#endif
