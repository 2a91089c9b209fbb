/* The log file of a run. */
#ifndef CS_LOG_FILE_H
#define CS_LOG_FILE_H

#include "command/run_job.h"

/*
 * Opens the log file if the job has one. From then on all messages are written to it. Refuses a
 * file that is an input, the output or a file of the checkpoint, as far as these are known. list is
 * one more input, or NULL.
 */
gboolean cs_log_file_open(const CsRunJob *job, const char *list, GError **error);

/* Checks whether that would work, without writing anything. */
gboolean cs_log_file_try(const CsRunJob *job, const char *list, GError **error);

#endif
