/* The checkpoint of a search: see search_keep.h, docs/formats.md. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/search.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/json_values.h"
#include "checkpoint/packed_file.h"
#include "config.h"
#include "search/search_keep.h"
#include "search/search_state.h"
#include "system/disk.h"
#include "system/display.h"

#define FORMAT "chromosweep-search-state"
#define LOCK "search.lock"
#define PREFIX "search-"
#define SUFFIX ".state"
#define TEMPORARY ".tmp"

enum {
    VERSION = 1,
    DIGITS = 12,
    KEPT = 2, /* states */
};

struct _CsSearchKeep {
    char *directory; /* absolute */
    char *shown;
    int lock;
    gboolean made, fresh;
    gint64 highest; /* number of a state that has been used */
    json_t *identity;
    CsNoteFunc note;
    gpointer note_data;
};

/* The number of a state's file; 0 if it is not one. */
static gint64
number_of(const char *name)
{
    const gsize prefix = strlen(PREFIX);
    guint64 number;
    g_autofree char *digits = NULL;
    if (!g_str_has_prefix(name, PREFIX) || strlen(name) != prefix + DIGITS + strlen(SUFFIX) ||
        !g_str_has_suffix(name, SUFFIX))
        return 0;
    digits = g_strndup(name + prefix, DIGITS);
    return g_ascii_string_to_unsigned(digits, 10, 1, G_MAXINT64, &number, NULL) ? (gint64)number
                                                                                : 0;
}

static char *
name_of(gint64 number)
{
    return g_strdup_printf(PREFIX "%0*" G_GINT64_FORMAT SUFFIX, DIGITS, number);
}

static char *
path_of(const CsSearchKeep *keep, gint64 number)
{
    g_autofree char *name = name_of(number);
    return g_build_filename(keep->directory, name, NULL);
}

static int
higher_first(gconstpointer a, gconstpointer b)
{
    const gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;
    return one > other ? -1 : one < other;
}

/* The numbers of all states, the highest first; and a file that is not of a search. */
static GArray *
list_states(const char *directory, char **other)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        const gint64 number = number_of(name);
        if (number > 0)
            g_array_append_val(numbers, number);
        else if (other != NULL && *other == NULL && name[0] != '.' &&
                 strcmp(name, "lost+found") != 0 && !g_str_has_prefix(name, PREFIX) &&
                 strcmp(name, LOCK) != 0)
            *other = g_strdup(name);
    }
    g_array_sort(numbers, higher_first);
    return numbers;
}

static gboolean
check_folder(const char *directory, const char *shown, GError **error)
{
    g_autofree char *other = NULL;
    g_autoptr(GArray) numbers = list_states(directory, &other);
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
    keep->note = options->note;
    keep->note_data = options->data;
    keep->identity = cs_search_identity_new(queries, options);
    if (!check_folder(directory, keep->shown, error))
        return NULL;
    keep->lock = cs_checkpoint_lock(keep->directory, LOCK, &keep->made, NULL, error);
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
    g_autofree char *path = path_of(keep, number);
    g_auto(CsPackedFile) file = {0};
    gboolean damaged;
    const char *format = NULL;
    int version = 0, order = 0;
    json_int_t numbers = 0, size = 0;
    json_t *identity = NULL;
    if (!cs_packed_file_read(path, &file, &damaged))
        return STATE_DAMAGED;
    g_autoptr(CsJson) head = json_loadb(file.head, file.head_length, JSON_REJECT_DUPLICATES, NULL);
    if (head == NULL ||
        json_unpack(head, "{s:s, s:i, s:i, s:I, s:I, s:o, s:F}", "format", &format, "version",
                    &version, "byte_order", &order, "numbers", &numbers, "size", &size, "search",
                    &identity, "fraction", &state->fraction) != 0 ||
        strcmp(format, FORMAT) != 0)
        return STATE_DAMAGED;
    if (version != VERSION || order != G_BYTE_ORDER) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s: its format is another version, or of another kind of machine",
                    keep->shown);
        return STATE_FAILED;
    }
    if (!cs_search_identity_compare(identity, keep->identity, error)) {
        g_prefix_error(error, "checkpoint %s ", keep->shown);
        return STATE_FAILED;
    }
    g_autofree guint8 *bytes = size >= 0 ? cs_packed_file_unpack(&file, (gsize)size) : NULL;
    if (bytes == NULL ||
        (queries != NULL && !cs_search_state_unpack(bytes, (gsize)size, numbers, queries, state)))
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
    g_autoptr(GArray) numbers = list_states(keep->directory, NULL);
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
        g_autofree char *path = path_of(keep, number), *name = g_path_get_basename(path);
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

static gboolean
write_file(const char *path, const void *bytes, gsize size, GError **error)
{
    g_autofree char *temporary = g_strconcat(path, TEMPORARY, NULL);
    int fd = cs_disk_create(temporary, error);
    if (fd < 0)
        return FALSE;
    if (cs_disk_write(fd, temporary, bytes, size, error) && cs_disk_sync(fd, temporary, error) &&
        cs_disk_close(&fd, temporary, error) && cs_disk_rename(temporary, path, error))
        return TRUE;
    if (fd >= 0)
        close(fd);
    unlink(temporary);
    return FALSE;
}

/* The whole file of a state, for g_free(). */
static guint8 *
make_file(const CsSearchKeep *keep, const CsQueries *queries, const CsSearchState *state,
          gsize *file_size)
{
    gsize size;
    gint64 numbers;
    g_autofree guint8 *bytes = cs_search_state_pack(queries, state, &size, &numbers);
    g_autofree char *saved = cs_json_time_new(g_get_real_time() / G_USEC_PER_SEC);
    g_autoptr(CsJson) head = json_pack(
        "{s:s, s:i, s:s, s:s, s:i, s:I, s:I, s:f, s:I, s:O}", "format", FORMAT, "version", VERSION,
        "program_version", CS_VERSION, "saved", saved, "byte_order", G_BYTE_ORDER, "numbers",
        (json_int_t)numbers, "size", (json_int_t)size, "fraction", state->fraction, "records",
        (json_int_t)state->marks[0].records, "search", keep->identity);
    char *text = head != NULL ? json_dumps(head, JSON_COMPACT) : NULL;
    guint8 *file =
        bytes != NULL && text != NULL ? cs_packed_file_new(text, bytes, size, file_size) : NULL;
    free(text);
    return file;
}

static void
remove_old(const CsSearchKeep *keep)
{
    g_autoptr(GArray) numbers = list_states(keep->directory, NULL);
    for (guint k = KEPT; k < numbers->len; k++) {
        g_autofree char *path = path_of(keep, g_array_index(numbers, gint64, k));
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
    g_autofree char *path = path_of(keep, keep->highest + 1);
    if (file == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "checkpoint %s: not enough memory to save",
                    keep->shown);
        return FALSE;
    }
    if (!cs_checkpoint_lock_is_held(keep->lock, keep->directory, LOCK)) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                    "checkpoint %s: the folder is not the one that this run has locked",
                    keep->shown);
        return FALSE;
    }
    if (!write_file(path, file, size, error) || !cs_disk_sync_directory(keep->directory, error))
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
    g_autoptr(GArray) numbers = list_states(keep->directory, NULL);
    g_autofree char *path = g_build_filename(keep->directory, LOCK, NULL);
    if (keep->lock >= 0 && numbers->len == 0 &&
        cs_checkpoint_lock_is_held(keep->lock, keep->directory, LOCK) && unlink(path) == 0 &&
        keep->made)
        (void)rmdir(keep->directory);
    if (keep->lock >= 0)
        close(keep->lock);
    json_decref(keep->identity);
    g_free(keep->directory);
    g_free(keep->shown);
    g_free(keep);
}

gboolean
cs_search_checkpoint_remove(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    g_autofree char *path = g_build_filename(directory, LOCK, NULL);
    const int lock = cs_checkpoint_lock(directory, LOCK, NULL, NULL, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GArray) numbers = list_states(directory, NULL);
    gboolean good = TRUE;
    for (guint k = 0; good && k < numbers->len; k++) {
        g_autofree char *name = name_of(g_array_index(numbers, gint64, k));
        g_autofree char *state = g_build_filename(directory, name, NULL);
        good = cs_disk_unlink(state, error);
    }
    good = good && cs_disk_unlink(path, error);
    if (good)
        (void)rmdir(directory);
    close(lock);
    return good;
}
