/*
 * Block skipping: which blocks no optimal alignment can touch.
 *
 * Let T be the score of a real alignment and U an upper bound on what an alignment can still gain
 * after a cell; 0 will do where none that matters can have begun. A block may be skipped if the
 * highest H on its borders + gap_open + U is below T: gap_open, since an alignment may enter in a
 * gap already paid for. As H is never negative, U is then below T as well, so none that begins
 * inside matters either. The comparison is strict, so that every cell with the best score is
 * computed and the tie rule finds the same one. A skipped block hands on H = E = F = 0 (on a GPU
 * values not above the matrix's); no value of the changed matrix exceeds the true one, since each
 * is the score of a real alignment.
 * docs/algorithm.md has the proof.
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
