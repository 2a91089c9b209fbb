/* How search and identity run: see records_run.h. */
#include <chromosweep/error.h>

#include "command/log_file.h"
#include "command/messages.h"
#include "command/places.h"
#include "command/print.h"
#include "command/records_run.h"
#include "command/run.h"
#include "command/signals.h"

void
cs_records_run_clear(CsRecordsRun *run)
{
    g_clear_pointer(&run->output, cs_output_free);
    g_clear_error(&run->failure);
}

gboolean
cs_records_run_open(CsRecordsRun *run, GError **error)
{
    const CsRecordsJob *job = run->job;
    const char *const all[] = {job->files[0], job->files[1], job->matrix};
    guint count = 0;
    for (guint k = 0; k < G_N_ELEMENTS(all); k++)
        if (all[k] != NULL)
            run->inputs[count++] = all[k];
    if (!cs_log_file_open(&job->places, job->matrix, error) ||
        !cs_places_refuse_folder(&job->places, error))
        return FALSE;
    run->output = cs_output_open(job->places.output, run->inputs, error);
    return run->output != NULL &&
           cs_places_refuse_checkpoint(&job->places, cs_output_path(run->output),
                                       job->places.output, error);
}

gboolean
cs_records_run_write(CsRecordsRun *run, const GString *text)
{
    if (!run->begun && !cs_output_begin_rows(run->output, run->inputs, &run->failure))
        return FALSE;
    run->begun = TRUE;
    return text->len == 0 || cs_output_add_row(run->output, text->str, &run->failure);
}

gboolean
cs_records_run_finish(CsRecordsRun *run, GError **error)
{
    if (run->failure == NULL)
        return cs_output_finish_rows(run->output, error);
    g_propagate_error(error, g_steal_pointer(&run->failure));
    return FALSE;
}

void
cs_records_run_note(CsNoteKind kind, const char *message, gpointer data)
{
    cs_message(kind == CS_NOTE_WARNING ? CS_MESSAGE_WARNING : CS_MESSAGE_EVENT, "%s", message);
}

void
cs_records_run_tell_scoring(gint64 gap_open, gint64 gap_extend, const char *matrix)
{
    cs_message(CS_MESSAGE_DETAIL,
               "gaps: %" G_GINT64_FORMAT " + %" G_GINT64_FORMAT " per letter%s%s", gap_open,
               gap_extend, matrix != NULL ? "; matrix " : "", matrix != NULL ? matrix : "");
}

CsControl
cs_records_run_control(const CsRecordsRun *run)
{
    const CsRecordsJob *job = run->job;
    return cs_signals_control(job->start, job->max_time, job->checkpoint != NULL);
}

void
cs_records_run_begin(CsRecordsRun *run)
{
    if (run->job->checkpoint != NULL)
        cs_signals_watch_stops();
}

void
cs_records_run_end(CsRecordsRun *run, gboolean done, GError **error)
{
    run->signal = run->job->checkpoint != NULL ? cs_signals_unwatch_stops() : 0;
    if (done)
        run->signal = 0; /* it came too late to stop anything */
    if (!done && run->failure != NULL) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&run->failure));
    }
}

void
cs_records_run_clean_up(const CsRecordsRun *run,
                        gboolean (*remove)(const char *directory, GError **error))
{
    g_autoptr(GError) error = NULL;
    if (!cs_output_is_durable(run->output))
        cs_message(CS_MESSAGE_WARNING,
                   "keeping the checkpoint: the folder of the result could not be flushed to disk");
    else if (!remove(run->job->checkpoint, &error))
        cs_message(CS_MESSAGE_WARNING, "%s", error->message);
}

int
cs_records_run_fail(const CsRecordsRun *run, const char *who, const char *after,
                    const GError *error)
{
    if (!g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED) || run->job->checkpoint == NULL)
        return cs_print_failure(who, error);
    cs_message(CS_MESSAGE_ERROR, "%s after %s; to resume, run the same command again",
               run->signal != 0 ? "stopped" : "stopped at the time limit", after);
    if (run->signal != 0)
        cs_run_die(run->signal);
    return CS_ERROR_STOPPED;
}
