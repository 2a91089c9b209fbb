/*
 * Global alignments by definition: full matrices of (score, matches, columns) that are compared one
 * after the other, in which the best gap into a cell is looked for among all gaps. It shares nothing
 * with the library.
 */
#ifndef GLOBAL_ORACLE_H
#define GLOBAL_ORACLE_H

#include <glib.h>

enum {
    GLOBAL_LETTERS = 32,
};

typedef struct {
    gint64 score, matches, columns;
} GlobalTruth;

typedef struct {
    const gint32 (*pairs)[GLOBAL_LETTERS]; /* [query][record] */
    gboolean counts[GLOBAL_LETTERS];       /* whether two of the letter are a match */
    gint64 first, more;
    const guint8 *query, *record;
    gint64 rows, columns;
} GlobalProblem;

/* Takes rows * columns * (rows + columns) steps. `path` (nullable) gets the steps from the start on. */
GlobalTruth global_oracle(const GlobalProblem *problem, GString *path);

/* For longer sequences: two columns at a time, without a path. */
GlobalTruth global_oracle_long(const GlobalProblem *problem);

/* What a path of '=', 'X', 'I' and 'D', each with its number before it, is worth. Fails if it is no path from
 * end to end, or if a letter is wrong. */
GlobalTruth global_oracle_worth(const GlobalProblem *problem, const char *cigar);

#endif
