/*
 * How much an alignment can still gain: upper bounds for block skipping (skip_rule.h).
 *
 *   sequences -> cs_bounds_new() -> CsBounds -> for each grid, row_bounds and column_bounds of
 *                                               a CsRectangle
 *
 * Of the bases that an alignment spans each gives a match at most; but a k-mer that occurs nowhere
 * in the other sequence, and a base that matches nothing, cost it something. That is counted
 * along the rows and along the columns, and the smaller of the two counts holds; and once more
 * along both, layer by layer. docs/algorithm.md ("What can still be gained") has the weights and the
 * proof.
 */
#ifndef CS_BOUNDS_H
#define CS_BOUNDS_H

#include "skipping/bounds_side.h"
#include "skipping/bounds_walk.h"
#include "sweep/grid.h"

typedef struct {
    CsBoundsSide rows;
    CsBoundsSide columns;
    CsBoundsTable *table; /* of both sides at once (bounds_table.h), or NULL */
} CsBounds;

/*
 * The bounds of a sweep of the survey's matrix. Under a scoring that cannot tell them apart from a
 * match for each base left, they are that. They are taken from the survey's keep, or left there.
 * Fails with CS_ERROR_DEVICE where memory is short.
 */
CsBounds *cs_bounds_new(const CsSurvey *survey, GError **error);

/* The same, with its table by a plan and, or NULL, by one of the transposed matrix, as tests choose
 * them; without a plan there is no table. */
CsBounds *cs_bounds_new_planned(const CsSurvey *survey, const CsBoundsPlan *plan,
                                const CsBoundsPlan *turned, GError **error);

/* Bounds of m rows and n columns that are a match for each base left, and nothing else. Fails
 * with CS_ERROR_DEVICE where memory is short. */
CsBounds *cs_bounds_new_of_matches(gint64 m, gint64 n, const CsScoring *scoring, GError **error);

void cs_bounds_free(CsBounds *bounds);

/* The bytes that cs_bounds_new() holds at its peak, and those of what it returns. */
guint64 cs_bounds_memory(gint64 m, gint64 n, guint threads, guint64 *kept);

/*
 * What a CsRectangle wants: one bound a block row (block column) of the grid, the border above it
 * (left of it) included. The grid may be of a part of the matrix: `above` rows are above it (`left`
 * columns are left of it).
 */
CsScore *cs_bounds_of_rows(const CsBounds *bounds, const CsGrid *grid, gint64 above);
CsScore *cs_bounds_of_columns(const CsBounds *bounds, const CsGrid *grid, gint64 left);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBounds, cs_bounds_free)

#endif
