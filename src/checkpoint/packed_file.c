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
    MOST_HEAD = 1 << 26,
    CHECKSUM = 8,
    START = CHECKSUM + 4,
};

#define MOST_BYTES (G_GINT64_CONSTANT(1) << 34)

static void
seal(guint8 *file, gsize size)
{
    const guint64 checksum = GUINT64_TO_LE(XXH64(file + CHECKSUM, size - CHECKSUM, 0));
    memcpy(file, &checksum, CHECKSUM);
}

guint8 *
cs_packed_file_new(const char *head, const void *data, gsize size, gsize *file_size)
{
    const gsize length = strlen(head), most = data != NULL ? ZSTD_compressBound(size) : 0;
    const guint32 written = GUINT32_TO_LE((guint32)length);
    g_autofree guint8 *file = g_try_malloc(START + length + most);
    if (file == NULL)
        return NULL;
    memcpy(file + CHECKSUM, &written, sizeof written);
    memcpy(file + START, head, length);
    const gsize packed =
        data != NULL ? ZSTD_compress(file + START + length, most, data, size, LEVEL) : 0;
    if (ZSTD_isError(packed))
        return NULL;
    *file_size = START + length + packed;
    seal(file, *file_size);
    return g_steal_pointer(&file);
}

/* The length of the head, from the first bytes of a file. */
static gsize
head_length(const guint8 *start)
{
    guint32 length;
    memcpy(&length, start + CHECKSUM, sizeof length);
    return GUINT32_FROM_LE(length);
}

char *
cs_packed_file_read_start(int fd, gsize *size)
{
    guint8 start[START];
    guint64 stored;
    if (cs_disk_read_at(fd, "", 0, start, START, NULL) != START)
        return NULL;
    memcpy(&stored, start, CHECKSUM);
    const gsize length = head_length(start), before = START - CHECKSUM;
    if (length > MOST_HEAD)
        return NULL;
    const gsize summed = before + length;
    g_autofree char *text = g_try_malloc(summed + 1);
    if (text == NULL || cs_disk_read_at(fd, "", CHECKSUM, text, summed, NULL) != (gssize)summed ||
        XXH64(text, summed, 0) != GUINT64_FROM_LE(stored))
        return NULL;
    memmove(text, text + before, length);
    text[length] = '\0';
    *size = START + length;
    return g_steal_pointer(&text);
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
    if (fstat(fd, &status) == 0 && status.st_size >= START && status.st_size <= MOST_BYTES)
        bytes = g_try_malloc((gsize)status.st_size);
    const gssize done =
        bytes != NULL ? cs_disk_read(fd, path, bytes, (gsize)status.st_size, NULL) : -1;
    close(fd); /* it was only read */
    if (done < START)
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
    memcpy(&stored, bytes, CHECKSUM);
    file->head_length = head_length(bytes);
    *damaged = GUINT64_FROM_LE(stored) != XXH64(bytes + CHECKSUM, file->size - CHECKSUM, 0) ||
               file->head_length > file->size - START;
    if (*damaged)
        return FALSE;
    file->head = (const char *)bytes + START;
    file->bytes = g_steal_pointer(&bytes);
    return TRUE;
}

gpointer
cs_packed_file_unpack(const CsPackedFile *file, gsize size)
{
    const char *frame = file->head + file->head_length;
    const gsize packed = file->size - START - file->head_length;
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
