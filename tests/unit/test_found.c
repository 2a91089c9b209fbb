/* What a comparison has found beside its states is used by that comparison alone, under its own name,
 * by the version of the program that wrote it. */
#include <string.h>

#include <glib/gstdio.h>
#include <xxhash.h>

#include "checkpoint/found.h"
#include "checkpoint/found_log.h"
#include "checkpoint/found_state.h"
#include "config.h"
#include "sequence/sequence_private.h"
#include "state_fixture.h"

enum {
    CHECKSUM = 8, /* bytes at a file's start */
    LENGTH = 4,   /* of the head, which follows */
    M = 200,
    N = 150,
};

/* The kinds of files, each under a name of its own. */
typedef struct {
    const char *name;
    void (*save)(const CsCheckpoint *checkpoint, const char *name, const Pair *pair);
    gboolean (*loads)(const CsCheckpoint *checkpoint, const char *name);
    gboolean whole; /* the checksum at the start covers the whole file */
} Kind;

static void
save_list(const CsCheckpoint *checkpoint, const char *name, const Pair *pair)
{
    static const gint64 numbers[] = {7, 8, 9};
    (void)pair;
    g_assert_true(cs_found_save(checkpoint, name, numbers, G_N_ELEMENTS(numbers), NULL));
}

static gboolean
loads_list(const CsCheckpoint *checkpoint, const char *name)
{
    gint64 count = 0;
    g_autofree gint64 *numbers = cs_found_load(checkpoint, name, &count);
    g_assert_true(numbers == NULL || (count == 3 && numbers[2] == 9));
    return numbers != NULL;
}

static void
save_log(const CsCheckpoint *checkpoint, const char *name, const Pair *pair)
{
    g_autoptr(CsFoundLog) log = cs_found_log_new(checkpoint, name, NULL);
    (void)pair;
    g_assert_true(cs_found_log_settle(log, NULL));
}

static gboolean
loads_log(const CsCheckpoint *checkpoint, const char *name)
{
    g_autoptr(CsFoundLog) log = cs_found_log_open(checkpoint, name);
    return log != NULL;
}

static void
save_state(const CsCheckpoint *checkpoint, const char *name, const Pair *pair)
{
    g_auto(CsState) state = {0};
    state_after(pair, 3, &state);
    g_assert_true(cs_found_state_save(checkpoint, name, &state, 1, NULL, NULL));
}

static gboolean
loads_state(const CsCheckpoint *checkpoint, const char *name)
{
    g_auto(CsState) state = {0};
    return cs_found_state_load(checkpoint, name, &state);
}

static const Kind kinds[] = {
    {"plus-trace", save_list, loads_list, TRUE},
    {"plus-rows", save_log, loads_log, FALSE},
    {CS_FOUND_PROOF, save_state, loads_state, FALSE},
};

static CsCheckpoint *
open_folder(const char *folder, const CsFingerprint *identity)
{
    g_autoptr(GError) error = NULL;
    CsCheckpoint *checkpoint = cs_checkpoint_open(folder, identity, FALSE, NULL, NULL, &error);
    g_assert_no_error(error);
    return checkpoint;
}

static char *
path_of(const char *folder, const char *name)
{
    g_autofree char *file = cs_found_file_name(name);
    return g_build_filename(folder, file, NULL);
}

/* Whether that comparison uses the file, under that name, in a folder of its own. */
static gboolean
uses(const Kind *kind, const GByteArray *file, const char *name, const CsFingerprint *identity)
{
    char *folder = scratch_new();
    CsCheckpoint *checkpoint = open_folder(folder, identity);
    g_autofree char *path = path_of(folder, name);
    bytes_write(path, file->data, file->len);
    const gboolean used = kind->loads(checkpoint, name);
    cs_checkpoint_free(checkpoint);
    scratch_free(folder);
    return used;
}

static GByteArray *
file_of(const Kind *kind, const Pair *pair)
{
    char *folder = scratch_new();
    CsCheckpoint *checkpoint = open_folder(folder, &pair->identity);
    g_autofree char *path = path_of(folder, kind->name);
    kind->save(checkpoint, kind->name, pair);
    GByteArray *file = bytes_read(path);
    cs_checkpoint_free(checkpoint);
    scratch_free(folder);
    return file;
}

static void
test_other_comparison(void)
{
    g_auto(Pair) pair = {0};
    g_auto(Pair) other = {0};
    pair_init(&pair, M, N, 1);
    pair_init(&other, M, N, 2);
    CsFingerprint others[8];
    for (guint k = 0; k < G_N_ELEMENTS(others); k++)
        others[k] = pair.identity;
    CsSequence region = *pair.target;
    region.record_length++;
    others[0].target = other.target;
    others[1].query = other.query;
    others[2].scoring.match++;
    others[3].scoring.mismatch++;
    others[4].scoring.gap_open++;
    others[5].scoring.gap_extend++;
    others[6].strand = CS_STRAND_BOTH;
    others[7].target = &region;
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GByteArray) file = file_of(&kinds[k], &pair);
        g_assert_true(uses(&kinds[k], file, kinds[k].name, &pair.identity));
        for (guint o = 0; o < G_N_ELEMENTS(others); o++)
            g_assert_false(uses(&kinds[k], file, kinds[k].name, &others[o]));
    }
}

/* Rows lie along the query, where the other has them along the target. */
static void
test_transposed(void)
{
    g_auto(Pair) pair = {0};
    pair_init(&pair, M, M, 1);
    CsFingerprint transposed = pair.identity;
    transposed.transposed = !transposed.transposed;
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GByteArray) file = file_of(&kinds[k], &pair);
        g_assert_true(uses(&kinds[k], file, kinds[k].name, &pair.identity));
        g_assert_false(uses(&kinds[k], file, kinds[k].name, &transposed));
    }
}

/* The trace of minus is none of plus. */
static void
test_other_name(void)
{
    g_auto(Pair) pair = {0};
    pair_init(&pair, M, N, 1);
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GByteArray) file = file_of(&kinds[k], &pair);
        g_assert_false(uses(&kinds[k], file, "minus-trace", &pair.identity));
    }
}

/* Makes the checksum at the start right again. */
static void
reseal(const Kind *kind, GByteArray *file)
{
    guint32 length;
    memcpy(&length, file->data + CHECKSUM, LENGTH);
    const gsize covered =
        kind->whole ? file->len - CHECKSUM : LENGTH + (gsize)GUINT32_FROM_LE(length);
    const guint64 checksum = GUINT64_TO_LE(XXH64(file->data + CHECKSUM, covered, 0));
    memcpy(file->data, &checksum, CHECKSUM);
}

static void
test_other_version(void)
{
    static const char wanted[] = "\"program_version\":\"" CS_VERSION "\"";
    g_auto(Pair) pair = {0};
    pair_init(&pair, M, N, 1);
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GByteArray) file = file_of(&kinds[k], &pair);
        guint8 *at = memmem(file->data, file->len, wanted, strlen(wanted));
        g_assert_nonnull(at);
        reseal(&kinds[k], file);
        g_assert_true(uses(&kinds[k], file, kinds[k].name, &pair.identity));
        at[strlen(wanted) - 2]++; /* the last digit */
        reseal(&kinds[k], file);
        g_assert_false(uses(&kinds[k], file, kinds[k].name, &pair.identity));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/found/other-comparison", test_other_comparison);
    g_test_add_func("/found/transposed", test_transposed);
    g_test_add_func("/found/other-name", test_other_name);
    g_test_add_func("/found/other-version", test_other_version);
    return g_test_run();
}
