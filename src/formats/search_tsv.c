/*
 * Hits as TSV: a header line that begins with #, then a line for each hit; NA for what is not known.
 */
#include "formats/search_format.h"

void
cs_search_tsv(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count,
              const CsColumns *columns)
{
    for (gint64 n = 0; n < count; n++)
        cs_columns_row(text, columns, &hits[n]);
}
