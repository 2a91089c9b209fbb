/* What the processes of a search tell each other, as messages. The rules are in search_dealer.h. */
#ifndef CS_SEARCH_MESSAGE_H
#define CS_SEARCH_MESSAGE_H

#include "ranks/message.h"
#include "search/queries.h"

/* Queries without names and lists, and how their letters score. Then cs_search_message_send_chunk() of
 * their chunk follows. */
void cs_search_message_put_queries(GString *message, const CsQueries *queries);

/* Fails with CS_ERROR_DEVICE, and takes what follows in any case. */
gboolean cs_search_message_get_queries(CsMessageIn *message, CsQueries *queries, GError **error);

/* The records of a chunk; bulk.h says how. Its fraction does not arrive. */
void cs_search_message_send_chunk(guint to, const CsRecordChunk *chunk);
CsRecordChunk *cs_search_message_receive_chunk(guint from, GError **error);

/* What is not among the best of these queries any more, and need not be among those of others. */
void cs_search_message_put_limits(GString *message, const CsQueries *queries);
void cs_search_message_get_limits(CsMessageIn *message, CsQueries *queries);

/* The entries of all lists that are records of the chunk. Trims the lists. */
void cs_search_message_put_entries(GString *message, CsQueries *queries,
                                   const CsRecordChunk *chunk);

/* Puts them into the lists of the queries. */
gboolean cs_search_message_get_entries(CsMessageIn *message, CsQueries *queries, GError **error);

#endif
