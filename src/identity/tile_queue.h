/*
 * The tiles of a run: which are done, and where their pairs wait until they are told.
 *
 * Threads take tiles in the order of their numbers, or of the next bands those of one block. The pairs of a tile wait in memory, or in the
 * checkpoint if there is one. In memory they are bounded: while so many bytes wait, only tiles of the
 * band that is told next are taken. Since all tiles before it are taken, that band becomes complete.
 */
#ifndef CS_TILE_QUEUE_H
#define CS_TILE_QUEUE_H

#include "identity/keep.h"
#include "identity/packed_pairs.h"
#include "identity/tiles.h"

/* Sums over the tiles that are done. */
typedef struct {
    gint64 tiles, pairs, kept, filtered, cells, cells_computed;
    gint64 bytes; /* of the pairs that are kept (packed_pairs.h) */
} CsTileSums;

typedef struct _CsTileQueue CsTileQueue;

/* keep (nullable): where tiles are saved. waiting: bytes that may wait in memory. NULL: not enough
 * memory. */
CsTileQueue *cs_tile_queue_new(const CsIdentityTiles *tiles, CsIdentityKeep *keep, gint64 waiting);
void cs_tile_queue_free(CsTileQueue *queue);

/* A tile of the checkpoint. What is no such tile, or is done already, is ignored. */
void cs_tile_queue_load(const CsTileRecord *record, const CsKeptPlace *place, gpointer queue);

/*
 * The next tile to compute; waits until there is room. -1: none is left, or the queue is stopped.
 * near: a tile that the caller took before, or -1. A tile of the same block is taken before others, if
 * there is one not far below.
 */
gint64 cs_tile_queue_take(CsTileQueue *queue, gint64 near);

/* The same without waiting: -1 also if there is no room now. */
gint64 cs_tile_queue_try(CsTileQueue *queue, gint64 near);

/* How many tiles nobody has taken. */
gint64 cs_tile_queue_left(CsTileQueue *queue);

/* Whether all tiles are done. */
gboolean cs_tile_queue_is_complete(CsTileQueue *queue);

/* Nothing is taken any more, and nobody waits. */
void cs_tile_queue_stop(CsTileQueue *queue);

/* A tile is done. Takes its bytes. */
void cs_tile_queue_finish(CsTileQueue *queue, const CsTileRecord *record, CsPackedPairs *packed);

/* The bytes of a tile's part (part.h), for g_free(); NULL: nothing is saved. */
guint8 *cs_tile_queue_load_part(CsTileQueue *queue, gint64 tile, gsize *size);

/* Saves a part of a tile that is under way. Takes the bytes. */
void cs_tile_queue_save_part(CsTileQueue *queue, gint64 tile, gint64 done, guint8 *bytes,
                             gsize size);

/* The sums of all tiles that are done; and of those that were loaded. */
CsTileSums cs_tile_queue_sums(CsTileQueue *queue);
CsTileSums cs_tile_queue_loaded(CsTileQueue *queue);

/* The first failure to save since the last call, for the caller; NULL if there is none. */
GError *cs_tile_queue_save_error(CsTileQueue *queue);

/* How many tiles that this run computed are not saved. */
gint64 cs_tile_queue_unsaved(CsTileQueue *queue);

/* Whether all tiles of this band are done. */
gboolean cs_tile_queue_has_band(CsTileQueue *queue, gint64 band);

/* The bytes of a tile of such a band, for the caller. FALSE with an error. */
gboolean cs_tile_queue_get(CsTileQueue *queue, gint64 tile, CsPackedPairs *packed, GError **error);

/* Forgets the bytes of such a tile. */
void cs_tile_queue_drop(CsTileQueue *queue, gint64 tile);

/* Everything before this band was told. */
void cs_tile_queue_told(CsTileQueue *queue, gint64 band);

/* The bytes that a queue takes, beside what waits. */
gint64 cs_tile_queue_bytes(const CsIdentityTiles *tiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsTileQueue, cs_tile_queue_free)

#endif
