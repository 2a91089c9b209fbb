/* Strips of one pair: see global_long.h. */
#include <string.h>

#include "identity/global_long.h"
#include "system/memory.h"
#include "system/stop.h"

#define CELLS_TO_SHARE 1e7 /* some milliseconds */

static gboolean
is_done(CsGlobalLong *job, gint64 strip, gint64 columns)
{
    return __atomic_load_n(&job->done[strip], __ATOMIC_ACQUIRE) >= columns;
}

gboolean
cs_global_long_wait(CsGlobalLong *job, gint64 strip, gint64 columns)
{
    if (strip > 0 && !is_done(job, strip - 1, columns)) {
        pthread_mutex_lock(&job->mutex);
        while (!is_done(job, strip - 1, columns))
            pthread_cond_wait(&job->more, &job->mutex);
        pthread_mutex_unlock(&job->mutex);
    }
    return !cs_is_stopped(job->stop);
}

void
cs_global_long_tell(CsGlobalLong *job, gint64 strip, gint64 columns)
{
    pthread_mutex_lock(&job->mutex);
    const gint64 more = MIN(columns, job->columns) - MIN(job->done[strip], job->columns);
    if (job->under_way != NULL && !cs_is_stopped(job->stop)) {
        const gint64 cells = more * job->rows / job->strips; /* about */
        job->added += cells;
        __atomic_add_fetch(job->under_way, cells, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&job->done[strip], columns, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&job->more);
    pthread_mutex_unlock(&job->mutex);
}

typedef struct {
    const CsGlobalLongKernel *kernel;
    CsGlobalLong *job;
    const gint *stop;
} Strips;

/* The next strip to compute; strips if there is none, or a sweep is to be saved first. */
static gint64
take(CsGlobalLong *job, const gint *stop)
{
    pthread_mutex_lock(&job->mutex);
    if (job->sweep != NULL && job->next < job->strips &&
        job->next * job->strip_rows % CS_GLOBAL_SWEEP_ROWS == 0)
        job->pauses |= cs_is_stopped(stop) ||
                       (job->next > job->saved && g_get_monotonic_time() >= job->sweep->save_at);
    const gint64 strip = job->pauses ? job->strips : job->next;
    if (strip < job->strips)
        job->next++;
    pthread_mutex_unlock(&job->mutex);
    return strip;
}

/* A CsThreadFunc: computes strips, from the first on, until each has a thread. A strip waits only for those above
 * it, so one of them always goes on. */
static void
compute_strips(gpointer data)
{
    const Strips *strips = data;
    CsGlobalLong *job = strips->job;
    for (gint64 strip; (strip = take(job, strips->stop)) < job->strips;) {
        strips->kernel->compute(job, strip);
        cs_global_long_tell(job, strip, G_MAXINT64);
    }
}

/* Rows before the first one: nothing, and gaps along the columns. Or the last row that a sweep has. */
static void
begin(CsGlobalLong *job)
{
    const CsGlobalSweep *sweep = job->sweep;
    if (sweep != NULL && sweep->rows > 0) {
        job->next = job->saved = sweep->rows / job->strip_rows;
        memcpy(job->u, sweep->u, (gsize)job->columns * sizeof *job->u);
        memcpy(job->s, sweep->s, (gsize)job->columns * sizeof *job->s);
        if (job->h_from != NULL) {
            memcpy(job->h_from, sweep->h_from, (gsize)job->columns * sizeof *job->h_from);
            memcpy(job->s_from, sweep->s_from, (gsize)job->columns * sizeof *job->s_from);
        }
        for (gint64 strip = 0; strip < job->next; strip++)
            cs_global_long_tell(job, strip, G_MAXINT64);
        return;
    }
    for (gint64 j = 0; j < job->columns; j++) {
        job->u[j] = j == 0 ? -job->open : 0;
        job->s[j] = job->u[j] - job->open;
    }
}

/* Between two strips, all above are computed, and none below is begun. */
static void
save(CsGlobalLong *job)
{
    CsGlobalSweep *sweep = job->sweep;
    job->pauses = FALSE;
    if (job->next == job->saved)
        return;
    job->saved = job->next;
    sweep->rows = job->next * job->strip_rows;
    sweep->u = job->u;
    sweep->s = job->s;
    sweep->h_from = job->h_from;
    sweep->s_from = job->s_from;
    sweep->save(sweep->data);
    sweep->u = sweep->s = sweep->h_from = sweep->s_from = NULL;
}

gboolean
cs_global_long(const CsGlobalLongKernel *kernel, CsGlobalLong *job, const CsGlobalQuery *query)
{
    Strips strips = {kernel, job, query->stop};
    job->strip_rows = (gint64)kernel->lanes * CS_GLOBAL_LONG_ROWS;
    job->strips = (job->rows + job->strip_rows - 1) / job->strip_rows;
    job->next = job->saved = job->added = 0;
    job->stop = job->sweep == NULL ? query->stop : NULL;
    job->under_way = job->h_from == NULL ? query->under_way : NULL; /* paths are not counted */
    job->done = cs_memory_try_new(gint64, job->strips);
    if (job->done == NULL)
        return FALSE;
    pthread_mutex_init(&job->mutex, NULL);
    pthread_cond_init(&job->more, NULL);
    begin(job);
    const gboolean shares =
        query->alone || (double)job->rows * (double)job->columns >= CELLS_TO_SHARE;
    while (TRUE) {
        cs_global_team_share(shares ? query->team : NULL, compute_strips, &strips);
        if (!job->pauses)
            break;
        save(job);
        if (cs_is_stopped(query->stop))
            break;
    }
    if (job->under_way != NULL && !cs_is_stopped(query->stop)) /* which the last progress tells */
        __atomic_sub_fetch(job->under_way, job->added, __ATOMIC_RELAXED);
    pthread_cond_destroy(&job->more);
    pthread_mutex_destroy(&job->mutex);
    g_clear_pointer(&job->done, g_free);
    return TRUE;
}
