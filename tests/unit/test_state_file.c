/* State files, written and read back in all widths and on any number of threads, and damaged
 * anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "state_fixture.h"

/* A file in memory with this state. */
static int
write_state(const Pair *pair, const CsState *state, guint threads, CsStateHead *written)
{
    g_autoptr(GError) error = NULL;
    int fd = memfd_create("state", MFD_CLOEXEC);
    g_assert_cmpint(fd, >=, 0);
    CsStateHead head = {
        .record = cs_fingerprint_record_new(&pair->identity),
        .generation = 7,
        .saved = 1800000000,
    };
    gboolean success = cs_state_file_write(fd, "state", &head, state, threads, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(success);
    g_assert_cmpint(lseek(fd, 0, SEEK_END), ==, head.bytes);
    cs_fingerprint_record_free(head.record);
    head.record = NULL;
    if (written != NULL)
        *written = head;
    return fd;
}

static gboolean
read_state(int fd, gboolean load, const CsState *same, CsStateHead *head, GError **error)
{
    g_assert_cmpint(lseek(fd, 0, SEEK_SET), ==, 0);
    if (!cs_state_file_read_head(fd, "state", head, error))
        return FALSE;
    if (cs_state_file_read_blocks(fd, "state", head, load, same, NULL, error))
        return TRUE;
    cs_state_head_clear(head);
    return FALSE;
}

static void
expect_round_trip(const Pair *pair, const CsState *state, guint threads)
{
    g_autoptr(GError) error = NULL;
    CsStateHead written;
    g_auto(CsStateHead) head = {0}, checked = {0};
    int fd = write_state(pair, state, threads, &written);
    gboolean loaded = read_state(fd, TRUE, NULL, &head, &error);
    g_assert_no_error(error);
    g_assert_true(loaded);
    expect_same_state(&head.state, state);
    g_assert_cmpint(head.generation, ==, 7);
    g_assert_cmpint(head.saved, ==, 1800000000);
    g_assert_cmpuint(head.checksum, ==, written.checksum);
    g_assert_cmpint(head.bytes, ==, written.bytes);
    g_assert_cmpint(head.state.staircase.horizontal->width, ==, head.width);
    g_assert_true(read_state(fd, FALSE, state, &checked, &error));
    g_assert_no_error(error);
    close(fd);
}

static void
test_round_trips(void)
{
    static const gint64 lengths[][2] = {{300, 200}, {200, 300}, {41, 51}, {1, 1},
                                        {0, 0},     {5, 0},     {0, 5}};
    for (guint l = 0; l < G_N_ELEMENTS(lengths); l++)
        for (gint64 diagonals = -1; diagonals < 13; diagonals++) {
            g_auto(Pair) pair = {0};
            g_auto(CsState) state = {0}, wide = {0};
            pair_init(&pair, lengths[l][0], lengths[l][1], 3);
            state_after(&pair, diagonals, &state);
            expect_round_trip(&pair, &state, 1 + (guint)(diagonals + 1) % 4);
            state_widen(&state, &wide);
            expect_round_trip(&pair, &wide, 1);
        }
}

/* More blocks than slots, so that threads wait for each other. */
static void
test_threads(void)
{
    static const guint threads[] = {0, 1, 2, 3, 8, 100};
    const gint64 n = 3000000;
    g_auto(Pair) pair = {0};
    pair_init(&pair, n, n, 4);
    g_auto(CsState) state = {.engine = "scalar", .threads = 1, .seconds = 1};
    state.staircase.horizontal = cs_bus_new(n, CS_WIDTH_32, NULL);
    state.staircase.steps = g_array_new(FALSE, TRUE, sizeof(CsStep));
    for (gint64 k = 0; k < 40; k++) {
        CsStep step = {.row = 100 + k, .height = 1, .column = n - 1 - k};
        step.riser = cs_bus_new(1, CS_WIDTH_32, NULL);
        state.cells += step.column + (k == 0 ? 100 * n : 0);
        g_array_append_val(state.staircase.steps, step);
    }
    state.staircase.row = 140;
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    for (gint64 k = 0; k < n; k++)
        cs_width_set(CS_WIDTH_32, state.staircase.horizontal->h, k, g_rand_int_range(rand, 0, 9));
    g_autoptr(GByteArray) first = NULL;
    for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
        CsStateHead head;
        int fd = write_state(&pair, &state, threads[t], &head);
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        g_byte_array_set_size(bytes, (guint)head.bytes);
        g_assert_cmpint(pread(fd, bytes->data, bytes->len, 0), ==, head.bytes);
        close(fd);
        if (first == NULL)
            first = g_steal_pointer(&bytes);
        else
            g_assert_cmpmem(bytes->data, bytes->len, first->data, first->len);
    }
    expect_round_trip(&pair, &state, 5);
}

/* The comparison looks at every value and at the shape. */
static void
test_not_the_same(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0}, other = {0};
    pair_init(&pair, 300, 200, 3);
    state_after(&pair, 5, &state);
    int fd = write_state(&pair, &state, 1, NULL);
    for (guint k = 0; k <= state.staircase.steps->len; k++) {
        CsBus *bus = k == 0 ? state.staircase.horizontal
                            : g_array_index(state.staircase.steps, CsStep, k - 1).riser;
        void *const values[] = {bus->h, bus->gap};
        for (guint v = 0; v < 2; v++) {
            g_auto(CsStateHead) head = {0};
            g_autoptr(GError) error = NULL;
            gint32 *value = (gint32 *)values[v] + bus->length - 1;
            ++*value;
            g_assert_false(read_state(fd, FALSE, &state, &head, &error));
            g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
            g_autofree char *wanted = g_strdup_printf("block %u: not what was written", k + 1);
            g_assert_cmpstr(error->message, ==, wanted);
            --*value;
        }
    }
    state_after(&pair, 6, &other);
    g_auto(CsStateHead) head = {0};
    g_autoptr(GError) error = NULL;
    g_assert_false(read_state(fd, FALSE, &other, &head, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
    close(fd);
}

/* A hurry ends the check of the blocks, even if they are damaged. */
static void
test_hurry(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    g_auto(CsStateHead) head = {0};
    pair_init(&pair, 300, 200, 3);
    state_after(&pair, 5, &state);
    const gint hurry = 1;
    int fd = write_state(&pair, &state, 1, NULL);
    lseek(fd, 0, SEEK_SET);
    g_assert_true(cs_state_file_read_head(fd, "state", &head, NULL));
    g_assert_cmpint(ftruncate(fd, head.bytes + 200), ==, 0);
    g_assert_true(cs_state_file_read_blocks(fd, "state", &head, FALSE, &state, &hurry, NULL));
    close(fd);
}

static int
file_of(const guint8 *bytes, gsize size)
{
    int fd = memfd_create("state", MFD_CLOEXEC);
    g_assert_cmpint(write(fd, bytes, size), ==, (ssize_t)size);
    return fd;
}

static void
expect_damaged(const guint8 *bytes, gsize size, const char *message)
{
    g_auto(CsStateHead) head = {0};
    g_autoptr(GError) error = NULL;
    int fd = file_of(bytes, size);
    g_assert_false(read_state(fd, TRUE, NULL, &head, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
    if (message != NULL && strcmp(error->message, message) != 0)
        g_error("wanted \"%s\", found \"%s\"", message, error->message);
    close(fd);
}

static GByteArray *
bytes_of_state(const Pair *pair, const CsState *state)
{
    CsStateHead head;
    int fd = write_state(pair, state, 1, &head);
    GByteArray *bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, (guint)head.bytes);
    g_assert_cmpint(pread(fd, bytes->data, bytes->len, 0), ==, head.bytes);
    close(fd);
    return bytes;
}

static void
test_damage(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    g_autoptr(GByteArray) bytes = bytes_of_state(&pair, &state);
    for (gsize size = 0; size < bytes->len; size++)
        expect_damaged(bytes->data, size, NULL);
    for (gsize bit = 0; bit < 8 * (gsize)bytes->len; bit++) {
        bytes->data[bit / 8] ^= 1 << bit % 8;
        expect_damaged(bytes->data, bytes->len, NULL);
        bytes->data[bit / 8] ^= 1 << bit % 8;
    }
    expect_damaged(bytes->data, 10, "head: the file ends there");
    expect_damaged(bytes->data, bytes->len - 1, "end: missing");
    expect_damaged(bytes->data, bytes->len - 30, "block 2: the file ends there");
    bytes->data[bytes->len - 30] ^= 1;
    expect_damaged(bytes->data, bytes->len, "block 2: wrong checksum");
    bytes->data[bytes->len - 30] ^= 1;
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    expect_damaged(bytes->data, bytes->len, "end: more data follows");
}

/* The file with this head, right checksums, and the old blocks. */
static GByteArray *
with_head(const GByteArray *bytes, const char *head, guint32 version)
{
    GByteArray *changed = g_byte_array_new();
    guint32 length_before, length = (guint32)strlen(head);
    memcpy(&length_before, bytes->data + 12, 4);
    guint32 version_le = GUINT32_TO_LE(version), length_le = GUINT32_TO_LE(length);
    g_byte_array_append(changed, bytes->data, 8);
    g_byte_array_append(changed, (const guint8 *)&version_le, 4);
    g_byte_array_append(changed, (const guint8 *)&length_le, 4);
    g_byte_array_append(changed, (const guint8 *)head, length);
    guint64 checksum = GUINT64_TO_LE(XXH64(changed->data, changed->len, 0));
    g_byte_array_append(changed, (const guint8 *)&checksum, 8);
    guint before = 16 + GUINT32_FROM_LE(length_before) + 8;
    g_byte_array_append(changed, bytes->data + before, bytes->len - before);
    return changed;
}

static char *
head_of(const GByteArray *bytes)
{
    guint32 length;
    memcpy(&length, bytes->data + 12, 4);
    return g_strndup((const char *)bytes->data + 16, GUINT32_FROM_LE(length));
}

static void
expect_bad_head(const GByteArray *bytes, const char *from, const char *to, const char *message)
{
    g_autofree char *head = head_of(bytes);
    g_autoptr(GString) text = g_string_new(head);
    if (g_string_replace(text, from, to, 1) != 1)
        g_error("no %s in %s", from, head);
    g_autoptr(GByteArray) changed = with_head(bytes, text->str, 1);
    expect_damaged(changed->data, changed->len, message);
}

/* Heads with right checksums that make no sense. */
static void
test_heads(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    g_autoptr(GByteArray) bytes = bytes_of_state(&pair, &state);
    g_autofree char *head = head_of(bytes);
    g_test_message("%s", head);
    static const char *const changes[][3] = {
        {"{\"format\"", "[\"format\"", "head: malformed JSON at byte 10"},
        {"chromosweep-state", "chromosweep", "head: malformed description"},
        {"\"generation\":7", "\"generation\":0", "head: malformed description"},
        {"\"generation\":7", "\"generation\":\"7\"", "head: malformed description"},
        {"\"saved\":\"2", "\"saved\":\"x2", "head: malformed description"},
        {"\"engine\":\"scalar\"", "\"engine\":4", "head: malformed description"},
        {"\"m\":90", "\"m\":91", "head: malformed size of the matrix"},
        {"\"m\":90", "\"m\":-90", "head: malformed size of the matrix"},
        {"\"m\":90", "\"m\":null", "head: malformed state"},
        {"\"length\":90", "\"length\":-1", "head: malformed identity"},
        {"\"length\":90", "\"length\":9e1", "head: malformed identity"},
        {"\"digest\":\"", "\"digest\":\"0", "head: malformed identity"},
        {"\"match\":1", "\"match\":0", "head: malformed scoring"},
        {"\"match\":1", "\"match\":9223372036854775807", "head: malformed scoring"},
        {"\"match\":1", "\"match\":9223372036854775808", NULL},
        {"\"orientation\":\"target\"", "\"orientation\":\"\"", "head: malformed orientation"},
        {"\"orientation\":\"target\"", "\"orientation\":\"query\"",
         "head: malformed size of the matrix"},
        {"\"memo\":\"", "\"memo\":[],\"x\":\"", "head: malformed memo"},
        {"\"row\":80", "\"row\":79", "head: malformed steps"},
        {"\"row\":80", "\"row\":91", "head: malformed row"},
        {"\"row\":80", "\"row\":-1", "head: malformed row"},
        {"\"corner\":0", "\"corner\":-1", "head: malformed row"},
        {"\"corner\":0", "\"corner\":61", "head: malformed row"},
        {"\"steps\":[", "\"steps\":0,\"x\":[", "head: malformed state"},
        {"\"steps\":[[", "\"steps\":[[0,", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[1,1,1],[", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[0,0,50,0],[", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[0,9223372036854775807,50,0],[", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[-1,1,50,0],[", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[0,1,60,0],[", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[0,1,0,0],[", "head: malformed steps"},
        {"\"steps\":[[", "\"steps\":[[0,1,1,-1],[", "head: malformed steps"},
        {"\"i\":", "\"i\":9", "head: malformed best cell"},
        {"\"i\":", "\"i\":-", "head: malformed best cell"},
        {"\"score\":", "\"score\":9", "head: malformed best cell"},
        {"\"score\":", "\"score\":-", "head: malformed best cell"},
        {"\"cells\":", "\"cells\":1", "head: malformed number of cells"},
        {"\"cells_computed\":", "\"cells_computed\":-", "head: malformed number of cells"},
        {"\"seconds\":12.25", "\"seconds\":-1", "head: malformed state"},
        {"\"seconds\":12.25", "\"seconds\":1e999", NULL},
        {"\"threshold\":0", "\"threshold\":61", "head: malformed state"},
        {"\"skipped\":false", "\"skipped\":0", "head: malformed state"},
        {"\"threads\":1", "\"threads\":-1", "head: malformed state"},
        {"\"threads\":1", "\"threads\":1,\"threads\":1", NULL},
    };
    for (guint k = 0; k < G_N_ELEMENTS(changes); k++)
        expect_bad_head(bytes, changes[k][0], changes[k][1], changes[k][2]);
}

static void
expect_head(const GByteArray *bytes, const char *from, const char *to, CsStrand under_way)
{
    g_autofree char *head = head_of(bytes);
    g_autoptr(GString) text = g_string_new(head);
    g_assert_cmpuint(g_string_replace(text, from, to, 1), ==, 1);
    g_autoptr(GByteArray) changed = with_head(bytes, text->str, 1);
    g_auto(CsStateHead) found = {0};
    g_autoptr(GError) error = NULL;
    int fd = file_of(changed->data, changed->len);
    g_assert_true(read_state(fd, TRUE, NULL, &found, &error));
    g_assert_no_error(error);
    g_assert_cmpint(found.state.under_way, ==, under_way);
    close(fd);
}

/* The forecast for progress: it is read as it was written, may be missing, and must make sense. */
static void
test_forecast(void)
{
    static const char *const changes[][2] = {
        {"\"cells_expected\":20000", "\"cells_expected\":0"},
        {"\"cells_expected\":20000", "\"cells_expected\":\"20000\""},
        {"\"forecast\":[", "\"forecast\":[[1,0,1],"},
        {"[100,1,50]", "[-100,1,50]"},
        {"\"forecast\":[[", "\"forecast\":[[0,"},
        {"[100,1,50]", "[100,51,50]"},
        {"[100,1,50]", "[100,-1,50]"},
        {"[100,1,50]", "[100,1,61]"},
        {"[100,1,50]", "[1e2,1,50]"},
        {"\"forecast\":[", "\"forecast\":8,\"x\":["},
    };
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    state.cells_expected = 20000;
    cs_work_forecast_init_all(&state.forecast, 90, 60);
    state.forecast.cells[7] = 100;
    state.forecast.from[7] = 1;
    state.forecast.to[7] = 50;
    g_autoptr(GByteArray) bytes = bytes_of_state(&pair, &state);
    g_auto(CsStateHead) found = {0};
    g_autoptr(GError) error = NULL;
    int fd = file_of(bytes->data, bytes->len);
    g_assert_true(read_state(fd, TRUE, NULL, &found, &error));
    g_assert_no_error(error);
    close(fd);
    expect_same_state(&found.state, &state);
    for (guint k = 0; k < G_N_ELEMENTS(changes); k++)
        expect_bad_head(bytes, changes[k][0], changes[k][1], "head: malformed forecast");
    g_auto(CsState) without = {0};
    state_after(&pair, 2, &without);
    g_autoptr(GByteArray) none = bytes_of_state(&pair, &without);
    expect_head(none, ",\"cells_expected\":null,\"forecast\":null", "", CS_STRAND_PLUS);
}

/* How much of the work is done, by what is wanted after the sweeps; files keep that. */
static void
test_share(void)
{
    static const struct {
        gboolean no_start, best_start, verifies;
        gint64 cells; /* of 100 */
        double traced;
        double proved;
        double share;
    } cases[] = {
        {TRUE, FALSE, FALSE, 50, 0, 0, 0.5},      {TRUE, FALSE, FALSE, 100, 0, 0, 1},
        {FALSE, FALSE, FALSE, 50, 0, 0, 0.425},   {FALSE, FALSE, FALSE, 100, 0, 0, 0.85},
        {FALSE, TRUE, FALSE, 100, 0.5, 0, 0.925}, {FALSE, FALSE, FALSE, 100, 1, 0, 1},
        {FALSE, FALSE, TRUE, 50, 0, 0, 0.2},      {FALSE, FALSE, TRUE, 100, 0, 0, 0.4},
        {FALSE, TRUE, TRUE, 100, 0.5, 0, 0.49},   {FALSE, FALSE, TRUE, 100, 1, 0, 0.58},
        {FALSE, FALSE, TRUE, 100, 1, 1, 1},       {FALSE, FALSE, TRUE, 100, 0.5, 1, 0.49},
        {FALSE, FALSE, TRUE, 100, 1, 0.5, 0.79},
    };
    g_auto(Pair) pair = {0};
    pair_init(&pair, 90, 60, 3);
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        const CsState state = {.cells = cases[k].cells,
                               .cells_computed = cases[k].cells,
                               .no_start = cases[k].no_start,
                               .verifies = cases[k].verifies};
        g_assert_cmpfloat_with_epsilon(cs_state_done(&state, 100, cases[k].traced, cases[k].proved),
                                       cases[k].share, 1e-9);
        g_auto(CsState) kept = {0};
        state_after(&pair, 2, &kept);
        kept.no_start = cases[k].no_start;
        kept.best_start = cases[k].best_start;
        kept.verifies = cases[k].verifies;
        g_autoptr(GByteArray) bytes = bytes_of_state(&pair, &kept);
        g_auto(CsStateHead) found = {0};
        int fd = file_of(bytes->data, bytes->len);
        g_assert_true(read_state(fd, TRUE, NULL, &found, NULL));
        close(fd);
        g_assert_cmpint(found.state.no_start, ==, kept.no_start);
        g_assert_cmpint(found.state.best_start, ==, kept.best_start);
        g_assert_cmpint(found.state.verifies, ==, kept.verifies);
    }
}

/* The strand under way, and what is known of the other. */
static void
test_strands(void)
{
    static const char plus[] = ",\"plus\":{\"score\":9,\"i\":20,\"j\":30}";
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    g_autoptr(GByteArray) old = bytes_of_state(&pair, &state);
    expect_head(old, ",\"under_way\":\"+\",\"plus\":null", "", CS_STRAND_PLUS);
    expect_bad_head(old, "\"under_way\":\"+\"", "\"under_way\":\"-\"", "head: malformed strand");
    expect_bad_head(old, "\"under_way\":\"+\"", "\"under_way\":1", "head: malformed strand");
    expect_bad_head(old, ",\"plus\":null", plus, "head: malformed strand");
    expect_bad_head(old, ",\"strand\":\"+\"", ",\"strand\":\"-\"", "head: malformed strand");
    expect_bad_head(old, ",\"strand\":\"+\"", ",\"strand\":\"x\"", "head: malformed strand");
    expect_bad_head(old, "\"region\":null", "\"region\":[1,89]", "head: malformed region");
    expect_bad_head(old, "\"region\":null", "\"region\":[0,89]", "head: malformed region");
    expect_bad_head(old, "\"region\":null", "\"region\":7", "head: malformed region");
    expect_head(old, "\"region\":null", "\"region\":[11,100]", CS_STRAND_PLUS);

    pair.identity.strand = CS_STRAND_BOTH;
    g_autoptr(GByteArray) first = bytes_of_state(&pair, &state);
    expect_head(first, "1", "1", CS_STRAND_PLUS);
    expect_bad_head(first, "\"under_way\":\"+\"", "\"under_way\":\"-\"",
                    "head: malformed best cell");
    state.under_way = CS_STRAND_MINUS;
    state.plus = (CsBest){9, 20, 30};
    state.cells += 90 * 60;
    g_autoptr(GByteArray) second = bytes_of_state(&pair, &state);
    g_auto(CsStateHead) head = {0};
    int fd = file_of(second->data, second->len);
    g_assert_true(read_state(fd, TRUE, NULL, &head, NULL));
    expect_same_state(&head.state, &state);
    close(fd);
    expect_bad_head(second, plus, ",\"plus\":null", "head: malformed best cell");
    expect_bad_head(second, "\"i\":20", "\"i\":91", "head: malformed best cell");
    expect_bad_head(second, "\"under_way\":\"-\"", "\"under_way\":\"both\"",
                    "head: malformed strand");
    expect_bad_head(second, "\"under_way\":\"-\"", "\"under_way\":\"+\"", "head: malformed strand");
}

/* How each strand was swept. Older heads have only the sum. */
static void
test_work(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    const gint64 computed = state.cells_computed;
    state.work[CS_STRAND_PLUS] = (CsStrandWork){CS_SKIP_BOUNDS, 33, computed, 77, 12.25, 21};
    g_autoptr(GByteArray) one = bytes_of_state(&pair, &state);
    g_auto(CsStateHead) first = {0}, second = {0}, old = {0};
    int fd = file_of(one->data, one->len);
    g_assert_true(read_state(fd, TRUE, NULL, &first, NULL));
    expect_same_state(&first.state, &state);
    close(fd);
    g_autofree char *said =
        g_strdup_printf(",\"strands\":[{\"strand\":\"+\",\"skip\":\"bounds\",\"lower_bound\":33,"
                        "\"cells_computed\":%" G_GINT64_FORMAT
                        ",\"cells_corridor\":77,\"seconds\":12.25,\"floor\":21}]",
                        computed);
    expect_bad_head(one, said, ",\"strands\":null", "head: malformed strands");
    expect_bad_head(one, said, ",\"strands\":[1]", "head: malformed strands");
    expect_bad_head(one, "\"bounds\"", "\"auto\"", "head: malformed strands");
    expect_bad_head(one, "\"lower_bound\":33", "\"lower_bound\":61", "head: malformed strands");
    expect_bad_head(one, "\"cells_corridor\":77", "\"cells_corridor\":-1",
                    "head: malformed strands");
    expect_bad_head(one, "\"cells_corridor\":77", "\"cells_corridor\":99999999",
                    "head: malformed strands");
    expect_bad_head(one, "{\"strand\":\"+\"", "{\"strand\":\"both\"", "head: malformed strands");
    expect_bad_head(one, "12.25,\"floor\"", "-1,\"floor\"", "head: malformed strands");
    expect_bad_head(one, "\"floor\":21", "\"floor\":-1", "head: malformed strands");
    expect_bad_head(one, "\"min_score\":0", "\"min_score\":-1", "head: malformed state");

    pair.identity.strand = CS_STRAND_BOTH;
    state.under_way = CS_STRAND_MINUS;
    state.plus = (CsBest){9, 20, 30};
    state.cells += 90 * 60;
    state.work[CS_STRAND_MINUS] = (CsStrandWork){CS_SKIP_NONE, 0, -1, 5, -1, 0};
    g_autoptr(GByteArray) both = bytes_of_state(&pair, &state);
    fd = file_of(both->data, both->len);
    g_assert_true(read_state(fd, TRUE, NULL, &second, NULL));
    expect_same_state(&second.state, &state);
    close(fd);
    g_autofree char *head = head_of(both);
    g_autoptr(GString) text = g_string_new(head);
    g_string_truncate(text, (gsize)(strstr(head, ",\"strands\":[") - head));
    g_string_append(text, strstr(strstr(head, ",\"strands\":["), "}],") + 2);
    g_autoptr(GByteArray) before = with_head(both, text->str, 1);
    fd = file_of(before->data, before->len);
    g_assert_true(read_state(fd, TRUE, NULL, &old, NULL));
    close(fd);
    g_assert_cmpint(old.state.cells_computed, ==, computed + 77 + 5);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        g_assert_cmpint(old.state.work[strand].skip, ==, CS_SKIP_AUTO);
        g_assert_cmpint(old.state.work[strand].cells_computed, ==, -1);
    }
}

/* A head that announces so many cells that just the list of their blocks would take all memory. */
static void
test_promises(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 1, 1, 3);
    state_after(&pair, 0, &state);
    g_autoptr(GByteArray) bytes = bytes_of_state(&pair, &state);
    g_autofree char *head = head_of(bytes);
    g_autoptr(GString) text = g_string_new(head);
    g_string_replace(text, "\"n\":1", "\"n\":4611686018427387904", 0);
    g_string_replace(text, "\"length\":1,", "\"length\":4611686018427387904,", 0);
    g_string_replace(text, "\"length\":4611686018427387904,", "\"length\":1,", 1);
    g_autoptr(GByteArray) changed = with_head(bytes, text->str, 1);
    expect_damaged(changed->data, changed->len, "head: more blocks than the file can hold");
    for (gint shift = 14; shift < 64; shift++) { /* lengths of the head */
        g_autoptr(GByteArray) copy = g_byte_array_new();
        g_byte_array_append(copy, bytes->data, bytes->len);
        copy->data[12 + shift / 16] ^= 1 << shift % 8;
        expect_damaged(copy->data, copy->len, NULL);
    }
}

static void
test_version(void)
{
    static const guint32 versions[] = {0, 2, 4000000000u};
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    g_autoptr(GByteArray) bytes = bytes_of_state(&pair, &state);
    for (guint k = 0; k < G_N_ELEMENTS(versions); k++) {
        g_autoptr(GByteArray) changed = with_head(bytes, "anything", versions[k]);
        g_auto(CsStateHead) head = {0};
        g_autoptr(GError) error = NULL;
        int fd = file_of(changed->data, changed->len);
        g_assert_false(cs_state_file_read_head(fd, "state", &head, &error) ||
                       error == NULL); /* from the end: nothing to read */
        g_clear_error(&error);
        g_assert_false(read_state(fd, TRUE, NULL, &head, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
        g_autofree char *wanted =
            g_strdup_printf("format version %u; this program reads version 1", versions[k]);
        g_assert_cmpstr(error->message, ==, wanted);
        close(fd);
    }
}

/* Disks that fill up: an error with the text of the failure. */
static void
test_full(void)
{
    g_auto(Pair) pair = {0};
    g_auto(CsState) state = {0};
    pair_init(&pair, 90, 60, 3);
    state_after(&pair, 2, &state);
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        g_test_skip("no /dev/full");
        return;
    }
    g_autoptr(GError) error = NULL;
    g_auto(CsStateHead)
        head = {.record = cs_fingerprint_record_new(&pair.identity), .generation = 1};
    g_assert_false(cs_state_file_write(fd, "the file", &head, &state, 3, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_autofree char *wanted = g_strdup_printf("cannot write the file: %s", g_strerror(ENOSPC));
    g_assert_cmpstr(error->message, ==, wanted);
    close(fd);
}

/* Threads write heads side by side, and reference counts of Jansson's are not for several of
 * them. */
static void
test_shares_nothing(void)
{
    g_auto(Pair) pair = {0};
    pair_init(&pair, 90, 60, 3);
    g_autoptr(CsFingerprintRecord) record = cs_fingerprint_record_new(&pair.identity);
    json_t *head = json_object();
    g_assert_true(cs_fingerprint_record_write(record, head));
    const json_t *identity = json_object_get(head, "identity");
    g_assert_true(json_equal(identity, record->identity));
    g_assert_true(identity != record->identity);
    json_decref(head);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/state-file/round-trips", test_round_trips);
    g_test_add_func("/state-file/threads", test_threads);
    g_test_add_func("/state-file/not-the-same", test_not_the_same);
    g_test_add_func("/state-file/hurry", test_hurry);
    g_test_add_func("/state-file/damage", test_damage);
    g_test_add_func("/state-file/heads", test_heads);
    g_test_add_func("/state-file/forecast", test_forecast);
    g_test_add_func("/state-file/share", test_share);
    g_test_add_func("/state-file/strands", test_strands);
    g_test_add_func("/state-file/work", test_work);
    g_test_add_func("/state-file/promises", test_promises);
    g_test_add_func("/state-file/version", test_version);
    g_test_add_func("/state-file/full", test_full);
    g_test_add_func("/state-file/shares-nothing", test_shares_nothing);
    return g_test_run();
}
