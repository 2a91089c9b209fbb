/* Files of records: see found_log.h, docs/formats.md. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_private.h"
#include "checkpoint/found.h"
#include "checkpoint/found_log.h"
#include "system/disk.h"

enum {
    CHECKSUM_BYTES = 8,
    RECORD_BYTES = CHECKSUM_BYTES + 8 * (CS_FOUND_NUMBERS + 2),
    LARGEST_RECORD = 1 << 28,
};

struct _CsFoundLog {
    const CsCheckpoint *checkpoint; /* or NULL */
    char *path;                     /* in messages */
    char *final;                    /* NULL: it has that name already, or never will */
    int fd;
    gint64 begin, end; /* of the records */
};

void
cs_found_log_free(CsFoundLog *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0)
        close(log->fd);
    if (log->final != NULL)
        (void)cs_disk_unlink(log->path, NULL);
    g_free(log->path);
    g_free(log->final);
    g_free(log);
}

static gboolean
write_at(int fd, const char *path, gint64 offset, const void *data, gsize size, GError **error)
{
    if (lseek(fd, offset, SEEK_SET) != offset)
        return cs_disk_fail("write", path, errno, error);
    return cs_disk_write(fd, path, data, size, error);
}

static gboolean
read_at(int fd, gint64 offset, void *data, gsize size)
{
    return cs_disk_read_at(fd, "", offset, data, size, NULL) == (gssize)size;
}

static int
create_temporary(char **path, GError **error)
{
    *path = g_build_filename(g_get_tmp_dir(), "chromosweep-rows-XXXXXX", NULL);
    const int fd = g_mkstemp_full(*path, O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        cs_disk_fail("create", *path, errno, error);
    else
        unlink(*path); /* it lives as long as fd */
    return fd;
}

/* The head and what stands before it. */
static gboolean
write_start(CsFoundLog *log, const char *name, GError **error)
{
    gsize size = 0;
    g_autofree guint8 *start = cs_found_start_new(log->checkpoint, name, &size);
    if (start == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
        return FALSE;
    }
    log->begin = log->end = (gint64)size;
    return write_at(log->fd, log->path, 0, start, size, error);
}

CsFoundLog *
cs_found_log_new(const CsCheckpoint *checkpoint, const char *name, GError **error)
{
    g_autoptr(CsFoundLog) log = g_new0(CsFoundLog, 1);
    log->checkpoint = checkpoint;
    if (checkpoint == NULL) {
        log->fd = create_temporary(&log->path, error);
        return log->fd >= 0 ? g_steal_pointer(&log) : NULL;
    }
    g_autofree char *file = cs_found_file_name(name);
    log->fd = -1;
    if (!cs_checkpoint_check_held(checkpoint, error))
        return NULL;
    log->final = cs_checkpoint_path(checkpoint, file);
    log->path = g_strconcat(log->final, CS_TEMPORARY, NULL);
    if (!cs_disk_unlink(log->path, error))
        return NULL;
    log->fd = open(log->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (log->fd < 0)
        cs_disk_fail("create", log->path, errno, error);
    return log->fd >= 0 && write_start(log, name, error) ? g_steal_pointer(&log) : NULL;
}

gboolean
cs_found_log_settle(CsFoundLog *log, GError **error)
{
    if (log->final == NULL)
        return TRUE;
    if (!cs_disk_sync(log->fd, log->path, error) || !cs_disk_rename(log->path, log->final, error))
        return FALSE;
    g_free(log->path);
    log->path = g_steal_pointer(&log->final);
    return cs_disk_sync_directory(log->checkpoint->directory, error);
}

CsFoundLog *
cs_found_log_open(const CsCheckpoint *checkpoint, const char *name)
{
    g_autoptr(CsFoundLog) log = g_new0(CsFoundLog, 1);
    g_autofree char *file = cs_found_file_name(name);
    struct stat status;
    log->checkpoint = checkpoint;
    log->path = cs_checkpoint_path(checkpoint, file);
    log->fd = open(log->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (log->fd < 0 && (errno == EACCES || errno == EROFS))
        log->fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (log->fd < 0 || fstat(log->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    if (!cs_found_start_read(checkpoint->record, name, log->fd, &log->begin)) {
        cs_checkpoint_warn(checkpoint, "%s is damaged, or of another version, and is not used",
                           file);
        return NULL;
    }
    log->end = status.st_size;
    return g_steal_pointer(&log);
}

/* The record at an offset; FALSE where there is none that is whole. */
static gboolean
read_record(const CsFoundLog *log, gint64 at, CsFoundRecord *record)
{
    guint64 words[RECORD_BYTES / 8];
    if (at > log->end - RECORD_BYTES || !read_at(log->fd, at, words, RECORD_BYTES) ||
        XXH64(words + 1, RECORD_BYTES - CHECKSUM_BYTES, 0) != GUINT64_FROM_LE(words[0]))
        return FALSE;
    for (guint k = 0; k < CS_FOUND_NUMBERS; k++)
        record->numbers[k] = (gint64)GUINT64_FROM_LE(words[1 + k]);
    record->size = (gint64)GUINT64_FROM_LE(words[1 + CS_FOUND_NUMBERS]);
    record->checksum = GUINT64_FROM_LE(words[2 + CS_FOUND_NUMBERS]);
    record->offset = at + RECORD_BYTES;
    return record->size >= 0 && record->size <= LARGEST_RECORD &&
           record->size <= log->end - record->offset;
}

void
cs_found_log_list(CsFoundLog *log, CsFoundRecordFunc func, gpointer user_data)
{
    CsFoundRecord record;
    gint64 at = log->begin;
    while (read_record(log, at, &record) && func(&record, user_data))
        at = record.offset + record.size;
}

gboolean
cs_found_log_cut(CsFoundLog *log, const CsFoundRecord *last, GError **error)
{
    log->end = last->offset + last->size;
    return ftruncate(log->fd, log->end) == 0 || cs_disk_fail("write", log->path, errno, error);
}

gboolean
cs_found_log_append(CsFoundLog *log, CsFoundRecord *record, const void *bytes, GError **error)
{
    const gsize size = RECORD_BYTES + (gsize)record->size;
    g_autofree guint8 *data = g_malloc(size);
    guint64 words[RECORD_BYTES / 8];
    record->checksum = XXH64(bytes, (gsize)record->size, 0);
    for (guint k = 0; k < CS_FOUND_NUMBERS; k++)
        words[1 + k] = GUINT64_TO_LE((guint64)record->numbers[k]);
    words[1 + CS_FOUND_NUMBERS] = GUINT64_TO_LE((guint64)record->size);
    words[2 + CS_FOUND_NUMBERS] = GUINT64_TO_LE(record->checksum);
    words[0] = GUINT64_TO_LE(XXH64(words + 1, RECORD_BYTES - CHECKSUM_BYTES, 0));
    memcpy(data, words, RECORD_BYTES);
    if (record->size > 0)
        memcpy(data + RECORD_BYTES, bytes, (gsize)record->size);
    if (!write_at(log->fd, log->path, log->end, data, size, error))
        return FALSE;
    record->offset = log->end + RECORD_BYTES;
    log->end += (gint64)size;
    return TRUE;
}

gboolean
cs_found_log_read(const CsFoundLog *log, const CsFoundRecord *record, void *bytes, GError **error)
{
    if (read_at(log->fd, record->offset, bytes, (gsize)record->size) &&
        XXH64(bytes, (gsize)record->size, 0) == record->checksum)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, "wrong checksum");
    return FALSE;
}

gint64
cs_found_log_bytes(const CsFoundLog *log)
{
    return log->end;
}
