/*
 * Where a wavefront stands after a diagonal: what a checkpoint saves, and from where any engine can
 * go on.
 *
 *                p2     p1        p0          n
 *        +-------+------+---------+-----------+
 *        |                                    |  every column has passed these rows
 *     i0 |.......................+============|  columns p0 + 1 .. n stand at row i0
 *        |        0-th riser ->  |               row range 0: i0 + 1 .. i1, done up to column p0
 *     i1 |.............+=========+
 *        |             |                         row range 1: i1 + 1 .. i2, done up to column p1
 *     i2 |......+======+
 *        |      |                                row range 2
 *     i3 |======+                                columns 1 .. p2 stand at row i3
 *
 * The horizontal bus (=) holds H and F of each column at the row where it stands; a riser (|) holds
 * H and E of its rows at the column where they stand. What is left is computed as rectangles: each
 * row range from its riser to the right edge, from above to below, then all rows below the last
 * one.
 */
#ifndef CS_STAIRCASE_H
#define CS_STAIRCASE_H

#include "sweep/bus.h"

typedef struct {
    gint64 row;     /* rows above the range */
    gint64 height;  /* rows in it */
    gint64 column;  /* columns done in it, 1 .. n - 1 */
    CsScore corner; /* H(row, column) */
    CsBus *riser;   /* height cells */
} CsStep;

typedef struct {
    CsBus *horizontal; /* n cells */
    GArray *steps;     /* of CsStep, from above to below */
    gint64 row;        /* rows above the part that has not begun; the last range's end if any */
    CsScore corner;    /* H(row, 0): the right border may stand where the left one was */
    CsBest best;       /* of the cells that it covers, and perhaps of some more */
} CsStaircase;

/*
 * Makes sure of a horizontal bus of n cells of this width, whose values do not matter: the one that
 * is there, if it fits. Fails with CS_ERROR_DEVICE.
 */
gboolean cs_staircase_need_horizontal(CsStaircase *staircase, gint64 n, CsWidth width,
                                      GError **error);

/* How many cells it covers. */
gint64 cs_staircase_cells(const CsStaircase *staircase);

/* Puts the steps, which an engine copies slot by slot, in order from above to below. */
void cs_staircase_sort(CsStaircase *staircase);

void cs_staircase_clear(CsStaircase *staircase);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsStaircase, cs_staircase_clear)

#endif
