/* chromosweep search: the best records of a database for each query. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/command.h"
#include "command/help.h"
#include "command/messages.h"
#include "command/print.h"
#include "command/records_memo.h"
#include "command/records_run.h"
#include "command/search_arguments.h"
#include "command/search_progress.h"
#include "command/signals.h"

static const char help_top[] =
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
    "                          [by the letters of the queries]\n" CS_RECORDS_HELP_SCORING
    "+     --strand STRAND     plus, minus or both strands of nucleotides [both]\n"
    "Output:\n"
    "      --format FORMAT     text, tsv, json or blast6 [by FILE's name, else text]\n"
    "+                         json is a line per hit; blast6 finds the alignments.\n"
    "+     --columns LIST      tsv with these columns; help lists them [default]\n"
    "  -o, --output FILE       write the hits to FILE [standard output]\n"
    "Checkpoints:\n"
    "      --checkpoint DIR    save what is found in DIR, and resume from it\n"
    "+     --checkpoint-interval TIME\n"
    "+                         how often to save: 90s, 10m, 1h30m, ... [10m]\n"
    "+     --checkpoint-cleanup\n"
    "+                         remove the checkpoint after writing the hits\n"
    "+     --max-time TIME     save and stop after TIME (exit status 75)\n"
    "+     --no-resume         start over, and replace what is in DIR\n" CS_RECORDS_HELP_RUNNING
    "+ -v, --verbose           print what was searched, threads and speed\n" CS_HELP_LINES;

static const char help_bottom[] =
    "+\n"
    "+Order: hits are sorted by score, then as in the database. Which are kept, and\n"
    "+all that is printed of them, is the same on any device, with any threads.\n"
    "+Several devices, such as gpu:all or gpu:0,cpu, share the database.\n"
    "+\n"
    "+Letters: case is ignored. Letters that a matrix does not have score like others:\n"
    "+U like C, O like X. Ambiguous codes of nucleotides match nothing.\n"
    "+\n"
    "+E-values: with NCBI's constants, as blastp computes them without composition-\n"
    "+based statistics; only for the matrices and gap costs that have such constants,\n"
    "+and not for nucleotides.\n"
    "+\n"
    "+Checkpoints: run the same command again to resume. The database is read again\n"
    "+from its beginning, and checked, but not searched again; it may be a pipe. The\n"
    "+hits are the same as those of a run without a stop.\n"
    "+\n"
    "+Signals: with --checkpoint, SIGTERM and SIGINT save the state and stop; a second\n"
    "+signal stops at once. SIGUSR1 saves the state, and the run continues.\n"
    "+\n"
    "+Exit status: 0 success, 1 input, output or another operation failed, 2 wrong\n"
    "+usage, 3 malformed input, 4 no such device or not enough memory, 5 the\n"
    "+checkpoint is damaged, in use or of another search or database, 75 stopped at\n"
    "+the time limit.\n"
    "\n"
    "Examples:\n"
    "  chromosweep search sequences/repeats_query.fa sequences/repeats_target.fa\n"
    "+ chromosweep search -n 1 --format tsv -o hits.tsv \\\n"
    "+     sequences/repeats_query.fa sequences/ape_target.fa.gz\n"
    "+ zcat sequences/ape_target.fa.gz | chromosweep search --format blast6 \\\n"
    "+     sequences/repeats_query.fa -\n";

/* A search under way. */
typedef struct {
    const CsSearchJob *job;
    CsRecordsRun run;
    CsSearchTeller teller;
    gint64 all; /* hits that were written */
} Search;

static void
take_progress(const CsSearchProgress *progress, gpointer data)
{
    Search *search = data;
    cs_search_progress_tell(&search->teller, progress);
}

/* A CsControlFunc. */
static CsControl
control(gpointer data)
{
    const Search *search = data;
    return cs_records_run_control(&search->run);
}

/* A CsSearchHitsFunc: writes the hits of a query, so that they can be read at once. */
static gboolean
take_hits(const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count, gpointer data)
{
    Search *search = data;
    const CsSearchJob *job = search->job;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!search->run.begun)
        cs_search_format_begin(job->format, text, summary, &job->columns);
    search->all += count;
    cs_search_format_hits(job->format, text, summary, hits, count, &job->columns);
    return cs_records_run_write(&search->run, text);
}

static gboolean
finish(Search *search, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    cs_search_format_end(search->job->format, text, search->all);
    (void)cs_records_run_write(&search->run, text); /* a failure is told by the next line */
    return cs_records_run_finish(&search->run, error);
}

static void
tell_summary(const CsSearchSummary *s, gboolean evalue_asked)
{
    cs_message(CS_MESSAGE_DETAIL,
               "%ss: %" G_GINT64_FORMAT " queries of %" G_GINT64_FORMAT
               " letters, %" G_GINT64_FORMAT " records of %" G_GINT64_FORMAT " letters",
               cs_records_types[s->alphabet], s->queries, s->query_letters, s->records, s->letters);
    cs_records_run_tell_scoring(s->gap_open, s->gap_extend, s->matrix);
    if (!s->has_evalues)
        cs_message(evalue_asked ? CS_MESSAGE_WARNING : CS_MESSAGE_DETAIL,
                   "no E-values: there are no published constants for this scoring%s",
                   evalue_asked ? ", so --max-evalue leaves out nothing" : "");
    cs_message(CS_MESSAGE_DETAIL, "computed with %s%s%s; threads: %u; %.2f GCUPS",
               s->device != NULL ? s->device : "", s->device != NULL ? " and " : "",
               s->instructions, s->threads,
               s->seconds > 0 ? (double)s->cells_computed / s->seconds / 1e9 : 0);
}

static gboolean
compute(Search *search, GError **error)
{
    const CsSearchJob *job = search->job;
    CsSearchOptions options = job->options;
    options.progress = take_progress;
    options.control = control;
    options.note = cs_records_run_note;
    options.hits = take_hits;
    options.data = search;
    cs_records_run_begin(&search->run);
    g_autoptr(CsSearch) found =
        cs_search(job->records.files[0], job->records.files[1], &options, error);
    cs_records_run_end(&search->run, found != NULL, error);
    cs_search_progress_end(&search->teller);
    if (found != NULL)
        tell_summary(cs_search_get_summary(found), job->options.max_evalue >= 0);
    return found != NULL && finish(search, error);
}

static gboolean
run(Search *search, gboolean cleanup, GError **error)
{
    if (!cs_records_run_open(&search->run, error) || !compute(search, error))
        return FALSE;
    if (cleanup)
        cs_records_run_clean_up(&search->run, cs_search_checkpoint_remove);
    return TRUE;
}

static char *
new_memo(const CsSearchArguments *a, const CsSearchJob *job)
{
    const CsRecordsMemoOption own[] = {
        {"number", a->number, FALSE},
        {"min-score", a->min_score, FALSE},
        {"max-evalue", a->max_evalue, FALSE},
        {"strand", a->strand, FALSE},
        {NULL, NULL, FALSE},
    };
    return cs_records_memo_new("search", &a->records, &job->records,
                               cs_search_format_names[job->format], job->options.align, own);
}

int
cs_search_command(int argc, char **argv)
{
    static const char who[] = "chromosweep search";
    g_auto(CsSearchArguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    CsSearchJob job;
    cs_signals_watch_save();
    if (!cs_search_arguments_parse(&arguments, argc, argv, &error))
        return cs_print_failure(who, error);
    if (cs_help_is_wanted(&arguments.records.help)) {
        g_autofree char *help = g_strconcat(help_top, help_bottom, NULL);
        return cs_help_print(&arguments.records.help, help);
    }
    if (g_strcmp0(arguments.records.columns, "help") == 0) {
        g_autofree char *list = cs_columns_help(&cs_search_columns);
        return cs_print_text(list);
    }
    if (!cs_search_arguments_job(&arguments, &job, &error))
        return cs_print_failure(who, error);
    g_autofree char *memo = new_memo(&arguments, &job);
    job.options.memo = memo;
    Search search = {
        .job = &job, .run.job = &job.records, .teller = {.form = job.records.progress}};
    const gboolean done = run(&search, arguments.records.cleanup, &error);
    g_autofree char *after =
        g_strdup_printf("%" G_GINT64_FORMAT " records", search.teller.last.records);
    const int status = done ? 0 : cs_records_run_fail(&search.run, who, after, error);
    cs_records_run_clear(&search.run);
    return status;
}
