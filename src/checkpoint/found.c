/* Files with the results of the stages before a sweep: see found.h, docs/formats.md. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_private.h"
#include "checkpoint/found.h"
#include "checkpoint/found_set.h"
#include "checkpoint/json_values.h"
#include "config.h"
#include "system/disk.h"

#define FORMAT "chromosweep-found"

enum {
    VERSION = 1,
    LEVEL = 1, /* of zstd: it must keep up with the disk */
    CHECKSUM_BYTES = 8,
    START_BYTES = CHECKSUM_BYTES + 4,
    MOST_HEAD = 1 << 26,
};

/* The most bytes of a file, and numbers in it. */
#define MOST_BYTES (G_GINT64_CONSTANT(1) << 34)
#define MOST_NUMBERS (MOST_BYTES / 8)

char *
cs_found_file_name(const char *name)
{
    return g_strconcat(CS_FOUND_PREFIX, name, CS_FOUND_SUFFIX, NULL);
}

static gboolean
fail_memory(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory to pack it");
    return FALSE;
}

/* The head of a file: of which comparison it is, and how many numbers it holds. For free(); NULL:
 * not enough memory. */
static char *
dump_head(const CsCheckpoint *checkpoint, const char *name, gint64 count)
{
    g_autoptr(CsJson) object = json_pack(
        "{s:s, s:i, s:s, s:i, s:s, s:I}", "format", FORMAT, "version", VERSION, "program_version",
        CS_VERSION, "byte_order", G_BYTE_ORDER, "name", name, "count", (json_int_t)count);
    return object != NULL && cs_fingerprint_record_write(checkpoint->record, object)
               ? json_dumps(object, JSON_COMPACT)
               : NULL;
}

static void
seal(guint8 *file, gsize size)
{
    const guint64 checksum = GUINT64_TO_LE(XXH64(file + CHECKSUM_BYTES, size - CHECKSUM_BYTES, 0));
    memcpy(file, &checksum, CHECKSUM_BYTES);
}

guint8 *
cs_found_start_new(const CsCheckpoint *checkpoint, const char *name, gsize *size)
{
    char *head = dump_head(checkpoint, name, 0);
    if (head == NULL)
        return NULL;
    const gsize length = strlen(head);
    const guint32 written = GUINT32_TO_LE((guint32)length);
    guint8 *start = g_malloc(START_BYTES + length);
    *size = START_BYTES + length;
    memcpy(start + CHECKSUM_BYTES, &written, sizeof written);
    memcpy(start + START_BYTES, head, length);
    free(head);
    seal(start, *size);
    return start;
}

/* The whole file, for g_free(). */
static guint8 *
pack(const CsCheckpoint *checkpoint, const char *name, const gint64 *values, gint64 count,
     gsize *size)
{
    char *head = dump_head(checkpoint, name, count);
    if (head == NULL)
        return NULL;
    const gsize length = strlen(head), most = ZSTD_compressBound((gsize)count * sizeof *values);
    g_autofree guint8 *file = g_try_malloc(START_BYTES + length + most);
    if (file != NULL) {
        const guint32 written = GUINT32_TO_LE((guint32)length);
        memcpy(file + CHECKSUM_BYTES, &written, sizeof written);
        memcpy(file + START_BYTES, head, length);
    }
    free(head);
    if (file == NULL)
        return NULL;
    const gsize packed = ZSTD_compress(file + START_BYTES + length, most, values,
                                       (gsize)count * sizeof *values, LEVEL);
    if (ZSTD_isError(packed))
        return NULL;
    *size = START_BYTES + length + packed;
    seal(file, *size);
    return g_steal_pointer(&file);
}

gboolean
cs_found_save(const CsCheckpoint *checkpoint, const char *name, const gint64 *values, gint64 count,
              GError **error)
{
    g_autofree char *file = cs_found_file_name(name);
    gsize size = 0;
    gboolean renamed;
    g_autofree guint8 *bytes = pack(checkpoint, name, values, count, &size);
    GError *failure = NULL;
    return ((bytes != NULL || fail_memory(&failure)) &&
            cs_checkpoint_check_held(checkpoint, &failure) &&
            cs_checkpoint_replace_file(checkpoint, file, bytes, size, &renamed, &failure)) ||
           cs_checkpoint_fail(checkpoint, failure, error);
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
    if (fstat(fd, &status) == 0 && status.st_size >= START_BYTES && status.st_size <= MOST_BYTES)
        bytes = g_try_malloc((gsize)status.st_size);
    const gssize done =
        bytes != NULL ? cs_disk_read(fd, path, bytes, (gsize)status.st_size, NULL) : -1;
    close(fd); /* it was only read */
    if (done < START_BYTES)
        return NULL;
    *size = (gsize)done;
    return g_steal_pointer(&bytes);
}

/* Whether a head belongs to this comparison and program. */
static gboolean
read_head(const CsFingerprintRecord *record, const char *name, const char *text, gsize length,
          gint64 *count)
{
    const char *format = NULL, *program = NULL, *written = NULL;
    int version = 0, order = 0;
    json_int_t numbers = 0;
    g_autoptr(CsJson) object = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    if (object == NULL ||
        json_unpack(object, "{s:s, s:i, s:s, s:i, s:s, s:I}", "format", &format, "version",
                    &version, "program_version", &program, "byte_order", &order, "name", &written,
                    "count", &numbers) != 0)
        return FALSE;
    *count = numbers;
    g_autoptr(CsFingerprintRecord) there = cs_fingerprint_record_read(object, NULL);
    return strcmp(format, FORMAT) == 0 && version == VERSION && strcmp(program, CS_VERSION) == 0 &&
           order == G_BYTE_ORDER && strcmp(written, name) == 0 && numbers >= 0 &&
           numbers <= MOST_NUMBERS && there != NULL &&
           cs_fingerprint_record_compare(there, record, NULL);
}

static gboolean
read_at(int fd, gint64 offset, void *data, gsize size)
{
    return cs_disk_read_at(fd, "", offset, data, size, NULL) == (gssize)size;
}

gboolean
cs_found_start_read(const CsFingerprintRecord *record, const char *name, int fd, gint64 *size)
{
    guint8 start[START_BYTES];
    guint64 stored;
    guint32 length;
    gint64 count;
    if (!read_at(fd, 0, start, START_BYTES))
        return FALSE;
    memcpy(&stored, start, CHECKSUM_BYTES);
    memcpy(&length, start + CHECKSUM_BYTES, sizeof length);
    length = GUINT32_FROM_LE(length);
    if (length > MOST_HEAD)
        return FALSE;
    const gsize summed = START_BYTES - CHECKSUM_BYTES + length;
    g_autofree guint8 *text = g_try_malloc(summed);
    if (text == NULL || !read_at(fd, CHECKSUM_BYTES, text, summed) ||
        XXH64(text, summed, 0) != GUINT64_FROM_LE(stored) ||
        !read_head(record, name, (const char *)text + START_BYTES - CHECKSUM_BYTES, length, &count))
        return FALSE;
    *size = (gint64)(START_BYTES + length);
    return TRUE;
}

static gint64 *
unpack(const CsFingerprintRecord *record, const char *name, const guint8 *file, gsize size,
       gint64 *count)
{
    guint32 length;
    memcpy(&length, file + CHECKSUM_BYTES, sizeof length);
    length = GUINT32_FROM_LE(length);
    if (length > size - START_BYTES ||
        !read_head(record, name, (const char *)file + START_BYTES, length, count))
        return NULL;
    const guint8 *frame = file + START_BYTES + length;
    const gsize packed = size - START_BYTES - length, wanted = (gsize)*count * sizeof(gint64);
    if (ZSTD_getFrameContentSize(frame, packed) != wanted)
        return NULL;
    g_autofree gint64 *values = g_try_malloc(MAX(wanted, 1));
    if (values == NULL || ZSTD_decompress(values, wanted, frame, packed) != wanted)
        return NULL;
    return g_steal_pointer(&values);
}

static gint64 *
load(const char *directory, const CsFingerprintRecord *record, const char *name, gint64 *count,
     gboolean *damaged)
{
    g_autofree char *file = cs_found_file_name(name);
    g_autofree char *path = g_build_filename(directory, file, NULL);
    gsize size = 0;
    *damaged = FALSE;
    g_autofree guint8 *bytes = read_file(path, &size);
    if (bytes == NULL)
        return NULL;
    guint64 stored;
    memcpy(&stored, bytes, CHECKSUM_BYTES);
    if (GUINT64_FROM_LE(stored) == XXH64(bytes + CHECKSUM_BYTES, size - CHECKSUM_BYTES, 0))
        return unpack(record, name, bytes, size, count);
    *damaged = TRUE;
    return NULL;
}

gint64 *
cs_found_load(const CsCheckpoint *checkpoint, const char *name, gint64 *count)
{
    g_autofree char *file = cs_found_file_name(name);
    gboolean damaged;
    gint64 *values = load(checkpoint->directory, checkpoint->record, name, count, &damaged);
    if (damaged)
        cs_checkpoint_warn(checkpoint, "%s is damaged and is not used", file);
    return values;
}

gint64 *
cs_found_read(const char *directory, const CsFingerprintRecord *record, const char *name,
              gint64 *count)
{
    gboolean damaged;
    return load(directory, record, name, count, &damaged);
}

void
cs_found_drop(const CsCheckpoint *checkpoint, const char *name)
{
    g_autofree char *file = cs_found_file_name(name), *path = cs_checkpoint_path(checkpoint, file);
    if (cs_checkpoint_check_held(checkpoint, NULL))
        (void)cs_disk_unlink(path, NULL);
}

/* A kind of names. */
typedef gboolean (*WantedFunc)(const char *name, const char *stage);

static gboolean
is_of_stage(const char *name, const char *stage)
{
    return g_str_has_prefix(name + strlen(CS_FOUND_PREFIX), stage);
}

static gboolean
is_of_sweeps(const char *name, const char *stage)
{
    static const char *const later[] = {"plus-rows" CS_FOUND_SUFFIX,
                                        "minus-rows" CS_FOUND_SUFFIX,
                                        "plus-trace" CS_FOUND_SUFFIX,
                                        "minus-trace" CS_FOUND_SUFFIX,
                                        "plus-tiles" CS_FOUND_SUFFIX,
                                        "minus-tiles" CS_FOUND_SUFFIX,
                                        "plus-zone" CS_FOUND_SUFFIX,
                                        "minus-zone" CS_FOUND_SUFFIX,
                                        CS_FOUND_SET CS_FOUND_SUFFIX,
                                        CS_FOUND_PROOF CS_FOUND_SUFFIX,
                                        CS_FOUND_PROVED CS_FOUND_SUFFIX,
                                        CS_FOUND_MARKS CS_FOUND_SUFFIX,
                                        NULL};
    (void)stage;
    return !g_strv_contains(later, name + strlen(CS_FOUND_PREFIX)) &&
           !is_of_stage(name, CS_FOUND_AGAIN) && !is_of_stage(name, CS_FOUND_VERIFY);
}

static gboolean
remove_wanted(const char *directory, WantedFunc wanted, const char *stage, GError **error)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    gboolean removed = TRUE;
    for (const char *name; listing != NULL && removed && (name = g_dir_read_name(listing));) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (g_str_has_prefix(name, CS_FOUND_PREFIX) && g_str_has_suffix(name, CS_FOUND_SUFFIX) &&
            wanted(name, stage))
            removed = cs_disk_unlink(path, error);
    }
    return removed;
}

gboolean
cs_found_remove(const char *directory, gboolean all, GError **error)
{
    return remove_wanted(directory, all ? is_of_stage : is_of_sweeps, "", error);
}

void
cs_found_drop_stage(const CsCheckpoint *checkpoint, const char *stage)
{
    if (cs_checkpoint_check_held(checkpoint, NULL))
        (void)remove_wanted(checkpoint->directory, is_of_stage, stage, NULL);
}
