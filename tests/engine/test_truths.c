/*
 * Sequences with known answers: test_truths FOLDER LONGEST TABLE...
 *
 * The first TABLE that exists is read: a TSV with target, query, score, target_end, query_end and
 * any other columns. A sequence is FOLDER/NAME.fa or .fa.gz. Pairs with a sequence longer than
 * LONGEST are left out. If the folder, every table or a file is missing, the test is skipped.
 *
 * Pairs of at most EVERY_MODE bases are compared in every mode of skipping, longer ones in the
 * default mode. Where only a share of the cases is wanted (case_count.h), pairs above SHORT bases
 * are compared in the default mode and in one other, which changes from pair to pair; with few cases,
 * pairs above EVERY_MODE are left out. CHROMOSWEEP_TEST_MODES lists the modes for all pairs instead, such as "none best".
 */
#include <chromosweep/chromosweep.h>

#include "../case_count.h"

enum {
    EVERY_MODE = 500000,
    SHORT = 50000
};

static const char *const modes[] = {"auto", "none", "best", "bounds"}; /* by CsSkipMode */

typedef struct {
    CsSequence *target, *query;
    char *names;
    gint64 score, target_end, query_end;
    guint number; /* among the pairs of the table */
} Truth;

static CsSequence *
load(const char *folder, const char *name)
{
    const char *suffixes[] = {".fa", ".fa.gz"};
    for (guint k = 0; k < G_N_ELEMENTS(suffixes); k++) {
        g_autofree char *file = g_strconcat(name, suffixes[k], NULL);
        g_autofree char *path = g_build_filename(folder, file, NULL);
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        g_autoptr(GError) error = NULL;
        CsSequence *sequence = cs_sequence_load(path, NULL, &error);
        g_assert_no_error(error);
        return sequence;
    }
    return NULL;
}

/* Returns the mode that was used, which is never auto. */
static CsSkipMode
expect(const Truth *truth, const CsSequence *target, const CsSequence *query, CsSkipMode mode,
       gboolean swapped)
{
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.skip = mode;
    g_assert_true(cs_compare(target, query, &options, &result, &error));
    g_test_message("%s, %s (%s): %.1f s, %.2f GCUPS, %.2f%% of the cells, lower bound "
                   "%" G_GINT64_FORMAT ", found in %.2f s",
                   truth->names, modes[mode], modes[result.skip], result.seconds,
                   (double)result.cells_computed / result.seconds / 1e9,
                   100.0 * (double)result.cells_computed / (double)result.cells, result.lower_bound,
                   result.stages.all);
    g_assert_cmpint(result.lower_bound, <=, truth->score);
    g_assert_cmpint(result.score, ==, truth->score);
    if (!swapped) { /* with equal scores, the other sequence would decide */
        g_assert_cmpint(result.target_end, ==, truth->target_end);
        g_assert_cmpint(result.query_end, ==, truth->query_end);
    }
    return result.skip;
}

static gint64
longer_length(const CsSequence *target, const CsSequence *query)
{
    gint64 target_length = target != NULL ? cs_sequence_get_length(target) : 0;
    gint64 query_length = query != NULL ? cs_sequence_get_length(query) : 0;
    return MAX(target_length, query_length);
}

/* Whether only a share of the cases is to be run. */
static gboolean
is_share(void)
{
    return g_getenv("CHROMOSWEEP_TEST_MODES") == NULL && case_count(100) < 100;
}

static gboolean
is_few(void)
{
    return is_share() && case_count_is_low();
}

/* Whether to compare the pair in this mode too, after auto has used another. */
static gboolean
is_wanted(const Truth *truth, CsSkipMode mode, CsSkipMode used)
{
    const char *wanted = g_getenv("CHROMOSWEEP_TEST_MODES");
    if (wanted != NULL) {
        g_auto(GStrv) words = g_strsplit(wanted, " ", 0);
        return g_strv_contains((const char *const *)words, modes[mode]);
    }
    gint64 longer = longer_length(truth->target, truth->query);
    if (mode == CS_SKIP_AUTO || longer > EVERY_MODE)
        return mode == CS_SKIP_AUTO;
    /* Of the three modes, the one after the one used, or the one before it. */
    return longer <= SHORT || !is_share() || mode == 1 + (used + (truth->number + 1) % 2) % 3;
}

static void
test_truth(gconstpointer data)
{
    const Truth *truth = data;
    if (truth->target == NULL || truth->query == NULL) {
        g_test_skip("a sequence of this pair is missing");
        return;
    }
    CsSkipMode used = CS_SKIP_AUTO;
    for (CsSkipMode mode = CS_SKIP_AUTO; mode <= CS_SKIP_BOUNDS; mode++) {
        if (!is_wanted(truth, mode, used))
            continue;
        CsSkipMode now = expect(truth, truth->target, truth->query, mode, FALSE);
        if (mode == CS_SKIP_AUTO)
            used = now;
        /* Short pairs the other way round as well, for the transposed sweep. */
        if (cs_sequence_get_length(truth->target) < 50000)
            expect(truth, truth->query, truth->target, mode, TRUE);
    }
}

static void
test_missing(gconstpointer data)
{
    g_autofree char *why = g_strdup_printf("there is no %s", (const char *)data);
    g_test_skip(why);
}

static void
truth_free(gpointer data)
{
    Truth *truth = data;
    g_clear_pointer(&truth->target, cs_sequence_unref);
    g_clear_pointer(&truth->query, cs_sequence_unref);
    g_free(truth->names);
    g_free(truth);
}

/* Adds a test for a line of the table, if its sequences are not too long. */
static void
add_line(const char *folder, const char *line, gint64 longest, GPtrArray *truths)
{
    g_auto(GStrv) fields = g_strsplit(line, "\t", 0);
    if (line[0] == '#' || line[0] == '\0')
        return;
    if (g_strv_length(fields) < 5)
        g_error("fewer than 5 columns between tabs: %s", line);
    g_autoptr(CsSequence) target = load(folder, fields[0]), query = load(folder, fields[1]);
    if (longer_length(target, query) > (is_few() ? MIN(longest, EVERY_MODE) : longest))
        return;
    Truth *truth = g_new0(Truth, 1);
    truth->target = g_steal_pointer(&target);
    truth->query = g_steal_pointer(&query);
    truth->number = truths->len;
    truth->names = g_strdup_printf("%s x %s", fields[0], fields[1]);
    truth->score = g_ascii_strtoll(fields[2], NULL, 10);
    truth->target_end = g_ascii_strtoll(fields[3], NULL, 10);
    truth->query_end = g_ascii_strtoll(fields[4], NULL, 10);
    g_ptr_array_add(truths, truth);
    g_autofree char *path = g_strdup_printf("/truths/%s/%s", fields[0], fields[1]);
    g_test_add_data_func(path, truth, test_truth);
}

/* The first of the tables that is there, or NULL. */
static char *
read_table(char **paths)
{
    char *text = NULL;
    while (text == NULL && *paths != NULL)
        g_file_get_contents(*paths++, &text, NULL, NULL);
    return text;
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc < 4)
        g_error("usage: test_truths FOLDER LONGEST TABLE...");
    g_autoptr(GPtrArray) truths = g_ptr_array_new_with_free_func(truth_free);
    gboolean folder = g_file_test(argv[1], G_FILE_TEST_IS_DIR);
    g_autofree char *text = folder ? read_table(argv + 3) : NULL;
    if (text != NULL) {
        g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
        for (guint k = 0; lines[k] != NULL; k++)
            add_line(argv[1], g_strchomp(lines[k]), g_ascii_strtoll(argv[2], NULL, 10), truths);
    } else {
        g_test_add_data_func("/truths/all", argv[folder ? 3 : 1], test_missing);
    }
    return g_test_run();
}
