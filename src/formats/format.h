/*
 * The formats of a result. A new format needs a value in CsFormat, a row in each of the two tables
 * of format.c, and a file result_NAME.c with its CsResultFormat.
 */
#ifndef CS_FORMAT_H
#define CS_FORMAT_H

#include "formats/columns.h"
#include "formats/result.h"

typedef enum {
    CS_FORMAT_TEXT,
    CS_FORMAT_TSV,
    CS_FORMAT_JSON,
} CsFormat;

/* The names that --format takes, in the order of CsFormat; NULL-terminated. */
extern const char *const cs_format_names[];

/* How a format writes results. Real numbers have a decimal point in every locale. Only a table uses
 * the columns. */
typedef struct {
    gboolean is_of_one; /* the format can hold one result only */
    /* The text before the first result; NULL: there is none. */
    char *(*header)(const CsColumns *columns);
    /* One result, with its last newline. */
    char *(*result)(const CsResult *result, const CsColumns *columns);
} CsResultFormat;

extern const CsResultFormat cs_result_text;
extern const CsResultFormat cs_result_tsv;
extern const CsResultFormat cs_result_json;

const CsResultFormat *cs_format_of_results(CsFormat format);

/* The whole text of a single result. */
char *cs_format_result(CsFormat format, const CsResult *result, const CsColumns *columns);

#endif
