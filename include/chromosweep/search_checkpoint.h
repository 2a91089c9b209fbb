/* Checkpoints of searches: what one holds, and how to remove it. */
#ifndef CHROMOSWEEP_SEARCH_CHECKPOINT_H
#define CHROMOSWEEP_SEARCH_CHECKPOINT_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/search.h>

G_BEGIN_DECLS

/**
 * CsSearchSaved:
 * @number: counts up from 1
 * @file: its name within the folder
 * @bytes: size of the file
 * @fault: (nullable): why it cannot be used; %NULL if its checksum is right. With a @fault, the members
 *   below are 0
 * @saved: when it was saved, in seconds since 1970
 * @seconds: that the search took up to then, in all runs
 * @records: of the database that every query is done with
 * @fraction: how much of the database these are, from 0 to 1, by its size as a file; negative if that
 *   is not known, as with standard input. 1 only if the search is complete
 *
 * One saved state.
 */
typedef struct {
    gint64 number;
    char *file;
    gint64 bytes;
    char *fault;
    gint64 saved;
    double seconds;
    gint64 records;
    double fraction;
} CsSearchSaved;

/**
 * CsSearchCheckpointInfo:
 * @program_version: of the program that saved the newest usable state; here and below %NULL or 0 if
 *   no state is usable
 * @queries: number of queries
 * @query_letters: their letters
 * @alphabet: what the sequences are
 * @strand: as in #CsSearchOptions
 * @gap_open: likewise
 * @gap_extend: likewise
 * @number: likewise
 * @min_score: likewise
 * @align: likewise
 * @memo: (nullable): what the caller left there (CsSearchOptions.memo)
 * @holder: (nullable): the process that uses the folder, in words
 * @usable: index of the newest usable state; -1 if there is none
 * @n_states: number of @states, at least 1
 * @states: the newest first
 *
 * What the checkpoint of a search holds.
 */
typedef struct {
    char *program_version;
    gint64 queries;
    gint64 query_letters;
    CsAlphabet alphabet;
    CsStrand strand;
    gint64 gap_open;
    gint64 gap_extend;
    gint64 number;
    gint64 min_score;
    gboolean align;
    char *memo;
    char *holder;
    int usable;
    guint n_states;
    CsSearchSaved *states;
} CsSearchCheckpointInfo;

/** cs_search_checkpoint_is_there: whether the folder is one that searches save in. */
CS_API gboolean cs_search_checkpoint_is_there(const char *directory);

/**
 * cs_search_checkpoint_info_new:
 * @directory: the folder
 * @error: CS_ERROR_FAILED if there is no such folder; CS_ERROR_CHECKPOINT if nothing has been saved there
 *
 * Reads all states and changes nothing.
 *
 * Returns: (transfer full) (nullable): what is there, or %NULL with @error set
 */
CS_API CsSearchCheckpointInfo *cs_search_checkpoint_info_new(const char *directory, GError **error);

CS_API void cs_search_checkpoint_info_free(CsSearchCheckpointInfo *info);

/** cs_search_checkpoint_remove: removes the states of a search, and the folder if nothing else is in
 * it. */
CS_API gboolean cs_search_checkpoint_remove(const char *directory, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSearchCheckpointInfo, cs_search_checkpoint_info_free)

G_END_DECLS

#endif
