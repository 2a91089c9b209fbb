/* chromosweep compare: the best local alignment of two sequences, its score and where it ends. */
#include <stdio.h>
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "arguments.h"
#include "command.h"
#include "output.h"
#include "progress.h"
#include "report.h"

static const char help[] =
    "Usage: chromosweep compare [options] TARGET.fa QUERY.fa\n"
    "\n"
    "Finds the score of the best local alignment of two nucleotide sequences and\n"
    "the last letter of it in each, counted from 1 (Smith-Waterman with affine\n"
    "gaps, exact). The files are FASTA, plain, gzip or bgzip; one of the two may be\n"
    "-, standard input.\n"
    "\n"
    "Scoring: a gap of k letters costs open + k * extend, so that by default the\n"
    "first letter costs 5 and each next one 2, as in the CUDAlign paper.\n"
    "  -A, --match N           what a pair of equal bases adds [1]\n"
    "  -B, --mismatch N        what a pair of different letters costs [3]\n"
    "  -O, --gap-open N        what a gap costs beside its letters [3]\n"
    "  -E, --gap-extend N      what each letter of a gap costs [2]\n"
    "Input and output:\n"
    "      --target-name NAME  the record of TARGET.fa to take, by its first word\n"
    "      --query-name NAME   the record of QUERY.fa to take\n"
    "      --format FORMAT     text, tsv or json [text]\n"
    "  -o, --output FILE       where the result goes [standard output]\n"
    "Running:\n"
    "  -t, --threads N         CPU threads [what affinity and cgroup grant]\n"
    "      --device DEVICE     auto, cpu, gpu, gpu:INDEX or gpu:UUID; auto takes a\n"
    "                          GPU if one works and has room, else the CPU [auto]\n"
    "      --engine ENGINE     auto, scalar, simd or cuda [auto]\n"
    "      --grid B,T,ALPHA    B blocks a diagonal, T threads a block, ALPHA rows a\n"
    "                          thread: for experiments; any grid, the same result\n"
    "      --bits N            16, 32 or 64 bits a score: for experiments [as fits]\n"
    "  -q, --quiet             no progress line on a terminal, only errors\n"
    "  -v, --verbose           tell lengths, ambiguous letters, engine and threads\n"
    "  -h, --help              this help\n"
    "  -V, --version           the version and how it was built\n"
    "\n"
    "Exit status: 0 done, 1 input, output or other failure, 2 wrong usage,\n"
    "3 malformed content, 4 no such device or too little memory.\n"
    "\n"
    "Examples:\n"
    "  chromosweep compare human_MT.fa.gz orang_MT.fa.gz\n"
    "  chromosweep compare --format json -o result.json target.fa query.fa\n";

enum {
    THREADS_MAX = 4096,
    GRID_MAX = 1000000,
    GRID_THREADS_MAX = 1024, /* in a GPU's block */
};

/* The command line as GOption leaves it: every value as it was typed. */
typedef struct {
    char *match, *mismatch, *gap_open, *gap_extend;
    char *format, *output, *threads, *engine, *device, *grid, *bits;
    char *target_name, *query_name;
    gboolean quiet, verbose, help, version;
    char **files;
} Arguments;

/* What is to be done. The strings are those of the Arguments. */
typedef struct {
    const char *files[3]; /* target, query, NULL */
    const char *names[2]; /* of the records, NULL where the file has one */
    const char *output;
    CsReportFormat format;
    CsCompareOptions options;
    gboolean quiet;
    gboolean verbose;
} Job;

static void
arguments_clear(Arguments *a)
{
    char *values[] = {a->match,  a->mismatch,    a->gap_open,  a->gap_extend, a->format,
                      a->output, a->threads,     a->engine,    a->device,     a->grid,
                      a->bits,   a->target_name, a->query_name};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->files);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

/* Values are taken as file names, the only type that lets every byte through. */
static gboolean
arguments_parse(Arguments *a, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"match", 'A', 0, G_OPTION_ARG_FILENAME, &a->match, NULL, NULL},
        {"mismatch", 'B', 0, G_OPTION_ARG_FILENAME, &a->mismatch, NULL, NULL},
        {"gap-open", 'O', 0, G_OPTION_ARG_FILENAME, &a->gap_open, NULL, NULL},
        {"gap-extend", 'E', 0, G_OPTION_ARG_FILENAME, &a->gap_extend, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a->format, NULL, NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, NULL, NULL},
        {"threads", 't', 0, G_OPTION_ARG_FILENAME, &a->threads, NULL, NULL},
        {"engine", 0, 0, G_OPTION_ARG_FILENAME, &a->engine, NULL, NULL},
        {"device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, NULL, NULL},
        {"grid", 0, 0, G_OPTION_ARG_FILENAME, &a->grid, NULL, NULL},
        {"bits", 0, 0, G_OPTION_ARG_FILENAME, &a->bits, NULL, NULL},
        {"target-name", 0, 0, G_OPTION_ARG_FILENAME, &a->target_name, NULL, NULL},
        {"query-name", 0, 0, G_OPTION_ARG_FILENAME, &a->query_name, NULL, NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &a->quiet, NULL, NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &a->verbose, NULL, NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &a->help, NULL, NULL},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &a->version, NULL, NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->files, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_arguments_parse(entries, argc, argv, error);
}

/* An absent option leaves number as it is. */
static gboolean
parse_number(const char *option, const char *text, gint64 min, gint64 max, gint64 *number,
             GError **error)
{
    if (text == NULL || g_ascii_string_to_signed(text, 10, min, max, number, NULL))
        return TRUE;
    return cs_arguments_usage(error,
                              "%s must be a whole number from %" G_GINT64_FORMAT
                              " to %" G_GINT64_FORMAT ", not '%s'",
                              option, min, max, text);
}

static gboolean
parse_scoring(const Arguments *a, CsScoring *scoring, GError **error)
{
    return parse_number("--match", a->match, 1, G_MAXINT64, &scoring->match, error) &&
           parse_number("--mismatch", a->mismatch, 0, G_MAXINT64, &scoring->mismatch, error) &&
           parse_number("--gap-open", a->gap_open, 0, G_MAXINT64, &scoring->gap_open, error) &&
           parse_number("--gap-extend", a->gap_extend, 0, G_MAXINT64, &scoring->gap_extend, error);
}

/* B,T,ALPHA; an absent option leaves the grid as it suits. */
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

static gboolean
parse_files(const Arguments *a, Job *job, GError **error)
{
    guint count = a->files != NULL ? g_strv_length(a->files) : 0;
    if (count != 2)
        return cs_arguments_usage(error, "two files are needed, TARGET.fa and QUERY.fa; %u given",
                                  count);
    for (guint k = 0; k < 2; k++) {
        job->files[k] = a->files[k];
        if (a->files[k][0] == '\0')
            return cs_arguments_usage(error, "a file's name is empty");
    }
    if (strcmp(a->files[0], "-") == 0 && strcmp(a->files[1], "-") == 0)
        return cs_arguments_usage(error, "only one of the two files can be -, standard input");
    if (a->output != NULL && a->output[0] == '\0')
        return cs_arguments_usage(error, "the name of the output file is empty");
    return TRUE;
}

static gboolean
job_init(Job *job, const Arguments *a, GError **error)
{
    *job = (Job){.options = CS_COMPARE_OPTIONS_INIT,
                 .names = {a->target_name, a->query_name},
                 .output = a->output,
                 .quiet = a->quiet,
                 .verbose = a->verbose};
    job->options.engine = a->engine != NULL ? a->engine : "auto";
    job->options.device = a->device != NULL ? a->device : "auto";
    gint64 threads = cs_threads_granted();
    if (!parse_scoring(a, &job->options.scoring, error) ||
        !parse_number("--threads", a->threads, 1, THREADS_MAX, &threads, error) ||
        !parse_grid(a->grid, &job->options, error) ||
        !parse_bits(a->bits, &job->options.bits, error) ||
        !cs_arguments_format(a->format, &job->format, error) || !parse_files(a, job, error))
        return FALSE;
    job->options.threads = (guint)threads;
    if (a->quiet && a->verbose)
        return cs_arguments_usage(error, "--quiet and --verbose exclude each other");
    return TRUE;
}

/* Loads the target (side 0) or the query (side 1). */
static CsSequence *
load(const Job *job, int side, GError **error)
{
    GError *failure = NULL;
    CsSequence *sequence = cs_sequence_load(job->files[side], job->names[side], &failure);
    if (sequence != NULL)
        return sequence;
    /* The library knows what is wrong but not this command's options. */
    gboolean choose = job->names[side] == NULL &&
                      g_error_matches(failure, CS_ERROR, CS_ERROR_CONTENT) &&
                      g_str_has_suffix(failure->message, "): choose one by name");
    if (choose) {
        g_autofree char *message = g_steal_pointer(&failure->message);
        failure->message =
            g_strdup_printf("%s (--%s-name)", message, side == 0 ? "target" : "query");
    }
    g_propagate_error(error, failure);
    return NULL;
}

static void
tell_sequence(const char *side, const CsSequence *sequence)
{
    g_autofree char *name = cs_command_escape(cs_sequence_get_name(sequence), FALSE);
    fprintf(stderr,
            "chromosweep: %s %s: %" G_GINT64_FORMAT " letters, %" G_GINT64_FORMAT
            " of them ambiguous, which match nothing\n",
            side, name[0] != '\0' ? name : "(no name)", cs_sequence_get_length(sequence),
            cs_sequence_get_ambiguous(sequence));
}

/* What is mostly ambiguous may be protein or a masked sequence: no error, but worth a word. */
static void
warn_if_ambiguous(const char *side, const CsSequence *sequence)
{
    if (cs_sequence_get_ambiguous(sequence) <= cs_sequence_get_length(sequence) / 2)
        return;
    g_autofree char *name = cs_command_escape(cs_sequence_get_name(sequence), FALSE);
    fprintf(stderr,
            "chromosweep: warning: %s %s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
            " letters are N or other ambiguous ones, which match nothing\n",
            side, name[0] != '\0' ? name : "(no name)", cs_sequence_get_ambiguous(sequence),
            cs_sequence_get_length(sequence));
}

/* A CsNoteFunc: warnings unless quiet, the rest when verbose. */
static void
tell_note(gboolean warning, const char *message, gpointer data)
{
    const Job *job = data;
    if (job->quiet || !(warning || job->verbose))
        return;
    g_autofree char *shown = cs_command_escape(message, FALSE);
    fprintf(stderr, "chromosweep: %s%s\n", warning ? "warning: " : "", shown);
}

/* The sweep between its surroundings on standard error. */
static gboolean
sweep(Job *job, const CsSequence *target, const CsSequence *query, CsCompareResult *result,
      GError **error)
{
    CsProgressLine line = {0};
    if (!job->quiet) {
        warn_if_ambiguous("target", target);
        warn_if_ambiguous("query", query);
    }
    if (job->verbose) {
        tell_sequence("target", target);
        tell_sequence("query", query);
        fprintf(stderr, "chromosweep: engine %s: %s; threads: at most %u\n", job->options.engine,
                cs_device_describe(job->options.device, job->options.engine, NULL),
                job->options.threads);
    }
    job->options.note = tell_note;
    job->options.note_data = job;
    if (!job->quiet && cs_progress_line_wanted()) {
        job->options.progress = cs_progress_line_show;
        job->options.progress_data = &line;
    }
    gboolean done = cs_compare(target, query, &job->options, result, error);
    cs_progress_line_erase(&line);
    if (done && job->verbose)
        fprintf(stderr, "chromosweep: computed by %s%s%s; threads: %u\n", result->engine,
                result->device != NULL ? " on " : "", result->device != NULL ? result->device : "",
                result->threads);
    return done;
}

/* A result that cannot be written may have taken days: the failure's line tells the heart of it. */
static gboolean
write_result(CsOutput *output, const char *text, const CsCompareResult *result, GError **error)
{
    GError *failure = NULL;
    if (cs_output_write(output, text, &failure))
        return TRUE;
    g_autofree char *message = g_steal_pointer(&failure->message);
    failure->message =
        result->score > 0
            ? g_strdup_printf("%s (the score is %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                              ",%" G_GINT64_FORMAT ")",
                              message, result->score, result->target_end, result->query_end)
            : g_strdup_printf("%s (the score is 0)", message);
    g_propagate_error(error, failure);
    return FALSE;
}

/* Whatever can be refused is refused before anything long begins. */
static gboolean
run(Job *job, GError **error)
{
    gint64 start = g_get_monotonic_time();
    if (!cs_scoring_check(&job->options.scoring, 1, 1, error))
        return FALSE;
    /* Before a GPU's driver is asked, which opens descriptors that the output might name. */
    g_autoptr(CsOutput) output = cs_output_open(job->output, job->files, error);
    if (output == NULL ||
        cs_device_describe(job->options.device, job->options.engine, error) == NULL)
        return FALSE;
    g_autoptr(CsSequence) target = load(job, 0, error);
    g_autoptr(CsSequence) query = target != NULL ? load(job, 1, error) : NULL;
    CsCompareResult result;
    if (query == NULL || !sweep(job, target, query, &result, error))
        return FALSE;
    CsReport report = {.target_file = job->files[0],
                       .query_file = job->files[1],
                       .target = target,
                       .query = query,
                       .scoring = &job->options.scoring,
                       .result = &result,
                       .seconds_total = (double)(g_get_monotonic_time() - start) / 1e6};
    g_autofree char *text = cs_report_format(&report, job->format);
    return write_result(output, text, &result, error);
}

int
cs_command_compare(int argc, char **argv)
{
    g_auto(Arguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    Job job;
    if (!arguments_parse(&arguments, argc, argv, &error))
        return cs_command_fail("chromosweep compare", error);
    if (arguments.help)
        return cs_command_print(help);
    if (arguments.version)
        return cs_command_print_version();
    if (!job_init(&job, &arguments, &error) || !run(&job, &error))
        return cs_command_fail("chromosweep compare", error);
    return 0;
}
