/*
 * How far back a best alignment can begin, if its end is known.
 *
 * Let R of a cell be the most that an alignment scores from there to the end. On a best alignment
 * H + R is the best score. A cell before the end has a lower H, or the tie rule would have reported
 * it; so R is above 0. This holds inside a gap too: R falls towards the beginning of the gap, and
 * is still above 0 there. So no best alignment passes a cell with R of 0 or less, or a cell that is
 * reached only through such cells. The other cells are few if the alignment is short; their number
 * grows with the square of its length.
 */
#ifndef CS_REACH_H
#define CS_REACH_H

#include "sweep/rectangle.h"

/*
 * All best alignments that end at cell (i, j) begin right of column *left and below row *above.
 * *found is FALSE if this would need a look at more than `most` cells. Fails with CS_ERROR_DEVICE
 * if there is not enough memory.
 */
gboolean cs_reach_find(const CsRectangle *matrix, gint64 i, gint64 j, gint64 most, gint64 *above,
                       gint64 *left, gboolean *found, GError **error);

#endif
