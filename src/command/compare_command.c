/* chromosweep compare: the best local alignment of two sequences: its score, start and end. */
#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/compare_command.h"
#include "command/help.h"
#include "command/inputs.h"
#include "command/log_file.h"
#include "command/many_pairs.h"
#include "command/print.h"
#include "command/run.h"
#include "command/run_arguments.h"
#include "command/set_arguments.h"
#include "command/signals.h"

static const char help_top[] =
    "Usage: chromosweep compare [options] TARGET.fa QUERY.fa\n"
    "\n"
    "Finds the exact score of the best local alignment of two nucleotide sequences,\n"
    "where it starts and where it ends (Smith-Waterman with affine gaps). The files\n"
    "are FASTA, plain, gzip or bgzip. One of them may be -, standard input.\n";

static const char help_options[] =
    "\n" CS_RUN_HELP_INPUTS
    "      --all-pairs         compare all pairs of records; prints one row per pair\n"
    "      --pairs FILE        compare only the pairs in FILE (target TAB query)\n"
    "+     --min-score N       leave out pairs that score less than N\n"
    "+     --circular WHICH    treat target, query or both as circular [neither]\n"
    "+     --no-start          find only the end of the alignment, not its start\n"
    "      --format FORMAT     text, tsv or json [by FILE's name, else text]\n"
    "+                         Many pairs are written as tsv.\n" CS_RUN_HELP_COLUMNS
    "  -o, --output FILE       write the result to FILE [standard output]\n"
    "Checkpoints:\n"
    "      --checkpoint DIR    save the state in DIR regularly, and resume from "
    "it\n" CS_RUN_HELP_CHECKPOINT
    "+     --no-resume         start over; the states in DIR are kept\n" CS_RUN_HELP;

static const char help_bottom[] =
    "+\n"
    "+Regions: positions count from 1, and a region includes both ends. Write {NAME}\n"
    "+if the name itself contains a colon. Starts and ends of alignments are\n"
    "+positions in the whole record.\n"
    "+\n"
    "+Strands: plus, or +, is the query as it is; minus, or -, its reverse complement.\n"
    "+Starts and ends are positions on the forward strand, start <= end. With both,\n"
    "+the strand with the higher score is reported.\n"
    "+\n"
    "+Starts: the sweep keeps special rows of the matrix, through which the alignment\n"
    "+is traced back. With --no-start only the end is known; on minus, that is the\n"
    "+start in the query.\n"
    "+\n"
    "+Circular records: with --circular an alignment may run over the origin; its end\n"
    "+is then less than its start. It has each base at most once. --circular cannot\n"
    "+be used with a region of that record. --no-start then saves no time.\n"
    "+\n"
    "+Skipping: cells that cannot change the result need not be computed. auto skips\n"
    "+cells only when that saves time. best skips cells that cannot reach the best\n"
    "+score so far. bounds first finds the score of some alignment, and skips cells\n"
    "+from which no alignment can reach that score. none computes every cell. The\n"
    "+result is the same with any of them.\n"
    "+\n"
    "+Signals: with --checkpoint, SIGTERM and SIGINT save the state and stop; a second\n"
    "+signal stops at once. SIGUSR1 saves the state, and the run continues.\n"
    "+\n" CS_RUN_HELP_DEVICES CS_RUN_HELP_STATUS "\n"
    "Examples:\n"
    "  chromosweep compare sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep compare --strand both -r ape_target:30,001- \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep compare --format json -o ape.json \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep compare --checkpoint run -o ape.txt \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep compare --all-pairs -o all.tsv \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n";

/* The options that compare does not share with resume. */
typedef struct {
    CsInputsArguments pair;
    CsManyPairsArguments many;
    char *strand, *checkpoint, *circular;
    gboolean no_resume, no_start, verify;
    gboolean one_to_one, all, self; /* with verifies */
    char *number, *max_drop;
} Arguments;

static void
arguments_clear(Arguments *a)
{
    cs_inputs_arguments_clear(&a->pair);
    cs_many_pairs_arguments_clear(&a->many);
    g_free(a->strand);
    g_free(a->checkpoint);
    g_free(a->number);
    g_free(a->max_drop);
    g_free(a->circular);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean
arguments_parse(const CsLikeCompare *like, Arguments *a, CsRunArguments *run, int argc, char **argv,
                GError **error)
{
    const GOptionEntry entries[] = {
        CS_INPUTS_ENTRIES(&a->pair),
        CS_MANY_PAIRS_ENTRIES(&a->many),
        {"strand", 0, 0, G_OPTION_ARG_FILENAME, &a->strand, NULL, NULL},
        {"circular", 0, 0, G_OPTION_ARG_FILENAME, &a->circular, NULL, NULL},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint, NULL, NULL},
        {"no-resume", 0, 0, G_OPTION_ARG_NONE, &a->no_resume, NULL, NULL},
        {"no-start", 0, 0, G_OPTION_ARG_NONE, &a->no_start, NULL, NULL},
        {like->verifies ? "verify" : NULL, 0, 0, G_OPTION_ARG_NONE, &a->verify, NULL, NULL},
        {"one-to-one", 0, 0, G_OPTION_ARG_NONE, &a->one_to_one, NULL, NULL},
        {"all", 0, 0, G_OPTION_ARG_NONE, &a->all, NULL, NULL},
        {"self", 0, 0, G_OPTION_ARG_NONE, &a->self, NULL, NULL},
        {"max-drop", 0, 0, G_OPTION_ARG_FILENAME, &a->max_drop, NULL, NULL},
        {"number", 'n', 0, G_OPTION_ARG_FILENAME, &a->number, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_run_arguments_parse(run, entries, argc, argv, error);
}

/* The format of the result; without --format, the one that the output's name stands for. */
static CsFormat
written_format(const CsRunJob *job, const CsRunArguments *run)
{
    if (run->format != NULL || run->columns != NULL || job->output == NULL)
        return job->format;
    return g_str_has_suffix(job->output, ".tsv")    ? CS_FORMAT_TSV
           : g_str_has_suffix(job->output, ".json") ? CS_FORMAT_JSON
                                                    : job->format;
}

/* The set that a plan is for, if it is for one. The least score is then that of its alignments. */
static gboolean
set_init(Arguments *a, CsRunJob *job, CsAlignSetOptions *set, GError **error)
{
    const CsSetArguments of_set = {a->one_to_one,     a->all,    a->self,
                                   a->many.min_score, a->number, a->max_drop};
    gint64 max_drop = -1;
    if (!cs_set_arguments_is_wanted(&of_set))
        return (a->number == NULL && a->max_drop == NULL && !a->self) ||
               cs_arguments_usage(error, "--self, --max-drop and -n need --one-to-one or --all");
    if (!cs_arguments_number("--max-drop", a->max_drop, 0, G_MAXINT64, &max_drop, error) ||
        !cs_set_arguments_read(&of_set, max_drop, set, error))
        return FALSE;
    if (a->many.pairs != NULL || a->verify || a->no_start)
        return cs_arguments_usage(error,
                                  "a set of alignments cannot be used with --pairs, --verify "
                                  "or --no-start");
    g_clear_pointer(&a->many.min_score, g_free);
    if (a->strand == NULL)
        a->strand = g_strdup("both");
    if (set->max_drop < 0)
        set->max_drop = cs_set_arguments_drop(set, &job->inputs.scoring);
    job->set = set;
    return TRUE;
}

static gboolean
job_init(CsRunJob *job, Arguments *a, const CsRunArguments *run, CsAlignSetOptions *set,
         GError **error)
{
    if (!cs_run_arguments_job(run, job, error) ||
        !cs_inputs_init(&job->inputs, &a->pair, run->rest, error) || !set_init(a, job, set, error))
        return FALSE;
    job->inputs.may_be_many = TRUE;
    job->options.no_start = a->no_start;
    job->options.verify = a->verify;
    if (a->verify && (a->no_start || cs_many_pairs_is_wanted(&a->many)))
        return cs_arguments_usage(error,
                                  "--verify is for align, which takes neither many pairs nor "
                                  "--no-start");
    if (!cs_run_arguments_strand(a->strand, &job->options.strand, error) ||
        !cs_run_arguments_circular(a->circular, &job->options.circular, error) ||
        !cs_run_arguments_checkpoint(run, a->checkpoint, a->no_resume, job, error) ||
        !cs_many_pairs_check(&a->many, run, job, error))
        return FALSE;
    job->written = written_format(job, run);
    return TRUE;
}

int
cs_compare_command_like(const CsLikeCompare *like, int argc, char **argv)
{
    g_auto(Arguments) arguments = {0};
    g_auto(CsRunArguments) run = {0};
    g_autoptr(GError) error = NULL;
    CsAlignSetOptions set;
    CsRunJob job;
    if (!arguments_parse(like, &arguments, &run, argc, argv, &error))
        return cs_print_failure(like->who, error);
    if (cs_help_is_wanted(&run.help)) {
        g_autofree char *help = g_strconcat(like->help_top, help_options, like->help_bottom, NULL);
        return cs_help_print(&run.help, help);
    }
    if (cs_run_arguments_ask_for_columns(&run)) {
        g_autofree char *list = cs_columns_help(&cs_result_columns);
        return cs_print_text(list);
    }
    if (!job_init(&job, &arguments, &run, &set, &error))
        return cs_print_failure(like->who, error);
    return like->run(&job, &arguments.many);
}

/* One pair or many. */
static int
compare(CsRunJob *job, const CsManyPairsArguments *many)
{
    g_autoptr(GError) error = NULL;
    job->format = job->written;
    if (!cs_log_file_open(job, many->pairs, &error))
        return cs_print_failure("chromosweep compare", error);
    return cs_many_pairs_is_wanted(many) ? cs_many_pairs_run(job, many) : cs_run_job(job);
}

int
cs_compare_command(int argc, char **argv)
{
    const CsLikeCompare like = {"chromosweep compare", help_top, help_bottom, FALSE, compare};
    cs_signals_watch_save();
    return cs_compare_command_like(&like, argc, argv);
}
