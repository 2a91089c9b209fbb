/*
 * The checkpoint of a search: a folder with the states that were saved last (search_files.h).
 *
 * A state gets the next number, under a temporary name first. Once it was read back, all but it and
 * the one before are removed. So a crash or damage costs at most one state.
 */
#ifndef CS_SEARCH_KEEP_H
#define CS_SEARCH_KEEP_H

#include <chromosweep/control.h>

#include "search/database.h"
#include "search/queries.h"

/* How far a search has come, beside what its queries hold: their lists, and `done`. */
typedef struct {
    CsDatabaseMark marks[2]; /* every query is done as far as the first, and no list has records
                              * behind the second */
    gint64 cells;            /* computed, in all runs */
    double seconds;          /* of all runs */
    double fraction;         /* of the database; 1 only if the search is complete */
} CsSearchState;

typedef struct _CsSearchKeep CsSearchKeep;

/*
 * Locks the folder, which is created if only its last component is missing, for this search. With
 * `fresh` states there are not loaded. Warnings go to note. Fails as cs_checkpoint_open() does.
 */
CsSearchKeep *cs_search_keep_open(const char *directory, const CsQueries *queries,
                                  const CsSearchOptions *options, GError **error);

/* Loads the newest good state into the queries. Without any, state and queries stay as they are. */
gboolean cs_search_keep_load(CsSearchKeep *keep, CsQueries *queries, CsSearchState *state,
                             GError **error);

/* Saves a state durably. No thread may change the queries, whose lists are trimmed. */
gboolean cs_search_keep_save(CsSearchKeep *keep, CsQueries *queries, const CsSearchState *state,
                             GError **error);

/* Also gives the lock back. A folder without states loses the lock's file, and is removed if it was
 * created. */
void cs_search_keep_free(CsSearchKeep *keep);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSearchKeep, cs_search_keep_free)

#endif
