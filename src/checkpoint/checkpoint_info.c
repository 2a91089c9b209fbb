/* Describes what a checkpoint holds, without changing it, and removes checkpoints. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_manifest.h"
#include "checkpoint/found.h"
#include "checkpoint/found_circle.h"
#include "checkpoint/found_set.h"
#include "checkpoint/found_trace.h"
#include "system/disk.h"
#include "system/display.h"
#include "system/error_detail.h"

enum {
    TRIES = 5, /* because a run may replace the generations meanwhile */
};

void
cs_checkpoint_info_free(CsCheckpointInfo *info)
{
    if (info == NULL)
        return;
    g_free(info->program_version);
    g_free(info->target_file);
    g_free(info->query_file);
    g_free(info->target_name);
    g_free(info->query_name);
    g_free(info->target_digest);
    g_free(info->query_digest);
    g_free(info->strand);
    g_free(info->memo);
    g_free(info->holder);
    g_free(info->fault);
    for (guint k = 0; k < info->n_generations; k++) {
        g_free(info->generations[k].file);
        g_free(info->generations[k].fault);
    }
    g_free(info->generations);
    g_free(info->set);
    g_free(info);
}

static void
describe(CsCheckpointInfo *info, const CsFingerprintRecord *record, const char *program_version)
{
    info->program_version = g_strdup(program_version);
    info->target_file = g_strdup(record->target.file);
    info->query_file = g_strdup(record->query.file);
    info->target_name = g_strdup(record->target.name);
    info->query_name = g_strdup(record->query.name);
    info->target_length = record->target.length;
    info->query_length = record->query.length;
    info->target_digest = g_strdup(record->target.digest);
    info->query_digest = g_strdup(record->query.digest);
    info->strand = g_strdup(cs_strand_name(record->strand));
    info->circular = record->circular;
    info->scoring = record->scoring;
    info->memo = g_strdup(record->memo);
    info->target_from = record->target.from;
    info->target_to = record->target.to;
    info->query_from = record->query.from;
    info->query_to = record->query.to;
}

/*
 * Checks a generation and completes its entry from its file. If there is no manifest, the first
 * good one describes the whole. FALSE only after a failure that must be reported.
 */
static gboolean
judge(CsCheckpointInfo *info, const char *directory, CsEntry *entry, gboolean listed,
      const CsFingerprintRecord *record, gboolean verify, GError **error)
{
    g_auto(CsStateHead) head = {0};
    GError *failure = NULL;
    g_autofree char *path = g_build_filename(directory, entry->shown.file, NULL);
    int fd =
        cs_generation_open(directory, entry->shown.number, listed ? entry : NULL, &head, &failure);
    gboolean good =
        fd >= 0 &&
        (record == NULL || cs_fingerprint_record_compare(head.record, record, &failure)) &&
        (!verify || cs_state_file_read_blocks(fd, path, &head, FALSE, NULL, NULL, &failure));
    if (good && !listed) {
        struct stat status = {0};
        good = fstat(fd, &status) == 0 || cs_disk_fail("read", path, errno, &failure);
        cs_entry_clear(entry);
        *entry = cs_entry_of_head(&head, &head.state, status.st_size);
    }
    if (fd >= 0)
        close(fd); /* it was only read */
    if (good) {
        /* The manifest does not have these. */
        entry->shown.skip = head.state.work[entry->shown.under_way].skip;
        entry->shown.min_score = head.state.min_score;
        const gint64 cells = cs_fingerprint_record_cells(head.record);
        const CsFoundLater later = cs_found_later(directory, head.record, &head.state);
        entry->shown.traced = later.traced;
        entry->shown.proved = later.proved;
        entry->shown.fraction = cs_state_done(&head.state, cells, later.traced, later.proved);
        if (head.record->circular != CS_CIRCULAR_NONE) {
            const CsFoundCircle circle = cs_found_circle_read(directory, head.record);
            entry->shown.fraction = circle.fraction;
            entry->shown.score = circle.score;
        }
        if (info->program_version == NULL)
            describe(info, head.record, head.program_version);
        if (info->set == NULL)
            info->set = cs_found_set_read(directory, head.record);
        return TRUE;
    }
    if (g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE) ||
        (g_error_matches(failure, CS_ERROR, CS_ERROR_CHECKPOINT) && fd < 0)) {
        g_propagate_prefixed_error(error, failure, "%s: ", entry->shown.file);
        return FALSE;
    }
    entry->shown.fault = g_strdup(failure->message);
    entry->shown.of_another = g_error_matches(failure, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_error_free(failure);
    return TRUE;
}

/* Moves the descriptions of entries to info. */
static void
hand_over(CsCheckpointInfo *info, GArray *entries)
{
    info->n_generations = entries->len;
    info->generations = g_new0(CsGeneration, MAX(1, entries->len));
    for (guint k = 0; k < entries->len; k++) {
        CsEntry *entry = &g_array_index(entries, CsEntry, k);
        info->generations[k] = entry->shown;
        entry->shown = (CsGeneration){0};
    }
}

/* Fails because there is no generation, and says why. damage is that of the manifest, or NULL. */
static void
fail_empty(const char *directory, const char *damage, const char *holder, GError **error)
{
    g_autofree char *lock = g_build_filename(directory, CS_LOCK, NULL);
    if (damage != NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    CS_MANIFEST " is %s, and there is no generation", damage);
    } else if (holder != NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "nothing has been saved yet; in use by %s", holder);
        cs_error_set_detail(error, CS_DETAIL_IN_USE);
    } else if (g_file_test(lock, G_FILE_TEST_EXISTS)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                            "nothing has been saved yet; run the same command again");
    } else if (cs_checkpoint_is_of_pairs(directory)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                            "it belongs to many pairs, each with a folder of its own; to resume, "
                            "run the same command again");
        cs_error_set_detail(error, CS_DETAIL_PAIRS);
    } else {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CHECKPOINT, "the folder holds no checkpoint");
    }
}

/* Lists the generations of the manifest, or those of the files instead; info->fault then says what
 * is wrong with the manifest. */
static gboolean
list_entries(CsCheckpointInfo *info, const char *directory, CsManifest *manifest, GError **error)
{
    g_autoptr(GError) failure = NULL;
    gboolean found = FALSE;
    if (!cs_manifest_read(directory, manifest, &found, &failure)) {
        if (!g_error_matches(failure, CS_ERROR, CS_ERROR_CONTENT) &&
            !g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED)) {
            g_propagate_prefixed_error(error, g_steal_pointer(&failure), CS_MANIFEST ": ");
            return FALSE;
        }
        info->fault = g_strdup_printf("damaged (%s)", failure->message);
    } else if (!found) {
        info->fault = g_strdup("missing");
    } else {
        return TRUE;
    }
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    manifest->entries = cs_entries_new();
    if (!cs_directory_list(directory, numbers, NULL, error))
        return FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        gint64 number = g_array_index(numbers, gint64, k);
        CsEntry entry = {.shown = {.number = number, .file = cs_generation_name(number)}};
        g_array_append_val(manifest->entries, entry);
    }
    if (numbers->len > 0)
        return TRUE;
    fail_empty(directory, failure != NULL ? info->fault : NULL, info->holder, error);
    return FALSE;
}

static CsCheckpointInfo *
look(const char *directory, gboolean verify, char **manifest_text, GError **error)
{
    g_autoptr(CsCheckpointInfo) info = g_new0(CsCheckpointInfo, 1);
    g_auto(CsManifest) manifest = {0};
    info->format_version = CS_STATE_VERSION;
    info->holder = cs_checkpoint_lock_holder(directory, CS_LOCK);
    if (!list_entries(info, directory, &manifest, error))
        return NULL;
    if (manifest.record != NULL)
        describe(info, manifest.record, manifest.program_version);
    for (guint k = 0; k < manifest.entries->len; k++)
        if (!judge(info, directory, &g_array_index(manifest.entries, CsEntry, k),
                   manifest.record != NULL, manifest.record, verify, error))
            return NULL;
    if (info->program_version == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "%s is %s, and no generation is usable",
                    CS_MANIFEST, info->fault);
        return NULL;
    }
    hand_over(info, manifest.entries);
    *manifest_text = g_steal_pointer(&manifest.text);
    return g_steal_pointer(&info);
}

/* Whether a run replaced the manifest while its generations were checked. */
static gboolean
has_moved_on(const char *directory, const char *text)
{
    g_auto(CsManifest) manifest = {0};
    gboolean found = FALSE;
    return text != NULL && cs_manifest_read(directory, &manifest, &found, NULL) && found &&
           strcmp(manifest.text, text) != 0;
}

/* Adds how far the box under way has come. */
static void
add_sweep(CsCheckpointSet *set, const char *directory)
{
    g_autofree char *box = g_build_filename(directory, CS_FOUND_SET_BOX, NULL);
    g_autoptr(CsCheckpointInfo) info =
        g_file_test(box, G_FILE_TEST_IS_DIR) ? cs_checkpoint_info_new(box, FALSE, NULL) : NULL;
    const gboolean any = info != NULL && info->n_generations > 0 && !set->complete;
    const double done = any ? info->generations[0].fraction : -1;
    /* That of a set of all is kept until its strand is done. */
    set->sweep = set->all && done >= 1 ? -1 : done;
}

CsCheckpointInfo *
cs_checkpoint_info_new(const char *directory, gboolean verify, GError **error)
{
    g_return_val_if_fail(directory != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    g_autofree char *shown = cs_display_name(directory);
    struct stat status;
    int code = stat(directory, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    if (code != 0) {
        cs_disk_fail("open checkpoint", directory, code, error);
        return NULL;
    }
    for (guint k = 1;; k++) {
        g_autofree char *text = NULL;
        g_autoptr(CsCheckpointInfo) info = look(directory, verify, &text, error);
        if (info == NULL) {
            g_prefix_error(error, "checkpoint %s: ", shown);
            return NULL;
        }
        if (info->set != NULL)
            add_sweep(info->set, directory);
        gboolean faulty = FALSE;
        for (guint g = 0; g < info->n_generations; g++)
            faulty |= info->generations[g].fault != NULL;
        if (!faulty || k == TRIES || !has_moved_on(directory, text))
            return g_steal_pointer(&info);
    }
}

static gboolean
remove_name(const char *directory, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    return cs_disk_unlink(path, error);
}

/* Removes the checkpoint of a box of a set. */
static gboolean
remove_box(const char *directory, GError **error)
{
    g_autofree char *box = g_build_filename(directory, CS_FOUND_SET_BOX, NULL);
    return !g_file_test(box, G_FILE_TEST_IS_DIR) || cs_checkpoint_remove(box, error);
}

/* Removes the manifest first: without it, no generation is relied on. */
static gboolean
remove_files(const char *directory, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GPtrArray) temporaries = g_ptr_array_new_with_free_func(g_free);
    if (!cs_directory_list(directory, numbers, temporaries, error) ||
        !remove_name(directory, CS_MANIFEST, error))
        return FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        g_autofree char *name = cs_generation_name(g_array_index(numbers, gint64, k));
        if (!remove_name(directory, name, error))
            return FALSE;
    }
    for (guint k = 0; k < temporaries->len; k++)
        if (!remove_name(directory, g_ptr_array_index(temporaries, k), error))
            return FALSE;
    return remove_box(directory, error) && cs_found_remove(directory, TRUE, error) &&
           remove_name(directory, CS_LOCK, error);
}

gboolean
cs_checkpoint_remove(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    int lock = cs_checkpoint_lock(directory, CS_LOCK, NULL, NULL, error);
    if (lock < 0)
        return FALSE;
    gboolean removed = remove_files(directory, error);
    if (removed && rmdir(directory) != 0 && errno != ENOTEMPTY && errno != EEXIST)
        removed = cs_disk_fail("remove", directory, errno, error);
    close(lock);
    return removed;
}
