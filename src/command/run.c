/* Compares or aligns as a command: loading, the sweep and what may stop it, the output. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/caution.h"
#include "command/inputs.h"
#include "command/memo.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/places.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/resuming.h"
#include "command/run.h"
#include "command/set_result.h"
#include "command/signals.h"
#include "formats/format.h"

static void
tell_before(const CsRunJob *job, const CsSequence *target, const CsSequence *query)
{
    cs_inputs_warn(0, target);
    cs_inputs_warn(1, query);
    cs_inputs_tell(0, target);
    cs_inputs_tell(1, query);
    cs_message(CS_MESSAGE_DETAIL, "threads: at most %u", job->options.threads);
}

static void
enter(const CsRun *run)
{
    if (run->desk != NULL)
        pthread_mutex_lock(&run->desk->lock);
}

static void
leave(const CsRun *run)
{
    if (run->desk != NULL)
        pthread_mutex_unlock(&run->desk->lock);
}

/* A CsNoteFunc. */
static void
tell_note(CsNoteKind kind, const char *message, gpointer data)
{
    const CsRun *run = data;
    enter(run);
    const CsMessage event = run->job->options.one_of_many ? CS_MESSAGE_DETAIL : CS_MESSAGE_EVENT;
    cs_message(kind == CS_NOTE_DETAIL  ? CS_MESSAGE_DETAIL
               : kind == CS_NOTE_EVENT ? event
                                       : CS_MESSAGE_WARNING,
               "%s", message);
    leave(run);
}

gboolean
cs_run_must_stop(const CsRunJob *job)
{
    return cs_signals_must_stop(job->start, job->max_time);
}

/* A CsProgressFunc. */
static gboolean
take_progress(const CsProgress *progress, gpointer data)
{
    CsRun *run = data;
    run->stage = progress->stage;
    enter(run);
    if (cs_progress_is_heard(run->teller))
        cs_progress_tell_of(run->teller, run->lane, progress);
    leave(run);
    return TRUE;
}

/* One run hears of SIGUSR1, and all that run beside it are to save. */
static CsControl
share_control(CsRun *run, CsControl heard)
{
    CsRunDesk *desk = run->desk;
    desk->saves += heard == CS_CONTROL_SAVE;
    const gboolean saves = run->saves != desk->saves;
    run->saves = desk->saves;
    if (desk->quit || heard == CS_CONTROL_STOP)
        return CS_CONTROL_STOP;
    return saves ? CS_CONTROL_SAVE : CS_CONTROL_GO_ON;
}

/* A CsControlFunc: signals, and the limit of time. */
static CsControl
control(gpointer data)
{
    CsRun *run = data;
    const CsRunJob *job = run->job;
    enter(run);
    CsControl heard =
        cs_signals_control(job->start, job->max_time, job->options.checkpoint != NULL);
    if (run->desk != NULL)
        heard = share_control(run, heard);
    leave(run);
    return heard;
}

/* The set between all records. */
static GPtrArray *
find_many(const CsRun *run, const CsCompareOptions *options, GError **error)
{
    const GPtrArray *targets = run->pairs.records[0], *queries = run->pairs.records[1];
    return cs_align_set_many((const CsSequence *const *)(const void *)targets->pdata, targets->len,
                             (const CsSequence *const *)(const void *)queries->pdata, queries->len,
                             options, run->job->set, error);
}

/* An end behind the origin of a circular record, as a position in it. */
static gint64
in_record(const CsSequence *sequence, gint64 end)
{
    const gint64 length = cs_sequence_get_record_length(sequence);
    return end > length ? end - length : end;
}

/* The record of a side that a set's first alignment lies in. */
static const CsSequence *
record_of(const CsRun *run, guint side, const CsSequence *only)
{
    const GPtrArray *records = run->pairs.records[side];
    guint places[2];
    if (records == NULL || run->set->len == 0)
        return only;
    cs_alignment_get_records(g_ptr_array_index(run->set, 0), &places[0], &places[1]);
    return g_ptr_array_index(records, places[side]);
}

static void
take_origins(CsCompareResult *result, const CsSequence *target, const CsSequence *query)
{
    result->target_end = in_record(target, result->target_end);
    result->query_end = in_record(query, result->query_end);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        CsStrandResult *one = &result->strands[strand];
        one->target_end = in_record(target, one->target_end);
        one->query_end = in_record(query, one->query_end);
    }
}

/* Compares, or finds the alignments that the job wants. */
static gboolean
compute(CsRun *run, const CsSequence *target, const CsSequence *query,
        const CsCompareOptions *options, CsCompareResult *result, GError **error)
{
    const CsRunJob *job = run->job;
    if (job->alignment == NULL)
        return cs_compare(target, query, options, result, error);
    if (job->set == NULL)
        return cs_align(target, query, options, result, &run->alignment, error);
    run->set = job->many ? find_many(run, options, error)
                         : cs_align_set(target, query, options, job->set, error);
    if (run->set != NULL)
        *result = cs_set_result(run->set);
    return run->set != NULL;
}

gboolean
cs_run_sweep(CsRun *run, const CsSequence *target, const CsSequence *query, CsCompareResult *result,
             GError **error)
{
    const CsRunJob *job = run->job;
    CsCompareOptions options = job->options;
    options.scoring = job->inputs.scoring;
    g_autofree char *memo = cs_memo_new(job);
    options.memo = memo;
    options.note = tell_note;
    options.control = control;
    options.progress = take_progress;
    options.progress_data = options.note_data = options.control_data = run;
    const gboolean watch = options.checkpoint != NULL && !options.one_of_many;
    if (watch)
        cs_signals_watch_stops();
    leave(run);
    gboolean done = compute(run, target, query, &options, result, error);
    enter(run);
    if (done)
        take_origins(result, run->set != NULL ? record_of(run, 0, target) : target,
                     run->set != NULL ? record_of(run, 1, query) : query);
    run->signal = watch ? cs_signals_unwatch_stops() : cs_signals_stop();
    run->swept = !done && (g_error_matches(*error, CS_ERROR, CS_ERROR_FAILED) ||
                           g_error_matches(*error, CS_ERROR, CS_ERROR_DEVICE));
    cs_messages_line(NULL);
    if (done && job->set == NULL && result->score > 0)
        cs_caution_tell_edges(options.one_of_many ? CS_MESSAGE_DETAIL : CS_MESSAGE_WARNING, target,
                              query, result);
    if (done && job->set == NULL)
        cs_message(CS_MESSAGE_DETAIL, "computed by %s%s%s; threads: %u", result->engine,
                   result->device != NULL ? " on " : "",
                   result->device != NULL ? result->device : "", result->threads);
    return done;
}

/* Whether an alignment runs over an origin. */
static gboolean
is_over(const CsAlignmentSummary *s, const CsResult *result, guint side)
{
    return (side == 0 ? s->target_end : s->query_end) >
           cs_sequence_get_record_length(result->sequences[side]);
}

static void
tell_origins(const CsAlignment *alignment, const CsResult *result)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gboolean target = is_over(s, result, 0), query = is_over(s, result, 1);
    if (target || query)
        cs_message(CS_MESSAGE_EVENT, "the alignment runs over the origin of %s",
                   !query    ? "the target"
                   : !target ? "the query"
                             : "both records");
}

/* The alignment, or the pieces that are wanted of it, as the output gets it. */
static GBytes *
format_alignment(const CsRun *run, const CsResult *result, GBytes **index, GError **error)
{
    const CsAlignmentForm *form = run->job->alignment;
    const gboolean cut = form->max_drop >= 0;
    CsAlignmentStory story = {
        .target = result->sequences[0],
        .query = result->sequences[1],
        .files = {result->files[0], result->files[1]},
        .scoring = result->scoring,
        .alignment = run->alignment,
        .circular = run->job->options.circular,
        .max_drop = cut ? form->max_drop : cs_caution_limit(&result->scoring),
    };
    if (run->alignment == NULL) {
        cs_message(CS_MESSAGE_EVENT, "the score is 0: there is no alignment");
        return cs_alignment_format_write(form, &story, index, error);
    }
    tell_origins(run->alignment, result);
    g_autoptr(GArray) drops = cs_alignment_drops(run->alignment, story.max_drop);
    g_autoptr(GPtrArray) parts =
        cut ? cs_alignment_cut(run->alignment, story.max_drop, error) : NULL;
    if (cut && parts == NULL)
        return NULL;
    if (!cut)
        cs_caution_tell_drops(drops, story.max_drop);
    else if (parts->len > 1)
        cs_message(CS_MESSAGE_EVENT, "the alignment is split into %u pieces", parts->len);
    story.drops = drops;
    story.parts = parts;
    return cs_alignment_format_write(form, &story, index, error);
}

/* A set as the output gets it. */
static GBytes *
format_set(const CsRun *run, const CsResult *result, GBytes **index, GError **error)
{
    const CsAlignmentStory story = {
        .target = result->sequences[0],
        .query = result->sequences[1],
        .records = {run->pairs.records[0], run->pairs.records[1]},
        .files = {result->files[0], result->files[1]},
        .scoring = result->scoring,
        .alignment = run->set->len > 0 ? g_ptr_array_index(run->set, 0) : NULL,
        .parts = run->set,
        .members = run->set,
        .circular = run->job->options.circular,
        .set = run->job->set,
        .max_drop = run->job->set->max_drop,
    };
    cs_set_result_tell(run->set);
    return cs_alignment_format_write(run->job->alignment, &story, index, error);
}

/* What the output gets, and the index of an alignment. */
static GBytes *
format_result(const CsRun *run, const CsResult *result, GBytes **index, GError **error)
{
    const CsRunJob *job = run->job;
    if (job->set != NULL)
        return format_set(run, result, index, error);
    if (job->alignment != NULL)
        return format_alignment(run, result, index, error);
    char *text = cs_format_result(job->format, result, &job->columns);
    return g_bytes_new_take(text, strlen(text));
}

/* The last base of the alignment as read. */
static gint64
last_in_query(const CsCompareResult *result)
{
    return result->strand == CS_STRAND_MINUS ? result->query_start : result->query_end;
}

/*
 * A result that cannot be written may have taken days, so the error message has the score and the
 * ends. This holds for a pipe that nobody reads, too, although that is not reported elsewhere.
 */
static gboolean
write_result(CsOutput *output, GBytes *bytes, const CsCompareResult *result, GError **error)
{
    GError *failure = NULL;
    gsize size;
    const char *data = g_bytes_get_data(bytes, &size);
    if (cs_output_write_bytes(output, data, size, &failure))
        return TRUE;
    g_autofree char *message = g_steal_pointer(&failure->message);
    failure->message =
        result->score > 0
            ? g_strdup_printf("%s (the score is %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                              ",%" G_GINT64_FORMAT "%s)",
                              message, result->score, result->target_end, last_in_query(result),
                              result->strand == CS_STRAND_MINUS ? " on minus" : "")
            : g_strdup_printf("%s (the score is 0)", message);
    if (g_error_matches(failure, G_FILE_ERROR, G_FILE_ERROR_PIPE))
        cs_message(CS_MESSAGE_ERROR, "%s", failure->message);
    g_propagate_error(error, failure);
    return FALSE;
}

/* Whether the folder still holds the state of this result. It may have been replaced. */
static gboolean
holds_result(const char *directory, const CsCompareResult *result)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, NULL);
    if (info != NULL && info->n_generations > 0 && info->circular != CS_CIRCULAR_NONE)
        return info->generations[0].fraction >= 1 && cs_resuming_cells(info) == result->cells &&
               (result->below > 0 || info->generations[0].score == result->score);
    return info != NULL && info->n_generations > 0 &&
           info->generations[0].cells_done == result->cells &&
           cs_resuming_cells(info) == result->cells &&
           (result->below > 0 || (info->generations[0].score == result->score &&
                                  info->generations[0].strand == result->strand &&
                                  info->generations[0].target_end == result->target_end &&
                                  MAX(info->generations[0].query_start,
                                      info->generations[0].query_end) == last_in_query(result)));
}

/* Removes the checkpoints of all pairs of records. */
static gboolean
remove_folders(const char *directory, GError **error)
{
    CsCheckpointPairs *pairs = cs_checkpoint_pairs_open(directory, error);
    g_autoptr(GDir) folder = pairs != NULL ? g_dir_open(directory, 0, error) : NULL;
    gboolean good = folder != NULL;
    for (const char *name; good && (name = g_dir_read_name(folder)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        good = !g_file_test(path, G_FILE_TEST_IS_DIR) || cs_checkpoint_remove(path, error);
    }
    cs_checkpoint_pairs_close(pairs, good);
    return good;
}

/* The result is safely written, so it is no failure if something cannot be removed. */
static void
clean_up(const CsRunJob *job, const CsOutput *output, const CsCompareResult *result)
{
    g_autoptr(GError) error = NULL;
    if (!cs_output_is_durable(output))
        cs_message(CS_MESSAGE_WARNING,
                   "keeping the checkpoint: the folder of the result could not be flushed to disk");
    else if (job->set == NULL && !holds_result(job->options.checkpoint, result))
        cs_message(CS_MESSAGE_WARNING,
                   "keeping the checkpoint folder: its state is not that of this result");
    else if (cs_checkpoint_is_of_pairs(job->options.checkpoint)
                 ? !remove_folders(job->options.checkpoint, &error)
                 : !cs_checkpoint_remove(job->options.checkpoint, &error))
        cs_message(CS_MESSAGE_WARNING, "%s", error->message);
}

/* Refuses what it can before anything long begins. */
static gboolean
prepare(const CsRunJob *job, CsOutput **output, GError **error)
{
    if (!cs_scoring_check(&job->inputs.scoring, 1, 1, error) ||
        !cs_places_refuse_folder(job, error))
        return FALSE;
    /* Opened before the GPU driver starts, which opens descriptors that the output might name. */
    *output = cs_output_open(job->output, job->inputs.files, error);
    return *output != NULL &&
           cs_places_refuse_checkpoint(job, cs_output_path(*output), job->output, error);
}

static gboolean
check_device(const CsRunJob *job, GError **error)
{
    return cs_device_describe(job->options.device, job->options.engine, error) != NULL;
}

static gboolean
is_auto(const char *text)
{
    return text == NULL || strcmp(text, "auto") == 0;
}

/* Whether some device will do, even if no GPU does. */
static gboolean
has_device(const CsRunJob *job)
{
    return is_auto(job->options.device) && is_auto(job->options.engine) &&
           cs_device_describe("cpu", NULL, NULL) != NULL;
}

/* Loads while the driver starts. Errors come in the usual order, that of a device first. */
static gboolean
load_beside(const CsRunJob *job, CsSequence **target, CsSequence **query, GError **error)
{
    g_autoptr(GError) failure = NULL;
    gboolean checked = has_device(job);
    if (!checked && !cs_inputs_are_files(&job->inputs)) { /* a pipe may never end */
        if (!check_device(job, error))
            return FALSE;
        checked = TRUE;
    }
    const gboolean loaded = cs_inputs_load_both(&job->inputs, target, query, &failure);
    if (!checked && !check_device(job, error))
        return FALSE;
    if (!loaded)
        g_propagate_error(error, g_steal_pointer(&failure));
    return loaded;
}

gboolean
cs_run_load(const CsRunJob *job, CsOutput **output, CsDeviceStart **start, CsSequence **target,
            CsSequence **query, GError **error)
{
    if (!prepare(job, output, error))
        return FALSE;
    *start = cs_device_start_new(job->options.device, job->options.engine);
    if (*start != NULL)
        return load_beside(job, target, query, error);
    return check_device(job, error) && cs_inputs_load_both(&job->inputs, target, query, error);
}

/* Loads all records. The first two stand for them where one of each is wanted. */
static gboolean
load_many(CsRun *run, CsOutput **output, CsSequence **target, CsSequence **query, GError **error)
{
    const CsRunJob *job = run->job;
    if (!prepare(job, output, error) || !check_device(job, error) ||
        !cs_pair_list_load(&run->pairs, &job->inputs, NULL, error))
        return FALSE;
    *target = cs_sequence_ref((CsSequence *)cs_pair_list_target(&run->pairs, 0));
    *query = cs_sequence_ref((CsSequence *)cs_pair_list_query(&run->pairs, 0));
    cs_message(CS_MESSAGE_DETAIL, "threads: at most %u", job->options.threads);
    return TRUE;
}

/* Whether the format can hold all records. */
static gboolean
check_format(const CsRun *run, const CsSequence *target, const CsSequence *query, GError **error)
{
    const CsAlignmentForm *form = run->job->alignment;
    if (form == NULL || !run->job->many)
        return form == NULL || cs_alignment_format_check(form, target, query, error);
    const GPtrArray *targets = run->pairs.records[0], *queries = run->pairs.records[1];
    for (guint k = 0; k < MAX(targets->len, queries->len); k++)
        if (!cs_alignment_format_check(form, targets->pdata[MIN(k, targets->len - 1)],
                                       queries->pdata[MIN(k, queries->len - 1)], error))
            return FALSE;
    return TRUE;
}

/* Opens the file for the index. Only a regular file can have one. */
static gboolean
open_index(const CsRunJob *job, const CsOutput *output, CsOutput **index, GError **error)
{
    if (job->index == NULL)
        return TRUE;
    if (cs_output_path(output) == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "%s is not a regular file, so --write-index cannot write an index of it",
                    job->output);
        return FALSE;
    }
    if (cs_places_are_same(job->output, job->index)) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s is both the output and its index",
                    job->index);
        return FALSE;
    }
    *index = cs_output_open(job->index, job->inputs.files, error);
    return *index != NULL &&
           cs_places_refuse_checkpoint(job, cs_output_path(*index), job->index, error);
}

static gboolean
load_sweep_write(CsRun *run, GError **error)
{
    const CsRunJob *job = run->job;
    g_autoptr(CsOutput) output = NULL;
    g_autoptr(CsOutput) index = NULL;
    g_autoptr(CsDeviceStart) start = NULL;
    g_autoptr(CsSequence) target = NULL;
    g_autoptr(CsSequence) query = NULL;
    if (!(job->many ? load_many(run, &output, &target, &query, error)
                    : cs_run_load(job, &output, &start, &target, &query, error)) ||
        !open_index(job, output, &index, error) || !check_format(run, target, query, error))
        return FALSE;
    if (!job->many)
        tell_before(job, target, query);
    CsResult result = {.files = {job->inputs.files[0], job->inputs.files[1]},
                       .sequences = {target, query},
                       .scoring = job->inputs.scoring};
    const gboolean swept = cs_run_sweep(run, target, query, &result.found, error);
    cs_progress_end(run->teller);
    if (!swept)
        return FALSE;
    result.seconds_total = (double)(g_get_monotonic_time() - job->start) / 1e6;
    g_autoptr(GBytes) index_bytes = NULL;
    g_autoptr(GBytes) bytes = format_result(run, &result, &index_bytes, error);
    run->signal = 0; /* it came too late to stop anything */
    /* The index comes second, because samtools warns if an index is older than its file. */
    if (bytes == NULL || !write_result(output, bytes, &result.found, error) ||
        (index != NULL && !write_result(index, index_bytes, &result.found, error)))
        return FALSE;
    if (job->cleanup)
        clean_up(job, output, &result.found);
    return TRUE;
}

void
cs_run_die(int number)
{
    g_autofree char *how = g_strdup_printf("killed by %s", cs_signals_name(number));
    cs_messages_end(how);
    cs_ranks_end();
    cs_signals_die(number);
}

int
cs_run_job(const CsRunJob *job)
{
    g_autoptr(GError) error = NULL;
    CsProgressTeller teller = {.form = job->progress};
    CsRun run = {.job = job, .teller = &teller};
    const gboolean done = load_sweep_write(&run, &error);
    g_clear_pointer(&run.alignment, cs_alignment_free);
    g_clear_pointer(&run.set, g_ptr_array_unref);
    cs_pair_list_clear(&run.pairs);
    if (done)
        return 0;
    int status = CS_ERROR_STOPPED;
    if (g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED) && job->options.checkpoint)
        cs_resuming_tell_stopped(job, run.stage, run.signal);
    else {
        cs_resuming_tell_way_out(job, error);
        status = cs_print_failure("chromosweep", error);
        if (run.swept && job->options.checkpoint != NULL)
            cs_resuming_tell_kept(job, run.stage);
    }
    if (run.signal != 0)
        cs_run_die(run.signal);
    return status;
}
