/* What a comparison will take of memory and of disk, and whether that is there. */
#ifndef CS_NEEDS_H
#define CS_NEEDS_H

#include <chromosweep/plan.h>

#include "compare/comparison.h"

/*
 * Fills what a plan has of threads, bits, memory and disk, for a comparison whose engine is chosen
 * and the whole matrix that its grid was cut of.
 */
void cs_needs_fill(CsPlan *plan, const CsComparison *comparison, const CsRectangle *whole);

/* Takes out of the plan the bounds that would stay beside a sweep, which skips nothing. What finds
 * that out is still needed. */
void cs_needs_drop_bounds(CsPlan *plan, const CsComparison *comparison, const CsRectangle *whole);

/* What a sweep allocates at most, the stacks of its threads aside. */
gint64 cs_needs_of_sweep(const CsPlan *plan);

/* The two halves of cs_plan_check(). */
gboolean cs_needs_check_memory(const CsPlan *plan, GError **error);
gboolean cs_needs_check_disk(const CsPlan *plan, GError **error);

/* What may fail on the way for want of memory, or NULL. */
char *cs_needs_doubt(const CsPlan *plan);

#endif
