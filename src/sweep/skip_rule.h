/*
 * Block skipping: which blocks no optimal alignment can touch.
 *
 * Let T be the score of a real alignment and U an upper bound on what an alignment can still gain
 * after a cell (0 where no alignment that matters can have begun). A block may be skipped if
 *
 *     (highest H on its borders) + gap_open + U < T
 *
 * gap_open, because an alignment may enter in a gap that it has already opened. H is never
 * negative, so U < T as well, and no alignment that begins inside matters either. The comparison is
 * strict, so every cell with the best score is computed and the tie rule finds the same one. A
 * skipped block hands on H = E = F = 0 (on a GPU other values that are not above the matrix's).
 * Each value is still the score of a real alignment, so none exceeds the true one.
 * docs/proofs/skipping.md has the proof.
 */
#ifndef CS_SKIP_RULE_H
#define CS_SKIP_RULE_H

#include <chromosweep/scoring.h>

#include "sweep/types.h"

static inline gboolean
cs_skip_rule_holds(const CsScoring *scoring, CsScore highest_border_h, CsScore bound,
                   CsScore threshold)
{
    /* bound < threshold is implied, but keeps the difference from overflowing. */
    return bound < threshold && highest_border_h < threshold - bound - scoring->gap_open;
}

#endif
