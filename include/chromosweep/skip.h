/* Which cells of the matrix need not be computed. */
#ifndef CHROMOSWEEP_SKIP_H
#define CHROMOSWEEP_SKIP_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * CsSkipMode:
 * @CS_SKIP_AUTO: %CS_SKIP_BOUNDS where that pays, else %CS_SKIP_NONE; where memory is short
 *   %CS_SKIP_BEST
 * @CS_SKIP_NONE: every cell is computed
 * @CS_SKIP_BEST: blocks that cannot reach the best score so far are skipped
 * @CS_SKIP_BOUNDS: those that cannot reach a lower bound that is found first, by what
 *   alignments can still gain beside words that only one sequence has; %CS_SKIP_BEST under a
 *   scoring without such bounds, as of gaps that cost nothing, and where memory is short
 *
 * What of the matrix need not be computed. Score and end are the same whatever is skipped.
 */
typedef enum {
    CS_SKIP_AUTO,
    CS_SKIP_NONE,
    CS_SKIP_BEST,
    CS_SKIP_BOUNDS,
} CsSkipMode;

/**
 * cs_skip_mode_name:
 *
 * Returns: (transfer none): "auto", "none", "best" or "bounds", as `--skip` takes it
 */
CS_API const char *cs_skip_mode_name(CsSkipMode mode);

G_END_DECLS

#endif
