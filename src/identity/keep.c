/* The checkpoint of a run: see keep.h, docs/formats.md. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/json_values.h"
#include "checkpoint/numbered_file.h"
#include "identity/keep.h"
#include "identity/part_file.h"
#include "identity/run_head.h"
#include "system/disk.h"
#include "system/display.h"

#define PREFIX "identity-"
#define SUFFIX ".log"

enum {
    DIGITS = 6,
    NUMBER_MOST = 999999,
};

struct _CsIdentityKeep {
    char *directory; /* absolute */
    char *shown;
    int lock;
    gboolean made, fresh;
    json_t *identity;
    char *memo; /* or NULL */
    CsNoteFunc note;
    gpointer note_data;
    gint64 interval; /* microseconds */
    pthread_mutex_t mutex;
    /* Protected by the mutex. */
    GPtrArray *paths; /* of the logs that places name */
    CsTileLog *own;   /* or NULL: this run has not appended yet */
    guint own_number; /* in `paths` */
    CsTileLog *read;  /* the one that was read last, or NULL */
    guint read_number;
    gboolean unsynced;
    gint64 next_sync;
    GHashTable *parts; /* the tiles that have a file */
};

static const CsNumberedFile logs = {PREFIX, SUFFIX, DIGITS, NUMBER_MOST};

char *
cs_identity_log_path(const char *directory, gint64 number)
{
    return cs_numbered_file_path(&logs, directory, number);
}

static int
lower_first(gconstpointer a, gconstpointer b)
{
    const gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;
    return one < other ? -1 : one > other;
}

GArray *
cs_identity_logs(const char *directory, char **other)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        const gint64 number = cs_numbered_file_number(&logs, name);
        if (number > 0)
            g_array_append_val(numbers, number);
        else if (other != NULL && *other == NULL && name[0] != '.' &&
                 strcmp(name, "lost+found") != 0 && strcmp(name, CS_IDENTITY_LOCK) != 0)
            *other = g_strdup(name);
    }
    g_array_sort(numbers, lower_first);
    return numbers;
}

static gboolean
check_folder(const char *directory, const char *shown, GError **error)
{
    g_autofree char *other = NULL;
    g_autoptr(GArray) numbers = cs_identity_logs(directory, &other);
    if (other == NULL || numbers->len > 0)
        return TRUE;
    g_autofree char *shown_other = cs_display_name(other);
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "%s holds other files, such as %s: the checkpoint of identities needs a new or an "
                "empty folder, or one that already holds it",
                shown, shown_other);
    return FALSE;
}

CsIdentityKeep *
cs_identity_keep_open(const char *directory, json_t *identity, const CsIdentityOptions *options,
                      GError **error)
{
    g_autoptr(CsIdentityKeep) keep = g_new0(CsIdentityKeep, 1);
    keep->directory = cs_disk_absolute(directory);
    keep->shown = cs_display_name(directory);
    keep->lock = -1;
    keep->fresh = options->checkpoint_fresh;
    keep->identity = identity;
    keep->memo = g_strdup(options->memo);
    keep->note = options->note;
    keep->note_data = options->data;
    keep->interval = (gint64)(options->checkpoint_interval * G_USEC_PER_SEC);
    keep->next_sync = g_get_monotonic_time() + keep->interval;
    keep->paths = g_ptr_array_new_with_free_func(g_free);
    pthread_mutex_init(&keep->mutex, NULL);
    if (!check_folder(directory, keep->shown, error))
        return NULL;
    keep->lock = cs_checkpoint_lock(keep->directory, CS_IDENTITY_LOCK, &keep->made, NULL, error);
    if (keep->lock < 0)
        return NULL;
    keep->parts = cs_part_files(keep->directory);
    return g_steal_pointer(&keep);
}

static void
warn(const CsIdentityKeep *keep, const char *path, const char *what)
{
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *message = g_strdup_printf("checkpoint %s: %s%s", keep->shown, name, what);
    if (keep->note != NULL)
        keep->note(CS_NOTE_WARNING, message, keep->note_data);
}

/* A tile needs its part no more. With the mutex, or before there are threads. */
static void
drop_part(CsIdentityKeep *keep, gint64 tile)
{
    g_autofree char *path = cs_part_file_path(keep->directory, tile);
    if (g_hash_table_remove(keep->parts, &tile))
        (void)cs_disk_unlink(path, NULL); /* a later run may do it */
}

/* A caller of cs_identity_keep_load(). */
typedef struct {
    CsIdentityKeep *keep;
    CsKeptTileFunc func;
    gpointer user_data;
    guint log;
    gint64 records;
} Loading;

static void
take_record(const CsTileRecord *record, const CsTilePlace *place, gpointer data)
{
    Loading *loading = data;
    const CsKeptPlace kept = {*place, loading->log};
    loading->records++;
    drop_part(loading->keep, record->tile);
    loading->func(record, &kept, loading->user_data);
}

static gboolean
load_log(CsIdentityKeep *keep, const char *path, Loading *loading, GError **error)
{
    g_autofree char *text = NULL;
    gboolean usable;
    const json_t *identity;
    g_autoptr(CsTileLog) log = cs_tile_log_open(path, &text);
    g_autoptr(CsJson) head = log != NULL ? cs_run_head_read(text, &usable, &identity) : NULL;
    if (head == NULL) {
        warn(keep, path, " is damaged from its beginning on, and is not used");
        return TRUE;
    }
    if (!usable) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s: its format is another version", keep->shown);
        return FALSE;
    }
    if (!cs_run_identity_compare(identity, keep->identity, error)) {
        g_prefix_error(error, "checkpoint %s ", keep->shown);
        return FALSE;
    }
    const guint damaged = cs_tile_log_list(log, take_record, loading);
    if (damaged > 0)
        warn(keep, path, " is damaged: what it held there is computed again");
    return TRUE;
}

/* Removes what cannot be used. */
static gboolean
check_parts(CsIdentityKeep *keep, GError **error)
{
    GHashTableIter parts;
    gpointer tile;
    if (!cs_part_files_remove(keep->directory, keep->fresh, error))
        return FALSE;
    if (keep->fresh)
        g_hash_table_remove_all(keep->parts);
    g_hash_table_iter_init(&parts, keep->parts);
    while (g_hash_table_iter_next(&parts, &tile, NULL)) {
        gsize size;
        g_autofree guint8 *bytes =
            cs_part_file_read(keep->directory, keep->identity, *(gint64 *)tile, &size);
        if (bytes != NULL)
            continue;
        g_autofree char *path = cs_part_file_path(keep->directory, *(gint64 *)tile);
        warn(keep, path, " is damaged: what it held is computed again");
        if (!cs_disk_unlink(path, error))
            return FALSE;
        g_hash_table_iter_remove(&parts);
    }
    return TRUE;
}

gboolean
cs_identity_keep_load(CsIdentityKeep *keep, CsKeptTileFunc func, gpointer user_data, GError **error)
{
    g_autoptr(GArray) numbers = cs_identity_logs(keep->directory, NULL);
    for (guint k = 0; k < numbers->len; k++) {
        g_autofree char *path =
            cs_identity_log_path(keep->directory, g_array_index(numbers, gint64, k));
        if (keep->fresh) {
            if (!cs_disk_unlink(path, error))
                return FALSE;
            continue;
        }
        Loading loading = {keep, func, user_data, keep->paths->len, 0};
        if (!load_log(keep, path, &loading, error))
            return FALSE;
        if (loading.records > 0)
            g_ptr_array_add(keep->paths, g_steal_pointer(&path));
    }
    return check_parts(keep, error) &&
           (!keep->fresh || numbers->len == 0 || cs_disk_sync_directory(keep->directory, error));
}

static gboolean
check_held(const CsIdentityKeep *keep, GError **error)
{
    if (cs_checkpoint_lock_is_held(keep->lock, keep->directory, CS_IDENTITY_LOCK))
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "checkpoint %s: the folder is not the one that this run has locked", keep->shown);
    return FALSE;
}

/* The log of this run. */
static gboolean
begin_log(CsIdentityKeep *keep, GError **error)
{
    if (!check_held(keep, error))
        return FALSE;
    g_autoptr(GArray) numbers = cs_identity_logs(keep->directory, NULL);
    const gint64 number =
        numbers->len > 0 ? g_array_index(numbers, gint64, numbers->len - 1) + 1 : 1;
    g_autofree char *path = cs_identity_log_path(keep->directory, number);
    if (number > NUMBER_MOST) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "checkpoint %s: too many logs", keep->shown);
        return FALSE;
    }
    char *head = cs_run_head_new(keep->identity, keep->memo);
    if (head != NULL)
        keep->own = cs_tile_log_new(path, head, error);
    else
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
    free(head);
    if (keep->own == NULL)
        return FALSE;
    keep->own_number = keep->paths->len;
    g_ptr_array_add(keep->paths, g_steal_pointer(&path));
    keep->unsynced = TRUE;
    return TRUE;
}

/* With the mutex. */
static gboolean
sync_log(CsIdentityKeep *keep, gboolean due, GError **error)
{
    if (!keep->unsynced || (due && g_get_monotonic_time() < keep->next_sync))
        return TRUE;
    keep->next_sync = g_get_monotonic_time() + keep->interval;
    if (!cs_tile_log_sync(keep->own, error) || !cs_disk_sync_directory(keep->directory, error))
        return FALSE;
    keep->unsynced = FALSE;
    return TRUE;
}

gboolean
cs_identity_keep_append(CsIdentityKeep *keep, const CsTileRecord *record, const void *bytes,
                        CsKeptPlace *place, GError **error)
{
    pthread_mutex_lock(&keep->mutex);
    const gboolean good = (keep->own != NULL || begin_log(keep, error)) &&
                          cs_tile_log_append(keep->own, record, bytes, &place->place, error);
    place->log = keep->own_number;
    keep->unsynced |= good;
    const gboolean part = g_hash_table_contains(keep->parts, &record->tile);
    const gboolean synced = good && sync_log(keep, !part, error);
    if (synced && part)
        drop_part(keep, record->tile);
    pthread_mutex_unlock(&keep->mutex);
    return synced;
}

guint8 *
cs_identity_keep_load_part(CsIdentityKeep *keep, gint64 tile, gsize *size)
{
    pthread_mutex_lock(&keep->mutex);
    const gboolean there = g_hash_table_contains(keep->parts, &tile);
    pthread_mutex_unlock(&keep->mutex);
    return there ? cs_part_file_read(keep->directory, keep->identity, tile, size) : NULL;
}

gboolean
cs_identity_keep_save_part(CsIdentityKeep *keep, gint64 tile, gint64 done, const guint8 *bytes,
                           gsize size, GError **error)
{
    /* The log has what a run needs to be resumed. */
    pthread_mutex_lock(&keep->mutex);
    const gboolean begun =
        (keep->own != NULL || begin_log(keep, error)) && sync_log(keep, FALSE, error);
    pthread_mutex_unlock(&keep->mutex);
    if (!begun || !check_held(keep, error) ||
        !cs_part_file_write(keep->directory, keep->identity, tile, done, bytes, size, error))
        return FALSE;
    pthread_mutex_lock(&keep->mutex);
    g_hash_table_add(keep->parts, g_memdup2(&tile, sizeof tile));
    pthread_mutex_unlock(&keep->mutex);
    return TRUE;
}

gboolean
cs_identity_keep_sync(CsIdentityKeep *keep, gboolean due, GError **error)
{
    pthread_mutex_lock(&keep->mutex);
    const gboolean good = sync_log(keep, due, error);
    pthread_mutex_unlock(&keep->mutex);
    return good;
}

/* The log with this number. NULL: it cannot be read. With the mutex. */
static const CsTileLog *
log_of(CsIdentityKeep *keep, guint number)
{
    if (keep->own != NULL && number == keep->own_number)
        return keep->own;
    if (keep->read == NULL || number != keep->read_number) {
        g_autofree char *head = NULL;
        g_clear_pointer(&keep->read, cs_tile_log_free);
        keep->read = cs_tile_log_open(g_ptr_array_index(keep->paths, number), &head);
        keep->read_number = number;
    }
    return keep->read;
}

gboolean
cs_identity_keep_read(CsIdentityKeep *keep, const CsKeptPlace *place, void *bytes, GError **error)
{
    pthread_mutex_lock(&keep->mutex);
    const CsTileLog *log = log_of(keep, place->log);
    const gboolean good = log != NULL && cs_tile_log_read(log, &place->place, bytes);
    g_autofree char *name = g_path_get_basename(g_ptr_array_index(keep->paths, place->log));
    pthread_mutex_unlock(&keep->mutex);
    if (!good)
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s: %s cannot be read back; run again, and what it lacks is "
                    "computed again",
                    keep->shown, name);
    return good;
}

void
cs_identity_keep_free(CsIdentityKeep *keep)
{
    if (keep == NULL)
        return;
    g_autoptr(GArray) numbers = cs_identity_logs(keep->directory, NULL);
    g_autofree char *path = g_build_filename(keep->directory, CS_IDENTITY_LOCK, NULL);
    if (keep->lock >= 0 && numbers->len == 0 &&
        cs_checkpoint_lock_is_held(keep->lock, keep->directory, CS_IDENTITY_LOCK) &&
        unlink(path) == 0 && keep->made)
        (void)rmdir(keep->directory);
    if (keep->lock >= 0)
        close(keep->lock);
    cs_tile_log_free(keep->own);
    cs_tile_log_free(keep->read);
    pthread_mutex_destroy(&keep->mutex);
    g_clear_pointer(&keep->parts, g_hash_table_unref);
    g_ptr_array_unref(keep->paths);
    json_decref(keep->identity);
    g_free(keep->directory);
    g_free(keep->shown);
    g_free(keep->memo);
    g_free(keep);
}
