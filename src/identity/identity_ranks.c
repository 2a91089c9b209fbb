/* The side of rank 0 in a run by several processes: see identity_ranks.h. */
#include <chromosweep/error.h>

#include "identity/identity_ranks.h"
#include "ranks/ranks.h"
#include "search/search_message.h"

struct _CsIdentityRanks {
    CsTileQueue *queue;
    guint size, threads;
    /* By their rank; that of 0 is not used. */
    gboolean *ended;
    gint64 *near; /* the tile that a rank got last, or -1 */
};

static void
begin_on(guint rank, const CsTileWork *work, guint threads, const char *device)
{
    const CsRanksRequest request = CS_RANKS_IDENTITY;
    const CsIdentityInputs *inputs = work->inputs;
    const gboolean filtered = work->words != NULL, keeps = work->parts != NULL;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, request);
    CS_MESSAGE_PUT(message, threads);
    cs_message_put_text(message, device);
    CS_MESSAGE_PUT(message, work->over);
    CS_MESSAGE_PUT(message, work->least);
    CS_MESSAGE_PUT(message, work->align);
    CS_MESSAGE_PUT(message, work->tiles->shape);
    CS_MESSAGE_PUT(message, filtered);
    if (filtered)
        CS_MESSAGE_PUT(message, work->words->filter);
    CS_MESSAGE_PUT(message, keeps);
    if (keeps) {
        CS_MESSAGE_PUT(message, work->parts->interval);
        CS_MESSAGE_PUT(message, work->parts->cells);
    }
    CS_MESSAGE_PUT(message, inputs->one_file);
    CS_MESSAGE_PUT(message, inputs->alphabet);
    CS_MESSAGE_PUT(message, inputs->scoring.pairs);
    cs_ranks_send(rank, message);
    for (guint k = 0; k < (inputs->one_file ? 1 : 2); k++)
        cs_search_message_send_chunk(rank, inputs->sides[k].chunk);
}

CsIdentityRanks *
cs_identity_ranks_new(const CsTileWork *work, CsTileQueue *queue, guint threads, const char *device,
                      GError **error)
{
    g_autoptr(CsIdentityRanks) ranks = g_new0(CsIdentityRanks, 1);
    ranks->queue = queue;
    ranks->size = cs_ranks_place()->size;
    ranks->ended = g_new0(gboolean, ranks->size);
    ranks->near = g_new(gint64, ranks->size);
    for (guint rank = 0; rank < ranks->size; rank++)
        ranks->near[rank] = -1;
    for (guint rank = 1; rank < ranks->size; rank++)
        begin_on(rank, work, threads, device);
    return cs_ranks_hear_begun(&ranks->threads, error) ? g_steal_pointer(&ranks) : NULL;
}

guint
cs_identity_ranks_threads(const CsIdentityRanks *ranks)
{
    return ranks->threads;
}

static gboolean
take_tile(CsIdentityRanks *ranks, CsMessageIn *message)
{
    g_auto(CsPackedPairs) packed = {.bytes = NULL};
    CsTileRecord record;
    CS_MESSAGE_GET(message, record);
    packed.bytes = cs_message_get_array(message, &packed.size, 1);
    if (!cs_message_check(message, NULL) || packed.size != (gsize)record.size)
        return FALSE;
    cs_tile_queue_finish(ranks->queue, &record, &packed);
    return TRUE;
}

static void
take_parts(CsIdentityRanks *ranks, CsMessageIn *message)
{
    guint count = 0;
    CS_MESSAGE_GET(message, count);
    for (; count > 0 && cs_message_check(message, NULL); count--) {
        gint64 tile, done;
        gsize size;
        CS_MESSAGE_GET(message, tile);
        CS_MESSAGE_GET(message, done);
        guint8 *bytes = cs_message_get_array(message, &size, 1);
        if (bytes != NULL)
            cs_tile_queue_save_part(ranks->queue, tile, done, bytes, size);
    }
}

static void
answer(CsIdentityRanks *ranks, guint rank, guint wanted)
{
    const CsIdentityWord word = CS_IDENTITY_TILES;
    g_autoptr(GArray) tiles = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GString) message = g_string_new(NULL);
    for (gint64 tile = 0; wanted > 0 && tile >= 0; wanted--) {
        tile = cs_tile_queue_try(ranks->queue, ranks->near[rank]);
        if (tile < 0)
            break;
        ranks->near[rank] = tile;
        g_array_append_val(tiles, tile);
    }
    CS_MESSAGE_PUT(message, word);
    cs_message_put_array(message, tiles->data, tiles->len, sizeof(gint64));
    for (guint k = 0; k < tiles->len; k++) {
        gsize size;
        g_autofree guint8 *part =
            cs_tile_queue_load_part(ranks->queue, g_array_index(tiles, gint64, k), &size);
        cs_message_put_array(message, part, part != NULL ? size : 0, 1);
    }
    cs_ranks_send(rank, message);
}

/* Takes a message of another rank. */
static gboolean
hear(CsIdentityRanks *ranks, guint rank, gboolean answers, GError **error)
{
    g_auto(CsMessageIn) message = cs_ranks_receive(rank);
    CsIdentityWord word;
    guint count = 0, wanted = 0;
    CS_MESSAGE_GET(&message, word);
    if (word == CS_IDENTITY_ENDED)
        ranks->ended[rank] = TRUE;
    take_parts(ranks, &message);
    if (word != CS_IDENTITY_DONE)
        return cs_message_check(&message, error);
    if (!cs_message_get_error(&message, error)) {
        g_prefix_error(error, "process %u: ", rank);
        return FALSE;
    }
    CS_MESSAGE_GET(&message, count);
    while (count > 0 && take_tile(ranks, &message))
        count--;
    CS_MESSAGE_GET(&message, wanted);
    if (!cs_message_check(&message, error))
        return FALSE;
    if (answers)
        answer(ranks, rank, wanted);
    return TRUE;
}

gboolean
cs_identity_ranks_go_on(CsIdentityRanks *ranks, GError **error)
{
    for (guint rank = 1; rank < ranks->size; rank++)
        while (cs_ranks_has_come(rank))
            if (!hear(ranks, rank, TRUE, error))
                return FALSE;
    return TRUE;
}

void
cs_identity_ranks_free(CsIdentityRanks *ranks)
{
    const CsIdentityWord word = CS_IDENTITY_STOP;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    for (guint rank = 1; rank < ranks->size; rank++)
        cs_ranks_send(rank, message);
    for (guint rank = 1; rank < ranks->size; rank++)
        while (!ranks->ended[rank])
            (void)hear(ranks, rank, FALSE, NULL);
    g_free(ranks->ended);
    g_free(ranks->near);
    g_free(ranks);
}
