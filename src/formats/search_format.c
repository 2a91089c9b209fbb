/* The formats of a search. */
#include <string.h>

#include "formats/search_format.h"

const char *const cs_search_format_names[] = {"text", "tsv", "json", "blast6", NULL};

static void (*const writers[])(GString *, const CsSearchSummary *, const CsSearchHit *, gint64,
                               const CsColumns *) = {cs_search_text, cs_search_tsv, cs_search_json,
                                                     cs_search_blast6};

void
cs_search_format_begin(CsSearchFormat format, GString *text, const CsSearchSummary *summary,
                       const CsColumns *columns)
{
    if (format == CS_SEARCH_FORMAT_TEXT)
        cs_search_text_begin(text, summary);
    if (format == CS_SEARCH_FORMAT_TSV)
        cs_columns_header(text, columns);
}

void
cs_search_format_hits(CsSearchFormat format, GString *text, const CsSearchSummary *summary,
                      const CsSearchHit *hits, gint64 count, const CsColumns *columns)
{
    if (count > 0)
        writers[format](text, summary, hits, count, columns);
}

void
cs_search_format_end(CsSearchFormat format, GString *text, gint64 all)
{
    if (format == CS_SEARCH_FORMAT_TEXT && all == 0)
        g_string_append(text, "no hits\n");
}

char *
cs_search_format_cell(const CsSearchHit *hit, const char *column)
{
    return cs_field_cell(cs_field_find(cs_search_fields, column, strlen(column)), hit);
}
