/*
 * A chunk of the database. A task is a query and a slice of the records, and puts what it finds into
 * the list of the query. Whoever does the last slice of a query also finds the ends of the records
 * that are still in its list. So only some hundred records of a chunk are computed twice. Queries are
 * taken one after the other, so that one after the other is done.
 *
 * With a GPU the tasks are those of a batch of queries at a time, whose scores it has found
 * (device_scores.h), and compute only what it does not know. Then the ends of all queries of the batch
 * are tasks. So all else is as without it.
 *
 * In a slice the longest records come first, so that at its end few lanes are idle.
 */
#include <pthread.h>
#include <stdlib.h>

#include <chromosweep/error.h>

#include "search/hit_path.h"
#include "search/search_chunk.h"
#include "sequence/bases.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    SLICE_LEAST = 1 << 18, /* letters; a shorter slice would waste lanes at its end */
    TASKS_PER_THREAD = 4,
    PARTS = 8, /* of the entries of a query in a batch; each has enough for the lanes */
};

typedef struct {
    guint from, to; /* records */
    gint64 letters;
} Slice;

typedef struct {
    CsChunkSearch *search;
    const CsRecordChunk *chunk;
    GArray *slices;
    const guint *batch;   /* numbers of the queries under way; NULL: all */
    pthread_mutex_t lock; /* of all lists and of CsQuery.lanes */
} Work;

static void
fail(Work *work)
{
    work->search->failed = 1;
}

static gboolean
is_over(const Work *work)
{
    return work->search->failed || cs_is_stopped(work->search->stop);
}

/* Aligned scratch for a query. *memory is what to free. */
static gpointer
allocate_scratch(const CsQuery *query, gpointer *memory)
{
    *memory = cs_memory_try(cs_lane_scratch(query->length) + CS_LANE_VECTOR_MAX, 1);
    if (*memory == NULL)
        return NULL;
    return (char *)*memory + (-(guintptr)*memory & (CS_LANE_VECTOR_MAX - 1));
}

static CsPairQuery
make_query(const Work *work, const CsQuery *query, CsStrand strand, gpointer scratch)
{
    return (CsPairQuery){.kernels = work->search->kernels,
                         .scoring = &work->search->queries->scoring,
                         .query = query->strands[strand],
                         .rows = query->length,
                         .lanes = query->lanes,
                         .stop = work->search->stop,
                         .scratch = scratch};
}

static int
longest_first(const void *a, const void *b, void *data)
{
    const CsStreamRecord *records = data;
    const guint one = *(const guint *)a, other = *(const guint *)b;
    const gint64 lengths[] = {records[one].length, records[other].length};
    return lengths[0] != lengths[1] ? (lengths[0] > lengths[1] ? -1 : 1)
                                    : (one < other ? -1 : one > other);
}

/* What a task needs: the records of its slice, the longest first, and what is found of them. */
typedef struct {
    guint count;
    guint *numbers; /* in the chunk */
    CsLaneRecord *records;
    CsLaneFound *found[2]; /* on each strand */
    gpointer scratch, memory;
} Task;

static void
task_clear(Task *task)
{
    g_free(task->numbers);
    g_free(task->records);
    g_free(task->found[0]);
    g_free(task->found[1]);
    g_free(task->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Task, task_clear)

static gboolean
task_init(Task *task, const Work *work, const CsQuery *query, guint count)
{
    task->count = count;
    task->numbers = cs_memory_try_new(guint, MAX(count, 1));
    task->records = cs_memory_try_new(CsLaneRecord, MAX(count, 1));
    for (guint k = 0; k < 2; k++)
        task->found[k] = cs_memory_try_new(CsLaneFound, MAX(count, 1));
    task->scratch = allocate_scratch(query, &task->memory);
    return task->numbers != NULL && task->records != NULL && task->found[0] != NULL &&
           task->found[1] != NULL && task->scratch != NULL;
}

static void
take_record(Task *task, const CsRecordChunk *chunk, guint k, guint number)
{
    const CsStreamRecord *record = &chunk->records[number];
    task->numbers[k] = number;
    task->records[k] = (CsLaneRecord){chunk->letters + record->letters, record->length, 0};
}

/* The scores of records on a strand. */
static gboolean
compute_scores(Work *work, CsQuery *query, CsStrand strand, const Task *task,
               const CsLaneRecord *records, guint count, CsLaneFound *found)
{
    pthread_mutex_lock(&work->lock);
    CsPairQuery pair = make_query(work, query, strand, task->scratch);
    pthread_mutex_unlock(&work->lock);
    const gboolean good = cs_pair_scores(&pair, records, count, found);
    pthread_mutex_lock(&work->lock);
    query->lanes = MAX(query->lanes, pair.lanes);
    pthread_mutex_unlock(&work->lock);
    return good;
}

/* The scores of a strand: what a GPU has found, and all that it has not. */
static gboolean
find_scores(Work *work, CsQuery *query, CsStrand strand, Task *task)
{
    const gint32 *known = query->scores[strand];
    CsLaneFound *found = task->found[strand];
    guint count = 0;
    if (known == NULL)
        return compute_scores(work, query, strand, task, task->records, task->count, found);
    for (guint k = 0; k < task->count; k++) {
        found[k] = (CsLaneFound){.score = known[task->numbers[k]]};
        count += found[k].score < 0;
    }
    if (count == 0)
        return TRUE;
    g_autofree CsLaneRecord *records = cs_memory_try_new(CsLaneRecord, count);
    g_autofree CsLaneFound *rest = cs_memory_try_new(CsLaneFound, count);
    if (records == NULL || rest == NULL)
        return FALSE;
    count = 0;
    for (guint k = 0; k < task->count; k++)
        if (found[k].score < 0)
            records[count++] = task->records[k];
    if (!compute_scores(work, query, strand, task, records, count, rest))
        return FALSE;
    count = 0;
    for (guint k = 0; k < task->count; k++)
        if (found[k].score < 0)
            found[k] = rest[count++];
    return TRUE;
}

/* Puts a record with its scores on both strands into the list of the query; -1 on one that is not
 * searched. The lock is held. */
static void
add_record(Work *work, CsQuery *query, guint number, gint64 plus, gint64 minus)
{
    const CsRecordChunk *chunk = work->chunk;
    const CsStreamRecord *record = &chunk->records[number];
    const CsBestEntry entry = {.score = MAX(plus, minus),
                               .number = chunk->first + number,
                               .name = (char *)chunk->names + record->name,
                               .length = record->length,
                               .strand = minus > plus ? CS_STRAND_MINUS : CS_STRAND_PLUS};
    if (cs_best_list_wants(&query->best, entry.score, entry.number))
        cs_best_list_add(&query->best, &entry);
}

static gboolean
has_strand(const Work *work, CsStrand strand)
{
    const CsStrand wanted = work->search->queries->strand;
    return wanted == CS_STRAND_BOTH || wanted == strand;
}

static void
add_records(Work *work, CsQuery *query, const Task *task)
{
    const gboolean plus = has_strand(work, CS_STRAND_PLUS);
    const gboolean minus = has_strand(work, CS_STRAND_MINUS);
    pthread_mutex_lock(&work->lock);
    for (guint k = 0; k < task->count; k++)
        add_record(work, query, task->numbers[k], plus ? task->found[0][k].score : -1,
                   minus ? task->found[1][k].score : -1);
    pthread_mutex_unlock(&work->lock);
}

/* Adds the records from .. to whose scores a GPU has found. Sets the numbers of the others. */
static guint
add_known(Work *work, CsQuery *query, guint from, guint to, guint *others)
{
    const gint32 *plus = has_strand(work, CS_STRAND_PLUS) ? query->scores[0] : NULL;
    const gint32 *minus = has_strand(work, CS_STRAND_MINUS) ? query->scores[1] : NULL;
    gint64 letters = 0;
    guint count = 0;
    pthread_mutex_lock(&work->lock);
    for (guint k = from; k < to; k++) {
        if ((plus != NULL && plus[k] < 0) || (minus != NULL && minus[k] < 0)) {
            others[count++] = k;
            continue;
        }
        add_record(work, query, k, plus != NULL ? plus[k] : -1, minus != NULL ? minus[k] : -1);
        letters += work->chunk->records[k].length;
    }
    pthread_mutex_unlock(&work->lock);
    work->search->cells += query->length * letters * ((plus != NULL) + (minus != NULL));
    return count;
}

/* Searches the records from .. to of the chunk. */
static void
search_records(Work *work, CsQuery *query, guint from, guint to)
{
    g_auto(Task) task = {0};
    gint64 letters = 0;
    if (!task_init(&task, work, query, to - from)) {
        fail(work);
        return;
    }
    if (query->scores[0] != NULL || query->scores[1] != NULL)
        task.count = add_known(work, query, from, to, task.numbers);
    else
        for (guint k = 0; k < task.count; k++)
            task.numbers[k] = from + k;
    if (task.count == 0)
        return;
    qsort_r(task.numbers, task.count, sizeof(guint), longest_first, (void *)work->chunk->records);
    for (guint k = 0; k < task.count; k++) {
        take_record(&task, work->chunk, k, task.numbers[k]);
        letters += task.records[k].length;
    }
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        if (!has_strand(work, strand))
            continue;
        if (!find_scores(work, query, strand, &task))
            fail(work);
        if (is_over(work))
            return;
        work->search->cells += query->length * letters;
    }
    add_records(work, query, &task);
}

/* Whether a column of an alignment is a pair of equal letters. */
static gboolean
is_match(const Work *work, guint8 a, guint8 b)
{
    return a == b &&
           (work->search->queries->alphabet == CS_ALPHABET_PROTEIN || a < CS_CODE_AMBIGUOUS);
}

/* Writes the path as a CIGAR with = and X, and counts. */
static void
describe_path(const Work *work, const CsHitEnd *end, const GString *path, CsBestEntry *entry)
{
    g_autoptr(GString) cigar = g_string_new(NULL);
    gint64 i = entry->row_start - 1, j = entry->column_start - 1, run = 0;
    char before = '\0';
    entry->columns = (gint64)path->len;
    for (gsize k = 0; k <= path->len; k++) {
        char kind = path->str[k]; /* NUL after the last one */
        if (kind == 'M')
            kind = is_match(work, end->query[i], end->record[j]) ? '=' : 'X';
        if (kind != before && run > 0)
            g_string_append_printf(cigar, "%" G_GINT64_FORMAT "%c", run, before);
        if (kind != before)
            entry->gap_openings += kind == 'I' || kind == 'D';
        run = kind == before ? run + 1 : 1;
        before = kind;
        entry->matches += kind == '=';
        i += kind != 'D';
        j += kind != 'I';
    }
    entry->cigar = g_string_free(g_steal_pointer(&cigar), FALSE);
}

/* The start of an entry whose end is known, and its path if that is wanted. */
static gboolean
find_start(Work *work, const CsQuery *query, const guint8 *letters, CsBestEntry *entry)
{
    const CsHitEnd end = {.scoring = &work->search->queries->scoring,
                          .query = query->strands[entry->strand],
                          .record = letters,
                          .rows = entry->row,
                          .columns = entry->column,
                          .score = entry->score,
                          .stop = work->search->stop};
    if (!cs_hit_start(&end, &entry->row_start, &entry->column_start))
        return FALSE;
    if (!work->search->align || is_over(work))
        return TRUE;
    g_autoptr(GString) path = g_string_new(NULL);
    if (!cs_hit_path(&end, entry->row_start, entry->column_start, path))
        return FALSE;
    if (!is_over(work))
        describe_path(work, &end, path, entry);
    return TRUE;
}

/* The entries from .. to of a query, as far as they are from this chunk and on one strand. They have no
 * ends yet. */
static void
find_ends(Work *work, const CsQuery *query, CsStrand strand, guint from, guint to, Task *task)
{
    GArray *entries = query->best.entries;
    g_autofree guint *places = g_new(guint, to - from + 1);
    task->count = 0;
    for (guint k = from; k < to; k++) {
        const CsBestEntry *entry = &g_array_index(entries, CsBestEntry, k);
        const gint64 place = entry->number - work->chunk->first;
        if (entry->column > 0 || entry->strand != strand || place < 0 ||
            place >= work->chunk->count)
            continue;
        places[task->count] = k;
        task->found[0][task->count].score = entry->score;
        take_record(task, work->chunk, task->count++, (guint)place);
    }
    if (task->count == 0)
        return;
    CsPairQuery pair = make_query(work, query, strand, task->scratch);
    if (!cs_pair_ends(&pair, task->records, task->count, task->found[0])) {
        fail(work);
        return;
    }
    for (guint k = 0; !is_over(work) && k < task->count; k++) {
        CsBestEntry *entry = &g_array_index(entries, CsBestEntry, places[k]), whole = *entry;
        whole.column = task->found[0][k].column;
        whole.row = task->found[0][k].row;
        if (!find_start(work, query, task->records[k].letters, &whole))
            fail(work);
        if (!is_over(work))
            *entry = whole; /* an entry has all or nothing, because a state may keep it */
        else
            g_free(whole.cigar);
    }
}

/* A part of the entries of a query whose slices are all done. */
static void
end_part(Work *work, const CsQuery *query, guint part, guint parts)
{
    const guint64 count = query->best.entries->len;
    const guint from = (guint)(count * part / parts), to = (guint)(count * (part + 1) / parts);
    g_auto(Task) task = {0};
    if (!task_init(&task, work, query, to - from)) {
        fail(work);
        return;
    }
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        find_ends(work, query, strand, from, to, &task);
}

/* All entries of the query have their ends. */
static void
finish_query(Work *work, CsQuery *query)
{
    if (is_over(work))
        return;
    query->done = MAX(query->done, work->chunk->first + work->chunk->count);
    g_atomic_int_set(&query->ended, 1);
    work->search->tasks_done++;
}

static CsQuery *
query_at(const Work *work, gint64 place)
{
    return &work->search->queries->queries[work->batch != NULL ? work->batch[place] : place];
}

/* Leaves out what an earlier run has done of the query. */
static void
search_slice(gint64 number, gpointer data)
{
    Work *work = data;
    const Slice *slice = &g_array_index(work->slices, Slice, number % work->slices->len);
    CsQuery *query = query_at(work, number / work->slices->len);
    const gint64 undone = query->done - work->chunk->first;
    const guint from = (guint)CLAMP(undone, (gint64)slice->from, (gint64)slice->to);
    if (is_over(work))
        return;
    if (from < slice->to)
        search_records(work, query, from, slice->to);
    if (is_over(work))
        return;
    work->search->tasks_done++;
    if (!g_atomic_int_dec_and_test(&query->slices))
        return;
    cs_best_list_trim(&query->best);
    if (work->batch != NULL) /* end_batch() */
        return;
    end_part(work, query, 0, 1);
    finish_query(work, query);
}

static void
end_batch_part(gint64 number, gpointer data)
{
    Work *work = data;
    if (!is_over(work))
        end_part(work, query_at(work, number / PARTS), (guint)(number % PARTS), PARTS);
}

/* The queries of a batch end together. A thread for each would leave the others idle. */
static void
end_batch(Work *work, gint64 queries)
{
    cs_parallel_run(queries * PARTS, work->search->threads, work->search->stop, end_batch_part,
                    work);
    for (gint64 k = 0; k < queries; k++)
        finish_query(work, query_at(work, k));
}

/* Cuts the chunk so that all threads have work to the end. */
static GArray *
make_slices(const CsChunkSearch *search, const CsRecordChunk *chunk)
{
    const gint64 queries = search->device != NULL ? MIN(CS_SCORER_SEQUENCES, search->queries->count)
                                                  : search->queries->count; /* at a time */
    const gint64 wanted = MAX(1, (gint64)search->threads * TASKS_PER_THREAD / queries);
    const gint64 most = MAX(SLICE_LEAST, (gint64)chunk->letters_count / wanted);
    GArray *slices = g_array_new(FALSE, FALSE, sizeof(Slice));
    Slice slice = {0};
    for (guint k = 0; k < chunk->count; k++) {
        slice.letters += chunk->records[k].length;
        slice.to = k + 1;
        if (slice.letters < most && slice.to < chunk->count)
            continue;
        g_array_append_val(slices, slice);
        slice = (Slice){.from = slice.to};
    }
    return slices;
}

/* The tasks of the batch, or of all queries. */
static void
run_tasks(Work *work, gint64 queries)
{
    cs_parallel_run(work->slices->len * queries, work->search->threads, work->search->stop,
                    search_slice, work);
}

static gboolean
search_batches(Work *work, GError **error)
{
    CsDeviceScores *device = work->search->device;
    CsDeviceBatch batch;
    if (!cs_device_scores_begin(device, work->search->queries, work->chunk, work->search->threads,
                                error))
        return FALSE;
    while (!is_over(work)) {
        if (!cs_device_scores_next(device, &batch, error))
            return FALSE;
        if (batch.count == 0)
            return TRUE;
        work->batch = batch.numbers;
        run_tasks(work, batch.count);
        end_batch(work, batch.count);
    }
    return TRUE;
}

void
cs_search_chunk(CsChunkSearch *search, const CsRecordChunk *chunk)
{
    g_autoptr(GArray) slices = make_slices(search, chunk);
    Work work = {.search = search, .chunk = chunk, .slices = slices};
    const gint64 queries = search->queries->count;
    pthread_mutex_init(&work.lock, NULL);
    search->tasks_done = 0;
    search->tasks = (slices->len + 1) * queries;
    for (gint64 k = 0; k < queries; k++)
        g_atomic_int_set(&search->queries->queries[k].slices, (gint)slices->len);
    if (search->device == NULL) {
        run_tasks(&work, queries);
    } else {
        if (!search_batches(&work, &search->error))
            fail(&work);
        cs_device_scores_end(search->device);
    }
    pthread_mutex_destroy(&work.lock);
}

gboolean
cs_search_chunk_check(CsChunkSearch *search, GError **error)
{
    if (search->error != NULL)
        g_propagate_error(error, g_steal_pointer(&search->error));
    else if (search->failed)
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory to search with a query of %" G_GINT64_FORMAT " letters",
                    search->queries->longest);
    return !search->failed;
}
