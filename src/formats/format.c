/* The formats that --format chooses from. */
#include "formats/format.h"

const char *const cs_format_names[] = {
    [CS_FORMAT_TEXT] = "text",
    [CS_FORMAT_TSV] = "tsv",
    [CS_FORMAT_JSON] = "json",
    NULL,
};

static const CsResultFormat *const formats[] = {
    [CS_FORMAT_TEXT] = &cs_result_text,
    [CS_FORMAT_TSV] = &cs_result_tsv,
    [CS_FORMAT_JSON] = &cs_result_json,
};

const CsResultFormat *
cs_format_of_results(CsFormat format)
{
    return formats[format];
}

char *
cs_format_result(CsFormat format, const CsResult *result, const CsColumns *columns)
{
    const CsResultFormat *how = formats[format];
    g_autofree char *header = how->header != NULL ? how->header(columns) : g_strdup("");
    g_autofree char *text = how->result(result, columns);
    return g_strconcat(header, text, NULL);
}
