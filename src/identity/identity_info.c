/* Describes the checkpoint of a run, without changing it, and removes it. */
#include <sys/stat.h>
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/identity_checkpoint.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/json_values.h"
#include "identity/keep.h"
#include "identity/part_file.h"
#include "identity/run_head.h"
#include "system/disk.h"
#include "system/display.h"

gboolean
cs_identity_checkpoint_is_there(const char *directory)
{
    g_return_val_if_fail(directory != NULL, FALSE);

    g_autofree char *lock = g_build_filename(directory, CS_IDENTITY_LOCK, NULL);
    g_autoptr(GArray) numbers = cs_identity_logs(directory, NULL);
    return numbers->len > 0 || g_file_test(lock, G_FILE_TEST_EXISTS);
}

void
cs_identity_checkpoint_info_free(CsIdentityCheckpointInfo *info)
{
    if (info == NULL)
        return;
    g_free(info->program_version);
    g_free(info->memo);
    g_free(info->holder);
    g_free(info);
}

/* What was read so far. */
typedef struct {
    CsIdentityCheckpointInfo *info;
    GHashTable *tiles; /* the numbers of those that were counted */
    gint64 cells, tiles_done;
    gint64 all_cells, all_tiles;
    guint usable; /* logs */
} Reading;

static void
add_tile(const CsTileRecord *record, const CsTilePlace *place, gpointer data)
{
    (void)place;
    Reading *reading = data;
    CsIdentityCheckpointInfo *info = reading->info;
    if (record->tile < 0 || record->tile >= reading->all_tiles ||
        !g_hash_table_add(reading->tiles, g_memdup2(&record->tile, sizeof record->tile)))
        return;
    info->pairs_done += record->pairs;
    info->pairs_kept += record->kept;
    info->pairs_filtered += record->filtered;
    info->seconds += (double)record->microseconds / 1e6;
    reading->cells += record->cells;
    reading->tiles_done++;
}

static void
add_log(Reading *reading, const char *path)
{
    CsIdentityCheckpointInfo *info = reading->info;
    g_autofree char *text = NULL;
    gboolean usable = FALSE;
    const json_t *identity;
    struct stat status;
    if (stat(path, &status) == 0) {
        info->bytes += status.st_size;
        info->saved = MAX(info->saved, (gint64)status.st_mtime);
    }
    info->logs++;
    g_autoptr(CsTileLog) log = cs_tile_log_open(path, &text);
    g_autoptr(CsJson) head = log != NULL ? cs_run_head_read(text, &usable, &identity) : NULL;
    if (head == NULL || !usable ||
        !cs_run_head_describe(head, info, &reading->all_cells, &reading->all_tiles)) {
        info->damaged++;
        return;
    }
    reading->usable++;
    info->damaged += cs_tile_log_list(log, add_tile, reading);
}

/* Of a tile that was under way. */
static void
add_part(Reading *reading, const char *directory, gint64 tile)
{
    CsIdentityCheckpointInfo *info = reading->info;
    g_autofree char *path = cs_part_file_path(directory, tile);
    struct stat status;
    if (g_hash_table_contains(reading->tiles, &tile) || stat(path, &status) != 0)
        return;
    info->bytes += status.st_size;
    info->saved = MAX(info->saved, (gint64)status.st_mtime);
    const gint64 done = cs_part_file_done(directory, tile);
    info->damaged += done < 0;
    reading->cells += MAX(done, 0);
}

static gboolean
fail_nothing(const CsIdentityCheckpointInfo *info, const char *shown, GError **error)
{
    if (info->logs > 0)
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s: its logs are damaged, or of another version", shown);
    else
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s: nothing has been saved yet; %s%s", shown,
                    info->holder != NULL ? "in use by " : "run the same command again",
                    info->holder != NULL ? info->holder : "");
    return FALSE;
}

CsIdentityCheckpointInfo *
cs_identity_checkpoint_info_new(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    g_autofree char *shown = cs_display_name(directory);
    g_autoptr(CsIdentityCheckpointInfo) info = g_new0(CsIdentityCheckpointInfo, 1);
    g_autoptr(GDir) folder = g_dir_open(directory, 0, NULL);
    if (folder == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open checkpoint %s", shown);
        return NULL;
    }
    g_autoptr(GArray) numbers = cs_identity_logs(directory, NULL);
    g_autoptr(GHashTable) tiles = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    Reading reading = {.info = info, .tiles = tiles};
    info->holder = cs_checkpoint_lock_holder(directory, CS_IDENTITY_LOCK);
    for (guint k = 0; k < numbers->len; k++) {
        g_autofree char *path = cs_identity_log_path(directory, g_array_index(numbers, gint64, k));
        add_log(&reading, path);
    }
    GHashTableIter parts;
    gpointer tile;
    g_autoptr(GHashTable) there = cs_part_files(directory);
    g_hash_table_iter_init(&parts, there);
    while (g_hash_table_iter_next(&parts, &tile, NULL))
        add_part(&reading, directory, *(gint64 *)tile);
    if (reading.usable == 0 && !fail_nothing(info, shown, error))
        return NULL;
    if (reading.tiles_done == reading.all_tiles)
        info->fraction = 1;
    else if (reading.all_cells > 0)
        info->fraction = MIN(0.9999, (double)reading.cells / (double)reading.all_cells);
    return g_steal_pointer(&info);
}

gboolean
cs_identity_checkpoint_remove(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    g_autofree char *path = g_build_filename(directory, CS_IDENTITY_LOCK, NULL);
    const int lock = cs_checkpoint_lock(directory, CS_IDENTITY_LOCK, NULL, NULL, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GArray) numbers = cs_identity_logs(directory, NULL);
    gboolean good = TRUE;
    for (guint k = 0; good && k < numbers->len; k++) {
        g_autofree char *log = cs_identity_log_path(directory, g_array_index(numbers, gint64, k));
        good = cs_disk_unlink(log, error);
    }
    good = good && cs_part_files_remove(directory, TRUE, error);
    good = good && cs_disk_unlink(path, error);
    if (good)
        (void)rmdir(directory);
    close(lock);
    return good;
}
