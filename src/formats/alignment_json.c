/* An alignment as JSON: an object on a line. */
#include "formats/alignment_fields.h"
#include "formats/json.h"

char *
cs_alignment_json(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    CsAlignmentReport report;
    g_autoptr(GString) cigar = g_string_new(NULL);
    if (story->alignment != NULL)
        cs_alignment_format_cigar(story->alignment, form->merged, cigar);
    cs_alignment_report_init(&report, story, story->alignment != NULL ? cigar->str : NULL);
    json_t *whole = cs_fields_json(cs_alignment_fields, &report);
    if (!report.found)
        json_object_set_new(whole, "statistics", json_null());
    return cs_json_line(whole);
}
