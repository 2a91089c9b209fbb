/*
 * A result as TSV: a header line that begins with #, then a line with the same columns. Unknown
 * values are NA.
 */
#include "formats/format.h"
#include "formats/result_fields.h"

static char *
format_header(const CsColumns *columns)
{
    GString *line = g_string_new(NULL);
    cs_columns_header(line, columns);
    return g_string_free(line, FALSE);
}

static char *
format_row(const CsResult *result, const CsColumns *columns)
{
    GString *line = g_string_new(NULL);
    cs_columns_row(line, columns, result);
    return g_string_free(line, FALSE);
}

const CsResultFormat cs_result_tsv = {.header = format_header, .result = format_row};
