/* Says how to resume a comparison. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/inputs.h"
#include "command/messages.h"
#include "command/progress.h"
#include "command/resuming.h"
#include "command/shell.h"
#include "command/signals.h"
#include "formats/escape.h"
#include "formats/names.h"

char *
cs_resuming_line(const char *directory)
{
    g_autofree char *path = g_strconcat(directory[0] == '-' ? "./" : "", directory, NULL);
    g_autofree char *quoted = cs_shell_word(path);
    g_autofree char *shown = cs_escape(quoted, FALSE);
    return g_strconcat("chromosweep resume ", shown, NULL);
}

gboolean
cs_resuming_is_piped(const char *file)
{
    return file == NULL || strcmp(file, "-") == 0 || g_str_has_prefix(file, "/dev/fd/") ||
           strcmp(file, "/dev/stdin") == 0 || g_str_has_prefix(file, "/proc/") ||
           (g_file_test(file, G_FILE_TEST_EXISTS) && !g_file_test(file, G_FILE_TEST_IS_REGULAR));
}

gint64
cs_resuming_cells(const CsCheckpointInfo *info)
{
    return cs_inputs_cells(info->target_length, info->query_length,
                           cs_names_strand_of(info->strand));
}

/* The progress of the last saved state, " after 37.2% of the work", or nothing. */
static char *
tell_saved(const char *directory)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, NULL);
    if (info == NULL || info->n_generations == 0)
        return g_strdup("");
    g_autofree char *percent = cs_progress_percent(info->generations[0].fraction);
    return g_strdup_printf(" after %s%% of the work", percent);
}

/* What to type next. is_saved: there is a state to resume from. */
static char *
go_on_line(const CsRunJob *job, gboolean is_saved)
{
    g_autofree char *line = cs_resuming_line(job->options.checkpoint);
    return cs_resuming_is_piped(job->inputs.files[0]) || cs_resuming_is_piped(job->inputs.files[1])
               ? g_strdup("run the same command with the same input again")
           : is_saved && job->alignment == NULL ? g_strconcat("run: ", line, NULL)
                                                : g_strdup("run the same command again");
}

void
cs_resuming_tell_stopped(const CsRunJob *job, int signal)
{
    g_autofree char *saved = tell_saved(job->options.checkpoint);
    g_autofree char *line = go_on_line(job, saved[0] != '\0');
    if (signal != 0)
        cs_message(CS_MESSAGE_ERROR, "%s: stopped%s; to resume, %s", cs_signals_name(signal), saved,
                   line);
    else
        cs_message(CS_MESSAGE_ERROR, "stopped at the time limit%s; to resume, %s", saved, line);
}

void
cs_resuming_tell_kept(const CsRunJob *job)
{
    g_autofree char *saved = tell_saved(job->options.checkpoint);
    g_autofree char *line = go_on_line(job, saved[0] != '\0');
    if (saved[0] != '\0')
        cs_message(CS_MESSAGE_ERROR, "the state%s is kept; to resume, %s", saved, line);
}

void
cs_resuming_tell_way_out(const CsRunJob *job, GError *error)
{
    if (!job->may_begin_anew || !g_error_matches(error, CS_ERROR, CS_ERROR_CHECKPOINT) ||
        cs_error_get_detail(error) != CS_DETAIL_NONE)
        return;
    g_autofree char *message = error->message;
    error->message =
        g_strdup_printf("%s (--no-resume starts over and leaves it in place)", message);
}
