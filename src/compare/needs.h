/* How much memory and disk space a comparison will need, and whether there is enough. */
#ifndef CS_NEEDS_H
#define CS_NEEDS_H

#include <chromosweep/plan.h>

#include "compare/comparison.h"

/*
 * Fills the plan's threads, bits, memory and disk space. The comparison's engine must be chosen,
 * and `whole` is the matrix that its grid was cut from.
 */
void cs_needs_fill(CsPlan *plan, const CsComparison *comparison, const CsRectangle *whole);

/* The same for all alignments of a set, on the CPU, with borders of so many bytes. */
void cs_needs_fill_all(CsPlan *plan, const CsComparison *comparison, double borders);

/* Takes the bounds out of the plan of a sweep that skips nothing. The search that finds this out
 * still needs its memory. */
void cs_needs_drop_bounds(CsPlan *plan, const CsComparison *comparison, const CsRectangle *whole);

/* The most bytes that a sweep allocates, apart from the stacks of its threads. */
gint64 cs_needs_of_sweep(const CsPlan *plan);

/* The two halves of cs_plan_check(). */
gboolean cs_needs_check_memory(const CsPlan *plan, GError **error);
gboolean cs_needs_check_disk(const CsPlan *plan, GError **error);

/* A warning that memory may run out, or NULL. */
char *cs_needs_doubt(const CsPlan *plan);

#endif
