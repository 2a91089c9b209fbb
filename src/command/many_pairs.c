/* Compares many pairs, one at a time on each device, each with its row and its checkpoint. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/many_pairs.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/pair_lanes.h"
#include "command/pair_list.h"
#include "command/places.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/resuming.h"
#include "command/run.h"
#include "command/run_arguments.h"
#include "command/signals.h"
#include "formats/escape.h"
#include "formats/format.h"
#include "formats/names.h"

/* The row of a pair, which is held until those before it in the list are written. */
typedef struct {
    gboolean over;   /* the pair is compared, or failed */
    gboolean counts; /* it did not fail, so there is a header */
    char *text;      /* NULL: none */
} Row;

/* A run over many pairs. */
typedef struct {
    const CsRunJob *job;
    CsOutput *output;
    CsCheckpointPairs *checkpoint; /* or NULL */
    CsPairList pairs;
    GHashTable *begun;  /* folders of pairs: a list may have a pair twice */
    GPtrArray *devices; /* that compare a pair each */
    CsRunDesk desk;
    Row *rows;     /* of each pair, until it is written */
    guint written; /* so many, whether they had a row or not */
    gboolean has_header;
    gboolean watches; /* for signals, because there is a checkpoint */
    gboolean stopped; /* by a signal or the limit of time */
    GError *failure;  /* for which all stop */
    guint done, failed, below;
    int status; /* of the first that failed */
    int signal; /* that asked to stop, or 0 */
    CsProgressTeller teller;
} Many;

static void
many_clear(Many *many)
{
    for (guint k = 0; many->rows != NULL && k < cs_pair_list_count(&many->pairs); k++)
        g_free(many->rows[k].text);
    g_clear_pointer(&many->rows, g_free);
    g_clear_pointer(&many->begun, g_hash_table_unref);
    g_clear_pointer(&many->devices, g_ptr_array_unref);
    g_clear_error(&many->failure);
    g_clear_pointer(&many->output, cs_output_free);
    cs_checkpoint_pairs_close(g_steal_pointer(&many->checkpoint), FALSE);
    cs_pair_list_clear(&many->pairs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Many, many_clear)

void
cs_many_pairs_arguments_clear(CsManyPairsArguments *a)
{
    g_free(a->pairs);
    g_free(a->min_score);
}

gboolean
cs_many_pairs_is_wanted(const CsManyPairsArguments *a)
{
    return a->all_pairs || a->pairs != NULL;
}

/* Checks the options that cannot be combined with a list of pairs. */
static gboolean
check_list(const CsManyPairsArguments *a, const CsInputs *inputs, GError **error)
{
    for (guint k = 0; k < 2; k++) {
        if (inputs->names[k] != NULL || inputs->regions[k] != NULL)
            return cs_arguments_usage(
                error, "--pairs names the records, so --%s-name and --%s-region cannot be used",
                k == 0 ? "target" : "query", k == 0 ? "target" : "query");
        if (strcmp(inputs->files[k], "-") == 0 && strcmp(a->pairs, "-") == 0)
            return cs_arguments_usage(error, "only one file can be '-' (standard input)");
    }
    return TRUE;
}

gboolean
cs_many_pairs_check(const CsManyPairsArguments *a, const CsRunArguments *run, CsRunJob *job,
                    GError **error)
{
    if (!cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &job->options.min_score,
                             error))
        return FALSE;
    if (!cs_many_pairs_is_wanted(a))
        return TRUE;
    if (a->all_pairs && a->pairs != NULL)
        return cs_arguments_usage(error, "--all-pairs and --pairs cannot be used together");
    if (a->pairs != NULL && !check_list(a, &job->inputs, error))
        return FALSE;
    job->many = TRUE;
    if (run->format == NULL)
        job->format = CS_FORMAT_TSV;
    return !cs_format_of_results(job->format)->is_of_one ||
           cs_arguments_usage(error, "--all-pairs and --pairs need --format tsv or json, not text");
}

/* Writes the header once, with the first pair that did not fail, whatever its score. */
static gboolean
write_header(Many *many, GError **error)
{
    const CsResultFormat *format = cs_format_of_results(many->job->format);
    const gboolean first = !many->has_header;
    many->has_header = TRUE;
    if (!first || format->header == NULL)
        return TRUE;
    g_autofree char *header = format->header(&many->job->columns);
    return cs_output_add_row(many->output, header, error);
}

/* Writes the rows in the order of the list, up to the first pair that is not over; with `all`, those
 * behind it, too. */
static gboolean
write_rows(Many *many, gboolean all, GError **error)
{
    const guint count = cs_pair_list_count(&many->pairs);
    for (; many->written < count && (all || many->rows[many->written].over); many->written++) {
        Row *row = &many->rows[many->written];
        if ((row->counts && !write_header(many, error)) ||
            (row->text != NULL && !cs_output_add_row(many->output, row->text, error)))
            return FALSE;
        g_clear_pointer(&row->text, g_free);
    }
    return TRUE;
}

/* Pair k is over, with this result or without. */
static gboolean
add_row(Many *many, guint k, const CsResult *result, GError **error)
{
    const CsResultFormat *format = cs_format_of_results(many->job->format);
    const gboolean below = result != NULL && result->found.below > 0;
    many->below += below;
    many->rows[k] = (Row){.over = TRUE, .counts = result != NULL};
    if (result != NULL && !below)
        many->rows[k].text = format->result(result, &many->job->columns);
    return write_rows(many, FALSE, error);
}

static void
tell_failure(Many *many, const CsSequence *target, const CsSequence *query, const GError *failure)
{
    g_autofree char *names =
        g_strdup_printf("%s, %s", cs_sequence_get_name(target), cs_sequence_get_name(query));
    g_autoptr(GError) error =
        g_error_new(failure->domain, failure->code, "%s: %s", names, failure->message);
    int status = cs_print_failure("chromosweep", error);
    if (many->failed++ == 0)
        many->status = status;
}

static void
count_cells(Many *many)
{
    const CsRunJob *job = many->job;
    gint64 cells = 0;
    for (guint k = 0; k < cs_pair_list_count(&many->pairs); k++)
        if (__builtin_add_overflow(cells, cs_pair_list_cells(&many->pairs, k, job->options.strand),
                                   &cells))
            cells = G_MAXINT64;
    many->teller =
        (CsProgressTeller){.form = job->progress, .cells = cells, .n_lanes = many->devices->len};
}

/* What the comparison of a pair takes from its lane. */
static CsRunJob
job_of(const Many *many, const CsLane *lane, const char *folder)
{
    CsRunJob one = *many->job;
    one.options.checkpoint = folder;
    one.options.one_of_many = TRUE;
    one.options.device = lane->device;
    one.options.threads = lane->threads;
    one.output = NULL; /* if one pair is resumed alone, only its row is written */
    return one;
}

static void
tell_pair(const Many *many, guint k, const CsLane *lane)
{
    cs_message(CS_MESSAGE_DETAIL, "pair %u of %u%s%s: %s, %s", k + 1,
               cs_pair_list_count(&many->pairs), many->devices->len > 1 ? " on " : "",
               many->devices->len > 1 ? lane->device : "",
               cs_sequence_get_name(cs_pair_list_target(&many->pairs, k)),
               cs_sequence_get_name(cs_pair_list_query(&many->pairs, k)));
}

/* Ends the whole run. */
static CsLaneAnswer
stop(Many *many, GError *failure)
{
    if (many->failure == NULL && !many->stopped) { /* the others stop because of this one */
        many->stopped = g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED);
        many->failure = g_steal_pointer(&failure);
    }
    g_clear_error(&failure);
    many->desk.quit = TRUE;
    return CS_LANE_STOP;
}

/* Tells a device that fails from a pair that needs more than a device has. */
static gboolean
still_works(Many *many, const CsLane *lane)
{
    pthread_mutex_unlock(&many->desk.lock);
    const gboolean works = cs_ranks_test(lane->device, many->job->options.engine, NULL);
    pthread_mutex_lock(&many->desk.lock);
    return works;
}

/* Pair k could not be compared. */
static CsLaneAnswer
fail(Many *many, guint k, const CsLane *lane, GError *failure)
{
    g_autoptr(GError) error = failure;
    if (g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED))
        return stop(many, g_steal_pointer(&error));
    if (lane->has_others && g_error_matches(error, CS_ERROR, CS_ERROR_DEVICE) &&
        !still_works(many, lane)) {
        cs_message(CS_MESSAGE_WARNING, "%s gets no more pairs: %s", lane->device, error->message);
        cs_progress_drop(&many->teller, lane->index);
        return CS_LANE_BROKEN;
    }
    cs_progress_next(&many->teller, lane->index,
                     cs_pair_list_cells(&many->pairs, k, many->job->options.strand));
    tell_failure(many, cs_pair_list_target(&many->pairs, k), cs_pair_list_query(&many->pairs, k),
                 error);
    GError *unwritten = NULL;
    return add_row(many, k, NULL, &unwritten) ? CS_LANE_NEXT : stop(many, unwritten);
}

/* A CsLaneFunc. */
static CsLaneAnswer
run_pair(guint k, const CsLane *lane, gpointer data)
{
    Many *many = data;
    const CsSequence *target = cs_pair_list_target(&many->pairs, k);
    const CsSequence *query = cs_pair_list_query(&many->pairs, k);
    const char *directory = many->job->options.checkpoint;
    GError *failure = NULL;
    if (many->watches && cs_run_must_stop(many->job)) {
        many->stopped = many->stopped || many->failure == NULL;
        return CS_LANE_STOP;
    }
    g_autofree char *folder =
        directory != NULL ? cs_pair_list_folder(&many->pairs, k, directory) : NULL;
    if (lane->has_others && folder != NULL &&
        !g_hash_table_add(many->begun, g_strdup(folder))) /* another lane may be at it */
        return CS_LANE_LATER;
    const CsRunJob one = job_of(many, lane, folder);
    CsRun run = {.job = &one,
                 .teller = &many->teller,
                 .desk = &many->desk,
                 .lane = lane->index,
                 .saves = many->desk.saves};
    CsResult result = {.files = {one.inputs.files[0], one.inputs.files[1]},
                       .sequences = {target, query},
                       .scoring = one.inputs.scoring};
    const gint64 begun = g_get_monotonic_time();
    tell_pair(many, k, lane);
    if (!cs_run_sweep(&run, target, query, &result.found, &failure))
        return fail(many, k, lane, failure);
    cs_progress_next(&many->teller, lane->index,
                     cs_pair_list_cells(&many->pairs, k, one.options.strand));
    many->done++;
    result.seconds_total = (double)(g_get_monotonic_time() - begun) / 1e6;
    return add_row(many, k, &result, &failure) ? CS_LANE_NEXT : stop(many, failure);
}

static CsLanesWish
wish_of(const CsRunJob *job)
{
    return (CsLanesWish){job->options.device, job->options.engine, job->options.threads};
}

/* Compares all pairs, or those before a request to stop. */
static gboolean
run_pairs(Many *many, GError **error)
{
    const CsRunJob *job = many->job;
    const guint count = cs_pair_list_count(&many->pairs);
    g_autofree gint64 *cells = g_new(gint64, count + 1);
    for (guint k = 0; k < count; k++)
        cells[k] = cs_pair_list_cells(&many->pairs, k, job->options.strand);
    many->rows = g_new0(Row, count + 1);
    many->begun = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    many->watches = job->options.checkpoint != NULL;
    if (many->watches)
        cs_signals_watch_stops();
    pthread_mutex_init(&many->desk.lock, NULL);
    pthread_mutex_lock(&many->desk.lock);
    const CsLanesWish wish = wish_of(job);
    cs_pair_lanes_run(many->devices, &wish, cells, count, &many->desk.lock, run_pair, many);
    pthread_mutex_unlock(&many->desk.lock);
    pthread_mutex_destroy(&many->desk.lock);
    if (many->watches)
        many->signal = cs_signals_unwatch_stops();
    cs_progress_end(&many->teller);
    if (many->stopped)
        g_clear_error(&many->failure);
    if (many->failure == NULL)
        return write_rows(many, TRUE, error);
    g_propagate_error(error, g_steal_pointer(&many->failure));
    return FALSE;
}

/*
 * Whether a pair's state, if it can be read, has this scoring and strand. The bases and everything
 * else are checked when the pair is resumed.
 */
static gboolean
check_folder(const CsRunJob *job, const char *folder, GError **error)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(folder, FALSE, NULL);
    const char *strand = cs_names_strand(job->options.strand);
    if (info == NULL)
        return TRUE;
    const CsScoring *there = &info->scoring, *here = &job->inputs.scoring;
    const struct {
        const char *name;
        gint64 there, here;
    } numbers[] = {{"match", there->match, here->match},
                   {"mismatch", there->mismatch, here->mismatch},
                   {"gap_open", there->gap_open, here->gap_open},
                   {"gap_extend", there->gap_extend, here->gap_extend}};
    for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
        if (numbers[k].there != numbers[k].here) {
            g_set_error(
                error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s belongs to another comparison: scoring.%s is %" G_GINT64_FORMAT
                " there and %" G_GINT64_FORMAT " here",
                folder, numbers[k].name, numbers[k].there, numbers[k].here);
            return FALSE;
        }
    if (strcmp(info->strand, strand) == 0)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s belongs to another comparison: strand is %s there and %s here",
                folder, info->strand, strand);
    return FALSE;
}

/* Checks all folders, because a run with a wrong scoring would otherwise leave states that the next
 * cannot use. */
static gboolean
check_folders(const Many *many, GError **error)
{
    const CsRunJob *job = many->job;
    if (job->options.checkpoint == NULL || job->options.checkpoint_fresh)
        return TRUE;
    for (guint k = 0; k < cs_pair_list_count(&many->pairs); k++) {
        g_autofree char *folder = cs_pair_list_folder(&many->pairs, k, job->options.checkpoint);
        if (g_file_test(folder, G_FILE_TEST_IS_DIR) && !check_folder(job, folder, error))
            return FALSE;
    }
    return TRUE;
}

/* The rows are safely written, so it is no failure if something cannot be removed. */
static void
clean_up(Many *many)
{
    const CsRunJob *job = many->job;
    g_autoptr(GError) error = NULL;
    for (guint k = 0; error == NULL && k < cs_pair_list_count(&many->pairs); k++) {
        g_autofree char *folder = cs_pair_list_folder(&many->pairs, k, job->options.checkpoint);
        if (g_file_test(folder, G_FILE_TEST_IS_DIR) && check_folder(job, folder, &error))
            cs_checkpoint_remove(folder, &error);
    }
    if (error != NULL)
        cs_message(CS_MESSAGE_WARNING, "%s", error->message);
    cs_checkpoint_pairs_close(g_steal_pointer(&many->checkpoint), TRUE);
}

/* Says where the rows are if they did not become the output. */
static char *
rest_of_line(const Many *many)
{
    const char *part = cs_output_part(many->output);
    g_autofree char *shown = part != NULL ? cs_escape(part, FALSE) : NULL;
    return shown != NULL ? g_strdup_printf("; the rows so far are in %s", shown) : g_strdup("");
}

/* Returns the exit status of a run that was stopped. */
static int
end_stopped(Many *many)
{
    const int number = many->signal;
    g_autofree char *rest = rest_of_line(many);
    g_autofree char *failed =
        many->failed > 0 ? g_strdup_printf(", %u failed", many->failed) : g_strdup("");
    cs_message(CS_MESSAGE_ERROR,
               "%s: %u of %u pairs are done%s; to resume, run the same command %s%s",
               number != 0 ? cs_signals_name(number) : "stopped at the time limit", many->done,
               cs_pair_list_count(&many->pairs), failed,
               many->job->options.checkpoint_fresh ? "without --no-resume" : "again", rest);
    if (number == 0)
        return many->failed > 0 ? many->status : CS_ERROR_STOPPED;
    many_clear(many); /* the rows can be read in the part file */
    cs_run_die(number);
}

/* Says how many pairs have no row because they score too little. */
static void
tell_below(const Many *many)
{
    if (many->below > 0)
        cs_message(CS_MESSAGE_EVENT,
                   "%u of %u pairs score less than %" G_GINT64_FORMAT " and have no row",
                   many->below, cs_pair_list_count(&many->pairs), many->job->options.min_score);
}

static int
end(Many *many)
{
    g_autoptr(GError) error = NULL;
    if (many->failed > 0) {
        g_autofree char *rest = rest_of_line(many);
        cs_message(CS_MESSAGE_ERROR, "%u of %u pairs failed%s", many->failed,
                   cs_pair_list_count(&many->pairs), rest);
        return many->status;
    }
    if (!cs_output_finish_rows(many->output, &error))
        return cs_print_failure("chromosweep", error);
    tell_below(many);
    if (many->job->cleanup && cs_output_is_durable(many->output))
        clean_up(many);
    return 0;
}

/* Refuses what it can before anything long begins. */
static gboolean
begin(Many *many, const CsManyPairsArguments *a, GError **error)
{
    const CsRunJob *job = many->job;
    const char *inputs[] = {job->inputs.files[0], job->inputs.files[1], a->pairs, NULL};
    const CsLanesWish wish = wish_of(job);
    if (!cs_scoring_check(&job->inputs.scoring, 1, 1, error) ||
        !cs_places_refuse_folder(job, error))
        return FALSE;
    many->output = cs_output_open(job->output, inputs, error);
    return many->output != NULL && cs_output_begin_rows(many->output, inputs, error) &&
           cs_places_refuse_checkpoint(job, cs_output_path(many->output), job->output, error) &&
           cs_device_describe(job->options.device, job->options.engine, error) != NULL &&
           (many->devices = cs_pair_lanes_devices(&wish, error)) != NULL &&
           cs_pair_list_load(&many->pairs, &job->inputs, a->pairs, error) &&
           (job->options.checkpoint == NULL || (many->checkpoint = cs_checkpoint_pairs_open(
                                                    job->options.checkpoint, error)) != NULL) &&
           check_folders(many, error);
}

int
cs_many_pairs_run(const CsRunJob *job, const CsManyPairsArguments *arguments)
{
    g_auto(Many) many = {.job = job};
    g_autoptr(GError) error = NULL;
    if (!begin(&many, arguments, &error)) {
        cs_resuming_tell_way_out(job, error);
        return cs_print_failure("chromosweep", error);
    }
    count_cells(&many);
    if (!run_pairs(&many, &error))
        return cs_print_failure("chromosweep", error);
    return many.stopped ? end_stopped(&many) : end(&many);
}
