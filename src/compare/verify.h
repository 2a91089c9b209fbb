/*
 * The optimum, proved a second time.
 *
 * An alignment of two sequences is one of the reversed sequences, with the same score. So a sweep of
 * these finds the score S that the first sweep found, or one of the two is wrong. It shares neither
 * the order of the cells with the first, nor blocks, bounds or a lower bound from seeds: its
 * threshold is S. What it skips cannot reach S (skip_rule.h), so it finds S again; and if an
 * alignment scored more, none of its cells would be skipped, and it would find that.
 */
#ifndef CS_VERIFY_H
#define CS_VERIFY_H

#include "compare/comparison.h"

/* How others watch a proof and stop it. Both are atomic. */
typedef struct {
    gint stop; /* other than 0: it is to stop */
    gint done; /* millionths of the strand's matrix */
} CsVerifyWatch;

/*
 * Sweeps the reversed sequences of a strand, whole, with the engine and the way of skipping of the
 * comparison, whose engine is chosen. Runs on any thread. Fails with CS_ERROR_FAILED if that finds
 * another score: then the program is wrong, and nothing it found is to be given out. Fails with
 * CS_ERROR_STOPPED soon after it is asked to stop, and with other errors as a sweep does.
 */
gboolean cs_verify_strand(const CsComparison *comparison, CsStrand strand, CsScore score,
                          CsVerifyWatch *watch, GError **error);

/* All strands of a comparison that has run; the caller's control function may stop it. */
gboolean cs_verify_run(CsComparison *comparison, const CsCompareResult *found, GError **error);

#endif
