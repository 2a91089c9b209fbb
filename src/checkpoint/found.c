/* Files with the results of the stages before a sweep: see found.h, docs/formats.md. */
#include <errno.h>
#include <string.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "checkpoint/checkpoint_private.h"
#include "checkpoint/found.h"
#include "checkpoint/found_set.h"
#include "checkpoint/json_values.h"
#include "checkpoint/packed_file.h"
#include "config.h"
#include "system/disk.h"

#define FORMAT "chromosweep-found"

enum {
    VERSION = 1,
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

guint8 *
cs_found_start_new(const CsCheckpoint *checkpoint, const char *name, gsize *size)
{
    char *head = dump_head(checkpoint, name, 0);
    guint8 *start = head != NULL ? cs_packed_file_new(head, NULL, 0, size) : NULL;
    free(head);
    return start;
}

/* The whole file, for g_free(). */
static guint8 *
pack(const CsCheckpoint *checkpoint, const char *name, const gint64 *values, gint64 count,
     gsize *size)
{
    static const gint64 none = 0;
    char *head = dump_head(checkpoint, name, count);
    guint8 *file = head != NULL ? cs_packed_file_new(head, values != NULL ? values : &none,
                                                     (gsize)count * sizeof *values, size)
                                : NULL;
    free(head);
    return file;
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

gboolean
cs_found_start_read(const CsFingerprintRecord *record, const char *name, int fd, gint64 *size)
{
    gint64 count;
    gsize before;
    g_autofree char *text = cs_packed_file_read_start(fd, &before);
    if (text == NULL || !read_head(record, name, text, strlen(text), &count))
        return FALSE;
    *size = (gint64)before;
    return TRUE;
}

static gint64 *
load(const char *directory, const CsFingerprintRecord *record, const char *name, gint64 *count,
     gboolean *damaged)
{
    g_autofree char *file_name = cs_found_file_name(name);
    g_autofree char *path = g_build_filename(directory, file_name, NULL);
    g_auto(CsPackedFile) file = {0};
    if (!cs_packed_file_read(path, &file, damaged) ||
        !read_head(record, name, file.head, file.head_length, count))
        return NULL;
    return cs_packed_file_unpack(&file, (gsize)*count * sizeof(gint64));
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
                                        "plus-traces" CS_FOUND_SUFFIX,
                                        "minus-traces" CS_FOUND_SUFFIX,
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
