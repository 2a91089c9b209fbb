/* What letters and gaps score, as options say, and the letters of a whole file. */
#ifndef CS_LETTER_SCORING_H
#define CS_LETTER_SCORING_H

#include <chromosweep/search.h>

#include "search/pair_scores.h"
#include "sequence/record_stream.h"

typedef struct {
    CsPairScoring pairs;
    char *matrix; /* for proteins, for g_free(): its name or its file */
    int builtin;  /* index in cs_matrix_names, or -1 */
    gint64 match, mismatch, gap_open, gap_extend;
} CsLetterScoring;

/*
 * Reads the options matrix, match, mismatch, gap_open and gap_extend. `who` has the letters, in
 * messages: "queries". Fails as cs_search() does; the matrix is to be freed then, too.
 */
gboolean cs_letter_scoring_read(CsLetterScoring *scoring, CsAlphabet alphabet,
                                const CsSearchOptions *options, const char *who, GError **error);

/* All records of a file. If *alphabet is CS_ALPHABET_AUTO, it becomes what the letters tell. Errors
 * are those of cs_record_stream_new(); a message about a wrong letter ends with the hint. */
CsRecordChunk *cs_letters_load(const char *path, CsAlphabet *alphabet, const char *hint,
                               GError **error);

#endif
