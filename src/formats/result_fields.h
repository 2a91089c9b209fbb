/* The fields of a result: one table that every format and the JSON schema are made from. */
#ifndef CS_RESULT_FIELDS_H
#define CS_RESULT_FIELDS_H

#include "formats/fields.h"
#include "formats/result.h"

/* Of a CsResult. */
extern const CsField cs_result_fields[];

#endif
