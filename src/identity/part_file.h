/*
 * Files of the parts of tiles (part.h) in the folder of a checkpoint: a tile that is under way, and takes long, has one.
 *
 *     identity-tile-0000000042.part      of tile 41
 */
#ifndef CS_PART_FILE_H
#define CS_PART_FILE_H

#include <glib.h>
#include <jansson.h>

/* The tiles that have one, as a set of gint64. */
GHashTable *cs_part_files(const char *directory);

char *cs_part_file_path(const char *directory, gint64 tile);

/* Replaces it durably. identity: as in the heads of logs (run_head.h). Fails as writing does, and with CS_ERROR_DEVICE if
 * there is not enough memory. */
gboolean cs_part_file_write(const char *directory, json_t *identity, gint64 tile, gint64 done,
                            const guint8 *bytes, gsize size, GError **error);

/* Its bytes, for g_free(). NULL: it is damaged, or of another run or version. */
guint8 *cs_part_file_read(const char *directory, const json_t *identity, gint64 tile, gsize *size);

/* The cells that need not be computed again; -1: it is damaged. */
gint64 cs_part_file_done(const char *directory, gint64 tile);

/* Removes all of them, or only those that are not complete. */
gboolean cs_part_files_remove(const char *directory, gboolean all, GError **error);

#endif
