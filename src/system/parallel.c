/* Work in chunks that threads take as they come. */
#include <pthread.h>
#include <stdatomic.h>

#include "system/parallel.h"
#include "system/stop.h"

typedef struct {
    gint64 chunks;
    const gint *stop;
    CsParallelFunc func;
    gpointer user_data;
    atomic_llong next; /* chunk to be taken */
} Chunks;

static void *
take_chunks(void *data)
{
    Chunks *chunks = data;
    for (gint64 chunk; !cs_is_stopped(chunks->stop) && (chunk = chunks->next++) < chunks->chunks;)
        chunks->func(chunk, chunks->user_data);
    return NULL;
}

gboolean
cs_parallel_run(gint64 chunks, guint threads, const gint *stop, CsParallelFunc func,
                gpointer user_data)
{
    Chunks work = {.chunks = chunks, .stop = stop, .func = func, .user_data = user_data};
    const guint wanted = (guint)CLAMP(chunks, 1, (gint64)MAX(threads, 1)) - 1;
    g_autofree pthread_t *others = g_new(pthread_t, wanted + 1);
    guint started = 0;
    while (started < wanted && pthread_create(&others[started], NULL, take_chunks, &work) == 0)
        started++;
    take_chunks(&work);
    for (guint k = 0; k < started; k++)
        pthread_join(others[k], NULL);
    return !cs_is_stopped(stop);
}
