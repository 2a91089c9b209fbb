/* A plan of a search: the memory and time that it will take. */
#ifndef CHROMOSWEEP_SEARCH_PLAN_H
#define CHROMOSWEEP_SEARCH_PLAN_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/search.h>

G_BEGIN_DECLS

/**
 * CsSearchPlan:
 * @summary: what will be searched, and how; `cells_computed` and `seconds` are those of the short test
 * @longest_query: its letters
 * @longest_record: letters of the longest record of the database
 * @chunk: letters of the database that are searched at a time
 * @gpus: how many find scores
 * @host_bytes: upper bound on the memory of the process
 * @host_bytes_available: memory that this process can have; negative if that is not known
 * @host_limit: (nullable): what limits it, in words
 * @cells_a_second: cells computed in a second, measured in a short test; 0 if there was nothing to compute
 * @seconds: that the search will take; 0 if there is nothing to compute
 * @records_done: records of the database that the newest state in the checkpoint is done with
 *
 * What a search will take.
 */
typedef struct {
    CsSearchSummary summary;
    gint64 longest_query;
    gint64 longest_record;
    gint64 chunk;
    guint gpus;
    gint64 host_bytes;
    gint64 host_bytes_available;
    const char *host_limit;
    double cells_a_second;
    double seconds;
    gint64 records_done;
} CsSearchPlan;

/**
 * cs_search_plan:
 * @queries: as for cs_search(), but neither file may be standard input
 * @database: likewise
 * @options: (nullable): likewise; @options.control may stop it
 * @plan: (out caller-allocates): what the search will take. `summary.matrix` is %NULL
 * @error: as of cs_search()
 *
 * Reads both files and searches for a second, or until the first pair is done, for 20 seconds at most. Writes nothing.
 *
 * Returns: whether @plan is set
 */
CS_API gboolean cs_search_plan(const char *queries, const char *database,
                               const CsSearchOptions *options, CsSearchPlan *plan, GError **error);

G_END_DECLS

#endif
