/* The memo of search and identity in a checkpoint (CsSearchOptions.memo): the command line that resumes
 * it. */
#ifndef CS_RECORDS_MEMO_H
#define CS_RECORDS_MEMO_H

#include "command/records_arguments.h"

/* An option of one command, by its long name. */
typedef struct {
    const char *name;  /* the last has none */
    const char *value; /* NULL: it was not given */
    gboolean is_file;
} CsRecordsMemoOption;

/* `command` is the name of the command, format that of the output; align says whether alignments are
 * found. */
char *cs_records_memo_new(const char *command, const CsRecordsArguments *arguments,
                          const CsRecordsJob *job, const char *format, gboolean align,
                          const CsRecordsMemoOption *own);

/* Which files a memo names, absolute, or "-" for standard input; the second is NULL if there is only one.
 * FALSE if it was not made by cs_records_memo_new() for this command. */
gboolean cs_records_memo_files(const char *command, const char *memo, char *files[2]);

/* Appends the options to a command line; those that the caller puts behind them win. FALSE as above. */
gboolean cs_records_memo_options(const char *command, const char *memo, GPtrArray *line);

#endif
