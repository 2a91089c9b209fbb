/*
 * Finds the limits of a cgroup.
 *
 * Limits hold at every level from the process's own cgroup up to the root that is mounted here, so
 * the smallest one counts. In a container, the path in /proc/self/cgroup may be the host's and not
 * exist below the mount. The walk up still reaches the mount's root, which is the container's own
 * cgroup.
 */
#include <string.h>

#include "system/cgroup.h"

typedef struct {
    const char *controller;
    CsCgroupFunc func;
    gpointer user_data;
} Walk;

char **
cs_cgroup_words(const char *directory, const char *file)
{
    g_autofree char *path = g_build_filename(directory, file, NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return NULL;
    return g_strsplit_set(g_strstrip(text), " \t\n", -1);
}

gint64
cs_cgroup_number(char **words, guint k)
{
    gint64 number = 0;
    if (words == NULL || k >= g_strv_length(words) ||
        !g_ascii_string_to_signed(words[k], 10, G_MININT64, G_MAXINT64, &number, NULL))
        return 0;
    return number;
}

/* From mount/path up to the mount itself. */
static void
walk_path(const Walk *walk, const char *mount, const char *path)
{
    /* A cgroup outside this namespace shows as /../..; only the mounted part can be read. */
    g_autofree char *rest = g_strdup(strstr(path, "/..") == NULL ? path : "/");
    while (TRUE) {
        g_autofree char *directory = g_build_filename(mount, rest, NULL);
        walk->func(directory, walk->user_data);
        char *slash = strrchr(rest, '/');
        if (slash == NULL || rest[1] == '\0')
            return;
        slash[slash == rest] = '\0'; /* "/a/b", "/a", "/" */
    }
}

/* Reads a line of /proc/self/cgroup, "id:controllers:path". No controllers means version 2. */
static void
walk_line(const Walk *walk, const char *root, const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, ":", 3);
    if (g_strv_length(fields) != 3)
        return;
    g_autofree char *base = g_build_filename(root, "sys/fs/cgroup", NULL);
    g_autofree char *named = NULL; /* version 1 by its mount point, or version 2 if both exist */
    g_autofree char *plain = NULL; /* version 1 by the link to it, or version 2 alone */
    if (fields[1][0] == '\0') {
        named = g_build_filename(base, "unified", NULL);
        plain = g_strdup(base);
    } else {
        g_auto(GStrv) controllers = g_strsplit(fields[1], ",", -1);
        if (!g_strv_contains((const char *const *)controllers, walk->controller))
            return;
        named = g_build_filename(base, fields[1], NULL);
        plain = g_build_filename(base, walk->controller, NULL);
    }
    walk_path(walk, named, fields[2]);
    if (strcmp(named, plain) != 0)
        walk_path(walk, plain, fields[2]);
}

void
cs_cgroup_walk(const char *root, const char *controller, CsCgroupFunc func, gpointer user_data)
{
    const Walk walk = {controller, func, user_data};
    g_autofree char *path = g_build_filename(root, "proc/self/cgroup", NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL; line++)
        walk_line(&walk, root, *line);
}
