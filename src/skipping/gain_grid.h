/*
 * Gains by bands of rows and blocks of diagonals, one band after the other, from the last row up
 * (gains.h):
 *
 *        blocks of diagonals ->                    the gains after the line above ...
 *      --+---+---+---+---+---+--  a line of rows
 *        |   |   |   |   |   |    a band           ... from k-mers that occur in a window
 *      --+---+---+---+---+---+--  the line below   and from the gains after the line below
 *
 * The gain of a block after a line is a bound on what any alignment gains after the line from a node
 * of the block. It also bounds what one gains whose deletion crosses the line there, less
 * rule->split for the rest of that deletion's opening.
 *
 * Gains are counted on some tiles of each line only. Blocks beyond them have a gain that no alignment
 * exceeds after the line.
 */
#ifndef CS_GAIN_GRID_H
#define CS_GAIN_GRID_H

#include "skipping/gain_rule.h"
#include "skipping/gain_kmers.h"

/*
 * The gains of each block after a line. `reached` is for an alignment that may still go along the
 * line or comes down to it: the highest gain of any block, minus the cost of the way there.
 */
typedef struct {
    gint32 *gains;
    gint32 *reached;
} CsGainReach;

/* A value for each price, and one that charges nothing for k-mers. */
typedef gint32 CsGainFour __attribute__((vector_size(16)));

enum {
    CS_GAIN_LONGEST_TILE = 2048 /* blocks */
};

/* What crosses the ends of a tile, by each price: the highest gain minus the cost of the way. */
typedef struct {
    CsGainFour on_right, on_left; /* of the tiles on that side, at the tile's end */
    CsGainFour leaves_right, leaves_left;
    gint32 highest; /* of what is reached in it */
} CsGainTile;

/* What steps need. */
typedef struct {
    const CsGainRule *rule;
    gint64 m, n;
    gint64 blocks;
    gint64 tile, tiles; /* blocks of a tile; several threads may each compute some tiles */
    gint32 *right,
        *left; /* of each block: the highest gain on that side, minus the cost of the way there */
    CsGainTile *ends;
} CsGainGrid;

/* With so many blocks in each tile, at most CS_GAIN_LONGEST_TILE. Fails with CS_ERROR_DEVICE if
 * there is not enough memory. The rule must outlive it. */
gboolean cs_gain_grid_init(CsGainGrid *grid, const CsGainRule *rule, gint64 tile, gint64 m,
                           gint64 n, GError **error);
void cs_gain_grid_clear(CsGainGrid *grid);

/* The tiles from .. to - 1, around the best path. */
typedef struct {
    gint64 from, to;
} CsGainTiles;

/*
 * Before a step: tiles that were not counted on the line below, and the blocks beside them that the
 * step looks at, get `most`, which no alignment exceeds after that line.
 */
void cs_gain_grid_widen(CsGainGrid *grid, const CsGainTiles *tiles, const CsGainTiles *below,
                        CsGainReach *line_below, gint32 most_below);

/*
 * The step of one tile: its gains after the line above band k, from those after the line below and
 * what is reached there. None is higher than `most`, or than a match for each column that is left.
 */
void cs_gain_grid_step(const CsGainGrid *grid, gint64 number, gint64 k, const CsGainBand *band,
                       const CsGainReach *below, CsGainReach *line, gint32 most);

/* After the step of all tiles, joins them. Gains of blocks from .. to - 1 may have been lowered
 * meanwhile. Beyond the tiles, no alignment gains more than `most`. */
void cs_gain_grid_join(const CsGainGrid *grid, const CsGainTiles *tiles, const CsGainReach *line,
                       gint64 from, gint64 to, gint32 most);

/* After that, for each tile: what is reached after the line. */
void cs_gain_grid_reach(const CsGainGrid *grid, gint64 number, CsGainReach *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainGrid, cs_gain_grid_clear)

#endif
