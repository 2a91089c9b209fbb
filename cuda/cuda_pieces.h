/*
 * Special rows of a sweep on a GPU. They leave in pieces, one for each block that ends at such a row.
 * The kernels write them to host memory, or they are copied there.
 *
 * The block rows under way at a time are within `depth` of each other; in a skipping sweep, within
 * the number of slots. There are as many places as special rows in any such window, and rows take
 * them in turn, so no two rows under way share one. The pieces of more diagonals than can be
 * submitted are kept. In a skipping sweep each row has diagonals of its own: it keeps the pieces of
 * more blocks than can be launched before the host knows that the first one is complete.
 *
 * Where GPUs share a skipping sweep, a seam is as a special row, but its pieces enter another GPU.
 */
#ifndef CS_CUDA_PIECES_H
#define CS_CUDA_PIECES_H

#include "cuda/cuda_run.h"

/* How far the row of a place is handed out, in a skipping sweep. */
typedef struct {
    gint64 row;   /* the block row */
    gint64 until; /* columns */
} CsCudaRow;

/* Takes cells of columns from + 1 .. from + count of a block row's last row to another GPU. */
typedef gboolean (*CsCudaPassFunc)(gint64 bi, gint64 from, gint64 count, const CsKernelCell *cells,
                                   gpointer user_data, GError **error);

/* In a skipping sweep on several GPUs: which of them computes each block row, which one this is, and
 * what takes the pieces of its seams. */
typedef struct {
    const guint8 *owners;
    guint self;
    CsCudaPassFunc pass;
    gpointer pass_data;
} CsCudaSeams;

typedef struct {
    gint32 *places;      /* for each block row, the place of its piece in a diagonal, or -1: it
                            has none; NULL: there are no special rows */
    gint64 places_count; /* of a diagonal */
    CsKernelCell *cells; /* host: [diagonals][places_count][the columns of a block] */
    gint64 held;         /* diagonals whose pieces are kept */
    gint64 handed_out;   /* diagonals */
    CsCudaRow *rows;     /* [places_count], in a skipping sweep */
    CsCudaSeams seams;   /* without owners: there are none */
} CsCudaPieces;

/* Initialises pieces that are zeroed but for the seams. Fails with CS_ERROR_DEVICE, like everything
 * here; clear them even then. */
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
 * is a special row or a seam, except those that were handed out before.
 */
gboolean cs_cuda_pieces_hand_out_row(CsCudaPieces *pieces, const CsRun *run, gint64 bi, gint64 from,
                                     gint64 until, GError **error);

#endif
