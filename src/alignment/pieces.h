/*
 * An alignment cut where its score falls far: its pieces.
 *
 *     score
 *       |        piece 1              end
 *       |         /\                  /         Going along the path, a piece ends at the first of
 *       |        /  \      piece 2   /          its highest points from which the score falls by
 *       |  /\   /    \              /           more than `max_drop`. The next one begins at the
 *       | /  \ /      \   /\       /            last of the lowest points from which the score
 *       |/    V        \_/  \_____/             then rises by more than that. What lies between
 *       +------------------------------         two pieces is a drop.
 *
 * The path is to score above zero from its start to every later point, and from every point to its
 * end, as a local alignment that cannot be improved does. Then the first piece begins where the
 * path begins, the last ends where it ends, and each piece begins and ends with a pair of equal
 * bases. The score falls by no more than `max_drop` within a piece. If there are several, each
 * scores more than `max_drop`, and no stretch of a drop does. docs/proofs/alignment.md has the
 * proof. Time grows with the length of the path.
 */
#ifndef CS_PIECES_H
#define CS_PIECES_H

#include "alignment/path.h"

/* A place on a path, between two columns of the alignment. */
typedef struct {
    gsize run;     /* of the path */
    gint64 done;   /* columns of the run before the place */
    gint64 i, j;   /* the cell of the matrix */
    CsScore score; /* of the path as far as there */
} CsPlace;

typedef struct {
    CsPlace from, to;
} CsPiece;

/* The pieces (CsPiece) in the order of the path, at least one; max_drop is at least 0. */
GArray *cs_pieces_find(const CsPath *path, const CsRectangle *matrix, CsScore max_drop);

/* The path of a piece. Fails with CS_ERROR_DEVICE when there is no memory. */
gboolean cs_pieces_cut(const CsPath *path, const CsPiece *piece, CsPath *part, GError **error);

#endif
