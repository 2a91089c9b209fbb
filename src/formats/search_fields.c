/* The fields of a hit of a search. */
#include "formats/search_format.h"

/* A hit without constants for its scoring has no E-value and no bits. */
static void
read_bits(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsSearchHit *hit = member;
    value->real = hit->evalue >= 0 ? hit->bits : (double)field->least - 1;
}

static void
read_identity(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsSearchHit *hit = member;
    value->real = hit->cigar != NULL ? 100 * (double)hit->matches / (double)hit->columns : -1;
}

/* Counts of an alignment: 0 is known only with it. */

static void
read_matches(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsSearchHit *hit = member;
    value->whole = hit->cigar != NULL ? hit->matches : -1;
}

static void
read_gaps(const CsField *field, const void *member, CsFieldValue *value)
{
    const CsSearchHit *hit = member;
    value->whole = hit->cigar != NULL ? hit->gap_openings : -1;
}

#define WHOLE(name, member)                                                                        \
    {                                                                                              \
        CS_FIELD_ALONE(name), CS_FIELD_MEMBER(WHOLE, cs_field_int64, CsSearchHit, member)          \
    }
#define TEXT(name, member)                                                                         \
    {                                                                                              \
        CS_FIELD_ALONE(name), CS_FIELD_MEMBER(TEXT, cs_field_text, CsSearchHit, member)            \
    }

const CsField cs_search_fields[] = {
    TEXT("query", query),
    WHOLE("query_length", query_length),
    WHOLE("query_start", query_start),
    WHOLE("query_end", query_end),
    {CS_FIELD_ALONE("strand"), CS_FIELD_MEMBER(STRAND, cs_field_strand, CsSearchHit, strand)},
    TEXT("target", target),
    WHOLE("target_length", target_length),
    WHOLE("target_start", target_start),
    WHOLE("target_end", target_end),
    WHOLE("score", score),
    {CS_FIELD_ALONE("bits"), .type = CS_FIELD_REAL, .read = read_bits, .least = -1000000000,
     .may_be_unknown = TRUE},
    {CS_FIELD_ALONE("evalue"), CS_FIELD_MEMBER(SMALL, cs_field_double, CsSearchHit, evalue),
     .may_be_unknown = TRUE},
    {CS_FIELD_ALONE("identity"), .type = CS_FIELD_REAL, .read = read_identity,
     .may_be_unknown = TRUE},
    {CS_FIELD_ALONE("columns"), CS_FIELD_MEMBER(WHOLE, cs_field_int64, CsSearchHit, columns),
     .least = 1, .may_be_unknown = TRUE},
    {CS_FIELD_ALONE("matches"), .type = CS_FIELD_WHOLE, .read = read_matches,
     .may_be_unknown = TRUE},
    {CS_FIELD_ALONE("gap_openings"), .type = CS_FIELD_WHOLE, .read = read_gaps,
     .may_be_unknown = TRUE},
    {CS_FIELD_ALONE("cigar"), CS_FIELD_MEMBER(TEXT, cs_field_text, CsSearchHit, cigar),
     .may_be_unknown = TRUE},
    WHOLE("query_number", query_number),
    WHOLE("target_number", target_number),
    {.read = NULL},
};

#define USUAL                                                                                      \
    "query,query_length,query_start,query_end,strand,target,target_length,target_start,"           \
    "target_end,score,bits,evalue"

const char cs_search_aligned_columns[] = USUAL ",identity,columns,matches,gap_openings,cigar";

const CsColumnsChoice cs_search_columns = {cs_search_fields, USUAL};
