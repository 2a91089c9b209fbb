/*
 * The pieces of the corridor (lower_bound.c) in a keep. The pieces that have been swept are kept
 * every second, and once more when the sweep ends for whatever reason.
 */
#ifndef CS_KEPT_PIECES_H
#define CS_KEPT_PIECES_H

#include <pthread.h>

#include "sweep/types.h"
#include "system/keep.h"

typedef struct {
    gint64 row, rows;       /* rows above the piece, and rows in it */
    gint64 column, columns; /* columns left of the piece, and columns in it */
    CsScore high;           /* H at its corner; 0 is the score of the empty alignment */
    gboolean ends;          /* an alignment may end inside: the highest H is looked for */
    CsScore best;           /* the highest H if so, else `high` */
    CsScore exit;           /* H at its last cell */
    gint64 cells_computed;
    gboolean done;
    GError *failure;
} CsCorridorPiece;

typedef struct {
    const CsKeep *keep;
    GArray *pieces; /* of CsCorridorPiece */
    pthread_mutex_t lock;
    gint64 next;      /* when to save next */
    gboolean unsaved; /* whether some pieces are done but not saved */
} CsKeptPieces;

/* Begins a sweep of the pieces, and fills in the pieces that were kept. match is the score of a
 * match. Returns how many cells were computed for the kept pieces. */
gint64 cs_kept_pieces_begin(CsKeptPieces *kept, const CsKeep *keep, GArray *pieces, CsScore match);

/* Piece k is done. May be called from any thread. */
void cs_kept_pieces_add(CsKeptPieces *kept, gint64 k);

void cs_kept_pieces_end(CsKeptPieces *kept);

#endif
