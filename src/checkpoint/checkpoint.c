/*
 * The folder of checkpoints. At every moment, whatever fails or crashes:
 *
 *  1. A file gets its final name only after its content is on the disk: it is written under a
 *     temporary name, then fsync, rename, fsync of the folder. It is never changed afterwards.
 *  2. The manifest names a generation only after that generation's name is durable (1).
 *  3. A generation that was named is removed only in one of three cases: the durable manifest names
 *     two others that were read whole and were good, when saved or when loaded; or reading it back
 *     showed that it differs from what was to be written; or it was never read, and two that were
 *     read and two newer ones stay. With --no-resume, the newest generation of the old chain stays
 *     until the new chain is complete.
 *  4. A generation's number is not used again while a file or a manifest names it.
 *  5. A generation is used only if every checksum is right and it belongs to this comparison. A
 *     damaged one is left out with a warning, and not removed before two others are good (3).
 *  6. One process does all this, the holder of the lock. Before each change it checks that the lock
 *     in the folder is still its own, because the folder may have been moved and replaced.
 *
 * This file opens the folder and loads what it holds. checkpoint_save.c has a drawing of how a
 * state becomes a generation.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_private.h"
#include "system/disk.h"
#include "system/display.h"
#include "system/error_detail.h"

/* A message with the folder's name as it was given. The absolute one is there only because the
 * working directory may change during a run. */
static char *
as_given(const CsCheckpoint *checkpoint, const char *message)
{
    g_autofree char *absolute = cs_display_name(checkpoint->directory);
    g_auto(GStrv) pieces = g_strsplit(message, absolute, 0);
    return g_strjoinv(checkpoint->shown, pieces);
}

gboolean
cs_checkpoint_fail(const CsCheckpoint *checkpoint, GError *failure, GError **error)
{
    char *message = as_given(checkpoint, failure->message);
    g_free(failure->message);
    failure->message = message;
    g_propagate_error(error, failure);
    return FALSE;
}

void
cs_checkpoint_warn(const CsCheckpoint *checkpoint, const char *format, ...)
{
    if (checkpoint->note == NULL)
        return;
    va_list values;
    va_start(values, format);
    g_autofree char *text = g_strdup_vprintf(format, values);
    va_end(values);
    g_autofree char *shown = as_given(checkpoint, text);
    g_autofree char *message = g_strdup_printf("checkpoint %s: %s", checkpoint->shown, shown);
    checkpoint->note(CS_NOTE_WARNING, message, checkpoint->note_data);
}

char *
cs_checkpoint_path(const CsCheckpoint *checkpoint, const char *name)
{
    return g_build_filename(checkpoint->directory, name, NULL);
}

gboolean
cs_checkpoint_is_complete(const CsCheckpoint *checkpoint, const CsEntry *entry)
{
    return entry->shown.cells_done == cs_fingerprint_record_cells(checkpoint->record);
}

/* Whether the run can continue after this failure: damage, or a file that cannot be read. */
static gboolean
is_passable(const GError *error)
{
    return g_error_matches(error, CS_ERROR, CS_ERROR_CONTENT) ||
           g_error_matches(error, CS_ERROR, CS_ERROR_FAILED);
}

static gboolean
fail_generation(const CsCheckpoint *checkpoint, gint64 number, GError *failure, GError **error)
{
    g_propagate_prefixed_error(error, failure, "checkpoint %s: generation %" G_GINT64_FORMAT ": ",
                               checkpoint->shown, number);
    return FALSE;
}

static gboolean
compare_identity(const CsCheckpoint *checkpoint, const CsFingerprintRecord *there, GError **error)
{
    if (checkpoint->fresh || cs_fingerprint_record_compare(there, checkpoint->record, error))
        return TRUE;
    g_prefix_error(error, "checkpoint %s ", checkpoint->shown);
    return FALSE;
}

/* Without a manifest, describes the generations from their files. */
static gboolean
describe_files(CsCheckpoint *checkpoint, const GArray *numbers, GError **error)
{
    gboolean compared = FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        gint64 number = g_array_index(numbers, gint64, k);
        g_auto(CsStateHead) head = {0};
        CsEntry entry;
        GError *failure = NULL;
        if (!cs_generation_describe(checkpoint->directory, number, &entry, &head, &failure))
            return fail_generation(checkpoint, number, failure, error);
        g_array_append_val(checkpoint->entries, entry);
        if (head.record != NULL && !compared) {
            compared = TRUE;
            if (!compare_identity(checkpoint, head.record, error))
                return FALSE;
        }
    }
    return TRUE;
}

/* Reads the manifest, if there is one. *damage is what is wrong with it, or NULL. */
static gboolean
read_manifest(CsCheckpoint *checkpoint, char **damage, GError **error)
{
    g_auto(CsManifest) manifest = {0};
    g_autoptr(GError) failure = NULL;
    gboolean found;
    if (!cs_manifest_read(checkpoint->directory, &manifest, &found, &failure)) {
        if (is_passable(failure)) {
            *damage = g_strdup(failure->message);
            return TRUE;
        }
        g_propagate_prefixed_error(error, g_steal_pointer(&failure),
                                   "checkpoint %s: " CS_MANIFEST ": ", checkpoint->shown);
        return FALSE;
    }
    if (!found)
        return TRUE;
    checkpoint->listed = TRUE;
    checkpoint->manifest = g_steal_pointer(&manifest.text);
    g_array_unref(checkpoint->entries);
    checkpoint->entries = g_steal_pointer(&manifest.entries);
    for (guint k = 0; k < checkpoint->entries->len; k++)
        checkpoint->highest =
            MAX(checkpoint->highest, cs_checkpoint_entry(checkpoint->entries, k)->shown.number);
    return compare_identity(checkpoint, manifest.record, error);
}

/* Finds out what the folder holds and whether it belongs to this comparison. */
static gboolean
look(CsCheckpoint *checkpoint, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autofree char *damage = NULL;
    if (!cs_directory_list(checkpoint->directory, numbers, NULL, error) ||
        !read_manifest(checkpoint, &damage, error))
        return FALSE;
    if (numbers->len > 0)
        checkpoint->highest = MAX(checkpoint->highest, g_array_index(numbers, gint64, 0));
    if (checkpoint->listed)
        return TRUE;
    if (numbers->len > 0) {
        /* A crash can leave one file and no manifest; that is no damage. */
        if (damage != NULL)
            cs_checkpoint_warn(checkpoint,
                               CS_MANIFEST " is damaged (%s); using the generation files instead",
                               damage);
        else if (numbers->len > 1)
            cs_checkpoint_warn(checkpoint,
                               CS_MANIFEST " is missing; using the generation files instead");
        return describe_files(checkpoint, numbers, error);
    }
    if (damage == NULL || checkpoint->fresh)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s: " CS_MANIFEST " is damaged (%s), and there is no generation",
                checkpoint->shown, damage);
    return FALSE;
}

/* Whether a file can be written there, to fail now and not after an hour. */
static gboolean
probe(const CsCheckpoint *checkpoint, GError **error)
{
    if (checkpoint->unwritable != 0) {
        g_autofree char *lock = cs_checkpoint_path(checkpoint, CS_LOCK);
        return cs_disk_fail("open", lock, checkpoint->unwritable, error);
    }
    g_autofree char *path = cs_checkpoint_path(checkpoint, CS_MANIFEST_TEMPORARY);
    int fd = cs_disk_create(path, error);
    if (fd < 0)
        return FALSE;
    static const char text[] = "{}\n";
    gboolean good =
        cs_disk_write(fd, path, text, strlen(text), error) && cs_disk_sync(fd, path, error);
    good = cs_disk_close(&fd, path, good ? error : NULL) && good;
    return cs_disk_unlink(path, good ? error : NULL) && good;
}

/* Removes what an interrupted run left. It does no harm if that fails. */
static gboolean
remove_temporaries(const CsCheckpoint *checkpoint, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    if (!cs_directory_list(checkpoint->directory, NULL, names, error))
        return FALSE;
    for (guint k = 0; k < names->len; k++) {
        g_autofree char *path = cs_checkpoint_path(checkpoint, g_ptr_array_index(names, k));
        g_autoptr(GError) failure = NULL;
        if (!cs_disk_unlink(path, &failure))
            cs_checkpoint_warn(checkpoint, "%s", failure->message);
    }
    return TRUE;
}

/* Begins a new chain. One old generation stays: the newest, or one that is kept already if that has
 * come further. */
static void
keep_old(CsCheckpoint *checkpoint)
{
    GArray *kept = cs_entries_new();
    for (guint k = 0; k < checkpoint->entries->len; k++) {
        CsEntry *entry = cs_checkpoint_entry(checkpoint->entries, k);
        if (entry->shown.fault != NULL ||
            (kept->len > 0 && (!entry->kept || entry->shown.cells_done <=
                                                   cs_checkpoint_entry(kept, 0)->shown.cells_done)))
            continue;
        CsEntry copy = cs_entry_copy(entry);
        copy.kept = TRUE;
        g_array_set_size(kept, 0);
        g_array_append_val(kept, copy);
    }
    g_array_unref(checkpoint->entries);
    checkpoint->entries = kept;
}

/* Locks the folder, and looks at what it holds. */
static gboolean
take_up(CsCheckpoint *checkpoint, GError **error)
{
    checkpoint->lock = cs_checkpoint_lock(checkpoint->directory, CS_LOCK, &checkpoint->made,
                                          &checkpoint->unwritable, error);
    return checkpoint->lock >= 0 && look(checkpoint, error) &&
           ((!checkpoint->fresh && checkpoint->highest > 0) || probe(checkpoint, error)) &&
           (checkpoint->unwritable != 0 || remove_temporaries(checkpoint, error));
}

CsCheckpoint *
cs_checkpoint_open(const char *directory, const CsFingerprint *identity, gboolean fresh,
                   CsNoteFunc note, gpointer note_data, GError **error)
{
    g_autoptr(CsCheckpoint) checkpoint = g_new0(CsCheckpoint, 1);
    checkpoint->directory = cs_disk_absolute(directory);
    checkpoint->shown = cs_display_name(directory);
    checkpoint->fresh = fresh;
    checkpoint->note = note;
    checkpoint->note_data = note_data;
    checkpoint->entries = cs_entries_new();
    checkpoint->lock = -1;
    if (cs_checkpoint_is_of_pairs(directory)) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s belongs to many pairs, not to one comparison",
                    checkpoint->shown);
        cs_error_set_detail(error, CS_DETAIL_PAIRS);
        return NULL;
    }
    GError *failure = NULL;
    checkpoint->record = cs_fingerprint_record_new(identity);
    if (!cs_directory_check(directory, error))
        return NULL;
    if (!take_up(checkpoint, &failure)) {
        cs_checkpoint_fail(checkpoint, failure, error);
        return NULL;
    }
    if (fresh)
        keep_old(checkpoint);
    return g_steal_pointer(&checkpoint);
}

gboolean
cs_checkpoint_is_new(const CsCheckpoint *checkpoint)
{
    return checkpoint->fresh || checkpoint->highest == 0;
}

gboolean
cs_checkpoint_is_writable(const CsCheckpoint *checkpoint)
{
    return checkpoint->unwritable == 0;
}

void
cs_checkpoint_free(CsCheckpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    if (checkpoint->lock >= 0 && checkpoint->unwritable == 0 && checkpoint->highest == 0 &&
        cs_checkpoint_lock_is_held(checkpoint->lock, checkpoint->directory, CS_LOCK)) {
        g_autofree char *path = cs_checkpoint_path(checkpoint, CS_LOCK);
        if (unlink(path) == 0 && checkpoint->made)
            (void)rmdir(checkpoint->directory); /* somebody else's file may be there by now */
    }
    if (checkpoint->lock >= 0)
        close(checkpoint->lock);
    cs_fingerprint_record_free(checkpoint->record);
    g_array_unref(checkpoint->entries);
    g_free(checkpoint->manifest);
    g_free(checkpoint->directory);
    g_free(checkpoint->shown);
    g_free(checkpoint);
}

/* Loads a whole generation. Fails if the state file does, or if it is of another comparison. */
static gboolean
load_entry(const CsCheckpoint *checkpoint, const CsEntry *entry, CsState *state, GError **error)
{
    g_auto(CsStateHead) head = {0};
    if (entry->shown.fault != NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, entry->shown.fault);
        return FALSE;
    }
    g_autofree char *path = cs_checkpoint_path(checkpoint, entry->shown.file);
    int fd = cs_generation_open(checkpoint->directory, entry->shown.number, entry, &head, error);
    if (fd < 0)
        return FALSE;
    gboolean loaded = cs_fingerprint_record_compare(head.record, checkpoint->record, error) &&
                      cs_state_file_read_blocks(fd, path, &head, TRUE, NULL, NULL, error);
    close(fd); /* it was only read */
    if (loaded) {
        *state = head.state;
        head.state = (CsState){0};
    }
    return loaded;
}

static void
tell_passed(const CsCheckpoint *checkpoint, const GPtrArray *passed, const CsEntry *used)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(used->shown.saved);
    g_autofree char *saved =
        time != NULL ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S") : g_strdup("long ago");
    for (guint k = 0; k < passed->len; k++)
        cs_checkpoint_warn(checkpoint, "%s; using generation %" G_GINT64_FORMAT ", saved %s UTC",
                           (const char *)g_ptr_array_index(passed, k), used->shown.number, saved);
}

/*
 * Loads the first entry that is good; *used is its index. Faults of the ones before it are added to
 * `passed`. FALSE only after a failure with which the run cannot continue.
 */
static gboolean
load_first(const CsCheckpoint *checkpoint, const GArray *entries, GPtrArray *passed, CsState *state,
           guint *used, GError **error)
{
    for (*used = 0; *used < entries->len; ++*used) {
        const CsEntry *entry = cs_checkpoint_entry(entries, *used);
        GError *failure = NULL;
        if (load_entry(checkpoint, entry, state, &failure))
            return TRUE;
        /* A failure to read may be temporary; a wrong checksum is not. */
        if (g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED)) {
            g_clear_error(&failure);
            if (load_entry(checkpoint, entry, state, &failure))
                return TRUE;
        }
        if (!is_passable(failure))
            return fail_generation(checkpoint, entry->shown.number, failure, error);
        g_ptr_array_add(passed, g_strdup_printf("generation %" G_GINT64_FORMAT " is damaged (%s)",
                                                entry->shown.number, failure->message));
        g_error_free(failure);
    }
    return TRUE;
}

/* Lists files that the manifest does not name, as the last resort. */
static gboolean
list_unnamed(const CsCheckpoint *checkpoint, GArray *entries, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (!cs_directory_list(checkpoint->directory, numbers, NULL, error))
        return FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        gint64 number = g_array_index(numbers, gint64, k);
        gboolean named = FALSE;
        for (guint e = 0; e < checkpoint->entries->len && !named; e++)
            named = cs_checkpoint_entry(checkpoint->entries, e)->shown.number == number;
        g_auto(CsStateHead) head = {0};
        CsEntry entry;
        GError *failure = NULL;
        if (named)
            continue;
        if (!cs_generation_describe(checkpoint->directory, number, &entry, &head, &failure))
            return fail_generation(checkpoint, number, failure, error);
        g_array_append_val(entries, entry);
    }
    return TRUE;
}

static gboolean
load(CsCheckpoint *checkpoint, CsState *state, gboolean *found, GError **error)
{
    *found = FALSE;
    if (checkpoint->fresh || checkpoint->highest == 0)
        return TRUE; /* it is known to be writable */
    g_autoptr(GPtrArray) passed = g_ptr_array_new_with_free_func(g_free);
    guint used;
    if (!load_first(checkpoint, checkpoint->entries, passed, state, &used, error))
        return FALSE;
    if (used == checkpoint->entries->len && checkpoint->listed) {
        g_autoptr(GArray) unnamed = cs_entries_new();
        if (!list_unnamed(checkpoint, unnamed, error) ||
            !load_first(checkpoint, unnamed, passed, state, &used, error))
            return FALSE;
        g_array_unref(checkpoint->entries);
        checkpoint->entries = g_steal_pointer(&unnamed);
    }
    if (used == checkpoint->entries->len) {
        g_ptr_array_add(passed, NULL);
        g_autofree char *all = g_strjoinv(", ", (char **)passed->pdata);
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s has no usable generation: %s", checkpoint->shown, all);
        return FALSE;
    }
    if (used > 0)
        g_array_remove_range(checkpoint->entries, 0, used);
    tell_passed(checkpoint, passed, cs_checkpoint_entry(checkpoint->entries, 0));
    CsEntry *newest = cs_checkpoint_entry(checkpoint->entries, 0);
    newest->verified = TRUE;
    newest->kept = FALSE;
    /* A finished comparison can be read even if nothing can be written. */
    if (!cs_checkpoint_is_complete(checkpoint, newest) && !probe(checkpoint, error)) {
        cs_state_clear(state);
        *state = (CsState){0};
        return FALSE;
    }
    /* Generations left by saves in a hurry. */
    if (passed->len == 0 && checkpoint->listed && checkpoint->unwritable == 0)
        cs_checkpoint_clear_away(checkpoint, FALSE);
    *found = TRUE;
    return TRUE;
}

gboolean
cs_checkpoint_load(CsCheckpoint *checkpoint, CsState *state, gboolean *found, GError **error)
{
    GError *failure = NULL;
    return load(checkpoint, state, found, &failure) ||
           cs_checkpoint_fail(checkpoint, failure, error);
}
