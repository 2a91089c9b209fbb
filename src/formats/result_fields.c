/* The fields of a result: the table, and how each is read. */
#include "formats/names.h"
#include "formats/result_fields.h"

#define FORMAT "chromosweep-compare"
enum {
    VERSION = 2
};
#define GAP_CONVENTION "a gap of k bases costs gap_open + k * gap_extend"

static void
read_own_strand(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(cs_names_strand(field->strand));
}

static gboolean
is_strand_there(const CsField *field, const void *report)
{
    const CsResult *result = report;
    return result->found.strands[field->strand].computed;
}

/* Unknown if the checkpoint is of an earlier version. */
static void
read_skip(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsSkipMode skip = *(const CsSkipMode *)member;
    value->text = skip != CS_SKIP_AUTO ? g_strdup(cs_skip_mode_name(skip)) : NULL;
}

/* Unknown if all that is known is that it is below something. */
static void
read_score(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsCompareResult *found = member;
    value->whole = found->below > 0 ? -1 : found->score;
}

static void
read_strand_score(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsStrandResult *strand = member;
    value->whole = strand->below > 0 ? -1 : strand->score;
}

static void
read_first_gap(const CsField *field, const void *member, CsFieldValue *value)
{
    value->whole = cs_scoring_first_gap(member);
}

/* The rate of the sweeps alone. */
static void
read_gcups(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsCompareResult *found = member;
    const gint64 swept = found->cells_computed - found->cells_corridor;
    value->real = found->seconds > 0 ? (double)swept / found->seconds / 1e9 : 0;
}

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
read_gap_convention(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(GAP_CONVENTION);
}

/* clang-format would change the columns of this table. */
/* clang-format off */

/* Where a field stands, ... */
#define ALONE(name)      CS_FIELD_ALONE(name)
#define JSON_ALONE(name) CS_FIELD_JSON_ALONE(name)
#define IN(object, name) CS_FIELD_IN(object, name)
#define OF_SCORING(name) CS_FIELD_AT("scoring", name, name)

/* ... its type, how it is read, and from which member of CsResult; */
#define MEMBER(kind, reader, member)   CS_FIELD_MEMBER(kind, cs_field_##reader, CsResult, member)
#define COMPUTED(kind, reader, member) CS_FIELD_MEMBER(kind, read_##reader, CsResult, member)
#define INT64(member)                  MEMBER(WHOLE, int64, member)
#define DOUBLE(member)                 MEMBER(REAL, double, member)
#define CONSTANT(kind, reader)         CS_FIELD_CONSTANT(kind, reader)

/* ... and what else there is to know. */
#define FROM_1     .least = 1
#define OR_UNKNOWN .may_be_unknown = TRUE

#define SEQUENCE(side, n, side_start, side_end)                                                    \
    {IN(side, "file"),   MEMBER(TEXT, text, files[n])},                                            \
    {IN(side, "name"),   MEMBER(TEXT, name, sequences[n])},                                        \
    {IN(side, "length"), MEMBER(WHOLE, length, sequences[n]), FROM_1},                             \
    {IN(side, "start"),  INT64(found.side_start), FROM_1, OR_UNKNOWN},                             \
    {IN(side, "end"),    INT64(found.side_end), FROM_1, OR_UNKNOWN}

/* A field of strand n, which is also its index. A field without a column name is only in JSON. */
#define OF(n, name, named)                                                                         \
    CS_FIELD_AT("strands", name, named), .is_of_strand = TRUE, .strand = (n),                      \
    .is_there = is_strand_there
#define ITS_INT64(n, member)  INT64(found.strands[n].member)
#define ITS_DOUBLE(n, member) DOUBLE(found.strands[n].member)

#define PLACES(n, prefix)                                                                          \
    {OF(n, "strand",       NULL),           CONSTANT(STRAND, read_own_strand)},                    \
    {OF(n, "score",        prefix "score"),                                                          \
     COMPUTED(WHOLE, strand_score, found.strands[n]), OR_UNKNOWN},                                 \
    {OF(n, "target_start", NULL),           ITS_INT64(n, target_start), FROM_1, OR_UNKNOWN},       \
    {OF(n, "target_end",   NULL),           ITS_INT64(n, target_end), FROM_1, OR_UNKNOWN},         \
    {OF(n, "query_start",  NULL),           ITS_INT64(n, query_start), FROM_1, OR_UNKNOWN},        \
    {OF(n, "query_end",    NULL),           ITS_INT64(n, query_end), FROM_1, OR_UNKNOWN}

#define WORK(n, prefix)                                                                            \
    {OF(n, "skip", prefix "skip"), COMPUTED(SKIP, skip, found.strands[n].skip), OR_UNKNOWN},         \
    {OF(n, "lower_bound", prefix "lower_bound"), ITS_INT64(n, lower_bound), FROM_1, OR_UNKNOWN},   \
    {OF(n, "cells_computed", prefix "cells_computed"), ITS_INT64(n, cells_computed), OR_UNKNOWN},  \
    {OF(n, "seconds", prefix "seconds"), ITS_DOUBLE(n, seconds), OR_UNKNOWN},                      \
    {OF(n, "seconds_before", prefix "seconds_before"), ITS_DOUBLE(n, stages.all)},                 \
    {OF(n, "seconds_seeds",    NULL), ITS_DOUBLE(n, stages.seeds)},                                \
    {OF(n, "seconds_chain",    NULL), ITS_DOUBLE(n, stages.chain)},                                \
    {OF(n, "seconds_corridor", NULL), ITS_DOUBLE(n, stages.corridor)},                             \
    {OF(n, "seconds_bounds",   NULL), ITS_DOUBLE(n, stages.bounds)}

const CsField cs_result_fields[] = {
    {ALONE("format"),                     CONSTANT(TEXT, read_format), .is_constant = TRUE},
    {ALONE("version"),                    CONSTANT(WHOLE, read_version), .is_constant = TRUE},
    {ALONE("score"),                      COMPUTED(WHOLE, score, found), OR_UNKNOWN},
    SEQUENCE("target", 0, target_start, target_end),
    SEQUENCE("query", 1, query_start, query_end),
    {ALONE("strand"),                     MEMBER(STRAND, strand, found.strand)},
    {OF_SCORING("match"),                 INT64(scoring.match), FROM_1},
    {OF_SCORING("mismatch"),              INT64(scoring.mismatch)},
    {OF_SCORING("gap_open"),              INT64(scoring.gap_open)},
    {OF_SCORING("gap_extend"),            INT64(scoring.gap_extend)},
    {OF_SCORING("first_gap"),             COMPUTED(WHOLE, first_gap, scoring)},
    {ALONE("cells"),                      INT64(found.cells)},
    {ALONE("cells_computed"),             INT64(found.cells_computed)},
    {ALONE("seconds"),                    DOUBLE(found.seconds)},
    {ALONE("gcups"),                      COMPUTED(REAL, gcups, found)},
    {ALONE("engine"),                     MEMBER(TEXT, text, found.engine)},
    {ALONE("threads"),                    MEMBER(WHOLE, uint, found.threads)},
    {ALONE("seconds_total"),              DOUBLE(seconds_total)},
    {JSON_ALONE("gap_convention"),        CONSTANT(TEXT, read_gap_convention)},
    {ALONE("program_version"),            CONSTANT(TEXT, cs_field_program_version)},
    {ALONE("device"),                     MEMBER(TEXT, text, found.device), OR_UNKNOWN},
    {ALONE("cells_resumed"),              INT64(found.cells_resumed)},
    {IN("target", "region"),              MEMBER(REGION, region, sequences[0]), OR_UNKNOWN},
    {IN("query", "region"),               MEMBER(REGION, region, sequences[1]), OR_UNKNOWN},
    PLACES(CS_STRAND_PLUS, "plus_"),
    PLACES(CS_STRAND_MINUS, "minus_"),
    {ALONE("skip"),                       COMPUTED(SKIP, skip, found.skip), OR_UNKNOWN},
    {ALONE("lower_bound"),                INT64(found.lower_bound), FROM_1, OR_UNKNOWN},
    {ALONE("seconds_before"),             DOUBLE(found.stages.all)},
    {ALONE("seconds_seeds"),              DOUBLE(found.stages.seeds)},
    {ALONE("seconds_chain"),              DOUBLE(found.stages.chain)},
    {ALONE("seconds_corridor"),           DOUBLE(found.stages.corridor)},
    {ALONE("seconds_bounds"),             DOUBLE(found.stages.bounds)},
    WORK(CS_STRAND_PLUS, "plus_"),
    WORK(CS_STRAND_MINUS, "minus_"),
    {ALONE("cells_corridor"),             INT64(found.cells_corridor)},
    {ALONE("score_below"),                INT64(found.below), FROM_1, OR_UNKNOWN},
    {OF(CS_STRAND_PLUS, "score_below", "plus_score_below"),
     ITS_INT64(CS_STRAND_PLUS, below), FROM_1, OR_UNKNOWN},
    {OF(CS_STRAND_MINUS, "score_below", "minus_score_below"),
     ITS_INT64(CS_STRAND_MINUS, below), FROM_1, OR_UNKNOWN},
    {.read = NULL},
};

/* clang-format on */

G_STATIC_ASSERT(CS_STRAND_PLUS == 0 && CS_STRAND_MINUS == 1); /* their places in found.strands */
