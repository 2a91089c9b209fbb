/*
 * The directory of checkpoints. At every moment, whatever fails or crashes:
 *
 *  1. A file has its final name only when its content is on the disk: written under a temporary
 *     name, fsync, rename, fsync of the directory. No file is changed afterwards.
 *  2. The manifest names a generation only when that generation's name is durable (1).
 *  3. A generation that was named is removed only when the durable manifest names two others, each
 *     of which was read whole and was good, when saved or when loaded; or when reading it back
 * showed that it is not what was to be written; or unread itself when two that were read and two
 * newer stay. The newest of a chain before (opened afresh) stays until the new one is complete.
 *  4. A generation's number is never used again while a file or a manifest names it.
 *  5. What is read is used only when every checksum is right and it is of this comparison; what is
 *     damaged is passed over with a warning, and never removed before two others are good (3).
 *  6. All of this by one process, which holds the lock; it looks before each change whether the
 *     directory's lock is still its own, since a directory may be moved and another put there.
 *
 *     idle --write file--> named by nothing --manifest [G, P, O]--> durable --read back--> verified
 *       ^                   | crash: passed over and removed later     | bad: manifest as before,
 *       |                   | abandoned: removed                       v      remove G
 *       +----remove what the manifest does not name <--manifest [G, P]-+
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_manifest.h"
#include "system/disk.h"
#include "system/display.h"
#include "system/error.h"

enum {
    READ_KEPT = 2,   /* generations that were read whole */
    MOST_LISTED = 4, /* of a chain */
};

struct _CsCheckpoint {
    char *directory; /* absolute */
    char *shown;
    gboolean made; /* the directory, by us */
    gboolean fresh;
    int lock;
    int unwritable; /* errno's number, and the lock only shared; 0: it can be written */
    CsNoteFunc note;
    gpointer note_data;
    CsFingerprintRecord *record;
    char *manifest;  /* text of the durable one; NULL: none, or none that can be read */
    gboolean listed; /* entries come from a manifest */
    GArray *entries; /* the newest first */
    gint64 highest;  /* number that is known to have been used */
};

static void warn(const CsCheckpoint *checkpoint, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void
warn(const CsCheckpoint *checkpoint, const char *format, ...)
{
    if (checkpoint->note == NULL)
        return;
    va_list values;
    va_start(values, format);
    g_autofree char *text = g_strdup_vprintf(format, values);
    va_end(values);
    g_autofree char *message = g_strdup_printf("checkpoint %s: %s", checkpoint->shown, text);
    checkpoint->note(CS_NOTE_WARNING, message, checkpoint->note_data);
}

static char *
path_of(const CsCheckpoint *checkpoint, const char *name)
{
    return g_build_filename(checkpoint->directory, name, NULL);
}

static CsEntry *
entry_at(const GArray *entries, guint k)
{
    return &g_array_index(entries, CsEntry, k);
}

/* Whether the run can do without what failed so: damage, or a file that cannot be read. */
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
    g_prefix_error(error, "checkpoint %s is ", checkpoint->shown);
    return FALSE;
}

/* Without a manifest the files speak for themselves. */
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

/* The manifest, if there is a good one: *why is then NULL. */
static gboolean
read_manifest(CsCheckpoint *checkpoint, char **why, GError **error)
{
    g_auto(CsManifest) manifest = {0};
    g_autoptr(GError) failure = NULL;
    gboolean found;
    if (!cs_manifest_read(checkpoint->directory, &manifest, &found, &failure)) {
        if (is_passable(failure)) {
            *why = g_strdup_printf("is damaged (%s)", failure->message);
            return TRUE;
        }
        g_propagate_prefixed_error(error, g_steal_pointer(&failure),
                                   "checkpoint %s: " CS_MANIFEST ": ", checkpoint->shown);
        return FALSE;
    }
    if (!found) {
        *why = g_strdup("is missing");
        return TRUE;
    }
    checkpoint->listed = TRUE;
    checkpoint->manifest = g_steal_pointer(&manifest.text);
    g_array_unref(checkpoint->entries);
    checkpoint->entries = g_steal_pointer(&manifest.entries);
    for (guint k = 0; k < checkpoint->entries->len; k++)
        checkpoint->highest =
            MAX(checkpoint->highest, entry_at(checkpoint->entries, k)->shown.number);
    return compare_identity(checkpoint, manifest.record, error);
}

/* What the directory holds, and whether it is of this comparison. */
static gboolean
look(CsCheckpoint *checkpoint, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autofree char *why = NULL;
    if (!cs_directory_list(checkpoint->directory, numbers, NULL, error) ||
        !read_manifest(checkpoint, &why, error))
        return FALSE;
    if (numbers->len > 0)
        checkpoint->highest = MAX(checkpoint->highest, g_array_index(numbers, gint64, 0));
    if (why == NULL)
        return TRUE;
    if (numbers->len > 0) {
        /* One file and no manifest yet is where a crash may come: nothing is damaged. */
        if (numbers->len > 1 || strcmp(why, "is missing") != 0)
            warn(checkpoint, "%s %s; going by the generations' files", CS_MANIFEST, why);
        return describe_files(checkpoint, numbers, error);
    }
    if (strcmp(why, "is missing") == 0 || checkpoint->fresh)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s: %s %s, and there is no generation", checkpoint->shown, CS_MANIFEST,
                why);
    return FALSE;
}

/* Whether a file can be written there, so that it is said now and not after an hour. */
static gboolean
probe(const CsCheckpoint *checkpoint, GError **error)
{
    if (checkpoint->unwritable != 0) {
        g_autofree char *lock = path_of(checkpoint, CS_LOCK);
        return cs_disk_fail("open", lock, checkpoint->unwritable, error);
    }
    g_autofree char *path = path_of(checkpoint, CS_MANIFEST_TEMPORARY);
    int fd = cs_disk_create(path, error);
    if (fd < 0)
        return FALSE;
    static const char text[] = "{}\n";
    gboolean good =
        cs_disk_write(fd, path, text, strlen(text), error) && cs_disk_sync(fd, path, error);
    good = cs_disk_close(&fd, path, good ? error : NULL) && good;
    return cs_disk_unlink(path, good ? error : NULL) && good;
}

/* What an interrupted run left. That it cannot be removed hurts nobody. */
static gboolean
remove_temporaries(const CsCheckpoint *checkpoint, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    if (!cs_directory_list(checkpoint->directory, NULL, names, error))
        return FALSE;
    for (guint k = 0; k < names->len; k++) {
        g_autofree char *path = path_of(checkpoint, g_ptr_array_index(names, k));
        g_autoptr(GError) failure = NULL;
        if (!cs_disk_unlink(path, &failure))
            warn(checkpoint, "%s", failure->message);
    }
    return TRUE;
}

/* Begins a chain: of what is there, the generation stays that has come furthest of the newest and
 * of one that is kept already. */
static void
keep_old(CsCheckpoint *checkpoint)
{
    GArray *kept = cs_entries_new();
    for (guint k = 0; k < checkpoint->entries->len; k++) {
        CsEntry *entry = entry_at(checkpoint->entries, k);
        if (entry->shown.fault != NULL ||
            (kept->len > 0 &&
             (!entry->kept || entry->shown.cells_done <= entry_at(kept, 0)->shown.cells_done)))
            continue;
        CsEntry copy = cs_entry_copy(entry);
        copy.kept = TRUE;
        g_array_set_size(kept, 0);
        g_array_append_val(kept, copy);
    }
    g_array_unref(checkpoint->entries);
    checkpoint->entries = kept;
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
                    "checkpoint %s is of many pairs, not of one comparison", checkpoint->shown);
        cs_error_set_reason(error, CS_REASON_OTHER_KIND);
        return NULL;
    }
    checkpoint->lock = cs_checkpoint_lock(checkpoint->directory, CS_LOCK, &checkpoint->made,
                                          &checkpoint->unwritable, error);
    if (checkpoint->lock < 0)
        return NULL;
    checkpoint->record = cs_fingerprint_record_new(identity);
    if (!look(checkpoint, error) ||
        ((fresh || checkpoint->highest == 0) && !probe(checkpoint, error)) ||
        (checkpoint->unwritable == 0 && !remove_temporaries(checkpoint, error)))
        return NULL;
    if (fresh)
        keep_old(checkpoint);
    return g_steal_pointer(&checkpoint);
}

gboolean
cs_checkpoint_is_new(const CsCheckpoint *checkpoint)
{
    return checkpoint->fresh || checkpoint->highest == 0;
}

void
cs_checkpoint_free(CsCheckpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    if (checkpoint->lock >= 0 && checkpoint->unwritable == 0 && checkpoint->highest == 0 &&
        cs_checkpoint_lock_is_held(checkpoint->lock, checkpoint->directory, CS_LOCK)) {
        g_autofree char *path = path_of(checkpoint, CS_LOCK);
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

/* One generation, whole. Fails as the state file does, or where it is of another comparison. */
static gboolean
load_entry(const CsCheckpoint *checkpoint, const CsEntry *entry, CsState *state, GError **error)
{
    g_auto(CsStateHead) head = {0};
    if (entry->shown.fault != NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, entry->shown.fault);
        return FALSE;
    }
    g_autofree char *path = path_of(checkpoint, entry->shown.file);
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
        warn(checkpoint, "%s; using generation %" G_GINT64_FORMAT ", saved %s UTC",
             (const char *)g_ptr_array_index(passed, k), used->shown.number, saved);
}

/*
 * The first of these that is good: *used is its index. The others' faults are added to passed.
 * FALSE only where one must not be passed over.
 */
static gboolean
load_first(const CsCheckpoint *checkpoint, const GArray *entries, GPtrArray *passed, CsState *state,
           guint *used, GError **error)
{
    for (*used = 0; *used < entries->len; ++*used) {
        const CsEntry *entry = entry_at(entries, *used);
        GError *failure = NULL;
        if (load_entry(checkpoint, entry, state, &failure))
            return TRUE;
        /* Reading may fail in passing; what a checksum says stays so. */
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

/* Of files that the manifest does not name; the last resort. */
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
            named = entry_at(checkpoint->entries, e)->shown.number == number;
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

/* Steps of invariant 1 once the content is written to *fd under a temporary name. */
static gboolean
settle(const CsCheckpoint *checkpoint, int *fd, const char *temporary, const char *final,
       gboolean *renamed, GError **error)
{
    if (!cs_disk_sync(*fd, temporary, error) || !cs_disk_close(fd, temporary, error) ||
        !cs_disk_rename(temporary, final, error))
        return FALSE;
    *renamed = TRUE;
    return cs_disk_sync_directory(checkpoint->directory, error);
}

/* Writes the file of the generation that head describes, and fills the rest of head. */
static gboolean
write_generation(const CsCheckpoint *checkpoint, const char *name, CsStateHead *head,
                 const CsState *state, guint threads, const gint *hurry, GError **error)
{
    g_autofree char *final = path_of(checkpoint, name);
    g_autofree char *temporary = g_strconcat(final, ".tmp", NULL);
    gboolean renamed = FALSE;
    int fd = cs_disk_create(temporary, error);
    if (fd < 0)
        return FALSE;
    if (cs_state_file_write(fd, temporary, head, state, threads, hurry, error) &&
        settle(checkpoint, &fd, temporary, final, &renamed, error))
        return TRUE;
    if (fd >= 0)
        close(fd);
    unlink(renamed ? final : temporary); /* what failed is already said */
    return FALSE;
}

/* Replaces the manifest; *renamed is whether the new one may be found even if this fails. */
static gboolean
replace_manifest(const CsCheckpoint *checkpoint, const char *text, gboolean *renamed,
                 GError **error)
{
    g_autofree char *final = path_of(checkpoint, CS_MANIFEST);
    g_autofree char *temporary = path_of(checkpoint, CS_MANIFEST_TEMPORARY);
    *renamed = FALSE;
    int fd = cs_disk_create(temporary, error);
    if (fd < 0)
        return FALSE;
    if (cs_disk_write(fd, temporary, text, strlen(text), error) &&
        settle(checkpoint, &fd, temporary, final, renamed, error))
        return TRUE;
    if (fd >= 0)
        close(fd);
    if (!*renamed)
        unlink(temporary);
    return FALSE;
}

/* Puts the manifest back as it was before the new generation, as far as that can be done. */
static gboolean
restore_manifest(const CsCheckpoint *checkpoint)
{
    gboolean renamed;
    if (checkpoint->manifest != NULL)
        return replace_manifest(checkpoint, checkpoint->manifest, &renamed, NULL);
    g_autofree char *path = path_of(checkpoint, CS_MANIFEST);
    return cs_disk_unlink(path, NULL) && cs_disk_sync_directory(checkpoint->directory, NULL);
}

static void
remove_generation(const CsCheckpoint *checkpoint, const char *name)
{
    g_autofree char *path = path_of(checkpoint, name);
    cs_disk_unlink(path, NULL);
    cs_disk_sync_directory(checkpoint->directory, NULL);
}

static gboolean
is_complete(const CsCheckpoint *checkpoint, const CsEntry *entry)
{
    return entry->shown.cells_done == cs_fingerprint_record_cells(checkpoint->record);
}

/* Too many of one chain: of those that nobody has read the oldest goes, but not the newest. */
static void
drop_unread(GArray *entries)
{
    guint k = entries->len - 1;
    while (k > 0 && (entry_at(entries, k)->verified || entry_at(entries, k)->kept))
        k--;
    g_array_remove_index(entries, k > 0 ? k : entries->len - 1);
}

/*
 * What the manifest shall name of [added,] entries: down to the second that was read whole, and
 * what is kept of an older chain; those left out that are known to be damaged.
 */
static GArray *
list_needed(const CsCheckpoint *checkpoint, const CsEntry *added)
{
    GArray *entries = cs_entries_new();
    guint read = 0, own = 0;
    for (gint k = added != NULL ? -1 : 0; k < (gint)checkpoint->entries->len; k++) {
        const CsEntry *entry = k < 0 ? added : entry_at(checkpoint->entries, (guint)k);
        gboolean released = entries->len > 0 && entry_at(entries, 0)->verified &&
                            is_complete(checkpoint, entry_at(entries, 0));
        if (entry->shown.fault != NULL || (entry->kept ? released : read == READ_KEPT))
            continue;
        CsEntry copy = cs_entry_copy(entry);
        g_array_append_val(entries, copy);
        read += entry->verified && !entry->kept;
        own += !entry->kept;
    }
    for (; own > MOST_LISTED; own--)
        drop_unread(entries);
    return entries;
}

/* Makes these the entries, durably. Takes over entries. */
static gboolean
name_entries(CsCheckpoint *checkpoint, GArray *entries, gboolean *renamed, GError **error)
{
    *renamed = FALSE;
    char *dumped = cs_manifest_dump(checkpoint->record, entries);
    if (dumped == NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "too little memory for a manifest");
    if (dumped == NULL || !replace_manifest(checkpoint, dumped, renamed, error)) {
        g_array_unref(entries);
        free(dumped);
        return FALSE;
    }
    g_free(checkpoint->manifest);
    checkpoint->manifest = g_strdup(dumped);
    free(dumped);
    g_array_unref(checkpoint->entries);
    checkpoint->entries = entries;
    return TRUE;
}

/* Whether the newest generation is on the disk what it is in memory. TRUE also when in a hurry. */
static gboolean
read_back(const CsCheckpoint *checkpoint, const CsState *state, const gint *hurry, GError **error)
{
    const CsEntry *entry = entry_at(checkpoint->entries, 0);
    g_auto(CsStateHead) head = {0};
    g_autofree char *path = path_of(checkpoint, entry->shown.file);
    int fd = cs_generation_open(checkpoint->directory, entry->shown.number, entry, &head, error);
    if (fd < 0)
        return FALSE;
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* best from the disk; only advice */
    gboolean good = cs_state_file_read_blocks(fd, path, &head, FALSE, state, hurry, error);
    return cs_disk_close(&fd, path, good ? error : NULL) && good;
}

/* Removes the files of generations that the manifest does not name, but for newer ones, which may
 * be the last resort. */
static gboolean
remove_unnamed(const CsCheckpoint *checkpoint, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (!cs_directory_list(checkpoint->directory, numbers, NULL, error))
        return FALSE;
    gboolean removed = FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        gint64 number = g_array_index(numbers, gint64, k);
        gboolean kept = number > entry_at(checkpoint->entries, 0)->shown.number;
        for (guint e = 0; e < checkpoint->entries->len && !kept; e++)
            kept = entry_at(checkpoint->entries, e)->shown.number == number;
        g_autofree char *name = cs_generation_name(number);
        g_autofree char *path = path_of(checkpoint, name);
        if (!kept && !cs_disk_unlink(path, error))
            return FALSE;
        removed |= !kept;
    }
    return !removed || cs_disk_sync_directory(checkpoint->directory, error);
}

/* Whether the directory is still the one that was locked. */
static gboolean
check_held(const CsCheckpoint *checkpoint, GError **error)
{
    if (cs_checkpoint_lock_is_held(checkpoint->lock, checkpoint->directory, CS_LOCK))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                        "it was moved, removed or replaced, or its lock was");
    return FALSE;
}

/* The newest generation is verified: what is needed no more goes. Failure is but a warning. */
static void
clear_away(CsCheckpoint *checkpoint, gboolean rename)
{
    g_autoptr(GError) failure = NULL;
    gboolean renamed;
    GArray *needed = list_needed(checkpoint, NULL);
    rename |= needed->len < checkpoint->entries->len;
    gboolean named = !rename || name_entries(checkpoint, g_array_ref(needed), &renamed, &failure);
    g_array_unref(needed);
    if (!named || !check_held(checkpoint, &failure) || !remove_unnamed(checkpoint, &failure))
        warn(checkpoint, "generation %" G_GINT64_FORMAT " is saved, but: %s",
             entry_at(checkpoint->entries, 0)->shown.number, failure->message);
}

gboolean
cs_checkpoint_load(CsCheckpoint *checkpoint, CsState *state, gboolean *found, GError **error)
{
    *found = FALSE;
    if (checkpoint->fresh || checkpoint->highest == 0)
        return TRUE; /* that it can be written is known */
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
                    "checkpoint %s holds no generation that can be used: %s", checkpoint->shown,
                    all);
        return FALSE;
    }
    if (used > 0)
        g_array_remove_range(checkpoint->entries, 0, used);
    tell_passed(checkpoint, passed, entry_at(checkpoint->entries, 0));
    CsEntry *newest = entry_at(checkpoint->entries, 0);
    newest->verified = TRUE;
    newest->kept = FALSE;
    /* What is finished answers even where nothing can be written. */
    if (!is_complete(checkpoint, newest) && !probe(checkpoint, error)) {
        cs_state_clear(state);
        *state = (CsState){0};
        return FALSE;
    }
    /* What saves in a hurry left. */
    if (passed->len == 0 && checkpoint->listed && checkpoint->unwritable == 0)
        clear_away(checkpoint, FALSE);
    *found = TRUE;
    return TRUE;
}

static gboolean
is_hurried(const gint *hurry)
{
    return hurry != NULL && g_atomic_int_get(hurry) != 0;
}

/* Whether a newer state waits: the generation, which nothing names yet, is then gone again. */
static gboolean
abandon(const CsCheckpoint *checkpoint, const char *name, const gint *hurry, GError **error)
{
    if (hurry == NULL || g_atomic_int_get(hurry) != CS_HURRY_ABANDON)
        return FALSE;
    remove_generation(checkpoint, name);
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "a newer state takes its place");
    return TRUE;
}

/* Reads the newest generation back. What was `before` is made so again if it is damaged. */
static gboolean
verify(CsCheckpoint *checkpoint, const CsState *state, const gint *hurry, const char *name,
       char **before, GArray **entries_before, GError **error)
{
    GError *failure = NULL;
    if (read_back(checkpoint, state, hurry, &failure)) {
        if (is_hurried(hurry))
            return TRUE;
        entry_at(checkpoint->entries, 0)->verified = TRUE;
        clear_away(checkpoint, TRUE);
        return TRUE;
    }
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_CONTENT)) {
        /* It says nothing of what is written, which may be good: nothing goes. */
        warn(checkpoint, "%s is saved, but was not read back: %s", name, failure->message);
        g_error_free(failure);
        return TRUE;
    }
    char *text = g_steal_pointer(&checkpoint->manifest);
    checkpoint->manifest = g_steal_pointer(before);
    if (restore_manifest(checkpoint)) {
        g_free(text);
        g_array_unref(checkpoint->entries);
        checkpoint->entries = g_steal_pointer(entries_before);
        remove_generation(checkpoint, name);
    } else {
        /* It may still be named, so it stays until a manifest names it no more. */
        g_free(checkpoint->manifest);
        checkpoint->manifest = text;
        entry_at(checkpoint->entries, 0)->shown.fault = g_strdup(failure->message);
    }
    g_propagate_prefixed_error(error, failure, "%s: reading it back: ", name);
    return FALSE;
}

/* Step by step as the picture above. */
static gboolean
save_generation(CsCheckpoint *checkpoint, CsStateHead *head, const CsState *state, guint threads,
                const gint *hurry, GError **error)
{
    g_autofree char *name = cs_generation_name(head->generation);
    g_autofree char *before = g_strdup(checkpoint->manifest);
    if (!check_held(checkpoint, error) ||
        !write_generation(checkpoint, name, head, state, threads, hurry, error) ||
        abandon(checkpoint, name, hurry, error) || !check_held(checkpoint, error))
        return FALSE;
    CsEntry added = cs_entry_of_head(head, state, head->bytes);
    g_autoptr(GArray) entries_before = g_array_ref(checkpoint->entries);
    gboolean renamed;
    gboolean named = name_entries(checkpoint, list_needed(checkpoint, &added), &renamed, error);
    cs_entry_clear(&added);
    if (!named) {
        /* A new manifest that may be found after all needs its generation. */
        if (!renamed || restore_manifest(checkpoint))
            remove_generation(checkpoint, name);
        return FALSE;
    }
    return is_hurried(hurry) ||
           verify(checkpoint, state, hurry, name, &before, &entries_before, error);
}

gboolean
cs_checkpoint_save(CsCheckpoint *checkpoint, const CsState *state, guint threads, const gint *hurry,
                   GError **error)
{
    if (checkpoint->highest >= CS_GENERATION_MOST) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "checkpoint %s: no number is left",
                    checkpoint->shown);
        return FALSE;
    }
    CsStateHead head = {
        .record = checkpoint->record,
        .generation = ++checkpoint->highest,
        .saved = g_get_real_time() / G_USEC_PER_SEC,
    };
    if (save_generation(checkpoint, &head, state, threads, hurry, error))
        return TRUE;
    g_prefix_error(error, "checkpoint %s: ", checkpoint->shown);
    return FALSE;
}
