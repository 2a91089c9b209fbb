/*
 * A search: the database goes by in chunks, and each chunk is searched with all queries.
 *
 *      reader thread           read n+1     read n+2
 *      this thread         ---- asks ------- asks -------   progress, whether to stop
 *      search thread, and    search n     search n+1
 *      those it starts
 *
 * Two chunks are in memory. What is found does not depend on where chunks end, because a list takes
 * records in any order (best_list.h).
 */
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/search.h>
#include <chromosweep/threads.h>

#include "cpu/simd.h"
#include "search/alphabet.h"
#include "search/search_chunk.h"
#include "system/display.h"
#include "system/parallel.h"

enum {
    CHUNK_LETTERS = 16 << 20,
    LETTERS_THAT_TELL = 100, /* at least, whether a database is nucleotides */
};

#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 10)

struct _CsSearch {
    CsQueries queries;
    CsSearchSummary summary;
    GArray *hits;
};

typedef struct {
    CsSearch *result;
    const CsSearchOptions *options;
    const char *database;
    CsRecordStream *stream;
    CsRecordChunk *chunk, *next;
    GError *read_error;
    CsChunkSearch search;
    gint stop;
    gint64 begun, next_progress; /* in microseconds */
    double fraction;             /* of the database, before the chunk under way */
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
    const double after = run->chunk != NULL ? run->chunk->fraction : run->fraction;
    const double part =
        run->search.tasks > 0 ? (double)run->search.tasks_done / (double)run->search.tasks : 0;
    if (after < 0)
        return -1;
    /* 1 is for the end. */
    return MIN(0.9999, run->fraction + (after - run->fraction) * part);
}

static void
tell_progress(Run *run, gboolean done)
{
    const CsSearchSummary *summary = &run->result->summary;
    const gint64 now = g_get_monotonic_time();
    if (run->options->progress == NULL || (!done && now < run->next_progress))
        return;
    run->next_progress = now + PROGRESS_INTERVAL;
    CsSearchProgress progress = {.fraction = done ? 1 : fraction_done(run),
                                 .records = summary->records,
                                 .letters = summary->letters,
                                 .cells = run->search.cells,
                                 .seconds = seconds_since(run->begun),
                                 .seconds_left = -1};
    if (progress.fraction > 0)
        progress.seconds_left = progress.seconds / progress.fraction - progress.seconds;
    run->options->progress(&progress, run->options->data);
}

/* Called again and again while a chunk is searched. */
static void
ask(gpointer data)
{
    Run *run = data;
    tell_progress(run, FALSE);
    if (run->options->control != NULL &&
        run->options->control(run->options->data) == CS_CONTROL_STOP)
        g_atomic_int_set(&run->stop, 1);
}

static void
search_chunk(gpointer data)
{
    Run *run = data;
    cs_search_chunk(&run->search, run->chunk);
}

static void
read_chunk(gpointer data)
{
    Run *run = data;
    const gint64 letters = run->options->chunk > 0 ? run->options->chunk : CHUNK_LETTERS;
    run->next = cs_record_stream_next(run->stream, letters, &run->read_error);
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
    g_autofree char *shown = strcmp(run->database, "-") == 0 ? g_strdup("standard input")
                                                             : cs_display_name(run->database);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                "%s: this looks like nucleotides, but the queries are proteins", shown);
    return FALSE;
}

/* Searches the chunk while the next one is read. */
static gboolean
compute_chunk(Run *run, GError **error)
{
    CsThread *reader = cs_thread_new("database", read_chunk, run, NULL);
    CsThread *thread = cs_thread_new("search", search_chunk, run, NULL);
    if (thread != NULL)
        cs_thread_join_asking(thread, ask, run);
    else
        search_chunk(run);
    if (reader != NULL)
        cs_thread_join_asking(reader, ask, run);
    else
        read_chunk(run);
    if (run->stop) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped on request");
        return FALSE;
    }
    if (run->search.failed) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory to search with a query of %" G_GINT64_FORMAT " letters",
                    run->result->queries.longest);
        return FALSE;
    }
    return TRUE;
}

static gboolean
search_all(Run *run, GError **error)
{
    CsSearchSummary *summary = &run->result->summary;
    read_chunk(run);
    if (!check_alphabet(run, error))
        return FALSE;
    while (run->next != NULL) {
        run->chunk = g_steal_pointer(&run->next);
        if (!compute_chunk(run, error))
            return FALSE;
        summary->records += run->chunk->count;
        summary->letters += (gint64)run->chunk->letters_count;
        run->fraction = run->chunk->fraction;
        g_clear_pointer(&run->chunk, cs_record_chunk_free);
    }
    if (run->read_error == NULL)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&run->read_error));
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
make_hits(CsSearch *search, double max_evalue)
{
    const CsQueries *queries = &search->queries;
    for (gint64 k = 0; k < queries->count; k++) {
        CsBestList *best = &queries->queries[k].best;
        cs_best_list_trim(best);
        for (guint n = 0; n < best->entries->len; n++)
            add_hit(search, k, &g_array_index(best->entries, CsBestEntry, n), max_evalue);
    }
}

static void
summarise(Run *run)
{
    CsSearchSummary *summary = &run->result->summary;
    const CsQueries *queries = &run->result->queries;
    summary->alphabet = queries->alphabet;
    summary->queries = queries->count;
    summary->query_letters = queries->letter_count;
    summary->cells =
        queries->letter_count * summary->letters * (queries->strand == CS_STRAND_BOTH ? 2 : 1);
    summary->matrix = queries->matrix;
    summary->match = queries->match;
    summary->mismatch = queries->mismatch;
    summary->gap_open = queries->gap_open;
    summary->gap_extend = queries->gap_extend;
    summary->has_evalues = queries->has_statistics;
    summary->threads = run->search.threads;
    summary->seconds = seconds_since(run->begun);
}

static gboolean
check_options(const CsSearchOptions *options, GError **error)
{
    const char *wrong = options->number < 1 || options->number > G_MAXINT32
                            ? "the number of hits must be from 1 to 2147483647"
                        : options->chunk < 0 ? "a chunk cannot have less than 0 letters"
                                             : NULL;
    if (wrong == NULL)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE, wrong);
    return FALSE;
}

static gboolean
run_search(Run *run, const char *queries, GError **error)
{
    CsSearch *result = run->result;
    run->search = (CsChunkSearch){.queries = &result->queries,
                                  .threads = run->options->threads > 0 ? run->options->threads
                                                                       : cs_threads_granted(),
                                  .align = run->options->align,
                                  .stop = &run->stop};
    run->search.kernels = cs_pair_kernels(error);
    if (run->search.kernels == NULL ||
        !cs_queries_init(&result->queries, queries, run->options, error))
        return FALSE;
    result->summary.instructions = cs_simd_target(NULL);
    run->stream = cs_record_stream_new(run->database, &result->queries.letters, error);
    if (run->stream == NULL || !search_all(run, error))
        return FALSE;
    summarise(run);
    make_hits(result, run->options->max_evalue);
    tell_progress(run, TRUE);
    return TRUE;
}

CsSearch *
cs_search(const char *queries, const char *database, const CsSearchOptions *options, GError **error)
{
    static const CsSearchOptions defaults = CS_SEARCH_OPTIONS_INIT;
    g_return_val_if_fail(queries != NULL && database != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (strcmp(queries, "-") == 0 && strcmp(database, "-") == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "the queries and the database cannot both be standard input");
        return NULL;
    }
    g_autoptr(CsSearch) result = g_new0(CsSearch, 1);
    result->hits = g_array_new(FALSE, FALSE, sizeof(CsSearchHit));
    Run run = {.result = result,
               .options = options != NULL ? options : &defaults,
               .database = database,
               .begun = g_get_monotonic_time()};
    const gboolean done = check_options(run.options, error) && run_search(&run, queries, error);
    g_clear_pointer(&run.chunk, cs_record_chunk_free);
    g_clear_pointer(&run.next, cs_record_chunk_free);
    g_clear_pointer(&run.stream, cs_record_stream_free);
    g_clear_error(&run.read_error);
    return done ? g_steal_pointer(&result) : NULL;
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
