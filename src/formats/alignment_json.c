/* An alignment as JSON: an object on a line. */
#include <chromosweep/version.h>

#include "formats/alignment_fields.h"
#include "formats/json.h"

/* Both ends of the stretch, 1-based. */
static json_t *
format_range(gint64 start, gint64 end)
{
    json_t *object = json_object();
    json_object_set_new(object, "start", json_integer(start));
    json_object_set_new(object, "end", json_integer(end));
    return object;
}

static json_t *
format_drops(const GArray *drops)
{
    json_t *array = json_array();
    for (guint k = 0; k < drops->len; k++) {
        const CsAlignmentDrop *drop = &g_array_index(drops, CsAlignmentDrop, k);
        json_t *object = json_object();
        json_object_set_new(object, "score", json_integer(drop->score));
        json_object_set_new(object, "target", format_range(drop->target_start, drop->target_end));
        json_object_set_new(object, "query", format_range(drop->query_start, drop->query_end));
        json_array_append_new(array, object);
    }
    return array;
}

/* The fields of a part, or of an alignment that there is not. */
static json_t *
format_fields(const CsAlignmentForm *form, const CsAlignmentStory *story, const CsAlignment *part)
{
    CsAlignmentReport report;
    g_autoptr(GString) cigar = g_string_new(NULL);
    if (part != NULL)
        cs_alignment_format_cigar(part, form->merged, cigar);
    cs_alignment_report_init(&report, story, part, part != NULL ? cigar->str : NULL);
    json_t *fields = cs_fields_json(cs_alignment_fields, &report);
    if (part == NULL)
        json_object_set_new(fields, "statistics", json_null());
    return fields;
}

static json_t *
format_piece(const CsAlignmentForm *form, const CsAlignmentStory *story, const CsAlignment *piece)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(piece);
    json_t *fields = format_fields(form, story, piece), *object = json_object();
    json_object_set(object, "score", json_object_get(fields, "score"));
    json_object_set_new(object, "target", format_range(s->target_start, s->target_end));
    json_object_set_new(object, "query", format_range(s->query_start, s->query_end));
    json_object_set(object, "statistics", json_object_get(fields, "statistics"));
    json_object_set(object, "cigar", json_object_get(fields, "cigar"));
    json_decref(fields);
    return object;
}

static json_t *
format_pieces(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    json_t *array = json_array();
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        json_array_append_new(array, format_piece(form, story, cs_alignment_format_part(story, k)));
    return array;
}

char *
cs_alignment_json(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    json_t *whole = format_fields(form, story, story->alignment);
    json_object_set_new(whole, "max_drop", json_integer(story->max_drop));
    json_object_set_new(whole, "drops",
                        story->drops != NULL ? format_drops(story->drops) : json_null());
    json_object_set_new(whole, "pieces",
                        story->parts != NULL ? format_pieces(form, story) : json_null());
    json_object_set_new(whole, "program_version", json_string(cs_version()));
    return cs_json_line(whole);
}
