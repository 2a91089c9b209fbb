/*
 * The memo of the command in a checkpoint (CsCompareOptions.memo): the format of the result, the
 * columns of a TSV, and the output file.
 */
#ifndef CS_MEMO_H
#define CS_MEMO_H

#include <jansson.h>

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

/* The least score that mattered to the run; 0: all did. */
gint64 cs_memo_min_score(const char *memo);

/*
 * A file as a value of a memo, absolute; null for NULL or "-", which is a standard stream. JSON must be
 * UTF-8, a path need not be. If it is not, its URI is stored. Reading returns NULL for null.
 */
json_t *cs_memo_path(const char *name);
char *cs_memo_read_path(const json_t *value);

#endif
