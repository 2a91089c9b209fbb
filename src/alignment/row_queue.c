/* Pieces of special rows in a queue. */
#include <pthread.h>
#include <string.h>

#include "alignment/row_queue.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    MOST_CELLS = 1 << 21, /* in the queue, or one piece that has more; each takes 16 bytes */
};

typedef struct {
    gint64 i, from, count;
    gboolean bounds;
    CsScore values[]; /* H, then F */
} Piece;

struct _CsRowQueue {
    CsRowFunc func;
    gpointer user_data;
    CsThread *thread;

    pthread_mutex_t mutex; /* protects all that follows */
    pthread_cond_t changed;
    GQueue pieces; /* the first one stays here until func is done with it */
    gint64 cells;
    gboolean closing;
    GError *failure;
};

/* Passes the first piece to func. The mutex is held, except during the call. */
static void
hand_over(CsRowQueue *queue)
{
    Piece *piece = g_queue_peek_head(&queue->pieces);
    GError *failure = NULL;
    if (queue->failure == NULL) {
        pthread_mutex_unlock(&queue->mutex);
        (void)queue->func(piece->i, piece->from, piece->count, piece->values,
                          piece->values + piece->count, piece->bounds, queue->user_data, &failure);
        pthread_mutex_lock(&queue->mutex);
        queue->failure = failure;
    }
    (void)g_queue_pop_head(&queue->pieces);
    queue->cells -= piece->count;
    g_free(piece);
    pthread_cond_broadcast(&queue->changed);
}

/* A CsThreadFunc. */
static void
hand_all_over(gpointer data)
{
    CsRowQueue *queue = data;
    pthread_mutex_lock(&queue->mutex);
    while (!queue->closing || !g_queue_is_empty(&queue->pieces)) {
        if (g_queue_is_empty(&queue->pieces))
            pthread_cond_wait(&queue->changed, &queue->mutex);
        else
            hand_over(queue);
    }
    pthread_mutex_unlock(&queue->mutex);
}

CsRowQueue *
cs_row_queue_new(CsRowFunc func, gpointer user_data)
{
    CsRowQueue *queue = g_new0(CsRowQueue, 1);
    queue->func = func;
    queue->user_data = user_data;
    g_queue_init(&queue->pieces);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->thread = cs_thread_new("rows", hand_all_over, queue, NULL);
    if (queue->thread == NULL)
        g_clear_pointer(&queue, cs_row_queue_free);
    return queue;
}

gboolean
cs_row_queue_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                  gboolean bounds, gpointer user_data, GError **error)
{
    CsRowQueue *queue = user_data;
    const gsize half = (gsize)count * sizeof(CsScore);
    Piece *piece = cs_memory_try(1, sizeof *piece + 2 * half);
    const gint64 most =
        piece != NULL ? MOST_CELLS : 1; /* once the thread is idle, so no copy is needed */
    if (piece != NULL) {
        *piece = (Piece){.i = i, .from = from, .count = count, .bounds = bounds};
        memcpy(piece->values, h, half);
        memcpy(piece->values + count, f, half);
    }
    pthread_mutex_lock(&queue->mutex);
    while (queue->cells >= most && queue->failure == NULL)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    const gboolean failed = queue->failure != NULL;
    if (failed) {
        g_propagate_error(error, g_error_copy(queue->failure));
        g_free(piece);
    } else if (piece != NULL) {
        g_queue_push_tail(&queue->pieces, piece);
        queue->cells += count;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->mutex);
    return !failed &&
           (piece != NULL || queue->func(i, from, count, h, f, bounds, queue->user_data, error));
}

void
cs_row_queue_wait(CsRowQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (!g_queue_is_empty(&queue->pieces))
        pthread_cond_wait(&queue->changed, &queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
}

void
cs_row_queue_free(CsRowQueue *queue)
{
    if (queue == NULL)
        return;
    pthread_mutex_lock(&queue->mutex);
    queue->closing = TRUE;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    if (queue->thread != NULL)
        cs_thread_join(queue->thread);
    g_clear_error(&queue->failure);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
    g_free(queue);
}
