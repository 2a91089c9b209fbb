/*
 * Special rows of a dense sweep on a GPU. They leave in pieces, one for each block that ends at
 * such a row. The kernels write them to host memory, or they are copied there.
 *
 * The block rows of a diagonal are within `depth` of each other. There are as many places as
 * special rows in any such window, and rows take them in turn, so no two rows of a diagonal share
 * one. The pieces of more diagonals than can be submitted are kept.
 */
#ifndef CS_CUDA_PIECES_H
#define CS_CUDA_PIECES_H

#include "cuda/cuda_run.h"

typedef struct {
    gint32 *places;      /* of each block row: where its piece is among a diagonal's, or -1; or
                            NULL: there are no special rows */
    gint64 places_count; /* of a diagonal */
    CsKernelCell *cells; /* host: [diagonals][places_count][the columns of a block] */
    gint64 handed_out;   /* diagonals */
} CsCudaPieces;

/* Initialises zeroed pieces. Fails with CS_ERROR_DEVICE, like everything here; clear them even
 * then. */
gboolean cs_cuda_pieces_init(CsCudaPieces *pieces, const CsRun *run, GError **error);
void cs_cuda_pieces_clear(CsCudaPieces *pieces);

/* Lets the kernels write the pieces. */
gboolean cs_cuda_pieces_attach(const CsCudaPieces *pieces, CsRun *run, GError **error);

/* Where diagonal d's piece of block row bi is kept; NULL if that row ends at no special row. */
CsKernelCell *cs_cuda_pieces_at(const CsCudaPieces *pieces, const CsRun *run, gint64 d, gint64 bi);

/* Hands out the pieces of the first `diagonals` diagonals, which are complete, except those that
 * were handed out before. */
gboolean cs_cuda_pieces_hand_out(CsCudaPieces *pieces, const CsRun *run, gint64 diagonals,
                                 GError **error);

#endif
