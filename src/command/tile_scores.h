/* What scores of tiles mean. */
#ifndef CS_TILE_SCORES_H
#define CS_TILE_SCORES_H

#include <chromosweep/scoring.h>
#include <chromosweep/tiles.h>

/*
 * The score that about one tile in all would reach if all bases were unrelated. Where this is more
 * than what a perfect tile scores, tiles are too small to tell similarity from chance.
 */
gint64 cs_tile_scores_chance(const CsTiles *tiles, const CsScoring *scoring);

/* The score of a whole tile that is alike in every base. */
gint64 cs_tile_scores_perfect(const CsTiles *tiles, const CsScoring *scoring);

/* The highest of all tiles on both strands; 0 if there are no tiles. */
gint64 cs_tile_scores_highest(const CsTiles *tiles);

#endif
