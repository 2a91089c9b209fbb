/* Hits as text: what was searched, then a table for each query. */
#include <string.h>

#include "formats/escape.h"
#include "formats/records_text.h"
#include "formats/search_format.h"

typedef struct {
    const char *heading;
    const char *columns[3]; /* with a minus between them */
} TextColumn;

static const TextColumn table[] = {
    {"score", {"score"}},
    {"bits", {"bits"}},
    {"E-value", {"evalue"}},
    {"strand", {"strand"}},
    {"in query", {"query_start", "query_end"}},
    {"in target", {"target_start", "target_end"}},
    {"length", {"target_length"}},
    {"identity", {"identity"}},
};

/* Whether the table has a column: not E-values where there are none, and so on. */
static gboolean
has_column(const TextColumn *column, const CsSearchSummary *summary, const CsSearchHit *hit)
{
    const char *name = column->columns[0];
    if (strcmp(name, "bits") == 0 || strcmp(name, "evalue") == 0)
        return summary->has_evalues;
    if (strcmp(name, "strand") == 0)
        return summary->alphabet == CS_ALPHABET_NUCLEOTIDE;
    return strcmp(name, "identity") != 0 || hit->cigar != NULL;
}

static char *
format_cell(const TextColumn *column, const CsSearchHit *hit)
{
    const char *name = column->columns[0];
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    if (strcmp(name, "bits") == 0)
        return g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.1f", hit->bits));
    if (strcmp(name, "identity") == 0) {
        if (hit->cigar == NULL)
            return g_strdup("");
        g_ascii_formatd(buffer, sizeof buffer, "%.1f",
                        100 * (double)hit->matches / (double)hit->columns);
        return g_strconcat(buffer, "%", NULL);
    }
    g_autofree char *first = cs_search_format_cell(hit, name);
    g_autofree char *other =
        column->columns[1] != NULL ? cs_search_format_cell(hit, column->columns[1]) : NULL;
    return other != NULL ? g_strconcat(first, "-", other, NULL) : g_strdup(first);
}

/* The table of a query; the names of the targets come last, because they may be long. */
static void
append_table(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count)
{
    gsize widths[G_N_ELEMENTS(table)] = {0};
    for (guint k = 0; k < G_N_ELEMENTS(table); k++) {
        widths[k] = strlen(table[k].heading);
        for (gint64 n = 0; n < count; n++) {
            g_autofree char *cell = format_cell(&table[k], &hits[n]);
            widths[k] = MAX(widths[k], strlen(cell));
        }
    }
    for (gint64 n = -1; n < count; n++) {
        for (guint k = 0; k < G_N_ELEMENTS(table); k++) {
            if (!has_column(&table[k], summary, &hits[0]))
                continue;
            g_autofree char *cell =
                n < 0 ? g_strdup(table[k].heading) : format_cell(&table[k], &hits[n]);
            g_string_append_printf(text, "%*s  ", (int)widths[k], cell);
        }
        g_autofree char *target = n < 0 ? g_strdup("target") : cs_escape(hits[n].target, FALSE);
        g_string_append_printf(text, "%s\n", target);
    }
}

void
cs_search_text_begin(GString *text, const CsSearchSummary *s)
{
    g_string_append(text, cs_records_text_types[s->alphabet]);
    g_string_append(text, ": ");
    cs_records_text_count(text, s->queries, "query", "queries");
    g_string_append(text, " with ");
    cs_records_text_count(text, s->query_letters, "letter", "letters");
    g_string_append(text, ", ");
    cs_records_text_count(text, s->records, "record", "records");
    g_string_append(text, " with ");
    cs_records_text_count(text, s->letters, "letter", "letters");
    g_string_append_c(text, '\n');
    cs_records_text_scoring(text, s->matrix, s->match, s->mismatch, s->gap_open, s->gap_extend);
}

void
cs_search_text(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count,
               const CsColumns *columns)
{
    g_autofree char *query = cs_escape(hits[0].query, FALSE);
    g_string_append_printf(text, "\nquery %s, ", query);
    cs_records_text_count(text, hits[0].query_length, "letter", "letters");
    g_string_append_c(text, '\n');
    append_table(text, summary, hits, count);
}
