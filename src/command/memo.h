/*
 * The memo of the command in a checkpoint (CsCompareOptions.memo): the format of the result, the
 * columns of a TSV, and the output file.
 */
#ifndef CS_MEMO_H
#define CS_MEMO_H

#include "command/run_job.h"

char *cs_memo_new(const CsRunJob *job);

/*
 * Reads a memo. output becomes an absolute path, or NULL for standard output. columns may be NULL;
 * it becomes NULL if the memo has no columns, or some that are unknown. FALSE if memo is NULL or
 * was not made by cs_memo_new().
 */
gboolean cs_memo_read(const char *memo, char **format, char **columns, char **output);

/* If the run made an alignment: appends the options that say how, and sets *output as above. */
gboolean cs_memo_read_align(const char *memo, GPtrArray *options, char **output);

/* Whether the run was not to find starts. */
gboolean cs_memo_has_no_start(const char *memo);

#endif
