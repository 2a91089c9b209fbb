/*
 * Searches with a checkpoint: stopped anywhere, again and again, with other threads, chunks and devices, they find
 * what a search without a stop does. A state of another search or database is refused, and a damaged
 * one is not used. Hits come query by query.
 */
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>
#include <chromosweep/search_checkpoint.h>

#include "../case_count.h"
#include "fasta_fixture.h"
#include "search/search_state.h"

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

/* Random records with headers of so many bytes; every few ones hold a piece of the last one. */
static char *
make_file(GRand *rand, const char *name, gint count, gint most, const char *letters, gsize header)
{
    g_autofree char *description = g_strnfill(header, 'w');
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *last = g_strdup("");
    for (gint k = 0; k < count; k++) {
        g_autoptr(GString) record = g_string_new(g_rand_int_range(rand, 0, 3) == 0 ? last : "");
        const gint length = g_rand_int_range(rand, 1, most + 1);
        g_string_truncate(record, (gsize)length / 2);
        while (record->len < (gsize)length)
            g_string_append_c(record, letters[g_rand_int_range(rand, 0, (gint32)strlen(letters))]);
        g_string_append_printf(text, ">%s%d %s\n%s\n", name, k, description, record->str);
        g_free(last);
        last = g_strdup(record->str);
    }
    return fixture_write(name, text->str, text->len);
}

typedef struct {
    GRand *rand;
    gint asks;    /* until the search is stopped; negative: it is not */
    gint saves;   /* one in so many asks saves; 0: none */
    gint64 query; /* the last one whose hits came */
    gint queries; /* whose hits came */
    gint warnings;
    gint64 resumed; /* told: 1 */
    GString *text;
} Session;

static CsControl
control(gpointer data)
{
    Session *session = data;
    if (session->asks >= 0 && session->asks-- == 0)
        return CS_CONTROL_STOP;
    return session->saves > 0 && g_rand_int_range(session->rand, 0, session->saves) == 0
               ? CS_CONTROL_SAVE
               : CS_CONTROL_GO_ON;
}

static void
take_note(CsNoteKind kind, const char *message, gpointer data)
{
    Session *session = data;
    g_assert_cmpuint(strlen(message), >, 0);
    session->warnings += kind == CS_NOTE_WARNING;
    session->resumed += kind == CS_NOTE_EVENT;
}

static void
describe(GString *text, const CsSearchHit *hits, gint64 count)
{
    for (gint64 k = 0; k < count; k++)
        g_string_append_printf(
            text, "%s %d %s %d %d %d %d-%d %d-%d %s %d %g\n", hits[k].query,
            (int)hits[k].query_number, hits[k].target, (int)hits[k].target_number,
            (int)hits[k].strand, (int)hits[k].score, (int)hits[k].query_start,
            (int)hits[k].query_end, (int)hits[k].target_start, (int)hits[k].target_end,
            hits[k].cigar != NULL ? hits[k].cigar : "-", (int)hits[k].columns, hits[k].evalue);
}

static gboolean
take_hits(const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count, gpointer data)
{
    Session *session = data;
    session->queries++;
    g_assert_cmpint(session->queries, <=, summary->queries);
    for (gint64 k = 0; k < count; k++)
        g_assert_cmpint(hits[k].query_number, ==, session->queries);
    describe(session->text, hits, count);
    return TRUE;
}

/* Searches with these options; the hits as a text, or NULL if it was stopped. */
static char *
search(const char *queries, const char *database, CsSearchOptions options, Session *session,
       GError **error)
{
    gint64 count;
    session->text = g_string_new(NULL);
    session->queries = 0;
    options.control = control;
    options.note = take_note;
    options.data = session;
    g_autoptr(CsSearch) found = cs_search(queries, database, &options, error);
    if (found == NULL) {
        g_string_free(session->text, TRUE);
        return NULL;
    }
    const CsSearchHit *hits = cs_search_get_hits(found, &count);
    describe(session->text, hits, count);
    if (options.hits != NULL)
        g_assert_cmpint(session->queries, ==, cs_search_get_summary(found)->queries);
    return g_string_free(session->text, FALSE);
}

/* Empties and removes a folder. */
static void
remove_folder(const char *directory)
{
    GDir *listing = g_dir_open(directory, 0, NULL);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        g_unlink(path);
    }
    if (listing != NULL)
        g_dir_close(listing);
    g_rmdir(directory);
}

static void
run_case(GRand *rand, const char *directory, gboolean has_gpu)
{
    const gboolean protein = g_rand_boolean(rand);
    const char *letters = protein ? amino_acids : "ACGT";
    g_autofree char *queries =
        make_file(rand, "query", g_rand_int_range(rand, 1, 8), 300, letters, 0);
    /* A chunk has the records of a block of text, or more: then there are some 20. */
    const gint count = MAX(4000 / CASE_DIVISOR, 100);
    const gsize header = g_rand_boolean(rand) ? (gsize)(5000000 / count) : 0;
    g_autofree char *database = make_file(rand, "record", count, 400, letters, header);
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    Session session = {.rand = rand, .asks = -1};
    options.alphabet = protein ? CS_ALPHABET_PROTEIN : CS_ALPHABET_NUCLEOTIDE;
    options.number = g_rand_int_range(rand, 1, 40);
    options.align = g_rand_boolean(rand);
    options.threads = 2;
    options.device = "cpu";
    g_autofree char *wanted = search(queries, database, options, &session, NULL);
    g_autofree char *found = NULL;
    g_assert_nonnull(wanted);
    options.checkpoint = directory;
    for (gint runs = 0; found == NULL; runs++) {
        g_autoptr(GError) error = NULL;
        session.asks = runs < 60 ? g_rand_int_range(rand, 0, 40) : -1;
        session.saves = g_rand_int_range(rand, 0, 3);
        options.checkpoint_interval = g_rand_boolean(rand) ? 0 : 600;
        options.chunk = g_rand_boolean(rand) ? 1 : 1 << g_rand_int_range(rand, 0, 21);
        options.threads = (guint)g_rand_int_range(rand, 1, 4);
        static const char *const devices[] = {"cpu", "gpu", "gpu:all", "gpu:0,cpu"};
        options.device = has_gpu ? devices[(runs + options.number) % 4] : "cpu";
        if (strcmp(options.device, "cpu") != 0 && session.asks > 0)
            session.asks *= CASE_DIVISOR; /* an emulated one is slow */
        options.hits = g_rand_boolean(rand) ? take_hits : NULL;
        found = search(queries, database, options, &session, &error);
        if (found == NULL)
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    }
    g_assert_true(g_str_equal(found, wanted));
    g_assert_cmpint(session.warnings, ==, 0);
    /* A complete search has its hits in the folder, too. */
    session.asks = -1;
    g_autofree char *again = search(queries, database, options, &session, NULL);
    g_assert_true(g_str_equal(again, wanted));
    g_assert_true(cs_search_checkpoint_remove(directory, NULL));
    g_assert_false(g_file_test(directory, G_FILE_TEST_EXISTS));
}

static void
test_stops(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(17);
    const gboolean has_gpu = cs_device_describe("gpu", NULL, NULL) != NULL;
    fixture_begin();
    g_autofree char *directory = fixture_path("state");
    for (guint k = case_count(40); k > 0; k--)
        run_case(rand, directory, has_gpu);
    fixture_end();
}

/* A GPU that fails in the middle ends the search. What was saved before is good. */
static void
test_failing_gpu(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(23);
    if (g_getenv("EMULATED_GPU") == NULL) {
        g_test_skip("no emulated GPU");
        return;
    }
    g_autofree char *before = g_strdup(g_getenv("EMULATED_GPU"));
    fixture_begin();
    g_autofree char *directory = fixture_path("state");
    g_autofree char *queries = make_file(rand, "query", 3, 60, amino_acids, 0);
    g_autofree char *database = make_file(rand, "record", 300, 60, amino_acids, 20000);
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    Session session = {.rand = rand, .asks = -1};
    g_autoptr(GError) error = NULL;
    options.device = "cpu";
    g_autofree char *wanted = search(queries, database, options, &session, NULL);
    options.device = "gpu:all";
    options.chunk = 1;
    options.checkpoint = directory;
    options.checkpoint_interval = 0;
    g_setenv("EMULATED_GPU", "gpus=2 failing=1 launches=5", TRUE);
    g_assert_null(search(queries, database, options, &session, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_setenv("EMULATED_GPU", before, TRUE);
    options.device = "gpu:0,cpu";
    g_autofree char *found = search(queries, database, options, &session, NULL);
    g_assert_cmpint(session.resumed, ==, 1);
    g_assert_true(g_str_equal(found, wanted));
    g_assert_true(cs_search_checkpoint_remove(directory, NULL));
    fixture_end();
}

/* A search stopped somewhere in the middle, with states of it. */
typedef struct {
    char *queries, *database, *directory, *wanted;
    CsSearchOptions options;
} Stopped;

static gint
count_states(const char *directory, char **newest)
{
    GDir *listing = g_dir_open(directory, 0, NULL);
    gint count = 0;
    *newest = NULL;
    for (const char *name; (name = g_dir_read_name(listing)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (!g_str_has_suffix(name, ".state"))
            continue;
        count++;
        if (*newest == NULL || strcmp(path, *newest) > 0) {
            g_free(*newest);
            *newest = g_strdup(path);
        }
    }
    g_dir_close(listing);
    return count;
}

static void
stopped_init(Stopped *stopped, GRand *rand)
{
    fixture_begin();
    *stopped = (Stopped){.queries = make_file(rand, "query", 3, 200, amino_acids, 0),
                         .database = make_file(rand, "record", 4000, 900, amino_acids, 0),
                         .directory = fixture_path("state"),
                         .options = CS_SEARCH_OPTIONS_INIT};
    Session session = {.rand = rand, .asks = -1};
    stopped->options.threads = 1;
    stopped->options.chunk = 2000;
    stopped->wanted = search(stopped->queries, stopped->database, stopped->options, &session, NULL);
    stopped->options.checkpoint = stopped->directory;
    stopped->options.checkpoint_interval = 0;
    for (gint states = 0; states < 2;) { /* a slow run may have saved but one when it is stopped */
        g_autofree char *newest = NULL;
        session.asks = 40;
        g_assert_null(
            search(stopped->queries, stopped->database, stopped->options, &session, NULL));
        states = count_states(stopped->directory, &newest);
    }
}

static void
stopped_clear(Stopped *stopped)
{
    remove_folder(stopped->directory);
    g_free(stopped->queries);
    g_free(stopped->database);
    g_free(stopped->directory);
    g_free(stopped->wanted);
    fixture_end();
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Stopped, stopped_clear)

/* The search fails with CS_ERROR_CHECKPOINT, in these words. */
static void
assert_refused(const Stopped *stopped, CsSearchOptions options, const char *database,
               const char *what)
{
    g_autoptr(GError) error = NULL;
    Session session = {.asks = -1};
    g_autofree char *found = search(stopped->queries, database, options, &session, &error);
    g_assert_null(found);
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    if (strstr(error->message, what) == NULL)
        g_error("\"%s\" lacks \"%s\"", error->message, what);
}

static void
test_other_search(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(18);
    g_auto(Stopped) stopped;
    stopped_init(&stopped, rand);
    CsSearchOptions other = stopped.options;
    other.number = 249;
    assert_refused(&stopped, other, stopped.database, "number of hits: 250 there, 249 here");
    other = stopped.options;
    other.gap_open = 10;
    assert_refused(&stopped, other, stopped.database, "gap-open: 11 there, 10 here");
    other = stopped.options;
    other.matrix = "BLOSUM50";
    other.gap_open = 11;
    other.gap_extend = 1;
    assert_refused(&stopped, other, stopped.database, "what pairs score");
    other = stopped.options;
    other.align = TRUE;
    assert_refused(&stopped, other, stopped.database, "alignments");
}

/* The first record has another letter; names and ends of records move; the end is missing. */
static void
test_other_database(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(19);
    g_auto(Stopped) stopped;
    gsize length;
    g_autofree char *text = NULL;
    stopped_init(&stopped, rand);
    g_assert_true(g_file_get_contents(stopped.database, &text, &length, NULL));
    for (guint k = 0; k < 4; k++) {
        g_autofree char *other = g_memdup2(text, length + 1);
        char *letter = strchr(other, '\n') + 1;
        if (k == 0)
            *letter = *letter == 'A' ? 'R' : 'A';
        if (k == 1)
            other[1] = 'x';
        if (k == 2) { /* a letter goes from one record to the next */
            char *next = strstr(letter, "\n>");
            const char moved = next[-1];
            char *behind = strchr(next + 1, '\n');
            memmove(next - 1, next, (gsize)(behind + 1 - next));
            *behind = moved;
        }
        g_autofree char *path = fixture_write("other", other, k == 3 ? 500 : length);
        assert_refused(&stopped, stopped.options, path, "are not those that the checkpoint");
    }
}

/* Inverts a bit in the middle of the newest state. */
static void
damage(const char *directory, gint states)
{
    g_autofree char *path = NULL, *bytes = NULL;
    gsize length;
    g_assert_cmpint(count_states(directory, &path), ==, states);
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    bytes[length / 2] ^= 4;
    g_assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
}

static void
test_damage(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(20);
    g_auto(Stopped) stopped;
    stopped_init(&stopped, rand);
    Session session = {.asks = -1};
    damage(stopped.directory, 2);
    g_autofree char *found =
        search(stopped.queries, stopped.database, stopped.options, &session, NULL);
    g_assert_true(g_str_equal(found, stopped.wanted));
    g_assert_cmpint(session.warnings, ==, 1);
    g_assert_cmpint(session.resumed, ==, 1);
    /* All of them. */
    g_autofree char *path = NULL;
    damage(stopped.directory, 2);
    g_assert_cmpint(count_states(stopped.directory, &path), ==, 2);
    g_unlink(path);
    damage(stopped.directory, 1);
    assert_refused(&stopped, stopped.options, stopped.database, "all its states are damaged");
    stopped.options.checkpoint_fresh = TRUE;
    g_autofree char *anew =
        search(stopped.queries, stopped.database, stopped.options, &session, NULL);
    g_assert_true(g_str_equal(anew, stopped.wanted));
}

/* A folder with other files, and one that is in use. */
static void
test_folders(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(21);
    g_auto(Stopped) stopped;
    g_autoptr(GError) error = NULL;
    stopped_init(&stopped, rand);
    Session session = {.asks = -1};
    CsSearchOptions other = stopped.options;
    g_autofree char *folder = g_path_get_dirname(stopped.database);
    other.checkpoint = folder;
    g_assert_null(search(stopped.queries, stopped.database, other, &session, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_clear_error(&error);
    g_autofree char *none = g_build_filename(folder, "no", "such", NULL);
    other.checkpoint = none;
    g_assert_null(search(stopped.queries, stopped.database, other, &session, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
}

static gboolean
refuse_hits(const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count, gpointer data)
{
    Session *session = data;
    return ++session->queries < 2;
}

/* Who cannot take the hits loses nothing. */
static void
test_refused_hits(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(22);
    g_auto(Stopped) stopped;
    g_autoptr(GError) error = NULL;
    stopped_init(&stopped, rand);
    Session session = {.asks = -1};
    stopped.options.hits = refuse_hits;
    g_assert_null(search(stopped.queries, stopped.database, stopped.options, &session, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_assert_cmpint(session.queries, ==, 2);
    stopped.options.hits = take_hits;
    g_autofree char *found =
        search(stopped.queries, stopped.database, stopped.options, &session, NULL);
    g_assert_true(g_str_equal(found, stopped.wanted));
}

/* Only entries with their ends come back from a state, so that no other one fills a list. */
static void
test_half_done(void)
{
    CsQuery saved = {.name = "q", .length = 9}, loaded = saved;
    CsQueries before = {.count = 1, .queries = &saved}, after = {.count = 1, .queries = &loaded};
    CsSearchState state = {.fraction = 0.5};
    gsize size;
    gint64 numbers;
    cs_best_list_init(&saved.best, 2, 1);
    cs_best_list_init(&loaded.best, 2, 1);
    const CsBestEntry whole = {.score = 9,
                               .number = 4,
                               .name = (char *)"whole",
                               .column = 3,
                               .row = 3,
                               .column_start = 1,
                               .row_start = 1};
    const CsBestEntry half = {.score = 5, .number = 6, .name = (char *)"half"};
    cs_best_list_add(&saved.best, &half);
    cs_best_list_add(&saved.best, &whole);
    g_autofree guint8 *bytes = cs_search_state_pack(&before, &state, &size, &numbers);
    g_assert_true(cs_search_state_unpack(bytes, size, numbers, &after, &state));
    g_assert_cmpuint(loaded.best.entries->len, ==, 1);
    g_assert_cmpstr(g_array_index(loaded.best.entries, CsBestEntry, 0).name, ==, "whole");
    g_assert_true(cs_best_list_wants(&loaded.best, half.score, half.number));
    cs_best_list_clear(&saved.best);
    cs_best_list_clear(&loaded.best);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/search-resume/stops", test_stops);
    g_test_add_func("/search-resume/failing-gpu", test_failing_gpu);
    g_test_add_func("/search-resume/other-search", test_other_search);
    g_test_add_func("/search-resume/other-database", test_other_database);
    g_test_add_func("/search-resume/half-done", test_half_done);
    g_test_add_func("/search-resume/damage", test_damage);
    g_test_add_func("/search-resume/folders", test_folders);
    g_test_add_func("/search-resume/refused-hits", test_refused_hits);
    return g_test_run();
}
