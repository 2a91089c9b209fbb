/* The scores of tiles as a table, for other programs to draw. */
#include "formats/tiles_tsv.h"

/* The first and last base of piece k of a sequence, 1-based in the whole record. */
static void
append_piece(GString *line, const CsSequence *sequence, gint64 k, gint64 tile)
{
    const gint64 offset = cs_sequence_get_offset(sequence);
    const gint64 end = MIN((k + 1) * tile, cs_sequence_get_length(sequence));
    g_string_append_printf(line, "%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t",
                           offset + k * tile + 1, offset + end);
}

char *
cs_tiles_tsv_row(const CsTiles *tiles, gint64 r, const CsSequence *target, const CsSequence *query)
{
    GString *lines = g_string_new(NULL);
    for (gint64 c = 0; c < tiles->columns; c++) {
        const gint64 k = r * tiles->columns + c;
        append_piece(lines, target, r, tiles->target_tile);
        append_piece(lines, query, c, tiles->query_tile);
        g_string_append_printf(lines, "%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\n",
                               tiles->plus[k], tiles->minus[k]);
    }
    return g_string_free(lines, FALSE);
}
