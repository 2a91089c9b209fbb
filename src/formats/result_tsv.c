/*
 * A result as TSV: a header line that begins with #, then a line with the same columns. Unknown
 * values are NA.
 */
#include "formats/format.h"
#include "formats/result_fields.h"

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
        g_autofree char *cell = cs_field_cell(columns->fields[k], result);
        g_string_append_printf(line, "%s%s", k > 0 ? "\t" : "", cell);
    }
    g_string_append_c(line, '\n');
    return g_string_free(line, FALSE);
}

const CsResultFormat cs_result_tsv = {.header = format_header, .result = format_row};
