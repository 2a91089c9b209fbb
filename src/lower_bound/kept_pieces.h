/*
 * The pieces of the corridor (lower_bound.c) as a keep holds them: those that were swept are kept
 * every second, and when the sweep ends, for whatever reason.
 */
#ifndef CS_KEPT_PIECES_H
#define CS_KEPT_PIECES_H

#include <pthread.h>

#include "sweep/types.h"
#include "system/keep.h"

typedef struct {
    gint64 row, rows; /* rows above it, and its own */
    gint64 column, columns;
    CsScore high; /* H at its corner; 0: the empty alignment's */
    CsScore best; /* the highest H */
    CsScore exit; /* H at its last cell */
    gint64 cells_computed;
    gboolean done;
    GError *failure;
} CsCorridorPiece;

typedef struct {
    const CsKeep *keep;
    GArray *pieces; /* of CsCorridorPiece */
    pthread_mutex_t lock;
    gint64 next;      /* when to save next */
    gboolean unsaved; /* some that are done */
} CsKeptPieces;

/* Begins a sweep of the pieces, and fills in those that were kept; match is the scoring's. Returns
 * the cells that were computed for these. */
gint64 cs_kept_pieces_begin(CsKeptPieces *kept, const CsKeep *keep, GArray *pieces, CsScore match);

/* Piece k is done. From any thread. */
void cs_kept_pieces_add(CsKeptPieces *kept, gint64 k);

void cs_kept_pieces_end(CsKeptPieces *kept);

#endif
