/* What the scores of tiles mean. */
#ifndef CS_TILE_SCORES_H
#define CS_TILE_SCORES_H

#include <chromosweep/scoring.h>
#include <chromosweep/tiles.h>

/*
 * The score that about one tile of the whole plot would reach if all bases were unrelated. If this
 * is more than a perfect tile scores, tiles are too small to tell similarity from chance.
 */
gint64 cs_tile_scores_chance(const CsTiles *tiles, const CsScoring *scoring);

/* The score of a full tile whose bases all match. */
gint64 cs_tile_scores_perfect(const CsTiles *tiles, const CsScoring *scoring);

/* The highest score of all tiles on both strands; 0 if there are no tiles. */
gint64 cs_tile_scores_highest(const CsTiles *tiles);

#endif
