/* chromosweep search: the best records of a database for each query. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/command.h"
#include "command/help.h"
#include "command/log_file.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/places.h"
#include "command/print.h"
#include "command/run.h"
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
    "Checkpoints:\n"
    "      --checkpoint DIR    save what is found in DIR, and resume from it\n"
    "+     --checkpoint-interval TIME\n"
    "+                         how often to save: 90s, 10m, 1h30m, ... [10m]\n"
    "+     --checkpoint-cleanup\n"
    "+                         remove the checkpoint after writing the hits\n"
    "+     --max-time TIME     save and stop after TIME (exit status 75)\n"
    "+     --no-resume         start over, and replace what is in DIR\n"
    "Running:\n"
    "  -t, --threads N         CPU threads [all that this process may use]\n"
    "+     --device DEVICE     auto or cpu; GPUs are not used by this command [auto]\n"
    "+     --progress HOW      auto (a line on a terminal), none or json [auto]\n"
    "+     --log-file FILE     append all messages and progress to FILE, with times\n"
    "  -q, --quiet             print nothing but errors on standard error\n"
    "+ -v, --verbose           print what was searched, threads and speed\n" CS_HELP_LINES;

static const char help_bottom[] =
    "+\n"
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
    const char *const *inputs;
    CsOutput *output;
    CsSearchTeller teller;
    gint64 all;      /* hits that were written */
    gboolean begun;  /* something was written */
    GError *failure; /* to write */
    int signal;      /* that stopped it */
} Search;

static void
take_progress(const CsSearchProgress *progress, gpointer data)
{
    Search *search = data;
    cs_search_progress_tell(&search->teller, progress);
}

/* A CsNoteFunc. */
static void
take_note(CsNoteKind kind, const char *message, gpointer data)
{
    cs_message(kind == CS_NOTE_WARNING ? CS_MESSAGE_WARNING : CS_MESSAGE_EVENT, "%s", message);
}

/* A CsControlFunc: signals, and the limit of time. */
static CsControl
control(gpointer data)
{
    const CsSearchJob *job = ((const Search *)data)->job;
    return cs_signals_control(job->start, job->max_time, job->options.checkpoint != NULL);
}

static gboolean
write_text(Search *search, const GString *text)
{
    return text->len == 0 || cs_output_add_row(search->output, text->str, &search->failure);
}

/* A CsSearchHitsFunc: writes the hits of a query, so that they can be read at once. */
static gboolean
take_hits(const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count, gpointer data)
{
    Search *search = data;
    const CsSearchJob *job = search->job;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!search->begun && !cs_output_begin_rows(search->output, search->inputs, &search->failure))
        return FALSE;
    if (!search->begun)
        cs_search_format_begin(job->format, text, summary, &job->columns);
    search->begun = TRUE;
    search->all += count;
    cs_search_format_hits(job->format, text, summary, hits, count, &job->columns);
    return write_text(search, text);
}

static gboolean
finish(Search *search, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    cs_search_format_end(search->job->format, text, search->all);
    if (write_text(search, text))
        return cs_output_finish_rows(search->output, error);
    g_propagate_error(error, g_steal_pointer(&search->failure));
    return FALSE;
}

static void
tell_summary(const CsSearchSummary *s, gboolean evalue_asked)
{
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
               s->threads, s->seconds > 0 ? (double)s->cells_computed / s->seconds / 1e9 : 0);
}

/* The hits are safely written, so it is no failure if something cannot be removed. */
static void
clean_up(const CsSearchJob *job, const CsOutput *output)
{
    g_autoptr(GError) error = NULL;
    if (!cs_output_is_durable(output))
        cs_message(CS_MESSAGE_WARNING,
                   "keeping the checkpoint: the folder of the result could not be flushed to disk");
    else if (!cs_search_checkpoint_remove(job->options.checkpoint, &error))
        cs_message(CS_MESSAGE_WARNING, "%s", error->message);
}

static gboolean
compute(Search *search, GError **error)
{
    const CsSearchJob *job = search->job;
    const gboolean watch = job->options.checkpoint != NULL;
    CsSearchOptions options = job->options;
    options.progress = take_progress;
    options.control = control;
    options.note = take_note;
    options.hits = take_hits;
    options.data = search;
    if (watch)
        cs_signals_watch_stops();
    g_autoptr(CsSearch) found = cs_search(job->files[0], job->files[1], &options, error);
    search->signal = watch ? cs_signals_unwatch_stops() : 0;
    cs_search_progress_end(&search->teller);
    if (found != NULL)
        search->signal = 0; /* it came too late to stop anything */
    if (search->failure != NULL) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&search->failure));
    }
    if (found != NULL)
        tell_summary(cs_search_get_summary(found), job->options.max_evalue >= 0);
    return found != NULL && finish(search, error);
}

/* Opens the output before anything long begins, searches, and writes. */
static gboolean
run(Search *search, const CsSearchArguments *a, GError **error)
{
    const CsSearchJob *job = search->job;
    const char *const inputs[] = {job->files[0], job->files[1], a->matrix, NULL};
    if (!cs_log_file_open(&job->places, a->matrix, error) ||
        !cs_places_refuse_folder(&job->places, error))
        return FALSE;
    g_autoptr(CsOutput) output = cs_output_open(a->output, inputs, error);
    if (output == NULL ||
        !cs_places_refuse_checkpoint(&job->places, cs_output_path(output), a->output, error))
        return FALSE;
    search->inputs = inputs;
    search->output = output;
    if (!compute(search, error))
        return FALSE;
    if (a->cleanup)
        clean_up(job, output);
    return TRUE;
}

/* Tells where the search was stopped, and how to resume it. */
static int
tell_stopped(const Search *search)
{
    cs_message(CS_MESSAGE_ERROR,
               "%s after %" G_GINT64_FORMAT " records; to resume, run the same command again",
               search->signal != 0 ? "stopped" : "stopped at the time limit",
               search->teller.last.records);
    if (search->signal != 0)
        cs_run_die(search->signal);
    return CS_ERROR_STOPPED;
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
    if (cs_help_is_wanted(&arguments.help)) {
        g_autofree char *help = g_strconcat(help_top, help_bottom, NULL);
        return cs_help_print(&arguments.help, help);
    }
    if (g_strcmp0(arguments.columns, "help") == 0) {
        g_autofree char *list = cs_columns_help(&cs_search_columns);
        return cs_print_text(list);
    }
    if (!cs_search_arguments_job(&arguments, &job, &error))
        return cs_print_failure(who, error);
    Search search = {.job = &job, .teller = {.form = job.progress}};
    if (run(&search, &arguments, &error))
        return 0;
    if (g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED) && job.options.checkpoint != NULL)
        return tell_stopped(&search);
    return cs_print_failure(who, error);
}
