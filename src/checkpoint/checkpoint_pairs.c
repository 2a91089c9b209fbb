/* A folder with the checkpoints of many pairs, each in its own folder: see checkpoint.h. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_manifest.h"
#include "system/display.h"
#include "system/error_detail.h"

struct _CsCheckpointPairs {
    char *directory;
    int lock;
    gboolean made;
    int unwritable; /* errno if nothing can be written there, else 0 */
};

gboolean
cs_checkpoint_is_of_pairs(const char *directory)
{
    g_return_val_if_fail(directory != NULL, FALSE);

    g_autofree char *path = g_build_filename(directory, CS_PAIRS_LOCK, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Whether the folder is the checkpoint of one comparison. */
static gboolean
is_of_one(const char *directory)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autofree char *manifest = g_build_filename(directory, CS_MANIFEST, NULL);
    (void)cs_directory_list(directory, numbers, NULL, NULL);
    return numbers->len > 0 || g_file_test(manifest, G_FILE_TEST_EXISTS);
}

gboolean
cs_checkpoint_pairs_check(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    if (!is_of_one(directory))
        return cs_directory_check(directory, error);
    g_autofree char *shown = cs_display_name(directory);
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s belongs to one comparison, not to many pairs", shown);
    cs_error_set_detail(error, CS_DETAIL_PAIRS);
    return FALSE;
}

CsCheckpointPairs *
cs_checkpoint_pairs_open(const char *directory, GError **error)
{
    if (!cs_checkpoint_pairs_check(directory, error))
        return NULL;
    CsCheckpointPairs *pairs = g_new0(CsCheckpointPairs, 1);
    pairs->directory = g_strdup(directory);
    pairs->lock =
        cs_checkpoint_lock(directory, CS_PAIRS_LOCK, &pairs->made, &pairs->unwritable, error);
    if (pairs->lock >= 0)
        return pairs;
    cs_checkpoint_pairs_close(pairs, FALSE);
    return NULL;
}

/* Whether the folder holds nothing but the lock. */
static gboolean
is_empty(const char *directory)
{
    gboolean empty = TRUE;
    DIR *stream = opendir(directory);
    const struct dirent *entry;
    while (stream != NULL && (entry = readdir(stream)) != NULL)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                          strcmp(entry->d_name, CS_PAIRS_LOCK) == 0);
    if (stream != NULL)
        closedir(stream);
    return stream != NULL && empty;
}

void
cs_checkpoint_pairs_close(CsCheckpointPairs *pairs, gboolean remove)
{
    if (pairs == NULL)
        return;
    if (pairs->lock >= 0 && pairs->unwritable == 0 && is_empty(pairs->directory) &&
        cs_checkpoint_lock_is_held(pairs->lock, pairs->directory, CS_PAIRS_LOCK)) {
        g_autofree char *path = g_build_filename(pairs->directory, CS_PAIRS_LOCK, NULL);
        if (unlink(path) == 0 && (pairs->made || remove))
            (void)rmdir(pairs->directory); /* somebody else's file may be there by now */
    }
    if (pairs->lock >= 0)
        close(pairs->lock);
    g_free(pairs->directory);
    g_free(pairs);
}
