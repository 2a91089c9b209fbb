/*
 * The sweep of a section of the corridor (lower_bound.c), from a corner with a high H to the last cell.
 *
 *   column  0                          The corridor's columns are computed in steps of some rows. What
 *   row 0   H - - gap - - >            enters from cells beside it is what a gap would leave there, from
 *           +-------+- - - >           the last column of the step above to the right, or down along the
 *           |  step |                  first column of a step. Such a gap belongs to a real path. And no
 *      gap  +--+----+--+- - >          value is far below those beside it, so that narrow lanes hold them
 *           :  |  step |               all.
 *           v  +-------+
 */
#ifndef CS_CORRIDOR_SWEEP_H
#define CS_CORRIDOR_SWEEP_H

#include "lower_bound/corridor.h"
#include "lower_bound/kept_sections.h"
#include "lower_bound/survey.h"

/* The columns of the corridor in rows from + 1 .. to; its `to` is 0 if there are none. */
CsCorridorLine cs_corridor_columns(const CsCorridor *corridor, gint64 from, gint64 to);

/*
 * Sets the section's `best` and `exit`, and adds to its cells. All are those of real paths, as `high`
 * says (docs/proofs/lower-bound.md). Several threads share steps of many columns. Fails with
 * CS_ERROR_DEVICE if there is not enough memory, and with CS_ERROR_STOPPED soon after the survey's *stop
 * (if any) becomes nonzero.
 */
gboolean cs_corridor_sweep(const CsCorridor *corridor, const CsSurvey *survey, guint threads,
                           CsCorridorSection *section, GError **error);

/* The bytes that this takes for so many columns and rows. */
guint64 cs_corridor_sweep_memory(gint64 columns, gint64 rows, guint threads);

#endif
