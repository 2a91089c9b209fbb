/* A set of alignments of two sequences, limited by a least score or a number. */
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
 * @self: with %CS_ALIGN_SET_ALL, target and query are the same sequence, linear or %CS_CIRCULAR_BOTH. Only pairs count whose base
 *   of the query lies beyond that of the target, so the alignment of each base with itself is left
 *   out, and each repeat is found once
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
 * @options: (nullable): likewise; @verify does not apply. A checkpoint keeps the alignments found so
 *   far and the sweep under way, or with %CS_ALIGN_SET_ALL the parts of the matrix that are computed.
 *   A later run continues from there, even with another @min_score or @most; another rule, @self or
 *   @max_drop is refused. With %CS_STRAND_BOTH the set has alignments of both strands
 * @set: which alignments
 * @error: as in cs_align(); CS_ERROR_USAGE also if @set makes no sense, or if the checkpoint is of
 *   another set
 *
 * Finds a set of alignments, exactly. Each has the best score that those before it leave possible, by
 * the rules of cs_align(), so the set is the same on every device and with any number of threads. Of
 * equally good alignments one on plus comes first, then the one that ends first in the target, then
 * the one that ends first in the query as read.
 *
 * Returns: (transfer full) (nullable) (element-type CsAlignment): the alignments in the order in
 *   which they are found, pieces of one by score; perhaps none. g_ptr_array_unref() frees them.
 *   %NULL with @error set
 */
CS_API GPtrArray *cs_align_set(const CsSequence *target, const CsSequence *query,
                               const CsCompareOptions *options, const CsAlignSetOptions *set,
                               GError **error);

/**
 * cs_align_set_many:
 * @targets: (array length=n_targets): as cs_align_set() takes them
 * @n_targets: at least 1
 * @queries: (array length=n_queries): likewise
 * @n_queries: at least 1
 * @options: (nullable): likewise. A checkpoint is of all records; to resume it takes the same records
 *   in the same order
 * @set: which alignments. @self needs one target and one query
 * @error: as in cs_align_set()
 *
 * Finds one set of alignments between all records of two assemblies, exactly.
 *
 * One-to-one: each base of all records takes part once. The next alignment is the best of all pairs
 * of records. Of equally good ones one on plus comes first, then the one whose target comes first in
 * @targets, then the one that ends first in it; then, on plus, the one whose query comes first in
 * @queries and the one that ends first in it; on minus the queries count from the last one back.
 *
 * All: the lists of all pairs of records are merged by score. Of equally good alignments one on plus
 * comes first, then the first target, then the first query.
 *
 * Memory: that of cs_align_set(); one-to-one also takes one byte for each base, of circles three.
 *
 * Returns: (transfer full) (nullable) (element-type CsAlignment): as cs_align_set() does;
 *   cs_alignment_get_records() tells the records of each
 */
CS_API GPtrArray *cs_align_set_many(const CsSequence *const *targets, guint n_targets,
                                    const CsSequence *const *queries, guint n_queries,
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
 * @duplications: alignments that share more than half of their bases, in the target or in the query,
 *   with alignments before them
 *
 * What a set amounts to. Without duplications, the backbone's strand is the one with more columns. The
 * backbone is the series of alignments whose middles are in the same order in both
 * sequences (on minus in opposite orders) and whose scores have the highest sum. Around a circular
 * record the order is counted from the alignment on that strand that scores most. With several records
 * each one of the query has a backbone, in the record of the target with which it has most columns;
 * its alignments with others are translocations. @strand is then that of most columns of all.
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
 * those that have more than half of their bases in the query between the start and the end of primary
 * ones before them.
 *
 * Returns: (transfer full) (array): whether each is secondary; g_free() frees it
 */
CS_API gboolean *cs_align_set_secondary(const GPtrArray *alignments);

G_END_DECLS

#endif
