/* Reads the scoring, and the letters of a file: see letter_scoring.h. */
#include <chromosweep/error.h>

#include "search/alphabet.h"
#include "search/letter_scoring.h"
#include "search/matrix.h"
#include "search/statistics.h"
#include "sequence/bases.h"

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
score_bases(CsLetterScoring *scoring, const CsSearchOptions *options, GError **error)
{
    scoring->match = options->match;
    scoring->mismatch = options->mismatch;
    scoring->gap_open = options->gap_open < 0 ? 3 : options->gap_open;
    scoring->gap_extend = options->gap_extend < 0 ? 2 : options->gap_extend;
    if (!check_cost("match", options->match, 1, error) ||
        !check_cost("mismatch", options->mismatch, 0, error))
        return FALSE;
    for (guint a = 0; a < CS_BASE_LETTERS; a++)
        for (guint b = 0; b < CS_BASE_LETTERS; b++)
            scoring->pairs.pairs[a][b] = a == b && a != CS_CODE_AMBIGUOUS
                                             ? (gint32)options->match
                                             : -(gint32)options->mismatch;
    cs_pair_scoring_init(&scoring->pairs, CS_BASE_LETTERS);
    return TRUE;
}

static gboolean
score_amino_acids(CsLetterScoring *scoring, const CsSearchOptions *options, GError **error)
{
    const char *matrix = options->matrix != NULL ? options->matrix : "BLOSUM62";
    gint64 open = 11, extend = 1;
    if (!cs_matrix_load(matrix, &scoring->pairs, &scoring->builtin, error))
        return FALSE;
    scoring->matrix = g_strdup(scoring->builtin >= 0 ? cs_matrix_names[scoring->builtin] : matrix);
    if (scoring->builtin >= 0)
        cs_statistics_recommend(scoring->builtin, &open, &extend);
    scoring->gap_open = options->gap_open < 0 ? open : options->gap_open;
    scoring->gap_extend = options->gap_extend < 0 ? extend : options->gap_extend;
    return TRUE;
}

gboolean
cs_letter_scoring_read(CsLetterScoring *scoring, CsAlphabet alphabet,
                       const CsSearchOptions *options, const char *who, GError **error)
{
    const gboolean bases = alphabet == CS_ALPHABET_NUCLEOTIDE;
    if (bases && options->matrix != NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "the %s are nucleotides, which have no matrix but match and mismatch", who);
        return FALSE;
    }
    if (!(bases ? score_bases(scoring, options, error)
                : score_amino_acids(scoring, options, error)) ||
        !check_cost("gap-open", scoring->gap_open, 0, error) ||
        !check_cost("gap-extend", scoring->gap_extend, 0, error))
        return FALSE;
    scoring->pairs.first = scoring->gap_open + scoring->gap_extend;
    scoring->pairs.more = scoring->gap_extend;
    return TRUE;
}

CsRecordChunk *
cs_letters_load(const char *path, CsAlphabet *alphabet, const char *hint, GError **error)
{
    CsStreamLetters letters =
        *alphabet == CS_ALPHABET_NUCLEOTIDE ? cs_alphabet_nucleotide : cs_alphabet_protein;
    letters.hint = hint;
    g_autoptr(CsRecordStream) stream = cs_record_stream_new(path, &letters, error);
    CsRecordChunk *chunk = stream != NULL ? cs_record_stream_next(stream, G_MAXINT64, error) : NULL;
    if (chunk == NULL || *alphabet != CS_ALPHABET_AUTO)
        return chunk;
    CsLetterCount count = {0};
    cs_letter_count_add(&count, chunk->letters, chunk->letters_count);
    *alphabet =
        cs_letter_count_is_nucleotide(&count) ? CS_ALPHABET_NUCLEOTIDE : CS_ALPHABET_PROTEIN;
    if (*alphabet == CS_ALPHABET_NUCLEOTIDE)
        cs_alphabet_to_bases((guint8 *)chunk->letters, chunk->letters_count);
    return chunk;
}
