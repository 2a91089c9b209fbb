/*
 * Pairs as TSV: a header line that begins with #, then a line for each pair. The lines are those of
 * cs_columns_row().
 */
#include "formats/digits.h"
#include "formats/identity_format.h"

static gboolean
begin(CsIdentityWriter *writer, GString *text, GError **error)
{
    cs_identity_writer_escape(writer, TRUE);
    cs_columns_header(text, &writer->columns);
    return TRUE;
}

static void
append_whole(GString *text, gint64 value)
{
    if (value < 0)
        g_string_append_c(text, '-');
    cs_digits_append(text, value < 0 ? 0 - (guint64)value : (guint64)value, 1);
}

static void
append_cell(GString *text, const CsField *field, const CsIdentityRow *row)
{
    const char *member = (const char *)row + field->offset;
    if (field->type == CS_FIELD_WHOLE) {
        append_whole(text, *(const gint64 *)(const void *)member);
    } else if (field->type == CS_FIELD_REAL) {
        cs_identity_append(text, (gint64)(*(const double *)(const void *)member * 1e6 + 0.5));
    } else {
        const char *cell = *(const char *const *)(const void *)member;
        g_string_append(text, cell != NULL ? cell : "NA");
    }
}

static void
add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair)
{
    CsIdentityRow row;
    cs_identity_row_init(&row, writer->summary, pair);
    row.first = writer->cells[0][pair->first];
    row.second = writer->cells[1][pair->second];
    for (guint k = 0; k < writer->columns.count; k++) {
        if (k > 0)
            g_string_append_c(text, '\t');
        append_cell(text, writer->columns.fields[k], &row);
    }
    g_string_append_c(text, '\n');
}

const CsIdentityWriterClass cs_identity_tsv = {.begin = begin, .add = add};
