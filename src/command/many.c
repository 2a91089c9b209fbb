/* Many pairs: one after the other, a row of each, and a checkpoint for each. */
#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/couples.h"
#include "command/many.h"
#include "command/output.h"
#include "command/signals.h"
#include "command/voice.h"

/* The run at work. */
typedef struct {
    const CsComparison *comparison;
    CsOutput *output;
    CsCheckpointPairs *checkpoint; /* or NULL */
    CsCouples couples;
    gboolean has_header;
    guint done, failed;
    int status; /* of the first that failed */
    int signal; /* that asked to stop, or 0 */
    CsProgressTeller teller;
} Many;

static void
many_clear(Many *many)
{
    g_clear_pointer(&many->output, cs_output_free);
    cs_checkpoint_pairs_close(g_steal_pointer(&many->checkpoint), FALSE);
    cs_couples_clear(&many->couples);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Many, many_clear)

void
cs_many_arguments_clear(CsManyArguments *a)
{
    g_free(a->pairs);
    g_free(a->min_score);
}

gboolean
cs_many_is_wanted(const CsManyArguments *a)
{
    return a->all_pairs || a->pairs != NULL;
}

/* The list names the records; files of which one is read twice must be files. */
static gboolean
check_list(const CsManyArguments *a, const CsPair *pair, GError **error)
{
    for (guint k = 0; k < 2; k++) {
        if (pair->names[k] != NULL || pair->regions[k] != NULL)
            return cs_arguments_usage(error,
                                      "--pairs names the records: no --%s-name or --%s-region",
                                      k == 0 ? "target" : "query", k == 0 ? "target" : "query");
        if (strcmp(pair->files[k], "-") == 0 && strcmp(a->pairs, "-") == 0)
            return cs_arguments_usage(error, "only one of the files can be -, standard input");
    }
    return TRUE;
}

gboolean
cs_many_check(const CsManyArguments *a, const CsRunArguments *run, CsComparison *c, GError **error)
{
    if (!cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &c->min_score, error))
        return FALSE;
    if (!cs_many_is_wanted(a))
        return a->min_score == NULL ||
               cs_arguments_usage(error, "--min-score needs --all-pairs or --pairs");
    if (a->all_pairs && a->pairs != NULL)
        return cs_arguments_usage(error, "--all-pairs and --pairs exclude each other");
    if (a->pairs != NULL && !check_list(a, &c->pair, error))
        return FALSE;
    c->many = TRUE;
    if (run->format == NULL)
        c->format = CS_REPORT_TSV;
    return c->format != CS_REPORT_TEXT ||
           cs_arguments_usage(error, "many pairs are reported as tsv or json, not as text");
}

/* TSV's header comes but once, with the first pair, whatever that scores. */
static gboolean
add_row(Many *many, const CsReport *report, GError **error)
{
    g_autofree char *text = cs_report_format(report, many->comparison->format);
    char *row = many->comparison->format == CS_REPORT_TSV ? strchr(text, '\n') + 1 : text;
    g_autofree char *header = g_strndup(text, (gsize)(row - text));
    const gboolean first = !many->has_header;
    many->has_header = TRUE;
    return (!first || row == text || cs_output_add_row(many->output, header, error)) &&
           (report->result->score < many->comparison->min_score ||
            cs_output_add_row(many->output, row, error));
}

static void
tell_failure(Many *many, const CsSequence *target, const CsSequence *query, const GError *failure)
{
    g_autofree char *names =
        g_strdup_printf("%s, %s", cs_sequence_get_name(target), cs_sequence_get_name(query));
    g_autoptr(GError) error =
        g_error_new(failure->domain, failure->code, "%s: %s", names, failure->message);
    int status = cs_command_fail("chromosweep", error);
    if (many->failed++ == 0)
        many->status = status;
}

static void
count_cells(Many *many)
{
    const CsComparison *c = many->comparison;
    gint64 cells = 0;
    for (guint k = 0; k < cs_couples_count(&many->couples); k++)
        if (__builtin_add_overflow(cells, cs_couples_cells(&many->couples, k, c->options.strand),
                                   &cells))
            cells = G_MAXINT64;
    many->teller = (CsProgressTeller){.form = c->progress, .cells = cells};
}

/* One pair. FALSE with the error when its row cannot be written, or when it was stopped. */
static gboolean
run_couple(Many *many, guint k, GError **error)
{
    const CsSequence *target = cs_couples_target(&many->couples, k);
    const CsSequence *query = cs_couples_query(&many->couples, k);
    g_autoptr(GError) failure = NULL;
    CsComparison one = *many->comparison;
    g_autofree char *folder = one.options.checkpoint != NULL
                                  ? cs_couples_folder(&many->couples, k, one.options.checkpoint)
                                  : NULL;
    CsComparisonRun run = {.comparison = &one, .teller = &many->teller};
    CsCompareResult result;
    const gint64 begun = g_get_monotonic_time();
    one.options.checkpoint = folder;
    one.options.one_of_many = TRUE;
    one.output = NULL; /* who resumes one pair alone has its row, not all rows, to write */
    cs_say(CS_SAY_DETAIL, "pair %u of %u: %s, %s", k + 1, cs_couples_count(&many->couples),
           cs_sequence_get_name(target), cs_sequence_get_name(query));
    const gboolean done = cs_comparison_sweep(&run, target, query, &result, &failure);
    if (g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    cs_progress_next(&many->teller, cs_couples_cells(&many->couples, k, one.options.strand));
    if (!done) {
        tell_failure(many, target, query, failure);
        return TRUE;
    }
    many->done++;
    CsReport report = {.target_file = one.pair.files[0],
                       .query_file = one.pair.files[1],
                       .target = target,
                       .query = query,
                       .scoring = &one.pair.scoring,
                       .result = &result,
                       .seconds_total = (double)(g_get_monotonic_time() - begun) / 1e6};
    return add_row(many, &report, error);
}

/* All pairs, or those before a request to stop; in *stopped whether it was that. */
static gboolean
run_couples(Many *many, gboolean *stopped, GError **error)
{
    const CsComparison *c = many->comparison;
    const gboolean watch = c->options.checkpoint != NULL;
    GError *failure = NULL;
    *stopped = FALSE;
    if (watch)
        cs_signals_watch_stops();
    for (guint k = 0; k < cs_couples_count(&many->couples) && failure == NULL && !*stopped; k++) {
        *stopped = watch && cs_comparison_must_stop(c);
        if (!*stopped && !run_couple(many, k, &failure))
            *stopped = g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED);
    }
    if (watch)
        many->signal = cs_signals_unwatch_stops();
    cs_progress_end(&many->teller);
    if (*stopped)
        g_clear_error(&failure);
    if (failure == NULL)
        return TRUE;
    g_propagate_error(error, failure);
    return FALSE;
}

/*
 * Whether a pair's state, if it can be read, is of this scoring and strand. Its letters and the
 * rest are judged when it is gone on from.
 */
static gboolean
check_folder(const CsComparison *c, const char *folder, GError **error)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(folder, FALSE, NULL);
    const char *strand = cs_pair_strand_name(c->options.strand);
    if (info == NULL)
        return TRUE;
    const CsScoring *there = &info->scoring, *here = &c->pair.scoring;
    const struct {
        const char *name;
        gint64 there, here;
    } numbers[] = {{"match", there->match, here->match},
                   {"mismatch", there->mismatch, here->mismatch},
                   {"gap_open", there->gap_open, here->gap_open},
                   {"gap_extend", there->gap_extend, here->gap_extend}};
    for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
        if (numbers[k].there != numbers[k].here) {
            g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                        "checkpoint %s is of another comparison: scoring.%s is %" G_GINT64_FORMAT
                        " there and %" G_GINT64_FORMAT " here",
                        folder, numbers[k].name, numbers[k].there, numbers[k].here);
            return FALSE;
        }
    if (strcmp(info->strand, strand) == 0)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s is of another comparison: strand is %s there and %s here", folder,
                info->strand, strand);
    return FALSE;
}

/* One run with another scoring by mistake would otherwise leave states that the next cannot use. */
static gboolean
check_folders(const Many *many, GError **error)
{
    const CsComparison *c = many->comparison;
    if (c->options.checkpoint == NULL || c->options.checkpoint_fresh)
        return TRUE;
    for (guint k = 0; k < cs_couples_count(&many->couples); k++) {
        g_autofree char *folder = cs_couples_folder(&many->couples, k, c->options.checkpoint);
        if (g_file_test(folder, G_FILE_TEST_IS_DIR) && !check_folder(c, folder, error))
            return FALSE;
    }
    return TRUE;
}

/* The rows are safe by now: what stays behind is no failure. */
static void
clean_up(Many *many)
{
    const CsComparison *c = many->comparison;
    g_autoptr(GError) error = NULL;
    for (guint k = 0; error == NULL && k < cs_couples_count(&many->couples); k++) {
        g_autofree char *folder = cs_couples_folder(&many->couples, k, c->options.checkpoint);
        if (g_file_test(folder, G_FILE_TEST_IS_DIR) && check_folder(c, folder, &error))
            cs_checkpoint_remove(folder, &error);
    }
    if (error != NULL)
        cs_say(CS_SAY_WARNING, "%s", error->message);
    cs_checkpoint_pairs_close(g_steal_pointer(&many->checkpoint), TRUE);
}

/* Where rows are that did not become the output. */
static char *
rest_of_line(const Many *many)
{
    const char *part = cs_output_part(many->output);
    g_autofree char *shown = part != NULL ? cs_command_escape(part, FALSE) : NULL;
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
    cs_say(CS_SAY_ERROR, "%s: %u of %u pairs are done%s; go on with the same command %s%s",
           number != 0 ? cs_signals_name(number) : "stopped at the time limit", many->done,
           cs_couples_count(&many->couples), failed,
           many->comparison->options.checkpoint_fresh ? "without --no-resume" : "again", rest);
    if (number == 0)
        return many->failed > 0 ? many->status : CS_ERROR_STOPPED;
    many_clear(many); /* the rows are where they can be read */
    cs_comparison_die(number);
}

static int
end(Many *many)
{
    g_autoptr(GError) error = NULL;
    if (many->failed > 0) {
        g_autofree char *rest = rest_of_line(many);
        cs_say(CS_SAY_ERROR, "%u of %u pairs failed%s", many->failed,
               cs_couples_count(&many->couples), rest);
        return many->status;
    }
    if (!cs_output_finish_rows(many->output, &error))
        return cs_command_fail("chromosweep", error);
    if (many->comparison->cleanup && cs_output_is_durable(many->output))
        clean_up(many);
    return 0;
}

/* Whatever can be refused is refused before anything long begins. */
static gboolean
begin(Many *many, const CsManyArguments *a, GError **error)
{
    const CsComparison *c = many->comparison;
    const char *inputs[] = {c->pair.files[0], c->pair.files[1], a->pairs, NULL};
    if (!cs_scoring_check(&c->pair.scoring, 1, 1, error))
        return FALSE;
    many->output = cs_output_open(c->output, inputs, error);
    return many->output != NULL && cs_output_begin_rows(many->output, inputs, error) &&
           cs_comparison_refuse_checkpoint(c, many->output, error) &&
           cs_device_describe(c->options.device, c->options.engine, error) != NULL &&
           cs_couples_load(&many->couples, &c->pair, a->pairs, error) &&
           (c->options.checkpoint == NULL ||
            (many->checkpoint = cs_checkpoint_pairs_open(c->options.checkpoint, error)) != NULL) &&
           check_folders(many, error);
}

int
cs_many_run(const CsComparison *comparison, const CsManyArguments *arguments)
{
    g_auto(Many) many = {.comparison = comparison};
    g_autoptr(GError) error = NULL;
    gboolean stopped = FALSE;
    if (!begin(&many, arguments, &error)) {
        cs_comparison_tell_way_out(comparison, error);
        return cs_command_fail("chromosweep", error);
    }
    count_cells(&many);
    if (!run_couples(&many, &stopped, &error))
        return cs_command_fail("chromosweep", error);
    return stopped ? end_stopped(&many) : end(&many);
}
