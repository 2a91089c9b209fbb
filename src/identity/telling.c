/* Tells pairs in their order: see telling.h. */
#include <string.h>

#include <chromosweep/error.h>

#include "identity/telling.h"

enum {
    PAIRS_AT_ONCE = 4096,
};

/* A tile of the band. */
typedef struct {
    CsIdentityTile tile;
    CsPackedPairs packed;
    CsPackedReader reader;
} Part;

typedef struct {
    CsTelling *telling;
    Part *parts;
    gint64 count;
    GArray *pairs;
    /* The CIGARs of the pairs, each with a NUL; offsets, since the string moves. */
    GString *cigars;
    GArray *offsets;
} Band;

static void
band_clear(Band *band)
{
    for (gint64 k = 0; k < band->count; k++)
        cs_packed_pairs_clear(&band->parts[k].packed);
    g_free(band->parts);
    g_array_unref(band->pairs);
    g_array_unref(band->offsets);
    g_string_free(band->cigars, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Band, band_clear)

/* Gives the pairs so far. */
static gboolean
flush(Band *band)
{
    CsIdentityPair *pairs = (CsIdentityPair *)(void *)band->pairs->data;
    for (guint k = 0; k < band->offsets->len; k++)
        pairs[k].cigar = band->cigars->str + g_array_index(band->offsets, gsize, k);
    const gboolean wanted = band->pairs->len == 0 ||
                            band->telling->tell(pairs, band->pairs->len, band->telling->user_data);
    g_array_set_size(band->pairs, 0);
    g_array_set_size(band->offsets, 0);
    g_string_truncate(band->cigars, 0);
    return wanted;
}

static gboolean
fail_packed(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                        "the checkpoint holds pairs that make no sense");
    return FALSE;
}

static gboolean
read_cigar(Band *band, CsPackedReader *reader)
{
    const char *text;
    gsize length;
    if (!band->telling->align)
        return TRUE;
    if (!cs_packed_reader_text(reader, &text, &length))
        return FALSE;
    const gsize offset = band->cigars->len;
    g_array_append_val(band->offsets, offset);
    g_string_append_len(band->cigars, text, (gssize)length);
    g_string_append_c(band->cigars, '\0');
    return TRUE;
}

/* The next pair of a row in this part; *column is the first that it may have. */
static gboolean
read_pair(Band *band, Part *part, gint64 row, gint64 *column)
{
    guint64 skipped, matches, others;
    CsPackedReader *reader = &part->reader;
    CsIdentityPair pair = {.first = row};
    if (!cs_packed_reader_number(reader, &skipped) ||
        !cs_packed_reader_score(reader, &pair.score) ||
        !cs_packed_reader_number(reader, &matches) || !cs_packed_reader_number(reader, &others) ||
        skipped >= (guint64)(part->tile.column_end - *column) || matches > G_MAXINT32 ||
        others > G_MAXUINT32 || !read_cigar(band, reader))
        return FALSE;
    const CsTileWork *work = band->telling->work;
    pair.second = *column + (gint64)skipped;
    pair.matches = (gint64)matches;
    pair.columns = (gint64)(matches + others);
    pair.identity = (double)pair.matches /
                    (double)cs_identity_divisor(work->over, work->inputs->rows->records[row].length,
                                                work->inputs->columns->records[pair.second].length,
                                                MAX(pair.columns, 1));
    g_array_append_val(band->pairs, pair);
    *column = pair.second + 1;
    return TRUE;
}

/* *go_on: whether more pairs are wanted. */
static gboolean
tell_row(Band *band, gint64 row, gboolean *go_on, GError **error)
{
    for (gint64 k = 0; k < band->count; k++) {
        Part *part = &band->parts[k];
        guint64 kept;
        gint64 column = cs_identity_tile_first(band->telling->work->tiles, &part->tile, row);
        if (column >= part->tile.column_end)
            continue;
        if (!cs_packed_reader_number(&part->reader, &kept))
            return fail_packed(error);
        for (; kept > 0; kept--) {
            if (!read_pair(band, part, row, &column))
                return fail_packed(error);
            if (band->pairs->len >= PAIRS_AT_ONCE && !flush(band)) {
                *go_on = FALSE;
                return TRUE;
            }
        }
    }
    return TRUE;
}

static gboolean
get_parts(Band *band, GError **error)
{
    CsTelling *telling = band->telling;
    const CsIdentityTiles *tiles = telling->work->tiles;
    const gint64 first = tiles->tiles_before[telling->band];
    const gint64 count = tiles->tiles_before[telling->band + 1] - first;
    band->parts = g_new0(Part, count);
    for (gint64 k = 0; k < count; k++) {
        Part *part = &band->parts[k];
        if (!cs_tile_queue_get(telling->queue, first + k, &part->packed, error))
            return FALSE;
        band->count++;
        part->tile = cs_identity_tiles_get(tiles, first + k);
        part->reader = (CsPackedReader){part->packed.bytes, part->packed.bytes + part->packed.size};
    }
    return TRUE;
}

static gboolean
tell_band(CsTelling *telling, gboolean *go_on, GError **error)
{
    g_auto(Band) band = {.telling = telling,
                         .pairs = g_array_new(FALSE, FALSE, sizeof(CsIdentityPair)),
                         .cigars = g_string_new(NULL),
                         .offsets = g_array_new(FALSE, FALSE, sizeof(gsize))};
    if (!get_parts(&band, error))
        return FALSE;
    const CsIdentityTiles *tiles = telling->work->tiles;
    for (gint64 row = tiles->band_begin[telling->band];
         *go_on && row < tiles->band_begin[telling->band + 1]; row++)
        if (!tell_row(&band, row, go_on, error))
            return FALSE;
    *go_on = *go_on && flush(&band);
    return TRUE;
}

static void
drop_band(CsTelling *telling)
{
    const gint64 *before = telling->work->tiles->tiles_before;
    for (gint64 tile = before[telling->band]; tile < before[telling->band + 1]; tile++)
        cs_tile_queue_drop(telling->queue, tile);
}

gboolean
cs_telling_is_over(const CsTelling *telling)
{
    return telling->band >= telling->work->tiles->band_count;
}

gboolean
cs_telling_go_on(CsTelling *telling, GError **error)
{
    while (!cs_telling_is_over(telling) && cs_tile_queue_has_band(telling->queue, telling->band)) {
        gboolean go_on = TRUE;
        if (telling->tell == NULL)
            drop_band(telling);
        else if (!tell_band(telling, &go_on, error) || !go_on)
            return FALSE;
        cs_tile_queue_told(telling->queue, ++telling->band);
    }
    return TRUE;
}
