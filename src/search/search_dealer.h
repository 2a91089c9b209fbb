/*
 * A search on several devices of this process, by several processes (ranks/ranks.h), or both. Rank 0 reads
 * the database and deals its chunks to workers (search_worker.h) of its own and to other ranks. What a
 * worker finds in a chunk is put into the lists of all in the order of the database. So a state is that of
 * a search on one device.
 *
 *     another rank          rank 0
 *     wants a chunk   -->   gives the next one, or says that there are no more
 *     a result        -->   keeps it until those of all chunks before are there
 *                     <--   the end, at any time
 *     has ended       -->
 *
 * A rank wants the next chunk as soon as it has given the one before to a worker. Until it has an answer it sends nothing. So
 * when rank 0 gives a chunk, which may be large, the other rank is receiving; and rank 0 sends nothing else
 * that is large. So no two ranks ever wait for each other. With a chunk a rank hears which records are not
 * among the best of all. It sends results in the order in which it got the chunks.
 *
 * The CPU beside GPUs gets small chunks of its own, which take it about as long as a GPU takes for large
 * ones, and GPUs take these only when no others come. Of other ranks only the GPUs search then.
 */
#ifndef CS_SEARCH_DEALER_H
#define CS_SEARCH_DEALER_H

#include "ranks/message.h"
#include "search/database.h"
#include "search/search_chunk.h"
#include "search/search_devices.h"

typedef struct _CsSearchDealer CsSearchDealer;

typedef enum {
    CS_DEAL_NONE,
    CS_DEAL_LARGE,
    CS_DEAL_SMALL,
} CsDealSize;

/* Whether there is anything to deal to: several workers or several processes. */
gboolean cs_search_dealer_is_needed(const CsSearchDevices *devices);

/*
 * Begins on all ranks. Workers search like `search`, whose cells count those of all, for these queries, and
 * on these devices, which may be opened later. `text` is the device that was asked for. Fails if a rank has
 * no such device or too little memory.
 */
CsSearchDealer *cs_search_dealer_new(CsQueries *queries, CsChunkSearch *search,
                                     CsSearchDevices *devices, const char *text, GError **error);

/* The threads of all ranks. */
guint cs_search_dealer_threads(const CsSearchDealer *dealer);

/* How many share the large chunks, about. */
guint cs_search_dealer_sharers(const CsSearchDealer *dealer);

/* Which chunk should be read next. NONE: there is no room for any. */
CsDealSize cs_search_dealer_wants(const CsSearchDealer *dealer);

/* Takes the next chunk, which is between these places. */
void cs_search_dealer_add(CsSearchDealer *dealer, CsRecordChunk *chunk,
                          const CsDatabasePlace places[2], CsDealSize size);

/* Says that no more chunks come. May be called again and again. */
void cs_search_dealer_end(CsSearchDealer *dealer);

/*
 * Deals chunks, waits a millisecond at most, and takes what results there are. Sets the places to those of
 * the last chunk before which all are in the lists, if there is a new one. Fails as a worker did.
 */
gboolean cs_search_dealer_go_on(CsSearchDealer *dealer, CsDatabasePlace places[2], GError **error);

/* Whether all chunks that were added are in the lists. */
gboolean cs_search_dealer_is_idle(const CsSearchDealer *dealer);

/*
 * The most chunks that are in memory, and copies of the hits in lists and results, with devices as these and no other
 * ranks.
 */
guint cs_search_dealer_most_chunks(const CsSearchDevices *devices);
guint cs_search_dealer_most_copies(const CsSearchDevices *devices);

/* Ends on all ranks. If a worker is at a chunk, *search->stop must be nonzero. */
void cs_search_dealer_free(CsSearchDealer *dealer);

/* Takes part in a search, on another rank. */
void cs_search_serve(CsMessageIn *message);

#endif
