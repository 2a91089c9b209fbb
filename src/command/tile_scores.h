/* What scores of tiles mean. */
#ifndef CS_TILE_SCORES_H
#define CS_TILE_SCORES_H

#include <chromosweep/scoring.h>
#include <chromosweep/tiles.h>

/*
 * The score below which tiles are background: such that of tiles of unrelated bases about one in
 * all is at least that.
 */
gint64 cs_tile_scores_background(const CsTiles *tiles, const CsScoring *scoring);

/* What a whole tile scores that is alike in every base. */
gint64 cs_tile_scores_perfect(const CsTiles *tiles, const CsScoring *scoring);

#endif
