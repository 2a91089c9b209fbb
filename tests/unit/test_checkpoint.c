/* Checkpoints: generations, damage, identity, locks. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <xxhash.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/json_values.h"
#include "config.h"
#include "sequence/sequence_private.h"
#include "state_fixture.h"

typedef struct {
    Pair pair;
    CsState states[3]; /* each further on than the one before */
    char *scratch;
    char *directory; /* within scratch, not there at first */
    GPtrArray *warnings;
} Fixture;

static const gint no_hurry = CS_HURRY_NOT, hurry = CS_HURRY_DURABLE, abandon = CS_HURRY_ABANDON;

static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    Fixture *fixture = user_data;
    g_assert_cmpint(kind, ==, CS_NOTE_WARNING);
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

/* Saves the first `count` states of the fixture. */
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

/* The names in the folder, sorted, with blanks between. */
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

/* A save in a hurry reads nothing back and removes nothing. The next normal save does. */
static void
test_hurry(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    save(checkpoint, &fixture->states[2], &hurry);
    expect_names(fixture, "generation-000001.state generation-000002.state "
                          "generation-000003.state lock manifest.json");
    save(checkpoint, &fixture->states[1], &no_hurry);
    /* Two that were read in full stay, and those between them that were never read. */
    expect_names(fixture, "generation-000002.state generation-000003.state "
                          "generation-000004.state lock manifest.json");
    save(checkpoint, &fixture->states[2], &no_hurry);
    expect_names(fixture, "generation-000004.state generation-000005.state lock manifest.json");
    for (guint k = 0; k < 9; k++)
        save(checkpoint, &fixture->states[k % 3], &hurry);
    expect_names(fixture, "generation-000004.state generation-000005.state generation-000006.state "
                          "generation-000007.state generation-000008.state generation-000009.state "
                          "generation-000010.state generation-000011.state generation-000012.state "
                          "generation-000013.state generation-000014.state lock manifest.json");
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    static const gint64 named[] = {14, 13, 5, 4};
    g_assert_cmpuint(info->n_generations, ==, G_N_ELEMENTS(named));
    for (guint k = 0; k < G_N_ELEMENTS(named); k++)
        g_assert_cmpint(info->generations[k].number, ==, named[k]);
}

/* Stops again and again. Each state is read in full by the next run, and only a few stay. */
static void
test_stops(Fixture *fixture, gconstpointer data)
{
    for (guint k = 0; k < 9; k++) {
        g_auto(CsState) state = {0};
        gboolean any;
        g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
        g_assert_true(cs_checkpoint_load(checkpoint, &state, &any, NULL));
        save(checkpoint, &fixture->states[k % 3], &hurry);
    }
    expect_load(fixture, &fixture->states[2]);
    expect_names(fixture, "generation-000008.state generation-000009.state lock manifest.json");
}

/* A save that is abandoned for a newer one leaves no trace and removes nothing. */
static void
test_abandoned(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autofree char *path = path_of(fixture, "manifest.json");
    g_autoptr(GByteArray) before = bytes_read(path);
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    g_assert_false(cs_checkpoint_save(checkpoint, &fixture->states[2], 2, &abandon, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_autoptr(GByteArray) after = bytes_read(path);
    g_assert_cmpmem(after->data, after->len, before->data, before->len);
    expect_names(fixture, "generation-000001.state generation-000002.state lock manifest.json");
    save(checkpoint, &fixture->states[2], &hurry);
    g_clear_pointer(&checkpoint, cs_checkpoint_free);
    expect_load(fixture, &fixture->states[2]);
}

static void
expect_warning(const Fixture *fixture, guint k, const char *prefix)
{
    g_assert_cmpuint(k, <, fixture->warnings->len);
    const char *found = g_ptr_array_index(fixture->warnings, k);
    g_autofree char *wanted = g_strdup_printf("checkpoint %s: %s", fixture->directory, prefix);
    if (!g_str_has_prefix(found, wanted))
        g_error("wanted \"%s\", found \"%s\"", wanted, found);
}

/* Opening or loading fails with this code and message, which follows "checkpoint DIR". */
static void
expect_failure(Fixture *fixture, const CsFingerprint *identity, gboolean fresh, int code,
               const char *message)
{
    g_autoptr(GError) error = NULL;
    g_auto(CsState) state = {0};
    gboolean any;
    g_autoptr(CsCheckpoint) checkpoint =
        cs_checkpoint_open(fixture->directory, identity, fresh, hear, fixture, &error);
    g_assert_false(checkpoint != NULL && cs_checkpoint_load(checkpoint, &state, &any, &error));
    g_assert_error(error, CS_ERROR, code);
    g_autofree char *wanted = g_strdup_printf("checkpoint %s%s", fixture->directory, message);
    if (!g_str_has_prefix(error->message, wanted))
        g_error("wanted \"%s\", found \"%s\"", wanted, error->message);
}

static void
change_byte(const Fixture *fixture, const char *name, gint64 at, guint8 flip)
{
    g_autofree char *path = path_of(fixture, name);
    g_autoptr(GByteArray) bytes = bytes_read(path);
    bytes->data[at < 0 ? bytes->len + at : at] ^= flip;
    bytes_write(path, bytes->data, bytes->len);
}

static void
test_newest_damaged(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 3);
    change_byte(fixture, "generation-000003.state", -40, 4);
    expect_load(fixture, &fixture->states[1]);
    g_assert_cmpuint(fixture->warnings->len, ==, 1);
    expect_warning(fixture, 0, "generation 3 is damaged (block ");
    g_assert_nonnull(strstr(g_ptr_array_index(fixture->warnings, 0),
                            ": wrong checksum); using generation 2, saved 20"));

    /* The damaged one is not one of the two good ones that must stay. */
    g_auto(CsState) state = {0};
    gboolean any;
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    g_assert_true(cs_checkpoint_load(checkpoint, &state, &any, NULL));
    save(checkpoint, &fixture->states[2], &no_hurry);
    expect_names(fixture, "generation-000002.state generation-000004.state lock manifest.json");
}

static void
test_all_damaged(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 3);
    change_byte(fixture, "generation-000003.state", -1, 1);
    change_byte(fixture, "generation-000002.state", 0, 1);
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT,
                   " has no usable generation: generation 3 is damaged (end: wrong "
                   "checksum), generation 2 is damaged (head: not a state file)");
    g_autofree char *path = path_of(fixture, "generation-000003.state");
    g_assert_cmpint(g_unlink(path), ==, 0);
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT,
                   " has no usable generation: generation 3 is damaged (cannot open ");
    expect_names(fixture, "generation-000002.state lock manifest.json");
}

/* Changes every byte of the newest file, and cuts the file at every byte. */
static void
test_every_byte(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autofree char *path = path_of(fixture, "generation-000002.state");
    g_autoptr(GByteArray) bytes = bytes_read(path);
    for (guint k = 0; k < bytes->len; k++) {
        bytes->data[k] ^= 1 << k % 8;
        bytes_write(path, bytes->data, bytes->len);
        expect_load(fixture, &fixture->states[0]);
        bytes->data[k] ^= 1 << k % 8;
        if (k % 5 == 0) {
            bytes_write(path, bytes->data, k);
            expect_load(fixture, &fixture->states[0]);
        }
    }
    bytes_write(path, bytes->data, bytes->len);
    expect_load(fixture, &fixture->states[1]);
}

/* A damaged manifest does no harm as long as the generations are good. */
static void
test_manifest_damaged(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autofree char *path = path_of(fixture, "manifest.json");
    g_autoptr(GByteArray) bytes = bytes_read(path);
    for (guint k = 0; k < bytes->len; k++) {
        guint warnings = fixture->warnings->len;
        bytes->data[k] ^= 1 << k % 8;
        bytes_write(path, bytes->data, bytes->len);
        expect_load(fixture, &fixture->states[1]);
        g_assert_cmpuint(fixture->warnings->len, ==, warnings + 1);
        bytes->data[k] ^= 1 << k % 8;
        bytes_write(path, bytes->data, k);
        expect_load(fixture, &fixture->states[1]);
    }
    expect_warning(fixture, 0,
                   "manifest.json is damaged (not a manifest); using the generation files instead");
    g_assert_cmpint(g_unlink(path), ==, 0);
    expect_load(fixture, &fixture->states[1]);
    expect_warning(fixture, fixture->warnings->len - 1,
                   "manifest.json is missing; using the generation files instead");
    CsFingerprint other = fixture->pair.identity;
    other.scoring.match = 2;
    expect_failure(fixture, &other, FALSE, CS_ERROR_CHECKPOINT,
                   " belongs to another comparison: scoring.match is 1 there and 2 here");
    save_states(fixture, 1); /* writes a manifest again; this run has not read the others */
    expect_names(fixture, "generation-000001.state generation-000002.state "
                          "generation-000003.state lock manifest.json");
    guint warnings = fixture->warnings->len;
    expect_load(fixture, &fixture->states[0]);
    g_assert_cmpuint(fixture->warnings->len, ==, warnings);
}

static void
test_manifest_alone(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 1);
    g_autofree char *state = path_of(fixture, "generation-000001.state");
    g_assert_cmpint(g_unlink(state), ==, 0);
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT,
                   " has no usable generation: generation 1 is damaged (cannot open ");
    change_byte(fixture, "manifest.json", 5, 1);
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT,
                   ": manifest.json is damaged (not a manifest), and there is no generation");
    g_autoptr(CsCheckpoint) fresh = reopen(fixture, TRUE);
    save(fresh, &fixture->states[0], &no_hurry);
}

/* Without a manifest, a file with a damaged head is not named in the next manifest. */
static void
test_head_damaged(Fixture *fixture, gconstpointer data)
{
    for (guint fresh = 0; fresh < 2; fresh++) {
        g_autoptr(GError) error = NULL;
        save_states(fixture, 3);
        g_autofree char *manifest = path_of(fixture, "manifest.json");
        g_assert_cmpint(g_unlink(manifest), ==, 0);
        change_byte(fixture, "generation-000003.state", 30, 1);
        {
            g_auto(CsState) state = {0};
            gboolean any;
            g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, fresh);
            g_assert_true(cs_checkpoint_load(checkpoint, &state, &any, &error));
            g_assert_cmpint(any, ==, !fresh);
            save(checkpoint, &fixture->states[2], &no_hurry);
        }
        expect_names(fixture, "generation-000002.state generation-000004.state lock manifest.json");
        g_assert_true(cs_checkpoint_remove(fixture->directory, &error));
    }
}

/* The file of a run that ended between the two renames is ignored, and removed later. */
static void
test_unnamed(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autofree char *manifest = path_of(fixture, "manifest.json");
    g_autoptr(GByteArray) before = bytes_read(manifest);
    {
        g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
        save(checkpoint, &fixture->states[2], &hurry);
    }
    bytes_write(manifest, before->data, before->len);
    expect_load(fixture, &fixture->states[1]);
    g_assert_cmpuint(fixture->warnings->len, ==, 0);

    change_byte(fixture, "generation-000001.state", -1, 1); /* then it is used after all */
    change_byte(fixture, "generation-000002.state", -1, 1);
    expect_load(fixture, &fixture->states[2]);
    g_assert_cmpuint(fixture->warnings->len, ==, 2);

    save_states(fixture, 1);
    expect_load(fixture, &fixture->states[0]);
    expect_names(fixture, "generation-000002.state generation-000004.state lock manifest.json");
}

/* Writes a version into the manifest, or into a state's head, with a right checksum. */
static void
change_manifest_version(const Fixture *fixture, int version)
{
    g_autofree char *path = path_of(fixture, "manifest.json");
    json_t *object = json_load_file(path, 0, NULL);
    json_object_set_new(object, "version", json_integer(version));
    json_object_del(object, "checksum");
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    g_autofree char *hex = cs_json_hex_new(XXH64(text, strlen(text), 0));
    json_object_set_new(object, "checksum", json_string(hex));
    g_assert_cmpint(json_dump_file(object, path, JSON_INDENT(2)), ==, 0);
    json_decref(object);
    free(text);
}

static void
change_state_version(const Fixture *fixture, const char *name)
{
    g_autofree char *path = path_of(fixture, name);
    g_autoptr(GByteArray) bytes = bytes_read(path);
    guint32 length;
    memcpy(&length, bytes->data + 12, 4);
    length = GUINT32_FROM_LE(length);
    bytes->data[8] = 2;
    guint64 checksum = GUINT64_TO_LE(XXH64(bytes->data, 16 + length, 0));
    memcpy(bytes->data + 16 + length, &checksum, 8);
    bytes_write(path, bytes->data, bytes->len);
}

static void
test_version(Fixture *fixture, gconstpointer data)
{
    const char *directory = fixture->directory;
    save_states(fixture, 2);
    change_manifest_version(fixture, 1); /* indented now */
    expect_load(fixture, &fixture->states[1]);
    change_manifest_version(fixture, 2);
    for (guint fresh = 0; fresh < 2; fresh++)
        expect_failure(fixture, &fixture->pair.identity, fresh, CS_ERROR_CHECKPOINT,
                       ": manifest.json: format version 2; this program reads version 1");
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_checkpoint_info_new(directory, TRUE, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_clear_error(&error);
    change_manifest_version(fixture, 1);
    change_state_version(fixture, "generation-000002.state");
    static const char message[] = ": generation 2: format version 2; this program reads version 1";
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT, message);
    g_autofree char *manifest = path_of(fixture, "manifest.json");
    g_assert_cmpint(g_unlink(manifest), ==, 0);
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT, message);
    g_assert_null(cs_checkpoint_info_new(directory, FALSE, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_assert_cmpuint(fixture->warnings->len, ==, 1); /* that the manifest is missing */
}

static void
expect_other(Fixture *fixture, const CsFingerprint *identity, const char *field, const char *there,
             const char *here)
{
    g_autofree char *message = g_strdup_printf(
        " belongs to another comparison: %s is %s there and %s here", field, there, here);
    expect_failure(fixture, identity, FALSE, CS_ERROR_CHECKPOINT, message);
}

static void
test_identity(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 1);
    const CsFingerprint same = fixture->pair.identity;
    CsFingerprint other = same;
    other.scoring.match = 7;
    expect_other(fixture, &other, "scoring.match", "1", "7");
    other = same;
    other.scoring.mismatch = 4;
    expect_other(fixture, &other, "scoring.mismatch", "3", "4");
    other = same;
    other.scoring.gap_open = 0;
    expect_other(fixture, &other, "scoring.gap_open", "3", "0");
    other = same;
    other.scoring.gap_extend = 1;
    expect_other(fixture, &other, "scoring.gap_extend", "2", "1");
    other = same;
    other.target = same.query;
    other.query = same.target;
    other.transposed = !same.transposed;
    expect_other(fixture, &other, "target.length", "300", "200");
    other = same;
    other.transposed = TRUE;
    expect_other(fixture, &other, "orientation", "target", "query");
    other = same;
    other.strand = CS_STRAND_BOTH;
    expect_other(fixture, &other, "strand", "+", "both");
    /* The same bases as a part of a longer record. */
    CsSequence part = *same.target;
    part.offset = 7;
    part.record_length = 1000;
    other = same;
    other.target = &part;
    expect_other(fixture, &other, "target.region", "null", "[8,307]");

    g_auto(Pair) longer = {0}, changed = {0};
    pair_init(&longer, 300, 201, 7);
    other = same;
    other.query = longer.query;
    expect_other(fixture, &other, "query.length", "200", "201");
    pair_init(&changed, 300, 200, 8);
    other = same;
    other.target = changed.target;
    expect_failure(fixture, &other, FALSE, CS_ERROR_CHECKPOINT,
                   " belongs to another comparison: target.digest is ");
    other = same;
    other.query = changed.query;
    expect_failure(fixture, &other, FALSE, CS_ERROR_CHECKPOINT,
                   " belongs to another comparison: query.digest is ");

    /* Names, files, case and the memo are no part of the identity. */
    GString *bases = g_string_new(NULL);
    for (gint64 k = 0; k < 300; k++)
        g_string_append_c(bases, "acguN"[same.target->codes[k]]);
    g_autoptr(CsSequence) renamed = cs_sequence_new("another name", bases->str, 300, NULL);
    g_string_free(bases, TRUE);
    fixture->pair.identity.target = renamed;
    fixture->pair.identity.memo = NULL;
    expect_load(fixture, &fixture->states[0]);
    g_assert_cmpuint(fixture->warnings->len, ==, 0);
}

/* A new chain begins. The last generation of the old one stays until the new one is complete. */
static void
test_fresh(Fixture *fixture, gconstpointer data)
{
    const CsFingerprint same = fixture->pair.identity;
    g_autofree char *old = path_of(fixture, "generation-000002.state");
    save_states(fixture, 2);
    fixture->pair.identity.scoring.mismatch = 4;
    {
        gboolean any = TRUE;
        g_auto(CsState) state = {0};
        g_autoptr(CsCheckpoint) fresh = reopen(fixture, TRUE);
        g_assert_true(cs_checkpoint_load(fresh, &state, &any, NULL));
        g_assert_false(any);
        expect_names(fixture, "generation-000001.state generation-000002.state lock manifest.json");
        save(fresh, &fixture->states[2], &no_hurry);
        expect_names(fixture, "generation-000002.state generation-000003.state lock manifest.json");
    }
    expect_load(fixture, &fixture->states[2]);
    expect_other(fixture, &same, "scoring.mismatch", "4", "3");

    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    g_assert_cmpuint(info->n_generations, ==, 2);
    g_assert_cmpstr(info->generations[1].fault, ==,
                    "belongs to another comparison: scoring.mismatch is 3 there and 4 here");
    g_assert_true(info->generations[1].of_another);
    g_assert_false(info->generations[0].of_another);

    /* The old one is never used instead. */
    change_byte(fixture, "generation-000003.state", -1, 1);
    expect_failure(
        fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT,
        ": generation 2: belongs to another comparison: scoring.mismatch is 3 there and 4 here");
    change_byte(fixture, "generation-000003.state", -1, 1);
    save_states(fixture, 1);
    save_states(fixture, 1);
    expect_names(fixture, "generation-000002.state generation-000004.state "
                          "generation-000005.state lock manifest.json");

    /* Starts over once more. The generation that is further on stays, here the one already kept. */
    {
        g_autoptr(CsCheckpoint) fresh = reopen(fixture, TRUE);
        save(fresh, &fixture->states[0], &no_hurry);
        expect_names(fixture, "generation-000002.state generation-000006.state lock manifest.json");
    }
    g_auto(CsState) whole = {0};
    state_after(&fixture->pair, -1, &whole);
    save_states(fixture, 1);
    g_autoptr(CsCheckpoint) last = reopen(fixture, FALSE);
    save(last, &whole, &hurry);
    g_assert_true(g_file_test(old, G_FILE_TEST_EXISTS));
    g_clear_pointer(&last, cs_checkpoint_free);
    expect_load(fixture, &whole);
    g_assert_false(g_file_test(old, G_FILE_TEST_EXISTS));
}

/* A child locks the folder and is killed. The lock is released; its file stays. */
static void
test_lock(Fixture *fixture, gconstpointer data)
{
    int ready[2];
    char byte = 0;
    save_states(fixture, 1);
    g_assert_cmpint(pipe(ready), ==, 0);
    pid_t child = fork();
    if (child == 0) {
        CsCheckpoint *held = cs_checkpoint_open(fixture->directory, &fixture->pair.identity, FALSE,
                                                NULL, NULL, NULL);
        if (held == NULL || write(ready[1], &byte, 1) != 1)
            _exit(1);
        while (TRUE)
            pause();
    }
    g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
    g_autofree char *holder = g_strdup_printf("process %ld on %s", (long)child, g_get_host_name());
    g_autofree char *message = g_strdup_printf(" is in use by %s", holder);
    expect_failure(fixture, &fixture->pair.identity, FALSE, CS_ERROR_CHECKPOINT, message);
    expect_failure(fixture, &fixture->pair.identity, TRUE, CS_ERROR_CHECKPOINT, message);
    g_autoptr(GError) error = NULL;
    g_assert_false(cs_checkpoint_remove(fixture->directory, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_assert_cmpint(cs_error_get_detail(error), ==, CS_DETAIL_IN_USE);
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    g_assert_cmpstr(info->holder, ==, holder);

    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    expect_load(fixture, &fixture->states[0]);
    g_autoptr(CsCheckpointInfo) later = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    g_assert_null(later->holder);
    close(ready[0]);
    close(ready[1]);
}

/* An error has a detail beside its code, even after it was passed on. */
static void
test_error_detail(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) other = g_error_new_literal(G_FILE_ERROR, G_FILE_ERROR_EXIST, "no");
    save_states(fixture, 1);
    g_assert_false(cs_checkpoint_pairs_check(fixture->directory, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_prefix_error(&error, "prefix: ");
    g_autoptr(GError) copy = g_error_copy(error);
    g_assert_cmpint(cs_error_get_detail(error), ==, CS_DETAIL_PAIRS);
    g_assert_cmpint(cs_error_get_detail(copy), ==, CS_DETAIL_PAIRS);
    g_assert_cmpint(cs_error_get_detail(other), ==, CS_DETAIL_NONE);
    g_clear_error(&error);
    g_assert_false(cs_checkpoint_pairs_check(fixture->directory, NULL));

    CsFingerprint identity = fixture->pair.identity;
    identity.scoring.match++;
    g_assert_null(cs_checkpoint_open(fixture->directory, &identity, FALSE, NULL, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_assert_cmpint(cs_error_get_detail(error), ==, CS_DETAIL_NONE);
}

/* Asking for the holder does not keep a run out. */
static gpointer
ask_holder(gpointer data)
{
    Fixture *fixture = data;
    for (guint k = 0; k < 2000; k++)
        cs_checkpoint_info_free(cs_checkpoint_info_new(fixture->directory, FALSE, NULL));
    return NULL;
}

static void
test_asking(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 1);
    GThread *asking = g_thread_new("asking", ask_holder, fixture);
    for (guint k = 0; k < 20; k++)
        expect_load(fixture, &fixture->states[0]);
    g_thread_join(asking);
}

/* A read-only folder with a finished state is enough. In a child, so that root can try it as
 * another user. */
static void
expect_read_only(Fixture *fixture, gboolean finished)
{
    int status;
    g_assert_cmpint(chmod(fixture->scratch, 0755), ==, 0);
    g_assert_cmpint(chmod(fixture->directory, 0555), ==, 0);
    pid_t child = fork();
    if (child == 0) {
        g_autoptr(GError) error = NULL;
        if (geteuid() == 0 && seteuid(65534) != 0)
            _exit(77);
        g_autoptr(CsCheckpoint) checkpoint = cs_checkpoint_open(
            fixture->directory, &fixture->pair.identity, FALSE, NULL, NULL, &error);
        g_auto(CsState) state = {0};
        gboolean any = FALSE;
        gboolean loaded =
            checkpoint != NULL && cs_checkpoint_load(checkpoint, &state, &any, &error);
        if (finished)
            _exit(loaded && any ? 0 : 1);
        _exit(!loaded && g_error_matches(error, CS_ERROR, CS_ERROR_FAILED) &&
                      g_str_has_prefix(error->message, "cannot ")
                  ? 0
                  : 1);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(chmod(fixture->directory, 0755), ==, 0);
    if (status == 77 << 8)
        g_test_skip("root cannot be somebody else here");
    else
        g_assert_cmpint(status, ==, 0);
}

static void
test_directories(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *deep = g_build_filename(fixture->directory, "deep", NULL);
    g_assert_null(cs_checkpoint_open(deep, &fixture->pair.identity, FALSE, NULL, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_null(cs_checkpoint_info_new(fixture->directory, TRUE, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_false(cs_checkpoint_remove(fixture->directory, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_clear_error(&error);

    bytes_write(fixture->directory, (const guint8 *)"", 0); /* a file */
    g_assert_null(
        cs_checkpoint_open(fixture->directory, &fixture->pair.identity, FALSE, NULL, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_null(cs_checkpoint_info_new(fixture->directory, TRUE, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_cmpint(g_unlink(fixture->directory), ==, 0);

    g_assert_cmpint(g_mkdir(fixture->directory, 0777), ==, 0); /* an empty one */
    g_assert_null(cs_checkpoint_info_new(fixture->directory, TRUE, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_clear_error(&error);
    expect_load(fixture, NULL);
    expect_names(fixture,
                 ""); /* the folder is not ours and stays; the lock file is ours and goes */

    expect_read_only(fixture, FALSE);
    save_states(fixture, 1);
    expect_read_only(fixture, FALSE);
    g_auto(CsState) whole = {0};
    state_after(&fixture->pair, -1, &whole);
    {
        g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
        save(checkpoint, &whole, &no_hurry);
    }
    expect_read_only(fixture, TRUE);
    g_autofree char *lock = path_of(fixture, "lock");
    g_assert_cmpint(g_unlink(lock), ==, 0);
    expect_read_only(fixture, TRUE);
}

/* Only files whose names are exactly ours are touched. */
static void
test_foreign(Fixture *fixture, gconstpointer data)
{
    static const char *const foreign[] = {
        "generation-0000001.state",
        "generation-000000.state",
        "generation-00001x.state",
        "generation-1.state",
        "generation-000001.state.bak",
        "generation--00001.state",
        "manifest.json.bak",
        "notes.txt",
        "x.tmp",
        "generation-1.state.tmp",
        "generation-+00001.state",
        "generation-99999999999999999999.state",
    };
    static const char *const stale[] = {"manifest.json.tmp", "generation-000009.state.tmp"};
    save_states(fixture, 1);
    for (guint k = 0; k < G_N_ELEMENTS(foreign); k++) {
        g_autofree char *path = path_of(fixture, foreign[k]);
        bytes_write(path, (const guint8 *)"x", 1);
    }
    for (guint k = 0; k < G_N_ELEMENTS(stale); k++) {
        g_autofree char *path = path_of(fixture, stale[k]);
        bytes_write(path, (const guint8 *)"x", 1);
    }
    save_states(fixture, 3);
    expect_load(fixture, &fixture->states[2]);
    for (guint k = 0; k < G_N_ELEMENTS(stale); k++) {
        g_autofree char *path = path_of(fixture, stale[k]);
        g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    }
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_checkpoint_remove(fixture->directory, &error));
    g_assert_no_error(error);
    for (guint k = 0; k < G_N_ELEMENTS(foreign); k++) {
        g_autofree char *path = path_of(fixture, foreign[k]);
        g_assert_cmpint(g_unlink(path), ==, 0);
    }
    expect_names(fixture, "");
    g_assert_true(cs_checkpoint_remove(fixture->directory, &error));
    g_assert_no_error(error);
    g_assert_false(g_file_test(fixture->directory, G_FILE_TEST_EXISTS));
    g_assert_cmpuint(fixture->warnings->len, ==, 0);
}

static void
expect_no_save(CsCheckpoint *checkpoint, const CsState *state)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(cs_checkpoint_save(checkpoint, state, 2, &no_hurry, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_true(g_str_has_prefix(error->message, "checkpoint "));
}

/* Saves that fail leave everything as it was, and later ones succeed. */
static void
test_failing(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
    g_autofree char *temporary = path_of(fixture, "generation-000003.state.tmp");
    g_autofree char *final = path_of(fixture, "generation-000004.state");
    g_autofree char *manifest = path_of(fixture, "manifest.json.tmp");
    g_assert_cmpint(g_mkdir(temporary, 0777), ==, 0); /* it cannot be created */
    expect_no_save(checkpoint, &fixture->states[2]);
    g_assert_cmpint(g_rmdir(temporary), ==, 0);
    g_assert_cmpint(g_mkdir(final, 0777), ==, 0); /* it cannot be renamed */
    expect_no_save(checkpoint, &fixture->states[2]);
    g_assert_cmpint(g_rmdir(final), ==, 0);
    g_assert_cmpint(g_mkdir(manifest, 0777), ==, 0); /* it cannot be named */
    expect_no_save(checkpoint, &fixture->states[2]);
    g_assert_cmpint(g_rmdir(manifest), ==, 0);
    expect_names(fixture, "generation-000001.state generation-000002.state lock manifest.json");
    save(checkpoint, &fixture->states[2], &no_hurry);
    expect_names(fixture, "generation-000002.state generation-000006.state lock manifest.json");
    g_clear_pointer(&checkpoint, cs_checkpoint_free);
    expect_load(fixture, &fixture->states[2]);
}

/* A value that a state must not hold is found on reading back, and the generation is removed. */
static void
test_read_back(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 2);
    g_autofree char *path = path_of(fixture, "manifest.json");
    g_autoptr(GByteArray) before = bytes_read(path);
    {
        g_autoptr(CsCheckpoint) checkpoint = reopen(fixture, FALSE);
        g_autoptr(GError) error = NULL;
        CsBus *bus = fixture->states[2].staircase.horizontal;
        CsScore value = cs_width_get(bus->width, bus->h, 10);
        cs_width_set(bus->width, bus->h, 10, 201);
        g_assert_false(cs_checkpoint_save(checkpoint, &fixture->states[2], 2, &no_hurry, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
        g_assert_true(g_str_has_suffix(error->message, "generation-000003.state: reading it back: "
                                                       "block 1: value out of range"));
        g_autoptr(GByteArray) after = bytes_read(path);
        g_assert_cmpmem(after->data, after->len, before->data, before->len);
        expect_names(fixture, "generation-000001.state generation-000002.state lock manifest.json");
        cs_width_set(bus->width, bus->h, 10, value);
        save(checkpoint, &fixture->states[2], &no_hurry);
    }
    expect_load(fixture, &fixture->states[2]);
}

static void
test_info(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 3);
    for (guint verify = 0; verify < 2; verify++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(CsCheckpointInfo) info =
            cs_checkpoint_info_new(fixture->directory, verify, &error);
        g_assert_no_error(error);
        g_assert_cmpint(info->format_version, ==, 1);
        g_assert_cmpstr(info->program_version, ==, CS_VERSION);
        g_assert_null(info->target_file);
        g_assert_cmpstr(info->target_name, ==, "the target");
        g_assert_cmpstr(info->query_name, ==, "the query");
        g_assert_cmpint(info->target_length, ==, 300);
        g_assert_cmpint(info->query_length, ==, 200);
        g_assert_cmpuint(strlen(info->target_digest), ==, 32);
        g_assert_cmpstr(info->target_digest, !=, info->query_digest);
        g_assert_cmpstr(info->strand, ==, "+");
        g_assert_cmpint(info->scoring.mismatch, ==, 3);
        g_assert_cmpstr(info->memo, ==, "a memo, \xc3\xa4");
        g_assert_null(info->holder);
        g_assert_null(info->fault);
        g_assert_cmpuint(info->n_generations, ==, 2);
        for (guint k = 0; k < 2; k++) {
            const CsGeneration *generation = &info->generations[k];
            const CsState *state = &fixture->states[2 - k];
            const CsStaircase *stairs = &state->staircase;
            g_assert_cmpint(generation->number, ==, 3 - k);
            g_autofree char *path = path_of(fixture, generation->file);
            g_autoptr(GByteArray) bytes = bytes_read(path);
            g_assert_cmpint(generation->bytes, ==, bytes->len);
            g_assert_cmpint(ABS(generation->saved - g_get_real_time() / 1000000), <, 100);
            g_assert_cmpint(generation->cells_done, ==, state->cells);
            g_assert_cmpint(generation->rows_done, ==, g_array_index(stairs->steps, CsStep, 0).row);
            g_assert_cmpint(generation->score, ==, stairs->best.score);
            g_assert_cmpint(generation->target_end, ==, stairs->best.i);
            g_assert_cmpint(generation->query_end, ==, stairs->best.j);
            g_assert_cmpfloat(generation->seconds, ==, state->seconds);
            g_assert_null(generation->fault);
        }
    }
}

static void
test_info_damaged(Fixture *fixture, gconstpointer data)
{
    save_states(fixture, 3);
    change_byte(fixture, "generation-000003.state", -30, 1);
    g_autoptr(CsCheckpointInfo) heads = cs_checkpoint_info_new(fixture->directory, FALSE, NULL);
    g_assert_null(heads->generations[0].fault);
    g_autoptr(CsCheckpointInfo) whole = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    g_assert_true(g_str_has_suffix(whole->generations[0].fault, ": wrong checksum"));
    g_assert_null(whole->generations[1].fault);

    change_byte(fixture, "manifest.json", 10, 1);
    g_autoptr(CsCheckpointInfo) alone = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    g_assert_cmpstr(alone->fault, ==, "damaged (not a manifest)");
    g_assert_cmpuint(alone->n_generations, ==, 2);
    g_assert_true(g_str_has_suffix(alone->generations[0].fault, ": wrong checksum"));
    g_assert_null(alone->generations[1].fault);
    g_assert_cmpint(alone->generations[1].cells_done, ==, fixture->states[1].cells);
    g_assert_cmpstr(alone->query_name, ==, "the query");

    change_byte(fixture, "generation-000002.state", 3, 1);
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_checkpoint_info_new(fixture->directory, TRUE, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
}

/* Names and paths that are not UTF-8 are read as they were written; .. may follow a link. */
static void
test_bytes(Fixture *fixture, gconstpointer data)
{
    const CsSequence content = {
        .file = g_strdup("dir\xff/../a\xfe.fa"),
        .name = g_strdup("na\xfcme"),
        .length = 300,
        .record_length = 300,
        .ambiguous = fixture->pair.target->ambiguous,
        .codes = g_memdup2(fixture->pair.target->codes, 300),
    };
    g_autoptr(CsSequence) named = cs_sequence_new_take(&content);
    fixture->pair.identity.target = named;
    save_states(fixture, 1);
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(fixture->directory, TRUE, NULL);
    g_autofree char *here = g_get_current_dir();
    g_autofree char *absolute = g_strconcat(here, "/dir\xff/../a\xfe.fa", NULL);
    g_assert_cmpstr(info->target_file, ==, absolute);
    g_assert_cmpstr(info->target_name, ==, "na\xfcme");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
    g_test_add("/checkpoint/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("generations", test_generations);
    ADD("hurry", test_hurry);
    ADD("stops", test_stops);
    ADD("abandoned", test_abandoned);
    ADD("newest-damaged", test_newest_damaged);
    ADD("all-damaged", test_all_damaged);
    ADD("every-byte", test_every_byte);
    ADD("manifest-damaged", test_manifest_damaged);
    ADD("manifest-alone", test_manifest_alone);
    ADD("head-damaged", test_head_damaged);
    ADD("unnamed", test_unnamed);
    ADD("version", test_version);
    ADD("identity", test_identity);
    ADD("fresh", test_fresh);
    ADD("lock", test_lock);
    ADD("error-detail", test_error_detail);
    ADD("asking", test_asking);
    ADD("directories", test_directories);
    ADD("foreign", test_foreign);
    ADD("failing", test_failing);
    ADD("read-back", test_read_back);
    ADD("info", test_info);
    ADD("info-damaged", test_info_damaged);
    ADD("bytes", test_bytes);
    return g_test_run();
}
