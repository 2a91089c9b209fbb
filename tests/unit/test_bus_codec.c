/* Cells as compressed blocks: encoded and decoded, damaged, and how small and fast they are. */
#include <string.h>

#include <zstd.h>

#include <chromosweep/error.h>

#include "../case_count.h"
#include "../random_sequence.h"
#include "checkpoint/bus_codec.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "sweep/sweep.h"

typedef struct {
    guint8 *block;
    gsize size;
} Block;

static Block
encode(const CsBus *bus)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsBusEncoder) encoder = cs_bus_encoder_new(bus->length, &error);
    Block block = {g_malloc(cs_bus_codec_bound(bus->length)), 0};
    g_assert_true(cs_bus_encoder_run(encoder, bus, block.block, &block.size, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(block.size, <=, cs_bus_codec_bound(bus->length));
    return block;
}

static gboolean
decode(const guint8 *block, gsize size, CsScore lowest, CsScore highest, CsBus *bus, GError **error)
{
    g_autoptr(CsBusDecoder) decoder = cs_bus_decoder_new(bus->length, error);
    return cs_bus_decoder_run(decoder, block, size, lowest, highest, bus, error);
}

static CsBus *
new_bus(gint64 length, CsWidth width)
{
    CsBus *bus = cs_bus_new(length, width, NULL);
    g_assert_nonnull(bus);
    return bus;
}

/* As raw values: nothing is clamped. */
static void
set_raw(CsBus *bus, gint64 k, gint64 h, gint64 gap)
{
    if (bus->width == CS_WIDTH_64) {
        ((gint64 *)bus->h)[k] = h;
        ((gint64 *)bus->gap)[k] = gap;
    } else {
        cs_width_set(bus->width, bus->h, k, h);
        cs_width_set(bus->width, bus->gap, k, gap);
    }
}

static gint64
raw(const CsBus *bus, const void *values, gint64 k)
{
    return bus->width == CS_WIDTH_64 ? ((const gint64 *)values)[k]
                                     : cs_width_get(bus->width, values, k);
}

static void
expect_round_trip(const CsBus *bus, CsWidth width)
{
    g_autoptr(GError) error = NULL;
    Block block = encode(bus);
    g_autoptr(CsBus) found = new_bus(bus->length, width);
    gboolean decoded =
        decode(block.block, block.size, G_MININT64,
               width == CS_WIDTH_32 ? CS_SCORE_32_LIMIT - 1 : G_MAXINT64, found, &error);
    g_assert_no_error(error);
    g_assert_true(decoded);
    for (gint64 k = 0; k < bus->length; k++) {
        g_assert_cmpint(raw(found, found->h, k), ==, raw(bus, bus->h, k));
        g_assert_cmpint(raw(found, found->gap, k), ==, raw(bus, bus->gap, k));
    }
    g_free(block.block);
}

/* Steps of up to `most` up or down, never below zero. */
static void
walk(CsBus *bus, gint32 most, GRand *rand)
{
    gint64 h = 0, gap = 0;
    for (gint64 k = 0; k < bus->length; k++) {
        h += g_rand_int_range(rand, -most, most + 1);
        gap += g_rand_int_range(rand, -most, most + 1);
        h = CLAMP(h, 0, CS_SCORE_32_LIMIT - 1);
        gap = CLAMP(gap, 0, h);
        set_raw(bus, k, h, gap);
    }
}

static void
test_walks(void)
{
    static const gint64 lengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 4099};
    static const gint32 steps[] = {0, 1, 31, 32, 63, 64, 65, 1000, 100000, 300000000};
    static const CsWidth widths[] = {CS_WIDTH_32, CS_WIDTH_64};
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint l = 0; l < G_N_ELEMENTS(lengths); l++)
        for (guint s = 0; s < G_N_ELEMENTS(steps); s++)
            for (guint w = 0; w < 4; w++) {
                g_autoptr(CsBus) bus = new_bus(lengths[l], widths[w % 2]);
                walk(bus, steps[s], rand);
                expect_round_trip(bus, widths[w / 2]);
            }
}

static void
test_extremes(void)
{
    static const gint64 values[] = {0,
                                    1,
                                    -1,
                                    G_MAXINT64,
                                    G_MININT64,
                                    CS_SCORE_NONE,
                                    CS_SCORE_NONE + 1,
                                    CS_SCORE_32_LIMIT - 1,
                                    -CS_SCORE_32_LIMIT + 1,
                                    G_MAXINT32,
                                    G_MININT32};
    enum {
        N = G_N_ELEMENTS(values)
    };
    g_autoptr(CsBus) wide = new_bus(N * N * 2, CS_WIDTH_64),
                     narrow = new_bus(N * N * 2, CS_WIDTH_32);
    for (guint a = 0; a < N; a++)
        for (guint b = 0; b < N; b++)
            for (guint k = 0; k < 2; k++) {
                gint64 at = 2 * (a * N + b) + k, value = values[k == 0 ? a : b];
                set_raw(wide, at, value, values[k == 0 ? b : a]);
                set_raw(narrow, at, CLAMP(value, CS_SCORE_NONE, CS_SCORE_32_LIMIT - 1),
                        value > 0 ? 3 : CS_SCORE_NONE);
            }
    expect_round_trip(wide, CS_WIDTH_64);
    expect_round_trip(narrow, CS_WIDTH_32);
    expect_round_trip(narrow, CS_WIDTH_64);
}

/* The minus infinity of 32 bits between values near the lowest finite one, at every edge of a
 * batch. */
static void
test_none(void)
{
    for (gint64 at = 0; at < 50; at++) {
        g_autoptr(CsBus) bus = new_bus(50, CS_WIDTH_32);
        for (gint64 k = 0; k < 50; k++)
            set_raw(bus, k, k == at ? CS_SCORE_NONE : -CS_SCORE_32_LIMIT + 1 + k % 3, k);
        expect_round_trip(bus, CS_WIDTH_32);
        expect_round_trip(bus, CS_WIDTH_64);
    }
}

static void
test_range(void)
{
    g_autoptr(CsBus) bus = new_bus(20, CS_WIDTH_32), found = new_bus(20, CS_WIDTH_32);
    for (gint64 k = 0; k < 20; k++)
        set_raw(bus, k, k, 100 - k);
    for (gint64 k = 0; k < 20; k++) {
        set_raw(bus, k, 100, 0);
        Block block = encode(bus);
        g_autoptr(GError) error = NULL;
        g_assert_true(decode(block.block, block.size, 0, 100, found, &error));
        g_assert_false(decode(block.block, block.size, 0, 99, found, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
        g_assert_cmpstr(error->message, ==, "value out of range");
        g_clear_error(&error);
        g_assert_false(decode(block.block, block.size, 1, 100, found, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
        g_free(block.block);
    }
}

/* Cut anywhere: an error. Any bit flipped: an error, or cells that are within the range. */
static void
test_damage(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    g_autoptr(CsBus) bus = new_bus(300, CS_WIDTH_32), found = new_bus(300, CS_WIDTH_32);
    walk(bus, 70, rand);
    Block block = encode(bus);
    for (gsize size = 0; size < block.size; size++) {
        g_autofree guint8 *cut = g_memdup2(block.block, MAX(size, 1)); /* for what checks bounds */
        g_autoptr(GError) error = NULL;
        g_assert_false(decode(cut, size, 0, 100000, found, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
    }
    for (gsize bit = 0; bit < 8 * block.size; bit++) {
        g_autofree guint8 *flipped = g_memdup2(block.block, block.size);
        flipped[bit / 8] ^= 1 << bit % 8;
        g_autoptr(GError) error = NULL;
        if (!decode(flipped, block.size, 0, 100000, found, &error)) {
            g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
            continue;
        }
        CsScore high, low;
        cs_bus_range(found, &high, &low);
        g_assert_cmpint(low, >=, 0);
        g_assert_cmpint(high, <=, 100000);
    }
    g_free(block.block);
}

/* A frame of any text: the numbers themselves. */
static void
expect_wrong(const char *text, gsize length, gint64 cells, const char *message)
{
    guint8 frame[200];
    gsize size = ZSTD_compress(frame, sizeof frame, text, length, 1);
    g_assert_false(ZSTD_isError(size));
    g_autoptr(CsBus) bus = new_bus(cells, CS_WIDTH_64);
    g_autoptr(GError) error = NULL;
    g_assert_false(decode(frame, size, G_MININT64, G_MAXINT64, bus, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
    if (message != NULL)
        g_assert_cmpstr(error->message, ==, message);
}

static void
test_numbers(void)
{
    expect_wrong("\0", 1, 1, "malformed number"); /* one for two */
    expect_wrong("\0\0\0", 3, 1, "more than its cells");
    expect_wrong("\0\x80", 2, 1, "malformed number");   /* goes on, but there is no more */
    expect_wrong("\0\x80\0", 3, 1, "malformed number"); /* zero in two bytes */
    expect_wrong("\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, 1,
                 "malformed number"); /* 65 bits */
    expect_wrong("\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\0", 12, 1, NULL);
    expect_wrong("0123456789012345678901234567890123456789012345678901", 52, 2, NULL);
}

/* The horizontal bus at row 500 of long sequences, from the vector engine, as in a checkpoint. */
static CsBus *
swept_bus(gboolean similar, CsScoring scoring)
{
    enum {
        COLUMNS = 100000
    };
    const gint64 n_rows = case_count_is_low() ? 2000 : 20000;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) columns = random_sequence(COLUMNS, 1), rows = random_sequence(n_rows, 2);
    for (gint64 k = 0; similar && k < n_rows; k++)
        if (k % 23 != 0)
            ((guint8 *)rows->codes)[k] = columns->codes[k];
    CsBus *bus = new_bus(COLUMNS, CS_WIDTH_32);
    CsRectangle rectangle = {.rows = cs_view_of(rows),
                             .columns = cs_view_of(columns),
                             .scoring = scoring,
                             .bottom = bus};
    CsSweepOptions options = {.engine = &cs_simd_engine, .engine_options = {.threads = 1}};
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, &error));
    g_assert_no_error(error);
    return bus;
}

static void
test_compact(void)
{
    static const CsScoring scorings[] = {CS_SCORING_DEFAULT, {2, 3, 5, 2}, {5, 4, 10, 1}};
    for (guint s = 0; s < G_N_ELEMENTS(scorings); s++)
        for (guint similar = 0; similar < 2; similar++) {
            g_autoptr(CsBus) bus = swept_bus(similar, scorings[s]);
            Block block = encode(bus);
            double bytes = (double)block.size / (double)bus->length;
            g_test_message("scoring %u, %s: %.2f bytes a column", s, similar ? "similar" : "random",
                           bytes);
            g_assert_cmpfloat(bytes, <=, similar ? 3 : 2);
            expect_round_trip(bus, CS_WIDTH_32);
            g_free(block.block);
        }
}

static void
tell_speed(const char *what, CsBus *bus)
{
    const guint times = case_count_is_low() ? 2 : 20;
    g_autoptr(CsBusEncoder) encoder = cs_bus_encoder_new(bus->length, NULL);
    g_autoptr(CsBusDecoder) decoder = cs_bus_decoder_new(bus->length, NULL);
    g_autofree guint8 *block = g_malloc(cs_bus_codec_bound(bus->length));
    gsize size = 0;
    gint64 start = g_get_monotonic_time();
    for (guint k = 0; k < times; k++)
        g_assert_true(cs_bus_encoder_run(encoder, bus, block, &size, NULL));
    gint64 middle = g_get_monotonic_time();
    for (guint k = 0; k < times; k++)
        g_assert_true(
            cs_bus_decoder_run(decoder, block, size, 0, CS_SCORE_32_LIMIT - 1, bus, NULL));
    gint64 end = g_get_monotonic_time();
    double values = 2.0 * (double)bus->length * times;
    g_test_message("%s: %.2f ns to encode, %.2f ns to decode, %.2f bytes a cell", what,
                   1e3 * (double)(middle - start) / values, 1e3 * (double)(end - middle) / values,
                   (double)size / (double)bus->length);
}

/* Prints nanoseconds per value; a cell has two. Nothing is asserted. */
static void
test_speed(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    for (gint32 most = 2; most <= 200; most *= 10) {
        g_autoptr(CsBus) bus = new_bus(262144, CS_WIDTH_32);
        g_autofree char *what = g_strdup_printf("steps of %d", most);
        walk(bus, most, rand);
        tell_speed(what, bus);
    }
    g_autoptr(CsBus) swept = swept_bus(FALSE, (CsScoring)CS_SCORING_DEFAULT);
    tell_speed("random sequences", swept);
    g_autoptr(CsBus) similar = swept_bus(TRUE, (CsScoring){2, 3, 5, 2});
    tell_speed("similar sequences", similar);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bus-codec/walks", test_walks);
    g_test_add_func("/bus-codec/extremes", test_extremes);
    g_test_add_func("/bus-codec/none", test_none);
    g_test_add_func("/bus-codec/range", test_range);
    g_test_add_func("/bus-codec/damage", test_damage);
    g_test_add_func("/bus-codec/numbers", test_numbers);
    g_test_add_func("/bus-codec/compact", test_compact);
    g_test_add_func("/bus-codec/speed", test_speed);
    return g_test_run();
}
