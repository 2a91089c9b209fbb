/*
 * How many threads this process may usefully run: the smaller of CPU affinity and cgroup CPU quota.
 *
 * A quota counts at every level from the process's own cgroup up to the root that is mounted here,
 * so the smallest wins. In a container the path in /proc/self/cgroup may be the host's and absent
 * below the mount; the walk up then still meets the mount's root, which is the container's own
 * cgroup.
 */
#include <sched.h>
#include <string.h>

#include <chromosweep/engine.h>

#include "threads_private.h"

/* Quota and period in microseconds as CPUs; 0 when they set no limit. */
static guint
cpus_of_quota(gint64 quota, gint64 period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    gint64 cpus = quota / period + (quota % period != 0);
    return (guint)MIN(cpus, G_MAXINT);
}

/* The smaller of two limits, where 0 is none. */
static guint
smaller_limit(guint a, guint b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The words of a small file, NULL when it cannot be read. */
static char **
read_words(const char *directory, const char *file)
{
    g_autofree char *path = g_build_filename(directory, file, NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return NULL;
    return g_strsplit_set(g_strstrip(text), " \t\n", -1);
}

/* A file's word as a number; 0 where it is absent or "max". */
static gint64
word_number(char **words, guint k)
{
    gint64 number = 0;
    if (words == NULL || k >= g_strv_length(words) ||
        !g_ascii_string_to_signed(words[k], 10, G_MININT64, G_MAXINT64, &number, NULL))
        return 0;
    return number;
}

static guint
quota_of_directory(const char *directory)
{
    g_auto(GStrv) v2 = read_words(directory, "cpu.max");
    g_auto(GStrv) v1_quota = read_words(directory, "cpu.cfs_quota_us");
    g_auto(GStrv) v1_period = read_words(directory, "cpu.cfs_period_us");
    return smaller_limit(cpus_of_quota(word_number(v2, 0), word_number(v2, 1)),
                         cpus_of_quota(word_number(v1_quota, 0), word_number(v1_period, 0)));
}

/* The smallest quota from mount/path up to the mount itself. */
static guint
quota_of_path(const char *mount, const char *path)
{
    /* A cgroup outside this namespace shows as /../..; what is mounted is all that can be read. */
    g_autofree char *rest = g_strdup(strstr(path, "/..") == NULL ? path : "/");
    guint limit = 0;
    while (TRUE) {
        g_autofree char *directory = g_build_filename(mount, rest, NULL);
        limit = smaller_limit(limit, quota_of_directory(directory));
        char *slash = strrchr(rest, '/');
        if (slash == NULL || rest[1] == '\0')
            return limit;
        slash[slash == rest] = '\0'; /* "/a/b", "/a", "/" */
    }
}

/* One line of /proc/self/cgroup, "id:controllers:path"; no controllers is version 2. */
static guint
quota_of_line(const char *root, const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, ":", 3);
    if (g_strv_length(fields) != 3)
        return 0;
    g_autofree char *base = g_build_filename(root, "sys/fs/cgroup", NULL);
    g_autofree char *named = NULL; /* version 1 as it is mounted, or version 2 beside version 1 */
    g_autofree char *plain = NULL; /* version 1 by the link beside it, or version 2 alone */
    if (fields[1][0] == '\0') {
        named = g_build_filename(base, "unified", NULL);
        plain = g_strdup(base);
    } else {
        g_auto(GStrv) controllers = g_strsplit(fields[1], ",", -1);
        if (!g_strv_contains((const char *const *)controllers, "cpu"))
            return 0;
        named = g_build_filename(base, fields[1], NULL);
        plain = g_build_filename(base, "cpu", NULL);
    }
    return smaller_limit(quota_of_path(named, fields[2]), quota_of_path(plain, fields[2]));
}

guint
cs_threads_quota(const char *root)
{
    g_autofree char *path = g_build_filename(root, "proc/self/cgroup", NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return 0;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint limit = 0;
    for (char **line = lines; *line != NULL; line++)
        limit = smaller_limit(limit, quota_of_line(root, *line));
    return limit;
}

/* The CPUs in the affinity mask, however many the kernel knows. */
static guint
affinity_count(void)
{
    for (int cpus = CPU_SETSIZE; cpus <= 64 * CPU_SETSIZE; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        gsize size = CPU_ALLOC_SIZE(cpus);
        guint count = 0;
        if (set != NULL && sched_getaffinity(0, size, set) == 0)
            count = (guint)CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    return g_get_num_processors();
}

guint
cs_threads_granted(void)
{
    return MAX(1, smaller_limit(affinity_count(), cs_threads_quota("/")));
}
