/*
 * The scores of one query with many records, and where they end: lanes of 8 bits first, then wider
 * ones for the records whose score is too high for them.
 */
#ifndef CS_PAIR_SCORES_H
#define CS_PAIR_SCORES_H

#include "search/lane_kernel.h"

/* What pairs of letters and gaps score. All numbers are at most CS_PAIR_MOST, in either direction. */
typedef struct {
    /* What a letter of the query (first) gains with a letter of a record. */
    gint32 pairs[CS_LETTERS_MAX][CS_LETTERS_MAX];
    gint64 first, more; /* what the first letter of a gap costs, and each further one */
    /* Of the pairs, and how many codes there are; cs_pair_scoring_init() sets them. */
    gint32 lowest, highest;
    guint letters;
} CsPairScoring;

#define CS_PAIR_MOST 1000000000

/*
 * Sets `letters`, `lowest` and `highest` from the pairs of the first `letters` codes, and what those with
 * CS_LETTER_NONE gain.
 */
void cs_pair_scoring_init(CsPairScoring *scoring, guint letters);

/* Kernels with lanes of 8, 16 and 32 bits. */
typedef struct {
    const CsLaneKernel *of_bits[3];
    const CsLaneKernel *striped[3]; /* of a record in all lanes; NULL for 8 bits */
} CsPairKernels;

/* Those of the best instruction set that works here and that CHROMOSWEEP_SIMD allows; NULL if none
 * does. */
const CsPairKernels *cs_pair_kernels(GError **error);

typedef struct {
    const CsPairKernels *kernels;
    const CsPairScoring *scoring;
    const guint8 *query; /* codes, at least one */
    gint64 rows;         /* letters of the query */
    /* The narrowest lanes to try: 0, 1 or 2. If most scores turn out to be too high for them, they are
     * set to the next. */
    guint lanes;
    gboolean striped; /* for tests: no lane has a record of its own */
    const gint *stop; /* (nullable): if it becomes nonzero, nothing is found */
    gpointer scratch; /* cs_lane_scratch(rows) bytes, aligned */
} CsPairQuery;

/* Sets the score of each record. FALSE if there is not enough memory. */
gboolean cs_pair_scores(CsPairQuery *query, const CsLaneRecord *records, gint64 count,
                        CsLaneFound *found);

/* Finds where the scores end: the first column with the score, and in it the first row. The scores
 * must be known and above 0. The rows are taken from the plain recurrence if they fit no lanes. */
gboolean cs_pair_ends(CsPairQuery *query, const CsLaneRecord *records, gint64 count,
                      CsLaneFound *found);

#endif
