/* One of several that search chunks: see search_worker.h. */
#include "search/search_message.h"
#include "search/search_worker.h"

void
cs_search_worker_init(CsSearchWorker *worker, const CsQueries *queries, const CsChunkSearch *like,
                      guint threads)
{
    *worker = (CsSearchWorker){0};
    cs_queries_init_beside(&worker->queries, queries);
    worker->search = (CsChunkSearch){.queries = &worker->queries,
                                     .kernels = like->kernels,
                                     .threads = threads,
                                     .align = like->align,
                                     .stop = like->stop};
}

/* A CsThreadFunc. */
static void
search_chunk(gpointer data)
{
    CsSearchWorker *worker = data;
    cs_search_chunk(&worker->search, worker->chunk);
}

void
cs_search_worker_begin(CsSearchWorker *worker, CsRecordChunk *chunk, const CsQueries *best,
                       CsDeviceScores *device)
{
    for (gint64 k = 0; k < best->count; k++) {
        const CsBestList *list = &best->queries[k].best;
        CsQuery *query = &worker->queries.queries[k];
        if (list->is_full)
            cs_best_list_raise(&query->best, list->last.score, list->last.number);
        query->done = 0; /* the last chunk may have come from behind this one */
    }
    worker->chunk = chunk;
    worker->search.device = device;
    worker->thread = cs_thread_new("search", search_chunk, worker, NULL);
}

gboolean
cs_search_worker_is_ready(CsSearchWorker *worker, gint64 microseconds)
{
    return worker->thread == NULL || cs_thread_wait(worker->thread, microseconds);
}

gboolean
cs_search_worker_finish(CsSearchWorker *worker, GString *entries, gint64 *cells, GError **error)
{
    if (worker->thread != NULL)
        cs_thread_join(g_steal_pointer(&worker->thread));
    else
        search_chunk(worker);
    g_autoptr(CsRecordChunk) chunk = g_steal_pointer(&worker->chunk);
    *cells = worker->search.cells - worker->told;
    worker->told += *cells;
    if (!cs_search_chunk_check(&worker->search, error))
        return FALSE;
    cs_search_message_put_entries(entries, &worker->queries, chunk);
    return TRUE;
}

void
cs_search_worker_clear(CsSearchWorker *worker)
{
    if (worker->thread != NULL)
        cs_thread_join(g_steal_pointer(&worker->thread));
    g_clear_pointer(&worker->chunk, cs_record_chunk_free);
    g_clear_error(&worker->search.error);
    cs_queries_clear(&worker->queries);
}
