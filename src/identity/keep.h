/*
 * The checkpoint of a run: a folder of logs (tile_log.h).
 *
 *     identity.lock          locked by the run that uses the folder
 *     identity-000001.log    one writer each: a run begins a new log with its first tile, and changes
 *                            none that is there
 *
 *     identity-tile-N.part   what is done of a tile that is not (part_file.h), removed when the tile's
 *                            record is durable
 *
 * Each file says which run it belongs to. So none depends on another file, and what is damaged or
 * incomplete costs the tiles that it held. append(), read(), sync() and those for parts may be called by
 * any thread.
 */
#ifndef CS_IDENTITY_KEEP_H
#define CS_IDENTITY_KEEP_H

#include <jansson.h>

#include <chromosweep/identity.h>

#include "identity/tile_log.h"

#define CS_IDENTITY_LOCK "identity.lock"

/* A place in one of the logs. */
typedef struct {
    CsTilePlace place;
    guint log;
} CsKeptPlace;

typedef struct _CsIdentityKeep CsIdentityKeep;

typedef void (*CsKeptTileFunc)(const CsTileRecord *record, const CsKeptPlace *place,
                               gpointer user_data);

/* The numbers of all logs in a folder, the lowest first. other may be NULL; *other becomes the name of
 * a file that is not of such a checkpoint, if there is one. */
GArray *cs_identity_logs(const char *directory, char **other);
char *cs_identity_log_path(const char *directory, gint64 number);

/* Locks the folder, which is created if only its last component is missing. Fails as
 * cs_checkpoint_open() does. Takes the identity. */
CsIdentityKeep *cs_identity_keep_open(const char *directory, json_t *identity,
                                      const CsIdentityOptions *options, GError **error);

/* Calls func with each record of the logs; notes say what is damaged. Fails with CS_ERROR_CHECKPOINT if
 * a log belongs to another run. Removes all files if the options say so. */
gboolean cs_identity_keep_load(CsIdentityKeep *keep, CsKeptTileFunc func, gpointer user_data,
                               GError **error);

/* Appends a tile, and makes the log durable if that is due. */
gboolean cs_identity_keep_append(CsIdentityKeep *keep, const CsTileRecord *record,
                                 const void *bytes, CsKeptPlace *place, GError **error);

/* The bytes of a tile's part, for g_free(). NULL: there are none. */
guint8 *cs_identity_keep_load_part(CsIdentityKeep *keep, gint64 tile, gsize *size);

/* Saves them durably, in place of earlier ones. done: the cells that they save. Fails as writing does. */
gboolean cs_identity_keep_save_part(CsIdentityKeep *keep, gint64 tile, gint64 done,
                                    const guint8 *bytes, gsize size, GError **error);

/* Reads the bytes of a tile. Fails with CS_ERROR_CHECKPOINT. */
gboolean cs_identity_keep_read(CsIdentityKeep *keep, const CsKeptPlace *place, void *bytes,
                               GError **error);

/* Makes durable what was appended, if it is not; with `due` only if the interval is over. */
gboolean cs_identity_keep_sync(CsIdentityKeep *keep, gboolean due, GError **error);

/* Also gives the lock back. A folder without logs loses the lock's file, and is removed if it was
 * created. */
void cs_identity_keep_free(CsIdentityKeep *keep);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsIdentityKeep, cs_identity_keep_free)

#endif
