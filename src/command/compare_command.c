/* chromosweep compare: the best local alignment of two sequences, its score and where it ends. */
#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/compare_command.h"
#include "command/inputs.h"
#include "command/log_file.h"
#include "command/many_pairs.h"
#include "command/print.h"
#include "command/run.h"
#include "command/run_arguments.h"
#include "command/signals.h"

static const char help_top[] =
    "Usage: chromosweep compare [options] TARGET.fa QUERY.fa\n"
    "\n"
    "Finds the score of the best local alignment of two nucleotide sequences and\n"
    "the last base of it in each, counted from 1 (Smith-Waterman with affine\n"
    "gaps, exact). The files are FASTA, plain, gzip or bgzip; one of the two may be\n"
    "-, standard input.\n";

static const char help_options[] =
    "\n"
    "Scoring: a gap of k bases costs open + k * extend, so that by default the\n"
    "first base costs 5 and each next one 2, as in the CUDAlign paper.\n"
    "  -A, --match N           what a pair of equal bases adds [1]\n"
    "  -B, --mismatch N        what a pair of different bases costs [3]\n"
    "  -O, --gap-open N        what a gap costs beside its bases [3]\n"
    "  -E, --gap-extend N      what each base of a gap costs [2]\n"
    "Input and output:\n"
    "      --target-name NAME  the record of TARGET.fa to take, by its first word\n"
    "      --query-name NAME   the record of QUERY.fa to take\n"
    "  -r, --target-region R   NAME, NAME:FROM-TO or NAME:FROM- of TARGET.fa; {NAME}\n"
    "                          for a name with a colon; ends count in the record\n"
    "  -R, --query-region R    the same of QUERY.fa\n"
    "      --strand STRAND     plus, minus or both (the better) of the query; minus\n"
    "                          is its reverse complement, with ends on the forward\n"
    "                          strand: the query's is then the smallest [plus]\n"
    "      --all-pairs         every record of TARGET.fa against each of QUERY.fa: a\n"
    "                          row a pair, tsv or json, as soon as it is done\n"
    "      --pairs FILE        of them those in FILE: lines of a target's name, a tab\n"
    "                          and a query's name\n"
    "      --min-score N       no rows of pairs that score less\n"
    "      --format FORMAT     text, tsv or json [text]\n"
    "  -o, --output FILE       where the result goes [standard output]\n"
    "Checkpoints, for runs that something may interrupt:\n"
    "      --checkpoint DIR    save the state in DIR and go on from what it "
    "holds\n" CS_RUN_HELP_CHECKPOINT
    "      --no-resume         begin anew beside what DIR holds\n" CS_RUN_HELP;

static const char help_bottom[] =
    "\n"
    "Signals, with --checkpoint: SIGTERM and SIGINT save and end the program, a\n"
    "second one ends it at once; SIGUSR1 saves and goes on.\n"
    "\n"
    "Exit status: 0 done, 1 input, output or other failure, 2 wrong usage,\n"
    "3 malformed content, 4 no such device or too little memory, 5 the checkpoint is\n"
    "damaged, in use or of another comparison, 75 stopped at the time limit.\n"
    "\n"
    "Examples:\n"
    "  chromosweep compare human_MT.fa.gz orang_MT.fa.gz\n"
    "  chromosweep compare --format json -o result.json target.fa query.fa\n"
    "  chromosweep compare --strand both -r chr21:5,000,001- human.fa chimp21.fa\n"
    "  chromosweep compare --checkpoint run -o result.txt target.fa query.fa\n"
    "  chromosweep compare --all-pairs --checkpoint run -o all.tsv a.fa b.fa\n";

/* The options beside those that compare shares with resume. */
typedef struct {
    CsInputsArguments pair;
    CsManyPairsArguments many;
    char *strand, *checkpoint;
    gboolean no_resume;
} Arguments;

static void
arguments_clear(Arguments *a)
{
    cs_inputs_arguments_clear(&a->pair);
    cs_many_pairs_arguments_clear(&a->many);
    g_free(a->strand);
    g_free(a->checkpoint);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean
arguments_parse(Arguments *a, CsRunArguments *run, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        CS_INPUTS_ENTRIES(&a->pair),
        CS_MANY_PAIRS_ENTRIES(&a->many),
        {"strand", 0, 0, G_OPTION_ARG_FILENAME, &a->strand, NULL, NULL},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint, NULL, NULL},
        {"no-resume", 0, 0, G_OPTION_ARG_NONE, &a->no_resume, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_run_arguments_parse(run, entries, argc, argv, error);
}

/* An absent text leaves the strand as it is. */
static gboolean
parse_strand(const char *text, CsStrand *strand, GError **error)
{
    static const char *const strands[] = {"plus", "minus", "both", NULL};
    guint place = *strand;
    if (!cs_arguments_choice("--strand", text, strands, &place, error))
        return FALSE;
    *strand = (CsStrand)place;
    return TRUE;
}

static gboolean
parse_checkpoint(CsRunJob *job, const Arguments *a, const CsRunArguments *run, GError **error)
{
    const char *needy = run->checkpoint_interval != NULL ? "--checkpoint-interval"
                        : run->cleanup                   ? "--checkpoint-cleanup"
                        : a->no_resume                   ? "--no-resume"
                        : run->max_time != NULL          ? "--max-time"
                                                         : NULL;
    if (a->checkpoint == NULL && needy != NULL)
        return cs_arguments_usage(error, "%s needs --checkpoint", needy);
    if (a->checkpoint != NULL && a->checkpoint[0] == '\0')
        return cs_arguments_usage(error, "the name of the checkpoint's directory is empty");
    job->options.checkpoint = a->checkpoint;
    job->options.checkpoint_fresh = a->no_resume;
    job->may_begin_anew = TRUE;
    return TRUE;
}

static gboolean
job_init(CsRunJob *job, const Arguments *a, const CsRunArguments *run, GError **error)
{
    if (!cs_run_arguments_job(run, job, error) ||
        !cs_inputs_init(&job->inputs, &a->pair, run->rest, error))
        return FALSE;
    job->inputs.may_be_many = TRUE;
    return parse_strand(a->strand, &job->options.strand, error) &&
           parse_checkpoint(job, a, run, error) && cs_many_pairs_check(&a->many, run, job, error);
}

int
cs_compare_command_like(const CsLikeCompare *like, int argc, char **argv)
{
    g_auto(Arguments) arguments = {0};
    g_auto(CsRunArguments) run = {0};
    g_autoptr(GError) error = NULL;
    CsRunJob job;
    if (!arguments_parse(&arguments, &run, argc, argv, &error))
        return cs_print_failure(like->who, error);
    if (run.help) {
        g_autofree char *help = g_strconcat(like->help_top, help_options, like->help_bottom, NULL);
        return cs_print_text(help);
    }
    if (run.version)
        return cs_print_version();
    if (!job_init(&job, &arguments, &run, &error))
        return cs_print_failure(like->who, error);
    return like->run(&job, &arguments.many);
}

/* One pair or many. */
static int
compare(CsRunJob *job, const CsManyPairsArguments *many)
{
    g_autoptr(GError) error = NULL;
    if (!cs_log_file_open(job, many->pairs, &error))
        return cs_print_failure("chromosweep compare", error);
    return cs_many_pairs_is_wanted(many) ? cs_many_pairs_run(job, many) : cs_run_job(job);
}

int
cs_compare_command(int argc, char **argv)
{
    const CsLikeCompare like = {"chromosweep compare", help_top, help_bottom, compare};
    cs_signals_watch_save();
    return cs_compare_command_like(&like, argc, argv);
}
