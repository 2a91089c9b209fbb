/* Says how to resume a comparison. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/inputs.h"
#include "command/memo.h"
#include "command/messages.h"
#include "command/progress.h"
#include "command/resuming.h"
#include "command/shell.h"
#include "command/signals.h"
#include "formats/escape.h"
#include "formats/names.h"

char *
cs_resuming_line(const char *directory)
{
    g_autofree char *path = g_strconcat(directory[0] == '-' ? "./" : "", directory, NULL);
    g_autofree char *quoted = cs_shell_word(path);
    g_autofree char *shown = cs_escape(quoted, FALSE);
    return g_strconcat("chromosweep resume ", shown, NULL);
}

gboolean
cs_resuming_is_piped(const char *file)
{
    return file == NULL || strcmp(file, "-") == 0 || g_str_has_prefix(file, "/dev/fd/") ||
           strcmp(file, "/dev/stdin") == 0 || g_str_has_prefix(file, "/proc/") ||
           (g_file_test(file, G_FILE_TEST_EXISTS) && !g_file_test(file, G_FILE_TEST_IS_REGULAR));
}

/* A region for --target-region, with the name in braces to be safe. NULL for the whole record. */
static char *
region_of(const char *name, gint64 from, gint64 to)
{
    return from > 0 ? g_strdup_printf("{%s}:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, name, from, to)
                    : NULL;
}

gboolean
cs_resuming_inputs_find(CsResumingInputs *inputs, const char *directory, GError **error)
{
    CsCheckpointInfo *info = cs_checkpoint_info_new(directory, FALSE, error);
    if (info == NULL)
        return FALSE;
    inputs->info = info;
    inputs->regions[0] = region_of(info->target_name, info->target_from, info->target_to);
    inputs->regions[1] = region_of(info->query_name, info->query_from, info->query_to);
    return TRUE;
}

void
cs_resuming_inputs_clear(CsResumingInputs *inputs)
{
    g_clear_pointer(&inputs->info, cs_checkpoint_info_free);
    g_clear_pointer(&inputs->regions[0], g_free);
    g_clear_pointer(&inputs->regions[1], g_free);
}

gboolean
cs_resuming_inputs_take(const CsResumingInputs *inputs, CsRunJob *job, GError **error)
{
    static const char *const sides[] = {"target", "query"};
    const CsCheckpointInfo *info = inputs->info;
    const char *files[] = {info->target_file, info->query_file};
    const char *names[] = {info->target_name, info->query_name};
    for (guint k = 0; k < 2; k++) {
        if (cs_resuming_is_piped(files[k])) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "checkpoint %s: the %s was read from %s, so it cannot be read again; run "
                        "the same command again",
                        job->options.checkpoint, sides[k],
                        files[k] == NULL             ? "memory"
                        : strcmp(files[k], "-") == 0 ? "standard input"
                                                     : "a pipe");
            return FALSE;
        }
        job->inputs.files[k] = files[k];
        job->inputs.names[k] = names[k];
        job->inputs.regions[k] = inputs->regions[k];
    }
    job->inputs.scoring = info->scoring;
    job->options.circular = info->circular;
    job->options.strand = cs_names_strand_of(info->strand);
    return TRUE;
}

gint64
cs_resuming_cells(const CsCheckpointInfo *info)
{
    return cs_inputs_cells(info->target_length, info->query_length,
                           cs_names_strand_of(info->strand));
}

/* What the job was doing after the sweeps, from the stage that was told last. */
static const char *
name_later(const CsGeneration *newest, CsStage stage)
{
    if (newest->traced >= 1)
        return ", while verifying";
    return stage == CS_STAGE_ROWS ? ", while sweeping once more for the alignment"
                                  : ", while tracing the alignment back";
}

/* How much of the job is done once all cells are computed. An earlier job that made the checkpoint
 * may have wanted less. */
static double
share_of_later(const CsRunJob *job, const CsGeneration *newest)
{
    const double swept = job->options.verify ? CS_PROGRESS_SWEEPS_VERIFIED : CS_PROGRESS_SWEEPS;
    const double traced = job->options.verify ? CS_PROGRESS_TRACED_VERIFIED : 1;
    if (job->alignment == NULL && job->options.no_start)
        return 1;
    return newest->traced < 1 ? swept + (traced - swept) * newest->traced
                              : traced + (1 - traced) * newest->proved;
}

/* The progress of what was saved last, " after 37.2% of the work", or nothing; after the sweeps also
 * what the job was doing. */
static char *
tell_saved(const CsRunJob *job, CsStage stage)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(job->options.checkpoint, FALSE, NULL);
    if (info == NULL || info->n_generations == 0)
        return g_strdup("");
    if (job->set != NULL)
        return g_strdup_printf(" after %" G_GINT64_FORMAT " alignments",
                               info->set != NULL ? info->set->alignments : 0);
    const CsGeneration *newest = &info->generations[0];
    const gboolean swept = newest->cells_done == cs_resuming_cells(info);
    const double share = swept ? share_of_later(job, newest) : newest->fraction;
    g_autofree char *percent = cs_progress_percent(share);
    return g_strdup_printf(" after %s%% of the work%s", percent,
                           swept && share < 1 ? name_later(newest, stage) : "");
}

/* Whether `resume` does the job, and not only the comparison. */
static gboolean
is_of_job(const CsRunJob *job)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(job->options.checkpoint, FALSE, NULL);
    g_autoptr(GPtrArray) options = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *output = NULL;
    if (job->many) /* the records are not in the checkpoint */
        return FALSE;
    if (job->alignment == NULL)
        return info != NULL && cs_memo_has_no_start(info->memo) == job->options.no_start;
    return info != NULL && cs_memo_read_align(info->memo, options, &output);
}

/* What to type next. is_saved: there is a state to resume from. */
static char *
go_on_line(const CsRunJob *job, gboolean is_saved)
{
    g_autofree char *line = cs_resuming_line(job->options.checkpoint);
    return cs_resuming_is_piped(job->inputs.files[0]) || cs_resuming_is_piped(job->inputs.files[1])
               ? g_strdup("run the same command with the same input again")
           : is_saved && is_of_job(job) ? g_strconcat("run: ", line, NULL)
                                        : g_strdup("run the same command again");
}

void
cs_resuming_tell_stopped(const CsRunJob *job, CsStage stage, int signal)
{
    g_autofree char *state = tell_saved(job, stage);
    g_autofree char *line = go_on_line(job, state[0] != '\0');
    if (signal != 0)
        cs_message(CS_MESSAGE_ERROR, "%s: stopped%s; to resume, %s", cs_signals_name(signal), state,
                   line);
    else
        cs_message(CS_MESSAGE_ERROR, "stopped at the time limit%s; to resume, %s", state, line);
}

void
cs_resuming_tell_kept(const CsRunJob *job, CsStage stage)
{
    g_autofree char *saved = tell_saved(job, stage);
    g_autofree char *line = go_on_line(job, saved[0] != '\0');
    if (saved[0] != '\0')
        cs_message(CS_MESSAGE_ERROR, "the state%s is kept; to resume, %s", saved, line);
}

void
cs_resuming_tell_way_out(const CsRunJob *job, GError *error)
{
    if (!job->may_begin_anew || !g_error_matches(error, CS_ERROR, CS_ERROR_CHECKPOINT) ||
        cs_error_get_detail(error) != CS_DETAIL_NONE)
        return;
    g_autofree char *message = error->message;
    error->message =
        g_strdup_printf("%s (--no-resume starts over and leaves it in place)", message);
}
