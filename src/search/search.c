/*
 * A search: the database goes by in chunks, and each chunk is searched with all queries.
 *
 *      reader thread           read n+1     read n+2
 *      this thread         ---- asks ------- asks -------   progress, whether to stop
 *      search thread, and    search n     search n+1
 *      those it starts
 *
 * Two chunks are in memory. What is found does not depend on where chunks end, because a list takes
 * records in any order (best_list.h). A checkpoint has the lists, and for each query how many records
 * it has done (search_keep.h); so a run that goes on takes any chunks, too.
 *
 * With several devices or processes this one deals the chunks (search_dealer.h).
 */
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/search.h>
#include <chromosweep/search_checkpoint.h>
#include <chromosweep/search_plan.h>
#include <chromosweep/threads.h>

#include "cpu/simd.h"
#include "search/alphabet.h"
#include "search/hit_path.h"
#include "search/search_dealer.h"
#include "search/search_keep.h"
#include "search/search_worker.h"
#include "system/display.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    CHUNK_LEAST = 1 << 20, /* letters */
    CHUNK_MOST = 16 << 20,
    CHUNK_LEAST_GPU = 4 << 20,
    CHUNK_LEAST_DEALT = 1 << 18,
    SHARES_OF_WORKER = 2, /* chunks for each worker, if all were as the next one */
    CHUNK_MOST_GPU = 64 << 20,
    LETTERS_THAT_TELL = 100,  /* at least, whether a database is nucleotides */
    PROGRAM_BYTES = 24 << 20, /* libraries, stacks and the like */
    DRIVER_BYTES = 500 << 20, /* of a GPU */
    HIT_BYTES = 200,          /* for each hit that is kept */
    LETTER_BYTES = 160,       /* for each letter of the longest query, and each thread */
};

/* Cells that a thread computes in a few seconds: a chunk has about so many for each, because a stop
 * loses at most a chunk. */
#define CHUNK_CELLS ((double)(G_GINT64_CONSTANT(1) << 37))

/* Cells that a GPU computes in some 20 seconds. Of those, a stop loses two batches of queries. */
#define CHUNK_CELLS_GPU ((double)(G_GINT64_CONSTANT(1) << 47))

/* What a GPU computes in some seconds, where a stop loses all chunks under way; and what a thread beside
 * GPUs computes in some tenths of a second. */
#define CHUNK_CELLS_DEALT ((double)(G_GINT64_CONSTANT(1) << 44))
#define CHUNK_CELLS_SMALL ((double)(G_GINT64_CONSTANT(1) << 34))

#define MOST_SECONDS 1e9
#define TEST_WAIT 1000 /* microseconds */
#define LEAST_SECONDS 1e-6
#define TEST_SECONDS 1       /* of a short test, once it has computed anything */
#define TEST_SECONDS_MOST 20 /* for a pair of long sequences */
#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 10)

struct _CsSearch {
    CsQueries queries;
    CsSearchSummary summary;
    GArray *hits;
};

typedef struct {
    CsSearch *result;
    const CsSearchOptions *options;
    const char *path; /* of the database */
    CsDatabase database;
    CsRecordChunk *chunk, *next;
    CsDatabasePlace places[2], next_places[2]; /* before and behind these chunks */
    GError *read_error;
    gint ended; /* atomic: there is no next chunk */
    CsChunkSearch search;
    CsDealSize size;       /* of the next chunk, and */
    gint64 wanted_letters; /* its letters, or a few more */
    CsSearchDevices devices;
    CsSearchDealer *dealer; /* or NULL: one device of one process */
    GError *device_error;   /* of the one that must be there */
    gint stop;
    gboolean asked_to_stop;      /* a plan was */
    gint64 begun, next_progress; /* in microseconds */
    double skipped;              /* the fraction of the database that earlier runs did */
    gint64 computing;            /* when this run began to compute; 0: not yet */
    CsSearchKeep *keep;          /* or NULL */
    CsSearchState state;         /* what earlier runs did, then what was saved last */
    double seconds_before;       /* of earlier runs */
    gint64 cells_before;
    gboolean save_wanted;
    gint64 next_save;
    gint64 told; /* queries whose hits were given */
} Run;

static double
seconds_since(gint64 begun)
{
    return (double)(g_get_monotonic_time() - begun) / 1e6;
}

/* How much is done, with the part of the chunk under way. */
static double
fraction_done(const Run *run)
{
    const double before = run->places[0].fraction, after = run->places[1].fraction;
    const double part =
        run->search.tasks > 0 ? (double)run->search.tasks_done / (double)run->search.tasks : 0;
    if (after < 0)
        return -1;
    /* 1 is for the end. */
    return MIN(0.9999, before + (after - before) * (run->chunk != NULL ? part : 1));
}

/* By the speed of this run alone: reading what was searched before is fast. */
static double
seconds_left(const Run *run, double fraction)
{
    const double here = fraction - run->skipped;
    if (fraction >= 1)
        return 0;
    return run->computing > 0 && here > 0 ? seconds_since(run->computing) * (1 - fraction) / here
                                          : -1;
}

static void
tell_progress(Run *run, gboolean done)
{
    const gint64 now = g_get_monotonic_time();
    const CsDatabasePlace *place = &run->places[run->chunk != NULL ? 0 : 1];
    if (run->options->progress == NULL || (!done && now < run->next_progress))
        return;
    run->next_progress = now + PROGRESS_INTERVAL;
    CsSearchProgress progress = {.fraction = done ? 1 : fraction_done(run),
                                 .records = place->mark.records,
                                 .letters = place->letters,
                                 .cells = run->search.cells,
                                 .seconds = seconds_since(run->begun)};
    progress.seconds_left = seconds_left(run, progress.fraction);
    run->options->progress(&progress, run->options->data);
}

static void tell_hits(Run *run, gboolean all);

/* Called again and again while a chunk is searched. */
static void
ask(gpointer data)
{
    Run *run = data;
    tell_progress(run, FALSE);
    if (g_atomic_int_get(&run->ended))
        tell_hits(run, FALSE);
    const CsControl control = run->options->control != NULL
                                  ? run->options->control(run->options->data)
                                  : CS_CONTROL_GO_ON;
    run->save_wanted |= control == CS_CONTROL_SAVE;
    if (control == CS_CONTROL_STOP)
        g_atomic_int_set(&run->stop, 1);
}

static void
search_chunk(gpointer data)
{
    Run *run = data;
    cs_search_chunk(&run->search, run->chunk);
}

/*
 * Letters of the next chunk for one of several workers. Chunks become smaller towards the end, so that
 * all end at about the same time; large ones cost less, since lists change more in small ones. The first
 * one shows how long the database is.
 */
static double
share_of_worker(const Run *run)
{
    const CsDatabasePlace *place = &run->database.place;
    if (place->fraction <= 0 || place->letters == 0)
        return 0;
    const double left = (double)place->letters * (1 - place->fraction) / place->fraction;
    return left / SHARES_OF_WORKER / cs_search_dealer_sharers(run->dealer);
}

/* Letters of a chunk. Nobody may read the database. */
static gint64
chunk_letters(const Run *run, CsDealSize size)
{
    const double query_letters = MAX(1, cs_queries_cells(&run->result->queries, 1));
    const gboolean gpu = cs_search_devices_has_gpu(&run->devices) && size == CS_DEAL_LARGE;
    const double of_cpu = size == CS_DEAL_SMALL ? CHUNK_CELLS_SMALL : CHUNK_CELLS;
    const double of_gpu = run->dealer != NULL ? CHUNK_CELLS_DEALT : CHUNK_CELLS_GPU;
    const double cells = gpu ? of_gpu : of_cpu * run->search.threads;
    const double least = gpu                     ? CHUNK_LEAST_GPU
                         : size == CS_DEAL_SMALL ? CHUNK_LEAST_DEALT
                                                 : CHUNK_LEAST;
    const double most = gpu ? CHUNK_MOST_GPU : CHUNK_MOST;
    if (run->options->chunk > 0)
        return gpu ? MIN(run->options->chunk, CHUNK_MOST_GPU) : run->options->chunk;
    const double letters = CLAMP(cells / query_letters, least, most);
    if (run->dealer == NULL)
        return (gint64)letters;
    return (gint64)CLAMP(share_of_worker(run), gpu ? least : CHUNK_LEAST_DEALT, letters);
}

/* Opens the GPUs. */
static void
open_devices(gpointer data)
{
    Run *run = data;
    if (!cs_search_devices_open(&run->devices, &run->result->queries, &run->device_error))
        g_atomic_int_set(&run->stop, 1);
}

/* Whether GPUs search, if they must be there. Standard input may be slow, so there a GPU that fails is
 * told before it is read. */
static gboolean
prepare_devices(Run *run, GError **error)
{
    if (!cs_search_devices_prepare(&run->devices, &run->result->queries) &&
        run->options->note != NULL)
        run->options->note(CS_NOTE_WARNING,
                           "the scores and costs are too high for a GPU's 16 bits, so the CPU "
                           "searches",
                           run->options->data);
    return !cs_search_devices_has_gpu(&run->devices) || strcmp(run->path, "-") != 0 ||
           cs_search_devices_open(&run->devices, &run->result->queries, error);
}

static void
read_chunk(gpointer data)
{
    Run *run = data;
    run->next =
        cs_database_next(&run->database, run->wanted_letters, run->next_places, &run->read_error);
    if (run->next == NULL && run->read_error == NULL && !run->stop)
        g_atomic_int_set(&run->ended, 1);
}

/* Waits for what a thread does, or does it without one. */
static void
finish_work(Run *run, CsThread *thread, void (*work)(gpointer))
{
    if (thread != NULL)
        cs_thread_join_asking(thread, ask, run);
    else
        work(run);
}

/* The first chunk that is not done, which may be far in the database. Meanwhile GPUs are opened, which
 * takes some tenths of a second each. */
static void
read_first(Run *run)
{
    const gboolean opens = cs_search_devices_has_gpu(&run->devices) && run->devices.count == 0;
    run->wanted_letters = chunk_letters(run, CS_DEAL_LARGE);
    CsThread *opener = opens ? cs_thread_new("devices", open_devices, run, NULL) : NULL;
    CsThread *reader = cs_thread_new("database", read_chunk, run, NULL);
    finish_work(run, reader, read_chunk);
    if (opens)
        finish_work(run, opener, open_devices);
}

/* Protein queries against nucleotides would find nothing but chance, because every nucleotide code is
 * an amino acid, too. */
static gboolean
check_alphabet(const Run *run, GError **error)
{
    const CsQueries *queries = &run->result->queries;
    CsLetterCount count = {0};
    if (!queries->guessed || queries->alphabet != CS_ALPHABET_PROTEIN || run->next == NULL ||
        run->next->letters_count < LETTERS_THAT_TELL)
        return TRUE;
    cs_letter_count_add(&count, run->next->letters, run->next->letters_count);
    if (!cs_letter_count_is_nucleotide(&count))
        return TRUE;
    g_autofree char *shown =
        strcmp(run->path, "-") == 0 ? g_strdup("standard input") : cs_display_name(run->path);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                "%s: this looks like nucleotides, but the queries are proteins", shown);
    return FALSE;
}

static gboolean
fail_stopped(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped on request");
    return FALSE;
}

/* Before a chunk: decides what computes. */
static void
settle(Run *run, const CsRecordChunk *chunk)
{
    const CsQueries *queries = &run->result->queries;
    cs_search_devices_settle(&run->devices, queries,
                             (double)run->search.cells +
                                 cs_queries_cells(queries, (gint64)chunk->letters_count),
                             run->search.threads);
    run->search.device = cs_search_devices_get(&run->devices, 0);
}

/* Searches the chunk while the next one is read. */
static gboolean
compute_chunk(Run *run, GError **error)
{
    settle(run, run->chunk);
    run->wanted_letters = chunk_letters(run, CS_DEAL_LARGE);
    if (run->computing == 0) {
        run->computing = g_get_monotonic_time();
        run->skipped = MAX(run->places[0].fraction, 0);
    }
    for (gint64 k = 0; k < run->result->queries.count; k++)
        g_atomic_int_set(&run->result->queries.queries[k].ended, 0);
    CsThread *reader = cs_thread_new("database", read_chunk, run, NULL);
    CsThread *thread = cs_thread_new("search", search_chunk, run, NULL);
    finish_work(run, thread, search_chunk);
    finish_work(run, reader, read_chunk);
    if (run->stop)
        return fail_stopped(error);
    return cs_search_chunk_check(&run->search, error);
}

/* The later of two marks. */
static CsDatabaseMark
later(CsDatabaseMark one, CsDatabaseMark other)
{
    return one.records > other.records ? one : other;
}

/* Saves what is done: of the chunk under way, what some queries have. */
static gboolean
save(Run *run, gboolean done, GError **error)
{
    const CsDatabasePlace *before = &run->places[run->chunk != NULL ? 0 : 1];
    const CsDatabaseMark *old = run->state.marks; /* a run that goes on may begin before them */
    run->state =
        (CsSearchState){.marks = {later(before->mark, old[0]), later(run->places[1].mark, old[1])},
                        .cells = run->cells_before + run->search.cells,
                        .seconds = run->seconds_before + seconds_since(run->begun),
                        .fraction = done ? 1 : before->fraction};
    run->next_save =
        g_get_monotonic_time() + (gint64)(run->options->checkpoint_interval * G_USEC_PER_SEC);
    run->save_wanted = FALSE;
    return cs_search_keep_save(run->keep, &run->result->queries, &run->state, error);
}

/* A run goes on without a state rather than lose what it has found. */
static void
try_to_save(Run *run, gboolean done)
{
    g_autoptr(GError) failure = NULL;
    if (save(run, done, &failure) || run->options->note == NULL)
        return;
    g_autofree char *message = g_strdup_printf("cannot save the state: %s", failure->message);
    run->options->note(CS_NOTE_WARNING, message, run->options->data);
}

/* After a failure, too: what is done stays done. */
static void
save_stopped(Run *run, GError **error)
{
    GError *failure = NULL;
    /* Before the place of the loaded state there is nothing new. */
    if (run->keep == NULL || run->computing == 0 || save(run, FALSE, &failure))
        return;
    if (!g_error_matches(*error, CS_ERROR, CS_ERROR_STOPPED)) {
        g_error_free(failure);
        return;
    }
    g_clear_error(error);
    g_propagate_prefixed_error(error, failure, "cannot save the state: ");
}

/* Searches what is left of the database. */
static gboolean
search_chunks(Run *run, GError **error)
{
    while (run->next != NULL) {
        run->chunk = g_steal_pointer(&run->next);
        memcpy(run->places, run->next_places, sizeof run->places);
        if (!compute_chunk(run, error))
            return FALSE;
        g_clear_pointer(&run->chunk, cs_record_chunk_free);
        if (run->keep != NULL && run->next != NULL &&
            (run->save_wanted || g_get_monotonic_time() >= run->next_save))
            try_to_save(run, FALSE);
    }
    return TRUE;
}

/* Adds what was read to what is dealt, and reads on. *reader is the thread that reads, or NULL. */
static void
read_on(Run *run, CsThread **reader)
{
    if (*reader != NULL && cs_thread_wait(*reader, 0))
        cs_thread_join(g_steal_pointer(reader));
    if (*reader != NULL)
        return;
    if (run->next != NULL)
        cs_search_dealer_add(run->dealer, g_steal_pointer(&run->next), run->next_places, run->size);
    if (run->ended || run->read_error != NULL) {
        cs_search_dealer_end(run->dealer);
        return;
    }
    run->size = cs_search_dealer_wants(run->dealer);
    if (run->size == CS_DEAL_NONE)
        return;
    run->wanted_letters = chunk_letters(run, run->size);
    *reader = cs_thread_new("database", read_chunk, run, NULL);
    if (*reader == NULL)
        read_chunk(run);
}

static gboolean
is_dealt(const Run *run, const CsThread *reader)
{
    return reader == NULL && run->next == NULL && cs_search_dealer_is_idle(run->dealer) &&
           (run->ended || run->read_error != NULL);
}

/* The same with several devices or processes. What is not in the lists yet is lost if the run stops. */
static gboolean
deal_chunks(Run *run, GError **error)
{
    CsThread *reader = NULL;
    gboolean good = TRUE;
    run->places[0] = run->places[1] = run->next_places[0];
    run->computing = g_get_monotonic_time();
    run->skipped = MAX(run->places[0].fraction, 0);
    while (good && !is_dealt(run, reader)) {
        ask(run);
        if (run->stop) {
            good = fail_stopped(error);
            break;
        }
        read_on(run, &reader);
        good = cs_search_dealer_go_on(run->dealer, run->places, error);
        if (good && run->keep != NULL &&
            (run->save_wanted || g_get_monotonic_time() >= run->next_save))
            try_to_save(run, FALSE);
    }
    if (!good)
        g_atomic_int_set(&run->stop, 1);
    if (reader != NULL)
        cs_thread_join(reader);
    return good;
}

static gboolean
search_all(Run *run, GError **error)
{
    read_first(run);
    if (run->device_error != NULL) {
        g_propagate_error(error, g_steal_pointer(&run->device_error));
        return FALSE;
    }
    if (run->stop)
        return fail_stopped(error);
    if (run->next == NULL)
        run->places[0] = run->places[1] = run->database.place;
    const gboolean good = check_alphabet(run, error) &&
                          (run->dealer != NULL && run->next != NULL ? deal_chunks(run, error)
                                                                    : search_chunks(run, error));
    if (good && run->read_error == NULL)
        return TRUE;
    if (good)
        g_propagate_error(error, g_steal_pointer(&run->read_error));
    save_stopped(run, error);
    return FALSE;
}

static void
add_hit(CsSearch *search, gint64 number, const CsBestEntry *entry, double max_evalue)
{
    const CsQueries *queries = &search->queries;
    const CsQuery *query = &queries->queries[number];
    const gboolean minus = entry->strand == CS_STRAND_MINUS;
    CsSearchHit hit = {.query = query->name,
                       .query_number = number + 1,
                       .query_length = query->length,
                       .target = entry->name,
                       .target_number = entry->number + 1,
                       .target_length = entry->length,
                       .score = entry->score,
                       .evalue = -1,
                       .strand = entry->strand,
                       .target_start = entry->column_start,
                       .target_end = entry->column,
                       .query_start = minus ? query->length + 1 - entry->row : entry->row_start,
                       .query_end = minus ? query->length + 1 - entry->row_start : entry->row,
                       .cigar = entry->cigar,
                       .columns = entry->columns,
                       .matches = entry->matches,
                       .gap_openings = entry->gap_openings};
    if (queries->has_statistics) {
        hit.bits = cs_statistics_bits(&queries->statistics, hit.score);
        hit.evalue = cs_statistics_evalue(&queries->statistics, hit.score, hit.query_length,
                                          hit.target_length, search->summary.letters);
        if (max_evalue >= 0 && hit.evalue > max_evalue)
            return;
    }
    g_array_append_val(search->hits, hit);
}

static void
summarise(Run *run)
{
    CsSearchSummary *summary = &run->result->summary;
    const CsQueries *queries = &run->result->queries;
    summary->records = run->places[1].mark.records;
    summary->letters = run->places[1].letters;
    summary->alphabet = queries->alphabet;
    summary->queries = queries->count;
    summary->query_letters = queries->letter_count;
    summary->cells =
        queries->letter_count * summary->letters * (queries->strand == CS_STRAND_BOTH ? 2 : 1);
    summary->cells_computed = run->search.cells;
    summary->matrix = queries->matrix;
    summary->match = queries->match;
    summary->mismatch = queries->mismatch;
    summary->gap_open = queries->gap_open;
    summary->gap_extend = queries->gap_extend;
    summary->has_evalues = queries->has_statistics;
    summary->threads =
        run->dealer != NULL ? cs_search_dealer_threads(run->dealer) : run->search.threads;
    summary->device = cs_search_devices_name(&run->devices);
    summary->seconds = seconds_since(run->begun);
}

/* The hits of a query that has searched the whole database. */
static void
add_hits(const Run *run, gint64 number)
{
    CsBestList *best = &run->result->queries.queries[number].best;
    cs_best_list_trim(best);
    for (guint n = 0; n < best->entries->len; n++)
        add_hit(run->result, number, &g_array_index(best->entries, CsBestEntry, n),
                run->options->max_evalue);
}

/*
 * Gives the hits of the queries that are done, in their order, while the last chunk is searched or
 * after it. Lists that a state may still need stay.
 */
static void
tell_hits(Run *run, gboolean all)
{
    CsSearch *result = run->result;
    const CsQueries *queries = &result->queries;
    if (run->options->hits == NULL || run->stop)
        return;
    for (; run->told < queries->count; run->told++) {
        CsQuery *query = &queries->queries[run->told];
        if (!all && (run->chunk == NULL || !g_atomic_int_get(&query->ended)))
            return;
        summarise(run);
        g_array_set_size(result->hits, 0);
        add_hits(run, run->told);
        if (!run->options->hits(&result->summary,
                                (const CsSearchHit *)(const void *)result->hits->data,
                                result->hits->len, run->options->data)) {
            g_atomic_int_set(&run->stop, 1);
            return;
        }
        g_array_set_size(result->hits, 0);
        if (run->keep == NULL)
            cs_best_list_empty(&query->best);
    }
}

/* The hits that were not given yet, or all. */
static gboolean
finish_hits(Run *run, GError **error)
{
    summarise(run);
    tell_hits(run, TRUE);
    if (run->stop)
        return fail_stopped(error);
    for (gint64 k = 0; run->options->hits == NULL && k < run->result->queries.count; k++)
        add_hits(run, k);
    return TRUE;
}

static gboolean
check_options(const CsSearchOptions *options, GError **error)
{
    const char *wrong =
        options->number < 1 || options->number > G_MAXINT32
            ? "the number of hits must be from 1 to 2147483647"
        : options->chunk < 0 ? "a chunk cannot have less than 0 letters"
        : !(options->checkpoint_interval >= 0 && options->checkpoint_interval <= MOST_SECONDS)
            ? "the time between two states must be from 0 to 10^9 seconds"
            : NULL;
    if (wrong == NULL)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE, wrong);
    return FALSE;
}

/* Takes what an earlier run has saved. */
static gboolean
open_checkpoint(Run *run, GError **error)
{
    CsQueries *queries = &run->result->queries;
    if (run->options->checkpoint == NULL)
        return TRUE;
    run->keep = cs_search_keep_open(run->options->checkpoint, queries, run->options, error);
    if (run->keep == NULL || !cs_search_keep_load(run->keep, queries, &run->state, error))
        return FALSE;
    memcpy(run->database.known, run->state.marks, sizeof run->state.marks);
    run->database.skip = run->state.marks[0].records;
    run->cells_before = run->state.cells;
    run->seconds_before = run->state.seconds;
    run->next_save = run->begun + (gint64)(run->options->checkpoint_interval * G_USEC_PER_SEC);
    return TRUE;
}

/* What a search needs before it reads the database. */
static gboolean
begin(Run *run, const char *queries, GError **error)
{
    CsSearch *result = run->result;
    run->search = (CsChunkSearch){.queries = &result->queries,
                                  .threads = run->options->threads > 0 ? run->options->threads
                                                                       : cs_threads_granted(),
                                  .align = run->options->align,
                                  .stop = &run->stop};
    run->search.kernels = cs_pair_kernels(error);
    result->summary.instructions = cs_simd_target(NULL);
    run->database.shown = run->path;
    run->database.stop = &run->stop;
    return run->search.kernels != NULL &&
           cs_search_devices_init(&run->devices, run->options->device, error) &&
           cs_queries_init(&result->queries, queries, run->options, error);
}

static gboolean
begin_dealer(Run *run, GError **error)
{
    if (!cs_search_dealer_is_needed(&run->devices))
        return TRUE;
    run->dealer = cs_search_dealer_new(&run->result->queries, &run->search, &run->devices,
                                       run->options->device, error);
    return run->dealer != NULL;
}

static gboolean
run_search(Run *run, const char *queries, GError **error)
{
    if (!begin(run, queries, error) || !prepare_devices(run, error) || !begin_dealer(run, error) ||
        !open_checkpoint(run, error) ||
        !cs_database_init(&run->database, run->path, &run->result->queries.letters, error) ||
        !search_all(run, error))
        return FALSE;
    /* Then a failure to write the hits costs nothing. */
    if (run->keep != NULL && run->computing > 0)
        try_to_save(run, TRUE);
    if (!finish_hits(run, error))
        return FALSE;
    tell_progress(run, TRUE);
    return TRUE;
}

static void
run_clear(Run *run)
{
    g_atomic_int_set(&run->stop, 1);
    g_clear_pointer(&run->dealer, cs_search_dealer_free);
    g_clear_pointer(&run->chunk, cs_record_chunk_free);
    g_clear_pointer(&run->next, cs_record_chunk_free);
    cs_database_clear(&run->database);
    g_clear_pointer(&run->keep, cs_search_keep_free);
    cs_search_devices_clear(&run->devices);
    g_clear_error(&run->search.error);
    g_clear_error(&run->read_error);
    g_clear_error(&run->device_error);
    g_clear_pointer(&run->result, cs_search_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static Run
run_new(const char *database, const CsSearchOptions *options)
{
    static const CsSearchOptions defaults = CS_SEARCH_OPTIONS_INIT;
    CsSearch *result = g_new0(CsSearch, 1);
    result->hits = g_array_new(FALSE, FALSE, sizeof(CsSearchHit));
    return (Run){.result = result,
                 .options = options != NULL ? options : &defaults,
                 .path = database,
                 .size = CS_DEAL_LARGE,
                 .begun = g_get_monotonic_time()};
}

CsSearch *
cs_search(const char *queries, const char *database, const CsSearchOptions *options, GError **error)
{
    g_return_val_if_fail(queries != NULL && database != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (strcmp(queries, "-") == 0 && strcmp(database, "-") == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "the queries and the database cannot both be standard input");
        return NULL;
    }
    g_auto(Run) run = run_new(database, options);
    return check_options(run.options, error) && run_search(&run, queries, error)
               ? g_steal_pointer(&run.result)
               : NULL;
}

/* The workers of a short test. */
typedef struct {
    CsSearchWorker *workers;
    double *seconds; /* of each until it was done; 0: it is not */
    guint count;
} Test;

/* Asks the caller, and ends the test. */
static void
ask_test(Run *run, const Test *test)
{
    gboolean all = TRUE;
    if (run->options->control != NULL &&
        run->options->control(run->options->data) == CS_CONTROL_STOP)
        run->asked_to_stop = TRUE;
    for (guint k = 0; k < test->count; k++)
        all &= test->workers[k].search.cells > 0;
    const double seconds = seconds_since(run->computing);
    if (run->asked_to_stop || seconds > TEST_SECONDS_MOST || (seconds > TEST_SECONDS && all))
        g_atomic_int_set(&run->stop, 1);
}

/* Whether all workers are done. Waits a millisecond at most. */
static gboolean
is_tested(const Run *run, Test *test)
{
    gint64 wait = TEST_WAIT;
    for (guint k = 0; k < test->count; k++) {
        if (test->seconds[k] > 0)
            continue;
        if (cs_search_worker_is_ready(&test->workers[k], wait))
            test->seconds[k] = seconds_since(run->computing);
        else
            wait = 0;
    }
    return wait > 0;
}

/* Every worker searches the first chunk for a moment, which fills no list that anybody reads. */
static void
test_speed(Run *run, CsSearchPlan *plan)
{
    settle(run, run->next);
    Test test = {.count = cs_search_devices_workers(&run->devices)};
    g_autofree CsSearchWorker *workers = test.workers = g_new(CsSearchWorker, test.count);
    g_autofree double *seconds = test.seconds = g_new0(double, test.count);
    run->computing = g_get_monotonic_time();
    for (guint k = 0; k < test.count; k++) {
        const guint threads = cs_search_devices_threads(&run->devices, k, run->search.threads);
        cs_search_worker_init(&workers[k], &run->result->queries, &run->search, threads);
        cs_search_worker_begin(&workers[k], run->next, &run->result->queries,
                               cs_search_devices_get(&run->devices, k));
    }
    do
        ask_test(run, &test);
    while (!is_tested(run, &test));
    for (guint k = 0; k < test.count; k++) {
        const gint64 cells = workers[k].search.cells;
        run->search.cells += cells;
        plan->cells_a_second += (double)cells / MAX(seconds[k], LEAST_SECONDS);
        workers[k].chunk = NULL; /* which is read again */
        cs_search_worker_clear(&workers[k]);
    }
    g_atomic_int_set(&run->stop, 0);
}

/* Reads the database to its end. *failure must be NULL. */
static void
count_database(Run *run, CsSearchPlan *plan, GError **failure)
{
    read_first(run);
    if (run->device_error != NULL) {
        *failure = g_steal_pointer(&run->device_error);
        return;
    }
    if (run->next != NULL && check_alphabet(run, failure))
        test_speed(run, plan);
    run->wanted_letters = chunk_letters(run, CS_DEAL_LARGE);
    while (run->next != NULL && !run->asked_to_stop && *failure == NULL) {
        for (guint k = 0; k < run->next->count; k++)
            plan->longest_record = MAX(plan->longest_record, run->next->records[k].length);
        g_clear_pointer(&run->next, cs_record_chunk_free);
        read_chunk(run);
    }
    run->places[1] = run->database.place;
    if (*failure == NULL && run->asked_to_stop)
        fail_stopped(failure);
    else if (*failure == NULL)
        *failure = g_steal_pointer(&run->read_error);
}

/* As cs_search() documents it. */
static gint64
memory_of(const Run *run, const CsSearchPlan *plan)
{
    const CsQueries *queries = &run->result->queries;
    const gint64 of_query = MIN(run->options->number, plan->summary.records);
    const gint64 hits = queries->count * of_query / 8 * 9;
    const gint64 cigars = run->options->align ? of_query * queries->letter_count : 0;
    const gint64 path = run->options->align ? cs_hit_path_bytes(&queries->scoring, queries->longest,
                                                                plan->longest_record)
                                            : 0;
    const gint64 strands = queries->strand == CS_STRAND_BOTH ? 2 : 1;
    const CsSearchDevices *devices = &run->devices;
    const gboolean dealt = cs_search_dealer_is_needed(devices);
    const gint64 chunks = dealt ? cs_search_dealer_most_chunks(devices) : 2;
    const gint64 copies = dealt ? cs_search_dealer_most_copies(devices) : 1;
    gint64 threads = 0;
    for (guint k = 0; k < cs_search_devices_workers(devices); k++)
        threads += cs_search_devices_threads(devices, k, run->search.threads);
    /* For the records on a GPU: a copy with room between them, and two scores or more, twice. */
    const gint64 device = devices->which.gpus * (gint64)DRIVER_BYTES +
                          devices->count * (2 * plan->chunk + CS_DEVICE_SCORES_BYTES);
    return PROGRAM_BYTES + device + strands * queries->letter_count + chunks * plan->chunk +
           chunks * plan->longest_record + copies * (HIT_BYTES * hits + cigars) +
           threads * (LETTER_BYTES * queries->longest +
                      (gint64)cs_striped_scratch(MIN(queries->longest, CS_STRIPED_MOST_ROWS))) +
           MIN(threads, queries->count * of_query) * path;
}

gboolean
cs_search_plan(const char *queries, const char *database, const CsSearchOptions *options,
               CsSearchPlan *plan, GError **error)
{
    g_return_val_if_fail(queries != NULL && database != NULL && plan != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    g_autoptr(GError) failure = NULL;
    g_auto(Run) run = run_new(database, options);
    *plan = (CsSearchPlan){.host_bytes_available = -1};
    if (strcmp(queries, "-") == 0 || strcmp(database, "-") == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "a plan cannot read standard input, which the search needs");
        return FALSE;
    }
    if (!check_options(run.options, error) || !begin(&run, queries, error) ||
        !prepare_devices(&run, error) ||
        !cs_database_init(&run.database, database, &run.result->queries.letters, error))
        return FALSE;
    count_database(&run, plan, &failure);
    plan->chunk = run.wanted_letters;
    if (failure != NULL) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    summarise(&run);
    plan->summary = run.result->summary;
    plan->summary.matrix = NULL; /* which is freed */
    plan->longest_query = run.result->queries.longest;
    plan->gpus = run.devices.count > 0 ? run.devices.which.gpus : 0;
    plan->host_bytes = memory_of(&run, plan);
    plan->host_bytes_available = cs_memory_reach("/", &plan->host_limit);
    if (plan->cells_a_second > 0)
        plan->seconds = (double)plan->summary.cells / plan->cells_a_second;
    g_autoptr(CsSearchCheckpointInfo) info =
        run.options->checkpoint != NULL && !run.options->checkpoint_fresh
            ? cs_search_checkpoint_info_new(run.options->checkpoint, NULL)
            : NULL;
    if (info != NULL && info->usable >= 0)
        plan->records_done = info->states[info->usable].records;
    return TRUE;
}

void
cs_search_free(CsSearch *search)
{
    cs_queries_clear(&search->queries);
    g_array_unref(search->hits);
    g_free(search);
}

const CsSearchHit *
cs_search_get_hits(const CsSearch *search, gint64 *count)
{
    *count = search->hits->len;
    return (const CsSearchHit *)(const void *)search->hits->data;
}

const CsSearchSummary *
cs_search_get_summary(const CsSearch *search)
{
    return &search->summary;
}
