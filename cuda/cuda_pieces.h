/*
 * Special rows of a sweep on a GPU. They leave in pieces, one for each block that ends at such a row.
 * The kernels write them to host memory, or they are copied there.
 *
 * The block rows under way at a time are within `depth` of each other; in a skipping sweep, within
 * the number of slots. There are as many places as special rows in any such window, and rows take
 * them in turn, so no two rows under way share one. The pieces of more diagonals than can be
 * submitted are kept. In a skipping sweep each row has diagonals of its own: it keeps the pieces of
 * more blocks than can be launched before the host knows that the first one is complete.
 */
#ifndef CS_CUDA_PIECES_H
#define CS_CUDA_PIECES_H

#include "cuda/cuda_run.h"

/* How far the row of a place is handed out, in a skipping sweep. */
typedef struct {
    gint64 row;   /* the block row */
    gint64 until; /* columns */
} CsCudaRow;

typedef struct {
    gint32 *places;      /* for each block row, the place of its piece in a diagonal, or -1: it
                            has none; NULL: there are no special rows */
    gint64 places_count; /* of a diagonal */
    CsKernelCell *cells; /* host: [diagonals][places_count][the columns of a block] */
    gint64 held;         /* diagonals whose pieces are kept */
    gint64 handed_out;   /* diagonals */
    CsCudaRow *rows;     /* [places_count], in a skipping sweep */
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

/*
 * In a skipping sweep: hands out columns from + 1 .. until of the last row of block row bi, if that
 * is a special row, except those that were handed out before.
 */
gboolean cs_cuda_pieces_hand_out_row(CsCudaPieces *pieces, const CsRun *run, gint64 bi, gint64 from,
                                     gint64 until, GError **error);

#endif
