/*
 * What a set of alignments takes at most. How many alignments there are is not known before, so the first
 * sweeps are the least, and the most is judged by sets of real genomes (docs/performance.md). A set with
 * many repeats may take more.
 */
#ifndef CS_PLAN_RANGE_H
#define CS_PLAN_RANGE_H

#include <chromosweep/plan.h>

#include "sweep/types.h"

/* Fills the most for one-to-one, of m x n cells on so many strands, in a plan of the first sweeps. best, least: the
 * lower bound and the least score of the set, as so many matches. */
void cs_plan_range_one_to_one(CsPlan *plan, gint64 m, gint64 n, guint strands, gint64 best,
                              gint64 least);

/* The same for all, of pairs of records that have so many bases. */
void cs_plan_range_all(CsPlan *plan, double bases);

#endif
