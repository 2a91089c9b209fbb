/* A comparison as a command runs it: options, loading, the sweep and what may stop it, the output.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/comparison.h"
#include "command/output.h"
#include "command/progress.h"
#include "command/signals.h"
#include "command/voice.h"

enum {
    GRID_MAX = 1000000,
    GRID_THREADS_MAX = 1024, /* in a GPU's block */
};

static const char *const format_names[] = {
    [CS_REPORT_TEXT] = "text",
    [CS_REPORT_TSV] = "tsv",
    [CS_REPORT_JSON] = "json",
};

void
cs_run_arguments_clear(CsRunArguments *a)
{
    char *values[] = {a->skip,     a->format,   a->output,      a->threads,  a->engine,
                      a->device,   a->grid,     a->bits,        a->max_time, a->checkpoint_interval,
                      a->progress, a->log_file, a->command_line};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->rest);
}

/* As a shell takes it for one word. */
static char *
quote_word(const char *word)
{
    static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_./+,:@%=-";
    return strspn(word, plain) == strlen(word) && word[0] != '\0' ? g_strdup(word)
                                                                  : g_shell_quote(word);
}

static char *
quote_line(int argc, char *const *argv)
{
    GString *line = g_string_new("chromosweep");
    for (int k = 0; k < argc; k++) {
        g_autofree char *word = quote_word(argv[k]);
        g_string_append_printf(line, " %s", word);
    }
    return g_string_free(line, FALSE);
}

/* Values are taken as file names, the only type that lets every byte through. */
gboolean
cs_run_arguments_parse(CsRunArguments *a, const GOptionEntry *more, int argc, char **argv,
                       GError **error)
{
    const GOptionEntry common[] = {
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a->format, NULL, NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, NULL, NULL},
        {"threads", 't', 0, G_OPTION_ARG_FILENAME, &a->threads, NULL, NULL},
        {"engine", 0, 0, G_OPTION_ARG_FILENAME, &a->engine, NULL, NULL},
        {"device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, NULL, NULL},
        {"grid", 0, 0, G_OPTION_ARG_FILENAME, &a->grid, NULL, NULL},
        {"bits", 0, 0, G_OPTION_ARG_FILENAME, &a->bits, NULL, NULL},
        {"skip", 0, 0, G_OPTION_ARG_FILENAME, &a->skip, NULL, NULL},
        {"checkpoint-interval", 0, 0, G_OPTION_ARG_FILENAME, &a->checkpoint_interval, NULL, NULL},
        {"checkpoint-cleanup", 0, 0, G_OPTION_ARG_NONE, &a->cleanup, NULL, NULL},
        {"max-time", 0, 0, G_OPTION_ARG_FILENAME, &a->max_time, NULL, NULL},
        {"progress", 0, 0, G_OPTION_ARG_FILENAME, &a->progress, NULL, NULL},
        {"log-file", 0, 0, G_OPTION_ARG_FILENAME, &a->log_file, NULL, NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &a->quiet, NULL, NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &a->verbose, NULL, NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &a->help, NULL, NULL},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &a->version, NULL, NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->rest, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
    for (; more->long_name != NULL; more++)
        g_array_append_vals(entries, more, 1);
    g_array_append_vals(entries, common, G_N_ELEMENTS(common));
    a->command_line = quote_line(argc, argv);
    return cs_arguments_parse((const GOptionEntry *)(const void *)entries->data, argc, argv, error);
}

/* B,T,ALPHA; an absent option leaves the grid as it suits. */
static gboolean
parse_grid(const char *text, CsCompareOptions *options, GError **error)
{
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) fields = g_strsplit(text, ",", 0);
    const gint64 most[] = {GRID_MAX, GRID_THREADS_MAX, GRID_MAX};
    guint *const numbers[] = {&options->grid_blocks, &options->grid_threads, &options->grid_alpha};
    gboolean good = g_strv_length(fields) == G_N_ELEMENTS(numbers);
    for (guint k = 0; good && k < G_N_ELEMENTS(numbers); k++) {
        gint64 number = 0;
        good = g_ascii_string_to_signed(fields[k], 10, 1, most[k], &number, NULL);
        *numbers[k] = (guint)number;
    }
    return good ||
           cs_arguments_usage(error,
                              "--grid must be B,T,ALPHA, whole numbers from 1 to %d, T at most %d, "
                              "not '%s'",
                              GRID_MAX, GRID_THREADS_MAX, text);
}

static gboolean
parse_skip(const char *text, CsSkipMode *skip, GError **error)
{
    const char *names[CS_SKIP_BOUNDS + 2] = {NULL};
    for (CsSkipMode mode = CS_SKIP_AUTO; mode <= CS_SKIP_BOUNDS; mode++)
        names[mode] = cs_skip_mode_name(mode);
    guint place = *skip;
    if (!cs_arguments_choice("--skip", text, names, &place, error))
        return FALSE;
    *skip = (CsSkipMode)place;
    return TRUE;
}

static gboolean
parse_bits(const char *text, guint *bits, GError **error)
{
    static const char *const widths[] = {"16", "32", "64", NULL};
    if (text == NULL)
        return TRUE;
    if (!g_strv_contains(widths, text))
        return cs_arguments_usage(error, "--bits must be 16, 32 or 64, not '%s'", text);
    *bits = (guint)g_ascii_strtoull(text, NULL, 10);
    return TRUE;
}

gboolean
cs_comparison_init(CsComparison *c, const CsRunArguments *a, GError **error)
{
    *c = (CsComparison){.options = CS_COMPARE_OPTIONS_INIT,
                        .output = a->output,
                        .cleanup = a->cleanup,
                        .log_file = a->log_file,
                        .command_line = a->command_line,
                        .start = g_get_monotonic_time()};
    c->options.engine = a->engine != NULL ? a->engine : "auto";
    c->options.device = a->device != NULL ? a->device : "auto";
    gint64 threads = cs_threads_granted();
    if (!cs_arguments_number("--threads", a->threads, 1, CS_PAIR_THREADS_MAX, &threads, error) ||
        !parse_grid(a->grid, &c->options, error) || !parse_bits(a->bits, &c->options.bits, error) ||
        !parse_skip(a->skip, &c->options.skip, error) ||
        !cs_arguments_format(a->format, &c->format, error) ||
        !cs_arguments_time("--checkpoint-interval", a->checkpoint_interval,
                           &c->options.checkpoint_interval, error) ||
        !cs_arguments_time("--max-time", a->max_time, &c->max_time, error) ||
        !cs_progress_parse(a->progress, &c->progress, error))
        return FALSE;
    c->options.threads = (guint)threads;
    if (a->output != NULL && a->output[0] == '\0')
        return cs_arguments_usage(error, "the name of the output file is empty");
    if (a->quiet && a->verbose)
        return cs_arguments_usage(error, "--quiet and --verbose exclude each other");
    if (a->quiet && c->progress == CS_PROGRESS_JSON)
        return cs_arguments_usage(error, "--quiet and --progress json exclude each other");
    if (a->log_file != NULL && a->log_file[0] == '\0')
        return cs_arguments_usage(error, "the name of the log file is empty");
    if (a->quiet)
        c->progress = CS_PROGRESS_NONE;
    cs_voice_set(a->quiet, a->verbose);
    return TRUE;
}

/* A path need not be UTF-8, as JSON must: then its URI stands for it. */
static char *
make_memo(const CsComparison *c)
{
    g_autofree char *path = NULL;
    json_t *output = json_null();
    if (c->output != NULL && strcmp(c->output, "-") != 0) {
        g_autofree char *folder = g_get_current_dir();
        path = g_path_is_absolute(c->output) ? g_strdup(c->output)
                                             : g_build_filename(folder, c->output, NULL);
        g_autofree char *uri =
            g_utf8_validate(path, -1, NULL) ? NULL : g_filename_to_uri(path, NULL, NULL);
        output = json_string(uri != NULL ? uri : path);
    }
    json_t *memo = json_object();
    json_object_set_new(memo, "format", json_string(format_names[c->format]));
    json_object_set_new(memo, "output", output);
    char *dumped = json_dumps(memo, JSON_PRESERVE_ORDER);
    char *text = g_strdup(dumped);
    free(dumped);
    json_decref(memo);
    return text;
}

gboolean
cs_comparison_read_memo(const char *memo, char **format, char **output)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const char *form = json_string_value(json_object_get(object, "format"));
    const char *place = json_string_value(json_object_get(object, "output"));
    gboolean good = FALSE;
    for (guint k = 0; k < G_N_ELEMENTS(format_names); k++)
        good = good || g_strcmp0(form, format_names[k]) == 0;
    if (good) {
        *format = g_strdup(form);
        *output = place != NULL && place[0] != '/' ? g_filename_from_uri(place, NULL, NULL)
                                                   : g_strdup(place);
    }
    json_decref(object);
    return good;
}

char *
cs_comparison_resume_line(const char *directory)
{
    g_autofree char *path = g_strconcat(directory[0] == '-' ? "./" : "", directory, NULL);
    g_autofree char *quoted = quote_word(path);
    g_autofree char *shown = cs_command_escape(quoted, FALSE);
    return g_strconcat("chromosweep resume ", shown, NULL);
}

gboolean
cs_comparison_is_piped(const char *file)
{
    return file == NULL || strcmp(file, "-") == 0 || g_str_has_prefix(file, "/dev/fd/") ||
           strcmp(file, "/dev/stdin") == 0 || g_str_has_prefix(file, "/proc/") ||
           (g_file_test(file, G_FILE_TEST_EXISTS) && !g_file_test(file, G_FILE_TEST_IS_REGULAR));
}

gint64
cs_comparison_cells(const CsCheckpointInfo *info)
{
    return cs_pair_cells(info->target_length, info->query_length, cs_pair_strand_of(info->strand));
}

char *
cs_comparison_percent(gint64 cells_done, gint64 cells)
{
    int tenths = cells > 0 ? (int)(1000.0 * (double)cells_done / (double)cells) : 1000;
    if (cells_done < cells)
        tenths = MIN(tenths, 999);
    return g_strdup_printf("%d.%d", tenths / 10, tenths % 10);
}

static void
tell_before(const CsComparison *c, const CsSequence *target, const CsSequence *query)
{
    cs_pair_warn(0, target);
    cs_pair_warn(1, query);
    cs_pair_tell(0, target);
    cs_pair_tell(1, query);
    cs_say(CS_SAY_DETAIL, "engine %s: %s; threads: at most %u", c->options.engine,
           cs_device_describe(c->options.device, c->options.engine, NULL), c->options.threads);
}

/* A CsNoteFunc. */
static void
tell_note(CsNoteKind kind, const char *message, gpointer data)
{
    const CsComparisonRun *run = data;
    const CsSay event = run->comparison->options.one_of_many ? CS_SAY_DETAIL : CS_SAY_EVENT;
    cs_say(kind == CS_NOTE_DETAIL  ? CS_SAY_DETAIL
           : kind == CS_NOTE_EVENT ? event
                                   : CS_SAY_WARNING,
           "%s", message);
}

gboolean
cs_comparison_must_stop(const CsComparison *c)
{
    const double seconds = (double)(g_get_monotonic_time() - c->start) / 1e6;
    return cs_signals_stop() != 0 || (c->max_time > 0 && seconds >= c->max_time);
}

/* A CsControlFunc: signals, and the limit of time. */
static CsControl
control(gpointer data)
{
    CsComparisonRun *run = data;
    const CsComparison *c = run->comparison;
    if (cs_comparison_must_stop(c))
        return CS_CONTROL_STOP;
    if (!cs_signals_take_save())
        return CS_CONTROL_GO_ON;
    if (c->options.checkpoint == NULL)
        cs_say(CS_SAY_WARNING, "SIGUSR1: there is nothing to save without --checkpoint");
    return CS_CONTROL_SAVE;
}

/* Where the alignment ends because the region does, there may be more of it. */
static void
tell_edges(const CsSequence *target, const CsSequence *query, const CsCompareResult *result,
           CsSay say)
{
    const gint64 target_from = cs_sequence_get_offset(target);
    const gint64 query_from = cs_sequence_get_offset(query);
    const gint64 target_to = target_from + cs_sequence_get_length(target);
    const gint64 query_to = query_from + cs_sequence_get_length(query);
    const gboolean minus = result->strand == CS_STRAND_MINUS;
    if (result->target_end == target_to && target_to < cs_sequence_get_record_length(target))
        cs_say(say, "the alignment ends where the target's region does: it may go on");
    if (minus ? result->query_end == query_from + 1 && query_from > 0
              : result->query_end == query_to && query_to < cs_sequence_get_record_length(query))
        cs_say(say, "the alignment ends where the query's region does: it may go on");
}

gboolean
cs_comparison_sweep(CsComparisonRun *run, const CsSequence *target, const CsSequence *query,
                    CsCompareResult *result, GError **error)
{
    const CsComparison *c = run->comparison;
    CsCompareOptions options = c->options;
    options.scoring = c->pair.scoring;
    g_autofree char *memo = make_memo(c);
    options.memo = memo;
    options.note = tell_note;
    options.control = control;
    if (cs_progress_is_heard(run->teller))
        options.progress = cs_progress_tell;
    options.progress_data = run->teller;
    options.note_data = options.control_data = run;
    const gboolean watch = options.checkpoint != NULL && !options.one_of_many;
    if (watch)
        cs_signals_watch_stops();
    gboolean done = cs_compare(target, query, &options, result, error);
    run->signal = watch ? cs_signals_unwatch_stops() : cs_signals_stop();
    run->swept = !done && (g_error_matches(*error, CS_ERROR, CS_ERROR_FAILED) ||
                           g_error_matches(*error, CS_ERROR, CS_ERROR_DEVICE));
    cs_voice_line(NULL);
    if (done && result->score > 0)
        tell_edges(target, query, result, options.one_of_many ? CS_SAY_DETAIL : CS_SAY_WARNING);
    if (done)
        cs_say(CS_SAY_DETAIL, "computed by %s%s%s; threads: %u", result->engine,
               result->device != NULL ? " on " : "", result->device != NULL ? result->device : "",
               result->threads);
    return done;
}

/* A result that cannot be written may have taken days: the failure's line tells the heart of it. */
static gboolean
write_result(CsOutput *output, const char *text, const CsCompareResult *result, GError **error)
{
    GError *failure = NULL;
    if (cs_output_write(output, text, &failure))
        return TRUE;
    g_autofree char *message = g_steal_pointer(&failure->message);
    failure->message =
        result->score > 0
            ? g_strdup_printf("%s (the score is %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                              ",%" G_GINT64_FORMAT "%s)",
                              message, result->score, result->target_end, result->query_end,
                              result->strand == CS_STRAND_MINUS ? " on minus" : "")
            : g_strdup_printf("%s (the score is 0)", message);
    g_propagate_error(error, failure);
    return FALSE;
}

/* Whether the folder holds the state of this result: another may stand in its place by now. */
static gboolean
holds_result(const char *directory, const CsCompareResult *result)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, NULL);
    return info != NULL && info->n_generations > 0 &&
           info->generations[0].cells_done == result->cells &&
           cs_comparison_cells(info) == result->cells &&
           info->generations[0].score == result->score &&
           info->generations[0].strand == result->strand &&
           info->generations[0].target_end == result->target_end &&
           info->generations[0].query_end == result->query_end;
}

/* The result is safe by now: what stays behind is no failure. */
static void
clean_up(CsComparisonRun *run, const CsOutput *output, const CsCompareResult *result)
{
    g_autoptr(GError) error = NULL;
    if (!cs_output_is_durable(output))
        cs_say(CS_SAY_WARNING,
               "the checkpoint is kept: the result's folder could not be flushed to disk");
    else if (!holds_result(run->comparison->options.checkpoint, result))
        cs_say(CS_SAY_WARNING,
               "the checkpoint's folder is left alone: it is not that of this result");
    else if (!cs_checkpoint_remove(run->comparison->options.checkpoint, &error))
        cs_say(CS_SAY_WARNING, "%s", error->message);
}

/* The folder that path is in, as the system knows it, and path's last name there. */
static char *
place_of(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    char *real = realpath(folder, NULL);
    char *place = real != NULL ? g_build_filename(real, name, NULL) : NULL;
    free(real);
    return place;
}

/* What is written must not take the place of the checkpoint, which may not be there yet, or its
 * files. A NULL path takes none. */
static gboolean
refuse_place(const CsComparison *c, const char *path, const char *shown, GError **error)
{
    static const char *const ours[] = {"lock", "manifest.json", "generation-"};
    if (path == NULL || c->options.checkpoint == NULL)
        return TRUE;
    g_autofree char *inside = g_build_filename(c->options.checkpoint, "x", NULL);
    g_autofree char *folder = place_of(inside), *directory = place_of(c->options.checkpoint);
    g_autofree char *place = place_of(path), *name = g_path_get_basename(path);
    gboolean taken = g_strcmp0(place, directory) == 0;
    if (place != NULL && folder != NULL) {
        g_autofree char *a = g_path_get_dirname(place), *b = g_path_get_dirname(folder);
        for (guint k = 0; strcmp(a, b) == 0 && k < G_N_ELEMENTS(ours); k++)
            taken = taken || g_str_has_prefix(name, ours[k]);
    }
    if (place != NULL && directory != NULL && c->many) {
        g_autofree char *below = g_strconcat(directory, "/", NULL);
        taken = taken || g_str_has_prefix(place, below);
    }
    if (taken)
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s is the checkpoint's own", shown);
    return !taken;
}

gboolean
cs_comparison_refuse_checkpoint(const CsComparison *c, const CsOutput *output, GError **error)
{
    return refuse_place(c, cs_output_path(output), c->output, error);
}

/* Whether both names are of one file, which need not be there yet. */
static gboolean
is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    g_autofree char *place = place_of(a), *taken = place_of(b);
    return place != NULL && g_strcmp0(place, taken) == 0;
}

/* Whether the log file is none of the run's other files. */
static gboolean
check_log(const CsComparison *c, const char *list, GError **error)
{
    const char *log = c->log_file;
    g_autofree char *part = c->output != NULL ? g_strconcat(c->output, ".part", NULL) : NULL;
    const char *const others[] = {c->pair.files[0], c->pair.files[1], list,
                                  c->output != NULL ? c->output : "-", part};
    for (guint k = 0; k < G_N_ELEMENTS(others); k++) {
        const char *other = g_strcmp0(others[k], "-") != 0 ? others[k]
                            : k < 3                        ? "/dev/stdin"
                                                           : "/dev/stdout";
        if (other != NULL && is_same_file(log, other)) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s is both %s and the log file", log,
                        k < 3 ? "an input" : "the output");
            return FALSE;
        }
    }
    return refuse_place(c, log, log, error);
}

gboolean
cs_comparison_open_log(const CsComparison *c, const char *list, GError **error)
{
    return c->log_file == NULL ||
           (check_log(c, list, error) && cs_voice_open_log(c->log_file, c->command_line, error));
}

gboolean
cs_comparison_try_log(const CsComparison *c, const char *list, GError **error)
{
    if (c->log_file == NULL)
        return TRUE;
    if (!check_log(c, list, error))
        return FALSE;
    g_autofree char *above = g_path_get_dirname(c->log_file);
    const gboolean there = g_file_test(c->log_file, G_FILE_TEST_EXISTS);
    if (g_access(there ? c->log_file : above, there ? W_OK : W_OK | X_OK) == 0)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot write %s: %s", c->log_file,
                g_strerror(errno));
    return FALSE;
}

/* Whatever can be refused is refused before anything long begins. */
gboolean
cs_comparison_load(const CsComparison *c, CsOutput **output, CsSequence **target,
                   CsSequence **query, GError **error)
{
    if (!cs_scoring_check(&c->pair.scoring, 1, 1, error))
        return FALSE;
    /* Before a GPU's driver is asked, which opens descriptors that the output might name. */
    *output = cs_output_open(c->output, c->pair.files, error);
    if (*output == NULL || !cs_comparison_refuse_checkpoint(c, *output, error) ||
        cs_device_describe(c->options.device, c->options.engine, error) == NULL)
        return FALSE;
    return cs_pair_load_both(&c->pair, target, query, error);
}

static gboolean
load_sweep_write(CsComparisonRun *run, GError **error)
{
    const CsComparison *c = run->comparison;
    g_autoptr(CsOutput) output = NULL;
    g_autoptr(CsSequence) target = NULL;
    g_autoptr(CsSequence) query = NULL;
    CsCompareResult result;
    if (!cs_comparison_load(c, &output, &target, &query, error))
        return FALSE;
    tell_before(c, target, query);
    const gboolean swept = cs_comparison_sweep(run, target, query, &result, error);
    cs_progress_end(run->teller);
    if (!swept)
        return FALSE;
    CsReport report = {.target_file = c->pair.files[0],
                       .query_file = c->pair.files[1],
                       .target = target,
                       .query = query,
                       .scoring = &c->pair.scoring,
                       .result = &result,
                       .seconds_total = (double)(g_get_monotonic_time() - c->start) / 1e6};
    g_autofree char *text = cs_report_format(&report, c->format);
    run->signal = 0; /* it came too late to stop anything */
    if (!write_result(output, text, &result, error))
        return FALSE;
    if (c->cleanup)
        clean_up(run, output, &result);
    return TRUE;
}

/* How far the state that was saved last has come: " after 37.2% of the cells", or nothing. */
static char *
tell_saved(const char *directory)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, NULL);
    if (info == NULL || info->n_generations == 0)
        return g_strdup("");
    g_autofree char *percent =
        cs_comparison_percent(info->generations[0].cells_done, cs_comparison_cells(info));
    return g_strdup_printf(" after %s%% of the cells", percent);
}

/* What to type next; is_saved: there is a state to go on from. */
static char *
go_on_line(const CsComparison *c, gboolean is_saved)
{
    return cs_comparison_is_piped(c->pair.files[0]) || cs_comparison_is_piped(c->pair.files[1])
               ? g_strdup("the same command and input again")
           : is_saved ? cs_comparison_resume_line(c->options.checkpoint)
                      : g_strdup("the same command again");
}

static void
tell_stopped(const CsComparisonRun *run)
{
    const CsComparison *c = run->comparison;
    g_autofree char *saved = tell_saved(c->options.checkpoint);
    g_autofree char *line = go_on_line(c, saved[0] != '\0');
    if (run->signal != 0)
        cs_say(CS_SAY_ERROR, "%s: stopped%s; go on with: %s", cs_signals_name(run->signal), saved,
               line);
    else
        cs_say(CS_SAY_ERROR, "stopped at the time limit%s; go on with: %s", saved, line);
}

/* After a failure: what was saved before is not lost with it. */
static void
tell_kept(const CsComparison *c)
{
    g_autofree char *saved = tell_saved(c->options.checkpoint);
    g_autofree char *line = go_on_line(c, saved[0] != '\0');
    if (saved[0] != '\0')
        cs_say(CS_SAY_ERROR, "a state%s stays; go on with: %s", saved, line);
}

void
cs_comparison_die(int number)
{
    g_autofree char *how = g_strdup_printf("died of %s", cs_signals_name(number));
    cs_voice_end(how);
    cs_signals_die(number);
}

void
cs_comparison_tell_way_out(const CsComparison *c, GError *error)
{
    if (!c->may_begin_anew || !g_error_matches(error, CS_ERROR, CS_ERROR_CHECKPOINT) ||
        strstr(error->message, " in use by ") != NULL ||
        strstr(error->message, " many pairs") != NULL)
        return;
    g_autofree char *message = error->message;
    error->message = g_strdup_printf("%s (--no-resume begins anew beside it)", message);
}

int
cs_comparison_run(CsComparison *comparison)
{
    g_autoptr(GError) error = NULL;
    CsProgressTeller teller = {.form = comparison->progress};
    CsComparisonRun run = {.comparison = comparison, .teller = &teller};
    if (load_sweep_write(&run, &error))
        return 0;
    int status = CS_ERROR_STOPPED;
    if (g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED) && comparison->options.checkpoint)
        tell_stopped(&run);
    else {
        cs_comparison_tell_way_out(comparison, error);
        status = cs_command_fail("chromosweep", error);
        if (run.swept && comparison->options.checkpoint != NULL)
            tell_kept(comparison);
    }
    if (run.signal != 0)
        cs_comparison_die(run.signal);
    return status;
}
