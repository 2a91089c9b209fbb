/* The side of rank 0 in a search by several processes: see search_ranks.h. */
#include <chromosweep/error.h>

#include "ranks/ranks.h"
#include "search/search_message.h"
#include "search/search_ranks.h"
#include "search/search_serve.h"
#include "system/parallel.h"

#define LONGEST_WAIT 1000 /* microseconds */

/* A chunk that was given to a rank. */
typedef struct {
    CsDatabasePlace places[2];
    guint rank;
    gboolean done;
    CsMessageIn result;
} Part;

typedef struct {
    gboolean wants; /* a chunk */
    guint parts;    /* that it has */
    gboolean ended;
} Other;

struct _CsSearchRanks {
    CsQueries *queries; /* with the lists of all */
    CsQueries own;      /* with those of this rank */
    CsChunkSearch *search;
    CsSearchDevice *device;
    guint size; /* of all ranks */
    guint threads;
    Other *others; /* by their rank; that of 0 is not used */
    GQueue parts;  /* Part, those of earlier chunks first */
    Part *part;    /* of this rank, or NULL */
    CsRecordChunk *chunk;
    CsThread *thread; /* NULL while there is a chunk: it is searched by the caller's */
};

static void
part_free(Part *part)
{
    cs_message_in_clear(&part->result);
    g_free(part);
}

static void
send_word(guint rank, CsSearchWord word)
{
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    cs_ranks_send(rank, message);
}

static void
begin_on(const CsSearchRanks *ranks, guint rank, const char *text)
{
    const CsRanksRequest request = CS_RANKS_SEARCH;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, request);
    CS_MESSAGE_PUT(message, ranks->search->threads);
    CS_MESSAGE_PUT(message, ranks->search->align);
    cs_message_put_text(message, text);
    cs_search_message_put_queries(message, ranks->queries);
    cs_ranks_send(rank, message);
    cs_search_message_send_chunk(rank, ranks->queries->chunk);
}

/* Whether a rank has begun. All of them answer. */
static gboolean
hear_begin(CsSearchRanks *ranks, guint rank, GError **error)
{
    g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
    guint threads;
    const gboolean good = cs_message_get_error(&answer, error);
    CS_MESSAGE_GET(&answer, threads);
    ranks->threads += threads;
    if (!good)
        g_prefix_error(error, "process %u: ", rank);
    return good;
}

CsSearchRanks *
cs_search_ranks_new(CsQueries *queries, CsChunkSearch *search, CsSearchDevice *device,
                    const char *text, GError **error)
{
    CsSearchRanks *ranks = g_new0(CsSearchRanks, 1);
    GError *failure = NULL;
    ranks->queries = queries;
    ranks->search = search;
    ranks->device = device;
    ranks->size = cs_ranks_place()->size;
    ranks->threads = search->threads;
    ranks->others = g_new0(Other, ranks->size);
    cs_queries_init_beside(&ranks->own, queries);
    search->queries = &ranks->own;
    for (guint rank = 1; rank < ranks->size; rank++)
        begin_on(ranks, rank, text);
    for (guint rank = 1; rank < ranks->size; rank++)
        (void)hear_begin(ranks, rank, failure == NULL ? &failure : NULL);
    if (failure == NULL)
        return ranks;
    g_propagate_error(error, failure);
    cs_search_ranks_free(ranks);
    return NULL;
}

guint
cs_search_ranks_threads(const CsSearchRanks *ranks)
{
    return ranks->threads;
}

/* A CsThreadFunc. */
static void
search_own(gpointer data)
{
    CsSearchRanks *ranks = data;
    cs_search_chunk(ranks->search, ranks->chunk);
}

static Part *
add_part(CsSearchRanks *ranks, guint rank, const CsDatabasePlace places[2])
{
    Part *part = g_new0(Part, 1);
    *part = (Part){.places = {places[0], places[1]}, .rank = rank};
    g_queue_push_tail(&ranks->parts, part);
    return part;
}

/* What is not among the best of all need not be kept by a rank. */
static void
raise_own(CsSearchRanks *ranks)
{
    for (gint64 k = 0; k < ranks->queries->count; k++) {
        const CsBestList *best = &ranks->queries->queries[k].best;
        if (best->is_full)
            cs_best_list_raise(&ranks->own.queries[k].best, best->last.score, best->last.number);
    }
}

static void
send_limits(const CsSearchRanks *ranks, guint rank)
{
    const CsSearchWord word = CS_SEARCH_CHUNK;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    cs_search_message_put_limits(message, ranks->queries);
    cs_ranks_send(rank, message);
}

/* A rank that wants a chunk; one without any comes first. 0: none wants one. */
static guint
find_eager(const CsSearchRanks *ranks)
{
    guint found = 0;
    for (guint rank = 1; rank < ranks->size; rank++)
        if (ranks->others[rank].wants &&
            (found == 0 || ranks->others[rank].parts < ranks->others[found].parts))
            found = rank;
    return found;
}

gboolean
cs_search_ranks_give(CsSearchRanks *ranks, CsRecordChunk *chunk, const CsDatabasePlace places[2])
{
    if (ranks->chunk == NULL) {
        ranks->part = add_part(ranks, 0, places);
        ranks->chunk = chunk;
        raise_own(ranks);
        cs_search_device_settle(ranks->device, ranks->search, chunk->letters_count);
        ranks->thread = cs_thread_new("search", search_own, ranks, NULL);
        return TRUE;
    }
    const guint rank = find_eager(ranks);
    if (rank == 0)
        return FALSE;
    ranks->others[rank].wants = FALSE;
    ranks->others[rank].parts++;
    (void)add_part(ranks, rank, places);
    send_limits(ranks, rank);
    cs_search_message_send_chunk(rank, chunk);
    cs_record_chunk_free(chunk);
    return TRUE;
}

void
cs_search_ranks_give_none(CsSearchRanks *ranks)
{
    for (guint rank = 1; rank < ranks->size; rank++)
        if (ranks->others[rank].wants) {
            ranks->others[rank].wants = FALSE;
            send_word(rank, CS_SEARCH_NONE);
        }
}

/* A rank searches its chunks in the order in which it got them. */
static Part *
first_of(CsSearchRanks *ranks, guint rank)
{
    GList *link = ranks->parts.head;
    while (link != NULL && (((Part *)link->data)->rank != rank || ((Part *)link->data)->done))
        link = link->next;
    g_assert(link != NULL);
    return link->data;
}

/* Takes a message of another rank. */
static gboolean
hear(CsSearchRanks *ranks, guint rank, GError **error)
{
    g_auto(CsMessageIn) message = cs_ranks_receive(rank);
    CsSearchWord word;
    gint64 cells;
    CS_MESSAGE_GET(&message, word);
    if (word == CS_SEARCH_WANT)
        ranks->others[rank].wants = TRUE;
    if (word == CS_SEARCH_ENDED)
        ranks->others[rank].ended = TRUE;
    if (word != CS_SEARCH_RESULT)
        return cs_message_check(&message, error);
    if (!cs_message_get_error(&message, error)) {
        g_prefix_error(error, "process %u: ", rank);
        return FALSE;
    }
    CS_MESSAGE_GET(&message, cells);
    ranks->search->cells += cells;
    ranks->others[rank].parts--;
    Part *part = first_of(ranks, rank);
    part->result = message;
    message = (CsMessageIn){0};
    part->done = TRUE;
    return TRUE;
}

/* Keeps the result of this rank as one of another. */
static gboolean
finish_own(CsSearchRanks *ranks, GError **error)
{
    if (ranks->thread != NULL)
        cs_thread_join(g_steal_pointer(&ranks->thread));
    else
        search_own(ranks);
    g_autoptr(CsRecordChunk) chunk = g_steal_pointer(&ranks->chunk);
    Part *part = g_steal_pointer(&ranks->part);
    if (!cs_search_chunk_check(ranks->search, error))
        return FALSE;
    GString *entries = g_string_new(NULL);
    cs_search_message_put_entries(entries, &ranks->own, chunk);
    part->result.bytes = entries->len;
    part->result.data = (guint8 *)g_string_free(entries, FALSE);
    part->done = TRUE;
    return TRUE;
}

/* Puts a result into the lists of all. */
static gboolean
merge(CsSearchRanks *ranks, Part *part, GError **error)
{
    CsQueries *queries = ranks->queries;
    if (!cs_search_message_get_entries(&part->result, queries, error))
        return FALSE;
    for (gint64 k = 0; k < queries->count; k++) {
        CsQuery *query = &queries->queries[k];
        cs_best_list_trim(&query->best);
        query->done = MAX(query->done, part->places[1].mark.records);
    }
    return TRUE;
}

gboolean
cs_search_ranks_take(CsSearchRanks *ranks, CsDatabasePlace places[2], GError **error)
{
    if (ranks->thread == NULL && ranks->chunk == NULL)
        g_usleep(LONGEST_WAIT);
    else if ((ranks->thread == NULL || cs_thread_wait(ranks->thread, LONGEST_WAIT)) &&
             !finish_own(ranks, error))
        return FALSE;
    for (guint rank = 1; rank < ranks->size; rank++)
        while (cs_ranks_has_come(rank))
            if (!hear(ranks, rank, error))
                return FALSE;
    for (Part *part = g_queue_peek_head(&ranks->parts); part != NULL && part->done;
         part = g_queue_peek_head(&ranks->parts)) {
        if (!merge(ranks, part, error))
            return FALSE;
        places[0] = part->places[0];
        places[1] = part->places[1];
        part_free(g_queue_pop_head(&ranks->parts));
    }
    return TRUE;
}

gboolean
cs_search_ranks_is_idle(const CsSearchRanks *ranks)
{
    return ranks->parts.head == NULL;
}

void
cs_search_ranks_free(CsSearchRanks *ranks)
{
    for (guint rank = 1; rank < ranks->size; rank++)
        send_word(rank, CS_SEARCH_STOP);
    for (guint rank = 1; rank < ranks->size; rank++)
        while (!ranks->others[rank].ended)
            (void)hear(ranks, rank, NULL);
    if (ranks->thread != NULL)
        cs_thread_join(ranks->thread);
    g_clear_pointer(&ranks->chunk, cs_record_chunk_free);
    ranks->search->queries = ranks->queries;
    for (Part *part = g_queue_pop_head(&ranks->parts); part != NULL;
         part = g_queue_pop_head(&ranks->parts))
        part_free(part);
    cs_queries_clear(&ranks->own);
    g_free(ranks->others);
    g_free(ranks);
}
