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
 * @score: of the alignment, above 0
 * @strand: %CS_STRAND_PLUS or %CS_STRAND_MINUS, of the query
 * @target_start: first aligned base of the target, 1-based in the whole record
 * @target_end: last one, at least @target_start
 * @query_start: first aligned base of the query on its forward strand, likewise; on minus the
 *   alignment is read from @query_end down to it
 * @query_end: last one, at least @query_start
 * @columns: pairs and unpaired bases
 * @matches: pairs of equal bases
 * @mismatches: all other pairs
 * @ambiguous: of the mismatches those with an N or another ambiguous base
 * @insertions: gaps of the target, in which bases of the query are unpaired
 * @inserted: bases in them
 * @deletions: gaps of the query, in which bases of the target are unpaired
 * @deleted: bases in them
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
 * @op: as in a CIGAR: '=' equal bases, 'X' a mismatch, 'I' query bases alone, 'D' target bases alone
 * @length: columns, at least 1
 */
typedef struct {
    char op;
    gint64 length;
} CsAlignmentRun;

CS_API void cs_alignment_free(CsAlignment *alignment);

/** cs_alignment_get_summary: (transfer none): where it lies and what it is made of. */
CS_API const CsAlignmentSummary *cs_alignment_get_summary(const CsAlignment *alignment);

/**
 * CsAlignmentIter: goes over the runs, along the target's forward strand; its members are private.
 * To be cleared after use.
 */
typedef struct {
    const CsAlignment *alignment;
    gsize run;
    gint64 done;
    gint64 i;
    gint64 j;
    gpointer bases;
} CsAlignmentIter;

CS_API void cs_alignment_iter_init(CsAlignmentIter *iter, const CsAlignment *alignment);
CS_API void cs_alignment_iter_clear(CsAlignmentIter *iter);

/** cs_alignment_iter_next: the next run, %FALSE after the last. Neighbours differ in @op. */
CS_API gboolean cs_alignment_iter_next(CsAlignmentIter *iter, CsAlignmentRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsAlignment, cs_alignment_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsAlignmentIter, cs_alignment_iter_clear)

G_END_DECLS

#endif
