/* What a comparison will take of memory and of disk, and whether that is there. */
#ifndef CS_NEEDS_H
#define CS_NEEDS_H

#include <chromosweep/plan.h>

#include "sweep/sweep.h"

/*
 * Fills what a plan has of threads, bits, memory and disk: for a whole matrix and the grid that
 * cs_sweep_plan() cut of it, with sweep as that left it, the shape that was wished for, what is to
 * be skipped of which strands, and a checkpoint's directory or NULL.
 */
void cs_needs_fill(CsPlan *plan, const CsRectangle *whole, const CsGrid *grid,
                   const CsSweepOptions *sweep, const CsGridShape *wish, CsSkipMode skip,
                   CsStrand strand, const char *directory);

/* The two halves of cs_plan_check(). */
gboolean cs_needs_check_memory(const CsPlan *plan, GError **error);
gboolean cs_needs_check_disk(const CsPlan *plan, GError **error);

/* What may fail on the way for want of memory, or NULL. */
char *cs_needs_doubt(const CsPlan *plan);

#endif
