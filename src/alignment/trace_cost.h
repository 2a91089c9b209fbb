/*
 * What the strips of a trace cost, for the progress. An ordinary strip costs as much as it has rows. Two kinds cost more,
 * since most of their cells have to be computed:
 *
 * - strips of unrelated sequences, about 1.5 columns for each row: several strips in a row lose score, though the path
 *   goes to the right in them, too (a gap down is traced fast);
 * - strips with a gap to the right, the columns of that gap.
 *
 * CS_TRACE_COLUMNS such columns double the cost of a row. This is a compromise: in three runs of 250 Mb on 16 threads, with
 * rows 51,200 apart, a strip of an inversion cost 8 to 48 times as much as an ordinary one. The path is guessed from the
 * highest H of each piece of the rows.
 */
#ifndef CS_TRACE_COST_H
#define CS_TRACE_COST_H

#include <chromosweep/control.h>

#include "alignment/rows.h"

#define CS_TRACE_COLUMNS 4000.0

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
