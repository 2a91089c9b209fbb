/* The scores of a search from a GPU: see device_scores.h. */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "search/alphabet.h"
#include "search/device_scores.h"
#include "system/memory.h"

enum {
    WINDOW = 64,                               /* queries that are taken the longest first */
    BATCH_LETTERS = 1 << 15,                   /* of queries; more would only delay a stop */
    BATCH_SCORES = CS_DEVICE_SCORES_BYTES / 8, /* each in 32 bits, and twice in 16 */
};

/* A query on a strand. */
typedef struct {
    guint number;
    CsStrand strand;
} Item;

typedef struct {
    Item items[CS_SCORER_SEQUENCES];
    guint count;
    gboolean submitted;
} Batch;

struct _CsDeviceScores {
    const CsScorerClass *class;
    CsScorer *scorer;
    CsQueries *queries; /* of the chunk */
    GArray *batches;
    gint64 end;        /* of the chunk: number of the record behind its last one */
    guint sent, given; /* batches */
    guint most;        /* items of a batch */
    gint32 *scores[CS_SCORER_SEQUENCES]; /* of the batch that was given last */
};

CsScorerScoring
cs_device_scoring(const CsQueries *queries)
{
    const CsPairScoring *scoring = &queries->scoring;
    return (CsScorerScoring){
        .pairs = scoring->pairs,
        .letters = queries->alphabet == CS_ALPHABET_PROTEIN ? CS_PROTEIN_LETTERS : CS_BASE_LETTERS,
        .lowest = scoring->lowest,
        .highest = scoring->highest,
        .first = scoring->first,
        .more = scoring->more};
}

static int
longest_first(const void *a, const void *b, void *data)
{
    const CsQuery *queries = data;
    const guint one = *(const guint *)a, other = *(const guint *)b;
    const gint64 lengths[] = {queries[one].length, queries[other].length};
    return lengths[0] != lengths[1] ? (lengths[0] > lengths[1] ? -1 : 1)
                                    : (one < other ? -1 : one > other);
}

static CsQuery *
query_of(const CsDeviceScores *scores, const Item *item)
{
    return &scores->queries->queries[item->number];
}

/* Letters of the longer half of what is computed side by side, from an item on. */
static gint64
half_of(const CsDeviceScores *scores, const Batch *batch, guint from)
{
    gint64 halves[2] = {0, 0};
    for (guint k = from; k < batch->count; k++)
        halves[halves[1] < halves[0]] += query_of(scores, &batch->items[k])->length;
    return MAX(halves[0], halves[1]);
}

/* A query that is much longer than the others together is computed alone, which costs a third more
 * than its half of two. */
static gboolean
is_better_alone(const CsDeviceScores *scores, const Batch *batch, guint k)
{
    const gint64 length = query_of(scores, &batch->items[k])->length;
    return 6 * half_of(scores, batch, k) > 4 * length + 6 * half_of(scores, batch, k + 1);
}

/* Appends the batch, and before it those items that are better alone. */
static void
add_batch(CsDeviceScores *scores, Batch *batch)
{
    guint from = 0;
    for (; from < batch->count && is_better_alone(scores, batch, from); from++) {
        const Batch alone = {.items = {batch->items[from]}, .count = 1};
        g_array_append_val(scores->batches, alone);
    }
    Batch rest = {.count = batch->count - from};
    memcpy(rest.items, batch->items + from, rest.count * sizeof *rest.items);
    if (rest.count > 0)
        g_array_append_val(scores->batches, rest);
    batch->count = 0;
}

/* Batches of the queries of a window, whose numbers are sorted, that of the longest first. */
static void
add_window(CsDeviceScores *scores, const guint *numbers, guint count)
{
    const CsStrand wanted = scores->queries->strand;
    const guint strands = wanted == CS_STRAND_BOTH ? 2 : 1;
    Batch batch = {.count = 0};
    gint64 letters = 0;
    for (guint k = 0; k < count; k++) {
        for (guint strand = 0; strand < strands; strand++) {
            const Item item = {numbers[k], strands == 1 ? wanted : (CsStrand)strand};
            batch.items[batch.count++] = item;
            letters += query_of(scores, &item)->length;
        }
        if (letters < BATCH_LETTERS && batch.count + strands <= scores->most && k + 1 < count)
            continue;
        add_batch(scores, &batch);
        letters = 0;
    }
}

/* For a chunk of so many records. */
static void
make_batches(CsDeviceScores *scores, guint records)
{
    const gint64 count = scores->queries->count;
    guint numbers[WINDOW];
    scores->most = CLAMP(BATCH_SCORES / MAX(records, 1), 2, CS_SCORER_SEQUENCES);
    g_array_set_size(scores->batches, 0);
    for (gint64 from = 0; from < count; from += WINDOW) {
        const guint some = (guint)MIN(WINDOW, count - from);
        for (guint k = 0; k < some; k++)
            numbers[k] = (guint)from + k;
        qsort_r(numbers, some, sizeof *numbers, longest_first, scores->queries->queries);
        add_window(scores, numbers, some);
    }
}

CsDeviceScores *
cs_device_scores_new(const CsScorerClass *scorer, const char *device, const CsQueries *queries,
                     GError **error)
{
    g_autoptr(CsDeviceScores) scores = g_new0(CsDeviceScores, 1);
    const CsScorerScoring scoring = cs_device_scoring(queries);
    scores->class = scorer;
    scores->batches = g_array_new(FALSE, FALSE, sizeof(Batch));
    scores->scorer = scorer->open(device, &scoring, error);
    if (scores->scorer == NULL)
        return NULL;
    return g_steal_pointer(&scores);
}

const char *
cs_device_scores_name(const CsDeviceScores *scores)
{
    return scores->class->describe(scores->scorer);
}

static gboolean
fail_memory(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for the scores of a chunk");
    return FALSE;
}

static gboolean
make_room(CsDeviceScores *scores, guint count, GError **error)
{
    for (guint k = 0; k < CS_SCORER_SEQUENCES; k++) {
        g_clear_pointer(&scores->scores[k], g_free);
        if (k >= scores->most)
            continue;
        scores->scores[k] = cs_memory_try_new(gint32, MAX(count, 1));
        if (scores->scores[k] == NULL)
            return fail_memory(error);
    }
    return TRUE;
}

gboolean
cs_device_scores_begin(CsDeviceScores *scores, CsQueries *queries, const CsRecordChunk *chunk,
                       guint threads, GError **error)
{
    scores->queries = queries;
    scores->sent = scores->given = 0;
    scores->end = chunk->first + chunk->count;
    make_batches(scores, chunk->count);
    g_autofree CsScorerSequence *records =
        cs_memory_try_new(CsScorerSequence, MAX(chunk->count, 1));
    if (records == NULL)
        return fail_memory(error);
    for (guint k = 0; k < chunk->count; k++)
        records[k] = (CsScorerSequence){chunk->letters + chunk->records[k].letters,
                                        chunk->records[k].length};
    return make_room(scores, chunk->count, error) &&
           scores->class->load(scores->scorer, records, chunk->count, threads, error);
}

/* Submits a batch, unless its queries are done with the chunk. */
static gboolean
submit(CsDeviceScores *scores, Batch *batch, GError **error)
{
    CsScorerSequence sequences[CS_SCORER_SEQUENCES];
    batch->submitted = FALSE;
    for (guint k = 0; k < batch->count; k++) {
        const CsQuery *query = query_of(scores, &batch->items[k]);
        sequences[k] = (CsScorerSequence){query->strands[batch->items[k].strand], query->length};
        batch->submitted |= query->done < scores->end;
    }
    return !batch->submitted ||
           scores->class->submit(scores->scorer, sequences, batch->count, error);
}

gboolean
cs_device_scores_next(CsDeviceScores *scores, CsDeviceBatch *next, GError **error)
{
    *next = (CsDeviceBatch){0};
    if (scores->given == scores->batches->len)
        return TRUE;
    for (; scores->sent < MIN(scores->given + CS_SCORER_SLOTS, scores->batches->len);
         scores->sent++)
        if (!submit(scores, &g_array_index(scores->batches, Batch, scores->sent), error))
            return FALSE;
    const Batch *batch = &g_array_index(scores->batches, Batch, scores->given);
    if (batch->submitted && !scores->class->collect(scores->scorer, scores->scores, error))
        return FALSE;
    scores->given++;
    for (guint k = 0; k < batch->count; k++) {
        const Item *item = &batch->items[k];
        if (k == 0 || item->number != batch->items[k - 1].number)
            next->numbers[next->count++] = item->number;
        query_of(scores, item)->scores[item->strand] = batch->submitted ? scores->scores[k] : NULL;
    }
    return TRUE;
}

void
cs_device_scores_end(CsDeviceScores *scores)
{
    for (; scores->given < scores->sent; scores->given++) {
        const Batch *batch = &g_array_index(scores->batches, Batch, scores->given);
        if (batch->submitted)
            (void)scores->class->collect(scores->scorer, scores->scores, NULL);
    }
}

void
cs_device_scores_free(CsDeviceScores *scores)
{
    if (scores->scorer != NULL)
        scores->class->free(scores->scorer);
    g_array_unref(scores->batches);
    for (guint k = 0; k < CS_SCORER_SEQUENCES; k++)
        g_free(scores->scores[k]);
    g_free(scores);
}
