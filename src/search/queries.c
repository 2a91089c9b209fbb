/* Loads queries, and reads the scoring. */
#include <string.h>

#include <chromosweep/error.h>

#include "search/alphabet.h"
#include "search/letter_scoring.h"
#include "search/queries.h"
#include "system/display.h"
#include "system/memory.h"

static gboolean
read_scoring(CsQueries *queries, const CsSearchOptions *options, GError **error)
{
    CsLetterScoring scoring = {.matrix = NULL};
    const gboolean good =
        cs_letter_scoring_read(&scoring, queries->alphabet, options, "queries", error);
    queries->scoring = scoring.pairs;
    queries->matrix = scoring.matrix;
    queries->match = scoring.match;
    queries->mismatch = scoring.mismatch;
    queries->gap_open = scoring.gap_open;
    queries->gap_extend = scoring.gap_extend;
    queries->has_statistics = good && queries->alphabet == CS_ALPHABET_PROTEIN &&
                              cs_statistics_find(scoring.builtin, scoring.gap_open,
                                                 scoring.gap_extend, &queries->statistics);
    return good;
}

static gboolean
check_names(const CsQueries *queries, const char *path, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (gint64 k = 0; k < queries->count; k++)
        if (!g_hash_table_add(seen, (gpointer)queries->queries[k].name)) {
            g_autofree char *name = cs_display_record(queries->queries[k].name);
            g_autofree char *file = cs_display_name(path);
            g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: two records named \"%s\"",
                        strcmp(path, "-") == 0 ? "standard input" : file, name);
            return FALSE;
        }
    return TRUE;
}

static gboolean
add_minus(CsQueries *queries, GError **error)
{
    queries->minus = cs_memory_try(queries->chunk->letters_count, 1);
    if (queries->minus == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for the minus strand of the queries");
        return FALSE;
    }
    for (gint64 k = 0; k < queries->count; k++) {
        CsQuery *query = &queries->queries[k];
        guint8 *minus = queries->minus + queries->chunk->records[k].letters;
        cs_alphabet_complement(query->strands[CS_STRAND_PLUS], (gsize)query->length, minus);
        query->strands[CS_STRAND_MINUS] = minus;
    }
    return TRUE;
}

static void
take_records(CsQueries *queries, gint64 number, gint64 least)
{
    const CsRecordChunk *chunk = queries->chunk;
    queries->count = chunk->count;
    queries->letter_count = (gint64)chunk->letters_count;
    queries->queries = g_new0(CsQuery, chunk->count);
    for (guint k = 0; k < chunk->count; k++) {
        const CsStreamRecord *record = &chunk->records[k];
        queries->queries[k] = (CsQuery){.name = chunk->names + record->name,
                                        .length = record->length,
                                        .strands = {chunk->letters + record->letters}};
        queries->longest = MAX(queries->longest, record->length);
        cs_best_list_init(&queries->queries[k].best, number, least);
    }
}

gboolean
cs_queries_take_chunk(CsQueries *queries, gint64 number, gint64 least, GError **error)
{
    take_records(queries, number, least);
    return queries->strand == CS_STRAND_PLUS || add_minus(queries, error);
}

void
cs_queries_init_beside(CsQueries *queries, const CsQueries *others)
{
    *queries = *others;
    queries->chunk = NULL;
    queries->minus = NULL;
    queries->matrix = NULL;
    queries->queries = g_new(CsQuery, others->count);
    for (gint64 k = 0; k < others->count; k++) {
        const CsQuery *other = &others->queries[k];
        queries->queries[k] = (CsQuery){.name = other->name,
                                        .length = other->length,
                                        .strands = {other->strands[0], other->strands[1]}};
        cs_best_list_init(&queries->queries[k].best, other->best.most, other->best.least);
    }
}

gboolean
cs_queries_init(CsQueries *queries, const char *path, const CsSearchOptions *options,
                GError **error)
{
    queries->alphabet = options->alphabet;
    queries->guessed = options->alphabet == CS_ALPHABET_AUTO;
    queries->chunk = cs_letters_load(path, &queries->alphabet, "", error);
    if (queries->chunk == NULL)
        return FALSE;
    const gboolean bases = queries->alphabet == CS_ALPHABET_NUCLEOTIDE;
    queries->letters = bases ? cs_alphabet_nucleotide : cs_alphabet_protein;
    queries->letters.hint =
        bases ? "; the queries are nucleotides, so the database must be, too" : "";
    queries->strand = bases ? options->strand : CS_STRAND_PLUS;
    return cs_queries_take_chunk(queries, options->number, options->min_score, error) &&
           check_names(queries, path, error) && read_scoring(queries, options, error);
}

double
cs_queries_cells(const CsQueries *queries, gint64 letters)
{
    const double strands = queries->strand == CS_STRAND_BOTH ? 2 : 1;
    return strands * (double)queries->letter_count * (double)letters;
}

void
cs_queries_clear(CsQueries *queries)
{
    for (gint64 k = 0; k < queries->count; k++)
        cs_best_list_clear(&queries->queries[k].best);
    g_free(queries->queries);
    g_clear_pointer(&queries->chunk, cs_record_chunk_free);
    g_free(queries->minus);
    g_free(queries->matrix);
}
