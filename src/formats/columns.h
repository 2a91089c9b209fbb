/* The columns of a table: fields of a report, in a given order. */
#ifndef CS_COLUMNS_H
#define CS_COLUMNS_H

#include "formats/fields.h"

enum {
    CS_COLUMNS_MAX = 64, /* at least as many as there are fields with a column */
};

typedef struct {
    guint count;
    const CsField *fields[CS_COLUMNS_MAX];
} CsColumns;

/* The names that stand for several columns in a list. */
#define CS_COLUMNS_DEFAULT "default"
#define CS_COLUMNS_ALL "all"

/* What a list may name. */
typedef struct {
    const CsField *fields;
    const char *usual; /* the list that "default" stands for; NULL: all */
} CsColumnsChoice;

/* The columns of results. */
extern const CsColumnsChoice cs_result_columns;

/*
 * Reads a list such as "score,target_end" or "default,seconds". No column may occur twice. On
 * failure the columns are undefined, and *wrong is the name that is unknown or repeated.
 */
gboolean cs_columns_parse(const CsColumnsChoice *choice, const char *list, CsColumns *columns,
                          char **wrong);

/* The list of these columns, which cs_columns_parse() reads. */
char *cs_columns_list(const CsColumns *columns);

/* Appends the header line of a TSV, which begins with #, and a line of a report with NA for what is not
 * known. */
void cs_columns_header(GString *text, const CsColumns *columns);
void cs_columns_row(GString *text, const CsColumns *columns, const void *report);

/* A list of all columns, to show to the user. */
char *cs_columns_help(const CsColumnsChoice *choice);

#endif
