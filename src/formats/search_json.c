/* Hits as JSON: an object on a line for each. */
#include "formats/search_format.h"

#define FORMAT "chromosweep-search"
enum {
    VERSION = 1
};

void
cs_search_json(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count,
               const CsColumns *columns)
{
    for (gint64 n = 0; n < count; n++)
        cs_fields_json_line(text, FORMAT, VERSION, cs_search_fields, &hits[n]);
}
