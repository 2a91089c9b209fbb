/*
 * Pieces of the corridor in a keep. A result is used only for exactly the same rows and columns. So
 * it is the score of a real alignment, however the corridor was cut in the earlier run.
 */
#include "lower_bound/kept_pieces.h"

/* A piece as it is kept. */
typedef struct {
    gint64 number;
    gint64 row, rows, column, columns;
    gint64 best, exit, cells;
} Kept;

enum {
    NUMBERS = 8, /* of a piece */
};

_Static_assert(sizeof(Kept) == NUMBERS * sizeof(gint64), "a piece is so many numbers");

#define INTERVAL G_USEC_PER_SEC

static CsCorridorPiece *
piece_at(const CsKeptPieces *kept, gint64 k)
{
    return &g_array_index(kept->pieces, CsCorridorPiece, k);
}

/* Whether this belongs to the piece and is possible, so that sums of several are possible, too. */
static gboolean
is_of(const CsCorridorPiece *piece, const Kept *found, CsScore match)
{
    const CsScore most = piece->high + match * MIN(piece->rows, piece->columns);
    return found->row == piece->row && found->rows == piece->rows &&
           found->column == piece->column && found->columns == piece->columns &&
           found->best >= piece->high && found->best <= most && found->exit >= 0 &&
           found->exit <= most && found->cells >= 0 && found->cells < G_MAXINT32 * piece->rows;
}

gint64
cs_kept_pieces_begin(CsKeptPieces *kept, const CsKeep *keep, GArray *pieces, CsScore match)
{
    *kept =
        (CsKeptPieces){.keep = keep, .pieces = pieces, .next = g_get_monotonic_time() + INTERVAL};
    pthread_mutex_init(&kept->lock, NULL);
    gint64 count = 0, cells = 0;
    g_autofree gint64 *values = cs_keep_load(keep, "pieces", &count);
    for (gint64 k = 0; values != NULL && k < count / NUMBERS; k++) {
        const Kept *found = (const Kept *)values + k;
        CsCorridorPiece *piece = found->number >= 0 && found->number < pieces->len
                                     ? piece_at(kept, found->number)
                                     : NULL;
        if (piece == NULL || piece->done || !is_of(piece, found, match))
            continue;
        piece->best = found->best;
        piece->exit = found->exit;
        piece->cells_computed = found->cells;
        piece->done = TRUE;
        cells += found->cells;
    }
    return cells;
}

static void
save(CsKeptPieces *kept)
{
    g_autoptr(GArray) done = g_array_new(FALSE, FALSE, sizeof(Kept));
    for (gint64 k = 0; k < kept->pieces->len; k++) {
        const CsCorridorPiece *piece = piece_at(kept, k);
        if (!piece->done) /* another thread may be writing it */
            continue;
        const Kept found = {.number = k,
                            .row = piece->row,
                            .rows = piece->rows,
                            .column = piece->column,
                            .columns = piece->columns,
                            .best = piece->best,
                            .exit = piece->exit,
                            .cells = piece->cells_computed};
        g_array_append_val(done, found);
    }
    cs_keep_save(kept->keep, "pieces", (const gint64 *)(void *)done->data,
                 (gint64)done->len * NUMBERS);
    kept->unsaved = FALSE;
}

void
cs_kept_pieces_add(CsKeptPieces *kept, gint64 k)
{
    pthread_mutex_lock(&kept->lock);
    piece_at(kept, k)->done = kept->unsaved = TRUE;
    const gint64 now = g_get_monotonic_time();
    if (kept->keep != NULL && now >= kept->next) {
        save(kept);
        kept->next = now + INTERVAL;
    }
    pthread_mutex_unlock(&kept->lock);
}

void
cs_kept_pieces_end(CsKeptPieces *kept)
{
    if (kept->keep != NULL && kept->unsaved)
        save(kept);
    pthread_mutex_destroy(&kept->lock);
}
