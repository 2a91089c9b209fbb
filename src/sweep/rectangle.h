/*
 * What a sweep computes: one rectangle of a matrix, from the borders that enter it to those that
 * leave.
 *
 *                        columns: n bases
 *              corner  top: H, F of a row
 *                   \ 1 2 3 . . . . . . n
 *                   1 +-------------------+
 *   rows:           2 |                   |
 *   m bases  left:  |                   |  right:
 *              H, E   |===================|  H, E     =  a special row: H and F, handed out in
 *              of a   |                   |  of a        pieces as they pass
 *              column |- - - - - - - - - -|  column   -  a cut (below)
 *                     |                   |
 *                   m +-------------------+
 *                      bottom: H, F of a row
 *
 * Every computation of this program is such a rectangle:
 *
 *   a whole matrix   Its borders are zero.
 *   several devices  Each gets groups of block rows, glued together as one rectangle. Between two
 *                    groups the horizontal bus passes from one device to the next: it leaves the
 *                    upper group in pieces, as a special row does, and enters the lower group in
 *                    pieces (ring/ring.h).
 *   a checkpoint     What lies below the staircase where a wave stopped (staircase.h) is cut into
 *                    rectangles, which any engine can compute (remainder.h).
 *   a lower bound    Each section of a corridor is entered by a high H at its corner.
 *   an alignment     It is traced through strips between special rows, from its end back.
 *
 * Where the contract will grow:
 *
 *   other alphabets  The views hand out more codes than four, and a matrix of scores replaces
 *                    match and mismatch.
 */
#ifndef CS_RECTANGLE_H
#define CS_RECTANGLE_H

#include <chromosweep/scoring.h>

#include "sequence/view.h"
#include "sweep/bounds_table.h"
#include "sweep/bus.h"
#include "sweep/gain_table.h"
#include "sweep/end_marks.h"
#include "sweep/types.h"

/*
 * Receives a piece of special row i: H and F of columns from + 1 to from + count. They are the
 * matrix's own values unless `bounds` is set: then cells before them may have been skipped, no
 * value is above the matrix's, and each H is the score of a real alignment (but see to_corner). The
 * pieces of a row come from left to right; pieces of different rows may alternate. Where a block
 * above the row was skipped there may be none: that part of the row is zero. Called on the thread
 * that runs the sweep. FALSE with error set ends the sweep.
 */
typedef gboolean (*CsRowFunc)(gint64 i, gint64 from, gint64 count, const CsScore *h,
                              const CsScore *f, gboolean bounds, gpointer user_data,
                              GError **error);

typedef struct {
    /* The problem. */
    CsView rows;    /* S0: m bases */
    CsView columns; /* S1: n bases */
    CsScoring scoring;
    CsTieOrder tie_order;

    /*
     * Borders that enter. Each is a row or column of some matrix: no gap value is above its H, and
     * along the border neither falls by more than a gap. (A CPU engine takes any border of
     * alignment scores with any gap values not above them.) E may be smaller than the textbook's
     * where that makes no difference to H (see `right`).
     */
    CsScore corner;    /* H(0, 0); zero if top and left are NULL */
    const CsBus *top;  /* n cells; NULL: all zero */
    const CsBus *left; /* m cells, likewise */
    gboolean skipped;  /* they come from a sweep that skipped cells: bounds (see CsRowFunc) */

    /* Borders that leave, filled at the end; NULL if not wanted. Each may be the bus that enters
     * on the opposite side. */
    CsBus *bottom; /* n cells */
    CsBus *right;  /* m cells; a GPU may only leave the E that is opened from paired bases */

    /* Special rows in ascending order, each within 1 .. m. */
    const gint64 *special_rows;
    gsize n_special_rows;
    CsRowFunc row_func;
    gpointer row_data;

    /*
     * What may be skipped (skip_rule.h): upper bounds, each at least 0, on what an alignment can
     * still gain after a cell of a block row (block column) of the grid, or of the border above it
     * (left of it). NULL: nothing is skipped.
     */
    const CsScore *row_bounds;    /* one per block row */
    const CsScore *column_bounds; /* one per block column */
    /* A table for the whole matrix that is used in addition, or NULL. The matrix has `above` rows
     * above the rectangle and `left_of` columns left of it. */
    const CsBoundsTable *bounds_table;
    const CsGainTable *gain_table; /* likewise */
    /* Of the whole matrix, too, or NULL: wherever H is marks->least or more is marked. What enters
     * the blocks is then lowered to that score (end_marks.h), so the best cell and what leaves are those
     * of the lowered values. Without bounds only. */
    CsEndMarks *marks;
    gint64 above, left_of;
    /* For a member of a ring, whose block rows do not all follow each other in the matrix; NULL for
     * all others. One of each per block row of the grid: how many rows of the matrix lie above it,
     * and H left of the last of these. */
    const gint64 *rows_above;
    const CsScore *corners;
    /* Whether only best alignments that lead to the last cell matter. They gain at most a match for
     * each row or column that is left, and lose gap_extend for each diagonal between; no bound has
     * to be higher than that and `spare`. A CPU engine uses it in addition, looks for no best cell,
     * and may compute too high values where they lead to less than the threshold. */
    gboolean to_corner;
    CsScore spare;
    /* The score of some real alignment, or 0. A CPU engine looks for no cell with a lower score, so
     * without bounds it may also be G_MAXINT64 if no cell is wanted. */
    CsScore threshold;
    /* For the choice of a shape, before there are bounds: */
    gboolean skipping; /* the sweep will have bounds, so blocks should be small */
    double share_left; /* if so, about what share of the cells remains, apart from a band */
    gboolean narrow;   /* the band will be narrow, because there will be a gain_table */
} CsRectangle;

static inline gint64
cs_rectangle_m(const CsRectangle *rectangle)
{
    return rectangle->rows.length;
}

static inline gint64
cs_rectangle_n(const CsRectangle *rectangle)
{
    return rectangle->columns.length;
}

/* Whether it has bounds, so that a sweep may skip blocks. */
static inline gboolean
cs_rectangle_may_skip(const CsRectangle *rectangle)
{
    return rectangle->row_bounds != NULL && rectangle->column_bounds != NULL;
}

/* H of the left border at row i, 0 .. m, where row 0 is the corner. */
CsScore cs_rectangle_left_h(const CsRectangle *rectangle, gint64 i);

/* E of the left border at row i, 1 .. m. */
CsScore cs_rectangle_left_e(const CsRectangle *rectangle, gint64 i);

/* Fills a bus of n cells with the top border, or one of m cells with the left border. */
void cs_rectangle_read_top(const CsRectangle *rectangle, CsBus *bus);
void cs_rectangle_read_left(const CsRectangle *rectangle, CsBus *bus);

/* Whether row i is one of the special rows. */
gboolean cs_rectangle_is_special(const CsRectangle *rectangle, gint64 i);

/*
 * The narrowest width in which every value of the rectangle is exact. Fails with CS_ERROR_USAGE if
 * not even 64 bits are proved to be enough.
 */
gboolean cs_rectangle_width(const CsRectangle *rectangle, CsWidth *width, GError **error);

#endif
