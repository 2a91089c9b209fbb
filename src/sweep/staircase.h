/*
 * Where a wavefront stands after a diagonal. A checkpoint saves it, and any engine can go on from
 * it.
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
 * The horizontal bus (=) holds H and F of each column at the row that it has reached. A riser (|)
 * holds H and E of its rows at the column that they have reached. remainder.h cuts what is left
 * into rectangles.
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
    GArray *steps;     /* of CsStep, downwards */
    gint64 row;        /* rows above the part that has not begun: where the last step ends */
    CsScore corner;    /* H(row, 0), which the right border may have overwritten in its bus */
    CsBest best;       /* of the cells covered, and perhaps of some more */
} CsStaircase;

/*
 * Makes sure that there is a horizontal bus of n cells of this width, with any values. Keeps the
 * one that is there if it fits. Fails with CS_ERROR_DEVICE.
 */
gboolean cs_staircase_need_horizontal(CsStaircase *staircase, gint64 n, CsWidth width,
                                      GError **error);

/* How many cells it covers. */
gint64 cs_staircase_cells(const CsStaircase *staircase);

/* Sorts the steps, which an engine copies slot by slot, from top to bottom. */
void cs_staircase_sort(CsStaircase *staircase);

void cs_staircase_clear(CsStaircase *staircase);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsStaircase, cs_staircase_clear)

#endif
