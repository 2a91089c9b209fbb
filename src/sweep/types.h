/*
 * Scores, cells and which of two cells with the same score is reported.
 *
 * Rows i and columns j count from 1, as in the CUDAlign paper; row 0 and column 0 are the borders.
 */
#ifndef CS_TYPES_H
#define CS_TYPES_H

#include <glib.h>

typedef gint64 CsScore;

/*
 * Minus infinity. It is far enough from G_MININT64 for one subtraction of any cost that
 * cs_scoring_check() lets pass, and below every score that it lets pass.
 */
#define CS_SCORE_NONE (G_MININT64 / 2)

/* In which order the ends of equally good alignments are preferred. */
typedef enum {
    CS_TIE_ROW_FIRST,    /* smallest i, then smallest j */
    CS_TIE_COLUMN_FIRST, /* smallest j, then smallest i: for a sweep of the transposed matrix */
} CsTieOrder;

/* A cell and its score; score 0 is no cell at all, and then i = j = 0. */
typedef struct {
    CsScore score;
    gint64 i;
    gint64 j;
} CsBest;

/*
 * Whether a cell (i, j) of this score is to be reported rather than best. If it is false for the
 * first row and column of a block and the block's highest score, it is so for all its cells.
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
