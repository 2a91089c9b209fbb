/* Pieces of special rows in a queue: see row_queue.h. */
#include <pthread.h>
#include <string.h>

#include "alignment/row_queue.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    BATCH_CELLS = 1 << 14, /* some 0.2 ms of packing, beside which locks take no time */
    BATCH_PIECES = 64,
};

typedef struct {
    gint64 i, from, count;
    gint64 cells_before; /* in its batch */
    gpointer packed;
} Piece;

typedef struct {
    Piece pieces[BATCH_PIECES];
    guint n;
    gint64 cells, room;
    gboolean packed;
    CsScore values[]; /* of each piece H, then F */
} Batch;

struct _CsRowQueue {
    CsRowWork work;
    CsThread **threads;
    guint n_threads;

    pthread_mutex_t entrance; /* protects the open batch, and is locked before the other mutex */
    Batch *open;              /* or NULL */

    pthread_mutex_t mutex; /* protects all that follows */
    pthread_cond_t changed;
    GQueue batches;  /* a batch stays here until its pieces are kept */
    GQueue waiting;  /* those of them that no thread has begun */
    GPtrArray *idle; /* batches to use again */
    gint64 cells;    /* for which all batches have room */
    gboolean keeping, closing;
    GError *failure;
};

/* Packs the first batch that waits. The mutex is held, except during the calls. */
static void
pack_batch(CsRowQueue *queue)
{
    const CsRowWork *work = &queue->work;
    Batch *batch = g_queue_pop_head(&queue->waiting);
    const gboolean wanted = queue->failure == NULL;
    pthread_mutex_unlock(&queue->mutex);
    for (guint k = 0; wanted && k < batch->n; k++) {
        Piece *piece = &batch->pieces[k];
        const CsScore *h = batch->values + 2 * piece->cells_before;
        piece->packed =
            work->pack(piece->i, piece->from, piece->count, h, h + piece->count, work->user_data);
    }
    pthread_mutex_lock(&queue->mutex);
    batch->packed = TRUE;
    pthread_cond_broadcast(&queue->changed);
}

static gboolean
keep_pieces(const CsRowWork *work, const Batch *batch, GError **error)
{
    for (guint k = 0; k < batch->n; k++)
        if (batch->pieces[k].packed != NULL &&
            !work->keep(batch->pieces[k].packed, work->user_data, error))
            return FALSE;
    return TRUE;
}

static void
free_pieces(const CsRowWork *work, const Batch *batch)
{
    for (guint k = 0; k < batch->n; k++)
        if (batch->pieces[k].packed != NULL)
            work->free(batch->pieces[k].packed);
}

/* Keeps the pieces of the first batch. The mutex is held, except during the calls. */
static void
keep_batch(CsRowQueue *queue)
{
    const CsRowWork *work = &queue->work;
    Batch *batch = g_queue_peek_head(&queue->batches);
    const gboolean wanted = queue->failure == NULL;
    GError *failure = NULL;
    queue->keeping = TRUE;
    pthread_mutex_unlock(&queue->mutex);
    if (wanted)
        (void)keep_pieces(work, batch, &failure);
    free_pieces(work, batch);
    pthread_mutex_lock(&queue->mutex);
    if (failure != NULL)
        queue->failure = failure;
    (void)g_queue_pop_head(&queue->batches);
    queue->cells -= batch->room;
    queue->keeping = FALSE;
    g_ptr_array_add(queue->idle, batch);
    pthread_cond_broadcast(&queue->changed);
}

/* A CsThreadFunc. */
static void
work_on(gpointer data)
{
    CsRowQueue *queue = data;
    pthread_mutex_lock(&queue->mutex);
    while (!queue->closing || !g_queue_is_empty(&queue->batches)) {
        const Batch *first = g_queue_peek_head(&queue->batches);
        if (first != NULL && first->packed && !queue->keeping)
            keep_batch(queue);
        else if (!g_queue_is_empty(&queue->waiting))
            pack_batch(queue);
        else
            pthread_cond_wait(&queue->changed, &queue->mutex);
    }
    pthread_mutex_unlock(&queue->mutex);
}

CsRowQueue *
cs_row_queue_new(const CsRowWork *work, guint threads)
{
    CsRowQueue *queue = g_new0(CsRowQueue, 1);
    queue->work = *work;
    g_queue_init(&queue->batches);
    g_queue_init(&queue->waiting);
    queue->idle = g_ptr_array_new_with_free_func(g_free);
    pthread_mutex_init(&queue->entrance, NULL);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->threads = g_new(CsThread *, threads);
    while (queue->n_threads < threads) {
        CsThread *thread = cs_thread_new("rows", work_on, queue, NULL);
        if (thread == NULL)
            break;
        queue->threads[queue->n_threads++] = thread;
    }
    if (queue->n_threads == 0)
        g_clear_pointer(&queue, cs_row_queue_free);
    return queue;
}

/* Waits until batches have room for fewer than so many cells. Fails as a piece could not be kept. */
static gboolean
wait_for_room(CsRowQueue *queue, gint64 cells, GError **error)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->cells >= cells && queue->failure == NULL)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    const gboolean failed = queue->failure != NULL;
    if (failed)
        g_propagate_error(error, g_error_copy(queue->failure));
    pthread_mutex_unlock(&queue->mutex);
    return !failed;
}

/* Queues the open batch. The entrance is locked. */
static void
close_batch(CsRowQueue *queue)
{
    Batch *batch = g_steal_pointer(&queue->open);
    if (batch == NULL)
        return;
    pthread_mutex_lock(&queue->mutex);
    g_queue_push_tail(&queue->batches, batch);
    g_queue_push_tail(&queue->waiting, batch);
    queue->cells += batch->room;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

/* A batch with room for so many cells, which is empty; NULL if there is not enough memory. */
static Batch *
new_batch(CsRowQueue *queue, gint64 cells)
{
    const gint64 room = MAX(cells, BATCH_CELLS);
    Batch *batch = NULL;
    pthread_mutex_lock(&queue->mutex);
    if (queue->idle->len > 0)
        batch = g_ptr_array_steal_index_fast(queue->idle, queue->idle->len - 1);
    pthread_mutex_unlock(&queue->mutex);
    if (batch != NULL && batch->room < room)
        g_clear_pointer(&batch, g_free);
    if (batch == NULL)
        batch = cs_memory_try(1, sizeof *batch + 2 * (gsize)room * sizeof(CsScore));
    if (batch != NULL)
        *batch = (Batch){.room = MAX(room, batch->room)};
    return batch;
}

/* Opens a batch with room for another piece, unless there is not enough memory. Fails as a piece could
 * not be kept. The entrance is locked. */
static gboolean
open_batch(CsRowQueue *queue, gint64 cells, GError **error)
{
    const Batch *open = queue->open;
    if (open != NULL && open->n < BATCH_PIECES && open->room - open->cells >= cells)
        return TRUE;
    close_batch(queue);
    if (!wait_for_room(queue, CS_ROW_QUEUE_MOST_CELLS, error))
        return FALSE;
    queue->open = new_batch(queue, cells);
    return TRUE;
}

/* Keeps a piece on this thread, once all before it are kept. The entrance is locked. */
static gboolean
keep_here(CsRowQueue *queue, gint64 i, gint64 from, gint64 count, const CsScore *h,
          const CsScore *f, GError **error)
{
    const CsRowWork *work = &queue->work;
    if (!wait_for_room(queue, 1, error))
        return FALSE;
    gpointer packed = work->pack(i, from, count, h, f, work->user_data);
    const gboolean kept = packed == NULL || work->keep(packed, work->user_data, error);
    if (packed != NULL)
        work->free(packed);
    return kept;
}

static void
append(Batch *batch, gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f)
{
    CsScore *values = batch->values + 2 * batch->cells;
    batch->pieces[batch->n++] =
        (Piece){.i = i, .from = from, .count = count, .cells_before = batch->cells};
    batch->cells += count;
    memcpy(values, h, (gsize)count * sizeof *values);
    memcpy(values + count, f, (gsize)count * sizeof *values);
}

gboolean
cs_row_queue_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                  gboolean bounds, gpointer user_data, GError **error)
{
    CsRowQueue *queue = user_data;
    pthread_mutex_lock(&queue->entrance);
    gboolean taken = open_batch(queue, count, error);
    if (taken && queue->open != NULL)
        append(queue->open, i, from, count, h, f);
    else if (taken)
        taken = keep_here(queue, i, from, count, h, f, error);
    pthread_mutex_unlock(&queue->entrance);
    return taken;
}

void
cs_row_queue_wait(CsRowQueue *queue)
{
    pthread_mutex_lock(&queue->entrance);
    close_batch(queue);
    pthread_mutex_lock(&queue->mutex);
    while (!g_queue_is_empty(&queue->batches))
        pthread_cond_wait(&queue->changed, &queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
    pthread_mutex_unlock(&queue->entrance);
}

void
cs_row_queue_free(CsRowQueue *queue)
{
    if (queue == NULL)
        return;
    close_batch(queue);
    pthread_mutex_lock(&queue->mutex);
    queue->closing = TRUE;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    for (guint k = 0; k < queue->n_threads; k++)
        cs_thread_join(queue->threads[k]);
    g_free(queue->threads);
    g_ptr_array_unref(queue->idle);
    g_clear_error(&queue->failure);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
    pthread_mutex_destroy(&queue->entrance);
    g_free(queue);
}
