/*
 * An alignment of circular records, cut where it runs over an origin.
 *
 * Its sequences have all bases twice, in two copies of the record. A piece has the pairs whose bases
 * are in the same copies, from the first to the last; gaps between pieces belong to none. The start
 * and the end of a local alignment always score above 0. So only a piece between two origins may
 * score 0 or less; it is left out.
 */
#ifndef CS_ORIGINS_H
#define CS_ORIGINS_H

#include "alignment/pieces.h"
#include "sweep/strand.h"

typedef struct {
    CsPiece piece;
    gint64 target, query; /* bases of whole copies before it */
} CsOriginPiece;

/* The pieces (CsOriginPiece) in the order of the path, at least one. The lengths are those of the
 * records. */
GArray *cs_origins_find(const CsPath *path, const CsRectangle *matrix, const CsPlacement *placement,
                        CsStrand strand, gint64 target_length, gint64 query_length);

#endif
