/* The path of the best alignment, by a walk back over the oracle's full matrices. Shares no code
 * with the library. */
#ifndef PATH_ORACLE_H
#define PATH_ORACLE_H

#include "oracle.h"

/*
 * One character per step, from the start on: M is a pair, R an unpaired base of a (rows), C an
 * unpaired base of b (columns). a_is_query says which is the query; of two gaps, the one with the
 * query's bases is taken. *i0 and *j0 are the bases before the first pair. Free the result with
 * free(). NULL if the score is 0.
 */
char *path_oracle(const OracleProblem *problem, const Oracle *oracle, bool a_is_query, int *i0,
                  int *j0);

#endif
