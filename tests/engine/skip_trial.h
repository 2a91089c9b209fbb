/* One case of skip_cases.h with its truth, and a sweep of the whole. */
#ifndef SKIP_TRIAL_H
#define SKIP_TRIAL_H

#include "oracle.h"
#include "skipping/bounds.h"
#include "skip_cases.h"
#include "sweep/rectangle.h"

typedef struct {
    SkipCase *c;
    GRand *rand;
    CsSequence *target, *query;
    CsRectangle whole;
    OracleProblem problem;
    Oracle oracle;
} SkipTrial;

void skip_trial_init(SkipTrial *trial, guint32 seed, int longest);
void skip_trial_init_case(SkipTrial *trial, guint32 seed, SkipCase *c); /* takes the case */
void skip_trial_clear(SkipTrial *trial);

/*
 * Bounds that are exactly what alignments gain after each row and column; in three of four cases
 * also in a table, whose entries have 1 .. `most` rows and as many columns.
 */
CsBounds *skip_trial_tightest(SkipTrial *trial, int most);

#endif
