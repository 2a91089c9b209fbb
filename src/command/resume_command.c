/* chromosweep resume: resumes a comparison from nothing but its checkpoint. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/help.h"
#include "command/log_file.h"
#include "command/memo.h"
#include "command/print.h"
#include "command/resuming.h"
#include "command/run.h"
#include "command/run_arguments.h"
#include "command/signals.h"
#include "formats/names.h"

static const char help[] =
    "Usage: chromosweep resume [options] DIR\n"
    "\n"
    "Resumes the comparison whose checkpoint is in DIR, on any engine and device. It\n"
    "reads the same FASTA files, records and regions, and uses the same strand,\n"
    "scoring and output as the run that made the checkpoint. For a comparison that is\n"
    "complete, it prints the result at once.\n"
    "\n"
    "Output:\n"
    "      --format FORMAT     text, tsv or json [as in the first run]\n" CS_RUN_HELP_COLUMNS
    "  -o, --output FILE       write the result to FILE; - is standard output [as in\n"
    "                          the first run]\n"
    "Checkpoints:\n" CS_RUN_HELP_CHECKPOINT CS_RUN_HELP "+\n"
    "+Signals: SIGTERM and SIGINT save the state and stop; a second signal stops at\n"
    "+once. SIGUSR1 saves the state, and the run continues.\n"
    "+\n" CS_RUN_HELP_STATUS "\n"
    "Examples:\n"
    "  chromosweep resume run\n"
    "  chromosweep resume --device gpu --max-time 11h30m -o result.txt run\n";

/* Takes what was not given from the memo of the previous run. */
static void
complete_arguments(CsRunArguments *a, const char *memo)
{
    g_autofree char *format = NULL, *columns = NULL, *output = NULL;
    if (!cs_memo_read(memo, &format, &columns, &output))
        return;
    if (a->format == NULL && a->columns == NULL)
        a->format = g_steal_pointer(&format);
    if (a->columns == NULL && g_strcmp0(a->format, cs_format_names[CS_FORMAT_TSV]) == 0)
        a->columns = g_steal_pointer(&columns);
    if (a->output == NULL)
        a->output = g_steal_pointer(&output);
}

static gboolean
take_files(CsRunJob *job, const CsCheckpointInfo *info, GError **error)
{
    static const char *const sides[] = {"target", "query"};
    const char *files[] = {info->target_file, info->query_file};
    const char *names[] = {info->target_name, info->query_name};
    for (guint k = 0; k < 2; k++) {
        if (cs_resuming_is_piped(files[k])) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "checkpoint %s: the %s was read from %s, so it cannot be read again; run "
                        "the compare command again",
                        job->options.checkpoint, sides[k],
                        files[k] == NULL             ? "memory"
                        : strcmp(files[k], "-") == 0 ? "standard input"
                                                     : "a pipe");
            return FALSE;
        }
        job->inputs.files[k] = files[k];
        job->inputs.names[k] = names[k];
    }
    return TRUE;
}

/* A region for --target-region, with the name in braces to be safe. NULL for the whole record. */
static char *
region_of(const char *name, gint64 from, gint64 to)
{
    return from > 0 ? g_strdup_printf("{%s}:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, name, from, to)
                    : NULL;
}

/* Completes the job from the checkpoint and its memo. */
static gboolean
complete(CsRunJob *job, CsRunArguments *a, const CsCheckpointInfo *info, GError **error)
{
    const gint64 start = job->start;
    const char *directory = job->options.checkpoint;
    complete_arguments(a, info->memo);
    if (!cs_run_arguments_job(a, job, error))
        return FALSE;
    job->start = start;
    job->options.checkpoint = directory;
    job->inputs.scoring = info->scoring;
    job->options.strand = cs_names_strand_of(info->strand);
    return take_files(job, info, error);
}

static int
resume(CsRunArguments *a, const char *directory)
{
    g_autoptr(GError) error = NULL, no_log = NULL;
    g_autoptr(CsCheckpointInfo) info = NULL;
    CsRunJob job;
    if (!cs_run_arguments_job(a, &job, &error))
        return cs_print_failure("chromosweep resume", error);
    job.options.checkpoint = directory;
    info = cs_checkpoint_info_new(directory, FALSE, &error);
    const gboolean completed = info != NULL && complete(&job, a, info, &error);
    /* Only now is it known which files must not be the log file; a failure is logged, too. */
    if (!cs_log_file_open(&job, NULL, &no_log))
        return cs_print_failure("chromosweep resume", no_log);
    if (!completed)
        return cs_print_failure("chromosweep resume", error);
    g_autofree char *target = region_of(info->target_name, info->target_from, info->target_to);
    g_autofree char *query = region_of(info->query_name, info->query_from, info->query_to);
    job.inputs.regions[0] = target;
    job.inputs.regions[1] = query;
    return cs_run_job(&job);
}

int
cs_resume_command(int argc, char **argv)
{
    const GOptionEntry none[] = {G_OPTION_ENTRY_NULL};
    g_auto(CsRunArguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    cs_signals_watch_save();
    gboolean parsed = cs_run_arguments_parse(&arguments, none, argc, argv, &error);
    if (parsed && cs_help_is_wanted(&arguments.help))
        return cs_help_print(&arguments.help, help);
    if (parsed && cs_run_arguments_ask_for_columns(&arguments)) {
        g_autofree char *list = cs_columns_help();
        return cs_print_text(list);
    }
    const char *directory =
        parsed ? cs_arguments_directory((const char *const *)arguments.rest, &error) : NULL;
    if (directory == NULL)
        return cs_print_failure("chromosweep resume", error);
    return resume(&arguments, directory);
}
