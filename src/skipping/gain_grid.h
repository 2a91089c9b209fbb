/*
 * Gains by bands of rows and blocks of diagonals, one band after the other, from the last row up
 * (gains.h):
 *
 *        blocks of diagonals ->                    the gains after the line above ...
 *      --+---+---+---+---+---+--  a line of rows
 *        |   |   |   |   |   |    a band           ... from seeds that occur in a window
 *      --+---+---+---+---+---+--  the line below   and from the gains after the line below
 *
 * A line's gain of a block is at least what any alignment gains after the line from a node of the
 * block, and what one gains in which a deletion passes the line, less rule->split for the rest of
 * the deletion's opening.
 */
#ifndef CS_GAIN_GRID_H
#define CS_GAIN_GRID_H

#include "skipping/gain_rule.h"
#include "skipping/gain_seeds.h"

/*
 * The gains after a line, of each block. `reached` are the gains of an alignment that may still go
 * along the line, or down to it from above: the highest gain of any block less the cost of the way
 * there.
 */
typedef struct {
    gint32 *gains;
    gint32 *reached;
} CsGainReach;

/* A value for each price and one without seeds. */
typedef gint32 CsGainFour __attribute__((vector_size(16)));

/* What steps need. */
typedef struct {
    const CsGainRule *rule;
    gint64 m, n;
    gint64 blocks;
    CsGainFour *four;
    gint32 *leaving;
} CsGainGrid;

/* Fails with CS_ERROR_DEVICE if there is not enough memory. The rule must outlive it. */
gboolean cs_gain_grid_init(CsGainGrid *grid, const CsGainRule *rule, gint64 m, gint64 n,
                           GError **error);
void cs_gain_grid_clear(CsGainGrid *grid);

/*
 * Finds the gains after the line above band k from those after the line below and what is reached
 * there. None of them becomes higher than `most`, or than a match for each column that is left.
 */
void cs_gain_grid_step(const CsGainGrid *grid, gint64 k, const CsGainBand *band,
                       const CsGainReach *below, CsGainReach *line, gint32 most);

/* Finds what is reached after a line. */
void cs_gain_grid_reach(const CsGainGrid *grid, CsGainReach *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainGrid, cs_gain_grid_clear)

#endif
