/*
 * What a checkpoint keeps for the command (CsCompareOptions.memo): the form of the result, the
 * columns of a TSV, and where it goes.
 */
#ifndef CS_MEMO_H
#define CS_MEMO_H

#include "command/run_job.h"

char *cs_memo_new(const CsRunJob *job);

/*
 * The output is an absolute path, or NULL for standard output; columns, which may be NULL, are
 * NULL where the memo tells of none that are known. FALSE where the memo, which may be NULL, is not such.
 */
gboolean cs_memo_read(const char *memo, char **format, char **columns, char **output);

#endif
