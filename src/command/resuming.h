/* How a comparison that was interrupted goes on. */
#ifndef CS_RESUMING_H
#define CS_RESUMING_H

#include <chromosweep/checkpoint.h>

#include "command/run_job.h"

/* The line for a shell that goes on with a checkpoint. */
char *cs_resuming_line(const char *directory);

/* Whether a sequence's file, NULL or a name, is standard input or another that is read but once. */
gboolean cs_resuming_is_piped(const char *file);

/* Cells of all that is swept, by what a file claims: the most there can be where they overflow. */
gint64 cs_resuming_cells(const CsCheckpointInfo *info);

/* How far the job was stopped and how it goes on; signal 0: at the limit of time. */
void cs_resuming_tell_stopped(const CsRunJob *job, int signal);

/* After a failure, likewise: what was saved before is not lost with it. */
void cs_resuming_tell_kept(const CsRunJob *job);

/* Adds to an error of a checkpoint that is damaged or of another comparison what can be done. */
void cs_resuming_tell_way_out(const CsRunJob *job, GError *error);

#endif
