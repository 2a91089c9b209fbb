/* States of a search as bytes: see search_state.h, docs/formats.md. */
#include <string.h>

#include <chromosweep/error.h>

#include "checkpoint/json_values.h"
#include "search/record_digest.h"
#include "search/search_state.h"
#include "system/memory.h"

/* Numbers at the beginning, of each query, and of each entry of its list. */
enum {
    HEAD_NUMBERS = 9,
    QUERY_NUMBERS = 2,
    ENTRY_NUMBERS = 13,
};

static char *
digest_queries(const CsQueries *queries)
{
    XXH3_state_t *hash = XXH3_createState();
    XXH3_128bits_reset(hash);
    for (gint64 k = 0; k < queries->count; k++) {
        const CsQuery *query = &queries->queries[k];
        cs_record_digest_add(hash, query->name, query->length, query->strands[CS_STRAND_PLUS]);
    }
    char *hex = cs_record_digest_hex(XXH3_128bits_digest(hash));
    XXH3_freeState(hash);
    return hex;
}

json_t *
cs_search_identity_new(const CsQueries *queries, const CsSearchOptions *options)
{
    const CsPairScoring *scoring = &queries->scoring;
    g_autofree char *digest = digest_queries(queries);
    g_autofree char *pairs =
        cs_record_digest_hex(XXH3_128bits(scoring->pairs, sizeof scoring->pairs));
    json_t *object = json_object();
    json_object_set_new(object, "queries", json_integer(queries->count));
    json_object_set_new(object, "query_letters", json_integer(queries->letter_count));
    json_object_set_new(object, "queries_digest", json_string(digest));
    json_object_set_new(object, "alphabet", json_integer(queries->alphabet));
    json_object_set_new(object, "strand", json_integer(queries->strand));
    json_object_set_new(object, "pairs_digest", json_string(pairs));
    json_object_set_new(object, "gap_open", json_integer(queries->gap_open));
    json_object_set_new(object, "gap_extend", json_integer(queries->gap_extend));
    json_object_set_new(object, "number", json_integer(options->number));
    json_object_set_new(object, "min_score", json_integer(options->min_score));
    json_object_set_new(object, "align", json_boolean(options->align));
    return object;
}

gboolean
cs_search_identity_read(const json_t *identity, CsSearchOptions *options, gint64 *queries,
                        gint64 *query_letters)
{
    json_int_t n[6];
    int alphabet, strand, align;
    if (json_unpack((json_t *)identity, "{s:I, s:I, s:i, s:i, s:I, s:I, s:I, s:I, s:b}", "queries",
                    &n[0], "query_letters", &n[1], "alphabet", &alphabet, "strand", &strand,
                    "gap_open", &n[2], "gap_extend", &n[3], "number", &n[4], "min_score", &n[5],
                    "align", &align) != 0)
        return FALSE;
    *queries = n[0];
    *query_letters = n[1];
    options->alphabet = (CsAlphabet)alphabet;
    options->strand = (CsStrand)strand;
    options->gap_open = n[2];
    options->gap_extend = n[3];
    options->number = n[4];
    options->min_score = n[5];
    options->align = align;
    return TRUE;
}

gboolean
cs_search_identity_compare(const json_t *there, const json_t *here, GError **error)
{
    static const CsJsonKey keys[] = {{"queries", "number of queries"},
                                     {"query_letters", "number of letters of the queries"},
                                     {"queries_digest", "digest of the queries"},
                                     {"alphabet", "alphabet"},
                                     {"strand", "strand"},
                                     {"pairs_digest", "digest of what pairs score"},
                                     {"gap_open", "gap-open"},
                                     {"gap_extend", "gap-extend"},
                                     {"number", "number of hits"},
                                     {"min_score", "least score"},
                                     {"align", "whether alignments are found"}};
    g_autofree char *difference = cs_json_difference(there, here, keys, G_N_ELEMENTS(keys));
    if (difference != NULL)
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "belongs to another search: %s",
                    difference);
    return difference == NULL;
}

static gint64 *
put_entry(gint64 *to, const CsBestEntry *entry)
{
    const gint64 numbers[ENTRY_NUMBERS] = {
        entry->score,
        entry->number,
        entry->length,
        (gint64)entry->strand,
        entry->column,
        entry->row,
        entry->column_start,
        entry->row_start,
        entry->matches,
        entry->columns,
        entry->gap_openings,
        (gint64)strlen(entry->name),
        entry->cigar != NULL ? (gint64)strlen(entry->cigar) : -1,
    };
    memcpy(to, numbers, sizeof numbers);
    return to + ENTRY_NUMBERS;
}

static gint64 *
put_numbers(gint64 *to, const CsQueries *queries, const CsSearchState *state)
{
    for (guint k = 0; k < 2; k++) {
        *to++ = state->marks[k].records;
        *to++ = (gint64)state->marks[k].digest[0];
        *to++ = (gint64)state->marks[k].digest[1];
    }
    *to++ = state->cells;
    *to++ = (gint64)(state->seconds * 1e6);
    *to++ = queries->count;
    for (gint64 k = 0; k < queries->count; k++) {
        const CsQuery *query = &queries->queries[k];
        *to++ = query->done;
        *to++ = query->best.entries->len;
        for (guint n = 0; n < query->best.entries->len; n++)
            to = put_entry(to, &g_array_index(query->best.entries, CsBestEntry, n));
    }
    return to;
}

/* Appends the texts of all entries; to NULL only counts their bytes. */
static gsize
put_texts(char *to, const CsQueries *queries)
{
    gsize size = 0;
    for (gint64 k = 0; k < queries->count; k++) {
        const GArray *entries = queries->queries[k].best.entries;
        for (guint n = 0; n < entries->len; n++) {
            const CsBestEntry *entry = &g_array_index(entries, CsBestEntry, n);
            const char *texts[] = {entry->name, entry->cigar};
            for (guint t = 0; t < 2 && texts[t] != NULL; t++) {
                const gsize length = strlen(texts[t]);
                if (to != NULL)
                    memcpy(to + size, texts[t], length);
                size += length;
            }
        }
    }
    return size;
}

guint8 *
cs_search_state_pack(const CsQueries *queries, const CsSearchState *state, gsize *size,
                     gint64 *numbers)
{
    *numbers = HEAD_NUMBERS;
    for (gint64 k = 0; k < queries->count; k++)
        *numbers += QUERY_NUMBERS + ENTRY_NUMBERS * (gint64)queries->queries[k].best.entries->len;
    *size = (gsize)*numbers * sizeof(gint64) + put_texts(NULL, queries);
    guint8 *bytes = cs_memory_try(*size, 1);
    if (bytes != NULL)
        put_texts((char *)put_numbers((gint64 *)(void *)bytes, queries, state), queries);
    return bytes;
}

/* What is left of the bytes. */
typedef struct {
    const guint8 *numbers, *texts;
    gsize numbers_left, texts_left;
} Reader;

static gboolean
take(Reader *reader, gint64 *numbers, gsize count)
{
    if (reader->numbers_left < count)
        return FALSE;
    memcpy(numbers, reader->numbers, count * sizeof *numbers);
    reader->numbers += count * sizeof *numbers;
    reader->numbers_left -= count;
    return TRUE;
}

static gboolean
take_text(Reader *reader, gint64 length, char **text)
{
    if (length < 0 || (gsize)length > reader->texts_left)
        return FALSE;
    *text = g_strndup((const char *)reader->texts, (gsize)length);
    reader->texts += length;
    reader->texts_left -= (gsize)length;
    return TRUE;
}

/* A record whose ends are not known yet is left out. Its chunk is not done, so it is found again; as the last of
 * a full list it would keep itself from being found. */
static gboolean
take_entry(Reader *reader, CsBestList *best)
{
    gint64 n[ENTRY_NUMBERS];
    g_autofree char *name = NULL, *cigar = NULL;
    if (!take(reader, n, ENTRY_NUMBERS) || !take_text(reader, n[11], &name) ||
        (n[12] >= 0 && !take_text(reader, n[12], &cigar)))
        return FALSE;
    const CsBestEntry entry = {.score = n[0],
                               .number = n[1],
                               .name = name,
                               .length = n[2],
                               .strand = (CsStrand)n[3],
                               .column = n[4],
                               .row = n[5],
                               .column_start = n[6],
                               .row_start = n[7],
                               .matches = n[8],
                               .columns = n[9],
                               .gap_openings = n[10],
                               .cigar = cigar};
    if (n[1] < 0 || (n[3] != CS_STRAND_PLUS && n[3] != CS_STRAND_MINUS))
        return FALSE;
    if (entry.column > 0)
        cs_best_list_add(best, &entry);
    return TRUE;
}

gboolean
cs_search_state_unpack(const guint8 *bytes, gsize size, gint64 numbers, CsQueries *queries,
                       CsSearchState *state)
{
    gint64 head[HEAD_NUMBERS], of_query[QUERY_NUMBERS];
    if (numbers < 0 || (gsize)numbers > size / sizeof(gint64))
        return FALSE;
    const gsize first = (gsize)numbers * sizeof(gint64);
    Reader reader = {bytes, bytes + first, (gsize)numbers, size - first};
    if (!take(&reader, head, HEAD_NUMBERS) || head[8] != queries->count)
        return FALSE;
    for (guint k = 0; k < 2; k++)
        state->marks[k] =
            (CsDatabaseMark){head[3 * k], {(guint64)head[3 * k + 1], (guint64)head[3 * k + 2]}};
    state->cells = head[6];
    state->seconds = (double)head[7] / 1e6;
    for (gint64 k = 0; k < queries->count; k++) {
        CsQuery *query = &queries->queries[k];
        if (!take(&reader, of_query, QUERY_NUMBERS))
            return FALSE;
        query->done = of_query[0];
        for (gint64 n = 0; n < of_query[1]; n++)
            if (!take_entry(&reader, &query->best))
                return FALSE;
        cs_best_list_trim(&query->best);
    }
    return TRUE;
}
