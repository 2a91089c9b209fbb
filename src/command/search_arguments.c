/* The options of search: from the command line to a job. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/messages.h"
#include "command/run_arguments.h"
#include "command/search_arguments.h"
#include "command/shell.h"

void
cs_search_arguments_clear(CsSearchArguments *a)
{
    char *values[] = {a->number,   a->min_score,    a->max_evalue, a->type,
                      a->matrix,   a->strand,       a->match,      a->mismatch,
                      a->gap_open, a->gap_extend,   a->format,     a->columns,
                      a->output,   a->threads,      a->device,     a->progress,
                      a->log_file, a->command_line, a->checkpoint, a->checkpoint_interval,
                      a->max_time};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->files);
}

gboolean
cs_search_arguments_parse(CsSearchArguments *a, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"number", 'n', 0, G_OPTION_ARG_FILENAME, &a->number, NULL, NULL},
        {"min-score", 0, 0, G_OPTION_ARG_FILENAME, &a->min_score, NULL, NULL},
        {"max-evalue", 0, 0, G_OPTION_ARG_FILENAME, &a->max_evalue, NULL, NULL},
        {"align", 0, 0, G_OPTION_ARG_NONE, &a->align, NULL, NULL},
        {"type", 0, 0, G_OPTION_ARG_FILENAME, &a->type, NULL, NULL},
        {"matrix", 'M', 0, G_OPTION_ARG_FILENAME, &a->matrix, NULL, NULL},
        {"match", 'A', 0, G_OPTION_ARG_FILENAME, &a->match, NULL, NULL},
        {"mismatch", 'B', 0, G_OPTION_ARG_FILENAME, &a->mismatch, NULL, NULL},
        {"gap-open", 'O', 0, G_OPTION_ARG_FILENAME, &a->gap_open, NULL, NULL},
        {"gap-extend", 'E', 0, G_OPTION_ARG_FILENAME, &a->gap_extend, NULL, NULL},
        {"strand", 0, 0, G_OPTION_ARG_FILENAME, &a->strand, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a->format, NULL, NULL},
        {"columns", 0, 0, G_OPTION_ARG_FILENAME, &a->columns, NULL, NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, NULL, NULL},
        {"threads", 't', 0, G_OPTION_ARG_FILENAME, &a->threads, NULL, NULL},
        {"device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, NULL, NULL},
        {"progress", 0, 0, G_OPTION_ARG_FILENAME, &a->progress, NULL, NULL},
        {"log-file", 0, 0, G_OPTION_ARG_FILENAME, &a->log_file, NULL, NULL},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint, NULL, NULL},
        {"checkpoint-interval", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint_interval, NULL, NULL},
        {"checkpoint-cleanup", 0, 0, G_OPTION_ARG_NONE, &a->cleanup, NULL, NULL},
        {"no-resume", 0, 0, G_OPTION_ARG_NONE, &a->no_resume, NULL, NULL},
        {"max-time", 0, 0, G_OPTION_ARG_FILENAME, &a->max_time, NULL, NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &a->quiet, NULL, NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &a->verbose, NULL, NULL},
        CS_HELP_ENTRIES(&a->help),
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->files, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    a->command_line = cs_shell_line(argc, argv);
    return cs_arguments_parse(entries, argc, argv, error);
}

static gboolean
take_files(const CsSearchArguments *a, CsSearchJob *job, GError **error)
{
    const guint count = a->files != NULL ? g_strv_length(a->files) : 0;
    if (count != 2)
        return cs_arguments_usage(error, "expected two files, QUERIES.fa and DATABASE.fa, got %u",
                                  count);
    for (guint k = 0; k < count; k++) {
        job->files[k] = a->files[k];
        if (a->files[k][0] == '\0')
            return cs_arguments_usage(error, "a file name is empty");
    }
    if (strcmp(job->files[0], "-") == 0 && strcmp(job->files[1], "-") == 0)
        return cs_arguments_usage(error, "only one file can be '-' (standard input)");
    return TRUE;
}

static gboolean
parse_evalue(const char *text, double *evalue, GError **error)
{
    char *end;
    if (text == NULL)
        return TRUE;
    *evalue = g_ascii_strtod(text, &end);
    return (end > text && *end == '\0' && *evalue >= 0 && *evalue <= G_MAXDOUBLE) ||
           cs_arguments_usage(error, "--max-evalue must be a number such as 10 or 1e-3, not '%s'",
                              text);
}

static gboolean
parse_type(const char *text, CsAlphabet *alphabet, GError **error)
{
    static const char *const types[] = {"auto", "protein", "nucleotide", NULL};
    guint place = *alphabet;
    if (!cs_arguments_choice("--type", text, types, &place, error))
        return FALSE;
    *alphabet = (CsAlphabet)place;
    return TRUE;
}

static gboolean
parse_scoring(const CsSearchArguments *a, CsSearchOptions *options, GError **error)
{
    const gint64 most = 1000000000;
    options->matrix = a->matrix;
    if (!parse_type(a->type, &options->alphabet, error) ||
        !cs_arguments_number("--match", a->match, 1, most, &options->match, error) ||
        !cs_arguments_number("--mismatch", a->mismatch, 0, most, &options->mismatch, error) ||
        !cs_arguments_number("--gap-open", a->gap_open, 0, most, &options->gap_open, error) ||
        !cs_arguments_number("--gap-extend", a->gap_extend, 0, most, &options->gap_extend, error) ||
        !cs_run_arguments_strand(a->strand, &options->strand, error))
        return FALSE;
    /* These tell what the sequences are, which is then checked. */
    const char *of_bases = a->match != NULL      ? "--match"
                           : a->mismatch != NULL ? "--mismatch"
                           : a->strand != NULL   ? "--strand"
                                                 : NULL;
    if (of_bases != NULL && (a->matrix != NULL || options->alphabet == CS_ALPHABET_PROTEIN))
        return cs_arguments_usage(error,
                                  "%s is for nucleotides, --matrix and --type protein are "
                                  "for proteins",
                                  of_bases);
    if (of_bases != NULL)
        options->alphabet = CS_ALPHABET_NUCLEOTIDE;
    if (a->matrix != NULL && options->alphabet == CS_ALPHABET_NUCLEOTIDE)
        return cs_arguments_usage(error, "--matrix is for proteins, --type nucleotide is not");
    if (a->matrix != NULL)
        options->alphabet = CS_ALPHABET_PROTEIN;
    return TRUE;
}

static gboolean
parse_format(const CsSearchArguments *a, CsSearchJob *job, GError **error)
{
    guint place = CS_SEARCH_FORMAT_TEXT;
    if (a->format == NULL && a->columns != NULL)
        place = CS_SEARCH_FORMAT_TSV;
    else if (a->format == NULL && a->output != NULL)
        place = g_str_has_suffix(a->output, ".tsv")    ? CS_SEARCH_FORMAT_TSV
                : g_str_has_suffix(a->output, ".json") ? CS_SEARCH_FORMAT_JSON
                                                       : CS_SEARCH_FORMAT_TEXT;
    if (!cs_arguments_choice("--format", a->format, cs_search_format_names, &place, error))
        return FALSE;
    job->format = (CsSearchFormat)place;
    if (a->columns != NULL && job->format != CS_SEARCH_FORMAT_TSV)
        return cs_arguments_usage(error, "--columns needs --format tsv");
    job->options.align = a->align || job->format == CS_SEARCH_FORMAT_BLAST6;
    const char *list = a->columns != NULL ? a->columns
                       : a->align         ? cs_search_aligned_columns
                                          : CS_COLUMNS_DEFAULT;
    return cs_arguments_columns(&cs_search_columns, list, &job->columns, error);
}

static gboolean
parse_device(const char *device, GError **error)
{
    if (device == NULL || strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0)
        return TRUE;
    if (g_str_has_prefix(device, "gpu"))
        return cs_arguments_usage(error,
                                  "search runs on CPUs only: --device must be auto or cpu, "
                                  "not '%s'",
                                  device);
    return cs_arguments_usage(error, "--device must be auto or cpu, not '%s'", device);
}

static gboolean
parse_running(const CsSearchArguments *a, CsSearchJob *job, GError **error)
{
    gint64 threads = cs_threads_granted();
    if (!cs_arguments_number("--threads", a->threads, 1, CS_ARGUMENTS_THREADS_MAX, &threads,
                             error) ||
        !parse_device(a->device, error) || !cs_progress_parse(a->progress, &job->progress, error))
        return FALSE;
    job->options.threads = (guint)threads;
    if (a->output != NULL && a->output[0] == '\0')
        return cs_arguments_usage(error, "the name of the output file is empty");
    if (a->log_file != NULL && a->log_file[0] == '\0')
        return cs_arguments_usage(error, "the name of the log file is empty");
    if (a->quiet && a->verbose)
        return cs_arguments_usage(error, "--quiet and --verbose cannot be used together");
    if (a->quiet && job->progress == CS_PROGRESS_JSON)
        return cs_arguments_usage(error, "--quiet and --progress json cannot be used together");
    if (a->quiet)
        job->progress = CS_PROGRESS_NONE;
    return TRUE;
}

static gboolean
parse_checkpoint(const CsSearchArguments *a, CsSearchJob *job, GError **error)
{
    CsSearchOptions *options = &job->options;
    const char *needy = a->checkpoint_interval != NULL ? "--checkpoint-interval"
                        : a->cleanup                   ? "--checkpoint-cleanup"
                        : a->no_resume                 ? "--no-resume"
                        : a->max_time != NULL          ? "--max-time"
                                                       : NULL;
    if (a->checkpoint == NULL && needy != NULL)
        return cs_arguments_usage(error, "%s needs --checkpoint", needy);
    if (a->checkpoint != NULL && a->checkpoint[0] == '\0')
        return cs_arguments_usage(error, "the name of the checkpoint folder is empty");
    options->checkpoint = a->checkpoint;
    options->checkpoint_fresh = a->no_resume;
    return cs_arguments_time("--checkpoint-interval", a->checkpoint_interval,
                             &options->checkpoint_interval, error) &&
           cs_arguments_time("--max-time", a->max_time, &job->max_time, error);
}

gboolean
cs_search_arguments_job(const CsSearchArguments *a, CsSearchJob *job, GError **error)
{
    *job = (CsSearchJob){.options = CS_SEARCH_OPTIONS_INIT, .start = g_get_monotonic_time()};
    if (!parse_running(a, job, error) || !take_files(a, job, error) ||
        !cs_arguments_number("--number", a->number, 1, G_MAXINT32, &job->options.number, error) ||
        !cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &job->options.min_score,
                             error) ||
        !parse_evalue(a->max_evalue, &job->options.max_evalue, error) ||
        !parse_scoring(a, &job->options, error) || !parse_format(a, job, error) ||
        !parse_checkpoint(a, job, error))
        return FALSE;
    job->places = (CsRunJob){.inputs.files = {job->files[0], job->files[1]},
                             .output = a->output,
                             .log_file = a->log_file,
                             .command_line = a->command_line,
                             .options.checkpoint = a->checkpoint,
                             .many = TRUE /* no file of the folder is free */};
    cs_messages_set(a->quiet, a->verbose);
    return TRUE;
}
