/*
 * Checkpoints of format version 1 stay readable: those in tests/resume/golden-v1 hold what stands
 * beside them in expected.txt.
 *
 *     test_golden [DIRECTORY]               the test; golden-v1 beside the program if not given
 *     test_golden DIRECTORY --regenerate    writes a new DIRECTORY: only for a new version
 */
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint.h"
#include "sequence/sequence_private.h"
#include "state_fixture.h"

static const char *golden;

static CsSequence *
load_sequence(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(golden, name, NULL);
    CsSequence *sequence = cs_sequence_load(path, NULL, &error);
    g_assert_no_error(error);
    g_free(sequence->file); /* wherever the tree stands */
    sequence->file = g_build_filename("/golden", name, NULL);
    return sequence;
}

static void
load_pair(Pair *pair)
{
    pair->target = load_sequence("target.fa");
    pair->query = load_sequence("query.fa");
    pair->identity = (CsFingerprint){
        .target = pair->target,
        .query = pair->query,
        .transposed = TRUE,
        .scoring = {2, 3, 5, 1},
        .memo = "{\"golden\":true}",
    };
}

static void
print_bus(GString *text, const char *name, const CsBus *bus)
{
    g_string_append_printf(text, "%s of %" G_GINT64_FORMAT " cells\n", name, bus->length);
    for (gint64 k = 0; k < bus->length; k++)
        g_string_append_printf(text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
                               cs_width_get(bus->width, bus->h, k),
                               cs_width_get(bus->width, bus->gap, k));
}

static void
print_state(GString *text, const CsState *state)
{
    const CsStaircase *stairs = &state->staircase;
    g_string_append_printf(
        text,
        "row %" G_GINT64_FORMAT " corner %" G_GINT64_FORMAT " best %" G_GINT64_FORMAT
        " at %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "\n",
        stairs->row, stairs->corner, stairs->best.score, stairs->best.i, stairs->best.j);
    g_string_append_printf(text,
                           "cells %" G_GINT64_FORMAT " computed %" G_GINT64_FORMAT
                           " threshold %" G_GINT64_FORMAT " skipped %d threads %u\n",
                           state->cells, state->cells_computed, state->threshold, state->skipped,
                           state->threads);
    g_string_append_printf(text, "seconds %d/1000 engine %s device %s\n",
                           (int)(1000 * state->seconds), state->engine,
                           state->device != NULL ? state->device : "none");
    print_bus(text, "horizontal bus", stairs->horizontal);
    for (guint k = 0; k < stairs->steps->len; k++) {
        const CsStep *step = &g_array_index(stairs->steps, CsStep, k);
        g_string_append_printf(text,
                               "step: row %" G_GINT64_FORMAT " height %" G_GINT64_FORMAT
                               " column %" G_GINT64_FORMAT " corner %" G_GINT64_FORMAT "\n",
                               step->row, step->height, step->column, step->corner);
        print_bus(text, "riser", step->riser);
    }
}

/* The newest state in a folder. */
static void
print_newest(GString *text, const char *directory, const Pair *pair)
{
    g_autoptr(GError) error = NULL;
    g_auto(CsState) state = {0};
    gboolean found = FALSE;
    g_autoptr(CsCheckpoint) checkpoint =
        cs_checkpoint_open(directory, &pair->identity, FALSE, NULL, NULL, &error);
    g_assert_no_error(error);
    cs_checkpoint_load(checkpoint, &state, &found, &error);
    g_assert_no_error(error);
    g_assert_true(found);
    print_state(text, &state);
}

static void
print_info(GString *text, const char *directory)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, &error);
    g_assert_no_error(error);
    g_assert_null(info->fault);
    g_string_append_printf(text, "version %d: %s %s %s, %s %s %s, %s, strand %s\n",
                           (int)info->format_version, info->target_file, info->target_name,
                           info->target_digest, info->query_file, info->query_name,
                           info->query_digest, info->memo, info->strand);
    for (guint k = 0; k < info->n_generations; k++) {
        const CsGeneration *generation = &info->generations[k];
        g_assert_null(generation->fault);
        g_assert_cmpint(generation->saved, >, 1700000000);
        g_assert_cmpint(generation->skip, ==, CS_SKIP_AUTO); /* that version did not tell */
        g_string_append_printf(text,
                               "%s: %" G_GINT64_FORMAT " rows, %" G_GINT64_FORMAT
                               " cells, score %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                               ", %" G_GINT64_FORMAT "\n",
                               generation->file, generation->rows_done, generation->cells_done,
                               generation->score, generation->target_end, generation->query_end);
    }
}

static void
copy_file(const char *name, const char *to)
{
    g_autofree char *from_path = g_build_filename(golden, name, NULL);
    g_autofree char *to_path = g_build_filename(to, name, NULL);
    g_autoptr(GByteArray) bytes = bytes_read(from_path);
    bytes_write(to_path, bytes->data, bytes->len);
}

/* Both generations of the golden folder, in a copy of it. */
static char *
describe_golden(void)
{
    GString *text = g_string_new(NULL);
    g_auto(Pair) pair = {0};
    load_pair(&pair);
    char *copy = scratch_new();
    copy_file("manifest.json", copy);
    copy_file("generation-000001.state", copy);
    copy_file("generation-000002.state", copy);
    print_info(text, copy);
    print_newest(text, copy, &pair);
    g_autofree char *newest = g_build_filename(copy, "generation-000002.state", NULL);
    g_assert_cmpint(g_unlink(newest), ==, 0);
    print_newest(text, copy, &pair);
    scratch_free(copy);
    return g_string_free(text, FALSE);
}

static void
test_golden(void)
{
    g_autofree char *path = g_build_filename(golden, "expected.txt", NULL);
    g_autoptr(GByteArray) wanted = bytes_read(path);
    g_autofree char *found = describe_golden();
    g_assert_cmpmem(found, strlen(found), wanted->data, wanted->len);
}

static void
write_fasta(const char *name, const CsSequence *sequence)
{
    g_autofree char *path = g_build_filename(golden, name, NULL);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, ">%.*s of the golden pair\n", (int)strcspn(name, "."), name);
    for (gint64 k = 0; k < sequence->length; k++)
        g_string_append_printf(text, "%c%s", "ACGTN"[sequence->codes[k]],
                               k % 60 == 59 || k == sequence->length - 1 ? "\n" : "");
    bytes_write(path, (const guint8 *)text->str, text->len);
    g_string_free(text, TRUE);
}

static void
regenerate(void)
{
    g_autoptr(GError) error = NULL;
    const gint no_hurry = 0;
    g_auto(Pair) random = {0}, pair = {0};
    pair_init(&random, 170, 240, 11);
    write_fasta("target.fa", random.target);
    write_fasta("query.fa", random.query);
    load_pair(&pair);
    CsCheckpoint *checkpoint = cs_checkpoint_open(golden, &pair.identity, TRUE, NULL, NULL, &error);
    g_assert_no_error(error);
    for (gint64 diagonals = 4; diagonals <= 5; diagonals++) {
        g_auto(CsState) state = {0};
        state_after(&pair, diagonals, &state);
        cs_checkpoint_save(checkpoint, &state, 1, &no_hurry, &error);
        g_assert_no_error(error);
    }
    cs_checkpoint_free(checkpoint);
    g_autofree char *lock = g_build_filename(golden, "lock", NULL);
    g_autofree char *path = g_build_filename(golden, "expected.txt", NULL);
    g_assert_cmpint(g_unlink(lock), ==, 0);
    g_autofree char *text = describe_golden();
    bytes_write(path, (const guint8 *)text, strlen(text));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 3 || (argc == 3 && strcmp(argv[2], "--regenerate") != 0)) {
        g_printerr("usage: %s [DIRECTORY [--regenerate]]\n", argv[0]);
        return 2;
    }
    g_autofree char *beside = g_path_get_dirname(argv[0]);
    g_autofree char *bundled = g_build_filename(beside, "golden-v1", NULL);
    golden = argc > 1 ? argv[1] : bundled;
    if (argc == 3) {
        regenerate();
        return 0;
    }
    g_test_add_func("/golden/version-1", test_golden);
    return g_test_run();
}
