/*
 * A matrix that knows its best cells, and finds them again after pairs were masked.
 *
 *       column  1 ... side       2 side          The matrix is cut into tiles. Only those count that
 *        row  1 +-----------+-----------+        can hold a part of an alignment that scores enough
 *               |           |   .       |        (masked_zone.h); elsewhere all is zero. Kept are the
 *               |      *    |           |        row below each tile, the column right of it, and its
 *          side +-------*===+===========+        best cell. When an alignment's pairs are masked, the
 *               |       ||*.|  again    |        tiles that it passes are computed again. If a border
 *               |       ||  |           |        comes out other than before, so are the tiles that it
 *               +-----------+-----------+        enters, and so on until all borders agree. A tile
 *                                                that a high score enters is added.
 *
 *               A tile is what masked_tile.h computes.
 *
 * A tile with borders that did not change and no new masked pair is what it was. So after each
 * update the best cells are those of the whole matrix without the masked pairs. They do not depend on
 * the size of the tiles, the order in which they are computed, or the number of threads. With a
 * checkpoint the tiles are kept there (masked_keep.h), and the next matrix of the same sequences
 * computes only what is missing.
 *
 * Tiles that touch each other, or are joined by others, are a group; of circular records also tiles that
 * have copies of the same cells. Alignments of two groups have
 * nothing to do with each other: they may be traced and masked at the same time.
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
    gint64 unit;     /* of marks, even if they do not pay; negative: none */
    gint64 strip;    /* rows of one with masked pairs that are computed at once */
    gint64 near;     /* masked columns that share a box */
    gint64 distance; /* of rows that are handed out to trace through a tile */
    gint64 reach;    /* most cells that are looked at for an alignment that may be short; negative:
                        none */
} CsMaskedSizes;

typedef struct {
    const CsRectangle *matrix; /* rows, columns, scoring and tie order count */
    CsMaskArea area;
    /* For a circle with itself, whose bases are there twice: that of the area's copy (mask.h), or 0. Copies of a
     * pair are then those one turn further in both, and those with the two bases exchanged. */
    gint64 area_period;
    /* For a circular record, whose bases are there twice; or 0. Then groups hold all copies of their tiles. */
    gint64 row_period, column_period;
    const CsEndMarks *marks;     /* where alignments may end; NULL: anywhere */
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
    /* Of what is kept (checkpoint/found.h): tiles, which of them, and traces under way. */
    const char *name, *zone_name, *trace_name;
    double interval; /* seconds between two saves */
    CsNoteFunc note; /* may be called from another thread */
    gpointer note_data;
} CsMaskedOptions;

/* The bytes of the borders of tiles that fit a budget. Fails with CS_ERROR_DEVICE if none do. With marks
 * it depends on these, so that is the most they may take. */
gboolean cs_masked_matrix_bytes(const CsRectangle *matrix, gint64 budget, gboolean marked,
                                double *bytes, GError **error);

typedef struct _CsMaskedMatrix CsMaskedMatrix;

/* Nothing is computed yet, but tiles may have been kept. Fails with CS_ERROR_DEVICE if there is not
 * enough memory. */
CsMaskedMatrix *cs_masked_matrix_new(const CsMaskedOptions *options, GError **error);
void cs_masked_matrix_free(CsMaskedMatrix *matrix);

/* Computes what changed: at first all of it, or what was not kept. bests (of CsBest) are the best cells
 * of all groups that score enough, the first first. Fails with CS_ERROR_DEVICE if there is not enough
 * memory, or not for the budget. */
gboolean cs_masked_matrix_update(CsMaskedMatrix *matrix, GArray *bests, GError **error);

/* Saves the tiles that were computed and are not saved yet, if they are kept at all; soon: during an
 * update, after the next tiles. If that fails, a note warns, and no more are kept. After
 * CS_ERROR_STOPPED the matrix is of no other use. */
void cs_masked_matrix_save(CsMaskedMatrix *matrix);
void cs_masked_matrix_save_soon(CsMaskedMatrix *matrix);

/* Fills the paths of the best alignments that end there, turned. In any case they can be cleared. */
gboolean cs_masked_matrix_trace(CsMaskedMatrix *matrix, const CsBest *ends, guint count,
                                CsPath *paths, GError **error);

/* Forgets traces that earlier runs kept, and keeps none from now on. For a caller that will mask another
 * alignment than the best of a group: an end that was traced may then have another path. */
void cs_masked_matrix_forget_traces(CsMaskedMatrix *matrix);

/* Masks the pairs of a path, or of one run. Fails with CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_masked_matrix_mask(CsMaskedMatrix *matrix, const CsPath *path, GError **error);
gboolean cs_masked_matrix_mask_run(CsMaskedMatrix *matrix, CsMaskRun run, GError **error);

/* Cells of the tiles that were computed, however often. */
gint64 cs_masked_matrix_cells(const CsMaskedMatrix *matrix);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsMaskedMatrix, cs_masked_matrix_free)

#endif
