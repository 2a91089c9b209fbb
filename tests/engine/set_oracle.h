/*
 * Sets of alignments, found one by one over full matrices as docs/proofs/alignment-sets.md defines
 * them. Shares no code with the library.
 */
#ifndef SET_ORACLE_H
#define SET_ORACLE_H

#include <glib.h>

#include "path_oracle.h"

/* Positions count from 1, on the forward strand. */
typedef struct {
    bool minus;
    int64_t score;
    int target_start, target_end, query_start, query_end;
    char *steps; /* as path_oracle() has them, along the target */
    int target_record, query_record;
} SetAlignment;

typedef struct {
    const char *target, *query;
    int64_t match, mismatch, open, extend;
    bool plus, minus; /* strands */
    int64_t least;    /* score, at least 1 */
    int most;         /* alignments; 0: all */
    int64_t max_drop; /* negative: alignments are not cut */
    bool self;        /* only pairs whose base of the query lies beyond that of the target */
} SetProblem;

/* The set as a GArray of SetAlignment. */
GArray *set_oracle_one_to_one(const SetProblem *problem);

GArray *set_oracle_all(const SetProblem *problem);

/* The same of several records on each side; those of the problem do not matter. */
GArray *set_oracle_one_to_one_many(const SetProblem *problem, char **targets, char **queries);
GArray *set_oracle_all_many(const SetProblem *problem, char **targets, char **queries);

void set_oracle_free(GArray *set);

#endif
