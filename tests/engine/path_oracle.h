/* The path of the best alignment, walked back over the oracle's full matrices; shares no code with
 * the library. */
#ifndef PATH_ORACLE_H
#define PATH_ORACLE_H

#include "oracle.h"

/*
 * One character a step, from the start on: M a pair, R an unpaired base of a (rows), C one of b
 * (columns). b is the query unless a is; of two gaps that of the query's bases is taken. To be freed
 * with free(); *i0 and *j0 are the bases before the first. NULL where the score is 0.
 */
char *path_oracle(const OracleProblem *problem, const Oracle *oracle, bool a_is_query, int *i0,
                  int *j0);

#endif
