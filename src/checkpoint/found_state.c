/* States beside those of a comparison: see found_state.h, docs/formats.md. */
#include <unistd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_private.h"
#include "checkpoint/found.h"
#include "checkpoint/found_state.h"
#include "system/disk.h"

/* Writes the whole file. */
static gboolean
write_file(const CsCheckpoint *checkpoint, const char *name, int fd, const char *path,
           const CsState *state, guint threads, const gint *hurry, GError **error)
{
    CsStateHead head = {.record = checkpoint->record, /* nothing in it is owned */
                        .generation = 1,
                        .saved = g_get_real_time() / G_USEC_PER_SEC};
    gsize size = 0;
    g_autofree guint8 *start = cs_found_start_new(checkpoint, name, &size);
    if (start == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
        return FALSE;
    }
    return cs_disk_write(fd, path, start, size, error) &&
           cs_state_file_write(fd, path, &head, state, threads, hurry, error);
}

gboolean
cs_found_state_save(const CsCheckpoint *checkpoint, const char *name, const CsState *state,
                    guint threads, const gint *hurry, GError **error)
{
    g_autofree char *file = cs_found_file_name(name), *final = cs_checkpoint_path(checkpoint, file);
    g_autofree char *temporary = g_strconcat(final, CS_TEMPORARY, NULL);
    GError *failure = NULL;
    gboolean renamed = FALSE;
    int fd =
        cs_checkpoint_check_held(checkpoint, &failure) ? cs_disk_create(temporary, &failure) : -1;
    if (fd >= 0 && write_file(checkpoint, name, fd, temporary, state, threads, hurry, &failure) &&
        cs_checkpoint_settle_file(checkpoint, &fd, temporary, final, &renamed, &failure))
        return TRUE;
    if (fd >= 0)
        close(fd);
    if (!renamed)
        unlink(temporary); /* the error is already set */
    return cs_checkpoint_fail(checkpoint, failure, error);
}

/* Reads the head of a state of this comparison. */
static gboolean
read_head(const CsFingerprintRecord *record, const char *name, int fd, const char *path,
          CsStateHead *head)
{
    gint64 begin;
    return cs_found_start_read(record, name, fd, &begin) && lseek(fd, begin, SEEK_SET) == begin &&
           cs_state_file_read_head(fd, path, head, NULL) &&
           cs_fingerprint_record_compare(head->record, record, NULL);
}

gboolean
cs_found_state_read_head(const char *directory, const CsFingerprintRecord *record, const char *name,
                         CsStateHead *head)
{
    g_autofree char *file = cs_found_file_name(name);
    g_autofree char *path = g_build_filename(directory, file, NULL);
    const int fd = cs_disk_open(path, NULL);
    if (fd < 0)
        return FALSE;
    const gboolean read = read_head(record, name, fd, path, head);
    close(fd); /* it was only read */
    return read;
}

gboolean
cs_found_state_load(const CsCheckpoint *checkpoint, const char *name, CsState *state)
{
    g_autofree char *file = cs_found_file_name(name), *path = cs_checkpoint_path(checkpoint, file);
    g_auto(CsStateHead) head = {0};
    const int fd = cs_disk_open(path, NULL);
    if (fd < 0)
        return FALSE;
    const gboolean read = read_head(checkpoint->record, name, fd, path, &head) &&
                          cs_state_file_read_blocks(fd, path, &head, TRUE, NULL, NULL, NULL);
    close(fd); /* it was only read */
    if (!read) {
        cs_checkpoint_warn(checkpoint, "%s is damaged, or of another version, and is not used",
                           file);
        return FALSE;
    }
    *state = head.state;
    head.state = (CsState){0};
    return TRUE;
}
