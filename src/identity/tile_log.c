/* Logs of finished tiles: see tile_log.h, docs/formats.md. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "checkpoint/packed_file.h"
#include "identity/tile_log.h"
#include "system/disk.h"
#include "system/memory.h"

enum {
    /* Words of a record. */
    CHECKSUM,
    MAGIC,
    TILE,
    PAIRS,
    KEPT,
    FILTERED,
    CELLS,
    CELLS_COMPUTED,
    MICROSECONDS,
    SIZE,
    BYTES_CHECKSUM,
    WORDS,
    RECORD_BYTES = 8 * WORDS,
    WINDOW = 1 << 16, /* that is searched for a record at a time */
};

#define MAGIC_WORD G_GUINT64_CONSTANT(0x656c697453432fb1)

struct _CsTileLog {
    char *path;
    int fd;
    gint64 begin, end; /* of the records */
};

void
cs_tile_log_free(CsTileLog *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0)
        close(log->fd);
    g_free(log->path);
    g_free(log);
}

static gint64
padded(gint64 size)
{
    return (size + 7) / 8 * 8;
}

CsTileLog *
cs_tile_log_new(const char *path, const char *head, GError **error)
{
    g_autoptr(CsTileLog) log = g_new0(CsTileLog, 1);
    gsize size = 0;
    g_autofree guint8 *start = cs_packed_file_new(head, NULL, 0, &size);
    log->path = g_strdup(path);
    log->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (log->fd < 0) {
        cs_disk_fail("create", path, errno, error);
        return NULL;
    }
    if (start == NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
    if (start == NULL || !cs_disk_write(log->fd, path, start, size, error)) {
        unlink(path);
        return NULL;
    }
    log->begin = log->end = (gint64)size;
    return g_steal_pointer(&log);
}

CsTileLog *
cs_tile_log_open(const char *path, char **head)
{
    g_autoptr(CsTileLog) log = g_new0(CsTileLog, 1);
    struct stat status;
    gsize size = 0;
    log->path = g_strdup(path);
    log->fd = cs_disk_open(path, NULL);
    if (log->fd < 0 || fstat(log->fd, &status) != 0)
        return NULL;
    *head = cs_packed_file_read_start(log->fd, &size);
    log->begin = (gint64)size;
    log->end = status.st_size;
    return *head != NULL ? g_steal_pointer(&log) : NULL;
}

gboolean
cs_tile_log_append(CsTileLog *log, const CsTileRecord *record, const void *bytes,
                   CsTilePlace *place, GError **error)
{
    const gsize size = RECORD_BYTES + (gsize)padded(record->size);
    g_autofree guint8 *data = cs_memory_try(size, 1);
    if (data == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
        return FALSE;
    }
    guint64 words[WORDS] = {
        [MAGIC] = MAGIC_WORD,
        [TILE] = (guint64)record->tile,
        [PAIRS] = (guint64)record->pairs,
        [KEPT] = (guint64)record->kept,
        [FILTERED] = (guint64)record->filtered,
        [CELLS] = (guint64)record->cells,
        [CELLS_COMPUTED] = (guint64)record->cells_computed,
        [MICROSECONDS] = (guint64)record->microseconds,
        [SIZE] = (guint64)record->size,
        [BYTES_CHECKSUM] = XXH64(bytes, (gsize)record->size, 0),
    };
    *place = (CsTilePlace){log->end + RECORD_BYTES, record->size, words[BYTES_CHECKSUM]};
    for (guint k = 1; k < WORDS; k++)
        words[k] = GUINT64_TO_LE(words[k]);
    words[CHECKSUM] = GUINT64_TO_LE(XXH64(words + 1, RECORD_BYTES - 8, 0));
    memset(data + size - 8, 0, 8); /* the bytes that fill up */
    memcpy(data, words, RECORD_BYTES);
    if (record->size > 0)
        memcpy(data + RECORD_BYTES, bytes, (gsize)record->size);
    if (lseek(log->fd, log->end, SEEK_SET) != log->end)
        return cs_disk_fail("write", log->path, errno, error);
    if (!cs_disk_write(log->fd, log->path, data, size, error)) {
        /* What a reader would call damaged. If this fails, the next record overwrites it. */
        (void)!ftruncate(log->fd, log->end);
        return FALSE;
    }
    log->end += (gint64)size;
    return TRUE;
}

gboolean
cs_tile_log_sync(CsTileLog *log, GError **error)
{
    return cs_disk_sync(log->fd, log->path, error);
}

gboolean
cs_tile_log_read(const CsTileLog *log, const CsTilePlace *place, void *bytes)
{
    const gsize size = (gsize)place->size;
    return cs_disk_read_at(log->fd, log->path, place->offset, bytes, size, NULL) == (gssize)size &&
           XXH64(bytes, size, 0) == place->checksum;
}

/* The record at an offset, with its bytes. If only the bytes are damaged, *behind is the offset behind
 * them; if there is no record, 0. */
static gboolean
read_record(const CsTileLog *log, gint64 at, CsTileRecord *record, CsTilePlace *place,
            gint64 *behind)
{
    guint64 words[WORDS];
    *behind = 0;
    if (at > log->end - RECORD_BYTES ||
        cs_disk_read_at(log->fd, log->path, at, words, RECORD_BYTES, NULL) != RECORD_BYTES ||
        XXH64(words + 1, RECORD_BYTES - 8, 0) != GUINT64_FROM_LE(words[CHECKSUM]))
        return FALSE;
    gint64 n[WORDS];
    for (guint k = 1; k < WORDS; k++)
        n[k] = (gint64)GUINT64_FROM_LE(words[k]);
    if (GUINT64_FROM_LE(words[MAGIC]) != MAGIC_WORD || n[SIZE] < 0 ||
        n[SIZE] > log->end - at - RECORD_BYTES)
        return FALSE;
    *record = (CsTileRecord){n[TILE],  n[PAIRS],          n[KEPT],         n[FILTERED],
                             n[CELLS], n[CELLS_COMPUTED], n[MICROSECONDS], n[SIZE]};
    *place = (CsTilePlace){at + RECORD_BYTES, n[SIZE], (guint64)n[BYTES_CHECKSUM]};
    *behind = place->offset + padded(n[SIZE]);
    g_autofree guint8 *bytes = cs_memory_try((gsize)MAX(n[SIZE], 1), 1);
    return bytes != NULL && cs_tile_log_read(log, place, bytes);
}

/* The next offset from `at` on where the magic word of a record may be, which need not be a multiple of 8 if bytes were
 * lost; the end if there is none. */
static gint64
find_magic(const CsTileLog *log, gint64 at)
{
    guint8 window[WINDOW];
    const guint64 magic = GUINT64_TO_LE(MAGIC_WORD);
    for (; at < log->end; at += WINDOW - (gint64)sizeof magic + 1) {
        const gssize got = cs_disk_read_at(log->fd, log->path, at + 8, window, WINDOW, NULL);
        const guint8 *found = got > 0 ? memmem(window, (gsize)got, &magic, sizeof magic) : NULL;
        if (found != NULL)
            return at + (found - window);
    }
    return log->end;
}

guint
cs_tile_log_list(const CsTileLog *log, CsTileRecordFunc func, gpointer user_data)
{
    CsTileRecord record;
    CsTilePlace place;
    guint damaged = 0;
    gboolean lost = FALSE; /* what was before this offset is no record */
    for (gint64 at = log->begin, behind; at < log->end;) {
        if (read_record(log, at, &record, &place, &behind)) {
            func(&record, &place, user_data);
            lost = FALSE;
            at = behind;
        } else {
            damaged += !lost;
            lost = behind == 0;
            at = behind > 0 ? behind : find_magic(log, at + 1);
        }
    }
    return damaged;
}
