/*
 * An alignment as TSV: a header line that begins with #, then a line, or a line for each piece; NA
 * for what is not known.
 */
#include "formats/alignment_fields.h"

static void
append_row(GString *text, const CsAlignmentStory *story, const CsAlignment *part)
{
    CsAlignmentReport report;
    const char *between = "";
    cs_alignment_report_init(&report, story, part, NULL);
    for (const CsField *field = cs_alignment_fields; field->read != NULL; field++) {
        if (field->column == NULL)
            continue;
        g_autofree char *cell = cs_field_cell(field, &report);
        g_string_append_printf(text, "%s%s", between, cell);
        between = "\t";
    }
    g_string_append_c(text, '\n');
}

char *
cs_alignment_tsv(const CsAlignmentStory *story)
{
    GString *text = g_string_new(NULL);
    for (const CsField *field = cs_alignment_fields; field->read != NULL; field++)
        if (field->column != NULL)
            g_string_append_printf(text, "%c%s", text->len == 0 ? '#' : '\t', field->column);
    g_string_append_c(text, '\n');
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        append_row(text, story, cs_alignment_format_part(story, k));
    if (story->alignment == NULL)
        append_row(text, story, NULL);
    return g_string_free(text, FALSE);
}
