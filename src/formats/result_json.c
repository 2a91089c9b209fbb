/* A result as JSON, one object on a line. Unknown values are null. A strand that was not computed
 * has no object. */
#include "formats/format.h"
#include "formats/json.h"
#include "formats/result_fields.h"

static char *
format_result(const CsResult *result, const CsColumns *columns)
{
    return cs_json_line(cs_fields_json(cs_result_fields, result));
}

const CsResultFormat cs_result_json = {.result = format_result};
