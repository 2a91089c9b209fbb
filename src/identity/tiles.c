/* Cuts pairs into tiles: see tiles.h. */
#include <math.h>
#include <stdlib.h>

#include <chromosweep/error.h>

#include "identity/tiles.h"
#include "system/memory.h"

enum {
    ROWS_MOST = 64,         /* of a band */
    COLUMNS_MOST = 1 << 16, /* of a block */
    BAND_BYTES = 1 << 28,   /* of the pairs of a band, where a row has fewer */
    PAIR_BYTES = 16,        /* of a pair in memory, about */
    TILES_WANTED = 1024,    /* so that all threads have some */
    TILES_MOST = 1 << 22,   /* by their cells */
    /* The width of a tile in letters is its height times the square of this: a row with many columns,
     * which fill a GPU. */
    WIDTH = 85,
};

/* About 10 ms and half a second of a thread. */
#define CELLS_LEAST (G_GINT64_CONSTANT(1) << 28)
#define CELLS_MOST (G_GINT64_CONSTANT(1) << 34)

/* Sums of lengths; NULL: not enough memory. */
static gint64 *
sum_lengths(const CsIdentitySide *side)
{
    gint64 *sums = cs_memory_try_new(gint64, side->count + 1);
    if (sums == NULL)
        return NULL;
    sums[0] = 0;
    for (gint64 k = 0; k < side->count; k++)
        sums[k + 1] = sums[k] + side->records[k].length;
    return sums;
}

/* Cuts records so that each part has at most so many, and so many letters unless it is one record.
 * Where each part begins, and the number of records. */
static gint64 *
cut(const gint64 *sums, gint64 count, gint64 most, gint64 letters, gint64 *parts)
{
    *parts = 0;
    for (gint64 k = 0, begin = 0; k < count; k++)
        if (k + 1 == count || k + 1 - begin >= most || sums[k + 2] - sums[begin] > letters) {
            ++*parts;
            begin = k + 1;
        }
    gint64 *begins = cs_memory_try_new(gint64, *parts + 1);
    if (begins == NULL)
        return NULL;
    gint64 part = 0;
    begins[0] = 0;
    for (gint64 k = 0; k < count; k++)
        if (k + 1 == count || k + 1 - begins[part] >= most ||
            sums[k + 2] - sums[begins[part]] > letters)
            begins[++part] = k + 1;
    return begins;
}

/* The part that record k lies in. */
static gint64
part_of(const gint64 *begins, gint64 parts, gint64 k)
{
    gint64 low = 0, high = parts;
    while (high - low > 1) {
        const gint64 middle = low + (high - low) / 2;
        if (begins[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first block of a band; block_count if it has none. */
static gint64
first_block(const CsIdentityTiles *tiles, gint64 band)
{
    const gint64 columns = tiles->block_begin[tiles->block_count];
    const gint64 first = tiles->triangle ? tiles->band_begin[band] + 1 : 0;
    return first < columns ? part_of(tiles->block_begin, tiles->block_count, first)
                           : tiles->block_count;
}

/* Sets pairs and cells of everything. FALSE if there are too many. */
static gboolean
count_all(CsIdentityTiles *tiles, const CsIdentityInputs *inputs)
{
    const gint64 rows = inputs->rows->count, columns = inputs->columns->count;
    gint64 squares = 0, product;
    if (__builtin_mul_overflow(inputs->rows->letters, inputs->columns->letters, &product))
        return FALSE;
    tiles->pairs = tiles->triangle ? rows * (rows - 1) / 2 : rows * columns;
    for (gint64 k = 0; tiles->triangle && k < rows; k++) /* less than the product */
        squares += inputs->rows->records[k].length * inputs->rows->records[k].length;
    tiles->cells = tiles->triangle ? (product - squares) / 2 : product;
    return TRUE;
}

/* From the inputs alone, so that a later run has the same tiles. */
static gint64
choose_cells(const CsIdentityTiles *tiles)
{
    const gint64 cells = CLAMP(tiles->cells / TILES_WANTED, CELLS_LEAST, CELLS_MOST);
    return MAX(cells, tiles->cells / TILES_MOST);
}

static gint64
most_rows(const CsIdentityInputs *inputs, gboolean align)
{
    const CsIdentitySide *columns = inputs->columns;
    const gint64 mean = columns->letters / columns->count;
    const gint64 bytes = PAIR_BYTES + (align ? mean : 0);
    return CLAMP(BAND_BYTES / bytes / columns->count, 1, ROWS_MOST);
}

/* A column of a block. */
typedef struct {
    gint64 length, number;
} Column;

static int
longer_first(const void *a, const void *b)
{
    const Column *one = a, *other = b;
    if (one->length != other->length)
        return one->length > other->length ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Once for all tiles of a block. */
static gboolean
sort_columns(CsIdentityTiles *tiles, const CsIdentitySide *side)
{
    g_autofree Column *columns = cs_memory_try_new(Column, side->count);
    tiles->order = cs_memory_try_new(gint64, side->count);
    if (columns == NULL || tiles->order == NULL)
        return FALSE;
    for (gint64 k = 0; k < side->count; k++)
        columns[k] = (Column){side->records[k].length, k};
    for (gint64 block = 0; block < tiles->block_count; block++) {
        const gint64 begin = tiles->block_begin[block];
        qsort(columns + begin, (gsize)(tiles->block_begin[block + 1] - begin), sizeof(Column),
              longer_first);
    }
    for (gint64 k = 0; k < side->count; k++)
        tiles->order[k] = columns[k].number;
    return TRUE;
}

static gboolean
number_tiles(CsIdentityTiles *tiles)
{
    tiles->tiles_before = cs_memory_try_new(gint64, tiles->band_count + 1);
    if (tiles->tiles_before == NULL)
        return FALSE;
    for (gint64 band = 0; band < tiles->band_count; band++) {
        tiles->tiles_before[band] = tiles->count;
        tiles->count += tiles->block_count - first_block(tiles, band);
    }
    tiles->tiles_before[tiles->band_count] = tiles->count;
    return TRUE;
}

gboolean
cs_identity_tiles_init(CsIdentityTiles *tiles, const CsIdentityInputs *inputs, gint64 cells,
                       gboolean align, GError **error)
{
    *tiles = (CsIdentityTiles){.triangle = inputs->one_file};
    if (!count_all(tiles, inputs)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "the sequences are too long together: more than 2^63 cells");
        return FALSE;
    }
    tiles->shape = cells > 0 ? cells : choose_cells(tiles);
    const gint64 high = MAX((gint64)sqrt((double)tiles->shape) / WIDTH, 1);
    tiles->letters_below = sum_lengths(inputs->columns);
    tiles->row_letters = inputs->one_file ? tiles->letters_below : sum_lengths(inputs->rows);
    if (tiles->letters_below != NULL && tiles->row_letters != NULL) {
        tiles->band_begin = cut(tiles->row_letters, inputs->rows->count, most_rows(inputs, align),
                                high, &tiles->band_count);
        tiles->block_begin = cut(tiles->letters_below, inputs->columns->count, COLUMNS_MOST,
                                 tiles->shape / high, &tiles->block_count);
    }
    if (tiles->band_begin != NULL && tiles->block_begin != NULL &&
        sort_columns(tiles, inputs->columns) && number_tiles(tiles))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
    return FALSE;
}

void
cs_identity_tiles_clear(CsIdentityTiles *tiles)
{
    if (tiles->row_letters != tiles->letters_below)
        g_free(tiles->row_letters);
    g_free(tiles->letters_below);
    g_free(tiles->band_begin);
    g_free(tiles->block_begin);
    g_free(tiles->tiles_before);
    g_free(tiles->order);
    *tiles = (CsIdentityTiles){.count = 0};
}

gint64
cs_identity_tiles_band(const CsIdentityTiles *tiles, gint64 number)
{
    /* Only the last band may have no tile, so no two bands begin with the same one. */
    return part_of(tiles->tiles_before, tiles->band_count, number);
}

gint64
cs_identity_tiles_block(const CsIdentityTiles *tiles, gint64 number)
{
    const gint64 band = cs_identity_tiles_band(tiles, number);
    return first_block(tiles, band) + number - tiles->tiles_before[band];
}

gint64
cs_identity_tiles_at(const CsIdentityTiles *tiles, gint64 band, gint64 block)
{
    const gint64 first = first_block(tiles, band);
    return block >= first ? tiles->tiles_before[band] + block - first : -1;
}

CsIdentityTile
cs_identity_tiles_get(const CsIdentityTiles *tiles, gint64 number)
{
    const gint64 band = cs_identity_tiles_band(tiles, number);
    const gint64 block = cs_identity_tiles_block(tiles, number);
    CsIdentityTile tile = {.band = band,
                           .row_begin = tiles->band_begin[band],
                           .row_end = tiles->band_begin[band + 1],
                           .column_begin = tiles->block_begin[block],
                           .column_end = tiles->block_begin[block + 1]};
    const gint64 *below = tiles->letters_below;
    for (gint64 row = tile.row_begin; row < tile.row_end; row++) {
        const gint64 first = cs_identity_tile_first(tiles, &tile, row);
        if (first >= tile.column_end)
            break; /* and so it is for the rows below */
        tile.pairs += tile.column_end - first;
        tile.cells += (tiles->row_letters[row + 1] - tiles->row_letters[row]) *
                      (below[tile.column_end] - below[first]);
    }
    return tile;
}

gint64
cs_identity_tiles_band_pairs(const CsIdentityTiles *tiles)
{
    const gint64 columns = tiles->block_begin[tiles->block_count];
    gint64 most = 0;
    for (gint64 band = 0; band < tiles->band_count; band++)
        most = MAX(most, tiles->band_begin[band + 1] - tiles->band_begin[band]);
    return most * columns;
}

gint64
cs_identity_tiles_bytes(const CsIdentityTiles *tiles)
{
    const gint64 columns = tiles->block_begin[tiles->block_count];
    const gint64 rows = tiles->band_begin[tiles->band_count];
    return (gint64)sizeof(gint64) * (4 * columns + (tiles->triangle ? 0 : rows) +
                                     2 * tiles->band_count + tiles->block_count + 5);
}
