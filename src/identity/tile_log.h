/*
 * A log of finished tiles. One process appends to it, while it computes; others only read it.
 *
 *     | checksum | length | head, JSON | record | record | ...       packed_file.h has the start
 *
 * A record: | checksum of the next 80 bytes | magic | tile | pairs | kept | filtered | cells |
 * cells computed | microseconds | size | checksum of the bytes | bytes, up to a multiple of 8 |
 *
 * Each number has 8 bytes and is little-endian. A reader that finds no record looks for the next one,
 * so what is damaged costs itself and nothing behind it.
 */
#ifndef CS_TILE_LOG_H
#define CS_TILE_LOG_H

#include <glib.h>

/* What a tile has, beside its bytes: packed_pairs.h. */
typedef struct {
    gint64 tile;
    gint64 pairs, kept, filtered;
    gint64 cells, cells_computed;
    gint64 microseconds;
    gint64 size; /* of the bytes */
} CsTileRecord;

/* Where the bytes are. */
typedef struct {
    gint64 offset;
    gint64 size;
    guint64 checksum;
} CsTilePlace;

typedef struct _CsTileLog CsTileLog;

/* A new file with this head. Fails as writing does, also if there is such a file. */
CsTileLog *cs_tile_log_new(const char *path, const char *head, GError **error);

/* A file to read, and its head for g_free(). NULL: it is damaged, or is no such file. */
CsTileLog *cs_tile_log_open(const char *path, char **head);

void cs_tile_log_free(CsTileLog *log);

/* Appends a record. After a failure the log is as before, and may be tried again. */
gboolean cs_tile_log_append(CsTileLog *log, const CsTileRecord *record, const void *bytes,
                            CsTilePlace *place, GError **error);

/* Makes durable what was appended. */
gboolean cs_tile_log_sync(CsTileLog *log, GError **error);

typedef void (*CsTileRecordFunc)(const CsTileRecord *record, const CsTilePlace *place,
                                 gpointer user_data);

/* Calls func with every record that is whole, its bytes too. Returns how many places are damaged; an
 * incomplete record at the end is one. */
guint cs_tile_log_list(const CsTileLog *log, CsTileRecordFunc func, gpointer user_data);

/* Reads the bytes of a record. FALSE if they are damaged. */
gboolean cs_tile_log_read(const CsTileLog *log, const CsTilePlace *place, void *bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsTileLog, cs_tile_log_free)

#endif
