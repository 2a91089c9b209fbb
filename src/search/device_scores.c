/* The scores of a search from a GPU: see device_scores.h. */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "search/alphabet.h"
#include "search/device_scores.h"
#include "system/memory.h"

enum {
    WINDOW = 64, /* queries among which those of like length are taken together */
};

/* A query on a strand. */
typedef struct {
    guint number;
    CsStrand strand;
} Item;

typedef struct {
    Item items[2];
    guint count;
    gboolean submitted;
} Batch;

struct _CsDeviceScores {
    const CsScorerClass *class;
    CsScorer *scorer;
    CsQueries *queries;
    GArray *batches;
    gint64 end;        /* of the chunk: number of the record behind its last one */
    guint sent, given; /* batches */
    guint room;        /* records that there is room for in `scores` */
    gint32 *scores[2]; /* of the batch that was given last */
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

/* Two queries cost what twice the longer one would; one alone costs a quarter more than its half. */
static gboolean
is_better_together(const CsQuery *shorter, const CsQuery *longer)
{
    return longer->length * 3 <= shorter->length * 5;
}

static void
add_batch(CsDeviceScores *scores, Item one, const Item *other)
{
    Batch batch = {.items = {one}, .count = 1};
    if (other != NULL)
        batch.items[batch.count++] = *other;
    g_array_append_val(scores->batches, batch);
}

/* Batches of the queries of a window, whose numbers are sorted, that of the longest first: if one
 * remains alone, it is short. */
static void
add_window(CsDeviceScores *scores, const guint *numbers, guint count)
{
    const CsQuery *queries = scores->queries->queries;
    for (guint k = 0; k < count; k++) {
        const Item one = {numbers[k], scores->queries->strand};
        if (k + 1 == count || !is_better_together(&queries[numbers[k + 1]], &queries[numbers[k]])) {
            add_batch(scores, one, NULL);
            continue;
        }
        add_batch(scores, one, &(Item){numbers[++k], scores->queries->strand});
    }
}

static void
make_batches(CsDeviceScores *scores)
{
    const gint64 count = scores->queries->count;
    guint numbers[WINDOW];
    for (gint64 from = 0; from < count; from += WINDOW) {
        const guint some = (guint)MIN(WINDOW, count - from);
        for (guint k = 0; k < some; k++)
            numbers[k] = (guint)from + k;
        if (scores->queries->strand != CS_STRAND_BOTH) {
            qsort_r(numbers, some, sizeof *numbers, longest_first, scores->queries->queries);
            add_window(scores, numbers, some);
            continue;
        }
        for (guint k = 0; k < some; k++)
            add_batch(scores, (Item){numbers[k], CS_STRAND_PLUS},
                      &(Item){numbers[k], CS_STRAND_MINUS});
    }
}

CsDeviceScores *
cs_device_scores_new(const CsScorerClass *scorer, const char *device, CsQueries *queries,
                     GError **error)
{
    g_autoptr(CsDeviceScores) scores = g_new0(CsDeviceScores, 1);
    const CsScorerScoring scoring = cs_device_scoring(queries);
    scores->class = scorer;
    scores->queries = queries;
    scores->batches = g_array_new(FALSE, FALSE, sizeof(Batch));
    scores->scorer = scorer->open(device, &scoring, error);
    if (scores->scorer == NULL)
        return NULL;
    make_batches(scores);
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
    if (count <= scores->room)
        return TRUE;
    scores->room = 0;
    for (guint k = 0; k < 2; k++) {
        g_free(scores->scores[k]);
        scores->scores[k] = cs_memory_try_new(gint32, count);
        if (scores->scores[k] == NULL)
            return fail_memory(error);
    }
    scores->room = count;
    return TRUE;
}

gboolean
cs_device_scores_begin(CsDeviceScores *scores, const CsRecordChunk *chunk, guint threads,
                       GError **error)
{
    scores->sent = scores->given = 0;
    scores->end = chunk->first + chunk->count;
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

static CsQuery *
query_of(const CsDeviceScores *scores, const Item *item)
{
    return &scores->queries->queries[item->number];
}

/* Submits a batch, unless its queries are done with the chunk. */
static gboolean
submit(CsDeviceScores *scores, Batch *batch, GError **error)
{
    CsScorerSequence sequences[2];
    batch->submitted = FALSE;
    for (guint k = 0; k < batch->count; k++) {
        const CsQuery *query = query_of(scores, &batch->items[k]);
        sequences[k] = (CsScorerSequence){query->strands[batch->items[k].strand], query->length};
        batch->submitted |= query->done < scores->end;
    }
    return !batch->submitted ||
           scores->class->submit(scores->scorer, &sequences[0],
                                 batch->count > 1 ? &sequences[1] : NULL, error);
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
    if (batch->submitted &&
        !scores->class->collect(scores->scorer, scores->scores[0],
                                batch->count > 1 ? scores->scores[1] : NULL, error))
        return FALSE;
    scores->given++;
    for (guint k = 0; k < batch->count; k++) {
        const Item *item = &batch->items[k];
        if (k == 0 || item->number != batch->items[0].number)
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
            (void)scores->class->collect(scores->scorer, scores->scores[0], scores->scores[1],
                                         NULL);
    }
}

void
cs_device_scores_free(CsDeviceScores *scores)
{
    if (scores->scorer != NULL)
        scores->class->free(scores->scorer);
    g_array_unref(scores->batches);
    g_free(scores->scores[0]);
    g_free(scores->scores[1]);
    g_free(scores);
}
