/* Small files that are written as a whole: see packed_file.h. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "checkpoint/packed_file.h"
#include "system/disk.h"

enum {
    LEVEL = 1, /* of zstd: it must keep up with the disk */
};

#define MOST_BYTES (G_GINT64_CONSTANT(1) << 34)

static void
seal(guint8 *file, gsize size)
{
    const guint64 checksum =
        GUINT64_TO_LE(XXH64(file + CS_PACKED_CHECKSUM, size - CS_PACKED_CHECKSUM, 0));
    memcpy(file, &checksum, CS_PACKED_CHECKSUM);
}

guint8 *
cs_packed_file_new(const char *head, const void *data, gsize size, gsize *file_size)
{
    const gsize length = strlen(head), most = data != NULL ? ZSTD_compressBound(size) : 0;
    const guint32 written = GUINT32_TO_LE((guint32)length);
    g_autofree guint8 *file = g_try_malloc(CS_PACKED_START + length + most);
    if (file == NULL)
        return NULL;
    memcpy(file + CS_PACKED_CHECKSUM, &written, sizeof written);
    memcpy(file + CS_PACKED_START, head, length);
    const gsize packed =
        data != NULL ? ZSTD_compress(file + CS_PACKED_START + length, most, data, size, LEVEL) : 0;
    if (ZSTD_isError(packed))
        return NULL;
    *file_size = CS_PACKED_START + length + packed;
    seal(file, *file_size);
    return g_steal_pointer(&file);
}

gsize
cs_packed_file_head_length(const guint8 *start)
{
    guint32 length;
    memcpy(&length, start + CS_PACKED_CHECKSUM, sizeof length);
    return GUINT32_FROM_LE(length);
}

/* All bytes of a file, for g_free(). NULL if it does not exist or cannot be read. */
static guint8 *
read_file(const char *path, gsize *size)
{
    struct stat status;
    int fd = cs_disk_open(path, NULL);
    if (fd < 0)
        return NULL;
    g_autofree guint8 *bytes = NULL;
    if (fstat(fd, &status) == 0 && status.st_size >= CS_PACKED_START &&
        status.st_size <= MOST_BYTES)
        bytes = g_try_malloc((gsize)status.st_size);
    const gssize done =
        bytes != NULL ? cs_disk_read(fd, path, bytes, (gsize)status.st_size, NULL) : -1;
    close(fd); /* it was only read */
    if (done < CS_PACKED_START)
        return NULL;
    *size = (gsize)done;
    return g_steal_pointer(&bytes);
}

gboolean
cs_packed_file_read(const char *path, CsPackedFile *file, gboolean *damaged)
{
    *damaged = FALSE;
    *file = (CsPackedFile){.size = 0};
    g_autofree guint8 *bytes = read_file(path, &file->size);
    if (bytes == NULL)
        return FALSE;
    guint64 stored;
    memcpy(&stored, bytes, CS_PACKED_CHECKSUM);
    file->head_length = cs_packed_file_head_length(bytes);
    *damaged = GUINT64_FROM_LE(stored) !=
                   XXH64(bytes + CS_PACKED_CHECKSUM, file->size - CS_PACKED_CHECKSUM, 0) ||
               file->head_length > file->size - CS_PACKED_START;
    if (*damaged)
        return FALSE;
    file->head = (const char *)bytes + CS_PACKED_START;
    file->bytes = g_steal_pointer(&bytes);
    return TRUE;
}

gpointer
cs_packed_file_unpack(const CsPackedFile *file, gsize size)
{
    const char *frame = file->head + file->head_length;
    const gsize packed = file->size - CS_PACKED_START - file->head_length;
    if (ZSTD_getFrameContentSize(frame, packed) != size)
        return NULL;
    g_autofree gpointer data = g_try_malloc(MAX(size, 1));
    if (data == NULL || ZSTD_decompress(data, size, frame, packed) != size)
        return NULL;
    return g_steal_pointer(&data);
}

void
cs_packed_file_clear(CsPackedFile *file)
{
    g_clear_pointer(&file->bytes, g_free);
}
