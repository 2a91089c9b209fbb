/*
 * Special rows of a sweep on a GPU, which leave it in pieces, one of each block that ends at such a
 * row, in host memory that the device writes to or is copied to.
 *
 * The block rows of a diagonal are within `depth` of each other; with as many places as there are
 * special rows in any such window, taken by turns, no two of them have the same. Pieces are held of
 * a few more diagonals than can be under way.
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

/* Pieces enter zeroed and are to be cleared even where this fails, with CS_ERROR_DEVICE. */
gboolean cs_cuda_pieces_init(CsCudaPieces *pieces, const CsRun *run, GError **error);
void cs_cuda_pieces_clear(CsCudaPieces *pieces);

/* Lets the kernels write them. */
gboolean cs_cuda_pieces_attach(const CsCudaPieces *pieces, CsRun *run, GError **error);

/* Where diagonal d's piece of block row bi stands; NULL: that ends at no special row. */
CsKernelCell *cs_cuda_pieces_at(const CsCudaPieces *pieces, const CsRun *run, gint64 d, gint64 bi);

/* Hands out what has not been of the first so many diagonals, whose pieces are complete. */
gboolean cs_cuda_pieces_hand_out(CsCudaPieces *pieces, const CsRun *run, gint64 diagonals,
                                 GError **error);

#endif
