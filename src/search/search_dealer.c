/* The side of rank 0 in a search by several workers and processes: see search_dealer.h. */
#include <chromosweep/error.h>

#include "ranks/ranks.h"
#include "search/search_dealer.h"
#include "search/search_message.h"
#include "search/search_serve.h"
#include "search/search_worker.h"

#define LONGEST_WAIT 1000 /* microseconds */

/* A chunk on its way. */
typedef struct {
    CsDatabasePlace places[2];
    CsDealSize size;
    CsRecordChunk *chunk; /* until it is given to somebody */
    guint rank;           /* to whom */
    guint worker;         /* of rank 0 */
    gboolean done;
    CsMessageIn result;
} Part;

typedef struct {
    gboolean wants; /* a chunk */
    guint parts;    /* that it has */
    gboolean ended;
} Other;

struct _CsSearchDealer {
    CsQueries *queries; /* with the lists of all */
    CsChunkSearch *search;
    CsSearchDevices *devices;
    CsSearchWorker *workers;
    guint count;    /* of these; the last one is the CPU, if it is beside GPUs */
    gboolean small; /* it is */
    guint size;     /* of all ranks */
    guint threads;
    Other *others; /* by their rank; that of 0 is not used */
    GQueue parts;  /* Part, in the order of the database */
    gboolean ended;
};

static gboolean
is_beside(const CsSearchDevices *devices)
{
    return devices->which.with_cpu && cs_search_devices_has_gpu(devices);
}

static void
part_free(Part *part)
{
    g_clear_pointer(&part->chunk, cs_record_chunk_free);
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
begin_on(const CsSearchDealer *dealer, guint rank, const char *text)
{
    const CsRanksRequest request = CS_RANKS_SEARCH;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, request);
    CS_MESSAGE_PUT(message, dealer->search->threads);
    CS_MESSAGE_PUT(message, dealer->search->align);
    cs_message_put_text(message, text);
    cs_search_message_put_queries(message, dealer->queries);
    cs_ranks_send(rank, message);
    cs_search_message_send_chunk(rank, dealer->queries->chunk);
}

gboolean
cs_search_dealer_is_needed(const CsSearchDevices *devices)
{
    return cs_ranks_place()->size > 1 || cs_search_devices_workers(devices) > 1;
}

CsSearchDealer *
cs_search_dealer_new(CsQueries *queries, CsChunkSearch *search, CsSearchDevices *devices,
                     const char *text, GError **error)
{
    CsSearchDealer *dealer = g_new0(CsSearchDealer, 1);
    dealer->queries = queries;
    dealer->search = search;
    dealer->devices = devices;
    dealer->count = cs_search_devices_workers(devices);
    dealer->small = is_beside(devices);
    dealer->size = cs_ranks_place()->size;
    dealer->threads = search->threads;
    dealer->others = g_new0(Other, dealer->size);
    dealer->workers = g_new(CsSearchWorker, dealer->count);
    for (guint k = 0; k < dealer->count; k++)
        cs_search_worker_init(&dealer->workers[k], queries, search,
                              cs_search_devices_threads(devices, k, search->threads));
    for (guint rank = 1; rank < dealer->size; rank++)
        begin_on(dealer, rank, text);
    if (cs_ranks_hear_begun(&dealer->threads, error))
        return dealer;
    cs_search_dealer_free(dealer);
    return NULL;
}

guint
cs_search_dealer_threads(const CsSearchDealer *dealer)
{
    return dealer->threads;
}

guint
cs_search_dealer_sharers(const CsSearchDealer *dealer)
{
    return dealer->size * (dealer->count - dealer->small);
}

/* The most large chunks that wait for somebody: one for each GPU. */
static guint
most_waiting(const CsSearchDevices *devices)
{
    return MAX(1, devices->which.gpus);
}

/* The most parts, unless other ranks want more: of each worker one, others that wait, or their results. */
static guint
most_parts(const CsSearchDevices *devices)
{
    return 2 * (cs_search_devices_workers(devices) + 1);
}

guint
cs_search_dealer_most_chunks(const CsSearchDevices *devices)
{
    return cs_search_devices_workers(devices) + most_waiting(devices) + is_beside(devices) + 1;
}

guint
cs_search_dealer_most_copies(const CsSearchDevices *devices)
{
    return 1 + cs_search_devices_workers(devices) + most_parts(devices);
}

/* A rank that wants a chunk; one without any comes first. 0: none wants one. */
static guint
find_eager(const CsSearchDealer *dealer)
{
    guint found = 0;
    for (guint rank = 1; rank < dealer->size; rank++)
        if (dealer->others[rank].wants &&
            (found == 0 || dealer->others[rank].parts < dealer->others[found].parts))
            found = rank;
    return found;
}

CsDealSize
cs_search_dealer_wants(const CsSearchDealer *dealer)
{
    guint waiting[3] = {0, 0, 0};
    for (const GList *link = dealer->parts.head; link != NULL; link = link->next) {
        const Part *part = link->data;
        waiting[part->size] += part->chunk != NULL;
    }
    /* A rank that wants a chunk does not tell its results until it has one. */
    if (dealer->parts.length >= most_parts(dealer->devices) && find_eager(dealer) == 0)
        return CS_DEAL_NONE;
    if (waiting[CS_DEAL_LARGE] > 0 && dealer->small && waiting[CS_DEAL_SMALL] == 0)
        return CS_DEAL_SMALL;
    return waiting[CS_DEAL_LARGE] < most_waiting(dealer->devices) ? CS_DEAL_LARGE : CS_DEAL_NONE;
}

void
cs_search_dealer_add(CsSearchDealer *dealer, CsRecordChunk *chunk, const CsDatabasePlace places[2],
                     CsDealSize size)
{
    Part *part = g_new0(Part, 1);
    *part = (Part){.places = {places[0], places[1]}, .size = size, .chunk = chunk};
    g_queue_push_tail(&dealer->parts, part);
}

/* Whether a worker may take a chunk of this size. */
static gboolean
takes(const CsSearchDealer *dealer, guint k, CsDealSize size)
{
    const gboolean of_small = dealer->small && k + 1 == dealer->count;
    return dealer->workers[k].chunk == NULL &&
           (size == CS_DEAL_SMALL ? of_small || dealer->ended : !of_small);
}

/* The other workers of the same GPU that are at a chunk. */
static guint
rivals(const CsSearchDealer *dealer, guint k)
{
    guint busy = 0;
    const guint gpus = dealer->devices->which.gpus;
    const guint wanted = cs_search_devices_wanted(dealer->devices);
    for (guint other = 0; k < wanted && other < wanted; other++)
        busy += other % gpus == k % gpus && dealer->workers[other].chunk != NULL;
    return busy;
}

/* The worker that should take a chunk of this size: one that no other disturbs; `count` if none is free. */
static guint
find_worker(const CsSearchDealer *dealer, CsDealSize size)
{
    guint found = dealer->count;
    for (guint k = 0; k < dealer->count; k++)
        if (takes(dealer, k, size) &&
            (found == dealer->count || rivals(dealer, k) < rivals(dealer, found)))
            found = k;
    return found;
}

static void
begin_part(CsSearchDealer *dealer, Part *part, guint k)
{
    CsSearchWorker *worker = &dealer->workers[k];
    CsRecordChunk *chunk = g_steal_pointer(&part->chunk);
    part->rank = 0;
    part->worker = k;
    cs_search_devices_settle(dealer->devices, dealer->queries,
                             (double)worker->search.cells +
                                 cs_queries_cells(dealer->queries, (gint64)chunk->letters_count),
                             worker->search.threads);
    cs_search_worker_begin(worker, chunk, dealer->queries,
                           cs_search_devices_get(dealer->devices, k));
}

static void
send_part(CsSearchDealer *dealer, Part *part, guint rank)
{
    const CsSearchWord word = CS_SEARCH_CHUNK;
    g_autoptr(GString) message = g_string_new(NULL);
    g_autoptr(CsRecordChunk) chunk = g_steal_pointer(&part->chunk);
    part->rank = rank;
    dealer->others[rank].wants = FALSE;
    dealer->others[rank].parts++;
    CS_MESSAGE_PUT(message, word);
    cs_search_message_put_limits(message, dealer->queries);
    cs_ranks_send(rank, message);
    cs_search_message_send_chunk(rank, chunk);
}

/* Gives what waits to those who have time for it. Returns whether a large chunk is left. */
static gboolean
deal(CsSearchDealer *dealer)
{
    gboolean left = FALSE;
    for (GList *link = dealer->parts.head; link != NULL; link = link->next) {
        Part *part = link->data;
        if (part->chunk == NULL)
            continue;
        const guint worker = find_worker(dealer, part->size);
        const guint rank = part->size == CS_DEAL_LARGE ? find_eager(dealer) : 0;
        if (worker < dealer->count)
            begin_part(dealer, part, worker);
        else if (rank > 0)
            send_part(dealer, part, rank);
        else
            left |= part->size == CS_DEAL_LARGE;
    }
    return left;
}

void
cs_search_dealer_end(CsSearchDealer *dealer)
{
    dealer->ended = TRUE;
    if (deal(dealer))
        return;
    for (guint rank = 1; rank < dealer->size; rank++)
        if (dealer->others[rank].wants) {
            dealer->others[rank].wants = FALSE;
            send_word(rank, CS_SEARCH_NONE);
        }
}

/* The first part of a rank that is not done: it tells results in the order in which it got chunks. */
static Part *
first_of(CsSearchDealer *dealer, guint rank)
{
    for (GList *link = dealer->parts.head; link != NULL; link = link->next) {
        Part *part = link->data;
        if (part->chunk == NULL && part->rank == rank && !part->done)
            return part;
    }
    g_assert_not_reached();
}

/* Takes a message of another rank. */
static gboolean
hear(CsSearchDealer *dealer, guint rank, GError **error)
{
    g_auto(CsMessageIn) message = cs_ranks_receive(rank);
    CsSearchWord word;
    gint64 cells;
    CS_MESSAGE_GET(&message, word);
    if (word == CS_SEARCH_WANT)
        dealer->others[rank].wants = TRUE;
    if (word == CS_SEARCH_ENDED)
        dealer->others[rank].ended = TRUE;
    if (word != CS_SEARCH_RESULT)
        return cs_message_check(&message, error);
    if (!cs_message_get_error(&message, error)) {
        g_prefix_error(error, "process %u: ", rank);
        return FALSE;
    }
    CS_MESSAGE_GET(&message, cells);
    dealer->search->cells += cells;
    dealer->others[rank].parts--;
    Part *part = first_of(dealer, rank);
    part->result = message;
    message = (CsMessageIn){0};
    part->done = TRUE;
    return TRUE;
}

/* Keeps the result of a worker as one of another rank. */
static gboolean
finish_part(CsSearchDealer *dealer, Part *part, GError **error)
{
    gint64 cells;
    g_autoptr(GString) entries = g_string_new(NULL);
    if (!cs_search_worker_finish(&dealer->workers[part->worker], entries, &cells, error))
        return FALSE;
    dealer->search->cells += cells;
    part->result.bytes = entries->len;
    part->result.data = (guint8 *)g_string_free(g_steal_pointer(&entries), FALSE);
    part->done = TRUE;
    return TRUE;
}

/* Takes what workers have found; waits a millisecond at most. */
static gboolean
take_own(CsSearchDealer *dealer, GError **error)
{
    gint64 wait = LONGEST_WAIT;
    for (GList *link = dealer->parts.head; link != NULL; link = link->next) {
        Part *part = link->data;
        if (part->chunk != NULL || part->rank != 0 || part->done)
            continue;
        if (cs_search_worker_is_ready(&dealer->workers[part->worker], wait) &&
            !finish_part(dealer, part, error))
            return FALSE;
        wait = 0;
    }
    if (wait > 0)
        g_usleep((gulong)wait);
    return TRUE;
}

/* Puts a result into the lists of all. */
static gboolean
merge(CsSearchDealer *dealer, Part *part, GError **error)
{
    CsQueries *queries = dealer->queries;
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
cs_search_dealer_go_on(CsSearchDealer *dealer, CsDatabasePlace places[2], GError **error)
{
    (void)deal(dealer);
    if (!take_own(dealer, error))
        return FALSE;
    for (guint rank = 1; rank < dealer->size; rank++)
        while (cs_ranks_has_come(rank))
            if (!hear(dealer, rank, error))
                return FALSE;
    (void)deal(dealer); /* before the lists are sorted */
    for (Part *part = g_queue_peek_head(&dealer->parts); part != NULL && part->done;
         part = g_queue_peek_head(&dealer->parts)) {
        if (!merge(dealer, part, error))
            return FALSE;
        places[0] = part->places[0];
        places[1] = part->places[1];
        part_free(g_queue_pop_head(&dealer->parts));
    }
    return TRUE;
}

gboolean
cs_search_dealer_is_idle(const CsSearchDealer *dealer)
{
    return dealer->parts.head == NULL;
}

void
cs_search_dealer_free(CsSearchDealer *dealer)
{
    for (guint rank = 1; rank < dealer->size; rank++)
        send_word(rank, CS_SEARCH_STOP);
    for (guint rank = 1; rank < dealer->size; rank++)
        while (!dealer->others[rank].ended)
            (void)hear(dealer, rank, NULL);
    for (guint k = 0; k < dealer->count; k++)
        cs_search_worker_clear(&dealer->workers[k]);
    g_queue_clear_full(&dealer->parts, (GDestroyNotify)part_free);
    g_free(dealer->workers);
    g_free(dealer->others);
    g_free(dealer);
}
