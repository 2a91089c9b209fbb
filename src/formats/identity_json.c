/* Pairs as JSON: an object on a line for each. */
#include "formats/identity_format.h"

#define FORMAT "chromosweep-identity"
enum {
    VERSION = 1
};

static void
add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair)
{
    CsIdentityRow row;
    cs_identity_row_init(&row, writer->summary, pair);
    cs_fields_json_line(text, FORMAT, VERSION, cs_identity_fields, &row);
}

const CsIdentityWriterClass cs_identity_json = {.add = add};
