/* The side of the other ranks in a search by several processes: see search_ranks.h. */
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "ranks/ranks.h"
#include "search/search_message.h"
#include "search/search_ranks.h"
#include "search/search_serve.h"
#include "system/parallel.h"

#define LONGEST_WAIT 1000 /* microseconds */

typedef struct {
    CsQueries queries;
    CsChunkSearch search;
    CsSearchDevice device;
    CsRecordChunk *chunk, *next; /* under way, and the one after it */
    CsMessageIn limits;          /* for the next one */
    CsThread *thread;            /* NULL while there is a chunk: none could be started */
    gboolean wants;              /* a chunk, and has no answer yet */
    gboolean none;               /* there are no more */
    gint stop;
    gint64 told;     /* cells that rank 0 has heard of */
    GError *failure; /* to receive a chunk */
} Served;

static void
served_clear(Served *served)
{
    g_clear_pointer(&served->chunk, cs_record_chunk_free);
    g_clear_pointer(&served->next, cs_record_chunk_free);
    cs_message_in_clear(&served->limits);
    g_clear_pointer(&served->search.device, cs_device_scores_free);
    g_clear_error(&served->search.error);
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
    search->queries = &served->queries;
    search->stop = &served->stop;
    if (!cs_search_message_get_queries(message, &served->queries, error) ||
        (search->kernels = cs_pair_kernels(error)) == NULL ||
        !cs_search_device_init(&served->device, g_intern_string(text), error))
        return FALSE;
    (void)cs_search_device_prepare(&served->device, &served->queries); /* rank 0 tells if not */
    return !served->device.wanted || cs_search_device_open(&served->device, search, error);
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
        cs_message_in_clear(&served->limits);
        served->limits = message;
        message = (CsMessageIn){0};
        break;
    case CS_SEARCH_NONE: served->none = TRUE; break;
    default: g_atomic_int_set(&served->stop, 1);
    }
}

/* A CsThreadFunc. */
static void
search_chunk(gpointer data)
{
    Served *served = data;
    cs_search_chunk(&served->search, served->chunk);
}

static void
begin_chunk(Served *served)
{
    served->chunk = g_steal_pointer(&served->next);
    if (served->chunk == NULL)
        return;
    cs_search_message_get_limits(&served->limits, &served->queries); /* no thread uses them now */
    cs_search_device_settle(&served->device, &served->search, served->chunk->letters_count);
    served->thread = cs_thread_new("search", search_chunk, served, NULL);
}

/* The result of the chunk under way, once it is searched. */
static void
finish_chunk(Served *served, GString *entries, GError **error)
{
    if (served->thread != NULL)
        cs_thread_join(g_steal_pointer(&served->thread));
    else
        search_chunk(served);
    g_autoptr(CsRecordChunk) chunk = g_steal_pointer(&served->chunk);
    if (!served->stop && cs_search_chunk_check(&served->search, error))
        cs_search_message_put_entries(entries, &served->queries, chunk);
}

/* Sends a result when the next chunk is under way. After a failure no more is wanted. */
static void
send_result(Served *served)
{
    const CsSearchWord word = CS_SEARCH_RESULT;
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) message = g_string_new(NULL), entries = g_string_new(NULL);
    if (served->chunk != NULL)
        finish_chunk(served, entries, &error);
    if (error == NULL && served->failure != NULL)
        g_propagate_error(&error, g_steal_pointer(&served->failure));
    const gint64 cells = served->search.cells - served->told;
    served->told += cells;
    CS_MESSAGE_PUT(message, word);
    cs_message_put_error(message, error);
    CS_MESSAGE_PUT(message, cells);
    cs_message_put(message, entries->str, entries->len);
    if (error == NULL)
        begin_chunk(served);
    else
        served->none = TRUE;
    cs_ranks_send(0, message);
}

/* Does what is to be done, or waits for it a millisecond at most. */
static void
go_on(Served *served)
{
    if (cs_ranks_has_come(0))
        hear(served);
    if (!served->wants && !served->none && served->next == NULL) {
        served->wants = TRUE;
        send_word(CS_SEARCH_WANT);
    }
    if (served->chunk == NULL)
        begin_chunk(served);
    const gboolean over = served->chunk != NULL ? served->thread == NULL ||
                                                      cs_thread_wait(served->thread, LONGEST_WAIT)
                                                : served->failure != NULL;
    if (over && !served->wants)
        send_result(served);
    else if (over || served->chunk == NULL)
        g_usleep(LONGEST_WAIT);
}

void
cs_search_serve(CsMessageIn *message)
{
    g_auto(Served) served = {0};
    g_autoptr(GError) failure = NULL;
    if (!begin(&served, message, &failure))
        served.none = TRUE; /* rank 0 will end the search */
    answer(&served, failure);
    while (!served.stop)
        go_on(&served);
    if (served.thread != NULL)
        cs_thread_join(served.thread);
    send_word(CS_SEARCH_ENDED);
}
