/* How search and identity run: their output, written as it comes, and what stops them. */
#ifndef CS_RECORDS_RUN_H
#define CS_RECORDS_RUN_H

#include <chromosweep/control.h>

#include "command/output.h"
#include "command/records_arguments.h"

/* Initialise all but the job with zeroes. */
typedef struct {
    const CsRecordsJob *job;
    const char *inputs[4]; /* files that must not be the output; NULL-terminated */
    CsOutput *output;      /* owned */
    gboolean begun;        /* the output has its first text */
    GError *failure;       /* to write */
    int signal;            /* that stopped it */
} CsRecordsRun;

void cs_records_run_clear(CsRecordsRun *run);

/* Opens log file and output, before anything long begins. */
gboolean cs_records_run_open(CsRecordsRun *run, GError **error);

/* Writes text, so that it can be read at once. On failure *failure is set. Begins the output with the
 * first text, even if it is empty. */
gboolean cs_records_run_write(CsRecordsRun *run, const GString *text);

/* Replaces the file by what was written. */
gboolean cs_records_run_finish(CsRecordsRun *run, GError **error);

/* A CsNoteFunc. */
void cs_records_run_note(CsNoteKind kind, const char *message, gpointer data);

/* Tells the scoring as a detail. matrix: nullable. */
void cs_records_run_tell_scoring(gint64 gap_open, gint64 gap_extend, const char *matrix);

/* What a CsControlFunc answers: signals, and the limit of time. */
CsControl cs_records_run_control(const CsRecordsRun *run);

/* Around the call of the library: signals stop it in between. `done` says whether it succeeded. A
 * failure to write replaces the error that it led to. */
void cs_records_run_begin(CsRecordsRun *run);
void cs_records_run_end(CsRecordsRun *run, gboolean done, GError **error);

/* Removes the checkpoint after the result was written. As that is safe, a failure is no more than a
 * warning. */
void cs_records_run_clean_up(const CsRecordsRun *run,
                             gboolean (*remove)(const char *directory, GError **error));

/*
 * The exit status of a run that failed. One that was stopped tells `after`, what it has done, and how to
 * resume it, and dies of the signal if one stopped it. who is that of cs_print_failure().
 */
int cs_records_run_fail(const CsRecordsRun *run, const char *who, const char *after,
                        const GError *error);

#endif
