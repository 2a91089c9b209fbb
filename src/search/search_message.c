/* Messages of a search: see search_message.h. */
#include <chromosweep/error.h>

#include "ranks/bulk.h"
#include "ranks/ranks.h"
#include "search/search_message.h"

/* A chunk: its three parts follow. */
typedef struct {
    gint64 first, names_size, letters_size;
    guint64 count;
} ChunkHead;

void
cs_search_message_put_queries(GString *message, const CsQueries *queries)
{
    const CsBestList *best = &queries->queries[0].best;
    CS_MESSAGE_PUT(message, queries->alphabet);
    CS_MESSAGE_PUT(message, queries->strand);
    CS_MESSAGE_PUT(message, queries->scoring);
    CS_MESSAGE_PUT(message, best->most);
    CS_MESSAGE_PUT(message, best->least);
}

gboolean
cs_search_message_get_queries(CsMessageIn *message, CsQueries *queries, GError **error)
{
    GError *failure = NULL;
    gint64 most, least;
    CS_MESSAGE_GET(message, queries->alphabet);
    CS_MESSAGE_GET(message, queries->strand);
    CS_MESSAGE_GET(message, queries->scoring);
    CS_MESSAGE_GET(message, most);
    CS_MESSAGE_GET(message, least);
    queries->chunk = cs_search_message_receive_chunk(0, &failure);
    if (failure != NULL) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    return cs_message_check(message, error) && cs_queries_take_chunk(queries, most, least, error);
}

void
cs_search_message_send_chunk(guint to, const CsRecordChunk *chunk)
{
    const ChunkHead head = {.first = chunk->first,
                            .names_size = (gint64)cs_record_chunk_names_size(chunk),
                            .letters_size = (gint64)chunk->letters_count,
                            .count = chunk->count};
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, head);
    cs_ranks_send(to, message);
    cs_bulk_send(to, chunk->records, chunk->count * sizeof *chunk->records);
    cs_bulk_send(to, chunk->names, (gsize)head.names_size);
    cs_bulk_send(to, chunk->letters, chunk->letters_count);
}

CsRecordChunk *
cs_search_message_receive_chunk(guint from, GError **error)
{
    GError *failure = NULL;
    ChunkHead head;
    g_auto(CsMessageIn) message = cs_ranks_receive(from);
    CS_MESSAGE_GET(&message, head);
    (void)cs_message_check(&message, &failure);
    CsRecordChunkParts parts = {.names_size = (gsize)head.names_size,
                                .letters_size = (gsize)head.letters_size};
    parts.records = cs_bulk_receive(from, (gint64)(head.count * sizeof *parts.records), &failure);
    parts.names = cs_bulk_receive(from, head.names_size, &failure);
    parts.letters = cs_bulk_receive(from, head.letters_size, &failure);
    CsRecordChunk *chunk = cs_record_chunk_new(&parts, head.first, (guint)head.count);
    if (failure == NULL)
        return chunk;
    cs_record_chunk_free(chunk);
    g_propagate_error(error, failure);
    return NULL;
}

void
cs_search_message_put_limits(GString *message, const CsQueries *queries)
{
    for (gint64 k = 0; k < queries->count; k++) {
        const CsBestList *best = &queries->queries[k].best;
        CS_MESSAGE_PUT(message, best->is_full);
        CS_MESSAGE_PUT(message, best->last.score);
        CS_MESSAGE_PUT(message, best->last.number);
    }
}

void
cs_search_message_get_limits(CsMessageIn *message, CsQueries *queries)
{
    for (gint64 k = 0; k < queries->count; k++) {
        gboolean is_full;
        gint64 score, number;
        CS_MESSAGE_GET(message, is_full);
        CS_MESSAGE_GET(message, score);
        CS_MESSAGE_GET(message, number);
        if (is_full) /* FALSE if it cannot be read */
            cs_best_list_raise(&queries->queries[k].best, score, number);
    }
}

static gboolean
is_of(const CsRecordChunk *chunk, const CsBestEntry *entry)
{
    return entry->number >= chunk->first && entry->number < chunk->first + chunk->count;
}

void
cs_search_message_put_entries(GString *message, CsQueries *queries, const CsRecordChunk *chunk)
{
    for (gint64 k = 0; k < queries->count; k++) {
        CsBestList *best = &queries->queries[k].best;
        guint64 count = 0;
        cs_best_list_trim(best);
        for (guint n = 0; n < best->entries->len; n++)
            count += is_of(chunk, &g_array_index(best->entries, CsBestEntry, n));
        CS_MESSAGE_PUT(message, count);
        for (guint n = 0; n < best->entries->len; n++) {
            const CsBestEntry *entry = &g_array_index(best->entries, CsBestEntry, n);
            if (!is_of(chunk, entry))
                continue;
            CS_MESSAGE_PUT(message, *entry);
            cs_message_put_text(message, entry->name);
            cs_message_put_text(message, entry->cigar);
        }
    }
}

gboolean
cs_search_message_get_entries(CsMessageIn *message, CsQueries *queries, GError **error)
{
    for (gint64 k = 0; k < queries->count; k++) {
        CsBestList *best = &queries->queries[k].best;
        guint64 count;
        CS_MESSAGE_GET(message, count);
        for (guint64 n = 0; n < count; n++) {
            CsBestEntry entry;
            CS_MESSAGE_GET(message, entry);
            g_autofree char *name = cs_message_get_text(message);
            g_autofree char *cigar = cs_message_get_text(message);
            if (!cs_message_check(message, error))
                return FALSE;
            entry.name = name;
            entry.cigar = cigar;
            if (cs_best_list_wants(best, entry.score, entry.number))
                cs_best_list_add(best, &entry);
        }
    }
    return cs_message_check(message, error);
}
