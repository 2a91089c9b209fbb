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
 * @CS_ALIGN_SET_ALL: on each strand, the best alignment, then the best one that pairs no two bases
 *   that an alignment before it pairs, and so on (Waterman and Eggert); those of both strands in
 *   the order of their scores
 *
 * Which alignments belong to a set. docs/proofs/alignment-sets.md has the definition.
 */
typedef enum {
    CS_ALIGN_SET_ONE_TO_ONE,
    CS_ALIGN_SET_ALL,
} CsAlignSetRule;

/**
 * CsAlignSetOptions:
 * @rule: which alignments belong to the set
 * @min_score: the set ends where the next alignment scores less, before it is cut; 0: no such limit
 * @most: the most alignments in the set, pieces counted one by one; 0: no such limit. One of the two
 *   limits is needed
 * @max_drop: for one-to-one, the limit of cs_alignment_cut(); negative: do not cut
 * @self: for all, target and query are the same: only pairs count whose base of the query lies
 *   beyond that of the target, so the alignment with itself is left out, and each repeat is found
 *   once
 *
 * Initialise with zeros, so that later members get their defaults.
 */
typedef struct {
    CsAlignSetRule rule;
    gint64 min_score;
    gint64 most;
    gint64 max_drop;
    gboolean self;
} CsAlignSetOptions;

/**
 * cs_align_set:
 * @target: as cs_compare() takes it
 * @query: likewise
 * @options: (nullable): likewise; @verify does not apply. With a checkpoint the alignments so far are
 *   saved, and a later run goes on behind them; a sweep that was stopped begins anew. With
 *   %CS_STRAND_BOTH the set has alignments of both strands
 * @set: which alignments
 * @error: as in cs_align(); CS_ERROR_USAGE also if @set makes no sense, or if a GPU is to find
 *   %CS_ALIGN_SET_ALL, which is found on the CPU
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
 * sequences (on minus in opposite orders) and whose scores have the highest sum. Around a circular
 * record the order is counted from the alignment on that strand that scores most.
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

/**
 * cs_align_set_secondary:
 * @alignments: (element-type CsAlignment): in the order in which cs_align_set() returns them
 *
 * Tells which alignments repeat others, as minimap2 tells secondary alignments from primary ones:
 * those of whose bases in the query more than half lie between the start and the end of primary
 * ones before them.
 *
 * Returns: (transfer full) (array): whether each is secondary; g_free() frees it
 */
CS_API gboolean *cs_align_set_secondary(const GPtrArray *alignments);

G_END_DECLS

#endif
