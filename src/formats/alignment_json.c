/* An alignment as JSON: an object on a line. */
#include <chromosweep/version.h>

#include "formats/alignment_format.h"
#include "formats/json.h"
#include "formats/names.h"

#define FORMAT "chromosweep-align"
enum {
    VERSION = 1
};

static json_t *
format_sequence(const char *file, const CsSequence *sequence, gint64 start, gint64 end)
{
    g_autofree char *region = cs_names_region_of(sequence);
    json_t *object = json_object();
    json_object_set_new(object, "file", cs_json_text(file));
    json_object_set_new(object, "name", cs_json_text(cs_sequence_get_name(sequence)));
    json_object_set_new(object, "length", json_integer(cs_sequence_get_record_length(sequence)));
    json_object_set_new(object, "region", cs_json_text(region));
    json_object_set_new(object, "start", end > 0 ? json_integer(start) : json_null());
    json_object_set_new(object, "end", end > 0 ? json_integer(end) : json_null());
    return object;
}

static json_t *
format_statistics(const CsAlignmentSummary *s)
{
    json_t *object = json_object();
    json_object_set_new(object, "columns", json_integer(s->columns));
    json_object_set_new(object, "matches", json_integer(s->matches));
    json_object_set_new(object, "mismatches", json_integer(s->mismatches));
    json_object_set_new(object, "ambiguous", json_integer(s->ambiguous));
    json_object_set_new(object, "insertions", json_integer(s->insertions));
    json_object_set_new(object, "inserted", json_integer(s->inserted));
    json_object_set_new(object, "deletions", json_integer(s->deletions));
    json_object_set_new(object, "deleted", json_integer(s->deleted));
    json_object_set_new(object, "identity",
                        cs_json_millionths((double)s->matches / (double)s->columns));
    json_object_set_new(object, "identity_gap_compressed",
                        cs_json_millionths(cs_alignment_format_identity(s)));
    return object;
}

static json_t *
format_cigar(const CsAlignmentForm *form, const CsAlignment *alignment)
{
    g_autoptr(GString) cigar = g_string_new(NULL);
    cs_alignment_format_cigar(alignment, form->merged, cigar);
    return json_string(cigar->str);
}

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

static json_t *
format_pieces(const CsAlignmentForm *form, const GPtrArray *pieces)
{
    json_t *array = json_array();
    for (guint k = 0; k < pieces->len; k++) {
        const CsAlignment *piece = g_ptr_array_index(pieces, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(piece);
        json_t *object = json_object();
        json_object_set_new(object, "score", json_integer(s->score));
        json_object_set_new(object, "target", format_range(s->target_start, s->target_end));
        json_object_set_new(object, "query", format_range(s->query_start, s->query_end));
        json_object_set_new(object, "statistics", format_statistics(s));
        json_object_set_new(object, "cigar", format_cigar(form, piece));
        json_array_append_new(array, object);
    }
    return array;
}

char *
cs_alignment_json(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    const CsAlignment *alignment = story->alignment;
    const CsAlignmentSummary none = {0};
    const CsAlignmentSummary *s = alignment != NULL ? cs_alignment_get_summary(alignment) : &none;
    json_t *whole = json_object();
    json_object_set_new(whole, "format", json_string(FORMAT));
    json_object_set_new(whole, "version", json_integer(VERSION));
    json_object_set_new(whole, "score", json_integer(s->score));
    json_object_set_new(
        whole, "target",
        format_sequence(story->files[0], story->target, s->target_start, s->target_end));
    json_object_set_new(
        whole, "query",
        format_sequence(story->files[1], story->query, s->query_start, s->query_end));
    json_object_set_new(whole, "strand",
                        alignment != NULL ? json_string(cs_names_strand(s->strand)) : json_null());
    json_object_set_new(whole, "scoring", cs_json_scoring(&story->scoring));
    json_object_set_new(whole, "statistics",
                        alignment != NULL ? format_statistics(s) : json_null());
    json_object_set_new(whole, "cigar",
                        alignment != NULL ? format_cigar(form, alignment) : json_null());
    json_object_set_new(whole, "max_drop", json_integer(story->max_drop));
    json_object_set_new(whole, "drops",
                        alignment != NULL ? format_drops(story->drops) : json_null());
    json_object_set_new(whole, "pieces",
                        story->parts != NULL ? format_pieces(form, story->parts) : json_null());
    json_object_set_new(whole, "program_version", json_string(cs_version()));
    return cs_json_line(whole);
}
