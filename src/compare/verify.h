/*
 * The optimum, proved a second time.
 *
 * Reversing both sequences reverses their alignments and keeps the scores. So a sweep of the reversed
 * sequences finds the score S that the first sweep found, or one of the two is wrong. The two share
 * neither the order of cells, nor blocks, nor bounds, nor a lower bound from seeds: the threshold of
 * the second is S. What it skips cannot reach S (skip_rule.h), so it finds S again. If an alignment
 * scored more, none of its cells would be skipped, and the sweep would find it.
 *
 * With a checkpoint a later run goes on where it was stopped, and a proof that is complete is not
 * repeated. Its state (found_state.h) is made like that of a comparison, of the reversed sequences.
 */
#ifndef CS_VERIFY_H
#define CS_VERIFY_H

#include "compare/comparison.h"

/* How others watch a proof, stop it and have its state saved. All are atomic. */
typedef struct {
    gint stop; /* other than 0: it is to stop */
    gint save; /* likewise, once */
    gint done; /* millionths of the strand's matrix */
} CsVerifyWatch;

/*
 * Sweeps the reversed sequences of a strand from the state on, or from their first base if it is
 * empty, with the engine and the way of skipping of the comparison, whose engine is chosen. The
 * strand is the state's. Runs on any thread. Fails with CS_ERROR_FAILED if it finds another score than
 * `found` says, or one that is not below what it says: the
 * program or the state is then wrong, and no result may be reported. Fails with CS_ERROR_STOPPED soon
 * after it is asked to stop, once the state is saved, and with other errors as a sweep does.
 */
gboolean cs_verify_strand(CsComparison *comparison, const CsStrandResult *found, CsState *state,
                          CsVerifyWatch *watch, GError **error);

/* All strands of a comparison that has run; the caller's control function may stop it. */
gboolean cs_verify_run(CsComparison *comparison, const CsCompareResult *found, GError **error);

#endif
