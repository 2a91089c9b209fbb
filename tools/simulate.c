/*
 * chromosweep-simulate: a pair of related (or unrelated) sequences as two FASTA files.
 *
 * Options are parsed twice: first for the preset and the length, which set the defaults of the
 * others, then over those defaults.
 */
#include <errno.h>
#include <locale.h>
#include <string.h>

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
    "TARGET and QUERY are written as FASTA, compressed as bgzip does where a name ends in .gz or\n"
    ".bgz. The same options give the same letters on every machine. The target is an ancestor "
    "with\n"
    "repeats; the query is its copy with changes, in this order: substitutions and small indels,\n"
    "one inversion, large insertions and deletions, Ns. Insertions and deletions are as frequent,\n"
    "and P(length >= k) = 1/k up to --indel-max.\n"
    "\n"
    "Presets, with the letters' GC at 0.41; options given beside one win over it:\n"
    "  human-chimp   substitutions 0.013, indels 0.0012 of up to 10,000 letters (at most "
    "length/50),\n"
    "                repeats 0.45, tandems 0.03, an inversion of length/100, two large insertions "
    "and\n"
    "                one large deletion of length/100, 2 + length/2,000,000 runs of N in each\n"
    "  identical-99, identical-95, identical-90, identical-80\n"
    "                differences at that share of the letters, nine substitutions for each indel "
    "of\n"
    "                up to 50 letters; repeats 0.10, tandems 0.01\n"
    "  unrelated     two random sequences without repeats\n"
    "\n"
    "Exit status: 0 done, 1 output failed or memory ran out, 2 usage.\n"
    "\n"
    "Example, as human chromosome 21 with its leading Ns beside that of the chimpanzee:\n"
    "  chromosweep-simulate --length 30000000 --query-leading-n 6000000 target.fa.gz query.fa.gz";

typedef struct {
    GenomePlan plan;
    char *preset;
    char *target_name;
    char *query_name;
    gint64 line;
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

static gboolean
options_parse_over(Options *options, char **argv, GError **error)
{
    GenomePlan *plan = &options->plan;
    const GOptionEntry entries[] = {
        {"preset", 'p', 0, G_OPTION_ARG_STRING, &options->preset,
         "What the options below default to (human-chimp)", "NAME"},
        {"seed", 's', 0, G_OPTION_ARG_INT64, &plan->seed, "Seed of the random letters (1)", "N"},
        {"length", 'l', 0, G_OPTION_ARG_INT64, &plan->length,
         "Letters of the target, without leading Ns (1000000)", "N"},
        {"query-length", 0, 0, G_OPTION_ARG_INT64, &plan->query_length,
         "Cut the query, or fill it up with random letters, to this length, leading Ns included",
         "N"},
        {"gc", 0, 0, G_OPTION_ARG_DOUBLE, &plan->gc, "Share of G and C", "RATE"},
        {"repeats", 0, 0, G_OPTION_ARG_DOUBLE, &plan->repeats,
         "Share of letters in interspersed repeats", "RATE"},
        {"tandems", 0, 0, G_OPTION_ARG_DOUBLE, &plan->tandems, "Share of letters in tandem arrays",
         "RATE"},
        {"substitutions", 0, 0, G_OPTION_ARG_DOUBLE, &plan->substitutions, "Substitutions a letter",
         "RATE"},
        {"indels", 0, 0, G_OPTION_ARG_DOUBLE, &plan->indels, "Insertions and deletions a letter",
         "RATE"},
        {"indel-max", 0, 0, G_OPTION_ARG_INT64, &plan->indel_max, "Letters of the longest of them",
         "N"},
        {"inversion", 0, 0, G_OPTION_ARG_INT64, &plan->inversion,
         "Letters of one inversion in the middle of the query", "N"},
        {"large-insertions", 0, 0, G_OPTION_ARG_INT64, &plan->large_insertions,
         "Large insertions into the query", "COUNT"},
        {"large-deletions", 0, 0, G_OPTION_ARG_INT64, &plan->large_deletions,
         "Large deletions from the query", "COUNT"},
        {"large-length", 0, 0, G_OPTION_ARG_INT64, &plan->large_length, "Letters of each of those",
         "N"},
        {"n-runs", 0, 0, G_OPTION_ARG_INT64, &plan->n_runs, "Runs of N inside each sequence",
         "COUNT"},
        {"n-run-max", 0, 0, G_OPTION_ARG_INT64, &plan->n_run_max, "Letters of the longest run",
         "N"},
        {"target-leading-n", 0, 0, G_OPTION_ARG_INT64, &plan->target_leading_n,
         "Ns put before the target", "N"},
        {"query-leading-n", 0, 0, G_OPTION_ARG_INT64, &plan->query_leading_n,
         "Ns put before the query", "N"},
        {"unrelated", 0, 0, G_OPTION_ARG_NONE, &plan->unrelated,
         "Make the query on its own, not from the target", NULL},
        {"target-name", 0, 0, G_OPTION_ARG_STRING, &options->target_name,
         "Name of the target's record (target)", "NAME"},
        {"query-name", 0, 0, G_OPTION_ARG_STRING, &options->query_name,
         "Name of the query's record (query)", "NAME"},
        {"line", 0, 0, G_OPTION_ARG_INT64, &options->line, "Letters a line, 0 for one line (80)",
         "N"},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->paths, NULL, NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("TARGET.fa[.gz] QUERY.fa[.gz]");
    g_option_context_set_summary(context, "Make a pair of sequences to compare.");
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, entries, NULL);
    g_auto(GStrv) arguments = g_strdupv(argv); /* parsing takes words out of it */
    return g_option_context_parse_strv(context, &arguments, error);
}

static gboolean
plan_init(GenomePlan *plan, const char *name, gint64 length, GError **error)
{
    const Preset *preset = NULL;
    for (gsize k = 0; k < G_N_ELEMENTS(presets) && preset == NULL; k++) {
        if (strcmp(presets[k].name, name) == 0)
            preset = &presets[k];
    }
    if (preset == NULL) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "no preset is called '%s'",
                    name);
        return FALSE;
    }
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
check_rate(const char *option, double rate, GError **error)
{
    if (rate >= 0 && rate <= 1)
        return TRUE;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s is not from 0 to 1", option);
    return FALSE;
}

static gboolean
check_count(const char *option, gint64 count, gint64 least, GError **error)
{
    if (count >= least && count <= GENOME_MAX_LENGTH)
        return TRUE;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "%s is not from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, option, least,
                GENOME_MAX_LENGTH);
    return FALSE;
}

static gboolean
check_name(const char *option, const char *name, GError **error)
{
    if (name == NULL || strpbrk(name, "\r\n") == NULL)
        return TRUE;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s has a line break", option);
    return FALSE;
}

static gboolean
options_check(const Options *options, GError **error)
{
    const GenomePlan *plan = &options->plan;
    return check_count("--length", plan->length, 1, error) &&
           check_count("--query-length", plan->query_length, 0, error) &&
           check_rate("--gc", plan->gc, error) && check_rate("--repeats", plan->repeats, error) &&
           check_rate("--tandems", plan->tandems, error) &&
           check_rate("--substitutions", plan->substitutions, error) &&
           check_rate("--indels", plan->indels, error) &&
           check_rate("the sum of --repeats and --tandems", plan->repeats + plan->tandems, error) &&
           check_rate("the sum of --substitutions and --indels", plan->substitutions + plan->indels,
                      error) &&
           check_count("--indel-max", plan->indel_max, 1, error) &&
           check_count("--inversion", plan->inversion, 0, error) &&
           check_count("--large-insertions", plan->large_insertions, 0, error) &&
           check_count("--large-deletions", plan->large_deletions, 0, error) &&
           check_count("--large-length", plan->large_length, 0, error) &&
           check_count("--n-runs", plan->n_runs, 0, error) &&
           check_count("--n-run-max", plan->n_run_max, 0, error) &&
           check_count("--target-leading-n", plan->target_leading_n, 0, error) &&
           check_count("--query-leading-n", plan->query_leading_n, 0, error) &&
           check_count("--line", options->line, 0, error) &&
           check_name("--target-name", options->target_name, error) &&
           check_name("--query-name", options->query_name, error);
}

static gboolean
options_parse(Options *options, char **argv, GError **error)
{
    g_auto(Options) first = {.plan.length = 1000000};
    if (!options_parse_over(&first, argv, error) ||
        !check_count("--length", first.plan.length, 1, error) ||
        !plan_init(&options->plan, first.preset != NULL ? first.preset : "human-chimp",
                   first.plan.length, error))
        return FALSE;
    options->line = 80;
    if (!options_parse_over(options, argv, error) || !options_check(options, error))
        return FALSE;
    if (options->paths == NULL || g_strv_length(options->paths) != 2) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                    "two file names are needed, the target's and the query's");
        return FALSE;
    }
    if (strcmp(options->paths[0], options->paths[1]) == 0 &&
        strncmp(options->paths[0], "/dev/", 5) != 0) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s: target and query cannot be the same file", options->paths[0]);
        return FALSE;
    }
    return TRUE;
}

static gboolean
write_record(BGZF *file, const Genome *genome, const char *header, gint64 line)
{
    static const char letters[] = "ACGTN";
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
        text[used++] = letters[genome->codes[i]];
        if (--left_in_line == 0 || i + 1 == genome->length) {
            text[used++] = '\n';
            left_in_line = line;
        }
    }
    return bgzf_write(file, text, used) >= 0;
}

/* A file left half written would look like a shorter sequence, so it is removed. */
static gboolean
write_fasta(const char *path, const char *name, gint64 seed, const Genome *genome, gint64 line,
            GError **error)
{
    gboolean compressed = g_str_has_suffix(path, ".gz") || g_str_has_suffix(path, ".bgz");
    g_autofree char *header =
        g_strdup_printf(">%s chromosweep-simulate, seed %" G_GINT64_FORMAT "\n", name, seed);
    errno = 0;
    BGZF *file = bgzf_open(path, compressed ? "w" : "wu");
    gboolean opened = file != NULL;
    gboolean written = FALSE;
    int failure = errno;
    if (opened) {
        if (compressed)
            bgzf_mt(file, (int)MIN(g_get_num_processors(), 8), 64); /* failing, it stays serial */
        errno = 0;
        written = write_record(file, genome, header, line);
        failure = errno;
        gboolean closed = bgzf_close(file) == 0;
        if (written && !closed)
            failure = errno;
        written = written && closed;
    }
    if (written)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(failure), "%s: %s: %s", path,
                opened ? "could not be written" : "could not be opened for writing",
                failure != 0 ? g_strerror(failure) : "unknown failure");
    if (opened && g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_unlink(path);
    return FALSE;
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
                    "%s: deletions left no letter of the query", options->paths[1]);
        return FALSE;
    }
    const char *target_name = options->target_name != NULL ? options->target_name : "target";
    const char *query_name = options->query_name != NULL ? options->query_name : "query";
    return write_fasta(options->paths[0], target_name, plan->seed, &target, options->line, error) &&
           write_fasta(options->paths[1], query_name, plan->seed, &query, options->line, error);
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
    if (!simulate(&options, &error)) {
        g_printerr("chromosweep-simulate: %s\n", error->message);
        return 1;
    }
    return 0;
}
