/* Records on a GPU, and what is submitted for them: see cuda_tapes.h. */
#include <string.h>

#include <chromosweep/error.h>

#include "cuda/cuda_tapes.h"
#include "system/parallel.h"

enum {
    TAPE_LETTERS = 2048,   /* about; filling a team takes a step a lane */
    STAGED_RECORDS = 4096, /* of a task */
    WARPS = 16,            /* about, of a multiprocessor */
};

static gboolean
enter(const CsCudaTapes *tapes, GError **error)
{
    return cs_cuda_check(cudaSetDevice(tapes->ordinal), "choosing the device", error);
}

gboolean
cs_cuda_tapes_upload(const CsCudaTapes *tapes, void *to, const void *from, gsize bytes,
                     GError **error)
{
    return cs_cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, tapes->stream),
                         "copying to the device", error);
}

gboolean
cs_cuda_tapes_wait(const CsCudaTapes *tapes, GError **error)
{
    return cs_cuda_check(cudaStreamSynchronize(tapes->stream), "running on the device", error);
}

/* CHROMOSWEEP_SCORE_FORM is ROWS[:LANES[:LETTERS]], such as 32:16:2000. */
static void
read_form(CsCudaTapes *tapes)
{
    const char *wanted = g_getenv("CHROMOSWEEP_SCORE_FORM");
    int *const numbers[] = {&tapes->rows_only, &tapes->lanes_only, &tapes->tape_only};
    g_auto(GStrv) parts = g_strsplit(wanted != NULL ? wanted : "", ":", G_N_ELEMENTS(numbers));
    for (guint k = 0; parts[k] != NULL; k++)
        *numbers[k] = (int)g_ascii_strtoull(parts[k], NULL, 10);
}

gboolean
cs_cuda_tapes_open(CsCudaTapes *tapes, const char *device, guint letters, guint nones,
                   GError **error)
{
    if (!cs_cuda_device_open(device, &tapes->ordinal, error))
        return FALSE;
    tapes->size = cs_cuda_device_size(tapes->ordinal);
    tapes->none = (gint32)letters;
    tapes->nones = nones;
    tapes->staged.pinned = TRUE;
    read_form(tapes);
    if (!cs_cuda_check(cudaStreamCreateWithFlags(&tapes->stream, cudaStreamNonBlocking),
                       "creating a stream", error))
        return FALSE;
    for (guint k = 0; k < CS_SCORER_SLOTS; k++) {
        tapes->slots[k].fetched.pinned = TRUE;
        if (!cs_cuda_check(cudaEventCreateWithFlags(&tapes->slots[k].done,
                                                    cudaEventDisableTiming | cudaEventBlockingSync),
                           "creating an event", error))
            return FALSE;
    }
    return TRUE;
}

void
cs_cuda_tapes_clear(CsCudaTapes *tapes)
{
    CsCudaBuffer *buffers[] = {&tapes->letters, &tapes->records, &tapes->column, &tapes->next,
                               &tapes->staged};
    (void)cudaSetDevice(tapes->ordinal);
    if (tapes->stream != NULL)
        (void)cudaStreamSynchronize(tapes->stream);
    for (guint k = 0; k < G_N_ELEMENTS(buffers); k++)
        cs_cuda_buffer_clear(buffers[k]);
    for (guint k = 0; k < CS_CUDA_LANE_COUNTS; k++)
        cs_cuda_buffer_clear(&tapes->tapes[k]);
    for (guint k = 0; k < CS_SCORER_SLOTS; k++) {
        cs_cuda_buffer_clear(&tapes->slots[k].queries);
        cs_cuda_buffer_clear(&tapes->slots[k].found);
        cs_cuda_buffer_clear(&tapes->slots[k].fetched);
        if (tapes->slots[k].done != NULL)
            (void)cudaEventDestroy(tapes->slots[k].done);
    }
    if (tapes->stream != NULL)
        (void)cudaStreamDestroy(tapes->stream);
    g_free(tapes->too_long);
}

const char *
cs_cuda_tapes_describe(const CsCudaTapes *tapes)
{
    const char *name = cs_cuda_device_name(tapes->ordinal, NULL);
    return name != NULL ? name : "a GPU";
}

/* Places of the records that are not too long, the longest first. An empty one comes last, for a whole
 * number of pairs. */
static void
place_records(CsCudaTapes *tapes, const CsScorerSequence *records)
{
    /* By length: of the next record its place, and where its letters begin. */
    g_autofree guint *place = g_new0(guint, tapes->longest + 1);
    g_autofree guint32 *start = g_new(guint32, tapes->longest + 1);
    for (guint k = 0; k < tapes->count; k++)
        if (records[k].length <= CS_CUDA_LONGEST)
            place[records[k].length]++;
    guint before = 0;
    guint32 letters = CS_TAPE_PAD;
    for (gint64 length = tapes->longest; length >= 0; length--) {
        const guint count = place[length];
        place[length] = before;
        start[length] = letters;
        before += count;
        letters += count * ((guint32)length + tapes->nones);
    }
    guint others = 0;
    for (guint k = 0; k < tapes->count; k++) {
        const gint64 length = records[k].length;
        if (length > CS_CUDA_LONGEST) {
            tapes->too_long[others++] = k;
            continue;
        }
        tapes->places[place[length]++] = (CsTapeRecord){start[length], (gint32)length, k};
        start[length] += (guint32)length + tapes->nones;
    }
    tapes->places[tapes->loaded] = (CsTapeRecord){letters, 0, tapes->count};
}

/* Letters on their way to the device. */
typedef struct {
    const CsCudaTapes *tapes;
    const CsScorerSequence *records;
    guint8 *letters;
} Staging;

/* Lays out some of the records. */
static void
stage_records(gint64 task, gpointer data)
{
    const Staging *staging = data;
    const CsCudaTapes *tapes = staging->tapes;
    const guint from = (guint)task * STAGED_RECORDS;
    for (guint k = from; k < MIN(from + STAGED_RECORDS, tapes->loaded); k++) {
        const CsTapeRecord *place = &tapes->places[k];
        guint8 *to = staging->letters + place->start;
        memcpy(to, staging->records[place->number].letters, (gsize)place->length);
        memset(to + place->length, tapes->none, tapes->nones);
    }
}

/* With those that are none behind each record: cut_tapes(). */
static gint64
longest_tape(const CsCudaTapes *tapes)
{
    return MAX(tapes->longest + tapes->nones, MAX(TAPE_LETTERS, tapes->tape_only));
}

static void
count_records(CsCudaTapes *tapes, const CsScorerSequence *records)
{
    tapes->loaded = 0;
    tapes->loaded_letters = tapes->longest = 0;
    for (guint k = 0; k < tapes->count; k++)
        if (records[k].length <= CS_CUDA_LONGEST) {
            tapes->loaded++;
            tapes->loaded_letters += records[k].length;
            tapes->longest = MAX(tapes->longest, records[k].length);
        }
}

gboolean
cs_cuda_tapes_load(CsCudaTapes *tapes, const CsScorerSequence *records, guint count, guint threads,
                   GError **error)
{
    g_return_val_if_fail(tapes->submitted == tapes->collected, FALSE);
    if (!enter(tapes, error))
        return FALSE;
    tapes->count = count;
    count_records(tapes, records);
    g_free(tapes->too_long);
    tapes->too_long = g_new(guint, count - tapes->loaded);
    memset(tapes->tape_counts, 0, sizeof tapes->tape_counts);
    const gsize places = (tapes->loaded + (gsize)1) * sizeof(CsTapeRecord);
    const gsize letters =
        (gsize)tapes->loaded_letters + (gsize)tapes->nones * tapes->loaded + CS_TAPE_PAD;
    const gsize behind = (gsize)longest_tape(tapes) + 2 * CS_TAPE_PAD;
    tapes->device_letters = (gint64)(letters + behind);
    if (letters + behind > G_MAXUINT32) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "a chunk of %u records is too many for the GPU", count);
        return FALSE;
    }
    if (!cs_cuda_buffer_reserve(&tapes->staged, places + letters, error) ||
        !cs_cuda_buffer_reserve(&tapes->records, places, error) ||
        !cs_cuda_buffer_reserve(&tapes->letters, letters + behind, error))
        return FALSE;
    tapes->places = tapes->staged.start;
    place_records(tapes, records);
    Staging staging = {tapes, records, (guint8 *)tapes->staged.start + places};
    memset(staging.letters, tapes->none, CS_TAPE_PAD);
    cs_parallel_run((tapes->loaded + STAGED_RECORDS - 1) / STAGED_RECORDS, threads, NULL,
                    stage_records, &staging);
    return cs_cuda_tapes_upload(tapes, tapes->records.start, tapes->places, places, error) &&
           cs_cuda_tapes_upload(tapes, tapes->letters.start, staging.letters, letters, error) &&
           cs_cuda_check(cudaMemsetAsync((guint8 *)tapes->letters.start + letters, tapes->none,
                                         behind, tapes->stream),
                         "clearing memory", error) &&
           cs_cuda_tapes_wait(tapes, error);
}

/*
 * Cuts the records into tapes. The teams of a warp take their tapes together, so these have as many
 * records; since they are sorted, they are about as long. Towards the end tapes get shorter, so that
 * all warps end at about the same time. Returns how many there are.
 */
static guint
cut_tapes(const CsCudaTapes *tapes, guint lanes, guint32 *begins)
{
    guint count = 0;
    const CsTapeRecord *places = tapes->places;
    const guint teams = CS_CUDA_LANES / lanes;
    const gint64 all = 2 * (gint64)teams * WARPS * tapes->size.multiprocessors;
    guint32 next = 0;
    while (next < tapes->loaded) {
        const gint64 rest = (gint64)places[tapes->loaded].start - places[next].start;
        const gint64 wanted = MIN(TAPE_LETTERS, rest / all);
        const gint64 letters = tapes->tape_only > 0 ? tapes->tape_only : wanted;
        const guint32 records = (guint32)MAX(letters / (places[next].length + tapes->nones), 1);
        for (guint team = 0; team < teams && next < tapes->loaded; team++) {
            begins[count++] = next;
            next += MIN(records, tapes->loaded - next);
        }
    }
    begins[count] = next;
    return count;
}

gboolean
cs_cuda_tapes_take(CsCudaTapes *tapes, CsTapeLaunch *launch, GError **error)
{
    const guint kind = g_bit_storage((gulong)launch->lanes) - 1;
    CsCudaBuffer *buffer = &tapes->tapes[kind];
    if (tapes->tape_counts[kind] == 0) {
        g_autofree guint32 *begins = g_new(guint32, tapes->loaded + (gsize)1);
        const guint count = cut_tapes(tapes, (guint)launch->lanes, begins);
        const gsize bytes = (count + (gsize)1) * sizeof *begins;
        if (!cs_cuda_buffer_reserve(buffer, bytes, error) ||
            !cs_cuda_tapes_upload(tapes, buffer->start, begins, bytes, error))
            return FALSE;
        tapes->tape_counts[kind] = count;
    }
    launch->tapes = buffer->start;
    launch->units = (gint32)tapes->tape_counts[kind];
    return TRUE;
}

CsCudaSlot *
cs_cuda_tapes_next_slot(CsCudaTapes *tapes, gint64 longest_query, GError **error)
{
    g_return_val_if_fail(tapes->submitted - tapes->collected < CS_SCORER_SLOTS, NULL);
    CsCudaSlot *slot = &tapes->slots[tapes->submitted % CS_SCORER_SLOTS];
    slot->known = longest_query <= CS_CUDA_LONGEST_QUERY && tapes->loaded > 0;
    return enter(tapes, error) ? slot : NULL;
}

gboolean
cs_cuda_tapes_begin(CsCudaTapes *tapes, CsCudaSlot *slot, const CsScorerSequence *one,
                    const CsScorerSequence *other, gsize found_bytes, CsTapeLaunch *launch,
                    GError **error)
{
    const gint64 other_length = other != NULL ? other->length : 0;
    /* One more: that of the empty record. */
    const gsize found = (tapes->count + (gsize)1) * found_bytes;
    if (!cs_cuda_buffer_reserve(&slot->queries, (gsize)(one->length + other_length), error) ||
        !cs_cuda_buffer_reserve(&slot->found, found, error) ||
        !cs_cuda_buffer_reserve(&slot->fetched, found, error))
        return FALSE;
    guint8 *queries = slot->queries.start;
    *launch = (CsTapeLaunch){
        .letters = tapes->letters.start,
        .records = tapes->records.start,
        .none = tapes->none,
        .queries = {queries, other != NULL ? queries + one->length : queries},
        .query_rows = {(gint32)one->length, (gint32)(other != NULL ? other : one)->length},
        .factor = 1,
        .high = 1 << 16,
        .found = slot->found.start,
    };
    return cs_cuda_tapes_upload(tapes, queries, one->letters, (gsize)one->length, error) &&
           (other == NULL || cs_cuda_tapes_upload(tapes, queries + one->length, other->letters,
                                                  (gsize)other->length, error));
}

gboolean
cs_cuda_tapes_fetch(CsCudaTapes *tapes, CsCudaSlot *slot, gsize found_bytes, GError **error)
{
    return cs_cuda_check(cudaMemcpyAsync(slot->fetched.start, slot->found.start,
                                         (tapes->count + (gsize)1) * found_bytes,
                                         cudaMemcpyDeviceToHost, tapes->stream),
                         "copying from the device", error);
}

gboolean
cs_cuda_tapes_submit(CsCudaTapes *tapes, CsCudaSlot *slot, GError **error)
{
    if (!cs_cuda_check(cudaEventRecord(slot->done, tapes->stream), "recording an event", error))
        return FALSE;
    tapes->submitted++;
    return TRUE;
}

const CsCudaSlot *
cs_cuda_tapes_collect(CsCudaTapes *tapes, GError **error)
{
    g_return_val_if_fail(tapes->collected < tapes->submitted, NULL);
    const CsCudaSlot *slot = &tapes->slots[tapes->collected % CS_SCORER_SLOTS];
    if (!enter(tapes, error) ||
        !cs_cuda_check(cudaEventSynchronize(slot->done), "running on the device", error))
        return NULL;
    tapes->collected++;
    return slot;
}
