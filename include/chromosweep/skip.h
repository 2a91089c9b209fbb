/* Which cells of the matrix may be skipped. */
#ifndef CHROMOSWEEP_SKIP_H
#define CHROMOSWEEP_SKIP_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * CsSkipMode:
 * @CS_SKIP_AUTO: %CS_SKIP_BOUNDS if that saves time, else %CS_SKIP_NONE; %CS_SKIP_BEST if memory is
 *   short
 * @CS_SKIP_NONE: computes every cell
 * @CS_SKIP_BEST: skips blocks that cannot reach the best score so far
 * @CS_SKIP_BOUNDS: first finds a lower bound and, from k-mers that only one sequence has, what an
 *   alignment can still gain after each row and column; then skips blocks that cannot reach the
 *   lower bound. Becomes %CS_SKIP_BEST if memory is short, or if the scoring allows no such bounds
 *   (gaps that cost nothing)
 *
 * Which cells may be skipped. The score and the end are the same in every mode.
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
