/* The options that search and identity share: from the command line to a job. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/messages.h"
#include "command/progress.h"
#include "command/records_arguments.h"
#include "command/shell.h"

const char *const cs_records_types[] = {"auto", "protein", "nucleotide", NULL};

void
cs_records_arguments_clear(CsRecordsArguments *a)
{
    char *values[] = {a->type,     a->matrix,       a->match,      a->mismatch,
                      a->gap_open, a->gap_extend,   a->format,     a->columns,
                      a->output,   a->threads,      a->device,     a->progress,
                      a->log_file, a->command_line, a->checkpoint, a->checkpoint_interval,
                      a->max_time};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->files);
}

gboolean
cs_records_arguments_parse(CsRecordsArguments *a, const GOptionEntry *more, int argc, char **argv,
                           GError **error)
{
    const GOptionEntry common[] = {
        {"align", 0, 0, G_OPTION_ARG_NONE, &a->align, NULL, NULL},
        {"type", 0, 0, G_OPTION_ARG_FILENAME, &a->type, NULL, NULL},
        {"matrix", 'M', 0, G_OPTION_ARG_FILENAME, &a->matrix, NULL, NULL},
        {"match", 'A', 0, G_OPTION_ARG_FILENAME, &a->match, NULL, NULL},
        {"mismatch", 'B', 0, G_OPTION_ARG_FILENAME, &a->mismatch, NULL, NULL},
        {"gap-open", 'O', 0, G_OPTION_ARG_FILENAME, &a->gap_open, NULL, NULL},
        {"gap-extend", 'E', 0, G_OPTION_ARG_FILENAME, &a->gap_extend, NULL, NULL},
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
    return cs_arguments_parse_both(more, common, argc, argv, error);
}

static gboolean
take_files(const CsRecordsArguments *a, guint least, const char *wanted, CsRecordsJob *job,
           GError **error)
{
    const guint count = a->files != NULL ? g_strv_length(a->files) : 0;
    if (count < least || count > G_N_ELEMENTS(job->files))
        return cs_arguments_usage(error, "expected %s, got %u", wanted, count);
    for (guint k = 0; k < count; k++) {
        job->files[k] = a->files[k];
        if (a->files[k][0] == '\0')
            return cs_arguments_usage(error, "a file name is empty");
    }
    if (strcmp(job->files[0], "-") == 0 && g_strcmp0(job->files[1], "-") == 0)
        return cs_arguments_usage(error, "only one file can be '-' (standard input)");
    return TRUE;
}

static gboolean
parse_type(const char *text, CsAlphabet *alphabet, GError **error)
{
    guint place = *alphabet;
    if (!cs_arguments_choice("--type", text, cs_records_types, &place, error))
        return FALSE;
    *alphabet = (CsAlphabet)place;
    return TRUE;
}

static gboolean
parse_scoring(const CsRecordsArguments *a, const char *of_bases, CsRecordsJob *job, GError **error)
{
    const gint64 most = 1000000000;
    job->matrix = a->matrix;
    if (!parse_type(a->type, &job->alphabet, error) ||
        !cs_arguments_number("--match", a->match, 1, most, &job->match, error) ||
        !cs_arguments_number("--mismatch", a->mismatch, 0, most, &job->mismatch, error) ||
        !cs_arguments_number("--gap-open", a->gap_open, 0, most, &job->gap_open, error) ||
        !cs_arguments_number("--gap-extend", a->gap_extend, 0, most, &job->gap_extend, error))
        return FALSE;
    /* These tell what the sequences are, which is then checked. */
    if (a->mismatch != NULL)
        of_bases = "--mismatch";
    if (a->match != NULL)
        of_bases = "--match";
    if (of_bases != NULL && (a->matrix != NULL || job->alphabet == CS_ALPHABET_PROTEIN))
        return cs_arguments_usage(error,
                                  "%s is for nucleotides, --matrix and --type protein are "
                                  "for proteins",
                                  of_bases);
    if (of_bases != NULL)
        job->alphabet = CS_ALPHABET_NUCLEOTIDE;
    if (a->matrix != NULL && job->alphabet == CS_ALPHABET_NUCLEOTIDE)
        return cs_arguments_usage(error, "--matrix is for proteins, --type nucleotide is not");
    if (a->matrix != NULL)
        job->alphabet = CS_ALPHABET_PROTEIN;
    return TRUE;
}

gboolean
cs_records_arguments_format(const CsRecordsArguments *a, const char *const *names,
                            const char *const *endings, guint *place, GError **error)
{
    *place = 0;
    for (guint k = 0; a->format == NULL && names[k] != NULL; k++) {
        g_auto(GStrv) each = g_strsplit(endings[k], ",", 0);
        gboolean fits = a->columns != NULL && strcmp(names[k], "tsv") == 0;
        for (guint n = 0; a->columns == NULL && a->output != NULL && each[n] != NULL; n++)
            fits = fits || g_str_has_suffix(a->output, each[n]);
        if (fits)
            *place = k;
    }
    if (!cs_arguments_choice("--format", a->format, names, place, error))
        return FALSE;
    return a->columns == NULL || strcmp(names[*place], "tsv") == 0 ||
           cs_arguments_usage(error, "--columns needs --format tsv");
}

static gboolean
parse_running(const CsRecordsArguments *a, CsRecordsJob *job, GError **error)
{
    gint64 threads = cs_threads_granted();
    if (!cs_arguments_number("--threads", a->threads, 1, CS_ARGUMENTS_THREADS_MAX, &threads,
                             error) ||
        !cs_progress_parse(a->progress, &job->progress, error))
        return FALSE;
    job->threads = (guint)threads;
    job->device = a->device;
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
parse_checkpoint(const CsRecordsArguments *a, CsRecordsJob *job, GError **error)
{
    const char *needy = a->checkpoint_interval != NULL ? "--checkpoint-interval"
                        : a->cleanup                   ? "--checkpoint-cleanup"
                        : a->no_resume                 ? "--no-resume"
                        : a->max_time != NULL          ? "--max-time"
                                                       : NULL;
    if (a->checkpoint == NULL && needy != NULL)
        return cs_arguments_usage(error, "%s needs --checkpoint", needy);
    if (a->checkpoint != NULL && a->checkpoint[0] == '\0')
        return cs_arguments_usage(error, "the name of the checkpoint folder is empty");
    job->checkpoint = a->checkpoint;
    job->checkpoint_fresh = a->no_resume;
    return cs_arguments_time("--checkpoint-interval", a->checkpoint_interval,
                             &job->checkpoint_interval, error) &&
           cs_arguments_time("--max-time", a->max_time, &job->max_time, error);
}

gboolean
cs_records_arguments_job(const CsRecordsArguments *a, guint least, const char *wanted,
                         const char *of_bases, CsRecordsJob *job, GError **error)
{
    job->start = g_get_monotonic_time();
    if (!parse_running(a, job, error) || !take_files(a, least, wanted, job, error) ||
        !parse_scoring(a, of_bases, job, error) || !parse_checkpoint(a, job, error))
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
