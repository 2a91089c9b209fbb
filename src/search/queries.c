/* Loads queries, tells what they are, and reads the scoring. */
#include <string.h>

#include <chromosweep/error.h>

#include "search/alphabet.h"
#include "search/matrix.h"
#include "search/queries.h"
#include "sequence/bases.h"
#include "system/display.h"
#include "system/memory.h"

static gboolean
fail_usage(GError **error, const char *what, gint64 value, gint64 least)
{
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "%s is %" G_GINT64_FORMAT "; it must be from %" G_GINT64_FORMAT " to %d", what,
                value, least, CS_PAIR_MOST);
    return FALSE;
}

static gboolean
check_cost(const char *what, gint64 value, gint64 least, GError **error)
{
    return (value >= least && value <= CS_PAIR_MOST) || fail_usage(error, what, value, least);
}

/* What bases score: the matrix of match and mismatch. */
static gboolean
score_bases(CsQueries *queries, const CsSearchOptions *options, GError **error)
{
    queries->match = options->match;
    queries->mismatch = options->mismatch;
    queries->gap_open = options->gap_open < 0 ? 3 : options->gap_open;
    queries->gap_extend = options->gap_extend < 0 ? 2 : options->gap_extend;
    if (!check_cost("match", options->match, 1, error) ||
        !check_cost("mismatch", options->mismatch, 0, error))
        return FALSE;
    for (guint a = 0; a < CS_BASE_LETTERS; a++)
        for (guint b = 0; b < CS_BASE_LETTERS; b++)
            queries->scoring.pairs[a][b] = a == b && a != CS_CODE_AMBIGUOUS
                                               ? (gint32)options->match
                                               : -(gint32)options->mismatch;
    cs_pair_scoring_init(&queries->scoring, CS_BASE_LETTERS);
    return TRUE;
}

static gboolean
score_amino_acids(CsQueries *queries, const CsSearchOptions *options, GError **error)
{
    const char *matrix = options->matrix != NULL ? options->matrix : "BLOSUM62";
    gint64 open = 11, extend = 1;
    int builtin;
    if (!cs_matrix_load(matrix, &queries->scoring, &builtin, error))
        return FALSE;
    queries->matrix = g_strdup(builtin >= 0 ? cs_matrix_names[builtin] : matrix);
    if (builtin >= 0)
        cs_statistics_recommend(builtin, &open, &extend);
    queries->gap_open = options->gap_open < 0 ? open : options->gap_open;
    queries->gap_extend = options->gap_extend < 0 ? extend : options->gap_extend;
    queries->has_statistics =
        cs_statistics_find(builtin, queries->gap_open, queries->gap_extend, &queries->statistics);
    return TRUE;
}

static gboolean
read_scoring(CsQueries *queries, const CsSearchOptions *options, GError **error)
{
    const gboolean bases = queries->alphabet == CS_ALPHABET_NUCLEOTIDE;
    if (bases && options->matrix != NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "the queries are nucleotides, which have no matrix but match and mismatch");
        return FALSE;
    }
    if (!(bases ? score_bases(queries, options, error)
                : score_amino_acids(queries, options, error)) ||
        !check_cost("gap-open", queries->gap_open, 0, error) ||
        !check_cost("gap-extend", queries->gap_extend, 0, error))
        return FALSE;
    queries->scoring.first = queries->gap_open + queries->gap_extend;
    queries->scoring.more = queries->gap_extend;
    return TRUE;
}

/* All records of the file. */
static CsRecordChunk *
read_all(const char *path, const CsStreamLetters *letters, GError **error)
{
    g_autoptr(CsRecordStream) stream = cs_record_stream_new(path, letters, error);
    return stream != NULL ? cs_record_stream_next(stream, G_MAXINT64, error) : NULL;
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
take_records(CsQueries *queries, const CsSearchOptions *options)
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
        cs_best_list_init(&queries->queries[k].best, options->number, options->min_score);
    }
}

gboolean
cs_queries_init(CsQueries *queries, const char *path, const CsSearchOptions *options,
                GError **error)
{
    queries->alphabet = options->alphabet;
    queries->guessed = options->alphabet == CS_ALPHABET_AUTO;
    const gboolean as_bases = options->alphabet == CS_ALPHABET_NUCLEOTIDE;
    queries->chunk =
        read_all(path, as_bases ? &cs_alphabet_nucleotide : &cs_alphabet_protein, error);
    if (queries->chunk == NULL)
        return FALSE;
    if (queries->guessed) {
        CsLetterCount count = {0};
        cs_letter_count_add(&count, queries->chunk->letters, queries->chunk->letters_count);
        queries->alphabet =
            cs_letter_count_is_nucleotide(&count) ? CS_ALPHABET_NUCLEOTIDE : CS_ALPHABET_PROTEIN;
        if (queries->alphabet == CS_ALPHABET_NUCLEOTIDE)
            cs_alphabet_to_bases((guint8 *)queries->chunk->letters, queries->chunk->letters_count);
    }
    const gboolean bases = queries->alphabet == CS_ALPHABET_NUCLEOTIDE;
    queries->letters = bases ? cs_alphabet_nucleotide : cs_alphabet_protein;
    queries->letters.hint =
        bases ? "; the queries are nucleotides, so the database must be, too" : "";
    queries->strand = bases ? options->strand : CS_STRAND_PLUS;
    take_records(queries, options);
    return check_names(queries, path, error) && read_scoring(queries, options, error) &&
           (queries->strand == CS_STRAND_PLUS || add_minus(queries, error));
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
