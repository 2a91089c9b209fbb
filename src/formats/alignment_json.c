/* An alignment as JSON: an object on a line. */
#include <string.h>

#include <chromosweep/version.h>

#include "formats/alignment_fields.h"
#include "formats/json.h"
#include "formats/names.h"

/* Both ends of the stretch, 1-based. */
static json_t *
format_range(const CsSequence *sequence, gint64 start, gint64 end)
{
    json_t *object = json_object();
    json_object_set_new(object, "start",
                        json_integer(cs_alignment_format_position(sequence, start)));
    json_object_set_new(object, "end", json_integer(cs_alignment_format_position(sequence, end)));
    return object;
}

static json_t *
format_drops(const CsAlignmentStory *story)
{
    const GArray *drops = story->drops;
    json_t *array = json_array();
    for (guint k = 0; k < drops->len; k++) {
        const CsAlignmentDrop *drop = &g_array_index(drops, CsAlignmentDrop, k);
        json_t *object = json_object();
        json_object_set_new(object, "score", json_integer(drop->score));
        json_object_set_new(object, "target",
                            format_range(story->target, drop->target_start, drop->target_end));
        json_object_set_new(object, "query",
                            format_range(story->query, drop->query_start, drop->query_end));
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
    json_object_set_new(
        object, "target",
        format_range(cs_alignment_format_record(story, piece, 0), s->target_start, s->target_end));
    json_object_set_new(
        object, "query",
        format_range(cs_alignment_format_record(story, piece, 1), s->query_start, s->query_end));
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
    json_object_set_new(whole, "drops", story->drops != NULL ? format_drops(story) : json_null());
    json_object_set_new(whole, "pieces",
                        story->parts != NULL ? format_pieces(form, story) : json_null());
    json_object_set_new(whole, "program_version", json_string(cs_version()));
    return cs_json_line(whole);
}

static json_t *
format_record(const CsSequence *sequence)
{
    json_t *object = json_object();
    g_autofree char *region = cs_names_region_of(sequence);
    json_object_set_new(object, "name", cs_json_text(cs_sequence_get_name(sequence)));
    json_object_set_new(object, "length", json_integer(cs_sequence_get_record_length(sequence)));
    json_object_set_new(object, "region", region != NULL ? cs_json_text(region) : json_null());
    return object;
}

/* A side of a set: its keys without those of one alignment; of several records also these. */
static json_t *
format_side(const CsAlignmentStory *story, json_t *fields, const char *side)
{
    const GPtrArray *records = story->records[strcmp(side, "query") == 0];
    json_t *object = json_incref(json_object_get(fields, side));
    json_object_del(object, "start");
    json_object_del(object, "end");
    if (records == NULL)
        return object;
    json_t *array = json_array();
    json_object_del(object, "name");
    json_object_del(object, "length");
    json_object_del(object, "region");
    for (guint k = 0; k < records->len; k++)
        json_array_append_new(array, format_record(g_ptr_array_index(records, k)));
    json_object_set_new(object, "records", array);
    return object;
}

static json_t *
format_summary(const CsAlignmentStory *story)
{
    CsAlignSetSummary s;
    cs_align_set_summarise(story->members, &s);
    json_t *object = json_object();
    json_object_set_new(object, "alignments", json_integer(s.alignments));
    json_object_set_new(object, "target_covered", json_integer(s.target_covered));
    json_object_set_new(object, "query_covered", json_integer(s.query_covered));
    json_object_set_new(object, "columns", json_integer(s.columns));
    json_object_set_new(object, "matches", json_integer(s.matches));
    json_object_set_new(object, "inversions", json_integer(s.inversions));
    json_object_set_new(object, "translocations", json_integer(s.translocations));
    json_object_set_new(object, "duplications", json_integer(s.duplications));
    return object;
}

static json_t *
format_limit(gint64 limit)
{
    return limit > 0 ? json_integer(limit) : json_null();
}

static json_t *
format_member(const CsAlignmentForm *form, const CsAlignmentStory *story, guint k)
{
    const CsAlignment *member = cs_alignment_format_part(story, k);
    json_t *object = format_piece(form, story, member);
    const CsStrand strand = cs_alignment_get_summary(member)->strand;
    for (int side = 0; side < 2; side++)
        json_object_set_new(
            json_object_get(object, side == 0 ? "target" : "query"), "name",
            cs_json_text(cs_sequence_get_name(cs_alignment_format_record(story, member, side))));
    json_object_set_new(object, "strand", json_string(strand == CS_STRAND_MINUS ? "-" : "+"));
    json_object_set_new(object, "secondary",
                        json_boolean(cs_alignment_format_is_secondary(story, k)));
    return object;
}

char *
cs_alignment_set_json(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    json_t *fields = format_fields(form, story, NULL), *whole = json_object(),
           *array = json_array();
    json_object_set_new(whole, "format", json_string("chromosweep-align-set"));
    json_object_set_new(whole, "version", json_integer(1));
    json_object_set_new(whole, "rule",
                        json_string(story->set->rule == CS_ALIGN_SET_ALL ? "all" : "one-to-one"));
    json_object_set_new(whole, "self", json_boolean(story->set->self));
    json_object_set_new(whole, "target", format_side(story, fields, "target"));
    json_object_set_new(whole, "query", format_side(story, fields, "query"));
    json_object_set(whole, "scoring", json_object_get(fields, "scoring"));
    json_object_set_new(whole, "min_score", format_limit(story->set->min_score));
    json_object_set_new(whole, "number", format_limit(story->set->most));
    json_object_set_new(whole, "max_drop",
                        story->set->rule == CS_ALIGN_SET_ALL ? json_null()
                                                             : json_integer(story->set->max_drop));
    json_object_set_new(whole, "summary", format_summary(story));
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        json_array_append_new(array, format_member(form, story, k));
    json_object_set_new(whole, "alignments", array);
    json_object_set_new(whole, "program_version", json_string(cs_version()));
    json_decref(fields);
    return cs_json_line(whole);
}
