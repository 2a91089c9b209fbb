/* Many pairs: the records, the list, the rows, and a checkpoint for each pair. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>

#include "arguments.h"
#include "command.h"
#include "many.h"
#include "output.h"
#include "signals.h"
#include "voice.h"

enum {
    FOLDER_NAME_MAX = 200, /* bytes of a folder's name; file systems take 255 */
    FOLDER_HEAD = 120,     /* of a longer one what is kept, before its hash */
    FOLDER_HASH = 32,
};

/* Two records, by their place in the lists. */
typedef struct {
    guint target, query;
} Couple;

/* The run at work. */
typedef struct {
    const CsComparison *comparison;
    CsOutput *output;
    GPtrArray *records[2]; /* CsSequence: targets, queries */
    GArray *couples;       /* Couple, in the order of the rows */
    gint64 min_score;
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
    for (guint k = 0; k < 2; k++)
        g_clear_pointer(&many->records[k], g_ptr_array_unref);
    g_clear_pointer(&many->couples, g_array_unref);
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
    gint64 min_score = 0;
    if (!cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &min_score, error))
        return FALSE;
    if (!cs_many_is_wanted(a))
        return a->min_score == NULL ||
               cs_arguments_usage(error, "--min-score needs --all-pairs or --pairs");
    if (a->all_pairs && a->pairs != NULL)
        return cs_arguments_usage(error, "--all-pairs and --pairs exclude each other");
    if (a->pairs != NULL && !check_list(a, &c->pair, error))
        return FALSE;
    if (run->format == NULL)
        c->format = CS_REPORT_TSV;
    return c->format != CS_REPORT_TEXT ||
           cs_arguments_usage(error, "many pairs are reported as tsv or json, not as text");
}

/* A line of the list: two names, a tab between them; or nothing, or a comment. */
static gboolean
read_line(const char *file, guint number, char *line, gsize length, GPtrArray *names,
          GError **error)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (strlen(line) != length) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: NUL byte in line %u", file, number);
        return FALSE;
    }
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return TRUE;
    g_auto(GStrv) fields = g_strsplit(line, "\t", -1);
    const guint count = g_strv_length(fields);
    if (count != 2) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "%s: line %u has %u field%s; needed are a target's name, a tab and a query's "
                    "name",
                    file, number, count, count == 1 ? "" : "s");
        return FALSE;
    }
    g_ptr_array_add(names, g_strdup(fields[0]));
    g_ptr_array_add(names, g_strdup(fields[1]));
    return TRUE;
}

/* Targets' and queries' names by turns. */
static GPtrArray *
read_list(const char *path, GError **error)
{
    const gboolean standard = strcmp(path, "-") == 0;
    const char *file = standard ? "standard input" : path;
    FILE *stream = standard ? stdin : fopen(path, "re");
    if (stream == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", file,
                    g_strerror(errno));
        return NULL;
    }
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    gboolean good = TRUE;
    char *line = NULL;
    gsize size = 0;
    ssize_t length;
    for (guint number = 1; good && (length = getline(&line, &size, stream)) >= 0; number++)
        good = read_line(file, number, line, (gsize)length, names, error);
    if (good && ferror(stream)) {
        good = FALSE;
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot read %s: %s", file,
                    g_strerror(errno));
    } else if (good && names->len == 0) {
        good = FALSE;
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: the list of pairs is empty", file);
    }
    free(line);
    if (!standard)
        fclose(stream);
    return good ? g_steal_pointer(&names) : NULL;
}

/* Of a list of pairs the names of one side, NULL-terminated; the names stay the list's. */
static const char **
names_of(const GPtrArray *list, guint side)
{
    const char **names = g_new0(const char *, list->len / 2 + 1);
    for (guint k = side; k < list->len; k += 2)
        names[k / 2] = g_ptr_array_index(list, k);
    return names;
}

/* The records of one side; list NULL: those that the options leave. */
static GPtrArray *
load_side(const CsPair *pair, guint side, const GPtrArray *list, GError **error)
{
    if (pair->names[side] == NULL && pair->regions[side] == NULL) {
        g_autofree const char **names = list != NULL ? names_of(list, side) : NULL;
        return cs_sequence_load_all(pair->files[side], names, error);
    }
    CsSequence *sequence = cs_pair_load(pair, (int)side, error);
    if (sequence == NULL)
        return NULL;
    GPtrArray *one =
        g_ptr_array_new_with_free_func((GDestroyNotify)(void (*)(void))cs_sequence_unref);
    g_ptr_array_add(one, sequence);
    return one;
}

/* Whether both sides are all records of the same file. */
static gboolean
is_shared(const CsPair *pair, const GPtrArray *list)
{
    return list == NULL && strcmp(pair->files[0], pair->files[1]) == 0 && pair->names[0] == NULL &&
           pair->names[1] == NULL && pair->regions[0] == NULL && pair->regions[1] == NULL;
}

static guint
place_of(GHashTable *places, const char *name)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(places, name));
}

/* Each record's place by its name. */
static GHashTable *
index_records(const GPtrArray *records)
{
    GHashTable *places = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint k = 0; k < records->len; k++)
        g_hash_table_insert(places, (gpointer)cs_sequence_get_name(records->pdata[k]),
                            GUINT_TO_POINTER(k));
    return places;
}

static void
list_couples(Many *many, const GPtrArray *list)
{
    many->couples = g_array_new(FALSE, FALSE, sizeof(Couple));
    if (list != NULL) {
        g_autoptr(GHashTable) targets = index_records(many->records[0]);
        g_autoptr(GHashTable) queries = index_records(many->records[1]);
        for (guint k = 0; k < list->len; k += 2) {
            Couple couple = {place_of(targets, g_ptr_array_index(list, k)),
                             place_of(queries, g_ptr_array_index(list, k + 1))};
            g_array_append_val(many->couples, couple);
        }
        return;
    }
    for (guint t = 0; t < many->records[0]->len; t++)
        for (guint q = 0; q < many->records[1]->len; q++) {
            Couple couple = {t, q};
            g_array_append_val(many->couples, couple);
        }
}

static gboolean
load(Many *many, const CsManyArguments *a, GError **error)
{
    const CsComparison *c = many->comparison;
    g_autoptr(GPtrArray) list = NULL;
    if (a->pairs != NULL && (list = read_list(a->pairs, error)) == NULL)
        return FALSE;
    for (guint side = 0; side < 2; side++) {
        many->records[side] = side == 1 && is_shared(&c->pair, list)
                                  ? g_ptr_array_ref(many->records[0])
                                  : load_side(&c->pair, side, list, error);
        if (many->records[side] == NULL)
            return FALSE;
        for (guint k = 0; k < many->records[side]->len; k++) {
            cs_pair_warn((int)side, many->records[side]->pdata[k]);
            cs_pair_tell((int)side, many->records[side]->pdata[k]);
        }
    }
    list_couples(many, list);
    return TRUE;
}

/* The folder of a pair's checkpoint: both names, without what a folder's name may not have. */
static char *
folder_of(const CsComparison *c, const CsSequence *target, const CsSequence *query)
{
    g_autofree char *first = g_uri_escape_string(cs_sequence_get_name(target), NULL, FALSE);
    g_autofree char *second = g_uri_escape_string(cs_sequence_get_name(query), NULL, FALSE);
    g_autofree char *name = g_strconcat(first, ",", second, NULL);
    if (strlen(name) > FOLDER_NAME_MAX) {
        g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, name, -1);
        char *cut = g_strdup_printf("%.*s,%.*s", FOLDER_HEAD, name, FOLDER_HASH, hash);
        g_free(name);
        name = cut;
    }
    return g_build_filename(c->options.checkpoint, name, NULL);
}

/* The directory that holds the pairs' own, made where it is not there. */
static gboolean
open_directory(const CsComparison *c, GError **error)
{
    const char *directory = c->options.checkpoint;
    if (directory == NULL)
        return TRUE;
    g_autofree char *manifest = g_build_filename(directory, "manifest.json", NULL);
    if (g_file_test(manifest, G_FILE_TEST_EXISTS)) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "%s is the checkpoint of one comparison, not of many pairs", directory);
        return FALSE;
    }
    if (g_mkdir(directory, 0777) == 0 ||
        (errno == EEXIST && g_file_test(directory, G_FILE_TEST_IS_DIR) &&
         g_access(directory, W_OK | X_OK) == 0))
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot use the checkpoint's directory %s: %s",
                directory, g_strerror(errno));
    return FALSE;
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
           (report->result->score < many->min_score || cs_output_add_row(many->output, row, error));
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

static gint64
cells_of(const Many *many, const Couple *couple)
{
    const gint64 sweeps = many->comparison->options.strand == CS_STRAND_BOTH ? 2 : 1;
    const gint64 m = cs_sequence_get_length(many->records[0]->pdata[couple->target]);
    const gint64 n = cs_sequence_get_length(many->records[1]->pdata[couple->query]);
    gint64 cells;
    return __builtin_mul_overflow(m, n, &cells) || __builtin_mul_overflow(cells, sweeps, &cells)
               ? G_MAXINT64
               : cells;
}

static void
count_cells(Many *many)
{
    gint64 cells = 0;
    for (guint k = 0; k < many->couples->len; k++)
        if (__builtin_add_overflow(cells, cells_of(many, &g_array_index(many->couples, Couple, k)),
                                   &cells))
            cells = G_MAXINT64;
    many->teller = (CsProgressTeller){.form = many->comparison->progress, .cells = cells};
}

static void
tell_couple(const Many *many, const Couple *couple)
{
    const CsSequence *target = many->records[0]->pdata[couple->target];
    const CsSequence *query = many->records[1]->pdata[couple->query];
    cs_say(CS_SAY_DETAIL, "pair %u of %u: %s, %s", many->done + many->failed + 1,
           many->couples->len, cs_sequence_get_name(target), cs_sequence_get_name(query));
}

/*
 * One pair. FALSE when nothing may follow: on a failure to write, with the error, or at a request
 * to stop. In *stopped whether it was that.
 */
static gboolean
run_couple(Many *many, const Couple *couple, gboolean *stopped, GError **error)
{
    const CsSequence *target = many->records[0]->pdata[couple->target];
    const CsSequence *query = many->records[1]->pdata[couple->query];
    GError *failure = NULL;
    CsComparison one = *many->comparison;
    g_autofree char *folder =
        one.options.checkpoint != NULL ? folder_of(&one, target, query) : NULL;
    CsComparisonRun run = {.comparison = &one, .teller = &many->teller};
    CsCompareResult result;
    const gint64 begun = g_get_monotonic_time();
    one.options.checkpoint = folder;
    one.options.one_of_many = TRUE;
    one.output = NULL; /* who resumes one pair alone has its row, not all rows, to write */
    tell_couple(many, couple);
    gboolean done = cs_comparison_sweep(&run, target, query, &result, &failure);
    *stopped = g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED) || run.signal != 0;
    if (done || !*stopped)
        cs_progress_next(&many->teller, cells_of(many, couple));
    many->signal = run.signal;
    if (!done && !*stopped)
        tell_failure(many, target, query, failure);
    g_clear_error(&failure);
    if (!done)
        return !*stopped;
    many->done++;
    CsReport report = {.target_file = one.pair.files[0],
                       .query_file = one.pair.files[1],
                       .target = target,
                       .query = query,
                       .scoring = &one.pair.scoring,
                       .result = &result,
                       .seconds_total = (double)(g_get_monotonic_time() - begun) / 1e6};
    return add_row(many, &report, error) && !*stopped;
}

/* The rows are safe by now: what stays behind is no failure. */
static void
clean_up(const Many *many)
{
    const CsComparison *c = many->comparison;
    g_autoptr(GError) error = NULL;
    for (guint k = 0; error == NULL && k < many->couples->len; k++) {
        const Couple *couple = &g_array_index(many->couples, Couple, k);
        g_autofree char *folder = folder_of(c, many->records[0]->pdata[couple->target],
                                            many->records[1]->pdata[couple->query]);
        if (g_file_test(folder, G_FILE_TEST_IS_DIR))
            cs_checkpoint_remove(folder, &error);
    }
    g_rmdir(c->options.checkpoint); /* stays where something else is in it */
    if (error != NULL)
        cs_say(CS_SAY_WARNING, "%s", error->message);
}

/* Where rows are that did not become the output. */
static char *
rest_of_line(const Many *many)
{
    const char *part = cs_output_part(many->output);
    g_autofree char *shown = part != NULL ? cs_command_escape(part, FALSE) : NULL;
    return shown != NULL ? g_strdup_printf("; the rows so far are in %s", shown) : g_strdup("");
}

static void
tell_stopped(const Many *many)
{
    g_autofree char *rest = rest_of_line(many);
    cs_say(CS_SAY_ERROR, "%s: %u of %u pairs are done; go on with the same command again%s",
           many->signal != 0 ? cs_signals_name(many->signal) : "stopped at the time limit",
           many->done, many->couples->len, rest);
}

static int
end(Many *many)
{
    g_autoptr(GError) error = NULL;
    if (many->failed > 0) {
        g_autofree char *rest = rest_of_line(many);
        cs_say(CS_SAY_ERROR, "%u of %u pairs failed%s", many->failed, many->couples->len, rest);
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
    if (!cs_scoring_check(&c->pair.scoring, 1, 1, error) ||
        !cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &many->min_score, error))
        return FALSE;
    many->output = cs_output_open(c->output, inputs, error);
    return many->output != NULL && cs_output_begin_rows(many->output, inputs, error) &&
           cs_comparison_refuse_checkpoint(c, many->output, error) &&
           cs_device_describe(c->options.device, c->options.engine, error) != NULL &&
           load(many, a, error) && open_directory(c, error);
}

int
cs_many_run(const CsComparison *comparison, const CsManyArguments *arguments)
{
    g_auto(Many) many = {.comparison = comparison};
    g_autoptr(GError) error = NULL;
    gboolean stopped = FALSE;
    if (!begin(&many, arguments, &error))
        return cs_command_fail("chromosweep", error);
    count_cells(&many);
    for (guint k = 0; k < many.couples->len; k++) {
        const Couple *couple = &g_array_index(many.couples, Couple, k);
        if (!run_couple(&many, couple, &stopped, &error))
            break;
    }
    cs_progress_end(&many.teller);
    if (error != NULL)
        return cs_command_fail("chromosweep", error);
    if (!stopped || many.done + many.failed == many.couples->len)
        return end(&many);
    tell_stopped(&many);
    const int number = many.signal;
    many_clear(&many); /* the rows are where they can be read */
    if (number != 0)
        cs_comparison_die(number);
    return CS_ERROR_STOPPED;
}
