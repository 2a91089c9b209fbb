/*
 * The oracle: plain full-matrix dynamic programming over bases. It shares no code and no types with
 * the engines, so it cannot share a mistake with them.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define ORACLE_MINUS_INFINITY (INT64_MIN / 2)

typedef struct {
    const char *a; /* rows, m bases */
    const char *b; /* columns, n bases */
    int m, n;
    int64_t match, mismatch, open, extend; /* the last three are costs */
    int64_t corner;     /* H(0, 0), at least 0; along the borders it falls by one gap, down to 0 */
    bool columns_first; /* of equal cells the smallest column, then row */
} OracleProblem;

typedef struct {
    int width;           /* n + 1 */
    int64_t *h, *e, *f;  /* (m + 1) x (n + 1), borders included */
    int64_t *e_of_pairs; /* E opened from paired bases only, not from F: enough for every H */
    int64_t score;       /* the highest above zero, else 0 */
    int i, j;            /* its cell, or 0, 0 */
} Oracle;

/* The score of pairing base i of a with base j of b, both counted from 1. */
int64_t oracle_pair(const OracleProblem *problem, int i, int j);

/* Fills all matrices. E and F are not clamped at 0. */
void oracle_solve(const OracleProblem *problem, Oracle *oracle);
void oracle_clear(Oracle *oracle);

/* The best local score with every gap length tried at every cell: O(mn(m + n)), for small problems.
 */
int64_t oracle_score_by_every_gap(const OracleProblem *problem);

/*
 * gains[i * (n + 1) + j] is the most that an alignment can gain after cell (i, j), if it has no
 * open gap there. It is at least 0, for an alignment that ends.
 */
void oracle_gains(const OracleProblem *problem, int64_t *gains);

/* The same, with every gap length tried, as in oracle_score_by_every_gap(). */
void oracle_gains_by_every_gap(const OracleProblem *problem, int64_t *gains);

#endif
