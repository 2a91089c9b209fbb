/*
 * Searches chunks, one at a time, with lists of its own: one of several devices of a process, or what a
 * process with others has.
 *
 * A list of a worker has the best N records of the chunks that the worker has searched, but for those
 * that N records in the list of all are better than, as far as that is known when a chunk begins. A record
 * that is among the best N of all chunks is also among the best N of these. So nothing is missing in the
 * result of a chunk. Chunks may come in any order.
 */
#ifndef CS_SEARCH_WORKER_H
#define CS_SEARCH_WORKER_H

#include "search/search_chunk.h"
#include "system/parallel.h"

typedef struct {
    CsQueries queries; /* with its lists */
    CsChunkSearch search;
    CsRecordChunk *chunk; /* under way, or NULL */
    CsThread *thread;     /* NULL while there is a chunk: none could be started */
    gint64 told;          /* cells of its results */
} CsSearchWorker;

/* For these queries, which must outlive it, and a search like this one, on at most so many threads. */
void cs_search_worker_init(CsSearchWorker *worker, const CsQueries *queries,
                           const CsChunkSearch *like, guint threads);

/* Begins with a chunk, which it takes. `best` are the queries with the lists of all; device: NULL is the
 * CPU. */
void cs_search_worker_begin(CsSearchWorker *worker, CsRecordChunk *chunk, const CsQueries *best,
                            CsDeviceScores *device);

/* Whether the chunk that is under way is searched, or must be on the caller's thread. Waits for at most
 * so many microseconds. */
gboolean cs_search_worker_is_ready(CsSearchWorker *worker, gint64 microseconds);

/* Appends the entries of the chunk, as cs_search_message_put_entries(), and sets the cells that it took.
 * Fails as the search did. */
gboolean cs_search_worker_finish(CsSearchWorker *worker, GString *entries, gint64 *cells,
                                 GError **error);

/* If it is at a chunk, *search.stop must be nonzero. */
void cs_search_worker_clear(CsSearchWorker *worker);

#endif
