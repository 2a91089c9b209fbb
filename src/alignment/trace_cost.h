/*
 * What the strips of a trace cost, for telling how far it has come. A strip between two rows that are D apart costs D,
 * and more where many of its cells have to be computed:
 *
 * - Where several strips in a row lose score, the sequences are unrelated. Nothing can be traced ahead, and about 1.5 D
 *   columns count. If no more than a gap down is lost, there is such a gap, which is cheap.
 * - A strip that loses more has a gap to the right, whose columns count.
 *
 * As measured on 1 and 16 threads, with rows 51,200 apart, a row costs twice as much for CS_TRACE_COLUMNS columns.
 */
#ifndef CS_TRACE_COST_H
#define CS_TRACE_COST_H

#include <chromosweep/control.h>

#include "alignment/rows.h"

#define CS_TRACE_COLUMNS 2000.0

/* The cost of all strips above a row. */
typedef struct {
    gsize n;
    gint64 *rows; /* n of them, rising, from 0 to the end of the alignment */
    double *costs;
} CsTraceCost;

/* rows may be NULL. */
void cs_trace_cost_init(CsTraceCost *cost, const CsRows *rows, const CsScoring *scoring,
                        const CsBest *end);
void cs_trace_cost_clear(CsTraceCost *cost);

/* The cost of what is above this row; of the whole trace, if it is that of the end. */
double cs_trace_cost_above(const CsTraceCost *cost, gint64 row);

#endif
