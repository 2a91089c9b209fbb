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
#include "command/records_memo.h"
#include "command/signals.h"

static const char help[] =
    "Usage: chromosweep resume [options] DIR\n"
    "\n"
    "Resumes the comparison whose checkpoint is in DIR, on any engine and device. It\n"
    "reads the same FASTA files, records and regions, and uses the same strand,\n"
    "scoring and output as the run that made the checkpoint. For a comparison that is\n"
    "complete, it prints the result at once. An interrupted align resumes the\n"
    "alignment; --format text or tsv prints the result of the comparison instead.\n"
    "\n"
    "Output:\n"
    "      --format FORMAT     text, tsv or json [as in the first run]\n" CS_RUN_HELP_COLUMNS
    "  -o, --output FILE       write the result to FILE; - is standard output [as in\n"
    "                          the first run]\n"
    "Checkpoints:\n" CS_RUN_HELP_CHECKPOINT CS_RUN_HELP "+\n"
    "+Signals: SIGTERM and SIGINT save the state and stop; a second signal stops at\n"
    "+once. SIGUSR1 saves the state, and the run continues.\n"
    "+\n" CS_RUN_HELP_DEVICES CS_RUN_HELP_STATUS "\n"
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

/* Completes the job from the checkpoint and its memo. */
static gboolean
complete(CsRunJob *job, CsRunArguments *a, CsResumingInputs *inputs, GError **error)
{
    const gint64 start = job->start;
    const char *directory = job->options.checkpoint;
    complete_arguments(a, inputs->info->memo);
    if (!cs_run_arguments_job(a, job, error))
        return FALSE;
    job->start = start;
    job->options.checkpoint = directory;
    job->options.no_start = cs_memo_has_no_start(inputs->info->memo);
    job->options.min_score = cs_memo_min_score(inputs->info->memo);
    return cs_resuming_inputs_take(inputs, job, error);
}

static int
resume(CsRunArguments *a, const char *directory)
{
    g_autoptr(GError) error = NULL, no_log = NULL;
    g_auto(CsResumingInputs) inputs = {0};
    CsRunJob job;
    if (!cs_run_arguments_job(a, &job, &error))
        return cs_print_failure("chromosweep resume", error);
    job.options.checkpoint = directory;
    const gboolean found = cs_resuming_inputs_find(&inputs, directory, &error);
    const gboolean completed = found && complete(&job, a, &inputs, &error);
    /* Only now is it known which files must not be the log file; a failure is logged, too. */
    if (!cs_log_file_open(&job, NULL, &no_log))
        return cs_print_failure("chromosweep resume", no_log);
    if (!completed)
        return cs_print_failure("chromosweep resume", error);
    return cs_run_job(&job);
}

/* Appends the options that were given. */
static void
append_given(GPtrArray *line, const CsRunArguments *a)
{
    const struct {
        const char *name, *value;
    } values[] = {{"--format", a->format},
                  {"--columns", a->columns},
                  {"--output", a->output},
                  {"--threads", a->threads},
                  {"--engine", a->engine},
                  {"--device", a->device},
                  {"--grid", a->grid},
                  {"--bits", a->bits},
                  {"--skip", a->skip},
                  {"--checkpoint-interval", a->checkpoint_interval},
                  {"--row-budget", a->row_budget},
                  {"--max-time", a->max_time},
                  {"--progress", a->progress},
                  {"--log-file", a->log_file}};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        if (values[k].value != NULL)
            g_ptr_array_add(line, g_strdup_printf("%s=%s", values[k].name, values[k].value));
    if (a->cleanup)
        g_ptr_array_add(line, g_strdup("--checkpoint-cleanup"));
    if (a->quiet)
        g_ptr_array_add(line, g_strdup("--quiet"));
    if (a->verbose)
        g_ptr_array_add(line, g_strdup("--verbose"));
}

/* Removes the options that only the format that was asked for before may take. */
static void
drop_options_of_format(GPtrArray *line)
{
    for (guint k = line->len; k-- > 0;) {
        const char *option = line->pdata[k];
        if (g_str_has_prefix(option, "--cigar=") || g_str_has_prefix(option, "--columns=") ||
            strcmp(option, "--cs") == 0 || strcmp(option, "--swap") == 0 ||
            strcmp(option, "--write-index") == 0)
            g_ptr_array_remove_index(line, k);
    }
}

/* The command line of align that goes on, if the checkpoint is one of align and no columns of
 * results are wanted; else NULL. */
static GPtrArray *
align_line(const CsRunArguments *a, const char *directory)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, NULL);
    g_autoptr(GPtrArray) line = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *output = NULL;
    g_ptr_array_add(line, g_strdup("align"));
    g_ptr_array_add(line, g_strconcat("--checkpoint=", directory, NULL));
    if (info == NULL || a->columns != NULL || !cs_memo_read_align(info->memo, line, &output))
        return NULL;
    if (a->format != NULL)
        drop_options_of_format(line);
    if (output != NULL)
        g_ptr_array_add(line, g_strconcat("--output=", output, NULL));
    append_given(line, a);
    return g_steal_pointer(&line);
}

/* The memo of a search; NULL if there is none, with an error if nothing can be read. */
static char *
read_search(const char *directory, GError **error)
{
    g_autoptr(CsSearchCheckpointInfo) info = cs_search_checkpoint_info_new(directory, error);
    if (info != NULL && info->usable < 0)
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "checkpoint %s: no saved state is usable",
                    directory);
    return info != NULL ? g_strdup(info->memo) : NULL;
}

static char *
read_identity(const char *directory, GError **error)
{
    g_autoptr(CsIdentityCheckpointInfo) info = cs_identity_checkpoint_info_new(directory, error);
    return info != NULL ? g_strdup(info->memo) : NULL;
}

/* Commands whose memo is one of records_memo.h. */
static const struct {
    const char *command;
    gboolean (*is_there)(const char *directory);
    char *(*read_memo)(const char *directory, GError **error);
    int (*run)(int argc, char **argv);
} kinds[] = {
    {"search", cs_search_checkpoint_is_there, read_search, cs_search_command},
    {"identity", cs_identity_checkpoint_is_there, read_identity, cs_identity_command},
};

/* The command line of such a command that goes on. */
static GPtrArray *
records_line(const CsRunArguments *a, const char *directory, guint kind, GError **error)
{
    const char *command = kinds[kind].command;
    char *files[2] = {NULL, NULL};
    GError *failure = NULL;
    g_autofree char *memo = kinds[kind].read_memo(directory, &failure);
    g_autoptr(GPtrArray) line = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(line, g_strdup(command));
    g_ptr_array_add(line, g_strconcat("--checkpoint=", directory, NULL));
    const gboolean good =
        cs_records_memo_options(command, memo, line) && cs_records_memo_files(command, memo, files);
    if (a->format != NULL)
        drop_options_of_format(line);
    append_given(line, a);
    g_ptr_array_add(line, g_strdup("--"));
    for (guint k = 0; k < G_N_ELEMENTS(files) && files[k] != NULL; k++)
        g_ptr_array_add(line, files[k]);
    if (failure == NULL && good)
        return g_steal_pointer(&line);
    if (failure == NULL)
        g_set_error(&failure, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s does not record its command: run the same command again",
                    directory);
    g_propagate_error(error, failure);
    return NULL;
}

/* Resumes what the checkpoint is of. */
static int
resume_any(CsRunArguments *a, const char *directory)
{
    g_autoptr(GError) error = NULL;
    guint kind = 0;
    while (kind < G_N_ELEMENTS(kinds) && !kinds[kind].is_there(directory))
        kind++;
    const gboolean known = kind < G_N_ELEMENTS(kinds);
    g_autoptr(GPtrArray) line =
        known ? records_line(a, directory, kind, &error) : align_line(a, directory);
    if (error != NULL)
        return cs_print_failure("chromosweep resume", error);
    if (line == NULL)
        return resume(a, directory);
    const int count = (int)line->len;
    g_ptr_array_add(line, NULL);
    return (known ? kinds[kind].run : cs_align_command)(count, (char **)line->pdata);
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
        g_autofree char *list = cs_columns_help(&cs_result_columns);
        return cs_print_text(list);
    }
    const char *directory =
        parsed ? cs_arguments_directory((const char *const *)arguments.rest, &error) : NULL;
    if (directory == NULL)
        return cs_print_failure("chromosweep resume", error);
    return resume_any(&arguments, directory);
}
