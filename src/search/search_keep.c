/* The checkpoint of a search: see search_keep.h, docs/formats.md. */
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/search.h>

#include "checkpoint/checkpoint_lock.h"
#include "search/search_files.h"
#include "search/search_keep.h"
#include "search/search_state.h"
#include "system/disk.h"
#include "system/display.h"

enum {
    KEPT = 2, /* states */
};

struct _CsSearchKeep {
    char *directory; /* absolute */
    char *shown;
    int lock;
    gboolean made, fresh;
    gint64 highest; /* number of a state that has been used */
    json_t *identity;
    char *memo; /* or NULL */
    CsNoteFunc note;
    gpointer note_data;
};

static gboolean
check_folder(const char *directory, const char *shown, GError **error)
{
    g_autofree char *other = NULL;
    g_autoptr(GArray) numbers = cs_search_files_list(directory, &other);
    if (other == NULL || numbers->len > 0)
        return TRUE;
    g_autofree char *shown_other = cs_display_name(other);
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "%s holds other files, such as %s: the checkpoint of a search needs a new or an "
                "empty folder, or one that already holds it",
                shown, shown_other);
    return FALSE;
}

CsSearchKeep *
cs_search_keep_open(const char *directory, const CsQueries *queries, const CsSearchOptions *options,
                    GError **error)
{
    g_autoptr(CsSearchKeep) keep = g_new0(CsSearchKeep, 1);
    keep->directory = cs_disk_absolute(directory);
    keep->shown = cs_display_name(directory);
    keep->lock = -1;
    keep->fresh = options->checkpoint_fresh;
    keep->memo = g_strdup(options->memo);
    keep->note = options->note;
    keep->note_data = options->data;
    keep->identity = cs_search_identity_new(queries, options);
    if (!check_folder(directory, keep->shown, error))
        return NULL;
    keep->lock = cs_checkpoint_lock(keep->directory, CS_SEARCH_LOCK, &keep->made, NULL, error);
    return keep->lock >= 0 ? g_steal_pointer(&keep) : NULL;
}

static void
warn(const CsSearchKeep *keep, const char *what, const char *name)
{
    g_autofree char *message = g_strdup_printf("checkpoint %s: %s%s", keep->shown, name, what);
    if (keep->note != NULL)
        keep->note(CS_NOTE_WARNING, message, keep->note_data);
}

typedef enum {
    STATE_GOOD,
    STATE_DAMAGED,
    STATE_FAILED, /* the error is set */
} Loaded;

/* Reads a state; into NULL queries, only whether it is good. */
static Loaded
load_state(const CsSearchKeep *keep, gint64 number, CsQueries *queries, CsSearchState *state,
           GError **error)
{
    g_autofree char *path = cs_search_files_path(keep->directory, number);
    g_auto(CsSearchFile) file = {0};
    if (!cs_search_file_read(&file, path))
        return STATE_DAMAGED;
    if (!file.usable) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s: its format is another version, or of another kind of machine",
                    keep->shown);
        return STATE_FAILED;
    }
    if (!cs_search_identity_compare(file.search, keep->identity, error)) {
        g_prefix_error(error, "checkpoint %s ", keep->shown);
        return STATE_FAILED;
    }
    state->fraction = file.fraction;
    g_autofree guint8 *bytes = cs_packed_file_unpack(&file.file, (gsize)file.size);
    if (bytes == NULL || (queries != NULL && !cs_search_state_unpack(bytes, (gsize)file.size,
                                                                     file.numbers, queries, state)))
        return STATE_DAMAGED;
    return STATE_GOOD;
}

/* A damaged state may have left a part of its lists. */
static void
empty_lists(CsQueries *queries)
{
    for (gint64 k = 0; k < queries->count; k++) {
        queries->queries[k].done = 0;
        cs_best_list_empty(&queries->queries[k].best);
    }
}

static void
tell_resuming(const CsSearchKeep *keep, const CsSearchState *state)
{
    g_autofree char *message =
        g_strdup_printf("resuming from %s, after %" G_GINT64_FORMAT " records", keep->shown,
                        state->marks[0].records);
    if (keep->note != NULL)
        keep->note(CS_NOTE_EVENT, message, keep->note_data);
}

gboolean
cs_search_keep_load(CsSearchKeep *keep, CsQueries *queries, CsSearchState *state, GError **error)
{
    g_autoptr(GArray) numbers = cs_search_files_list(keep->directory, NULL);
    for (guint k = 0; k < numbers->len; k++) {
        const gint64 number = g_array_index(numbers, gint64, k);
        keep->highest = MAX(keep->highest, number);
        if (keep->fresh)
            return TRUE;
        switch (load_state(keep, number, queries, state, error)) {
        case STATE_GOOD: tell_resuming(keep, state); return TRUE;
        case STATE_FAILED: return FALSE;
        case STATE_DAMAGED: break;
        }
        g_autofree char *path = cs_search_files_path(keep->directory, number),
                        *name = g_path_get_basename(path);
        warn(keep, " is damaged", name);
        empty_lists(queries);
        *state = (CsSearchState){0};
    }
    if (numbers->len == 0)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "checkpoint %s: all its states are damaged",
                keep->shown);
    return FALSE;
}

/* The whole file of a state, for g_free(). */
static guint8 *
make_file(const CsSearchKeep *keep, const CsQueries *queries, const CsSearchState *state,
          gsize *file_size)
{
    gsize size;
    CsSearchFile file = {.records = state->marks[0].records,
                         .seconds = state->seconds,
                         .fraction = state->fraction,
                         .search = keep->identity};
    g_autofree guint8 *bytes = cs_search_state_pack(queries, state, &size, &file.numbers);
    file.size = (gint64)size;
    return bytes != NULL ? cs_search_file_new(&file, keep->memo, bytes, file_size) : NULL;
}

static void
remove_old(const CsSearchKeep *keep)
{
    g_autoptr(GArray) numbers = cs_search_files_list(keep->directory, NULL);
    for (guint k = KEPT; k < numbers->len; k++) {
        g_autofree char *path =
            cs_search_files_path(keep->directory, g_array_index(numbers, gint64, k));
        (void)cs_disk_unlink(path, NULL);
    }
}

gboolean
cs_search_keep_save(CsSearchKeep *keep, CsQueries *queries, const CsSearchState *state,
                    GError **error)
{
    CsSearchState read = {.seconds = 0};
    gsize size;
    for (gint64 k = 0; k < queries->count; k++)
        cs_best_list_trim(&queries->queries[k].best);
    g_autofree guint8 *file = make_file(keep, queries, state, &size);
    g_autofree char *path = cs_search_files_path(keep->directory, keep->highest + 1);
    if (file == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "checkpoint %s: not enough memory to save",
                    keep->shown);
        return FALSE;
    }
    if (!cs_checkpoint_lock_is_held(keep->lock, keep->directory, CS_SEARCH_LOCK)) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                    "checkpoint %s: the folder is not the one that this run has locked",
                    keep->shown);
        return FALSE;
    }
    if (!cs_disk_replace(path, file, size, error) ||
        !cs_disk_sync_directory(keep->directory, error))
        return FALSE;
    if (load_state(keep, keep->highest + 1, NULL, &read, NULL) != STATE_GOOD) {
        (void)cs_disk_unlink(path, NULL);
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "checkpoint %s: the state reads back damaged",
                    keep->shown);
        return FALSE;
    }
    keep->highest++;
    remove_old(keep);
    return TRUE;
}

void
cs_search_keep_free(CsSearchKeep *keep)
{
    if (keep == NULL)
        return;
    g_autoptr(GArray) numbers = cs_search_files_list(keep->directory, NULL);
    g_autofree char *path = g_build_filename(keep->directory, CS_SEARCH_LOCK, NULL);
    if (keep->lock >= 0 && numbers->len == 0 &&
        cs_checkpoint_lock_is_held(keep->lock, keep->directory, CS_SEARCH_LOCK) &&
        unlink(path) == 0 && keep->made)
        (void)rmdir(keep->directory);
    if (keep->lock >= 0)
        close(keep->lock);
    json_decref(keep->identity);
    g_free(keep->directory);
    g_free(keep->shown);
    g_free(keep->memo);
    g_free(keep);
}
