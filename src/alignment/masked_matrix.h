/*
 * A whole matrix that knows its best cell, and finds it again after pairs were masked.
 *
 *       column  1 ... side       2 side          The matrix is cut into tiles. Kept are the row below
 *        row  1 +-----------+-----------+        each tile, the column right of it, and its best cell.
 *               |           |   .       |        When an alignment's pairs are masked, the tiles that
 *               |      *    |           |        it passes are computed again. If a border comes out
 *          side +-------*===+===========+        other than before, so are the tiles that it enters,
 *               |       ||*.|  again    |        and so on until all borders agree.
 *               |       ||  |           |
 *               +-----------+-----------+        A tile is what masked_tile.h computes.
 *
 * A tile with borders that did not change and no new masked pair is what it was. So after each
 * update the best cell is that of the whole matrix without the masked pairs. It does not depend on
 * the size of the tiles or the number of threads. With a checkpoint the tiles are kept there
 * (masked_keep.h), and the next matrix of the same sequences computes only what is missing.
 */
#ifndef CS_MASKED_MATRIX_H
#define CS_MASKED_MATRIX_H

#include <chromosweep/control.h>

#include "alignment/masked_tile.h"
#include "alignment/path.h"
#include "checkpoint/checkpoint.h"

/* Here 0 takes a value that is fast. */
typedef struct {
    gint64 side;     /* rows and columns of a tile */
    gint64 strip;    /* rows of one with masked pairs that are computed at once */
    gint64 near;     /* masked columns that share a box */
    gint64 distance; /* of rows that are handed out to trace through a tile */
    gint64 reach;    /* most cells that are looked at for an alignment that may be short; negative:
                        none */
} CsMaskedSizes;

typedef struct {
    const CsRectangle *matrix; /* rows, columns, scoring and tie order count */
    CsMaskArea area;
    const CsEngineClass *engine; /* of the CPU */
    CsScore least;               /* cells that score less do not matter */
    guint threads;
    gint64 budget; /* bytes for borders, about; a larger side needs fewer */
    CsMaskedSizes sizes;
    /* Asked every millisecond, on the caller's thread, with the share of tiles that are as they should
     * be; FALSE ends an update or a trace with CS_ERROR_STOPPED. */
    gboolean (*go_on)(double done, gpointer user_data);
    gpointer user_data;
    const CsCheckpoint *checkpoint; /* or NULL: tiles are not kept */
    const char *name;               /* of what is kept (checkpoint/found.h) */
    double interval;                /* seconds between two saves */
    CsNoteFunc note;                /* may be called from another thread */
    gpointer note_data;
} CsMaskedOptions;

/* The bytes of the borders of tiles that fit a budget. Fails with CS_ERROR_DEVICE if none do. */
gboolean cs_masked_matrix_bytes(const CsRectangle *matrix, gint64 budget, double *bytes,
                                GError **error);

typedef struct _CsMaskedMatrix CsMaskedMatrix;

/* Nothing is computed yet, but tiles may have been kept. Fails with CS_ERROR_DEVICE if there is not
 * enough memory. */
CsMaskedMatrix *cs_masked_matrix_new(const CsMaskedOptions *options, GError **error);
void cs_masked_matrix_free(CsMaskedMatrix *matrix);

/* Computes what changed: at first all of it, or what was not kept. *best is the best cell of all, or has score 0 if none
 * scores enough. */
gboolean cs_masked_matrix_update(CsMaskedMatrix *matrix, CsBest *best, GError **error);

/* Saves the tiles that were computed and are not saved yet, if they are kept at all; soon: during an
 * update, by the next diagonal of tiles. If that fails, a note warns, and no more are kept. After
 * CS_ERROR_STOPPED the matrix is of no other use. */
void cs_masked_matrix_save(CsMaskedMatrix *matrix);
void cs_masked_matrix_save_soon(CsMaskedMatrix *matrix);

/* Fills the path of the best alignment that ends there, turned. In any case it can be cleared. */
gboolean cs_masked_matrix_trace(CsMaskedMatrix *matrix, const CsBest *end, CsPath *path,
                                GError **error);

/* Masks the pairs of a path. */
void cs_masked_matrix_mask(CsMaskedMatrix *matrix, const CsPath *path);

/* Cells of the tiles that were computed, however often. */
gint64 cs_masked_matrix_cells(const CsMaskedMatrix *matrix);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsMaskedMatrix, cs_masked_matrix_free)

#endif
