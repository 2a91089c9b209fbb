/* Where a path most likely crosses a row: a guess, which decides only how long a trace takes. */
#ifndef CS_CROSSING_H
#define CS_CROSSING_H

#include <chromosweep/scoring.h>

#include "sweep/types.h"

/* About what a path is worth that crosses a row with this H, so many rows and columns from its next node. */
double cs_crossing_worth(const CsScoring *scoring, CsScore h, gint64 rows, gint64 columns);

#endif
