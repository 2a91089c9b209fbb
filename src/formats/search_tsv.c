/*
 * Hits as TSV: a header line that begins with #, then a line for each hit; NA for what is not known.
 */
#include "formats/search_format.h"

void
cs_search_tsv_begin(GString *text, const CsColumns *columns)
{
    for (guint k = 0; k < columns->count; k++)
        g_string_append_printf(text, "%c%s", k > 0 ? '\t' : '#', columns->fields[k]->column);
    g_string_append_c(text, '\n');
}

void
cs_search_tsv(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count,
              const CsColumns *columns)
{
    for (gint64 n = 0; n < count; n++) {
        for (guint k = 0; k < columns->count; k++) {
            g_autofree char *cell = cs_field_cell(columns->fields[k], &hits[n]);
            g_string_append_printf(text, "%s%s", k > 0 ? "\t" : "", cell);
        }
        g_string_append_c(text, '\n');
    }
}
