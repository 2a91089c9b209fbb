/*
 * How much an alignment can still gain: upper bounds for block skipping (skip_rule.h).
 *
 *   sequences -> cs_bounds_new() -> CsBounds -> for each grid, row_bounds and column_bounds of
 *                                               a CsRectangle
 *
 * Each base that an alignment spans gains at most a match. But the alignment loses something for
 * each k-mer that occurs nowhere in the other sequence, and for each base that matches nothing.
 * The gain is counted along the rows and along the columns, and the smaller of the two is a bound.
 * A third count goes along both at once, layer by layer. docs/proofs/bounds.md has the weights and
 * the proof.
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
 * The bounds for a sweep of the survey's matrix. Under some scorings they are just a match for each
 * base left. They are taken from the survey's keep if it has them; otherwise they are left there.
 * Fails with CS_ERROR_DEVICE if there is not enough memory.
 */
CsBounds *cs_bounds_new(const CsSurvey *survey, GError **error);

/* The same, for tests that choose how the table is made: by `plan`, and by `turned`, a plan for the
 * transposed matrix. Each may be NULL. Without a plan there is no table. */
CsBounds *cs_bounds_new_planned(const CsSurvey *survey, const CsBoundsPlan *plan,
                                const CsBoundsPlan *turned, GError **error);

/* Bounds for m rows and n columns that are a match for each base left and nothing else. Fails with
 * CS_ERROR_DEVICE if there is not enough memory. */
CsBounds *cs_bounds_new_of_matches(gint64 m, gint64 n, const CsScoring *scoring, GError **error);

void cs_bounds_free(CsBounds *bounds);

/* The bytes that cs_bounds_new() holds at its peak; *kept is how many of them its result takes. */
guint64 cs_bounds_memory(gint64 m, gint64 n, guint threads, guint64 *kept);

/*
 * The bounds for a CsRectangle: one for each block row (block column) of the grid, which also holds
 * for the border above it (left of it). If the grid is of a part of the matrix, `above` is the
 * number of rows above the part and `left` the number of columns left of it.
 */
CsScore *cs_bounds_of_rows(const CsBounds *bounds, const CsGrid *grid, gint64 above);
CsScore *cs_bounds_of_columns(const CsBounds *bounds, const CsGrid *grid, gint64 left);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBounds, cs_bounds_free)

#endif
