/*
 * The formats of a search. A new format needs a value in CsSearchFormat, a row in the table of
 * search_format.c, and a file search_NAME.c.
 */
#ifndef CS_SEARCH_FORMAT_H
#define CS_SEARCH_FORMAT_H

#include <chromosweep/search.h>

#include "formats/columns.h"

typedef enum {
    CS_SEARCH_FORMAT_TEXT,
    CS_SEARCH_FORMAT_TSV,
    CS_SEARCH_FORMAT_JSON,
    CS_SEARCH_FORMAT_BLAST6,
} CsSearchFormat;

/* The names that --format takes, in the order of CsSearchFormat; NULL-terminated. */
extern const char *const cs_search_format_names[];

/* The fields of a hit (CsSearchHit), and the columns of TSV that may be chosen. */
extern const CsField cs_search_fields[];
extern const CsColumnsChoice cs_search_columns;

/* The default columns with those of an alignment. */
extern const char cs_search_aligned_columns[];

/* What is written before all hits, for the hits of a query, and behind all hits. columns are those of
 * TSV. */
void cs_search_format_begin(CsSearchFormat format, GString *text, const CsSearchSummary *summary,
                            const CsColumns *columns);
void cs_search_format_hits(CsSearchFormat format, GString *text, const CsSearchSummary *summary,
                           const CsSearchHit *hits, gint64 count, const CsColumns *columns);
void cs_search_format_end(CsSearchFormat format, GString *text, gint64 all);

/* The cell of a hit in a table, by the name of its column. */
char *cs_search_format_cell(const CsSearchHit *hit, const char *column);

/* The hits of a query in each format. */
void cs_search_text(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits,
                    gint64 count, const CsColumns *columns);
void cs_search_tsv(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits,
                   gint64 count, const CsColumns *columns);
void cs_search_json(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits,
                    gint64 count, const CsColumns *columns);
void cs_search_blast6(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits,
                      gint64 count, const CsColumns *columns);

/* What text has before all hits. */
void cs_search_text_begin(GString *text, const CsSearchSummary *summary);

#endif
