/* A directory of checkpoints: generations, damage, identity, who holds it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include <chromosweep/error.h>

#include "checkpoint.h"
#include "state_fixture.h"

typedef struct {
    Pair pair;
    CsState states[3]; /* one after the other */
    char *scratch;
    char *directory; /* within scratch, not there at first */
    GPtrArray *warnings;
} Fixture;

static const gint no_hurry = 0, hurry = 1;

static void
hear(gboolean warning, const char *message, gpointer user_data)
{
    Fixture *fixture = user_data;
    g_assert_true(warning);
    g_ptr_array_add(fixture->warnings, g_strdup(message));
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
    pair_init(&fixture->pair, 300, 200, 7);
    for (guint k = 0; k < G_N_ELEMENTS(fixture->states); k++)
        state_after(&fixture->pair, 3 + 2 * k, &fixture->states[k]);
    fixture->scratch = scratch_new();
    fixture->directory = g_build_filename(fixture->scratch, "checkpoints", NULL);
    fixture->warnings = g_ptr_array_new_with_free_func(g_free);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
    for (guint k = 0; k < G_N_ELEMENTS(fixture->states); k++)
        cs_state_clear(&fixture->states[k]);
    pair_clear(&fixture->pair);
    g_free(fixture->directory);
    scratch_free(fixture->scratch);
    g_ptr_array_unref(fixture->warnings);
}

static CsCheckpoint *
reopen(Fixture *fixture, gboolean fresh)
{
    g_autoptr(GError) error = NULL;
    CsCheckpoint *checkpoint = cs_checkpoint_open(fixture->directory, &fixture->pair.identity,
                                                  fresh, hear, fixture, &error);
    g_assert_no_error(error);
    return checkpoint;
}

static void
save(CsCheckpoint *checkpoint, const CsState *state, const gint *how)
{
    g_autoptr(GError) error = NULL;
    gboolean saved = cs_checkpoint_save(checkpoint, state, 3, how, &error);
    g_assert_no_error(error);
    g_assert_true(saved);
}

/* Saves the first so many states of the fixture. */
static void
save_states(Fixture *fixture, guint count)
{
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    for (guint k = 0; k < count; k++)
        save(checkpoint, &fixture->states[k], &no_hurry);
}

static char *
path_of(const Fixture *fixture, const char *name)
{
    return g_build_filename(fixture->directory, name, NULL);
}

static gint
by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in the directory, sorted, with blanks between. */
static void
expect_names(const Fixture *fixture, const char *wanted)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    GDir *listing = g_dir_open(fixture->directory, 0, NULL);
    g_assert_nonnull(listing);
    const char *name;
    while ((name = g_dir_read_name(listing)) != NULL)
        g_ptr_array_add(names, g_strdup(name));
    g_dir_close(listing);
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    g_autofree char *text = g_strjoinv(" ", (char **)names->pdata);
    g_assert_cmpstr(text, ==, wanted);
}

static void
expect_load(Fixture *fixture, const CsState *wanted)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    g_auto(CsState) found = {0};
    gboolean any;
    gboolean loaded = cs_checkpoint_load(checkpoint, &found, &any, &error);
    g_assert_no_error(error);
    g_assert_true(loaded);
    g_assert_cmpint(any, ==, wanted != NULL);
    if (wanted != NULL)
        expect_same_state(&found, wanted);
}

static void
test_generations(Fixture *fixture, gconstpointer data)
{
    expect_load(fixture, NULL);
    g_assert_false(g_file_test(fixture->directory, G_FILE_TEST_EXISTS));
    save_states(fixture, 1);
    expect_names(fixture, "generation-000001.state lock manifest.json");
    expect_load(fixture, &fixture->states[0]);
    save_states(fixture, 3);
    expect_names(fixture, "generation-000003.state generation-000004.state lock manifest.json");
    expect_load(fixture, &fixture->states[2]);
    g_assert_cmpuint(fixture->warnings->len, ==, 0);
}

/* In a hurry nothing is read back and nothing goes; the next calm save clears away. */
static void
test_hurry(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    save(checkpoint, &fixture->states[2], &hurry);
    expect_names(fixture, "generation-000001.state generation-000002.state "
                          "generation-000003.state lock manifest.json");
    save(checkpoint, &fixture->states[1], &no_hurry);
    expect_names(fixture, "generation-000003.state generation-000004.state lock manifest.json");
    g_autofree char *gone = path_of(fixture, "generation-000003.state");
    g_assert_cmpint(g_unlink(gone), ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
    g_test_add("/checkpoint/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("generations", test_generations);
    ADD("hurry", test_hurry);
    return g_test_run();
}
