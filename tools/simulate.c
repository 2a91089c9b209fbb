/*
 * chromosweep-simulate: a pair of related (or unrelated) sequences as two FASTA files.
 *
 * Numbers are first taken as texts, since the preset and the length set the defaults over which the
 * given ones go. Both files are written under temporary names and renamed when both are complete,
 * so that a failure leaves what was there before.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>

#include "genome.h"

typedef struct {
    const char *name;
    double repeats, tandems;
    double substitutions, indels;
    gint64 indel_max;
    gboolean rearranged; /* an inversion, large events and N runs, in proportion to the length */
    gboolean unrelated;
} Preset;

static const Preset presets[] = {
    {"human-chimp", 0.45, 0.03, 0.013, 0.0012, 10000, TRUE, FALSE},
    {"identical-99", 0.10, 0.01, 0.009, 0.001, 50, FALSE, FALSE},
    {"identical-95", 0.10, 0.01, 0.045, 0.005, 50, FALSE, FALSE},
    {"identical-90", 0.10, 0.01, 0.090, 0.010, 50, FALSE, FALSE},
    {"identical-80", 0.10, 0.01, 0.180, 0.020, 50, FALSE, FALSE},
    {"unrelated", 0.00, 0.00, 0.000, 0.000, 50, FALSE, TRUE},
};

static const char description[] =
    "Writes TARGET and QUERY as FASTA, compressed with bgzip if a name ends in .gz or .bgz.\n"
    "The same options give the same bases on every machine. The target is an ancestor with\n"
    "repeats. The query is a copy of it with changes, made in this order: substitutions and\n"
    "small indels, one inversion, large insertions and deletions, Ns. Insertions and deletions\n"
    "are equally frequent, and P(length >= k) = 1/k up to --indel-max. N may end in K, M or G\n"
    "for thousands, millions and billions.\n"
    "\n"
    "Presets, with a GC content of 0.41; other options override them:\n"
    "  human-chimp   substitutions 0.013, indels 0.0012 of up to 10,000 bases (at most\n"
    "                length/50), repeats 0.45, tandems 0.03, an inversion of length/100,\n"
    "                two large insertions and one large deletion of length/100,\n"
    "                2 + length/2,000,000 runs of N in each\n"
    "  identical-99, identical-95, identical-90, identical-80\n"
    "                that share of identical bases, nine substitutions for each indel of\n"
    "                up to 50 bases; repeats 0.10, tandems 0.01\n"
    "  unrelated     two random sequences without repeats\n"
    "\n"
    "Exit status: 0 success, 1 output failed or memory ran out, 2 wrong usage.\n"
    "\n"
    "Example, like human chromosome 21, with its leading Ns, and that of the chimpanzee:\n"
    "  chromosweep-simulate --length 30M --query-leading-n 6M target.fa.gz query.fa.gz";

typedef struct {
    GenomePlan plan;
    gint64 line;
    char *preset;
    char *target_name;
    char *query_name;
    gboolean unrelated, version;
    char **paths;
} Options;

static void
options_clear(Options *options)
{
    g_free(options->preset);
    g_free(options->target_name);
    g_free(options->query_name);
    g_strfreev(options->paths);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

typedef enum {
    RATE,
    COUNT,
    LENGTH, /* a count that is not 0 */
    SEED
} Kind;

typedef struct {
    const char *name;
    char base;
    Kind kind;
    gsize field; /* of Options: a double for a RATE, a gint64 for the others */
    const char *description;
} Number;

static const Number numbers[] = {
    {"seed", 's', SEED, offsetof(Options, plan.seed), "Seed of the random numbers (1)"},
    {"length", 'l', LENGTH, offsetof(Options, plan.length),
     "Length of the target, without leading Ns (1M)"},
    {"query-length", 0, COUNT, offsetof(Options, plan.query_length),
     "Cut the query, or fill it up with random bases, to this length, leading Ns included"},
    {"gc", 0, RATE, offsetof(Options, plan.gc), "Share of G and C"},
    {"repeats", 0, RATE, offsetof(Options, plan.repeats), "Share of bases in interspersed repeats"},
    {"tandems", 0, RATE, offsetof(Options, plan.tandems), "Share of bases in tandem arrays"},
    {"substitutions", 0, RATE, offsetof(Options, plan.substitutions), "Substitutions per base"},
    {"indels", 0, RATE, offsetof(Options, plan.indels), "Insertions and deletions per base"},
    {"indel-max", 0, LENGTH, offsetof(Options, plan.indel_max), "Length of the longest of them"},
    {"inversion", 0, COUNT, offsetof(Options, plan.inversion),
     "Length of one inversion in the middle of the query"},
    {"large-insertions", 0, COUNT, offsetof(Options, plan.large_insertions),
     "Large insertions into the query"},
    {"large-deletions", 0, COUNT, offsetof(Options, plan.large_deletions),
     "Large deletions from the query"},
    {"large-length", 0, COUNT, offsetof(Options, plan.large_length), "Length of each of these"},
    {"n-runs", 0, COUNT, offsetof(Options, plan.n_runs), "Runs of N inside each sequence"},
    {"n-run-max", 0, COUNT, offsetof(Options, plan.n_run_max), "Length of the longest run"},
    {"target-leading-n", 0, COUNT, offsetof(Options, plan.target_leading_n),
     "Ns put before the target"},
    {"query-leading-n", 0, COUNT, offsetof(Options, plan.query_leading_n),
     "Ns put before the query"},
    {"line", 0, COUNT, offsetof(Options, line), "Bases per line, 0 for one line (80)"},
};

/* The numbers as they were given, NULL where they were not. */
typedef struct {
    char *texts[G_N_ELEMENTS(numbers)];
} Given;

static void
given_clear(Given *given)
{
    for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
        g_free(given->texts[k]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_clear)

static gboolean usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
usage(GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *message = g_strdup_vprintf(format, values);
    va_end(values);
    g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, message);
    return FALSE;
}

static gboolean
read_arguments(Options *options, Given *given, char **argv, GError **error)
{
    const GOptionEntry before[] = {
        {"preset", 'p', 0, G_OPTION_ARG_STRING, &options->preset,
         "Set of defaults for the options below (human-chimp)", "NAME"},
        G_OPTION_ENTRY_NULL,
    };
    const GOptionEntry after[] = {
        {"unrelated", 0, 0, G_OPTION_ARG_NONE, &options->unrelated,
         "Make the query at random, not from the target", NULL},
        {"target-name", 0, 0, G_OPTION_ARG_STRING, &options->target_name,
         "Name of the target's record (target)", "NAME"},
        {"query-name", 0, 0, G_OPTION_ARG_STRING, &options->query_name,
         "Name of the query's record (query)", "NAME"},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &options->version, "Show the version", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->paths, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    GOptionEntry between[G_N_ELEMENTS(numbers) + 1] = {0};
    for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++) {
        between[k] = (GOptionEntry){
            .long_name = numbers[k].name,
            .short_name = numbers[k].base,
            .arg = G_OPTION_ARG_STRING,
            .arg_data = &given->texts[k],
            .description = numbers[k].description,
            .arg_description = numbers[k].kind == RATE ? "RATE" : "N",
        };
    }
    g_autoptr(GOptionContext) context = g_option_context_new("TARGET.fa[.gz] QUERY.fa[.gz]");
    g_option_context_set_summary(context, "Make a pair of sequences to compare.");
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, before, NULL);
    g_option_context_add_main_entries(context, between, NULL);
    g_option_context_add_main_entries(context, after, NULL);
    g_auto(GStrv) arguments = g_strdupv(argv); /* parsing takes words out of it */
    return g_option_context_parse_strv(context, &arguments, error);
}

static gboolean
parse_rate(const char *name, const char *text, double *rate, GError **error)
{
    char *end;
    double value = g_ascii_strtod(text, &end);
    if (text[0] == '\0' || *end != '\0' || !(value >= 0 && value <= 1))
        return usage(error, "--%s must be from 0 to 1, not '%s'", name, text);
    *rate = value;
    return TRUE;
}

static gboolean
parse_count(const Number *number, const char *text, gint64 *count, GError **error)
{
    static const struct {
        char suffix;
        gint64 factor;
    } units[] = {{'K', 1000}, {'M', 1000000}, {'G', 1000000000}};
    gint64 least = number->kind == LENGTH ? 1 : 0, factor = 1, value;
    gsize length = strlen(text);
    for (gsize k = 0; k < G_N_ELEMENTS(units); k++) {
        if (length > 0 && g_ascii_toupper(text[length - 1]) == units[k].suffix)
            factor = units[k].factor;
    }
    g_autofree char *digits = g_strndup(text, factor > 1 ? length - 1 : length);
    if (!g_ascii_string_to_signed(digits, 10, least, GENOME_MAX_LENGTH / factor, &value, NULL))
        return usage(error,
                     "--%s must be from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                     ", such as 300, 20K, 5M or 1G, not '%s'",
                     number->name, least, GENOME_MAX_LENGTH, text);
    *count = value * factor;
    return TRUE;
}

/* A number that was not given stays as it is. */
static gboolean
parse_number(Options *options, const Number *number, const char *text, GError **error)
{
    void *field = (char *)options + number->field;
    if (text == NULL)
        return TRUE;
    if (number->kind == RATE)
        return parse_rate(number->name, text, field, error);
    if (number->kind != SEED)
        return parse_count(number, text, field, error);
    return g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, field, NULL) ||
           usage(error, "--%s must be a 64-bit integer, not '%s'", number->name, text);
}

static gboolean
parse_numbers(Options *options, const Given *given, GError **error)
{
    for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++) {
        if (!parse_number(options, &numbers[k], given->texts[k], error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
plan_init(GenomePlan *plan, const char *name, gint64 length, GError **error)
{
    const Preset *preset = NULL;
    for (gsize k = 0; k < G_N_ELEMENTS(presets) && preset == NULL; k++) {
        if (strcmp(presets[k].name, name) == 0)
            preset = &presets[k];
    }
    if (preset == NULL)
        return usage(error, "there is no preset '%s'", name);
    *plan = (GenomePlan){
        .seed = 1,
        .length = length,
        .gc = 0.41,
        .repeats = preset->repeats,
        .tandems = preset->tandems,
        .unrelated = preset->unrelated,
        .substitutions = preset->substitutions,
        .indels = preset->indels,
        .indel_max = CLAMP(length / 50, 1, preset->indel_max),
        .large_length = length / 100,
        .n_run_max = MIN(length / 200, 50000),
    };
    if (preset->rearranged) {
        plan->inversion = length / 100;
        plan->large_insertions = 2;
        plan->large_deletions = 1;
        plan->n_runs = 2 + length / 2000000;
    }
    return TRUE;
}

static gboolean
check_name(const char *option, const char *name, GError **error)
{
    return name == NULL || strpbrk(name, "\r\n") == NULL ||
           usage(error, "%s has a line break", option);
}

static gboolean
check_plan(const GenomePlan *plan, GError **error)
{
    if (plan->repeats + plan->tandems > 1)
        return usage(error, "--repeats and --tandems must not be above 1 together");
    if (plan->substitutions + plan->indels > 1)
        return usage(error, "--substitutions and --indels must not be above 1 together");
    if (plan->inversion > plan->length)
        return usage(error, "--inversion must not be above --length, %" G_GINT64_FORMAT,
                     plan->length);
    return TRUE;
}

/* Memory is a folder like others. */
static gboolean
is_device(const char *path)
{
    return g_str_has_prefix(path, "/dev/") && !g_str_has_prefix(path, "/dev/shm/");
}

static gboolean
check_paths(char **paths, GError **error)
{
    if (paths == NULL || g_strv_length(paths) != 2)
        return usage(error, "expected two file names, TARGET and QUERY");
    g_autofree char *target = g_canonicalize_filename(paths[0], NULL);
    g_autofree char *query = g_canonicalize_filename(paths[1], NULL);
    if (strcmp(target, query) == 0 && !is_device(target))
        return usage(error, "%s: target and query must be different files", paths[0]);
    return TRUE;
}

static gboolean
options_parse(Options *options, char **argv, GError **error)
{
    g_auto(Given) given = {0};
    if (!read_arguments(options, &given, argv, error))
        return FALSE;
    if (options->version)
        return TRUE;
    const char *preset = options->preset != NULL ? options->preset : "human-chimp";
    options->plan.length = 1000000;
    options->line = 80;
    if (!parse_numbers(options, &given, error) || /* this time for the length */
        !plan_init(&options->plan, preset, options->plan.length, error) ||
        !parse_numbers(options, &given, error))
        return FALSE;
    options->plan.unrelated = options->plan.unrelated || options->unrelated;
    return check_plan(&options->plan, error) &&
           check_name("--target-name", options->target_name, error) &&
           check_name("--query-name", options->query_name, error) &&
           check_paths(options->paths, error);
}

static gboolean
write_record(BGZF *file, const Genome *genome, const char *header, gint64 line)
{
    static const char bases[] = "ACGTN";
    char text[1 << 16];
    gint64 left_in_line = line > 0 ? line : G_MAXINT64;
    gsize used = 0;
    if (bgzf_write(file, header, strlen(header)) < 0)
        return FALSE;
    for (gint64 i = 0; i < genome->length; i++) {
        if (used + 2 > sizeof text) {
            if (bgzf_write(file, text, used) < 0)
                return FALSE;
            used = 0;
        }
        text[used++] = bases[genome->codes[i]];
        if (--left_in_line == 0 || i + 1 == genome->length) {
            text[used++] = '\n';
            left_in_line = line;
        }
    }
    return bgzf_write(file, text, used) >= 0;
}

typedef struct {
    const char *path; /* what messages call it */
    char *place;      /* the file to replace, links followed; NULL when writing through */
    char *temporary;  /* what to rename; NULL before it is there and after */
} Output;

static void
output_clear(Output *output)
{
    if (output->temporary != NULL)
        g_unlink(output->temporary);
    g_free(output->temporary);
    g_free(output->place);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, output_clear)

static gboolean
output_fail(const Output *output, const char *what, int code, GError **error)
{
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(code), "%s: could not be %s: %s",
                output->path, what, code != 0 ? g_strerror(code) : "unknown failure");
    return FALSE;
}

/* Standard output, devices, pipes and the like have no place that a file could be moved to. */
static gboolean
writes_through(const char *path)
{
    return strcmp(path, "-") == 0 || is_device(path) || g_str_has_prefix(path, "/proc/") ||
           (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR));
}

static gboolean
output_create(Output *output, GError **error)
{
    if (writes_through(output->path))
        return TRUE;
    char *real = realpath(output->path, NULL);
    output->place = g_strdup(real != NULL ? real : output->path);
    free(real);
    if (g_file_test(output->place, G_FILE_TEST_EXISTS) && access(output->place, W_OK) != 0)
        return output_fail(output, "opened for writing", errno, error);
    g_autofree char *folder = g_path_get_dirname(output->place);
    g_autofree char *name = g_build_filename(folder, ".chromosweep-simulate-XXXXXX", NULL);
    int descriptor = g_mkstemp_full(name, O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return output_fail(output, "opened for writing", errno, error);
    close(descriptor);
    output->temporary = g_steal_pointer(&name);
    return TRUE;
}

static gboolean
output_write(const Output *output, const char *header, const Genome *genome, gint64 line,
             GError **error)
{
    gboolean compressed =
        g_str_has_suffix(output->path, ".gz") || g_str_has_suffix(output->path, ".bgz");
    errno = 0;
    BGZF *file = bgzf_open(output->temporary != NULL ? output->temporary : output->path,
                           compressed ? "w" : "wu");
    if (file == NULL)
        return output_fail(output, "opened for writing", errno, error);
    if (compressed)
        bgzf_mt(file, (int)MIN(g_get_num_processors(), 8), 64); /* failing, it stays serial */
    errno = 0;
    gboolean written = write_record(file, genome, header, line);
    int code = errno;
    if (bgzf_close(file) != 0 && written) {
        written = FALSE;
        code = errno;
    }
    return written || output_fail(output, "written", code, error);
}

static gboolean
output_finish(Output *output, GError **error)
{
    if (output->temporary == NULL)
        return TRUE;
    if (g_rename(output->temporary, output->place) != 0)
        return output_fail(output, "written", errno, error);
    g_clear_pointer(&output->temporary, g_free);
    return TRUE;
}

static char *
make_header(const char *name, const char *otherwise, gint64 seed)
{
    return g_strdup_printf(">%s chromosweep-simulate, seed %" G_GINT64_FORMAT "\n",
                           name != NULL ? name : otherwise, seed);
}

static gboolean
simulate(const Options *options, GError **error)
{
    g_auto(Genome) target = {0};
    g_auto(Genome) query = {0};
    const GenomePlan *plan = &options->plan;
    if (!genome_make_pair(plan, &target, &query, error))
        return FALSE;
    if (query.length == 0) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                    "%s: deletions left no bases of the query", options->paths[1]);
        return FALSE;
    }
    g_autofree char *target_header = make_header(options->target_name, "target", plan->seed);
    g_autofree char *query_header = make_header(options->query_name, "query", plan->seed);
    g_auto(Output) target_file = {.path = options->paths[0]};
    g_auto(Output) query_file = {.path = options->paths[1]};
    return output_create(&target_file, error) && output_create(&query_file, error) &&
           output_write(&target_file, target_header, &target, options->line, error) &&
           output_write(&query_file, query_header, &query, options->line, error) &&
           output_finish(&target_file, error) && output_finish(&query_file, error);
}

int
main(int argc G_GNUC_UNUSED, char **argv)
{
    setlocale(LC_ALL, "");
    hts_set_log_level(HTS_LOG_OFF);
    g_auto(Options) options = {0};
    g_autoptr(GError) error = NULL;
    if (!options_parse(&options, argv, &error)) {
        g_printerr("chromosweep-simulate: %s (see --help)\n", error->message);
        return 2;
    }
    if (options.version) {
        g_print("chromosweep-simulate %s\n", SIMULATE_VERSION);
        return 0;
    }
    if (!simulate(&options, &error)) {
        g_printerr("chromosweep-simulate: %s\n", error->message);
        return 1;
    }
    return 0;
}
