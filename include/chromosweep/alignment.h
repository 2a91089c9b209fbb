/* An alignment: where it starts and ends, and its runs of pairs and gaps. */
#ifndef CHROMOSWEEP_ALIGNMENT_H
#define CHROMOSWEEP_ALIGNMENT_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/strand.h>

G_BEGIN_DECLS

/** CsAlignment: the best alignment of two sequences; it never changes. */
typedef struct _CsAlignment CsAlignment;

/**
 * CsAlignmentSummary:
 * @score: score of the alignment, above 0
 * @strand: strand of the query, %CS_STRAND_PLUS or %CS_STRAND_MINUS
 * @target_start: first aligned base of the target, 1-based in the whole record
 * @target_end: last aligned base of the target, at least @target_start. An end beyond the length of a
 *   circular record stands for that position minus the length: the alignment runs over the origin
 * @query_start: first aligned base of the query on its forward strand, 1-based in the whole record;
 *   on minus the alignment reads from @query_end down to @query_start
 * @query_end: last aligned base of the query, at least @query_start; likewise
 * @columns: number of pairs and unpaired bases
 * @matches: number of pairs of equal bases
 * @mismatches: number of all other pairs
 * @ambiguous: number of mismatches with an N or another ambiguous base
 * @insertions: number of gaps with unpaired bases of the query
 * @inserted: number of bases in the insertions
 * @deletions: number of gaps with unpaired bases of the target
 * @deleted: number of bases in the deletions
 */
typedef struct {
    gint64 score;
    CsStrand strand;
    gint64 target_start;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    gint64 columns;
    gint64 matches;
    gint64 mismatches;
    gint64 ambiguous;
    gint64 insertions;
    gint64 inserted;
    gint64 deletions;
    gint64 deleted;
} CsAlignmentSummary;

/**
 * CsAlignmentRun:
 * @op: as in a CIGAR: '=' equal bases, 'X' mismatches, 'I' an insertion, 'D' a deletion
 * @length: columns, at least 1
 */
typedef struct {
    char op;
    gint64 length;
} CsAlignmentRun;

CS_API void cs_alignment_free(CsAlignment *alignment);

/** cs_alignment_get_summary: (transfer none): where the alignment lies and what it consists of. */
CS_API const CsAlignmentSummary *cs_alignment_get_summary(const CsAlignment *alignment);

/**
 * cs_alignment_get_records:
 * @target: (out): the place of its target among those given to cs_align_set_many(), from 0
 * @query: (out): likewise
 *
 * Tells between which records an alignment is. Both places are 0 where there were only two
 * sequences.
 */
CS_API void cs_alignment_get_records(const CsAlignment *alignment, guint *target, guint *query);

/**
 * CsAlignmentIter: goes over the runs, along the target's forward strand. Its members are private.
 * Clear it after use.
 */
typedef struct {
    const CsAlignment *alignment;
    gpointer path;
} CsAlignmentIter;

CS_API void cs_alignment_iter_init(CsAlignmentIter *iter, const CsAlignment *alignment);
CS_API void cs_alignment_iter_clear(CsAlignmentIter *iter);

/** cs_alignment_iter_next: gets the next run; %FALSE after the last one. Consecutive runs differ in
 * @op. */
CS_API gboolean cs_alignment_iter_next(CsAlignmentIter *iter, CsAlignmentRun *run);

/**
 * CsAlignmentDrop:
 * @target_start: first base of the target in the stretch, 1-based in the whole record
 * @target_end: last base of the target in it; @target_start - 1 if there is none
 * @query_start: first base of the query on its forward strand, likewise
 * @query_end: last base of the query, likewise
 * @score: score of the stretch alone, below zero
 *
 * A stretch of an alignment in which the score falls by more than a limit.
 */
typedef struct {
    gint64 target_start;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    gint64 score;
} CsAlignmentDrop;

/**
 * cs_alignment_drops:
 * @max_drop: at least 0
 *
 * Finds where the score falls by more than @max_drop: the stretches between the pieces that
 * cs_alignment_cut() returns.
 *
 * Returns: (transfer full) (element-type CsAlignmentDrop): in the order of the target
 */
CS_API GArray *cs_alignment_drops(const CsAlignment *alignment, gint64 max_drop);

/**
 * cs_alignment_cut:
 * @max_drop: at least 0
 * @error: CS_ERROR_DEVICE if there is not enough memory
 *
 * Cuts an alignment where its score falls by more than @max_drop. Going along it, a piece ends at
 * the highest score so far, the first one if there are several, as soon as the score is lower than
 * that by more than @max_drop. The next piece begins at the lowest score after it, the last one if
 * there are several, as soon as the score is higher than that by more than @max_drop. So each piece
 * begins and ends with a pair of equal bases and has no such drop within. If there are several,
 * each scores more than @max_drop.
 *
 * Returns: (transfer full) (nullable) (element-type CsAlignment): the pieces in the order of the
 *   target, at least one, which g_ptr_array_unref() frees; %NULL with @error set
 */
CS_API GPtrArray *cs_alignment_cut(const CsAlignment *alignment, gint64 max_drop, GError **error);

/**
 * cs_alignment_split:
 * @error: CS_ERROR_DEVICE if there is not enough memory
 *
 * Splits an alignment of circular records (#CsCompareOptions.circular) where it runs over an origin.
 * Each piece begins and ends with a pair, so a gap over the origin belongs to none, and neither
 * record's positions go beyond its length. A piece between the origins of both records is left
 * out if it scores 0 or less.
 *
 * Returns: (transfer full) (nullable) (element-type CsAlignment): the pieces in the order of the
 *   alignment along the target, at least one, which g_ptr_array_unref() frees; a copy of the
 *   alignment if it runs over no origin; %NULL with @error set
 */
CS_API GPtrArray *cs_alignment_split(const CsAlignment *alignment, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsAlignment, cs_alignment_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsAlignmentIter, cs_alignment_iter_clear)

G_END_DECLS

#endif
