/*
 * What a checkpoint keeps for the command (CsCompareOptions.memo): the form of the result, and
 * where it goes.
 */
#ifndef CS_MEMO_H
#define CS_MEMO_H

#include "command/run_job.h"

char *cs_memo_new(const CsRunJob *job);

/* The output is an absolute path, or NULL for standard output. FALSE where the memo, which may be
 * NULL, is not such. */
gboolean cs_memo_read(const char *memo, char **format, char **output);

#endif
