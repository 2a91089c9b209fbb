/* An alignment as TSV: a header line that begins with #, then a line; NA for what is not known. */
#include "formats/alignment_fields.h"

char *
cs_alignment_tsv(const CsAlignmentStory *story)
{
    CsAlignmentReport report;
    GString *text = g_string_new(NULL);
    g_autoptr(GString) row = g_string_new(NULL);
    cs_alignment_report_init(&report, story, NULL);
    for (const CsField *field = cs_alignment_fields; field->read != NULL; field++) {
        if (field->column == NULL)
            continue;
        g_autofree char *cell = cs_field_cell(field, &report);
        g_string_append_printf(text, "%c%s", text->len == 0 ? '#' : '\t', field->column);
        g_string_append_printf(row, "%s%s", row->len == 0 ? "" : "\t", cell);
    }
    g_string_append_printf(text, "\n%s\n", row->str);
    return g_string_free(text, FALSE);
}
