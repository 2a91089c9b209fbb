/*
 * The walk back through one small rectangle: forward over its cells with a byte of directions each,
 * then back from a node of the path until it starts or leaves the rectangle.
 *
 * The rule. From the end cell back, in H: where H is 0 the path starts; else it takes the pair if
 * that explains H, else a gap of unpaired query bases, else one of unpaired target bases. In a gap:
 * if the gap may have been opened here it was. So the path is a property of the matrix alone.
 */
#ifndef CS_WALK_H
#define CS_WALK_H

#include "alignment/path.h"

typedef enum {
    CS_NODE_H,
    CS_NODE_E, /* amid unpaired bases of the columns */
    CS_NODE_F, /* amid unpaired bases of the rows */
} CsNodeState;

/* A node of the path. */
typedef struct {
    gint64 i, j;
    CsNodeState state;
    CsScore value; /* H, E or F there */
} CsNode;

/* Rows above + 1 .. and columns left_of + 1 .. of a matrix, as far as a node of the path. */
typedef struct {
    const CsRectangle *matrix;
    gint64 above, left_of;
    CsScore corner;
    const CsBus *top;  /* H and F of row `above` in the columns right of left_of */
    const CsBus *left; /* H and E of column left_of in the rows below `above`; NULL: all zero */
} CsWalk;

/*
 * Walks back from a node within, whose value must come out again. *started is TRUE where the path
 * starts in the rectangle; else the node then stands on the row above or on the column left of it,
 * its value for the caller to fill in. No value on the borders is above the matrix's, and those on
 * best paths to the node are the matrix's own. Fails with CS_ERROR_FAILED where the value does not
 * come out, CS_ERROR_DEVICE when there is no memory.
 */
gboolean cs_walk_back(const CsWalk *walk, CsNode *node, CsPath *path, gboolean *started,
                      GError **error);

#endif
