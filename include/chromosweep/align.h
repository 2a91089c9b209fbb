/* The best local alignment of two sequences, base by base. */
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
 * @alignment: (out) (transfer full) (nullable): the best alignment; %NULL if the score is 0
 * @error: as in cs_compare(); also CS_ERROR_FAILED if the alignment found does not have the best
 *   score, or if #CsCompareOptions.verify finds another score, which means that the program is wrong
 *
 * Compares two sequences, then finds the alignment that ends where cs_compare() says. If several
 * alignments with the best score end there, a rule picks one of them. Read from the end, the rule
 * prefers a pair to unpaired query bases, prefers these to unpaired target bases, and opens a gap
 * as soon as it can. So gaps are as far left in the target as possible, and the alignment is the
 * same on every device and with any number of threads. docs/proofs/alignment.md has the proof.
 *
 * Memory: that of cs_compare(), about 8 bytes for each run of pairs and each gap, and the rows that
 * are kept while the alignment is traced.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_align(const CsSequence *target, const CsSequence *query,
                         const CsCompareOptions *options, CsCompareResult *result,
                         CsAlignment **alignment, GError **error);

G_END_DECLS

#endif
