/*
 * Finds the path through one small rectangle. First all cells are computed, with a byte of
 * directions for each. Then the walk goes back from a node of the path until the path starts or
 * leaves the rectangle.
 *
 * The rule, from the end cell back. In H: if H is 0, the path starts here. Otherwise the walk takes
 * the pair if that explains H, else a gap of unpaired query bases, else a gap of unpaired target
 * bases. In a gap: if the gap can have been opened here, it was. So the path depends on the matrix
 * alone.
 */
#ifndef CS_WALK_H
#define CS_WALK_H

#include "alignment/mask.h"
#include "alignment/path.h"

typedef enum {
    CS_NODE_H,
    CS_NODE_E, /* in a gap of unpaired bases of the columns */
    CS_NODE_F, /* in a gap of unpaired bases of the rows */
} CsNodeState;

/* A node of the path. */
typedef struct {
    gint64 i, j;
    CsNodeState state;
    CsScore value; /* H, E or F there */
} CsNode;

/* The most that a path gains on the way to a node that is so many rows and columns away: a match for
 * each pair, and for the rest a gap, which may be open already. */
static inline CsScore
cs_walk_gain(const CsScoring *scoring, gint64 rows, gint64 columns)
{
    return scoring->match * MIN(rows, columns) - scoring->gap_extend * ABS(rows - columns);
}

/* The rectangle: rows above + 1 .. and columns left_of + 1 .. of a matrix, up to a node of the
 * path. */
typedef struct {
    const CsRectangle *matrix;
    gint64 above, left_of;
    CsScore corner;
    const CsBus *top;   /* H and F of row `above` in the columns right of left_of */
    const CsBus *left;  /* H and E of column left_of in the rows below `above`; NULL: all zero */
    const CsMask *mask; /* pairs that the path may not have, or NULL */
    gint64 *cells;      /* NULL, or where the cells that are computed are added up */
} CsWalk;

/*
 * Walks back from a node in the rectangle. The computed value of the node must be node->value.
 * *started is TRUE if the path starts in the rectangle. Otherwise the node is moved to the row
 * above the rectangle or to the column left of it, and the caller must fill in its value.
 *
 * On best paths to the node, the borders must have the matrix's own values. Elsewhere a value may be
 * lower, or higher if no path from it reaches the node's value. Fails with CS_ERROR_FAILED if the
 * value of the node is not computed again, and with CS_ERROR_DEVICE if there is not enough memory.
 */
gboolean cs_walk_back(const CsWalk *walk, CsNode *node, CsPath *path, gboolean *started,
                      GError **error);

#endif
