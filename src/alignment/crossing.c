/* What paths that cross a row are worth. */
#include "alignment/crossing.h"

/* The share of the highest possible gain that a path usually has, and how much more H counts than what follows. */
#define EXPECTED_GAIN 0.9
#define FAVOUR 1.1

double
cs_crossing_worth(const CsScoring *scoring, CsScore h, gint64 rows, gint64 columns)
{
    const CsScore gap = scoring->gap_open + scoring->gap_extend * ABS(rows - columns);
    return FAVOUR * (double)h + EXPECTED_GAIN * (double)(scoring->match * MIN(rows, columns)) -
           (rows != columns ? (double)gap : 0);
}
