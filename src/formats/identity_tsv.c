/*
 * Pairs as TSV: a header line that begins with #, then a line for each pair. The lines are those of
 * cs_columns_row().
 */
#include <string.h>

#include "formats/identity_format.h"

static gboolean
begin(CsIdentityWriter *writer, GString *text, GError **error)
{
    cs_identity_writer_escape(writer, TRUE);
    cs_columns_header(text, &writer->columns);
    return TRUE;
}

enum {
    NUMBER_BYTES = CS_IDENTITY_DIGITS + 2, /* with a sign and a tab */
};

static const char *
text_of(const CsField *field, const CsIdentityRow *row)
{
    const char *cell = *(const char *const *)(const void *)((const char *)row + field->offset);
    return cell != NULL ? cell : "NA";
}

static gsize
cell_room(const CsField *field, const CsIdentityRow *row)
{
    return field->type == CS_FIELD_TEXT ? strlen(text_of(field, row)) + 1 : NUMBER_BYTES;
}

static char *
put_cell(char *to, const CsField *field, const CsIdentityRow *row)
{
    const char *member = (const char *)row + field->offset;
    if (field->type == CS_FIELD_TEXT)
        return g_stpcpy(to, text_of(field, row));
    if (field->type == CS_FIELD_REAL)
        return cs_identity_put(to, (gint64)(*(const double *)(const void *)member * 1e6 + 0.5));
    const gint64 value = *(const gint64 *)(const void *)member;
    if (value < 0)
        *to++ = '-';
    return cs_digits_put(to, value < 0 ? 0 - (guint64)value : (guint64)value, 1);
}

/* There may be 10^9 lines, so each is written into the text without a call for each cell. */
static void
add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair)
{
    CsIdentityRow row;
    cs_identity_row_init(&row, writer->summary, pair);
    row.first = writer->cells[0][pair->first];
    row.second = writer->cells[1][pair->second];
    const gsize begin = text->len;
    gsize room = 0;
    for (guint k = 0; k < writer->columns.count; k++)
        room += cell_room(writer->columns.fields[k], &row);
    g_string_set_size(text, begin + room);
    char *to = text->str + begin;
    for (guint k = 0; k < writer->columns.count; k++) {
        to = put_cell(to, writer->columns.fields[k], &row);
        *to++ = k + 1 < writer->columns.count ? '\t' : '\n';
    }
    g_string_truncate(text, (gsize)(to - text->str));
}

const CsIdentityWriterClass cs_identity_tsv = {.begin = begin, .add = add};
