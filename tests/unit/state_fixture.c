/* States to save: see state_fixture.h. */
#include <string.h>

#include <glib/gstdio.h>

#include "state_fixture.h"

#include "../random_sequence.h"
#include "cpu/scalar.h"
#include "sweep/engine_class.h"

void
pair_init(Pair *pair, gint64 target_length, gint64 query_length, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autofree char *target = g_malloc(target_length), *query = g_malloc(query_length);
    for (gint64 k = 0; k < target_length; k++)
        target[k] = "ACGT"[g_rand_int_range(rand, 0, 4)];
    for (gint64 k = 0, at = 0; k < query_length; k++, at++) {
        at += g_rand_int_range(rand, 0, 50) == 0; /* some bases are lost, some changed */
        query[k] = at < target_length && g_rand_int_range(rand, 0, 20) > 0
                       ? target[at]
                       : "ACGTN"[g_rand_int_range(rand, 0, 5)];
    }
    pair->target = cs_sequence_new("the target", target, target_length, NULL);
    pair->query = cs_sequence_new("the query", query, query_length, NULL);
    pair->identity = (CsFingerprint){
        .target = pair->target,
        .query = pair->query,
        .transposed = query_length > target_length,
        .scoring = CS_SCORING_DEFAULT,
        .memo = "a memo, \xc3\xa4",
    };
}

void
pair_clear(Pair *pair)
{
    g_clear_pointer(&pair->target, cs_sequence_unref);
    g_clear_pointer(&pair->query, cs_sequence_unref);
}

void
state_after(const Pair *pair, gint64 diagonals, CsState *state)
{
    g_autoptr(GError) error = NULL;
    gboolean transposed = pair->identity.transposed;
    CsRectangle rectangle = {
        .rows = cs_view_of(transposed ? pair->query : pair->target),
        .columns = cs_view_of(transposed ? pair->target : pair->query),
        .scoring = pair->identity.scoring,
        .tie_order = transposed ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST,
    };
    *state = (CsState){.seconds = 12.25, .engine = "scalar", .threads = 1};
    if (cs_rectangle_m(&rectangle) == 0 || cs_rectangle_n(&rectangle) == 0) {
        state->staircase.horizontal = cs_bus_new(cs_rectangle_n(&rectangle), CS_WIDTH_32, &error);
        state->staircase.steps = g_array_new(FALSE, TRUE, sizeof(CsStep));
        state->staircase.row = cs_rectangle_m(&rectangle);
        return;
    }
    CsEngineOptions options = {.threads = 1};
    CsGridShape shape = {.block_height = 40, .block_width = 50, .depth = 1000};
    cs_scalar_engine.shape(&rectangle, &options, &shape);
    g_autoptr(CsGrid) grid =
        cs_grid_new(cs_rectangle_m(&rectangle), cs_rectangle_n(&rectangle), &shape, NULL, 0);
    CsRun *run = cs_scalar_engine.begin(&rectangle, grid, &shape, &options, &error);
    g_assert_no_error(error);
    gint64 all = cs_grid_diagonals(grid);
    for (gint64 d = 0; d < (diagonals < 0 ? all : MIN(diagonals, all)); d++) {
        CsCollected collected;
        g_assert_true(cs_scalar_engine.submit(run, d, &error));
        g_assert_true(cs_scalar_engine.collect(run, &collected, &error));
        state->cells += collected.cells;
        state->cells_computed += collected.cells_computed;
    }
    g_assert_true(cs_scalar_engine.staircase(run, &state->staircase, &error));
    g_assert_no_error(error);
    cs_scalar_engine.free(run);
}

static CsBus *
widen_bus(const CsBus *bus)
{
    CsBus *wide = cs_bus_new(bus->length, CS_WIDTH_64, NULL);
    cs_bus_copy(wide, 0, bus, 0, bus->length);
    return wide;
}

void
state_widen(const CsState *state, CsState *wide)
{
    *wide = *state;
    wide->staircase.horizontal = widen_bus(state->staircase.horizontal);
    wide->staircase.steps = g_array_copy(state->staircase.steps);
    for (guint k = 0; k < wide->staircase.steps->len; k++) {
        CsStep *step = &g_array_index(wide->staircase.steps, CsStep, k);
        step->riser = widen_bus(step->riser);
    }
}

static void
expect_same_bus(const CsBus *found, const CsBus *wanted)
{
    g_assert_cmpint(found->length, ==, wanted->length);
    for (gint64 k = 0; k < wanted->length; k++) {
        g_assert_cmpint(cs_width_get(found->width, found->h, k), ==,
                        cs_width_get(wanted->width, wanted->h, k));
        g_assert_cmpint(cs_width_get(found->width, found->gap, k), ==,
                        cs_width_get(wanted->width, wanted->gap, k));
    }
}

void
expect_same_state(const CsState *found, const CsState *wanted)
{
    const CsStaircase *a = &found->staircase, *b = &wanted->staircase;
    expect_same_bus(a->horizontal, b->horizontal);
    g_assert_cmpuint(a->steps->len, ==, b->steps->len);
    for (guint k = 0; k < a->steps->len; k++) {
        const CsStep *one = &g_array_index(a->steps, CsStep, k);
        const CsStep *other = &g_array_index(b->steps, CsStep, k);
        g_assert_cmpint(one->row, ==, other->row);
        g_assert_cmpint(one->height, ==, other->height);
        g_assert_cmpint(one->column, ==, other->column);
        g_assert_cmpint(one->corner, ==, other->corner);
        expect_same_bus(one->riser, other->riser);
    }
    g_assert_cmpint(a->row, ==, b->row);
    g_assert_cmpint(a->corner, ==, b->corner);
    g_assert_cmpint(a->best.score, ==, b->best.score);
    g_assert_cmpint(a->best.i, ==, b->best.i);
    g_assert_cmpint(a->best.j, ==, b->best.j);
    g_assert_cmpint(found->cells, ==, wanted->cells);
    g_assert_cmpint(found->cells_computed, ==, wanted->cells_computed);
    g_assert_cmpint(found->cells_expected, ==, wanted->cells_expected);
    g_assert_cmpint(found->no_start, ==, wanted->no_start);
    g_assert_cmpint(found->forecast.m, ==, wanted->forecast.m);
    for (guint k = 0; k < CS_WORK_PARTS; k++) {
        g_assert_cmpint((gint64)found->forecast.cells[k], ==, (gint64)wanted->forecast.cells[k]);
        g_assert_cmpint(found->forecast.from[k], ==, wanted->forecast.from[k]);
        g_assert_cmpint(found->forecast.to[k], ==, wanted->forecast.to[k]);
    }
    g_assert_cmpfloat(found->seconds, ==, wanted->seconds);
    g_assert_cmpint(found->threshold, ==, wanted->threshold);
    g_assert_cmpint(found->skipped, ==, wanted->skipped);
    g_assert_cmpstr(found->engine, ==, wanted->engine);
    g_assert_cmpstr(found->device, ==, wanted->device);
    g_assert_cmpuint(found->threads, ==, wanted->threads);
    g_assert_cmpint(found->under_way, ==, wanted->under_way);
    g_assert_cmpint(found->plus.score, ==, wanted->plus.score);
    g_assert_cmpint(found->plus.i, ==, wanted->plus.i);
    g_assert_cmpint(found->plus.j, ==, wanted->plus.j);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsStrandWork *one = &found->work[strand], *other = &wanted->work[strand];
        g_assert_cmpint(one->skip, ==, other->skip);
        g_assert_cmpint(one->lower_bound, ==, other->lower_bound);
        g_assert_cmpint(one->cells_computed, ==, other->cells_computed);
        g_assert_cmpint(one->cells_corridor, ==, other->cells_corridor);
        g_assert_cmpfloat(one->seconds, ==, other->seconds);
    }
}

char *
scratch_new(void)
{
    g_autoptr(GError) error = NULL;
    char *directory = g_dir_make_tmp("chromosweep-unit-XXXXXX", &error);
    g_assert_no_error(error);
    return directory;
}

static void
remove_tree(const char *directory)
{
    GDir *listing = g_dir_open(directory, 0, NULL);
    const char *name;
    while (listing != NULL && (name = g_dir_read_name(listing)) != NULL) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
            remove_tree(path);
        else
            g_unlink(path);
    }
    g_clear_pointer(&listing, g_dir_close);
    g_rmdir(directory);
}

void
scratch_free(char *directory)
{
    remove_tree(directory);
    g_free(directory);
}

GByteArray *
bytes_read(const char *path)
{
    char *text;
    gsize length;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &text, &length, &error);
    g_assert_no_error(error);
    return g_byte_array_new_take((guint8 *)text, length);
}

void
bytes_write(const char *path, const guint8 *bytes, gsize size)
{
    FILE *file = fopen(path, "wb");
    g_assert_nonnull(file);
    g_assert_cmpuint(fwrite(bytes, 1, size, file), ==, size);
    g_assert_cmpint(fclose(file), ==, 0);
}
