/*
 * Computes a part of a matrix in which some pairs are masked.
 *
 *      columns  . . . . . . . . . .     Rows without masked pairs are swept by an engine. Others are
 *     rows      +-----------------+     computed a few at a time, from left to right: an engine sweeps
 *     without   |     engine      |     what lies between masked pairs, and a plain loop computes the
 *               |-----------------|     narrow boxes around them.
 *     with      | eng. |::| eng.  |
 *               | engine  |::|    |     Borders enter and leave as in a rectangle (sweep/rectangle.h).
 *               +-----------------+
 */
#ifndef CS_MASKED_TILE_H
#define CS_MASKED_TILE_H

#include "alignment/mask.h"
#include "sweep/engine_class.h"

typedef struct {
    const CsRectangle *matrix;   /* rows, columns, scoring and tie order count */
    const CsEngineClass *engine; /* of the CPU */
    CsMask mask;
    gint64 strip;      /* rows with masked pairs that are computed at once, at most */
    gint64 near;       /* masked columns that are nearer to each other share a box */
    CsScore threshold; /* cells that score less are not looked for */
    const gint *stop;  /* or NULL; once it is set, by any thread, fails with CS_ERROR_STOPPED */
} CsMaskedTile;

/* Receives the row below so many of the tile's rows, as it passes. */
typedef gboolean (*CsMaskedRowFunc)(gint64 rows, const CsBus *row, gpointer user_data,
                                    GError **error);

/* The part: rows above + 1 .. and columns left_of + 1 .. */
typedef struct {
    gint64 above, height, left_of, width;
    CsScore corner;
    CsBus *row;      /* the top border, then the bottom one */
    CsBus *column;   /* the left border, then the right one */
    gint64 distance; /* hand out rows so far apart; 0: none */
    CsMaskedRowFunc row_func;
    gpointer row_data;
    CsBest best; /* the best cell, in the coordinates of the matrix: set */
} CsMaskedPart;

/* How tiles and parts of them are cut for an engine: mostly into one block. Narrower ones, as a whole matrix has for all
 * threads, leave vector lanes idle at their ends, and are too narrow for lanes of single bits (cpu/simd_block.c). */
#define CS_MASKED_SHAPE ((CsGridShape){.block_height = 1024, .block_width = 2048})

gboolean cs_masked_tile_run(const CsMaskedTile *tile, CsMaskedPart *part, GError **error);

#endif
