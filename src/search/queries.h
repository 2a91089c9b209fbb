/* The queries of a search, and how their letters score. */
#ifndef CS_QUERIES_H
#define CS_QUERIES_H

#include <chromosweep/search.h>

#include "search/best_list.h"
#include "search/pair_scores.h"
#include "search/statistics.h"
#include "sequence/record_stream.h"

typedef struct {
    const char *name;
    gint64 length;
    const guint8 *strands[2]; /* codes; minus only if it is searched */
    CsBestList best;
    gint64 done; /* so many records of the database are, with the ends of those in the list */
    gint slices; /* of the chunk under way that are not done; atomic */
    gint ended;  /* whether the chunk under way is done; atomic; the caller sets it to 0 before */
    guint lanes; /* see CsPairQuery */
    /* What a GPU has found, on each strand: scores of the records of the chunk under way, -1: not
     * known. NULL: nothing. */
    const gint32 *scores[2];
} CsQuery;

typedef struct {
    CsAlphabet alphabet;
    CsStreamLetters letters; /* of the database */
    CsStrand strand;         /* plus for proteins */
    gint64 count, letter_count, longest;
    CsQuery *queries;
    CsRecordChunk *chunk; /* holds names and letters */
    guint8 *minus;        /* all queries on minus, each in its place */
    CsPairScoring scoring;
    char *matrix;
    gint64 match, mismatch, gap_open, gap_extend;
    gboolean has_statistics;
    CsStatistics statistics;
    gboolean guessed; /* the alphabet was */
} CsQueries;

/* Loads the queries. Errors are those of cs_search(). */
gboolean cs_queries_init(CsQueries *queries, const char *path, const CsSearchOptions *options,
                         GError **error);

/* Of `queries->chunk`, whose letters are of the alphabet. `number` and `least` are those of
 * cs_best_list_init(). */
gboolean cs_queries_take_chunk(CsQueries *queries, gint64 number, gint64 least, GError **error);

/* The same queries with lists of their own, which nothing is in. The others must outlive them. */
void cs_queries_init_beside(CsQueries *queries, const CsQueries *others);

/* What comparing all queries with so many letters takes. */
double cs_queries_cells(const CsQueries *queries, gint64 letters);

void cs_queries_clear(CsQueries *queries);

#endif
