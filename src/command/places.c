/* Which files must not be overwritten. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <chromosweep/error.h>

#include "command/places.h"

/* The path with its folder resolved; NULL if there is no such folder. */
static char *
place_of(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    char *real = realpath(folder, NULL);
    char *place = real != NULL ? g_build_filename(real, name, NULL) : NULL;
    free(real);
    return place;
}

gboolean
cs_places_are_same(const char *a, const char *b)
{
    struct stat one, other;
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    g_autofree char *place = place_of(a), *taken = place_of(b);
    return place != NULL && g_strcmp0(place, taken) == 0;
}

/* Whether a checkpoint uses a file of that name. */
static gboolean
is_of_checkpoint(const char *name)
{
    return strchr(name, '/') == NULL &&
           (g_str_has_prefix(name, "lock") || g_str_has_prefix(name, "manifest.json") ||
            g_str_has_prefix(name, "generation-") || g_str_has_prefix(name, "found-"));
}

static gboolean
fail(const char *shown, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s belongs to the checkpoint", shown);
    return FALSE;
}

/* The resolved path of a folder, with or without a final slash. */
static char *
place_of_folder(const char *path)
{
    g_autofree char *bare = g_strdup(path);
    for (gsize end = strlen(bare); end > 1 && bare[end - 1] == '/'; end--)
        bare[end - 1] = '\0';
    return place_of(bare);
}

gboolean
cs_places_refuse_folder(const CsRunJob *job, GError **error)
{
    struct stat one, other;
    const char *output = job->output, *directory = job->options.checkpoint;
    if (output == NULL || strcmp(output, "-") == 0 || directory == NULL)
        return TRUE;
    g_autofree char *place = place_of_folder(output), *taken = place_of_folder(directory);
    const gboolean same = stat(output, &one) == 0 && stat(directory, &other) == 0
                              ? one.st_dev == other.st_dev && one.st_ino == other.st_ino
                              : place != NULL && g_strcmp0(place, taken) == 0;
    return !same || fail(output, error);
}

gboolean
cs_places_refuse_checkpoint(const CsRunJob *job, const char *path, const char *shown,
                            GError **error)
{
    const char *directory = job->options.checkpoint;
    g_autofree char *place = path != NULL && directory != NULL ? place_of(path) : NULL;
    if (place == NULL)
        return TRUE;
    g_autofree char *itself = place_of(directory), *inside = g_build_filename(directory, "x", NULL);
    g_autofree char *folder = place_of(inside); /* with all links followed */
    const gsize length = folder != NULL ? strlen(folder) - 1 : 0;
    const char *name =
        folder != NULL && strncmp(place, folder, length) == 0 ? place + length : NULL;
    if (g_strcmp0(place, itself) != 0 && (name == NULL || !(job->many || is_of_checkpoint(name))))
        return TRUE;
    return fail(shown, error);
}
