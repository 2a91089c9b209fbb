/* What processes tell each other, through a module that keeps messages instead of MPI. */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>

#include "compare/far_message.h"
#include "limit_memory.h"
#include "ranks/bulk.h"
#include "ranks/dealt.h"
#include "ranks/ranks.h"
#include "ranks/run_message.h"
#include "search/search_message.h"
#include "sequence/sequence_private.h"

static GQueue kept = G_QUEUE_INIT; /* of GBytes */

static void
fake_send(guint to, guint lane, const void *data, gsize bytes)
{
    g_queue_push_tail(&kept, g_bytes_new(data, bytes));
}

static gsize
fake_wait(guint from, guint lane)
{
    return g_bytes_get_size(g_queue_peek_head(&kept));
}

static void
fake_take(guint from, guint lane, gsize bytes, void *data, gsize stored)
{
    g_autoptr(GBytes) message = g_queue_pop_head(&kept);
    g_assert_cmpuint(stored, <=, bytes);
    g_assert_cmpuint(g_bytes_get_size(message), ==, bytes);
    if (stored > 0)
        memcpy(data, g_bytes_get_data(message, NULL), stored);
}

static guint local_rank, local_size = 2;

static void
fake_start(CsRankPlace *place)
{
    *place = (CsRankPlace){.rank = local_rank,
                           .size = local_size,
                           .local_rank = local_rank,
                           .local_size = local_size,
                           .sharers = local_size};
}

static const CsMpiModule fake = {
    CS_MPI_MODULE_VERSION, fake_start, fake_send, NULL, fake_wait, fake_take, NULL};

/* Replaces the next message by its first bytes. */
static void
shorten(gsize bytes)
{
    g_autoptr(GBytes) message = g_queue_pop_head(&kept);
    g_queue_push_head(&kept, g_bytes_new(g_bytes_get_data(message, NULL), bytes));
}

static void
test_values(void)
{
    const gint64 number = 42;
    const guint16 few[3] = {1, 2, 3};
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = g_error_new(CS_ERROR, CS_ERROR_STOPPED, "it stopped");
    g_autoptr(GError) found = NULL;
    gint64 read;
    gsize count;
    CS_MESSAGE_PUT(out, number);
    cs_message_put_array(out, few, 3, sizeof *few);
    cs_message_put_array(out, NULL, 0, 1);
    cs_message_put_array(out, few, 0, 1);
    cs_message_put_text(out, "text");
    cs_message_put_text(out, NULL);
    cs_message_put_error(out, NULL);
    cs_message_put_error(out, error);
    cs_ranks_send(1, out);
    g_auto(CsMessageIn) in = cs_ranks_receive(1);
    CS_MESSAGE_GET(&in, read);
    g_assert_cmpint(read, ==, 42);
    g_autofree guint16 *array = cs_message_get_array(&in, &count, sizeof *few);
    g_assert_cmpmem(array, count * sizeof *few, few, sizeof few);
    g_assert_null(cs_message_get_array(&in, &count, 1));
    g_autofree char *empty = cs_message_get_array(&in, &count, 1);
    g_assert_nonnull(empty);
    g_assert_cmpuint(count, ==, 0);
    g_autofree char *text = cs_message_get_text(&in);
    g_assert_cmpstr(text, ==, "text");
    g_assert_null(cs_message_get_text(&in));
    g_assert_true(cs_message_get_error(&in, &found));
    g_assert_no_error(found);
    g_assert_false(cs_message_get_error(&in, &found));
    g_assert_error(found, CS_ERROR, CS_ERROR_STOPPED);
    g_assert_cmpuint(in.read, ==, in.bytes);
    g_assert_true(cs_message_check(&in, NULL));
}

/* Whatever is missing is zero, and told. */
static void
test_short(void)
{
    const gint64 length = 1000;
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    gsize count = 7;
    gint64 read = 7;
    CS_MESSAGE_PUT(out, length);
    cs_ranks_send(1, out);
    g_auto(CsMessageIn) in = cs_ranks_receive(1);
    g_assert_null(cs_message_get_array(&in, &count, 8));
    g_assert_cmpuint(count, ==, 0);
    CS_MESSAGE_GET(&in, read);
    g_assert_cmpint(read, ==, 0);
    g_assert_false(cs_message_check(&in, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
}

/* A rectangle with all that a member's may have. */
typedef struct {
    guint8 codes[2][3000];
    gint64 row_starts[3], special[2], above[2];
    CsScore row_bounds[2], column_bounds[3], corners[2];
    gint32 highest[6], entries[4];
    CsGainLine lines[2];
    CsBoundsTable bounds;
    CsGainTable gains;
    CsBus *left, *bottom;
    CsGrid grid;
    CsRectangle rectangle;
} Case;

static void
case_init(Case *c)
{
    memset(c, 1, sizeof *c); /* any values */
    for (guint k = 0; k < 2; k++)
        for (guint l = 0; l < 3000; l++)
            c->codes[k][l] = (guint8)g_random_int_range(0, 5);
    memcpy(c->row_starts, (gint64[]){0, 1200, 2000}, sizeof c->row_starts);
    c->grid = (CsGrid){.m = 2000,
                       .n = 3000,
                       .block_width = 1000,
                       .block_columns = 3,
                       .block_rows = 2,
                       .depth = 2,
                       .row_starts = c->row_starts};
    c->bounds = (CsBoundsTable){.layer = 1000, .part = 1000, .rows = 2, .columns = 3};
    c->bounds.highest = c->highest;
    c->gains = (CsGainTable){.m = 2000, .n = 3000, .length = 2, .count = 4};
    c->gains.lines = c->lines;
    c->gains.entries = c->entries;
    c->left = cs_bus_new(2000, CS_WIDTH_32, NULL);
    c->bottom = cs_bus_new(3000, CS_WIDTH_64, NULL);
    for (gint64 k = 0; k < 2000; k++)
        cs_width_set(CS_WIDTH_32, c->left->h, k, k);
    c->rectangle = (CsRectangle){.rows = {c->codes[0], 2000, FALSE, FALSE},
                                 .columns = {c->codes[1], 3000, TRUE, TRUE},
                                 .left = c->left,
                                 .bottom = c->bottom,
                                 .special_rows = c->special,
                                 .n_special_rows = 2,
                                 .row_bounds = c->row_bounds,
                                 .column_bounds = c->column_bounds,
                                 .bounds_table = &c->bounds,
                                 .gain_table = &c->gains,
                                 .rows_above = c->above,
                                 .corners = c->corners,
                                 .above = 5,
                                 .threshold = 77};
}

static void
case_clear(Case *c)
{
    cs_bus_free(c->left);
    cs_bus_free(c->bottom);
}

static void
send_case(const Case *c, const CsRectangle *rectangle)
{
    const CsEngineOptions options = {.threads = 3, .bits = 32, .device = "1"};
    const CsGridShape shape = {.block_height = 1200, .block_width = 1000, .depth = 2};
    g_autoptr(GString) out = g_string_new(NULL);
    cs_run_message_put(out, rectangle, &c->grid, &shape, &options);
    cs_ranks_send(1, out);
    cs_run_message_send(1, rectangle);
}

static gboolean
receive_run(CsRunMessage *run, GError **error)
{
    GError *failure = NULL;
    g_auto(CsMessageIn) in = cs_ranks_receive(1);
    (void)cs_run_message_get(&in, run, &failure);
    cs_run_message_receive(1, run, &failure);
    g_assert_true(g_queue_is_empty(&kept)); /* everything is taken, whatever happens */
    if (failure != NULL)
        g_propagate_error(error, failure);
    return failure == NULL;
}

static void
expect_view(const CsView *found, const CsView *sent)
{
    g_assert_cmpint(found->length, ==, sent->length);
    g_autofree guint8 *one = g_malloc((gsize)sent->length), *other = g_malloc((gsize)sent->length);
    cs_view_read(found, CS_COLUMN_AMBIGUOUS, one);
    cs_view_read(sent, CS_COLUMN_AMBIGUOUS, other);
    g_assert_cmpmem(one, (gsize)found->length, other, (gsize)sent->length);
}

static void
test_run(void)
{
    Case c;
    CsRunMessage run = {0};
    g_autoptr(GError) error = NULL;
    case_init(&c);
    send_case(&c, &c.rectangle);
    receive_run(&run, &error);
    g_assert_no_error(error);
    const CsRectangle *found = &run.rectangle;
    expect_view(&found->rows, &c.rectangle.rows);
    expect_view(&found->columns, &c.rectangle.columns);
    g_assert_cmpmem(run.grid->row_starts, 24, c.row_starts, 24);
    g_assert_cmpmem(found->special_rows, found->n_special_rows * 8, c.special, 16);
    g_assert_cmpmem(found->row_bounds, 16, c.row_bounds, 16);
    g_assert_cmpmem(found->column_bounds, 24, c.column_bounds, 24);
    g_assert_cmpmem(found->rows_above, 16, c.above, 16);
    g_assert_cmpmem(found->corners, 16, c.corners, 16);
    g_assert_cmpmem(found->bounds_table->highest, sizeof c.highest, c.highest, sizeof c.highest);
    g_assert_cmpmem(found->gain_table->lines, sizeof c.lines, c.lines, sizeof c.lines);
    g_assert_cmpmem(found->gain_table->entries, sizeof c.entries, c.entries, sizeof c.entries);
    g_assert_cmpmem(found->left->h, 8000, c.left->h, 8000);
    g_assert_cmpint(found->bottom->length, ==, 3000);
    g_assert_cmpint(found->bottom->width, ==, CS_WIDTH_64);
    g_assert_null(found->right);
    g_assert_cmpint(found->above, ==, 5);
    g_assert_cmpint(found->threshold, ==, 77);
    g_assert_cmpuint(run.options.threads, ==, 3);
    g_assert_cmpstr(run.options.device, ==, "1");
    cs_run_message_clear(&run);
    case_clear(&c);
}

/* Without what is optional, and with an empty table, which is still one. */
static void
test_run_bare(void)
{
    Case c;
    CsRunMessage run = {0};
    g_autoptr(GError) error = NULL;
    case_init(&c);
    c.gains.count = 0;
    const CsRectangle bare = {
        .rows = c.rectangle.rows, .columns = c.rectangle.columns, .gain_table = &c.gains};
    send_case(&c, &bare);
    receive_run(&run, &error);
    g_assert_no_error(error);
    g_assert_nonnull(run.rectangle.gain_table->entries);
    g_assert_null(run.rectangle.bounds_table);
    g_assert_null(run.rectangle.row_bounds);
    g_assert_null(run.rectangle.left);
    g_assert_null(run.rectangle.bottom);
    cs_run_message_clear(&run);
    case_clear(&c);
}

/* Wherever a message is cut, there is an error, and nothing is left to be taken. */
static void
test_run_cut(void)
{
    Case c;
    case_init(&c);
    for (gsize bytes = 0; bytes < 1200; bytes += 7) {
        CsRunMessage run = {0};
        g_autoptr(GError) error = NULL;
        send_case(&c, &c.rectangle);
        shorten(MIN(bytes, g_bytes_get_size(g_queue_peek_head(&kept)) - 1));
        g_assert_false(receive_run(&run, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
        cs_run_message_clear(&run);
    }
    case_clear(&c);
}

/* Where there is no memory for anything, it is the same. */
static void
test_memory(void)
{
#ifdef SANITIZED
    g_test_skip("a sanitizer needs more address space");
#else
    Case c;
    CsRunMessage run = {0};
    g_autoptr(GError) error = NULL;
    if (!in_own_process())
        return;
    case_init(&c);
    send_case(&c, &c.rectangle);
    limit_memory(1 << 20);
    g_assert_false(receive_run(&run, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "not enough memory"));
    cs_run_message_clear(&run);
    case_clear(&c);
#endif
}

static void
test_bus(void)
{
    g_autoptr(CsBus) bus = cs_bus_new(100, CS_WIDTH_64, NULL);
    g_autoptr(CsBus) same = cs_bus_new(100, CS_WIDTH_64, NULL);
    g_autoptr(CsBus) other = cs_bus_new(99, CS_WIDTH_64, NULL);
    GError *failure = NULL;
    memset(bus->h, 3, 800);
    cs_bulk_send_bus(1, bus);
    cs_bulk_receive_into(1, same, &failure);
    g_assert_no_error(failure);
    g_assert_cmpmem(same->h, 800, bus->h, 800);
    cs_bulk_send_bus(1, NULL);
    g_assert_null(cs_bulk_receive_bus(1, &failure));
    g_assert_no_error(failure);
    cs_bulk_send_bus(1, bus);
    cs_bulk_receive_into(1, other, &failure);
    g_assert_error(failure, CS_ERROR, CS_ERROR_DEVICE);
    g_clear_error(&failure);
    cs_bulk_send_bus(1, bus);
    cs_bulk_receive_into(1, NULL, &failure);
    g_assert_error(failure, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_true(g_queue_is_empty(&kept));
    g_clear_error(&failure);
}

/* What a comparison on another process's device needs. */
static void
test_far(void)
{
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT, read;
    CsCompareResult result = {.score = 7, .engine = "simd", .strands = {{.below = 9}}}, found;
    g_autoptr(CsSequence) sequence = cs_sequence_new("name", "ACGTN", 5, NULL);
    g_autoptr(CsSequence) other = cs_sequence_new("name", "ACGTA", 5, NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    char *texts[4], keys[2][CS_FAR_KEY];
    GError *failure = NULL;
    options.device = "process:1:cpu";
    options.min_score = 44;
    cs_far_key(sequence, keys[0]);
    cs_far_key(other, keys[1]);
    g_assert_cmpstr(keys[0], !=, keys[1]);
    cs_far_put_options(out, &options);
    cs_far_put_result(out, &result);
    cs_far_put_sequence(out, sequence);
    cs_ranks_send(1, out);
    cs_bulk_send(1, sequence->codes, 5);
    g_auto(CsMessageIn) in = cs_ranks_receive(1);
    cs_far_get_options(&in, &read, texts);
    cs_far_get_result(&in, &found);
    g_autoptr(CsSequence) copy = cs_far_receive_sequence(1, &in, &failure);
    g_assert_no_error(failure);
    g_assert_true(cs_message_check(&in, NULL));
    g_assert_cmpstr(read.device, ==, "process:1:cpu");
    g_assert_null(read.engine);
    g_assert_null(read.checkpoint);
    g_assert_cmpint(read.min_score, ==, 44);
    g_assert_cmpint(read.scoring.match, ==, options.scoring.match);
    g_assert_cmpint(found.score, ==, 7);
    g_assert_cmpint(found.strands[0].below, ==, 9);
    g_assert_cmpstr(found.engine, ==, "simd");
    g_assert_null(found.device);
    cs_far_key(copy, keys[1]);
    g_assert_cmpstr(keys[0], ==, keys[1]);
    g_assert_cmpint(copy->ambiguous, ==, 1);
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
        g_free(texts[k]);
}

/* Records for a search. */
static CsRecordChunk *
make_chunk(void)
{
    CsRecordChunkParts parts = {.records = g_new(CsStreamRecord, 2),
                                .names = g_memdup2("one\0two", 8),
                                .letters = g_memdup2("\1\2\3\0\4", 5),
                                .names_size = 8,
                                .letters_size = 5};
    parts.records[0] = (CsStreamRecord){0, 0, 3};
    parts.records[1] = (CsStreamRecord){4, 3, 2};
    return cs_record_chunk_new(&parts, 100, 2);
}

static void
test_chunk(void)
{
    g_autoptr(CsRecordChunk) chunk = make_chunk();
    GError *failure = NULL;
    g_assert_cmpuint(cs_record_chunk_names_size(chunk), ==, 8);
    cs_search_message_send_chunk(1, chunk);
    g_autoptr(CsRecordChunk) found = cs_search_message_receive_chunk(1, &failure);
    g_assert_no_error(failure);
    g_assert_cmpint(found->first, ==, 100);
    g_assert_cmpuint(found->count, ==, 2);
    g_assert_cmpstr(found->names + found->records[1].name, ==, "two");
    g_assert_cmpmem(found->letters, found->letters_count, chunk->letters, chunk->letters_count);
    for (gsize bytes = 0; bytes < 32; bytes += 5) { /* its head */
        cs_search_message_send_chunk(1, chunk);
        shorten(bytes);
        g_assert_null(cs_search_message_receive_chunk(1, &failure));
        g_assert_error(failure, CS_ERROR, CS_ERROR_DEVICE);
        g_clear_error(&failure);
        g_assert_true(g_queue_is_empty(&kept));
    }
}

/* Only entries of the chunk go to the other list, and only if they are among its best. */
static void
test_entries(void)
{
    g_autoptr(CsRecordChunk) chunk = make_chunk();
    CsQueries queries[2] = {{.strand = CS_STRAND_PLUS, .chunk = make_chunk()},
                            {.strand = CS_STRAND_PLUS, .chunk = make_chunk()}};
    for (guint k = 0; k < 2; k++)
        g_assert_true(cs_queries_take_chunk(&queries[k], 3, 1, NULL));
    for (gint64 number = 99; number < 103; number++) {
        const CsBestEntry entry = {.score = number,
                                   .number = number,
                                   .name = "name",
                                   .cigar = number == 101 ? "5=" : NULL};
        cs_best_list_add(&queries[0].queries[1].best, &entry);
    }
    g_autoptr(GString) out = g_string_new(NULL);
    cs_search_message_put_entries(out, &queries[0], chunk);
    cs_ranks_send(1, out);
    g_auto(CsMessageIn) in = cs_ranks_receive(1);
    g_assert_true(cs_search_message_get_entries(&in, &queries[1], NULL));
    g_assert_cmpuint(queries[1].queries[0].best.entries->len, ==, 0);
    CsBestList *best = &queries[1].queries[1].best;
    cs_best_list_trim(best);
    g_assert_cmpuint(best->entries->len, ==, 2);
    const CsBestEntry *first = &g_array_index(best->entries, CsBestEntry, 0);
    g_assert_cmpint(first->number, ==, 101);
    g_assert_cmpstr(first->cigar, ==, "5=");
    g_assert_cmpint(first[1].number, ==, 100);
    g_assert_null(first[1].cigar);
    in.read = 0;
    in.bytes--;
    g_assert_false(cs_search_message_get_entries(&in, &queries[1], NULL));
    for (guint k = 0; k < 2; k++)
        cs_queries_clear(&queries[k]);
}

/* A list hears what three entries of another are before: nothing less, and nothing more. */
static void
test_limits(void)
{
    CsQueries queries[2] = {{.strand = CS_STRAND_PLUS, .chunk = make_chunk()},
                            {.strand = CS_STRAND_PLUS, .chunk = make_chunk()}};
    for (guint k = 0; k < 2; k++)
        g_assert_true(cs_queries_take_chunk(&queries[k], 3, 1, NULL));
    for (gint64 number = 10; number < 13; number++) {
        const CsBestEntry entry = {.score = 50, .number = number, .name = "name"};
        cs_best_list_add(&queries[0].queries[1].best, &entry);
    }
    CsBestList *others[] = {&queries[1].queries[0].best, &queries[1].queries[1].best};
    for (guint round = 0; round < 2; round++) {
        g_autoptr(GString) out = g_string_new(NULL);
        cs_search_message_put_limits(out, &queries[0]);
        cs_ranks_send(1, out);
        g_auto(CsMessageIn) in = cs_ranks_receive(1);
        cs_search_message_get_limits(&in, &queries[1]);
        g_assert_true(cs_message_check(&in, NULL));
        g_assert_true(cs_best_list_wants(others[0], 1, 99)); /* that list is not full */
        g_assert_true(cs_best_list_wants(others[1], 50, 11));
        g_assert_true(cs_best_list_wants(others[1], 51, 99));
        g_assert_cmpint(cs_best_list_wants(others[1], 50, 12), ==, round == 0);
        g_assert_cmpint(cs_best_list_wants(others[1], 49, 0), ==, round == 0);
        cs_best_list_trim(&queries[0].queries[1].best); /* now it is known to be full */
    }
    for (gint64 number = 20; number < 23; number++) { /* worse ones of its own change nothing */
        const CsBestEntry entry = {.score = 40, .number = number, .name = "name"};
        cs_best_list_add(others[1], &entry);
    }
    cs_best_list_trim(others[1]);
    g_assert_false(cs_best_list_wants(others[1], 50, 12));
    for (guint k = 0; k < 2; k++)
        cs_queries_clear(&queries[k]);
}

/* Members that the process chooses. */
static void
deal(CsDeviceChoice *choice, const char *device)
{
    g_autoptr(GError) error = NULL;
    CsDealtAsk ask = {.device = device, .threads = 1};
    cs_ranks_join(&fake);
    cs_device_choice_init(choice, device, NULL, &error);
    g_assert_no_error(error);
    cs_dealt_choose(choice, &ask, &error);
    g_assert_no_error(error);
}

/* Every GPU of the machine is taken, by one process unless there are more processes than GPUs. */
static void
test_dealt(void)
{
    CsDeviceChoice choice;
    g_autoptr(CsDeviceList) list = cs_device_list_new("gpu", NULL);
    guint usable = 0;
    for (guint k = 0; list != NULL && k < list->count; k++)
        usable += list->devices[k].fault == NULL;
    if (usable == 0) {
        g_test_skip("no GPU");
        return;
    }
    for (local_size = 1; local_size < 6; local_size++) {
        g_autofree guint *taken = g_new0(guint, list->count);
        guint all = 0;
        for (local_rank = 0; local_rank < local_size; local_rank++) {
            deal(&choice, "gpu");
            g_assert_cmpuint(choice.n_members, >, 0);
            for (guint k = 0; k < choice.n_members; k++) {
                taken[g_ascii_strtoull(choice.members[k].device, NULL, 10)]++;
                g_assert_cmpuint(choice.members[k].speed, >, 0);
            }
            all += choice.n_members;
        }
        g_assert_cmpuint(all, ==, MAX(usable, local_size));
        for (guint k = 0; k < list->count; k++)
            g_assert_cmpuint(taken[k] > 0, ==, list->devices[k].fault == NULL);
    }
    local_rank = 1;
    deal(&choice, "gpu:0,cpu"); /* whatever the process is */
    g_assert_cmpuint(choice.n_members, ==, 2);
    deal(&choice, "gpu:0");
    g_assert_cmpuint(choice.n_members, ==, 1);
    g_assert_cmpstr(choice.members[0].device, ==, "0");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cs_ranks_join(&fake);
    g_test_add_func("/ranks/values", test_values);
    g_test_add_func("/ranks/short", test_short);
    g_test_add_func("/ranks/run", test_run);
    g_test_add_func("/ranks/run-bare", test_run_bare);
    g_test_add_func("/ranks/run-cut", test_run_cut);
    g_test_add_func("/ranks/bus", test_bus);
    g_test_add_func("/ranks/memory", test_memory);
    g_test_add_func("/ranks/far", test_far);
    g_test_add_func("/ranks/chunk", test_chunk);
    g_test_add_func("/ranks/entries", test_entries);
    g_test_add_func("/ranks/limits", test_limits);
    g_test_add_func("/ranks/dealt", test_dealt);
    return g_test_run();
}
