/* chromosweep identity: every record of a file with every other. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/command.h"
#include "command/help.h"
#include "command/identity_arguments.h"
#include "command/identity_progress.h"
#include "command/messages.h"
#include "command/places.h"
#include "command/print.h"
#include "command/records_memo.h"
#include "command/records_run.h"
#include "command/signals.h"

static const char help_top[] =
    "Usage: chromosweep identity [options] FILE.fa [SECOND.fa]\n"
    "\n"
    "Compares each record of a file with each other, or each with all of a second\n"
    "file: the exact score and identity of the best global alignment, with linear or\n"
    "affine gaps, of proteins or nucleotides. The files are FASTA, plain, gzip or\n"
    "bgzip. One may be -, standard input.\n"
    "\n"
    "Pairs:\n"
    "      --identity OVER     longest, shortest or columns: what the matches of a\n"
    "                          pair are divided by [longest]\n"
    "      --min-identity T    leave out pairs below T, such as 0.97 or 97%\n"
    "      --align             print the alignment of each pair, too, as a CIGAR\n"
    "      --clusters FILE     write clusters to FILE; needs --min-identity\n"
    "      --cluster-rule R    single (linkage) or greedy (as CD-HIT) [single]\n"
    "Scoring: a gap of k letters costs open + k * extend, at the ends, too.\n"
    "+     --type TYPE         auto, protein or nucleotide: what the sequences are\n"
    "+                         [by their letters]\n" CS_RECORDS_HELP_SCORING "Output:\n"
    "      --format FORMAT     text, tsv, json, phylip or phylip-lower [by FILE's\n"
    "                          name, else text]\n"
    "+                         json is a line per pair, phylip a matrix of distances.\n"
    "+     --columns LIST      tsv with these columns; help lists them [default]\n"
    "  -o, --output FILE       write the pairs to FILE [standard output]\n"
    "Checkpoints:\n"
    "      --checkpoint DIR    save what is found in DIR, and resume from it\n"
    "+     --checkpoint-interval TIME\n"
    "+                         how often to save: 90s, 10m, 1h30m, ... [1m]\n"
    "+     --checkpoint-cleanup\n"
    "+                         remove the checkpoint after writing the pairs\n"
    "+     --max-time TIME     save and stop after TIME (exit status 75)\n"
    "+     --no-resume         start over, and replace what is in DIR\n" CS_RECORDS_HELP_RUNNING
    "+ -v, --verbose           print what was compared, threads and speed\n" CS_HELP_LINES;

static const char help_bottom[] =
    "+\n"
    "+Which alignment: of all with the best score, one with the most matches, and of\n"
    "+those one with the fewest columns. So the numbers depend neither on which of\n"
    "+several alignments a program finds, nor on which sequence is the first.\n"
    "+\n"
    "+Order: pairs are those of the first record with all after it, then of the\n"
    "+second, and so on. All that is printed is the same on any device, with any\n"
    "+threads. Several devices, such as gpu:all or gpu:0,cpu, share the pairs.\n"
    "+\n"
    "+Letters: as for search; see chromosweep search --help-all.\n"
    "+\n"
    "+Clusters: single puts records together that are linked by pairs, however many.\n"
    "+greedy goes from the longest record to the shortest, and each joins the first\n"
    "+representative that it is similar enough to, or becomes one.\n"
    "+\n"
    "+Signals: with --checkpoint, SIGTERM and SIGINT save the state and stop; a second\n"
    "+signal stops at once. SIGUSR1 saves the state, and the run continues.\n"
    "+\n"
    "+Exit status: 0 success, 1 input, output or another operation failed, 2 wrong\n"
    "+usage, 3 malformed input, 4 no such device or not enough memory, 5 the\n"
    "+checkpoint is damaged, in use or of other sequences or options, 75 stopped at\n"
    "+the time limit.\n"
    "\n"
    "Examples:\n"
    "  chromosweep identity sequences/family.fa\n"
    "+ chromosweep identity --format phylip -o family.phy sequences/family.fa\n"
    "+ chromosweep identity --min-identity 97% --clusters clusters.tsv -o pairs.tsv \\\n"
    "+     sequences/family.fa\n";

enum {
    PART = 1 << 20, /* bytes that are written at a time */
};

/* A run under way. */
typedef struct {
    const CsIdentityJob *job;
    CsRecordsRun run;
    CsIdentityTeller teller;
    CsIdentityWriter *writer;
    CsClusters *clusters; /* NULL: none are wanted */
    CsOutput *table;      /* of clusters */
} Identity;

static void
identity_clear(Identity *identity)
{
    cs_records_run_clear(&identity->run);
    g_clear_pointer(&identity->writer, cs_identity_writer_free);
    g_clear_pointer(&identity->clusters, cs_clusters_free);
    g_clear_pointer(&identity->table, cs_output_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Identity, identity_clear)

static void
take_progress(const CsIdentityProgress *progress, gpointer data)
{
    Identity *identity = data;
    cs_identity_progress_tell(&identity->teller, progress);
}

/* A CsControlFunc. */
static CsControl
control(gpointer data)
{
    const Identity *identity = data;
    return cs_records_run_control(&identity->run);
}

/* Writes what comes before all pairs, once. */
static gboolean
begin(Identity *identity, GString *text, const CsIdentitySummary *summary)
{
    GError **error = &identity->run.failure;
    if (identity->run.begun || cs_identity_writer_begin(identity->writer, text, summary, error))
        return TRUE;
    const char *file = identity->job->records.files[0];
    if (g_error_matches(*error, CS_ERROR, CS_ERROR_CONTENT))
        g_prefix_error(error, "%s: ", strcmp(file, "-") == 0 ? "standard input" : file);
    return FALSE;
}

/* A CsIdentityPairsFunc: writes pairs, so that they can be read at once. */
static gboolean
take_pairs(const CsIdentitySummary *summary, const CsIdentityPair *pairs, gint64 count,
           gpointer data)
{
    Identity *identity = data;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!begin(identity, text, summary))
        return FALSE;
    for (gint64 k = 0; k < count; k++) {
        cs_identity_writer_add(identity->writer, text, &pairs[k], 1);
        if (text->len < PART)
            continue;
        if (!cs_records_run_write(&identity->run, text))
            return FALSE;
        g_string_truncate(text, 0);
    }
    return cs_records_run_write(&identity->run, text) &&
           (identity->clusters == NULL ||
            cs_clusters_add(identity->clusters, summary, pairs, count, &identity->run.failure));
}

/* Writes what comes after all pairs. */
static gboolean
finish(Identity *identity, const CsIdentitySummary *summary, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean good = begin(identity, text, summary), more = TRUE;
    while (good && more) {
        more = cs_identity_writer_more(identity->writer, text, summary);
        good = cs_records_run_write(&identity->run, text);
        g_string_truncate(text, 0);
    }
    return cs_records_run_finish(&identity->run, error);
}

static gboolean
write_clusters(Identity *identity, const CsIdentitySummary *summary, GError **error)
{
    if (identity->clusters == NULL)
        return TRUE;
    g_autofree char *table =
        cs_clusters_table(identity->clusters, summary->first, summary->first_count, error);
    if (table == NULL || !cs_output_write(identity->table, table, error))
        return FALSE;
    cs_message(CS_MESSAGE_DETAIL, "%" G_GINT64_FORMAT " clusters of %" G_GINT64_FORMAT " records",
               cs_clusters_count(identity->clusters), summary->first_count);
    return TRUE;
}

static void
tell_summary(const CsIdentitySummary *s)
{
    g_autofree char *second =
        s->one_file ? g_strdup("") : g_strdup_printf(" with %" G_GINT64_FORMAT, s->second_count);
    cs_message(CS_MESSAGE_DETAIL,
               "%ss: %" G_GINT64_FORMAT "%s records, %" G_GINT64_FORMAT " pairs, %" G_GINT64_FORMAT
               " cells",
               cs_records_types[s->alphabet], s->first_count, second, s->pairs, s->cells);
    cs_records_run_tell_scoring(s->gap_open, s->gap_extend, s->matrix);
    if (s->min_identity > 0)
        cs_message(CS_MESSAGE_EVENT,
                   "kept %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                   " pairs; %.1f%% were ruled out without an alignment",
                   s->pairs_kept, s->pairs,
                   s->pairs > 0 ? 100 * (double)s->pairs_filtered / (double)s->pairs : 0);
    cs_message(CS_MESSAGE_DETAIL, "computed with %s%s%s; threads: %u; %.2f s, %.2f GCUPS",
               s->device != NULL ? s->device : "", s->device != NULL ? " and " : "",
               s->instructions, s->threads, s->seconds,
               s->seconds > 0 ? (double)s->cells_computed / s->seconds / 1e9 : 0);
}

static gboolean
compute(Identity *identity, GError **error)
{
    const CsIdentityJob *job = identity->job;
    CsIdentityOptions options = job->options;
    options.progress = take_progress;
    options.control = control;
    options.note = cs_records_run_note;
    options.pairs = take_pairs;
    options.data = identity;
    cs_records_run_begin(&identity->run);
    g_autoptr(CsIdentity) done =
        cs_identity(job->records.files[0], job->records.files[1], &options, error);
    cs_records_run_end(&identity->run, done != NULL, error);
    cs_identity_progress_end(&identity->teller);
    if (done == NULL)
        return FALSE;
    const CsIdentitySummary *summary = cs_identity_get_summary(done);
    tell_summary(summary);
    return write_clusters(identity, summary, error) && finish(identity, summary, error);
}

/* Opens the table of clusters, which is neither an input nor part of the checkpoint. */
static gboolean
open_table(Identity *identity, GError **error)
{
    const CsIdentityJob *job = identity->job;
    if (job->clusters == NULL)
        return TRUE;
    identity->clusters = cs_clusters_new(job->rule);
    identity->table = cs_output_open(job->clusters, identity->run.inputs, error);
    return identity->table != NULL &&
           cs_places_refuse_checkpoint(&job->records.places, cs_output_path(identity->table),
                                       job->clusters, error);
}

static gboolean
run(Identity *identity, gboolean cleanup, GError **error)
{
    const CsIdentityJob *job = identity->job;
    if (!cs_records_run_open(&identity->run, error) || !open_table(identity, error))
        return FALSE;
    identity->writer = cs_identity_writer_new(job->format, &job->columns);
    if (!compute(identity, error))
        return FALSE;
    if (cleanup)
        cs_records_run_clean_up(&identity->run, cs_identity_checkpoint_remove);
    return TRUE;
}

static char *
new_memo(const CsIdentityArguments *a, const CsIdentityJob *job)
{
    const CsRecordsMemoOption own[] = {
        {"identity", a->over, FALSE},
        {"min-identity", a->min_identity, FALSE},
        {"clusters", a->clusters, TRUE},
        {"cluster-rule", a->cluster_rule, FALSE},
        {NULL, NULL, FALSE},
    };
    return cs_records_memo_new("identity", &a->records, &job->records,
                               cs_identity_format_names[job->format], job->options.align, own);
}

int
cs_identity_command(int argc, char **argv)
{
    static const char who[] = "chromosweep identity";
    g_auto(CsIdentityArguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    CsIdentityJob job;
    cs_signals_watch_save();
    if (!cs_identity_arguments_parse(&arguments, argc, argv, &error))
        return cs_print_failure(who, error);
    if (cs_help_is_wanted(&arguments.records.help)) {
        g_autofree char *help = g_strconcat(help_top, help_bottom, NULL);
        return cs_help_print(&arguments.records.help, help);
    }
    if (g_strcmp0(arguments.records.columns, "help") == 0) {
        g_autofree char *list = cs_columns_help(&cs_identity_columns);
        return cs_print_text(list);
    }
    if (!cs_identity_arguments_job(&arguments, &job, &error))
        return cs_print_failure(who, error);
    g_autofree char *memo = new_memo(&arguments, &job);
    job.options.memo = memo;
    g_auto(Identity)
        identity = {.job = &job, .run.job = &job.records, .teller = {.form = job.records.progress}};
    if (run(&identity, arguments.records.cleanup, &error))
        return 0;
    g_autofree char *after =
        g_strdup_printf("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " pairs",
                        identity.teller.last.pairs, identity.teller.last.all_pairs);
    return cs_records_run_fail(&identity.run, who, after, error);
}
