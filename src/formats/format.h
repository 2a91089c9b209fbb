/*
 * The formats that --format chooses from. A new one is a row of CsFormat and of the two tables in
 * format.c, and a file result_NAME.c with its CsResultFormat.
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

/* What --format takes, by CsFormat; NULL-terminated. */
extern const char *const cs_format_names[];

/* How a format writes results. Reals have a point whatever the locale. Columns are a table's. */
typedef struct {
    gboolean is_of_one; /* results cannot follow one another */
    /* What comes before the first; NULL: nothing does. */
    char *(*header)(const CsColumns *columns);
    /* One of them, its last newline included. */
    char *(*result)(const CsResult *result, const CsColumns *columns);
} CsResultFormat;

extern const CsResultFormat cs_result_text;
extern const CsResultFormat cs_result_tsv;
extern const CsResultFormat cs_result_json;

const CsResultFormat *cs_format_of_results(CsFormat format);

/* The whole text of one result alone. */
char *cs_format_result(CsFormat format, const CsResult *result, const CsColumns *columns);

#endif
