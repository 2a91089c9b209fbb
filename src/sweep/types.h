/*
 * Scores, cells, and which of two cells with the same score is reported.
 *
 * Rows i and columns j count from 1, as in the CUDAlign paper; row 0 and column 0 are the borders.
 */
#ifndef CS_TYPES_H
#define CS_TYPES_H

#include <glib.h>

typedef gint64 CsScore;

/*
 * Minus infinity. It is below every score that cs_scoring_check() allows, and far enough from
 * G_MININT64 that any cost that it allows can be subtracted once.
 */
#define CS_SCORE_NONE (G_MININT64 / 2)

/* In which order the ends of equally good alignments are preferred. */
typedef enum {
    CS_TIE_ROW_FIRST,    /* smallest i, then smallest j */
    CS_TIE_COLUMN_FIRST, /* smallest j, then smallest i: for a sweep of the transposed matrix */
} CsTieOrder;

/* A cell and its score. Score 0 means no cell; then i = j = 0. */
typedef struct {
    CsScore score;
    gint64 i;
    gint64 j;
} CsBest;

/*
 * Whether cell (i, j) with this score is to be reported instead of best. If not for the first row
 * and column of a block with the block's highest score, then for no cell of the block.
 */
static inline gboolean
cs_best_yields_to(const CsBest *best, CsTieOrder order, CsScore score, gint64 i, gint64 j)
{
    if (score != best->score)
        return score > best->score;
    if (score == 0)
        return FALSE;
    if (order == CS_TIE_ROW_FIRST)
        return i < best->i || (i == best->i && j < best->j);
    return j < best->j || (j == best->j && i < best->i);
}

static inline void
cs_best_merge(CsBest *best, CsTieOrder order, const CsBest *other)
{
    if (cs_best_yields_to(best, order, other->score, other->i, other->j))
        *best = *other;
}

#endif
