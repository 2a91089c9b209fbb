/* What search and identity print alike as text. */
#include <chromosweep/search.h>

#include "formats/escape.h"
#include "formats/records_text.h"

const char *const cs_records_text_types[] = {
    [CS_ALPHABET_PROTEIN] = "proteins", [CS_ALPHABET_NUCLEOTIDE] = "nucleotides"};

void
cs_records_text_count(GString *text, gint64 count, const char *one, const char *several)
{
    g_string_append_printf(text, "%" G_GINT64_FORMAT " %s", count, count == 1 ? one : several);
}

void
cs_records_text_scoring(GString *text, const char *matrix, gint64 match, gint64 mismatch,
                        gint64 gap_open, gint64 gap_extend)
{
    g_autofree char *shown = matrix != NULL ? cs_escape(matrix, FALSE) : NULL;
    if (shown != NULL)
        g_string_append_printf(text, "scoring: %s", shown);
    else
        g_string_append_printf(text,
                               "scoring: match %" G_GINT64_FORMAT ", mismatch -%" G_GINT64_FORMAT,
                               match, mismatch);
    g_string_append_printf(text,
                           ", a gap of k letters -%" G_GINT64_FORMAT " - %" G_GINT64_FORMAT " k\n",
                           gap_open, gap_extend);
}
