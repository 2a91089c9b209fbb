/* The fields of a pair of identity. */
#include "formats/identity_format.h"

#define WHOLE(name)                                                                                \
    {                                                                                              \
        CS_FIELD_ALONE(#name), CS_FIELD_MEMBER(WHOLE, cs_field_int64, CsIdentityRow, name)         \
    }
#define TEXT(name) CS_FIELD_ALONE(#name), CS_FIELD_MEMBER(TEXT, cs_field_text, CsIdentityRow, name)

const CsField cs_identity_fields[] = {
    {TEXT(first)},
    {TEXT(second)},
    WHOLE(first_length),
    WHOLE(second_length),
    {CS_FIELD_ALONE("score"), CS_FIELD_MEMBER(WHOLE, cs_field_int64, CsIdentityRow, score),
     .least = G_MININT64},
    WHOLE(matches),
    WHOLE(columns),
    {CS_FIELD_ALONE("identity"), CS_FIELD_MEMBER(REAL, cs_field_double, CsIdentityRow, identity)},
    {TEXT(cigar), .may_be_unknown = TRUE},
    WHOLE(first_number),
    WHOLE(second_number),
    {.read = NULL},
};

#define USUAL "first,second,first_length,second_length,score,matches,columns,identity"

const char cs_identity_aligned_columns[] = USUAL ",cigar";

const CsColumnsChoice cs_identity_columns = {cs_identity_fields, USUAL};

void
cs_identity_row_init(CsIdentityRow *row, const CsIdentitySummary *summary,
                     const CsIdentityPair *pair)
{
    const CsIdentityRecord *first = &summary->first[pair->first];
    const CsIdentityRecord *second = &summary->second[pair->second];
    *row = (CsIdentityRow){.first = first->name,
                           .second = second->name,
                           .first_length = first->length,
                           .second_length = second->length,
                           .score = pair->score,
                           .matches = pair->matches,
                           .columns = pair->columns,
                           .identity = (double)cs_identity_millionths(summary, pair) / 1e6,
                           .cigar = pair->cigar,
                           .first_number = pair->first + 1,
                           .second_number = pair->second + 1};
}
