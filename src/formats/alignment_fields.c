/* The fields of an alignment: the table, and how each is read. */
#include "formats/alignment_fields.h"
#include "formats/names.h"

#define FORMAT "chromosweep-align"
enum {
    VERSION = 1
};

static void
read_format(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(FORMAT);
}

static void
read_version(const CsField *field, const void *member, CsFieldValue *value)
{
    value->whole = VERSION;
}

static void
read_strand(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsAlignmentReport *report = member;
    value->text = report->found ? g_strdup(cs_names_strand(report->summary.strand)) : NULL;
}

/* clang-format would change the columns of this table. */
/* clang-format off */

#define ALONE(name)      CS_FIELD_ALONE(name)
#define JSON_ALONE(name) CS_FIELD_JSON_ALONE(name)
#define IN(object, name) CS_FIELD_IN(object, name)
/* A field whose column has the name of the key alone. */
#define OF(object, name) CS_FIELD_AT(object, name, name)

#define MEMBER(kind, reader, member)                                                               \
    CS_FIELD_MEMBER(kind, cs_field_##reader, CsAlignmentReport, member)
#define INT64(member)          MEMBER(WHOLE, int64, member)
#define DOUBLE(member)         MEMBER(REAL, double, member)
#define OF_REPORT(kind, reader) CS_FIELD_CONSTANT(kind, reader)

#define FROM_1     .least = 1
#define OR_UNKNOWN .may_be_unknown = TRUE

#define SEQUENCE(side, n, side_start, side_end)                                                    \
    {CS_FIELD_AT(side, "file", NULL), MEMBER(TEXT, text, files[n])},                               \
    {IN(side, "name"),   MEMBER(TEXT, name, sequences[n])},                                        \
    {IN(side, "length"), MEMBER(WHOLE, length, sequences[n]), FROM_1},                             \
    {IN(side, "region"), MEMBER(REGION, region, sequences[n]), OR_UNKNOWN},                        \
    {IN(side, "start"),  INT64(summary.side_start), FROM_1, OR_UNKNOWN},                           \
    {IN(side, "end"),    INT64(summary.side_end), FROM_1, OR_UNKNOWN}

const CsField cs_alignment_fields[] = {
    {JSON_ALONE("format"),                OF_REPORT(TEXT, read_format), .is_constant = TRUE},
    {JSON_ALONE("version"),               OF_REPORT(WHOLE, read_version), .is_constant = TRUE},
    {ALONE("score"),                      INT64(summary.score)},
    SEQUENCE("target", 0, target_start, target_end),
    SEQUENCE("query", 1, query_start, query_end),
    {ALONE("strand"),                     OF_REPORT(STRAND, read_strand), OR_UNKNOWN},
    {OF("scoring", "match"),              INT64(scoring.match), FROM_1},
    {OF("scoring", "mismatch"),           INT64(scoring.mismatch)},
    {OF("scoring", "gap_open"),           INT64(scoring.gap_open)},
    {OF("scoring", "gap_extend"),         INT64(scoring.gap_extend)},
    {OF("statistics", "columns"),         INT64(summary.columns), OR_UNKNOWN},
    {OF("statistics", "matches"),         INT64(summary.matches), OR_UNKNOWN},
    {OF("statistics", "mismatches"),      INT64(summary.mismatches), OR_UNKNOWN},
    {OF("statistics", "ambiguous"),       INT64(summary.ambiguous), OR_UNKNOWN},
    {OF("statistics", "insertions"),      INT64(summary.insertions), OR_UNKNOWN},
    {OF("statistics", "inserted"),        INT64(summary.inserted), OR_UNKNOWN},
    {OF("statistics", "deletions"),       INT64(summary.deletions), OR_UNKNOWN},
    {OF("statistics", "deleted"),         INT64(summary.deleted), OR_UNKNOWN},
    {OF("statistics", "identity"),        DOUBLE(identity), OR_UNKNOWN},
    {OF("statistics", "identity_gap_compressed"), DOUBLE(identity_gap_compressed), OR_UNKNOWN},
    {JSON_ALONE("cigar"),                 MEMBER(TEXT, text, cigar), OR_UNKNOWN},
    /* The JSON of a set has it as a boolean of each alignment. */
    {CS_FIELD_AT(NULL, NULL, "secondary"), INT64(secondary), OR_UNKNOWN},
    {.read = NULL},
};

/* clang-format on */

void
cs_alignment_report_init(CsAlignmentReport *report, const CsAlignmentStory *story,
                         const CsAlignment *part, const char *cigar)
{
    *report = (CsAlignmentReport){
        .files = {story->files[0], story->files[1]},
        .sequences = {cs_alignment_format_record(story, part, 0),
                      cs_alignment_format_record(story, part, 1)},
        .scoring = story->scoring,
        .found = part != NULL,
        .summary = {.columns = -1,
                    .matches = -1,
                    .mismatches = -1,
                    .ambiguous = -1,
                    .insertions = -1,
                    .inserted = -1,
                    .deletions = -1,
                    .deleted = -1},
        .identity = -1,
        .identity_gap_compressed = -1,
        .secondary = -1,
        .cigar = cigar,
    };
    if (!report->found)
        return;
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    report->summary = *s;
    report->summary.target_end =
        cs_alignment_format_position(cs_alignment_format_record(story, part, 0), s->target_end);
    report->summary.query_end =
        cs_alignment_format_position(cs_alignment_format_record(story, part, 1), s->query_end);
    report->identity = (double)s->matches / (double)s->columns;
    report->identity_gap_compressed = cs_alignment_format_identity(s);
}
