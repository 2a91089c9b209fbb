/* The scoring of an alignment: match, mismatch and affine gaps. */
#ifndef CHROMOSWEEP_SCORING_H
#define CHROMOSWEEP_SCORING_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * CsScoring:
 * @match: what a pair of equal bases adds, > 0
 * @mismatch: what a pair of different or ambiguous bases costs, >= 0
 * @gap_open: what a gap costs in addition to its bases, >= 0
 * @gap_extend: what each base of a gap costs, the first included, >= 0
 *
 * A gap of k bases costs gap_open + k * gap_extend, as in BLAST and minimap2. In the CUDAlign paper
 * G_first is gap_open + gap_extend and G_ext is gap_extend.
 */
typedef struct {
    gint64 match;
    gint64 mismatch;
    gint64 gap_open;
    gint64 gap_extend;
} CsScoring;

/** CS_SCORING_DEFAULT: the scoring of the CUDAlign paper: match +1, mismatch -3, first base of a
 * gap -5, each next base -2. */
#define CS_SCORING_DEFAULT                                                                         \
    {                                                                                              \
        1, 3, 3, 2                                                                                 \
    }

/** cs_scoring_first_gap: what the first base of a gap costs. */
static inline gint64
cs_scoring_first_gap(const CsScoring *scoring)
{
    return scoring->gap_open + scoring->gap_extend;
}

/**
 * cs_scoring_check:
 * @scoring: the scoring
 * @m: rows, the length of one sequence
 * @n: columns, the length of the other
 * @error: CS_ERROR_USAGE if the scoring makes no sense, or if scores of an m x n matrix could
 *   overflow 64-bit arithmetic
 *
 * Returns: whether every score of the m x n matrix is exact under @scoring
 */
CS_API gboolean cs_scoring_check(const CsScoring *scoring, gint64 m, gint64 n, GError **error);

G_END_DECLS

#endif
