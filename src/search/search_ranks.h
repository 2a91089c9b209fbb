/*
 * A search by several processes (ranks/ranks.h). Rank 0 reads the database and deals its chunks. Every
 * rank searches a chunk at a time with all queries, and has lists of its own for that; what they hold of
 * the chunk goes to rank 0, which puts it into the lists of all in the order of the database. So a state
 * is that of one process.
 *
 *     another rank          rank 0
 *     wants a chunk   -->   gives the next one, or says that there are no more
 *     a result        -->   keeps it until those of all chunks before are there
 *                     <--   the end, at any time
 *     has ended       -->
 *
 * A rank wants the next chunk when it begins with one. Until it has an answer it sends nothing. So when
 * rank 0 gives a chunk, which may be large, the other rank is receiving; and rank 0 sends nothing else
 * that is large. So no two ranks ever wait for each other.
 *
 * A list of a rank has the best N records of the chunks that the rank has searched, but for those that N
 * records in the list of all are better than: with a chunk a rank hears which. A record that is among the
 * best N of all chunks is also among the best N of these. So nothing is missing in the result of a chunk.
 */
#ifndef CS_SEARCH_RANKS_H
#define CS_SEARCH_RANKS_H

#include "search/database.h"
#include "search/search_device.h"

typedef struct _CsSearchRanks CsSearchRanks;

/*
 * Begins on all ranks. `search` and `device` are those of this one; the search gets queries of its own.
 * `text` is the device that was asked for. Fails if a rank has no such device or too little memory.
 */
CsSearchRanks *cs_search_ranks_new(CsQueries *queries, CsChunkSearch *search,
                                   CsSearchDevice *device, const char *text, GError **error);

/* The threads of all ranks. */
guint cs_search_ranks_threads(const CsSearchRanks *ranks);

/* Gives the chunk, which is between these places, to a rank that has time for it. FALSE if none has. */
gboolean cs_search_ranks_give(CsSearchRanks *ranks, CsRecordChunk *chunk,
                              const CsDatabasePlace places[2]);

/* Says that no more chunks come. May be called again and again. */
void cs_search_ranks_give_none(CsSearchRanks *ranks);

/*
 * Waits a millisecond at most, and takes what results there are. Sets the places to those of the last
 * chunk before which all are in the lists, if there is a new one. Fails as a rank did.
 */
gboolean cs_search_ranks_take(CsSearchRanks *ranks, CsDatabasePlace places[2], GError **error);

/* Whether all chunks that were given are in the lists. */
gboolean cs_search_ranks_is_idle(const CsSearchRanks *ranks);

/* Ends on all ranks. If this one is at a chunk, *search->stop must be nonzero. */
void cs_search_ranks_free(CsSearchRanks *ranks);

/* Takes part in a search, on another rank. */
void cs_search_serve(CsMessageIn *message);

#endif
