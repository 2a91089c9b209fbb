/*
 * How a state becomes a generation, G, beside the earlier ones, P and O. Numbers of invariants are
 * those of checkpoint.c. In brackets: what the durable manifest names.
 *
 *     idle [P, O]
 *       |  write_generation()
 *       v
 *     written [P, O]        abandon() or a failure removes it; after a crash it is ignored, and
 *       |                   removed later
 *       |  name_entries()
 *       v
 *     durable [G, P, O]     enough where the save is in a hurry
 *       |  verify()         bad: restore_manifest(), remove_generation(): idle [P, O]
 *       v
 *     verified [G, P, O]
 *       |  cs_checkpoint_clear_away(): name_entries(), then remove_unnamed()
 *       v
 *     idle [G, P]
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_private.h"
#include "system/disk.h"

enum {
    READ_KEPT = 2,   /* generations that were read whole */
    MOST_LISTED = 4, /* generations of one chain */
};

/* A state that is being saved. */
typedef struct {
    CsCheckpoint *checkpoint;
    CsStateHead head;
    const CsState *state;
    guint threads;
    const gint *hurry;      /* or NULL */
    const char *name;       /* of the generation */
    char *manifest_before;  /* text of the manifest, or NULL ... */
    GArray *entries_before; /* ... and what it named */
} Save;

gboolean
cs_checkpoint_settle_file(const CsCheckpoint *checkpoint, int *fd, const char *temporary,
                          const char *final, gboolean *renamed, GError **error)
{
    if (!cs_disk_sync(*fd, temporary, error) || !cs_disk_close(fd, temporary, error) ||
        !cs_disk_rename(temporary, final, error))
        return FALSE;
    *renamed = TRUE;
    return cs_disk_sync_directory(checkpoint->directory, error);
}

/* Writes the file of the generation that save->head describes, and fills in the rest of that. */
static gboolean
write_generation(Save *save, GError **error)
{
    const CsCheckpoint *checkpoint = save->checkpoint;
    g_autofree char *final = cs_checkpoint_path(checkpoint, save->name);
    g_autofree char *temporary = g_strconcat(final, CS_TEMPORARY, NULL);
    gboolean renamed = FALSE;
    int fd = cs_disk_create(temporary, error);
    if (fd < 0)
        return FALSE;
    if (cs_state_file_write(fd, temporary, &save->head, save->state, save->threads, save->hurry,
                            error) &&
        cs_checkpoint_settle_file(checkpoint, &fd, temporary, final, &renamed, error))
        return TRUE;
    if (fd >= 0)
        close(fd);
    unlink(renamed ? final : temporary); /* the error is already set */
    return FALSE;
}

gboolean
cs_checkpoint_replace_file(const CsCheckpoint *checkpoint, const char *name, const void *bytes,
                           gsize size, gboolean *renamed, GError **error)
{
    g_autofree char *path = cs_checkpoint_path(checkpoint, name);
    *renamed = cs_disk_replace(path, bytes, size, error);
    return *renamed && cs_disk_sync_directory(checkpoint->directory, error);
}

static gboolean
replace_manifest(const CsCheckpoint *checkpoint, const char *text, gboolean *renamed,
                 GError **error)
{
    return cs_checkpoint_replace_file(checkpoint, CS_MANIFEST, text, strlen(text), renamed, error);
}

/* Restores the manifest from before the new generation, if possible. */
static gboolean
restore_manifest(const CsCheckpoint *checkpoint)
{
    gboolean renamed;
    if (checkpoint->manifest != NULL)
        return replace_manifest(checkpoint, checkpoint->manifest, &renamed, NULL);
    g_autofree char *path = cs_checkpoint_path(checkpoint, CS_MANIFEST);
    return cs_disk_unlink(path, NULL) && cs_disk_sync_directory(checkpoint->directory, NULL);
}

static void
remove_generation(const CsCheckpoint *checkpoint, const char *name)
{
    g_autofree char *path = cs_checkpoint_path(checkpoint, name);
    cs_disk_unlink(path, NULL);
    cs_disk_sync_directory(checkpoint->directory, NULL);
}

/* If there are too many of one chain, drops the oldest that was never read, but not the newest. */
static void
drop_unread(GArray *entries)
{
    guint k = entries->len - 1;
    while (k > 0 &&
           (cs_checkpoint_entry(entries, k)->verified || cs_checkpoint_entry(entries, k)->kept))
        k--;
    g_array_remove_index(entries, k > 0 ? k : entries->len - 1);
}

/*
 * Which of `added` (if any) and the entries the manifest must name: all down to the second that was
 * read whole, and what is kept of an older chain, but none that is known to be damaged.
 */
static GArray *
list_needed(const CsCheckpoint *checkpoint, const CsEntry *added)
{
    GArray *entries = cs_entries_new();
    guint read = 0, own = 0;
    for (gint k = added != NULL ? -1 : 0; k < (gint)checkpoint->entries->len; k++) {
        const CsEntry *entry = k < 0 ? added : cs_checkpoint_entry(checkpoint->entries, (guint)k);
        gboolean released = entries->len > 0 && cs_checkpoint_entry(entries, 0)->verified &&
                            cs_checkpoint_is_complete(checkpoint, cs_checkpoint_entry(entries, 0));
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

/* Writes a manifest with these entries, durably. Takes over entries. */
static gboolean
name_entries(CsCheckpoint *checkpoint, GArray *entries, gboolean *renamed, GError **error)
{
    *renamed = FALSE;
    char *dumped = cs_manifest_dump(checkpoint->record, entries);
    if (dumped == NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a manifest");
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

/* Whether the newest generation on the disk equals that in memory. TRUE also if in a hurry. */
static gboolean
read_back(const Save *save, GError **error)
{
    const CsCheckpoint *checkpoint = save->checkpoint;
    const CsEntry *entry = cs_checkpoint_entry(checkpoint->entries, 0);
    g_auto(CsStateHead) head = {0};
    g_autofree char *path = cs_checkpoint_path(checkpoint, entry->shown.file);
    int fd = cs_generation_open(checkpoint->directory, entry->shown.number, entry, &head, error);
    if (fd < 0)
        return FALSE;
    (void)posix_fadvise(fd, 0, 0,
                        POSIX_FADV_DONTNEED); /* to read from the disk if possible; only advice */
    gboolean good =
        cs_state_file_read_blocks(fd, path, &head, FALSE, save->state, save->hurry, error);
    return cs_disk_close(&fd, path, good ? error : NULL) && good;
}

/* Removes the files of generations that the manifest does not name, except newer ones, which may be
 * the last resort. */
static gboolean
remove_unnamed(const CsCheckpoint *checkpoint, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (!cs_directory_list(checkpoint->directory, numbers, NULL, error))
        return FALSE;
    gboolean removed = FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        gint64 number = g_array_index(numbers, gint64, k);
        gboolean kept = number > cs_checkpoint_entry(checkpoint->entries, 0)->shown.number;
        for (guint e = 0; e < checkpoint->entries->len && !kept; e++)
            kept = cs_checkpoint_entry(checkpoint->entries, e)->shown.number == number;
        g_autofree char *name = cs_generation_name(number);
        g_autofree char *path = cs_checkpoint_path(checkpoint, name);
        if (!kept && !cs_disk_unlink(path, error))
            return FALSE;
        removed |= !kept;
    }
    return !removed || cs_disk_sync_directory(checkpoint->directory, error);
}

gboolean
cs_checkpoint_check_held(const CsCheckpoint *checkpoint, GError **error)
{
    if (cs_checkpoint_lock_is_held(checkpoint->lock, checkpoint->directory, CS_LOCK))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                        "the folder or its lock file was moved, removed or replaced");
    return FALSE;
}

void
cs_checkpoint_clear_away(CsCheckpoint *checkpoint, gboolean rename)
{
    g_autoptr(GError) failure = NULL;
    gboolean renamed;
    GArray *needed = list_needed(checkpoint, NULL);
    rename |= needed->len < checkpoint->entries->len;
    gboolean named = !rename || name_entries(checkpoint, g_array_ref(needed), &renamed, &failure);
    g_array_unref(needed);
    if (!named || !cs_checkpoint_check_held(checkpoint, &failure) ||
        !remove_unnamed(checkpoint, &failure))
        cs_checkpoint_warn(checkpoint, "generation %" G_GINT64_FORMAT " is saved, but: %s",
                           cs_checkpoint_entry(checkpoint->entries, 0)->shown.number,
                           failure->message);
}

static gboolean
is_hurried(const Save *save)
{
    return save->hurry != NULL && g_atomic_int_get(save->hurry) != CS_HURRY_NOT;
}

/* Whether a newer state waits. Then the generation, which nothing names yet, is removed. */
static gboolean
abandon(const Save *save, GError **error)
{
    const gboolean abandoned = cs_state_is_abandoned(save->hurry, error);
    if (abandoned)
        remove_generation(save->checkpoint, save->name);
    return abandoned;
}

/* The generation that was just named is damaged: removes it and restores what was before. */
static void
take_back(Save *save, const char *damage)
{
    CsCheckpoint *checkpoint = save->checkpoint;
    char *text = checkpoint->manifest;
    checkpoint->manifest = g_steal_pointer(&save->manifest_before);
    if (restore_manifest(checkpoint)) {
        g_free(text);
        g_array_unref(checkpoint->entries);
        checkpoint->entries = g_steal_pointer(&save->entries_before);
        remove_generation(checkpoint, save->name);
    } else {
        /* It may still be named, so it stays until no manifest names it. */
        g_free(checkpoint->manifest);
        checkpoint->manifest = text;
        cs_checkpoint_entry(checkpoint->entries, 0)->shown.fault = g_strdup(damage);
    }
}

/* Reads back the generation that was just named. */
static gboolean
verify(Save *save, GError **error)
{
    CsCheckpoint *checkpoint = save->checkpoint;
    GError *failure = NULL;
    if (read_back(save, &failure)) {
        if (!is_hurried(save)) {
            cs_checkpoint_entry(checkpoint->entries, 0)->verified = TRUE;
            cs_checkpoint_clear_away(checkpoint, TRUE);
        }
        return TRUE;
    }
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_CONTENT)) {
        /* What was written may still be good, so nothing is removed. */
        cs_checkpoint_warn(checkpoint, "%s is saved, but could not be read back: %s", save->name,
                           failure->message);
        g_error_free(failure);
        return TRUE;
    }
    take_back(save, failure->message);
    g_propagate_prefixed_error(error, failure, "%s: reading it back: ", save->name);
    return FALSE;
}

/* Goes through the steps of the drawing above. */
static gboolean
save_generation(Save *save, GError **error)
{
    CsCheckpoint *checkpoint = save->checkpoint;
    if (!cs_checkpoint_check_held(checkpoint, error) || !write_generation(save, error) ||
        abandon(save, error) || !cs_checkpoint_check_held(checkpoint, error))
        return FALSE;
    CsEntry added = cs_entry_of_head(&save->head, save->state, save->head.bytes);
    gboolean renamed;
    gboolean named = name_entries(checkpoint, list_needed(checkpoint, &added), &renamed, error);
    cs_entry_clear(&added);
    if (!named) {
        /* If the new manifest may still be on the disk, its generation must stay. */
        if (!renamed || restore_manifest(checkpoint))
            remove_generation(checkpoint, save->name);
        return FALSE;
    }
    return is_hurried(save) || verify(save, error);
}

gboolean
cs_checkpoint_save(CsCheckpoint *checkpoint, const CsState *state, guint threads, const gint *hurry,
                   GError **error)
{
    if (checkpoint->highest >= CS_GENERATION_MOST) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "checkpoint %s: no generation number is left",
                    checkpoint->shown);
        return FALSE;
    }
    g_autofree char *name = cs_generation_name(++checkpoint->highest);
    Save save = {.checkpoint = checkpoint,
                 .head = {.record = checkpoint->record,
                          .generation = checkpoint->highest,
                          .saved = g_get_real_time() / G_USEC_PER_SEC},
                 .state = state,
                 .threads = threads,
                 .hurry = hurry,
                 .name = name,
                 .manifest_before = g_strdup(checkpoint->manifest),
                 .entries_before = g_array_ref(checkpoint->entries)};
    GError *failure = NULL;
    const gboolean saved = save_generation(&save, &failure);
    if (!saved) {
        cs_checkpoint_fail(checkpoint, failure, error);
        g_prefix_error(error, "checkpoint %s: ", checkpoint->shown);
    }
    g_clear_pointer(&save.entries_before, g_array_unref);
    g_free(save.manifest_before);
    return saved;
}
