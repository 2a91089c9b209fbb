/*
 * An alignment as TSV: a header line that begins with #, then a line, or a line for each piece; NA
 * for what is not known.
 */
#include "formats/alignment_fields.h"

const CsColumnsChoice cs_alignment_columns_choice = {cs_alignment_fields, NULL};

static void
append_row(GString *text, const CsColumns *columns, const CsAlignmentStory *story,
           const CsAlignment *part)
{
    CsAlignmentReport report;
    cs_alignment_report_init(&report, story, part, NULL);
    for (guint k = 0; k < columns->count; k++) {
        g_autofree char *cell = cs_field_cell(columns->fields[k], &report);
        g_string_append_printf(text, "%s%s", k > 0 ? "\t" : "", cell);
    }
    g_string_append_c(text, '\n');
}

char *
cs_alignment_tsv(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    const CsColumns *columns = &form->columns;
    GString *text = g_string_new(NULL);
    for (guint k = 0; k < columns->count; k++)
        g_string_append_printf(text, "%c%s", k > 0 ? '\t' : '#', columns->fields[k]->column);
    g_string_append_c(text, '\n');
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        append_row(text, columns, story, cs_alignment_format_part(story, k));
    if (story->alignment == NULL && story->set == NULL)
        append_row(text, columns, story, NULL);
    return g_string_free(text, FALSE);
}
