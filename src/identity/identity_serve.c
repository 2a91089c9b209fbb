/* The side of the other ranks in a run by several processes: see identity_ranks.h. */
#include <pthread.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "identity/identity_ranks.h"
#include "identity/tile_devices.h"
#include "ranks/ranks.h"
#include "search/search_message.h"
#include "system/parallel.h"

enum {
    PAUSE_US = 1000,
    TILES_OF_THREAD = 2, /* that a rank has */
};

typedef struct {
    CsTileRecord record;
    CsPackedPairs packed;
} Done;

/* Of a part. */
typedef struct {
    gint64 tile, done;
    guint8 *bytes;
    gsize size;
} Part;

static void
part_clear(Part *part)
{
    g_free(part->bytes);
}

typedef struct {
    CsIdentityInputs inputs;
    CsIdentityTiles tiles;
    CsRecordWords words;
    CsTileWork work;
    CsPartKeeper keeper;
    CsTileDevices devices;
    guint threads;
    gint stop;
    gboolean waits; /* for an answer */
    pthread_mutex_t mutex;
    /* Protected by the mutex. */
    GArray *wanted; /* numbers of tiles to compute, the next one last */
    GArray *done;   /* Done, to send */
    GArray *parts;  /* Part, likewise */
    GArray *come;   /* Part, of tiles that are wanted */
    guint under_way;
    gboolean failed; /* not enough memory */
    GError *device_error;
    gboolean over;
} Served;

static void
served_clear(Served *served)
{
    for (guint k = 0; k < served->done->len; k++)
        cs_packed_pairs_clear(&g_array_index(served->done, Done, k).packed);
    g_array_unref(served->done);
    g_array_unref(served->parts);
    g_array_unref(served->come);
    g_array_unref(served->wanted);
    g_clear_error(&served->device_error);
    cs_tile_devices_clear(&served->devices);
    cs_record_words_clear(&served->words);
    cs_identity_tiles_clear(&served->tiles);
    cs_identity_inputs_clear(&served->inputs);
    g_clear_pointer(&served->work.team, cs_global_team_free);
    pthread_mutex_destroy(&served->mutex);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Served, served_clear)

/* Takes all chunks, whatever fails. */
static gboolean
receive_sides(Served *served, GError **error)
{
    gboolean good = TRUE;
    for (guint k = 0; k < (served->inputs.one_file ? 1 : 2); k++) {
        CsRecordChunk *chunk = cs_search_message_receive_chunk(0, good ? error : NULL);
        if (good)
            good = chunk != NULL &&
                   cs_identity_side_take(&served->inputs.sides[k], g_steal_pointer(&chunk), error);
        g_clear_pointer(&chunk, cs_record_chunk_free);
    }
    return good;
}

/* A function of CsPartKeeper. */
static guint8 *
load_part(gint64 tile, gsize *size, gpointer data)
{
    Served *served = data;
    guint8 *bytes = NULL;
    pthread_mutex_lock(&served->mutex);
    for (guint k = served->come->len; k > 0 && bytes == NULL; k--) {
        Part *part = &g_array_index(served->come, Part, k - 1);
        if (part->tile != tile)
            continue;
        bytes = g_steal_pointer(&part->bytes);
        *size = part->size;
        g_array_remove_index_fast(served->come, k - 1);
    }
    pthread_mutex_unlock(&served->mutex);
    return bytes;
}

/* Likewise. */
static void
save_part(gint64 tile, gint64 done, guint8 *bytes, gsize size, gpointer data)
{
    Served *served = data;
    const Part part = {tile, done, bytes, size};
    pthread_mutex_lock(&served->mutex);
    for (guint k = served->parts->len; k > 0; k--) /* an older one is of no use */
        if (g_array_index(served->parts, Part, k - 1).tile == tile)
            g_array_remove_index(served->parts, k - 1);
    g_array_append_val(served->parts, part);
    pthread_mutex_unlock(&served->mutex);
}

static gboolean
begin(Served *served, CsMessageIn *message, GError **error)
{
    CsTileWork *work = &served->work;
    CsIdentityFilter filter;
    gboolean filtered, one_file, keeps;
    gint64 shape;
    CS_MESSAGE_GET(message, served->threads);
    g_autofree char *device = cs_message_get_text(message);
    CS_MESSAGE_GET(message, work->over);
    CS_MESSAGE_GET(message, work->least);
    CS_MESSAGE_GET(message, work->align);
    CS_MESSAGE_GET(message, shape);
    CS_MESSAGE_GET(message, filtered);
    if (filtered)
        CS_MESSAGE_GET(message, filter);
    CS_MESSAGE_GET(message, keeps);
    if (keeps) {
        CS_MESSAGE_GET(message, served->keeper.interval);
        CS_MESSAGE_GET(message, served->keeper.cells);
    }
    CS_MESSAGE_GET(message, one_file);
    CS_MESSAGE_GET(message, served->inputs.alphabet);
    CS_MESSAGE_GET(message, served->inputs.scoring.pairs);
    cs_identity_inputs_arrange(&served->inputs, one_file);
    served->threads = MAX(MIN(served->threads, cs_threads_granted()), 1);
    if (!receive_sides(served, error) || !cs_message_check(message, error) ||
        !cs_tile_devices_init(&served->devices, g_intern_string(device), error) ||
        !cs_identity_tiles_init(&served->tiles, &served->inputs, shape, work->align, error))
        return FALSE;
    work->inputs = &served->inputs;
    work->tiles = &served->tiles;
    work->kernels = cs_global_kernels(error);
    work->team = cs_global_team_new();
    work->parts = keeps ? &served->keeper : NULL;
    work->stop = &served->stop;
    work->words = filtered ? &served->words : NULL;
    cs_tile_devices_settle(&served->devices, work, served->threads);
    if (work->kernels == NULL || !cs_tile_devices_open(&served->devices, work, error))
        return FALSE;
    if (!filtered ||
        cs_record_words_init(&served->words, &filter, &served->inputs, served->threads, NULL))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for the words of the sequences");
    return FALSE;
}

static void
answer_begin(const Served *served, const GError *failure)
{
    g_autoptr(GString) message = g_string_new(NULL);
    cs_message_put_error(message, failure);
    CS_MESSAGE_PUT(message, served->threads);
    cs_ranks_send(0, message);
}

/* The oldest tile that is wanted, or of the block of `near` unless that is -1. With the mutex. */
static gint64
take_wanted(Served *served, gint64 near)
{
    const gint64 block = near >= 0 ? cs_identity_tiles_block(&served->tiles, near) : -1;
    guint chosen = served->wanted->len - 1;
    for (guint k = chosen + 1; near >= 0 && k > 0; k--)
        if (cs_identity_tiles_block(&served->tiles, g_array_index(served->wanted, gint64, k - 1)) ==
            block) {
            chosen = k - 1;
            break;
        }
    const gint64 tile = g_array_index(served->wanted, gint64, chosen);
    g_array_remove_index(served->wanted, chosen);
    return tile;
}

/* A CsParallelFunc: computes tiles until the end, and long pairs of other threads while there are none.
 * With GPUs alone, only their threads take tiles. */
static void
compute(gint64 task, gpointer data)
{
    Served *served = data;
    CsDeviceGlobal *device = cs_tile_devices_get(&served->devices, task);
    const gboolean takes = task < cs_tile_devices_threads(&served->devices, served->threads);
    gint64 near = -1;
    pthread_mutex_lock(&served->mutex);
    while (!served->over) {
        if (!takes || served->wanted->len == 0) {
            pthread_mutex_unlock(&served->mutex);
            cs_global_team_help(served->work.team, PAUSE_US);
            pthread_mutex_lock(&served->mutex);
            continue;
        }
        near = take_wanted(served, device != NULL ? near : -1);
        Done done = {{.tile = near}, {.bytes = NULL}};
        served->under_way++;
        pthread_mutex_unlock(&served->mutex);
        const CsIdentityTile tile = cs_identity_tiles_get(&served->tiles, done.record.tile);
        GError *failure = NULL;
        const gboolean good =
            cs_tile_compute(&served->work, device, &tile, &done.record, &done.packed, &failure);
        pthread_mutex_lock(&served->mutex);
        served->under_way--;
        if (good)
            g_array_append_val(served->done, done);
        else
            cs_packed_pairs_clear(&done.packed);
        served->failed |= !good && !g_atomic_int_get(&served->stop);
        if (served->device_error == NULL)
            served->device_error = g_steal_pointer(&failure);
        g_clear_error(&failure);
    }
    pthread_mutex_unlock(&served->mutex);
}

/* A CsThreadFunc. */
static void
lead(gpointer data)
{
    Served *served = data;
    const guint threads =
        MAX(cs_tile_devices_threads(&served->devices, served->threads), served->threads);
    cs_parallel_run(threads, threads, NULL, compute, served);
}

/* With the mutex. */
static void
put_parts(Served *served, GString *message)
{
    const guint count = served->parts->len;
    CS_MESSAGE_PUT(message, count);
    for (guint k = 0; k < count; k++) {
        const Part *part = &g_array_index(served->parts, Part, k);
        CS_MESSAGE_PUT(message, part->tile);
        CS_MESSAGE_PUT(message, part->done);
        cs_message_put_array(message, part->bytes, part->size, 1);
    }
    g_array_set_size(served->parts, 0);
}

/* Sends parts first, since a tile that is done has no use for its part. With the mutex. */
static GString *
make_message(Served *served)
{
    const CsIdentityWord word = CS_IDENTITY_DONE;
    const guint there = served->wanted->len + served->under_way, count = served->done->len;
    const guint most = TILES_OF_THREAD * served->threads, wanted = most - MIN(there, most);
    g_autoptr(GError) failure = NULL;
    GString *message = g_string_new(NULL);
    if (served->device_error != NULL)
        failure = g_steal_pointer(&served->device_error);
    else if (served->failed)
        g_set_error(&failure, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory to compare sequences of up to %" G_GINT64_FORMAT " letters",
                    MAX(served->inputs.rows->longest, served->inputs.columns->longest));
    CS_MESSAGE_PUT(message, word);
    put_parts(served, message);
    cs_message_put_error(message, failure);
    CS_MESSAGE_PUT(message, count);
    for (guint k = 0; k < count; k++) {
        Done *done = &g_array_index(served->done, Done, k);
        CS_MESSAGE_PUT(message, done->record);
        cs_message_put_array(message, done->packed.bytes, done->packed.size, 1);
        cs_packed_pairs_clear(&done->packed);
    }
    g_array_set_size(served->done, 0);
    CS_MESSAGE_PUT(message, wanted);
    return message;
}

static void
hear(Served *served)
{
    g_auto(CsMessageIn) message = cs_ranks_receive(0);
    CsIdentityWord word;
    gsize count = 0;
    CS_MESSAGE_GET(&message, word);
    g_autofree gint64 *tiles = NULL;
    if (word == CS_IDENTITY_TILES)
        tiles = cs_message_get_array(&message, &count, sizeof(gint64));
    pthread_mutex_lock(&served->mutex);
    for (gsize k = 0; k < count; k++) {
        Part part = {.tile = tiles[k]};
        part.bytes = cs_message_get_array(&message, &part.size, 1);
        if (part.size > 0)
            g_array_append_val(served->come, part);
        else
            part_clear(&part);
    }
    for (gsize k = count; k > 0; k--) /* the lowest last */
        g_array_prepend_val(served->wanted, tiles[count - k]);
    served->waits = FALSE;
    if (word != CS_IDENTITY_TILES) {
        g_atomic_int_set(&served->stop, 1);
        served->over = TRUE;
    }
    pthread_mutex_unlock(&served->mutex);
}

/* Does what is to be done, or waits for a moment. */
static void
go_on(Served *served)
{
    if (cs_ranks_has_come(0)) {
        hear(served);
        return;
    }
    g_autoptr(GString) message = NULL;
    pthread_mutex_lock(&served->mutex);
    if (!served->waits && (served->done->len > 0 || served->parts->len > 0 || served->failed ||
                           served->wanted->len < served->threads)) {
        message = make_message(served);
        served->waits = TRUE;
    }
    pthread_mutex_unlock(&served->mutex);
    if (message != NULL)
        cs_ranks_send(0, message);
    g_usleep(PAUSE_US);
}

static void
send_ended(Served *served)
{
    const CsIdentityWord word = CS_IDENTITY_ENDED;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    put_parts(served, message);
    cs_ranks_send(0, message);
}

void
cs_identity_serve(CsMessageIn *message)
{
    g_auto(Served) served = {.wanted = g_array_new(FALSE, FALSE, sizeof(gint64)),
                             .done = g_array_new(FALSE, FALSE, sizeof(Done)),
                             .parts = g_array_new(FALSE, FALSE, sizeof(Part)),
                             .come = g_array_new(FALSE, FALSE, sizeof(Part))};
    g_array_set_clear_func(served.parts, (GDestroyNotify)part_clear);
    g_array_set_clear_func(served.come, (GDestroyNotify)part_clear);
    served.keeper = (CsPartKeeper){.load = load_part, .save = save_part, .data = &served};
    g_autoptr(GError) failure = NULL;
    pthread_mutex_init(&served.mutex, NULL);
    CsThread *thread = NULL;
    if (begin(&served, message, &failure))
        thread = cs_thread_new("identity", lead, &served, &failure);
    answer_begin(&served, failure);
    served.waits = failure != NULL; /* rank 0 will end the run */
    while (!served.stop)
        go_on(&served);
    if (thread != NULL)
        cs_thread_join(thread);
    send_ended(&served);
}
