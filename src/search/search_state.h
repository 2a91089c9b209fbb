/* What a state of a search holds, as bytes, and what tells one search from another. */
#ifndef CS_SEARCH_STATE_H
#define CS_SEARCH_STATE_H

#include <jansson.h>

#include "search/search_keep.h"

/* An object of all that the lists depend on, beside the database. */
json_t *cs_search_identity_new(const CsQueries *queries, const CsSearchOptions *options);

/* Sets the options that it holds, and counts queries and their letters. FALSE if it lacks one. */
gboolean cs_search_identity_read(const json_t *identity, CsSearchOptions *options, gint64 *queries,
                                 gint64 *query_letters);

/* Fails with CS_ERROR_CHECKPOINT, naming the first key that differs and both values. */
gboolean cs_search_identity_compare(const json_t *there, const json_t *here, GError **error);

/* The lists of all queries, and the state, for g_free(). *numbers: how many 64-bit numbers come
 * first. NULL: not enough memory. */
guint8 *cs_search_state_pack(const CsQueries *queries, const CsSearchState *state, gsize *size,
                             gint64 *numbers);

/* FALSE, with the queries in any condition, if the bytes are not a state of these queries. */
gboolean cs_search_state_unpack(const guint8 *bytes, gsize size, gint64 numbers, CsQueries *queries,
                                CsSearchState *state);

#endif
