/* The options that compare and resume share: from the command line to a job. */
#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/messages.h"
#include "command/progress.h"
#include "command/run_arguments.h"
#include "command/shell.h"
#include "formats/names.h"

enum {
    GRID_MAX = 1000000,
    GRID_THREADS_MAX = 1024, /* in a GPU's block */
};

void
cs_run_arguments_clear(CsRunArguments *a)
{
    char *values[] = {a->skip,
                      a->format,
                      a->columns,
                      a->output,
                      a->threads,
                      a->engine,
                      a->device,
                      a->grid,
                      a->bits,
                      a->max_time,
                      a->checkpoint_interval,
                      a->row_budget,
                      a->progress,
                      a->log_file,
                      a->command_line};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->rest);
}

/* Values are parsed as file names, the only type that accepts every byte. */
gboolean
cs_run_arguments_parse(CsRunArguments *a, const GOptionEntry *more, int argc, char **argv,
                       GError **error)
{
    const GOptionEntry common[] = {
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a->format, NULL, NULL},
        {"columns", 0, 0, G_OPTION_ARG_FILENAME, &a->columns, NULL, NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, NULL, NULL},
        {"threads", 't', 0, G_OPTION_ARG_FILENAME, &a->threads, NULL, NULL},
        {"engine", 0, 0, G_OPTION_ARG_FILENAME, &a->engine, NULL, NULL},
        {"device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, NULL, NULL},
        {"grid", 0, 0, G_OPTION_ARG_FILENAME, &a->grid, NULL, NULL},
        {"bits", 0, 0, G_OPTION_ARG_FILENAME, &a->bits, NULL, NULL},
        {"skip", 0, 0, G_OPTION_ARG_FILENAME, &a->skip, NULL, NULL},
        {"checkpoint-interval", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint_interval, NULL, NULL},
        {"checkpoint-cleanup", 0, 0, G_OPTION_ARG_NONE, &a->cleanup, NULL, NULL},
        {"row-budget", 0, 0, G_OPTION_ARG_FILENAME, &a->row_budget, NULL, NULL},
        {"max-time", 0, 0, G_OPTION_ARG_FILENAME, &a->max_time, NULL, NULL},
        {"progress", 0, 0, G_OPTION_ARG_FILENAME, &a->progress, NULL, NULL},
        {"log-file", 0, 0, G_OPTION_ARG_FILENAME, &a->log_file, NULL, NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &a->quiet, NULL, NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &a->verbose, NULL, NULL},
        CS_HELP_ENTRIES(&a->help),
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->rest, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    a->command_line = cs_shell_line(argc, argv);
    return cs_arguments_parse_both(more, common, argc, argv, error);
}

/* Parses B,T,ALPHA. Without the option the grid is chosen automatically. */
static gboolean
parse_grid(const char *text, CsCompareOptions *options, GError **error)
{
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) fields = g_strsplit(text, ",", 0);
    const gint64 most[] = {GRID_MAX, GRID_THREADS_MAX, GRID_MAX};
    guint *const numbers[] = {&options->grid_blocks, &options->grid_threads, &options->grid_alpha};
    gboolean good = g_strv_length(fields) == G_N_ELEMENTS(numbers);
    for (guint k = 0; good && k < G_N_ELEMENTS(numbers); k++) {
        gint64 number = 0;
        good = g_ascii_string_to_signed(fields[k], 10, 1, most[k], &number, NULL);
        *numbers[k] = (guint)number;
    }
    return good ||
           cs_arguments_usage(error,
                              "--grid must be B,T,ALPHA, whole numbers from 1 to %d, T at most %d, "
                              "not '%s'",
                              GRID_MAX, GRID_THREADS_MAX, text);
}

static gboolean
parse_skip(const char *text, CsSkipMode *skip, GError **error)
{
    const char *names[CS_SKIP_BOUNDS + 2] = {NULL};
    for (CsSkipMode mode = CS_SKIP_AUTO; mode <= CS_SKIP_BOUNDS; mode++)
        names[mode] = cs_skip_mode_name(mode);
    guint place = *skip;
    if (!cs_arguments_choice("--skip", text, names, &place, error))
        return FALSE;
    *skip = (CsSkipMode)place;
    return TRUE;
}

static gboolean
parse_bits(const char *text, guint *bits, GError **error)
{
    static const char *const widths[] = {"16", "32", "64", NULL};
    if (text == NULL)
        return TRUE;
    if (!g_strv_contains(widths, text))
        return cs_arguments_usage(error, "--bits must be 16, 32 or 64, not '%s'", text);
    *bits = (guint)g_ascii_strtoull(text, NULL, 10);
    return TRUE;
}

/* --columns without --format implies TSV. */
static gboolean
parse_format(const CsRunArguments *a, CsRunJob *job, GError **error)
{
    if (!cs_arguments_format(a->format, &job->format, error) ||
        !cs_arguments_columns(&cs_result_columns, a->columns, &job->columns, error))
        return FALSE;
    if (a->columns != NULL && a->format == NULL)
        job->format = CS_FORMAT_TSV;
    return a->columns == NULL || job->format == CS_FORMAT_TSV ||
           cs_arguments_usage(error, "--columns needs --format tsv");
}

/* --row-budget; 0 is none, and its absence leaves the choice to the library. */
static gboolean
parse_row_budget(const char *text, gint64 *budget, GError **error)
{
    if (!cs_arguments_size("--row-budget", text, budget, error))
        return FALSE;
    if (text != NULL && *budget == 0)
        *budget = -1;
    return TRUE;
}

gboolean
cs_run_arguments_ask_for_columns(const CsRunArguments *a)
{
    return g_strcmp0(a->columns, "help") == 0;
}

gboolean
cs_run_arguments_job(const CsRunArguments *a, CsRunJob *job, GError **error)
{
    *job = (CsRunJob){.options = CS_COMPARE_OPTIONS_INIT,
                      .output = a->output,
                      .cleanup = a->cleanup,
                      .log_file = a->log_file,
                      .command_line = a->command_line,
                      .start = g_get_monotonic_time()};
    job->options.engine = a->engine != NULL ? a->engine : "auto";
    job->options.device = a->device != NULL ? a->device : "auto";
    gint64 threads = cs_threads_granted();
    if (!cs_arguments_number("--threads", a->threads, 1, CS_ARGUMENTS_THREADS_MAX, &threads,
                             error) ||
        !parse_grid(a->grid, &job->options, error) ||
        !parse_bits(a->bits, &job->options.bits, error) ||
        !parse_skip(a->skip, &job->options.skip, error) || !parse_format(a, job, error) ||
        !cs_arguments_time("--checkpoint-interval", a->checkpoint_interval,
                           &job->options.checkpoint_interval, error) ||
        !cs_arguments_time("--max-time", a->max_time, &job->max_time, error) ||
        !parse_row_budget(a->row_budget, &job->options.row_budget, error) ||
        !cs_progress_parse(a->progress, &job->progress, error))
        return FALSE;
    job->options.threads = (guint)threads;
    if (a->output != NULL && a->output[0] == '\0')
        return cs_arguments_usage(error, "the name of the output file is empty");
    if (a->quiet && a->verbose)
        return cs_arguments_usage(error, "--quiet and --verbose cannot be used together");
    if (a->quiet && job->progress == CS_PROGRESS_JSON)
        return cs_arguments_usage(error, "--quiet and --progress json cannot be used together");
    if (a->log_file != NULL && a->log_file[0] == '\0')
        return cs_arguments_usage(error, "the name of the log file is empty");
    if (a->quiet)
        job->progress = CS_PROGRESS_NONE;
    cs_messages_set(a->quiet, a->verbose);
    return TRUE;
}

gboolean
cs_run_arguments_strand(const char *text, CsStrand *strand, GError **error)
{
    static const char *const strands[] = {"plus", "minus", "both", NULL};
    guint place = *strand;
    /* As results print them. */
    if (g_strcmp0(text, "+") == 0 || g_strcmp0(text, "-") == 0)
        text = text[0] == '+' ? "plus" : "minus";
    if (!cs_arguments_choice("--strand", text, strands, &place, error))
        return FALSE;
    *strand = (CsStrand)place;
    return TRUE;
}

gboolean
cs_run_arguments_circular(const char *text, CsCircular *circular, GError **error)
{
    guint place = 0;
    if (text == NULL)
        return TRUE;
    if (!cs_arguments_choice("--circular", text, cs_names_circular + 1, &place, error))
        return FALSE;
    *circular = (CsCircular)(CS_CIRCULAR_TARGET + place);
    return TRUE;
}

gboolean
cs_run_arguments_checkpoint(const CsRunArguments *a, const char *checkpoint, gboolean no_resume,
                            CsRunJob *job, GError **error)
{
    const char *needy = a->checkpoint_interval != NULL ? "--checkpoint-interval"
                        : a->cleanup                   ? "--checkpoint-cleanup"
                        : no_resume                    ? "--no-resume"
                        : a->max_time != NULL          ? "--max-time"
                                                       : NULL;
    if (checkpoint == NULL && needy != NULL)
        return cs_arguments_usage(error, "%s needs --checkpoint", needy);
    if (checkpoint != NULL && checkpoint[0] == '\0')
        return cs_arguments_usage(error, "the name of the checkpoint folder is empty");
    job->options.checkpoint = checkpoint;
    job->options.checkpoint_fresh = no_resume;
    job->may_begin_anew = TRUE;
    return TRUE;
}
