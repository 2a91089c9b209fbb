/*
 * How fast a GPU finds scores: bench_scores QUERIES.fa DATABASE.fa [COPIES [FILE.fa]]
 *
 * Proteins, BLOSUM62, gaps of 11 + 1 per letter. The database is COPIES times (1) that of the file, each
 * copy with another share of its letters changed by lot, from none to a half, and is written to FILE.fa
 * if that is given. Prints 10^9 cells per second for all queries together and for each query alone: with
 * the time for records to get to the GPU ("loaded"), and without. Reading files and lists of hits are not
 * in the times. CHROMOSWEEP_SCORE_FORM chooses the form of the kernels (cuda/cuda_tapes.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chromosweep/threads.h>

#include "engines/engine_registry.h"
#include "search/alphabet.h"
#include "search/device_scores.h"
#include "sequence/record_stream.h"

enum {
    CHUNK = 64 << 20, /* letters */
    ROUNDS = 3,
};

typedef struct {
    GArray *records; /* CsStreamRecord */
    GByteArray *letters;
} Chunk;

static double
now(void)
{
    return (double)g_get_monotonic_time() / 1e6;
}

static void
add_copy(GPtrArray *chunks, const CsRecordChunk *file, GRand *rand, double changed)
{
    static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";
    for (guint k = 0; k < file->count; k++) {
        Chunk *chunk = chunks->len > 0 ? g_ptr_array_index(chunks, chunks->len - 1) : NULL;
        if (chunk == NULL || chunk->letters->len >= CHUNK) {
            chunk = g_new(Chunk, 1);
            *chunk = (Chunk){g_array_new(FALSE, FALSE, sizeof(CsStreamRecord)), g_byte_array_new()};
            g_ptr_array_add(chunks, chunk);
        }
        const CsStreamRecord *from = &file->records[k];
        CsStreamRecord record = {.letters = chunk->letters->len, .length = from->length};
        g_byte_array_append(chunk->letters, file->letters + from->letters, (guint)from->length);
        guint8 *letters = chunk->letters->data + record.letters;
        for (gint64 changes = (gint64)(changed * (double)record.length); changes > 0; changes--)
            letters[g_rand_int(rand) % (guint64)record.length] =
                (guint8)(amino_acids[g_rand_int(rand) % 20] - 'A');
        g_array_append_val(chunk->records, record);
    }
}

static GPtrArray *
make_database(const char *path, int copies)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsRecordStream) stream = cs_record_stream_new(path, &cs_alphabet_protein, &error);
    g_autoptr(CsRecordChunk) file =
        stream != NULL ? cs_record_stream_next(stream, G_MAXINT64, &error) : NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    GPtrArray *chunks = g_ptr_array_new();
    if (file == NULL)
        g_error("%s: %s", path, error != NULL ? error->message : "no records");
    for (int k = 0; k < copies; k++)
        add_copy(chunks, file, rand, copies > 1 ? 0.5 * k / (copies - 1) : 0);
    return chunks;
}

static void
write_database(const GPtrArray *chunks, const char *path)
{
    FILE *file = fopen(path, "w");
    gint64 number = 0;
    if (file == NULL)
        g_error("cannot write %s", path);
    for (guint k = 0; k < chunks->len; k++) {
        const Chunk *chunk = g_ptr_array_index(chunks, k);
        for (guint l = 0; l < chunk->records->len; l++) {
            const CsStreamRecord *record = &g_array_index(chunk->records, CsStreamRecord, l);
            fprintf(file, ">r%d\n", (int)number++);
            for (gint64 i = 0; i < record->length; i++) {
                const guint8 code = chunk->letters->data[record->letters + (gsize)i];
                putc(code == CS_PROTEIN_STOP ? '*' : 'A' + code, file);
            }
            putc('\n', file);
        }
    }
    if (fclose(file) != 0)
        g_error("cannot write %s", path);
}

typedef struct {
    double loading, scoring, cells;
} Times;

static void
fail(const GError *error)
{
    g_error("%s", error->message);
}

/* Scores all chunks with the queries. */
static Times
measure(const GPtrArray *chunks, CsQueries *queries, CsDeviceScores *scores)
{
    Times times = {0};
    GError *error = NULL;
    CsDeviceBatch batch;
    for (guint k = 0; k < chunks->len; k++) {
        const Chunk *from = g_ptr_array_index(chunks, k);
        const CsRecordChunk chunk = {.count = from->records->len,
                                     .records = (CsStreamRecord *)(void *)from->records->data,
                                     .letters = from->letters->data,
                                     .letters_count = from->letters->len};
        const double begun = now();
        if (!cs_device_scores_begin(scores, queries, &chunk, cs_threads_granted(), &error))
            fail(error);
        const double loaded = now();
        do
            if (!cs_device_scores_next(scores, &batch, &error))
                fail(error);
        while (batch.count > 0);
        cs_device_scores_end(scores);
        times.loading += loaded - begun;
        times.scoring += now() - loaded;
        for (gint64 q = 0; q < queries->count; q++)
            times.cells += (double)queries->queries[q].length * (double)chunk.letters_count;
    }
    return times;
}

/* The fastest of some rounds; the first one allocates. */
static void
tell(const GPtrArray *chunks, CsQueries *queries, const char *name)
{
    Times best = {0};
    GError *error = NULL;
    g_autoptr(CsDeviceScores) scores =
        cs_device_scores_new(cs_engine_scorer(), NULL, queries, &error);
    if (scores == NULL)
        fail(error);
    for (int round = 0; round < ROUNDS; round++) {
        const Times times = measure(chunks, queries, scores);
        if (round == 0 || times.scoring < best.scoring)
            best = times;
    }
    g_print("%-24s %7.0f  loaded %7.0f  (%.4f s, loading %.4f s)\n", name,
            best.cells / best.scoring / 1e9, best.cells / (best.scoring + best.loading) / 1e9,
            best.scoring, best.loading);
}

int
main(int argc, char **argv)
{
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    CsQueries queries;
    GError *error = NULL;
    options.alphabet = CS_ALPHABET_PROTEIN;
    if (argc < 3)
        g_error("bench_scores QUERIES.fa DATABASE.fa [COPIES [FILE.fa]]");
    if (!cs_queries_init(&queries, argv[1], &options, &error))
        fail(error);
    GPtrArray *chunks = make_database(argv[2], argc > 3 ? atoi(argv[3]) : 1);
    if (argc > 4)
        write_database(chunks, argv[4]);
    tell(chunks, &queries, "all queries");
    for (gint64 k = 0; k < queries.count; k++) {
        CsQueries alone = queries;
        g_autofree char *name =
            g_strdup_printf("alone: %" G_GINT64_FORMAT, queries.queries[k].length);
        alone.queries = &queries.queries[k];
        alone.count = 1;
        tell(chunks, &alone, name);
    }
    return 0;
}
