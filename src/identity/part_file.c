/* Files of parts: see part_file.h, docs/formats.md. */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "checkpoint/json_values.h"
#include "checkpoint/numbered_file.h"
#include "checkpoint/packed_file.h"
#include "identity/part_file.h"
#include "identity/run_head.h"
#include "system/disk.h"

#define FORMAT "chromosweep-identity-part"
#define PREFIX "identity-tile-"
#define SUFFIX ".part"

enum {
    VERSION = 1,
    DIGITS = 10,
};

static const CsNumberedFile complete = {PREFIX, SUFFIX, DIGITS, G_GINT64_CONSTANT(9999999999)};
static const CsNumberedFile incomplete = {PREFIX, SUFFIX CS_TEMPORARY, DIGITS,
                                          G_GINT64_CONSTANT(9999999999)};

char *
cs_part_file_path(const char *directory, gint64 tile)
{
    return cs_numbered_file_path(&complete, directory, tile + 1);
}

GHashTable *
cs_part_files(const char *directory)
{
    GHashTable *tiles = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        const gint64 tile = cs_numbered_file_number(&complete, name) - 1;
        if (tile >= 0)
            g_hash_table_add(tiles, g_memdup2(&tile, sizeof tile));
    }
    return tiles;
}

gboolean
cs_part_file_write(const char *directory, json_t *identity, gint64 tile, gint64 done,
                   const guint8 *bytes, gsize size, GError **error)
{
    g_autofree char *path = cs_part_file_path(directory, tile);
    g_autoptr(CsJson) head =
        json_pack("{s:s, s:i, s:O, s:I, s:I}", "format", FORMAT, "version", VERSION, "identity",
                  identity, "done", (json_int_t)done, "size", (json_int_t)size);
    char *text = head != NULL ? json_dumps(head, JSON_COMPACT) : NULL;
    gsize file_size;
    g_autofree guint8 *file =
        text != NULL ? cs_packed_file_new(text, bytes, size, &file_size) : NULL;
    free(text);
    if (file == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory to pack it");
        return FALSE;
    }
    return cs_disk_replace(path, file, file_size, error) &&
           cs_disk_sync_directory(directory, error);
}

/* Reads a file and its head. NULL: it is damaged, or of another version. */
static json_t *
read_file(const char *directory, gint64 tile, CsPackedFile *file, json_int_t *done,
          json_int_t *size)
{
    g_autofree char *path = cs_part_file_path(directory, tile);
    const char *format;
    gboolean damaged;
    int version;
    if (!cs_packed_file_read(path, file, &damaged))
        return NULL;
    g_autoptr(CsJson) head =
        json_loadb(file->head, file->head_length, JSON_REJECT_DUPLICATES, NULL);
    return head != NULL &&
                   json_unpack(head, "{s:s, s:i, s:I, s:I}", "format", &format, "version", &version,
                               "done", done, "size", size) == 0 &&
                   strcmp(format, FORMAT) == 0 && version == VERSION && *done >= 0 && *size >= 0
               ? g_steal_pointer(&head)
               : NULL;
}

guint8 *
cs_part_file_read(const char *directory, const json_t *identity, gint64 tile, gsize *size)
{
    g_auto(CsPackedFile) file = {0};
    json_int_t done, there;
    g_autoptr(CsJson) head = read_file(directory, tile, &file, &done, &there);
    const json_t *of = head != NULL ? json_object_get(head, "identity") : NULL;
    if (!json_is_object(of) || !cs_run_identity_compare(of, identity, NULL))
        return NULL;
    *size = (gsize)there;
    return cs_packed_file_unpack(&file, *size);
}

gint64
cs_part_file_done(const char *directory, gint64 tile)
{
    g_auto(CsPackedFile) file = {0};
    json_int_t done, size;
    g_autoptr(CsJson) head = read_file(directory, tile, &file, &done, &size);
    return head != NULL ? done : -1;
}

gboolean
cs_part_files_remove(const char *directory, gboolean all, GError **error)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    gboolean good = TRUE;
    for (const char *name; listing != NULL && good && (name = g_dir_read_name(listing)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (cs_numbered_file_number(&incomplete, name) > 0 ||
            (all && cs_numbered_file_number(&complete, name) > 0))
            good = cs_disk_unlink(path, error);
    }
    return good;
}
