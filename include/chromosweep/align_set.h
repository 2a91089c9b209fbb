/* Not one alignment of two sequences but all of them, as far as a least score or a number says. */
#ifndef CHROMOSWEEP_ALIGN_SET_H
#define CHROMOSWEEP_ALIGN_SET_H

#include <glib.h>

#include <chromosweep/alignment.h>
#include <chromosweep/compare.h>

G_BEGIN_DECLS

/**
 * CsAlignSetRule:
 * @CS_ALIGN_SET_ONE_TO_ONE: each base takes part once. The best alignment is cut into pieces
 *   (cs_alignment_cut()), and the stretches of target and query from the first base of a piece to
 *   its last are taken. The next alignment is the best that lies between taken bases in both
 *   sequences, on either strand, and so on
 *
 * Which alignments belong to a set. docs/proofs/alignment-sets.md has the definition.
 */
typedef enum {
    CS_ALIGN_SET_ONE_TO_ONE,
} CsAlignSetRule;

/**
 * CsAlignSetOptions:
 * @rule: which alignments belong to the set
 * @min_score: the set ends where the next alignment scores less, before it is cut; 0: no such limit
 * @most: the most alignments in the set, pieces counted one by one; 0: no such limit. One of the two
 *   limits is needed
 * @max_drop: the limit of cs_alignment_cut(); negative: do not cut
 *
 * Initialise with zeros, so that later members get their defaults.
 */
typedef struct {
    CsAlignSetRule rule;
    gint64 min_score;
    gint64 most;
    gint64 max_drop;
} CsAlignSetOptions;

/**
 * cs_align_set:
 * @target: as cs_compare() takes it
 * @query: likewise
 * @options: (nullable): likewise; there is no checkpoint, and @verify does not apply. With
 *   %CS_STRAND_BOTH the set has alignments of both strands
 * @set: which alignments
 * @error: as in cs_align(); CS_ERROR_USAGE also if @set makes no sense
 *
 * Finds a set of alignments, exactly. Each has the best score that is possible beside those before
 * it, and is found by the same rules as that of cs_align(), so the set is the same on every device
 * and with any number of threads. Of equally good alignments one on plus comes first, then the one
 * that ends first in the target, then the one that ends first in the query as read.
 *
 * Returns: (transfer full) (nullable) (element-type CsAlignment): the alignments in the order in
 *   which they are found, pieces of one by score; perhaps none. g_ptr_array_unref() frees them.
 *   %NULL with @error set
 */
CS_API GPtrArray *cs_align_set(const CsSequence *target, const CsSequence *query,
                               const CsCompareOptions *options, const CsAlignSetOptions *set,
                               GError **error);

/**
 * CsAlignSetSummary:
 * @alignments: how many there are
 * @target_covered: bases of the target from the start of an alignment to its end, each counted once
 * @query_covered: the same of the query
 * @columns: of all alignments
 * @matches: of all alignments; @matches / @columns is their identity, weighted by their lengths
 * @strand: the strand of the backbone
 * @inversions: alignments on the other strand that are no duplications
 * @translocations: alignments on @strand that are no duplications, and not in the backbone either
 * @duplications: alignments of whose bases, in the target or in the query, more than half belong to
 *   alignments before them
 *
 * What a set amounts to. The strand with more columns that are no duplications is that of the
 * backbone. The backbone is the series of alignments whose middles are in the same order in both
 * sequences (on minus in opposite orders) and whose scores have the highest sum.
 */
typedef struct {
    gint64 alignments;
    gint64 target_covered;
    gint64 query_covered;
    gint64 columns;
    gint64 matches;
    CsStrand strand;
    gint64 inversions;
    gint64 translocations;
    gint64 duplications;
} CsAlignSetSummary;

/**
 * cs_align_set_summarise:
 * @alignments: (element-type CsAlignment): in the order in which cs_align_set() returns them
 * @summary: (out): filled
 */
CS_API void cs_align_set_summarise(const GPtrArray *alignments, CsAlignSetSummary *summary);

G_END_DECLS

#endif
