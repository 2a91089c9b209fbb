/* The side of the other ranks in a search by several processes: see search_dealer.h. */
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "ranks/ranks.h"
#include "search/search_message.h"
#include "search/search_dealer.h"
#include "search/search_serve.h"
#include "search/search_worker.h"

#define LONGEST_WAIT 1000 /* microseconds */

enum {
    PARTS_OF_WORKER = 2, /* one that is under way, and a result that waits for another */
};

/* A chunk that came, and what was found in it. */
typedef struct {
    guint worker;
    gboolean done;
    GString *entries;
    gint64 cells;
    GError *error;
} Part;

typedef struct {
    CsQueries queries;    /* their lists are empty, but know what is not among the best of all */
    CsChunkSearch search; /* as those of the workers */
    CsSearchDevices devices;
    CsSearchWorker *workers;
    guint count;         /* of these */
    GQueue parts;        /* Part, in the order in which they came */
    CsRecordChunk *next; /* that no worker has */
    gboolean wants;      /* a chunk, and has no answer yet */
    gboolean none;       /* there are no more */
    gint stop;
    GError *failure; /* to receive a chunk */
} Served;

static void
part_free(Part *part)
{
    g_string_free(part->entries, TRUE);
    g_clear_error(&part->error);
    g_free(part);
}

static void
served_clear(Served *served)
{
    for (guint k = 0; k < served->count; k++)
        cs_search_worker_clear(&served->workers[k]);
    g_free(served->workers);
    g_queue_clear_full(&served->parts, (GDestroyNotify)part_free);
    g_clear_pointer(&served->next, cs_record_chunk_free);
    cs_search_devices_clear(&served->devices);
    g_clear_error(&served->failure);
    cs_queries_clear(&served->queries);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Served, served_clear)

static void
send_word(CsSearchWord word)
{
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    cs_ranks_send(0, message);
}

/* Reads all of the request, whatever fails. */
static gboolean
begin(Served *served, CsMessageIn *message, GError **error)
{
    CsChunkSearch *search = &served->search;
    CS_MESSAGE_GET(message, search->threads);
    CS_MESSAGE_GET(message, search->align);
    g_autofree char *text = cs_message_get_text(message);
    search->threads = MIN(search->threads, cs_threads_granted());
    search->stop = &served->stop;
    if (!cs_search_message_get_queries(message, &served->queries, error) ||
        (search->kernels = cs_pair_kernels(error)) == NULL ||
        !cs_search_devices_init(&served->devices, g_intern_string(text), error))
        return FALSE;
    (void)cs_search_devices_prepare(&served->devices, &served->queries); /* rank 0 tells if not */
    return !cs_search_devices_has_gpu(&served->devices) ||
           cs_search_devices_open(&served->devices, &served->queries, error);
}

/* Of GPUs, or of the CPU alone. */
static void
make_workers(Served *served)
{
    const CsSearchDevices *devices = &served->devices;
    served->count = MAX(1, cs_search_devices_wanted(devices));
    served->workers = g_new(CsSearchWorker, served->count);
    for (guint k = 0; k < served->count; k++)
        cs_search_worker_init(&served->workers[k], &served->queries, &served->search,
                              cs_search_devices_threads(devices, k, served->search.threads));
}

static void
answer(const Served *served, const GError *failure)
{
    g_autoptr(GString) message = g_string_new(NULL);
    cs_message_put_error(message, failure);
    CS_MESSAGE_PUT(message, served->search.threads);
    cs_ranks_send(0, message);
}

static void
hear(Served *served)
{
    g_auto(CsMessageIn) message = cs_ranks_receive(0);
    CsSearchWord word;
    CS_MESSAGE_GET(&message, word);
    served->wants = FALSE;
    switch (word) {
    case CS_SEARCH_CHUNK:
        served->next = cs_search_message_receive_chunk(0, &served->failure);
        cs_search_message_get_limits(&message, &served->queries);
        break;
    case CS_SEARCH_NONE: served->none = TRUE; break;
    default: g_atomic_int_set(&served->stop, 1);
    }
}

/* Gives the next chunk to a worker that has none. */
static void
begin_part(Served *served)
{
    guint k = 0;
    while (k < served->count && served->workers[k].chunk != NULL)
        k++;
    if (served->next == NULL || k == served->count)
        return;
    CsSearchWorker *worker = &served->workers[k];
    CsRecordChunk *chunk = g_steal_pointer(&served->next);
    Part *part = g_new0(Part, 1);
    *part = (Part){.worker = k, .entries = g_string_new(NULL)};
    g_queue_push_tail(&served->parts, part);
    cs_search_devices_settle(&served->devices, &served->queries,
                             (double)worker->search.cells +
                                 cs_queries_cells(&served->queries, (gint64)chunk->letters_count),
                             worker->search.threads);
    cs_search_worker_begin(worker, chunk, &served->queries,
                           cs_search_devices_get(&served->devices, k));
}

/* Takes what workers have found; waits a millisecond at most. */
static void
finish_parts(Served *served)
{
    gint64 wait = LONGEST_WAIT;
    for (GList *link = served->parts.head; link != NULL; link = link->next) {
        Part *part = link->data;
        CsSearchWorker *worker = &served->workers[part->worker];
        if (part->done)
            continue;
        if (cs_search_worker_is_ready(worker, wait)) {
            part->done = TRUE;
            (void)cs_search_worker_finish(worker, part->entries, &part->cells, &part->error);
        }
        wait = 0;
    }
    if (wait > 0)
        g_usleep((gulong)wait);
}

/* Of the first chunk, or a failure to receive one. After a failure no more is wanted. */
static void
send_result(Served *served)
{
    const CsSearchWord word = CS_SEARCH_RESULT;
    Part *part = g_queue_pop_head(&served->parts);
    g_autoptr(GString) message = g_string_new(NULL);
    const GError *error = part != NULL ? part->error : served->failure;
    CS_MESSAGE_PUT(message, word);
    cs_message_put_error(message, error);
    served->none |= error != NULL;
    if (part != NULL) {
        CS_MESSAGE_PUT(message, part->cells);
        cs_message_put(message, part->entries->str, part->entries->len);
        part_free(part);
    } else {
        g_clear_error(&served->failure);
    }
    cs_ranks_send(0, message);
}

/* Does what is to be done, or waits for it a millisecond at most. */
static void
go_on(Served *served)
{
    if (cs_ranks_has_come(0))
        hear(served);
    if (served->stop)
        return;
    if (!served->wants && !served->none && served->next == NULL && served->failure == NULL &&
        served->parts.length <= PARTS_OF_WORKER * served->count) {
        served->wants = TRUE;
        send_word(CS_SEARCH_WANT);
    }
    begin_part(served);
    finish_parts(served);
    begin_part(served); /* before a result is sent */
    const Part *first = g_queue_peek_head(&served->parts);
    if (!served->wants && (first != NULL ? first->done : served->failure != NULL))
        send_result(served);
}

void
cs_search_serve(CsMessageIn *message)
{
    g_auto(Served) served = {0};
    g_autoptr(GError) failure = NULL;
    if (begin(&served, message, &failure))
        make_workers(&served);
    else
        served.none = TRUE; /* rank 0 will end the search */
    answer(&served, failure);
    while (!served.stop)
        go_on(&served);
    send_word(CS_SEARCH_ENDED);
}
