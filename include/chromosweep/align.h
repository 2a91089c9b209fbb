/* The main job and more: the best local alignment itself. */
#ifndef CHROMOSWEEP_ALIGN_H
#define CHROMOSWEEP_ALIGN_H

#include <glib.h>

#include <chromosweep/alignment.h>
#include <chromosweep/compare.h>

G_BEGIN_DECLS

/**
 * cs_align:
 * @target: as cs_compare() takes it
 * @query: likewise
 * @options: (nullable): likewise
 * @result: (out) (optional): what cs_compare() finds
 * @alignment: (out) (transfer full) (nullable): the best alignment, %NULL where the score is 0
 * @error: as of cs_compare(); CS_ERROR_FAILED if the alignment found does not have the score, or if
 *   #CsCompareOptions.verify finds another one: then the program is wrong
 *
 * Compares two sequences, then finds the alignment that ends where cs_compare() says. Of all
 * alignments with the best score that end there it is one that a rule picks: from the end back a
 * pair goes before unpaired query bases, these before unpaired target bases, and a gap is opened as
 * soon as it may be. So gaps are as far left in the target as they can be, and the alignment is
 * the same on every device and with any number of threads. docs/proofs/alignment.md has the proof.
 *
 * Memory: as of cs_compare(), and some 8 bytes for each run of pairs and each gap, beside rows that
 * are kept meanwhile.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_align(const CsSequence *target, const CsSequence *query,
                         const CsCompareOptions *options, CsCompareResult *result,
                         CsAlignment **alignment, GError **error);

G_END_DECLS

#endif
