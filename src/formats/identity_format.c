/* The formats of identity. */
#include "formats/escape.h"
#include "formats/identity_format.h"

const char *const cs_identity_format_names[] = {"text",   "tsv",          "json",
                                                "phylip", "phylip-lower", NULL};
const char *const cs_identity_format_endings[] = {"", ".tsv", ".json", ".phylip,.phy", "", NULL};
const char *const cs_identity_over_names[] = {"longest", "shortest", "columns", NULL};

static const CsIdentityWriterClass *const classes[] = {&cs_identity_text, &cs_identity_tsv,
                                                       &cs_identity_json, &cs_identity_phylip,
                                                       &cs_identity_phylip_lower};

gint64
cs_identity_format_divisor(const CsIdentitySummary *summary, const CsIdentityPair *pair)
{
    const gint64 first = summary->first[pair->first].length;
    const gint64 second = summary->second[pair->second].length;
    return summary->over == CS_IDENTITY_LONGEST    ? MAX(first, second)
           : summary->over == CS_IDENTITY_SHORTEST ? MIN(first, second)
                                                   : pair->columns;
}

/* part * scale might overflow. In two steps no number is above 2 * 10^18 + 10^14. */
gint64
cs_identity_scaled(gint64 part, gint64 whole, gint64 scale)
{
    const gint64 step = scale / 10000;
    const gint64 coarse = part * step / whole, rest = part * step % whole;
    return coarse * 10000 + (2 * 10000 * rest + whole) / (2 * whole);
}

gint64
cs_identity_millionths(const CsIdentitySummary *summary, const CsIdentityPair *pair)
{
    return cs_identity_scaled(pair->matches, cs_identity_format_divisor(summary, pair),
                              CS_IDENTITY_ONE);
}

char *
cs_identity_put(char *to, gint64 millionths)
{
    to = cs_digits_put(to, (guint64)millionths / CS_IDENTITY_ONE, 1);
    *to++ = '.';
    to = cs_digits_put(to, (guint64)millionths % CS_IDENTITY_ONE, 6);
    while (to[-1] == '0' && to[-2] != '.')
        to--;
    return to;
}

void
cs_identity_append(GString *text, gint64 millionths)
{
    char digits[CS_IDENTITY_DIGITS];
    g_string_append_len(text, digits, cs_identity_put(digits, millionths) - digits);
}

CsIdentityWriter *
cs_identity_writer_new(CsIdentityFormat format, const CsColumns *columns)
{
    CsIdentityWriter *writer = g_new0(CsIdentityWriter, 1);
    writer->class = classes[format];
    writer->columns = *columns;
    return writer;
}

gboolean
cs_identity_writer_begin(CsIdentityWriter *writer, GString *text, const CsIdentitySummary *summary,
                         GError **error)
{
    writer->summary = summary;
    return writer->class->begin == NULL || writer->class->begin(writer, text, error);
}

static char **
escape_all(const CsIdentityRecord *records, gint64 count, gboolean backslash)
{
    char **cells = g_new0(char *, count + 1);
    for (gint64 k = 0; k < count; k++)
        cells[k] = cs_escape(records[k].name, backslash);
    return cells;
}

void
cs_identity_writer_escape(CsIdentityWriter *writer, gboolean backslash)
{
    const CsIdentitySummary *s = writer->summary;
    writer->cells[0] = escape_all(s->first, s->first_count, backslash);
    writer->cells[1] =
        s->one_file ? writer->cells[0] : escape_all(s->second, s->second_count, backslash);
}

void
cs_identity_writer_add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pairs,
                       gint64 count)
{
    for (gint64 k = 0; k < count; k++) {
        writer->class->add(writer, text, &pairs[k]);
        writer->pairs++;
    }
}

gboolean
cs_identity_writer_more(CsIdentityWriter *writer, GString *text, const CsIdentitySummary *summary)
{
    writer->summary = summary;
    return writer->class->more != NULL && writer->class->more(writer, text);
}

void
cs_identity_writer_free(CsIdentityWriter *writer)
{
    if (writer->cells[1] != writer->cells[0])
        g_strfreev(writer->cells[1]);
    g_strfreev(writer->cells[0]);
    g_free(writer->matrix);
    g_free(writer);
}
