/* The log file of a run: which file it may be. */
#ifndef CS_LOG_FILE_H
#define CS_LOG_FILE_H

#include "command/run_job.h"

/*
 * Opens the log file, if one is asked for, from when on it gets all that is said. Refuses one that
 * is an input (list is one more, or NULL), the output or a file of the checkpoint, as far as these
 * are known.
 */
gboolean cs_log_file_open(const CsRunJob *job, const char *list, GError **error);

/* Whether that would work, without writing anything. */
gboolean cs_log_file_try(const CsRunJob *job, const char *list, GError **error);

#endif
