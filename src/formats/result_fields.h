/* The fields of a result: one table for every format and for the JSON schema. */
#ifndef CS_RESULT_FIELDS_H
#define CS_RESULT_FIELDS_H

#include "formats/fields.h"
#include "formats/result.h"

/* The fields of a CsResult. */
extern const CsField cs_result_fields[];

#endif
