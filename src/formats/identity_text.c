/* Pairs as text: what is compared, then a table, whose widths depend on the records alone. */
#include <string.h>

#include "formats/escape.h"
#include "formats/identity_format.h"
#include "formats/records_text.h"

enum {
    NAME_MOST = 30, /* columns for names; longer ones move what follows */
};

static void
append_file(GString *text, const CsIdentityRecord *records, gint64 count)
{
    gint64 letters = 0;
    for (gint64 k = 0; k < count; k++)
        letters += records[k].length;
    cs_records_text_count(text, count, "record", "records");
    g_string_append(text, " with ");
    cs_records_text_count(text, letters, "letter", "letters");
}

static void
append_about(GString *text, const CsIdentitySummary *s)
{
    static const char *const divisors[] = {"letters of the longer sequence",
                                           "letters of the shorter sequence",
                                           "columns of the alignment"};
    g_string_append_printf(text, "%s: ", cs_records_text_types[s->alphabet]);
    append_file(text, s->first, s->first_count);
    if (!s->one_file) {
        g_string_append(text, ", ");
        append_file(text, s->second, s->second_count);
    }
    g_string_append(text, ", ");
    cs_records_text_count(text, s->pairs, "pair", "pairs");
    g_string_append_c(text, '\n');
    cs_records_text_scoring(text, s->matrix, s->match, s->mismatch, s->gap_open, s->gap_extend);
    g_string_append_printf(text, "identity: matches / %s", divisors[s->over]);
    if (s->min_identity > 0) {
        char percent[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(percent, sizeof percent, "%.10g", 100 * s->min_identity);
        g_string_append_printf(text, ", at least %s%%", percent);
    }
    g_string_append_c(text, '\n');
}

static int
width_of(const CsIdentityRecord *records, gint64 count, const char *title)
{
    gsize width = strlen(title);
    for (gint64 k = 0; k < count; k++)
        width = MAX(width, strlen(records[k].name));
    return (int)MIN(width, NAME_MOST);
}

static void
append_names(const CsIdentityWriter *writer, GString *text, const char *first, const char *second,
             const char *cigar)
{
    g_string_append_printf(text, "%-*s  %-*s", writer->widths[0], first,
                           cigar != NULL ? writer->widths[1] : 0, second);
    if (cigar != NULL)
        g_string_append_printf(text, "  %s", cigar);
    g_string_append_c(text, '\n');
}

static gboolean
begin(CsIdentityWriter *writer, GString *text, GError **error)
{
    const CsIdentitySummary *s = writer->summary;
    writer->widths[0] = width_of(s->first, s->first_count, "first");
    writer->widths[1] = width_of(s->second, s->second_count, "second");
    append_about(text, s);
    return TRUE;
}

static void
add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair)
{
    CsIdentityRow row;
    char percent[G_ASCII_DTOSTR_BUF_SIZE];
    cs_identity_row_init(&row, writer->summary, pair);
    g_autofree char *first = cs_escape(row.first, FALSE);
    g_autofree char *second = cs_escape(row.second, FALSE);
    if (writer->pairs == 0) {
        g_string_append(text, "\nidentity  matches  columns    score  ");
        append_names(writer, text, "first", "second", row.cigar != NULL ? "alignment" : NULL);
    }
    g_ascii_formatd(percent, sizeof percent, "%.2f", 100 * row.identity);
    g_string_append_printf(
        text, "%7s%%  %7" G_GINT64_FORMAT "  %7" G_GINT64_FORMAT "  %7" G_GINT64_FORMAT "  ",
        percent, row.matches, row.columns, row.score);
    append_names(writer, text, first, second, row.cigar);
}

static gboolean
more(CsIdentityWriter *writer, GString *text)
{
    if (writer->pairs == 0)
        g_string_append(text,
                        writer->summary->pairs > 0 ? "no pair is that similar\n" : "no pairs\n");
    return FALSE;
}

const CsIdentityWriterClass cs_identity_text = {.begin = begin, .add = add, .more = more};
