/* A case of skip_cases.h, the truth about it, and a sweep of the whole matrix. */
#ifndef SKIP_TRIAL_H
#define SKIP_TRIAL_H

#include "oracle.h"
#include "skipping/bounds.h"
#include "skip_cases.h"
#include "sweep/gain_table.h"
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
 * Bounds that are exactly what alignments can gain after each row and column. Three of four cases
 * also get a table, whose entries have 1 .. `most` rows and columns.
 */
CsBounds *skip_trial_tightest(SkipTrial *trial, int most);

/* Gains that are exact on each diagonal after each line, in bands of 1 .. `most` rows and blocks of as
 * many diagonals. Some blocks of a line are only part of the highest beside its entries. */
CsGainTable *skip_trial_tightest_gains(SkipTrial *trial, int most);

#endif
