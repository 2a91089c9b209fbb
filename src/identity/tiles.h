/*
 * The pairs of a run in tiles, numbered from the input alone.
 *
 *                 columns: records of the second file, or of the one file
 *              +---------+---------+---------+
 *      rows    | tile 0  | tile 1  | tile 2  |   band 0: tiles 0 to 2
 *              +---------+---------+---------+
 *              | tile 3  | tile 4  | tile 5  |   band 1
 *              +---------+---------+---------+
 *                block 0   block 1   block 2
 *
 * Of one file only the pairs above the diagonal count; tiles without any have no number. Bands are
 * low, since pairs are told row by row: the pairs of a band wait until all its tiles are done.
 */
#ifndef CS_IDENTITY_TILES_H
#define CS_IDENTITY_TILES_H

#include "identity/inputs.h"

typedef struct {
    gboolean triangle;
    gint64 band_count, block_count;
    gint64 *band_begin;    /* first row of each band, and the number of rows */
    gint64 *block_begin;   /* likewise, of columns */
    gint64 *tiles_before;  /* each band, and all tiles */
    gint64 *letters_below; /* letters of the columns before each, and of all */
    gint64 *row_letters;   /* likewise, of rows; the same array for one file */
    gint64 *order;         /* the columns of each block, the longest first, then by number */
    gint64 count;          /* tiles */
    gint64 pairs, cells;   /* of all tiles */
    gint64 shape;          /* cells of a tile that were aimed at */
} CsIdentityTiles;

typedef struct {
    gint64 band;
    gint64 row_begin, row_end;
    gint64 column_begin, column_end; /* of a triangle, row r has only columns above r */
    gint64 pairs, cells;
} CsIdentityTile;

/*
 * Cuts the pairs of these inputs. cells: about how many a tile has; 0 chooses. align: whether a pair
 * takes as many bytes as an alignment does. CS_ERROR_DEVICE: not enough memory; CS_ERROR_USAGE: there
 * are more cells than a number holds.
 */
gboolean cs_identity_tiles_init(CsIdentityTiles *tiles, const CsIdentityInputs *inputs,
                                gint64 cells, gboolean align, GError **error);

void cs_identity_tiles_clear(CsIdentityTiles *tiles);

CsIdentityTile cs_identity_tiles_get(const CsIdentityTiles *tiles, gint64 number);

/* The band of a tile, and its block. */
gint64 cs_identity_tiles_band(const CsIdentityTiles *tiles, gint64 number);
gint64 cs_identity_tiles_block(const CsIdentityTiles *tiles, gint64 number);

/* The tile of a band in this block; -1: there is none. */
gint64 cs_identity_tiles_at(const CsIdentityTiles *tiles, gint64 band, gint64 block);

/* The first column of a row in a tile. */
static inline gint64
cs_identity_tile_first(const CsIdentityTiles *tiles, const CsIdentityTile *tile, gint64 row)
{
    return tiles->triangle ? MAX(tile->column_begin, row + 1) : tile->column_begin;
}

/* The most pairs of a band, and the bytes that this struct holds. */
gint64 cs_identity_tiles_band_pairs(const CsIdentityTiles *tiles);
gint64 cs_identity_tiles_bytes(const CsIdentityTiles *tiles);

#endif
