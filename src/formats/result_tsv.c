/*
 * A result as TSV: a header line that begins with #, then a line with the same columns. Unknown
 * values are NA.
 */
#include <string.h>

#include "formats/escape.h"
#include "formats/format.h"
#include "formats/result_fields.h"

/* x with as many decimals as it has, from 1 to 6. */
static char *
format_real(double x)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE + G_MAXINT8];
    g_autofree char *text = g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.6f", x));
    gsize length = strlen(text);
    while (text[length - 1] == '0' && text[length - 2] != '.')
        length--;
    return g_strndup(text, length);
}

static char *
format_cell(const CsResultField *field, const CsResult *result)
{
    g_auto(CsFieldValue) value;
    cs_result_field_read(field, result, &value);
    if (!value.known)
        return g_strdup("NA");
    if (field->type == CS_FIELD_WHOLE)
        return g_strdup_printf("%" G_GINT64_FORMAT, value.whole);
    return field->type == CS_FIELD_REAL ? format_real(value.real) : cs_escape(value.text, TRUE);
}

static char *
format_header(const CsColumns *columns)
{
    GString *line = g_string_new("#");
    for (guint k = 0; k < columns->count; k++)
        g_string_append_printf(line, "%s%s", k > 0 ? "\t" : "", columns->fields[k]->column);
    g_string_append_c(line, '\n');
    return g_string_free(line, FALSE);
}

static char *
format_row(const CsResult *result, const CsColumns *columns)
{
    GString *line = g_string_new(NULL);
    for (guint k = 0; k < columns->count; k++) {
        g_autofree char *cell = format_cell(columns->fields[k], result);
        g_string_append_printf(line, "%s%s", k > 0 ? "\t" : "", cell);
    }
    g_string_append_c(line, '\n');
    return g_string_free(line, FALSE);
}

const CsResultFormat cs_result_tsv = {.header = format_header, .result = format_row};
