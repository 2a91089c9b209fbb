/* How a comparison that was interrupted goes on. */
#ifndef CS_RESUMING_H
#define CS_RESUMING_H

#include <chromosweep/checkpoint.h>

#include "command/run_job.h"

/* The command line that resumes from a checkpoint. */
char *cs_resuming_line(const char *directory);

/* Whether a sequence's file, a name or NULL, is standard input or can be read only once for another
 * reason. */
gboolean cs_resuming_is_piped(const char *file);

/* The number of cells on all strands, from what a file claims; the largest number if that would
 * overflow. */
gint64 cs_resuming_cells(const CsCheckpointInfo *info);

/* The inputs of a comparison, as its checkpoint has them. */
typedef struct {
    CsCheckpointInfo *info;
    char *regions[2];
} CsResumingInputs;

gboolean cs_resuming_inputs_find(CsResumingInputs *inputs, const char *directory, GError **error);
void cs_resuming_inputs_clear(CsResumingInputs *inputs);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsResumingInputs, cs_resuming_inputs_clear)

/* Sets files, records, regions, scoring and strand of the job, which does not own them. */
gboolean cs_resuming_inputs_take(const CsResumingInputs *inputs, CsRunJob *job, GError **error);

/* Tells where the job was stopped, in that stage, and how to resume it. signal 0 means the time
 * limit. */
void cs_resuming_tell_stopped(const CsRunJob *job, CsStage stage, int signal);

/* Tells, after a failure, what was saved before it and how to resume. */
void cs_resuming_tell_kept(const CsRunJob *job, CsStage stage);

/* Adds to the error what can be done if a checkpoint is damaged or belongs to another
 * comparison. */
void cs_resuming_tell_way_out(const CsRunJob *job, GError *error);

#endif
