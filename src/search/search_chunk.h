/* Searches a chunk of the database with all queries, on threads. */
#ifndef CS_SEARCH_CHUNK_H
#define CS_SEARCH_CHUNK_H

#include <stdatomic.h>

#include "search/device_scores.h"
#include "search/queries.h"

typedef struct {
    CsQueries *queries;
    const CsPairKernels *kernels;
    CsDeviceScores *device; /* that finds the scores, or NULL: the CPU does */
    guint threads;
    gboolean align; /* find the paths of hits, too */
    const gint *stop;
    _Atomic gint64 cells;             /* done so far: letters of queries times letters of records */
    _Atomic gint failed;              /* memory was short, or `error` is set */
    GError *error;                    /* of the device */
    _Atomic gint64 tasks, tasks_done; /* of the chunk under way */
} CsChunkSearch;

/*
 * Adds the records of the chunk to the lists of all queries, with ends and starts, but for the first
 * records, as many as a query has done. Sets `done` of a query and then `ended` as soon as it has
 * searched the chunk. If *stop becomes nonzero or memory is short, lists of the others may have some
 * of the records, without ends.
 */
void cs_search_chunk(CsChunkSearch *search, const CsRecordChunk *chunk);

/* Fails with what failed in a chunk, if anything did. */
gboolean cs_search_chunk_check(CsChunkSearch *search, GError **error);

#endif
