/* Pairs as text: what is compared, then a table, whose widths depend on the records alone. */
#include <string.h>

#include "formats/digits.h"
#include "formats/identity_format.h"
#include "formats/records_text.h"

enum {
    NAME_MOST = 30,         /* columns for names; longer ones move what follows */
    IDENTITY_PARTS = 10000, /* two decimals of a percentage */
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
append_padded(GString *text, const char *word, gint width)
{
    const gsize length = strlen(word);
    g_string_append_len(text, word, (gssize)length);
    for (gint k = (gint)MIN(length, (gsize)width); k < width; k++)
        g_string_append_c(text, ' ');
}

static void
append_names(const CsIdentityWriter *writer, GString *text, const char *first, const char *second,
             const char *cigar)
{
    append_padded(text, first, writer->widths[0]);
    g_string_append(text, "  ");
    append_padded(text, second, cigar != NULL ? writer->widths[1] : 0);
    if (cigar != NULL) {
        g_string_append(text, "  ");
        g_string_append(text, cigar);
    }
    g_string_append_c(text, '\n');
}

/* Right-aligned. */
static void
append_number(GString *text, gint64 value, gint width)
{
    const guint64 size = value < 0 ? 0 - (guint64)value : (guint64)value;
    gint length = value < 0 ? 2 : 1;
    for (guint64 rest = size; rest >= 10; rest /= 10)
        length++;
    for (; length < width; length++)
        g_string_append_c(text, ' ');
    if (value < 0)
        g_string_append_c(text, '-');
    cs_digits_append(text, size, 1);
}

static gboolean
begin(CsIdentityWriter *writer, GString *text, GError **error)
{
    const CsIdentitySummary *s = writer->summary;
    writer->widths[0] = width_of(s->first, s->first_count, "first");
    writer->widths[1] = width_of(s->second, s->second_count, "second");
    cs_identity_writer_escape(writer, FALSE);
    append_about(text, s);
    return TRUE;
}

static void
add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair)
{
    const gint64 parts = cs_identity_scaled(
        pair->matches, cs_identity_format_divisor(writer->summary, pair), IDENTITY_PARTS);
    const gint64 numbers[] = {pair->matches, pair->columns, pair->score};
    if (writer->pairs == 0) {
        g_string_append(text, "\nidentity  matches  columns    score  ");
        append_names(writer, text, "first", "second", pair->cigar != NULL ? "alignment" : NULL);
    }
    append_number(text, parts / 100, 4);
    g_string_append_c(text, '.');
    cs_digits_append(text, (guint64)parts % 100, 2);
    g_string_append(text, "%  ");
    for (guint k = 0; k < G_N_ELEMENTS(numbers); k++) {
        append_number(text, numbers[k], 7);
        g_string_append(text, "  ");
    }
    append_names(writer, text, writer->cells[0][pair->first], writer->cells[1][pair->second],
                 pair->cigar);
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
