/* chromosweep search: the best records of a database for each query. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/help.h"
#include "command/log_file.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/print.h"
#include "command/run_arguments.h"
#include "command/search_progress.h"
#include "command/shell.h"
#include "formats/search_format.h"

static const char help[] =
    "Usage: chromosweep search [options] QUERIES.fa DATABASE.fa\n"
    "\n"
    "Finds the records of a database that are most similar to each query: the exact\n"
    "score of the best local alignment with every record (Smith-Waterman with affine\n"
    "gaps), of proteins or nucleotides. The files are FASTA, plain, gzip or bgzip.\n"
    "One may be -, standard input. The database is read once and may have any size.\n"
    "\n"
    "Hits:\n"
    "  -n, --number N          keep the best N records of each query [250]\n"
    "      --min-score N       leave out hits that score less than N [1]\n"
    "      --max-evalue E      leave out hits with a higher E-value, such as 1e-3\n"
    "      --align             find the alignments, too: identity and CIGAR\n"
    "Scoring: a gap of k letters costs open + k * extend.\n"
    "      --type TYPE         auto, protein or nucleotide: what the sequences are\n"
    "                          [by the letters of the queries]\n"
    "  -M, --matrix MATRIX     BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250 or a file in\n"
    "                          NCBI's format; for proteins [BLOSUM62]\n"
    "  -A, --match N           score of a match, for nucleotides [1]\n"
    "  -B, --mismatch N        cost of a mismatch, for nucleotides [3]\n"
    "  -O, --gap-open N        cost of opening a gap, in addition to its letters\n"
    "                          [NCBI's for the matrix, such as 11; 3 for nucleotides]\n"
    "  -E, --gap-extend N      cost of each letter of a gap, including the first\n"
    "                          [NCBI's, such as 1; 2 for nucleotides]\n"
    "+     --strand STRAND     plus, minus or both strands of nucleotides [both]\n"
    "Output:\n"
    "      --format FORMAT     text, tsv, json or blast6 [by FILE's name, else text]\n"
    "+                         json is a line per hit; blast6 finds the alignments.\n"
    "+     --columns LIST      tsv with these columns; help lists them [default]\n"
    "  -o, --output FILE       write the hits to FILE [standard output]\n"
    "Running:\n"
    "  -t, --threads N         CPU threads [all that this process may use]\n"
    "+     --device DEVICE     auto or cpu; GPUs are not used by this command [auto]\n"
    "+     --progress HOW      auto (a line on a terminal), none or json [auto]\n"
    "+     --log-file FILE     append all messages and progress to FILE, with times\n"
    "  -q, --quiet             print nothing but errors on standard error\n"
    "+ -v, --verbose           print what was searched, threads and speed\n" CS_HELP_LINES "+\n"
    "+Order: hits are sorted by score, then as in the database. Which are kept, and\n"
    "+all that is printed of them, is the same with any number of threads.\n"
    "+\n"
    "+Letters: case is ignored. Letters that a matrix does not have score like others:\n"
    "+U like C, O like X. Ambiguous codes of nucleotides match nothing.\n"
    "+\n"
    "+E-values: with NCBI's constants, as blastp computes them without composition-\n"
    "+based statistics; only for the matrices and gap costs that have such constants,\n"
    "+and not for nucleotides.\n"
    "+\n"
    "+Exit status: 0 success, 1 input, output or another operation failed, 2 wrong\n"
    "+usage, 3 malformed input, 4 no such device or not enough memory.\n"
    "\n"
    "Examples:\n"
    "  chromosweep search sequences/repeats_query.fa sequences/repeats_target.fa\n"
    "+ chromosweep search -n 1 --format tsv -o hits.tsv \\\n"
    "+     sequences/repeats_query.fa sequences/ape_target.fa.gz\n"
    "+ zcat sequences/ape_target.fa.gz | chromosweep search --format blast6 \\\n"
    "+     sequences/repeats_query.fa -\n";

/* The command line as GOption returns it: every value as it was typed. */
typedef struct {
    char *number, *min_score, *max_evalue, *type, *matrix, *strand;
    char *match, *mismatch, *gap_open, *gap_extend;
    char *format, *columns, *output, *threads, *device, *progress, *log_file;
    CsHelpArguments help;
    gboolean align, quiet, verbose;
    char **files;
    char *command_line;
} Arguments;

/* What to do. The strings belong to the Arguments. */
typedef struct {
    CsSearchOptions options;
    const char *files[2]; /* queries and database */
    CsSearchFormat format;
    CsColumns columns;
    CsProgressForm progress;
} Job;

static void
arguments_clear(Arguments *a)
{
    char *values[] = {a->number,   a->min_score, a->max_evalue,  a->type,     a->matrix,
                      a->strand,   a->match,     a->mismatch,    a->gap_open, a->gap_extend,
                      a->format,   a->columns,   a->output,      a->threads,  a->device,
                      a->progress, a->log_file,  a->command_line};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->files);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean
arguments_parse(Arguments *a, int argc, char **argv, GError **error)
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
take_files(const Arguments *a, Job *job, GError **error)
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
parse_scoring(const Arguments *a, CsSearchOptions *options, GError **error)
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
parse_format(const Arguments *a, Job *job, GError **error)
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
parse_running(const Arguments *a, Job *job, GError **error)
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
job_init(Job *job, const Arguments *a, GError **error)
{
    *job = (Job){.options = CS_SEARCH_OPTIONS_INIT};
    return parse_running(a, job, error) && take_files(a, job, error) &&
           cs_arguments_number("--number", a->number, 1, G_MAXINT32, &job->options.number, error) &&
           cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &job->options.min_score,
                               error) &&
           parse_evalue(a->max_evalue, &job->options.max_evalue, error) &&
           parse_scoring(a, &job->options, error) && parse_format(a, job, error);
}

static void
tell_summary(const CsSearch *search, gboolean evalue_asked)
{
    const CsSearchSummary *s = cs_search_get_summary(search);
    cs_message(CS_MESSAGE_DETAIL,
               "%s: %" G_GINT64_FORMAT " queries of %" G_GINT64_FORMAT " letters, %" G_GINT64_FORMAT
               " records of %" G_GINT64_FORMAT " letters",
               s->alphabet == CS_ALPHABET_PROTEIN ? "proteins" : "nucleotides", s->queries,
               s->query_letters, s->records, s->letters);
    cs_message(CS_MESSAGE_DETAIL,
               "gaps: %" G_GINT64_FORMAT " + %" G_GINT64_FORMAT " per letter%s%s", s->gap_open,
               s->gap_extend, s->matrix != NULL ? "; matrix " : "",
               s->matrix != NULL ? s->matrix : "");
    if (!s->has_evalues)
        cs_message(evalue_asked ? CS_MESSAGE_WARNING : CS_MESSAGE_DETAIL,
                   "no E-values: there are no published constants for this scoring%s",
                   evalue_asked ? ", so --max-evalue leaves out nothing" : "");
    cs_message(CS_MESSAGE_DETAIL, "computed with %s; threads: %u; %.2f GCUPS", s->instructions,
               s->threads, s->seconds > 0 ? (double)s->cells / s->seconds / 1e9 : 0);
}

/* Opens the output before anything long begins, searches, and writes. */
static gboolean
run(const Arguments *a, Job *job, GError **error)
{
    const CsRunJob files = {.inputs.files = {job->files[0], job->files[1]},
                            .output = a->output,
                            .log_file = a->log_file,
                            .command_line = a->command_line};
    if (!cs_log_file_open(&files, a->matrix, error))
        return FALSE;
    const char *const inputs[] = {job->files[0], job->files[1], a->matrix, NULL};
    g_autoptr(CsOutput) output = cs_output_open(a->output, inputs, error);
    if (output == NULL)
        return FALSE;
    CsSearchTeller teller = {.form = job->progress};
    job->options.progress = cs_search_progress_tell;
    job->options.data = &teller;
    g_autoptr(CsSearch) search = cs_search(job->files[0], job->files[1], &job->options, error);
    cs_search_progress_end(&teller);
    if (search == NULL)
        return FALSE;
    tell_summary(search, a->max_evalue != NULL);
    GString *text = g_string_new(NULL);
    cs_search_format_append(job->format, text, search, &job->columns);
    const gboolean written = cs_output_write_bytes(output, text->str, text->len, error);
    g_string_free(text, TRUE);
    return written;
}

int
cs_search_command(int argc, char **argv)
{
    static const char who[] = "chromosweep search";
    g_auto(Arguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    Job job;
    if (!arguments_parse(&arguments, argc, argv, &error))
        return cs_print_failure(who, error);
    if (cs_help_is_wanted(&arguments.help))
        return cs_help_print(&arguments.help, help);
    if (g_strcmp0(arguments.columns, "help") == 0) {
        g_autofree char *list = cs_columns_help(&cs_search_columns);
        return cs_print_text(list);
    }
    if (!job_init(&job, &arguments, &error))
        return cs_print_failure(who, error);
    cs_messages_set(arguments.quiet, arguments.verbose);
    return run(&arguments, &job, &error) ? 0 : cs_print_failure(who, error);
}
