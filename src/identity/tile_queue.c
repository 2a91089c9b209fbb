/* Which tiles are done: see tile_queue.h. */
#include <pthread.h>

#include <chromosweep/error.h>

#include "identity/tile_queue.h"
#include "system/memory.h"

/* How far below the first tile that is left one of a block may be taken before it. */
#define BANDS_AHEAD 64

typedef struct {
    guint8 *bytes; /* NULL: they are in the checkpoint, or there are none */
    CsKeptPlace kept;
    gint64 size;
    guint taken : 1, done : 1, saved : 1;
} Slot;

struct _CsTileQueue {
    const CsIdentityTiles *tiles;
    CsIdentityKeep *keep;
    gint64 most_waiting;
    pthread_mutex_t mutex;
    pthread_cond_t room;
    /* Protected by the mutex. */
    Slot *slots;
    gint64 next;     /* the first tile that nobody has taken */
    gint64 left;     /* tiles that nobody has taken */
    gint64 complete; /* all tiles before it are done */
    gint64 told;     /* the band that is told next */
    gint64 waiting;  /* bytes in memory */
    gint64 unsaved;
    gboolean stopped;
    CsTileSums sums, loaded;
    GError *save_error;
};

CsTileQueue *
cs_tile_queue_new(const CsIdentityTiles *tiles, CsIdentityKeep *keep, gint64 waiting)
{
    Slot *slots = cs_memory_try_new(Slot, MAX(tiles->count, 1));
    if (slots == NULL)
        return NULL;
    CsTileQueue *queue = g_new0(CsTileQueue, 1);
    queue->tiles = tiles;
    queue->keep = keep;
    queue->most_waiting = waiting;
    queue->slots = slots;
    queue->left = tiles->count;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->room, NULL);
    return queue;
}

void
cs_tile_queue_free(CsTileQueue *queue)
{
    if (queue == NULL)
        return;
    for (gint64 k = 0; k < queue->tiles->count; k++)
        g_free(queue->slots[k].bytes);
    g_free(queue->slots);
    g_clear_error(&queue->save_error);
    pthread_cond_destroy(&queue->room);
    pthread_mutex_destroy(&queue->mutex);
    g_free(queue);
}

static void
add_sums(CsTileSums *sums, const CsTileRecord *record)
{
    sums->tiles++;
    sums->pairs += record->pairs;
    sums->kept += record->kept;
    sums->filtered += record->filtered;
    sums->cells += record->cells;
    sums->cells_computed += record->cells_computed;
    sums->bytes += record->size;
}

void
cs_tile_queue_load(const CsTileRecord *record, const CsKeptPlace *place, gpointer data)
{
    CsTileQueue *queue = data;
    if (record->tile < 0 || record->tile >= queue->tiles->count || queue->slots[record->tile].done)
        return;
    const CsIdentityTile tile = cs_identity_tiles_get(queue->tiles, record->tile);
    if (record->pairs != tile.pairs || record->cells != tile.cells || record->kept < 0 ||
        record->size <= 0 || record->filtered < 0 || record->kept > tile.pairs - record->filtered)
        return;
    queue->slots[record->tile] =
        (Slot){.kept = *place, .size = record->size, .taken = TRUE, .done = TRUE, .saved = TRUE};
    queue->left--;
    add_sums(&queue->sums, record);
    add_sums(&queue->loaded, record);
}

static gboolean
must_wait(const CsTileQueue *queue)
{
    return !queue->stopped && queue->next < queue->tiles->count &&
           queue->waiting >= queue->most_waiting &&
           cs_identity_tiles_band(queue->tiles, queue->next) > queue->told;
}

/* The first tile that is left, or of the block of `near` the one after it, if it is not far and there is
 * room for what waits. */
static gint64
choose(const CsTileQueue *queue, gint64 near)
{
    const CsIdentityTiles *tiles = queue->tiles;
    if (near < 0 || queue->waiting >= queue->most_waiting)
        return queue->next;
    const gint64 block = cs_identity_tiles_block(tiles, near);
    const gint64 first = cs_identity_tiles_band(tiles, queue->next);
    const gint64 end = MIN(first + BANDS_AHEAD, tiles->band_count);
    for (gint64 band = MAX(first, cs_identity_tiles_band(tiles, near)); band < end; band++) {
        const gint64 tile = cs_identity_tiles_at(tiles, band, block);
        if (tile < 0)
            break; /* nor is there one below */
        if (!queue->slots[tile].taken)
            return tile;
    }
    return queue->next;
}

static gint64
take(CsTileQueue *queue, gint64 near, gboolean waits)
{
    gint64 tile = -1;
    pthread_mutex_lock(&queue->mutex);
    while (TRUE) {
        while (queue->next < queue->tiles->count && queue->slots[queue->next].taken)
            queue->next++;
        if (!waits || !must_wait(queue))
            break;
        pthread_cond_wait(&queue->room, &queue->mutex);
    }
    if (!queue->stopped && queue->next < queue->tiles->count && !must_wait(queue)) {
        tile = choose(queue, near);
        queue->slots[tile].taken = TRUE;
        queue->left--;
    }
    pthread_mutex_unlock(&queue->mutex);
    return tile;
}

gint64
cs_tile_queue_take(CsTileQueue *queue, gint64 near)
{
    return take(queue, near, TRUE);
}

gint64
cs_tile_queue_try(CsTileQueue *queue, gint64 near)
{
    return take(queue, near, FALSE);
}

gint64
cs_tile_queue_left(CsTileQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    const gint64 left = queue->left;
    pthread_mutex_unlock(&queue->mutex);
    return left;
}

gboolean
cs_tile_queue_is_complete(CsTileQueue *queue)
{
    return cs_tile_queue_sums(queue).tiles == queue->tiles->count;
}

void
cs_tile_queue_stop(CsTileQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->stopped = TRUE;
    pthread_cond_broadcast(&queue->room);
    pthread_mutex_unlock(&queue->mutex);
}

void
cs_tile_queue_finish(CsTileQueue *queue, const CsTileRecord *record, CsPackedPairs *packed)
{
    g_autoptr(GError) failure = NULL;
    Slot slot = {.size = record->size, .taken = TRUE, .done = TRUE};
    if (queue->keep != NULL)
        slot.saved =
            cs_identity_keep_append(queue->keep, record, packed->bytes, &slot.kept, &failure);
    if (!slot.saved && packed->size > 0)
        slot.bytes = cs_packed_pairs_steal(packed);
    pthread_mutex_lock(&queue->mutex);
    queue->slots[record->tile] = slot;
    if (slot.bytes != NULL)
        queue->waiting += slot.size;
    queue->unsaved += queue->keep != NULL && !slot.saved;
    add_sums(&queue->sums, record);
    if (failure != NULL && queue->save_error == NULL)
        queue->save_error = g_steal_pointer(&failure);
    pthread_mutex_unlock(&queue->mutex);
    cs_packed_pairs_clear(packed);
}

guint8 *
cs_tile_queue_load_part(CsTileQueue *queue, gint64 tile, gsize *size)
{
    *size = 0;
    return queue->keep != NULL ? cs_identity_keep_load_part(queue->keep, tile, size) : NULL;
}

void
cs_tile_queue_save_part(CsTileQueue *queue, gint64 tile, gint64 done, guint8 *bytes, gsize size)
{
    GError *failure = NULL;
    if (!cs_identity_keep_save_part(queue->keep, tile, done, bytes, size, &failure)) {
        pthread_mutex_lock(&queue->mutex);
        if (queue->save_error == NULL)
            queue->save_error = g_steal_pointer(&failure);
        pthread_mutex_unlock(&queue->mutex);
        g_clear_error(&failure);
    }
    g_free(bytes);
}

CsTileSums
cs_tile_queue_sums(CsTileQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    const CsTileSums sums = queue->sums;
    pthread_mutex_unlock(&queue->mutex);
    return sums;
}

CsTileSums
cs_tile_queue_loaded(CsTileQueue *queue)
{
    return queue->loaded; /* which no longer changes */
}

GError *
cs_tile_queue_save_error(CsTileQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    GError *failure = g_steal_pointer(&queue->save_error);
    pthread_mutex_unlock(&queue->mutex);
    return failure;
}

gint64
cs_tile_queue_unsaved(CsTileQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    const gint64 unsaved = queue->unsaved;
    pthread_mutex_unlock(&queue->mutex);
    return unsaved;
}

gboolean
cs_tile_queue_has_band(CsTileQueue *queue, gint64 band)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->complete < queue->tiles->count && queue->slots[queue->complete].done)
        queue->complete++;
    const gboolean has = queue->complete >= queue->tiles->tiles_before[band + 1];
    pthread_mutex_unlock(&queue->mutex);
    return has;
}

gboolean
cs_tile_queue_get(CsTileQueue *queue, gint64 tile, CsPackedPairs *packed, GError **error)
{
    pthread_mutex_lock(&queue->mutex);
    Slot *slot = &queue->slots[tile];
    *packed = (CsPackedPairs){.bytes = g_steal_pointer(&slot->bytes), .size = (gsize)slot->size};
    const Slot there = *slot;
    if (packed->bytes != NULL)
        queue->waiting -= slot->size;
    pthread_mutex_unlock(&queue->mutex);
    if (packed->bytes != NULL || there.size == 0)
        return TRUE;
    packed->bytes = cs_memory_try(packed->size, 1);
    if (packed->bytes == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for the pairs of a row of tiles");
        return FALSE;
    }
    return cs_identity_keep_read(queue->keep, &there.kept, packed->bytes, error);
}

void
cs_tile_queue_drop(CsTileQueue *queue, gint64 tile)
{
    pthread_mutex_lock(&queue->mutex);
    Slot *slot = &queue->slots[tile];
    if (slot->bytes != NULL)
        queue->waiting -= slot->size;
    g_clear_pointer(&slot->bytes, g_free);
    pthread_mutex_unlock(&queue->mutex);
}

void
cs_tile_queue_told(CsTileQueue *queue, gint64 band)
{
    pthread_mutex_lock(&queue->mutex);
    queue->told = band;
    pthread_cond_broadcast(&queue->room);
    pthread_mutex_unlock(&queue->mutex);
}

gint64
cs_tile_queue_bytes(const CsIdentityTiles *tiles)
{
    return tiles->count * (gint64)sizeof(Slot);
}
