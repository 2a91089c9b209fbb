/* The formats of a search. */
#include <string.h>

#include "formats/search_format.h"

const char *const cs_search_format_names[] = {"text", "tsv", "json", "blast6", NULL};

static void (*const writers[])(GString *, const CsSearch *, const CsColumns *) = {
    cs_search_text, cs_search_tsv, cs_search_json, cs_search_blast6};

void
cs_search_format_append(CsSearchFormat format, GString *text, const CsSearch *search,
                        const CsColumns *columns)
{
    writers[format](text, search, columns);
}

char *
cs_search_format_cell(const CsSearchHit *hit, const char *column)
{
    return cs_field_cell(cs_field_find(cs_search_fields, column, strlen(column)), hit);
}
