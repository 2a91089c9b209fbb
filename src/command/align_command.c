/* chromosweep align: the best local alignment of two sequences, base by base. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/inputs.h"
#include "command/log_file.h"
#include "command/print.h"
#include "command/resuming.h"
#include "command/run.h"
#include "command/run_arguments.h"
#include "command/set_arguments.h"
#include "command/signals.h"
#include "formats/escape.h"

#define WHO "chromosweep align"

/* In parts, because no string of C99 need be longer than 4095 characters. */
static const char help_top[] =
    "Usage: chromosweep align [options] TARGET.fa QUERY.fa\n"
    "       chromosweep align [options] --checkpoint DIR\n"
    "\n"
    "Finds the best local alignment of two nucleotide sequences, or a set of them,\n"
    "and writes PAF or another format. compare reports score, start and end.\n"
    "+\n"
    "+If several alignments are equally good, gaps are as far left in the target as\n"
    "+they can be. The alignment is the same with any device and number of threads.\n"
    "\n" CS_RUN_HELP_INPUTS
    "      --format FORMAT     paf, sam, bam, cram, maf, chain, text, tsv or\n"
    "                          json [by FILE's name, else paf]\n"
    "+     --columns LIST      tsv with these columns; help lists them [all]\n"
    "+     --cigar HOW         eqx (= and X) or m (M for both) [eqx]\n"
    "+     --cs                add the differences to PAF, in a cs tag\n"
    "+     --swap              write a chain that lifts positions of the query to the\n"
    "+                         target, not those of the target to the query\n"
    "+     --write-index       write an index beside BAM (FILE.csi), bgzipped SAM\n"
    "+                         (FILE.csi) or CRAM (FILE.crai)\n"
    "+     --max-drop N        split the alignment at score drops of more than N\n"
    "      --one-to-one        find several alignments; each base is in at most one\n"
    "      --all               find several alignments; no two share a pair of bases\n"
    "+     --self              with --all: compare a sequence with itself\n"
    "      --min-score N       with these, only those that score at least N\n"
    "+ -n, --number N          with these, only the first N\n"
    "+     --all-pairs         find one set between all records of both files: a map\n"
    "+                         of two assemblies\n"
    "+     --circular WHICH    treat target, query or both as circular [neither]\n"
    "+     --verify            prove the score a second time, in about the same time\n"
    "  -o, --output FILE       write to FILE [standard output]; .gz is compressed\n"
    "+                         as bgzip does it\n";

static const char help_checkpoints[] =
    "Checkpoints:\n"
    "      --checkpoint DIR    save the state in DIR regularly, and resume from "
    "it\n" CS_RUN_HELP_CHECKPOINT
    "+     --no-resume         start over; the states in DIR are kept\n" CS_RUN_HELP;

static const char help_bottom[] =
    "+\n"
    "+Stages: align first does what compare does, and keeps special rows of the\n"
    "+matrix; then it traces the alignment back through them. Fewer rows take more\n"
    "+time, never another alignment. If there are none, as after a compare with\n"
    "+--no-start, the matrix is swept once more as far as the end of the alignment.\n"
    "+That keeps rows of up to 32 MiB and 4 bytes for each base of the shorter\n"
    "+sequence, even if --row-budget is less.\n"
    "+\n"
    "+Checkpoints: every stage is resumed, including --verify. With DIR alone the\n"
    "+files, records, regions, strand and scoring are those of the run that made the\n"
    "+checkpoint, which may be one of compare. The alignment stays in DIR, so align\n"
    "+after a complete compare, or in another format, takes next to no time. A set\n"
    "+continues with the sweep that was stopped, even with another -n or --min-score.\n"
    "+Another rule or --max-drop makes another set, and is refused.\n"
    "+\n"
    "+Verifying: the alignment is always scored anew from the bases before it is\n"
    "+written. --verify also sweeps the reversed sequences, on all strands that were\n"
    "+compared. If an alignment scored more than the one that was found, this sweep\n"
    "+would find it. The exit status is 1 if it finds another score. With DIR a proof\n"
    "+that is complete is not repeated.\n"
    "+\n"
    "+Regions: positions count from 1, and a region includes both ends. Write {NAME}\n"
    "+if the name itself contains a colon. Positions of the alignment are those in\n"
    "+the whole record: from 0 in PAF, MAF and chain, from 1 in the other formats.\n"
    "+\n"
    "+Strands: plus, or +, is the query as it is; minus, or -, its reverse complement.\n"
    "+Positions are those on the forward strand, but MAF and chain count those of\n"
    "+minus from the other end. With both, the better strand is written.\n"
    "+\n"
    "+Formats: text shows the bases in rows of 60. tsv has positions and counts, json\n"
    "+has these and the CIGAR. chain is what liftOver and CrossMap take. CRAM contains\n"
    "+all bases and needs no reference; readers show = and X of its CIGAR as M.\n"
    "+\n"
    "+Drops: the best alignment may bridge a stretch that costs more than it is worth\n"
    "+to you, because what follows earns more. A warning reports stretches that score\n"
    "+less than -10,000 matches. --max-drop leaves out stretches that score less than\n"
    "+-N: each piece begins and ends with a match, has no such drop within, and scores\n"
    "+more than N. Each piece has a line or a block of its own; in SAM, BAM and CRAM\n"
    "+it has a record, and all but the one with the highest score are supplementary.\n"
    "+\n";

static const char help_more[] =
    "+One-to-one: the best alignment comes first, and takes the bases from its start\n"
    "+to its end. The next one is the best that spans no taken base, and so on. Both\n"
    "+strands are searched unless --strand is given. Each alignment is split at drops\n"
    "+of --max-drop [--min-score; without it 10,000 matches], and only its pieces take\n"
    "+bases, so an inversion that it bridges is found, too. --min-score counts before\n"
    "+the split. A message on standard error says how much the alignments cover, and\n"
    "+how many inversions, translocations and duplications there are.\n"
    "+\n"
    "+All: the best alignment of a strand comes first, then the best that has no pair\n"
    "+of bases in common with those before it, and so on. The lists of both strands\n"
    "+are merged by score. A base may belong to several, as in repeats. Those that\n"
    "+mostly repeat better ones in the query are secondary (tp:A:S in PAF, flag 256 in\n"
    "+SAM). The whole matrix of each strand is computed once, and then, on the CPU,\n"
    "+the parts around alignments, so a low --min-score takes long. With --self\n"
    "+TARGET.fa and QUERY.fa are the same: the alignment of each base with itself is\n"
    "+left out, and each repeat is written once.\n"
    "+\n"
    "+All pairs: with --one-to-one each base of all records of both files belongs to\n"
    "+one alignment, so the set is a map of two assemblies. With --all the lists of\n"
    "+all pairs of records are merged by score. The same command resumes a checkpoint.\n"
    "+\n"
    "+Circular records: with --circular an alignment may run over the origin. It has\n"
    "+each base at most once. It is written as two pieces, one on each side of the\n"
    "+origin; in JSON as one whose end is less than its start. --circular cannot be\n"
    "+used with --verify or with a region of that record. With --all-pairs, all\n"
    "+records of the file are circular; with --self, both target and query are.\n"
    "+\n"
    "+Without an alignment (score 0) PAF and chain have no line, SAM, BAM and CRAM no\n"
    "+record, MAF has no block, and the exit status is 0.\n"
    "+\n" CS_RUN_HELP_DEVICES CS_RUN_HELP_STATUS "\n"
    "Examples:\n"
    "  chromosweep align sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep align --strand both -o ape.paf.gz \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep align --write-index -o ape.bam \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep align -o ape.chain.gz \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep align --one-to-one --min-score 300 -o map.paf \\\n"
    "+     sequences/inverted_target.fa sequences/inverted_query.fa\n";

/* The options beside those that compare has, too. */
typedef struct {
    CsInputsArguments pair;
    char *strand, *checkpoint, *cigar, *max_drop, *min_score, *number, *circular;
    gboolean one_to_one, all, self, all_pairs;
    gboolean given;         /* the files, and so the strand */
    char *format, *columns; /* taken from CsRunArguments */
    gboolean no_resume, verify, differences, swap, write_index;
    char *index; /* made of the output's name */
} Arguments;

static void
arguments_clear(Arguments *a)
{
    cs_inputs_arguments_clear(&a->pair);
    g_free(a->strand);
    g_free(a->checkpoint);
    g_free(a->cigar);
    g_free(a->format);
    g_free(a->columns);
    g_free(a->index);
    g_free(a->max_drop);
    g_free(a->min_score);
    g_free(a->number);
    g_free(a->circular);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean
arguments_parse(Arguments *a, CsRunArguments *run, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        CS_INPUTS_ENTRIES(&a->pair),
        {"strand", 0, 0, G_OPTION_ARG_FILENAME, &a->strand, NULL, NULL},
        {"cigar", 0, 0, G_OPTION_ARG_FILENAME, &a->cigar, NULL, NULL},
        {"cs", 0, 0, G_OPTION_ARG_NONE, &a->differences, NULL, NULL},
        {"swap", 0, 0, G_OPTION_ARG_NONE, &a->swap, NULL, NULL},
        {"write-index", 0, 0, G_OPTION_ARG_NONE, &a->write_index, NULL, NULL},
        {"max-drop", 0, 0, G_OPTION_ARG_FILENAME, &a->max_drop, NULL, NULL},
        {"one-to-one", 0, 0, G_OPTION_ARG_NONE, &a->one_to_one, NULL, NULL},
        {"all", 0, 0, G_OPTION_ARG_NONE, &a->all, NULL, NULL},
        {"self", 0, 0, G_OPTION_ARG_NONE, &a->self, NULL, NULL},
        {"all-pairs", 0, 0, G_OPTION_ARG_NONE, &a->all_pairs, NULL, NULL},
        {"min-score", 0, 0, G_OPTION_ARG_FILENAME, &a->min_score, NULL, NULL},
        {"number", 'n', 0, G_OPTION_ARG_FILENAME, &a->number, NULL, NULL},
        {"circular", 0, 0, G_OPTION_ARG_FILENAME, &a->circular, NULL, NULL},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint, NULL, NULL},
        {"verify", 0, 0, G_OPTION_ARG_NONE, &a->verify, NULL, NULL},
        {"no-resume", 0, 0, G_OPTION_ARG_NONE, &a->no_resume, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_run_arguments_parse(run, entries, argc, argv, error);
}

/* Refuses options that the format has no use for. */
static gboolean
form_check(const CsAlignmentForm *form, const Arguments *a, const CsRunArguments *run,
           GError **error)
{
    const gboolean standard = run->output == NULL || strcmp(run->output, "-") == 0;
    if (a->cigar != NULL && !cs_alignment_format_has_cigar(form->format))
        return cs_arguments_usage(error, "--format %s has no CIGAR, so it does not take --cigar",
                                  cs_alignment_format_names[form->format]);
    if (a->cigar != NULL && form->format == CS_ALIGNMENT_FORMAT_CRAM && !form->merged)
        return cs_arguments_usage(error,
                                  "CRAM does not tell = from X, so its CIGAR has M for both");
    if (a->differences && form->format != CS_ALIGNMENT_FORMAT_PAF)
        return cs_arguments_usage(error, "--cs needs --format paf");
    if (a->swap && form->format != CS_ALIGNMENT_FORMAT_CHAIN)
        return cs_arguments_usage(error, "--swap needs --format chain");
    if (form->bgzip && form->format == CS_ALIGNMENT_FORMAT_CRAM)
        return cs_arguments_usage(
            error, "CRAM is compressed by itself, so the name of its file must not end in .gz");
    if (a->write_index && standard)
        return cs_arguments_usage(error, "--write-index needs -o FILE");
    return !a->write_index || cs_alignment_format_index(form) != NULL ||
           cs_arguments_usage(error,
                              "--write-index needs --format bam or cram, or --format sam and "
                              "a name of the output that ends in .gz");
}

/* The format given by --format; otherwise by the output's name; otherwise TSV if columns are chosen,
 * or else PAF. */
static gboolean
choose_format(CsAlignmentForm *form, const Arguments *a, const char *output, GError **error)
{
    guint place = a->columns != NULL ? CS_ALIGNMENT_FORMAT_TSV : CS_ALIGNMENT_FORMAT_PAF;
    if (!cs_arguments_choice("--format", a->format, cs_alignment_format_names, &place, error))
        return FALSE;
    form->format = (CsAlignmentFormat)place;
    if (a->format == NULL && output != NULL)
        (void)cs_alignment_format_guess(output, &form->format);
    return a->columns == NULL || form->format == CS_ALIGNMENT_FORMAT_TSV ||
           cs_arguments_usage(error, "--columns needs --format tsv");
}

static gboolean
form_init(CsAlignmentForm *form, Arguments *a, const CsRunArguments *run, GError **error)
{
    static const char *const cigars[] = {"eqx", "m", NULL};
    guint cigar = 0;
    form->max_drop = -1;
    if (!choose_format(form, a, run->output, error) ||
        !cs_arguments_columns(&cs_alignment_columns_choice, a->columns, &form->columns, error) ||
        !cs_arguments_choice("--cigar", a->cigar, cigars, &cigar, error) ||
        !cs_arguments_number("--max-drop", a->max_drop, 0, G_MAXINT64, &form->max_drop, error))
        return FALSE;
    form->merged = cigar == 1;
    form->bgzip = run->output != NULL && cs_alignment_format_is_bgzip(run->output);
    form->differences = a->differences;
    form->swapped = a->swap;
    form->index = a->write_index;
    if (!form_check(form, a, run, error))
        return FALSE;
    if (a->write_index)
        a->index = g_strconcat(run->output, cs_alignment_format_index(form), NULL);
    return TRUE;
}

/* The files, or what the checkpoint says of them if none are given. */
static gboolean
inputs_init(CsRunJob *job, const Arguments *a, const CsRunArguments *run, CsResumingInputs *inputs,
            GError **error)
{
    const CsInputsArguments *pair = &a->pair;
    const char *given[] = {pair->match,         pair->mismatch,     pair->gap_open,
                           pair->gap_extend,    pair->target_name,  pair->query_name,
                           pair->target_region, pair->query_region, a->strand,
                           a->circular};
    if (!a->given && a->all_pairs)
        return cs_arguments_usage(error,
                                  "a checkpoint of --all-pairs does not name all records: run "
                                  "the same command with TARGET.fa and QUERY.fa again");
    if (a->given)
        return cs_inputs_init(&job->inputs, pair, run->rest, error) &&
               cs_run_arguments_strand(a->strand, &job->options.strand, error);
    for (guint k = 0; k < G_N_ELEMENTS(given); k++)
        if (given[k] != NULL)
            return cs_arguments_usage(error, "sequences, strand and scoring are those of the "
                                             "checkpoint unless TARGET.fa and QUERY.fa are given");
    return cs_resuming_inputs_find(inputs, a->checkpoint, error) &&
           cs_resuming_inputs_take(inputs, job, error);
}

/* The options that a resumed run takes over. */
static GPtrArray *
options_new(const Arguments *a, const CsRunArguments *run, const CsAlignmentForm *form)
{
    const struct {
        const char *name, *value;
    } values[] = {{"--format", cs_alignment_format_names[form->format]},
                  {"--columns", a->columns},
                  {"--cigar", a->cigar},
                  {"--max-drop", a->max_drop},
                  {"--min-score", a->min_score},
                  {"--number", a->number},
                  {"--row-budget", run->row_budget}};
    GPtrArray *options = g_ptr_array_new_with_free_func(g_free);
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        if (values[k].value != NULL)
            g_ptr_array_add(options, g_strdup_printf("%s=%s", values[k].name, values[k].value));
    const struct {
        gboolean wanted;
        const char *name;
    } flags[] = {
        {a->differences, "--cs"},        {a->swap, "--swap"},    {a->write_index, "--write-index"},
        {a->one_to_one, "--one-to-one"}, {a->all, "--all"},      {a->self, "--self"},
        {a->all_pairs, "--all-pairs"},   {a->verify, "--verify"}};
    for (guint k = 0; k < G_N_ELEMENTS(flags); k++)
        if (flags[k].wanted)
            g_ptr_array_add(options, g_strdup(flags[k].name));
    g_ptr_array_add(options, NULL);
    return options;
}

/* Which set of alignments, if one is wanted. */
static gboolean
set_init(CsAlignSetOptions *set, const Arguments *a, const CsAlignmentForm *form, GError **error)
{
    const CsSetArguments arguments = {a->one_to_one, a->all,    a->self,
                                      a->min_score,  a->number, a->max_drop};
    if (!cs_set_arguments_read(&arguments, form->max_drop, set, error))
        return FALSE;
    if (a->all_pairs && !cs_set_arguments_is_wanted(&arguments))
        return cs_arguments_usage(error, "--all-pairs needs --one-to-one or --all");
    if (a->all_pairs && a->self)
        return cs_arguments_usage(error, "--self is of one sequence, not of --all-pairs");
    return !a->verify || !cs_set_arguments_is_wanted(&arguments) ||
           cs_arguments_usage(error, "--verify proves one alignment, not a set");
}

/* Sets are of both strands unless one is chosen. */
static void
take_set(CsRunJob *job, CsAlignSetOptions *set, const Arguments *a)
{
    job->set = set;
    job->many = a->all_pairs;
    if (a->strand == NULL && a->given)
        job->options.strand = CS_STRAND_BOTH;
    if (set->max_drop < 0)
        set->max_drop = cs_set_arguments_drop(set, &job->inputs.scoring);
}

static gboolean
job_init(CsRunJob *job, Arguments *a, CsRunArguments *run, CsAlignmentForm *form,
         CsAlignSetOptions *set, CsResumingInputs *inputs, GPtrArray **options, GError **error)
{
    /* Its formats and columns are not those of results. */
    a->format = g_steal_pointer(&run->format);
    a->columns = g_steal_pointer(&run->columns);
    a->given = run->rest != NULL || a->checkpoint == NULL || a->no_resume;
    if (!form_init(form, a, run, error) || !set_init(set, a, form, error) ||
        !cs_run_arguments_job(run, job, error) ||
        !cs_run_arguments_circular(a->circular, &job->options.circular, error) ||
        !cs_run_arguments_checkpoint(run, a->checkpoint, a->no_resume, job, error) ||
        !inputs_init(job, a, run, inputs, error))
        return FALSE;
    if (job->options.circular != CS_CIRCULAR_NONE && a->verify)
        return cs_arguments_usage(error, "--circular and --verify cannot be used together");
    *options = options_new(a, run, form);
    job->alignment = form;
    job->index = a->index;
    job->align = (const char *const *)(*options)->pdata;
    job->options.verify = a->verify;
    if (a->one_to_one || a->all)
        take_set(job, set, a);
    return cs_log_file_open(job, NULL, error);
}

int
cs_align_command(int argc, char **argv)
{
    g_auto(Arguments) arguments = {0};
    g_auto(CsRunArguments) run = {0};
    g_auto(CsResumingInputs) inputs = {0};
    g_autoptr(GPtrArray) options = NULL;
    g_autoptr(GError) error = NULL;
    CsAlignmentForm form = {0};
    CsAlignSetOptions set;
    CsRunJob job;
    cs_signals_watch_save();
    if (!arguments_parse(&arguments, &run, argc, argv, &error))
        return cs_print_failure(WHO, error);
    if (cs_help_is_wanted(&run.help)) {
        g_autofree char *help =
            g_strconcat(help_top, help_checkpoints, help_bottom, help_more, NULL);
        return cs_help_print(&run.help, help);
    }
    if (cs_run_arguments_ask_for_columns(&run)) {
        g_autofree char *list = cs_columns_help(&cs_alignment_columns_choice);
        return cs_print_text(list);
    }
    if (!job_init(&job, &arguments, &run, &form, &set, &inputs, &options, &error))
        return cs_print_failure(WHO, error);
    g_autofree char *line = cs_escape(run.command_line, FALSE);
    form.line = line;
    return cs_run_job(&job);
}
