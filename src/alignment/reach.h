/*
 * How far back an alignment can begin that ends at a cell with the best score.
 *
 * Let R of a cell be the most that an alignment scores from there to the end. On a best alignment
 * H + R is the best score. A cell before the end has a lower H, or the tie rule would have reported
 * it; so R is above 0. In a gap too, since R falls towards the gap's beginning, where it still is
 * above 0. So cells with R of 0 or less are no part of it, nor are those that are only reached
 * through them. What is left is small where the alignment is short, and grows with the square of
 * its length.
 */
#ifndef CS_REACH_H
#define CS_REACH_H

#include "sweep/rectangle.h"

/*
 * All best alignments that end at cell (i, j) begin right of column *left and below row *above.
 * *found is FALSE where more than `most` cells would have to be looked at. Fails with
 * CS_ERROR_DEVICE when there is no memory.
 */
gboolean cs_reach_find(const CsRectangle *matrix, gint64 i, gint64 j, gint64 most, gint64 *above,
                       gint64 *left, gboolean *found, GError **error);

#endif
