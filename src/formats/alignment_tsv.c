/*
 * An alignment as TSV: a header line that begins with #, then a line, or a line for each piece; NA
 * for what is not known.
 */
#include "formats/alignment_fields.h"

const CsColumnsChoice cs_alignment_columns_choice = {cs_alignment_fields, NULL};

static void
append_row(GString *text, const CsColumns *columns, const CsAlignmentStory *story,
           const CsAlignment *part, gint64 secondary)
{
    CsAlignmentReport report;
    cs_alignment_report_init(&report, story, part, NULL);
    report.secondary = secondary;
    cs_columns_row(text, columns, &report);
}

char *
cs_alignment_tsv(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    const CsColumns *columns = &form->columns;
    GString *text = g_string_new(NULL);
    cs_columns_header(text, columns);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        append_row(text, columns, story, cs_alignment_format_part(story, k),
                   cs_alignment_format_is_secondary(story, k));
    if (story->alignment == NULL && story->set == NULL)
        append_row(text, columns, story, NULL, -1);
    return g_string_free(text, FALSE);
}
