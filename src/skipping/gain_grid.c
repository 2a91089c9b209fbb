/*
 * The step from one line of gains to the next. Costs grow with the distance: two blocks that are q
 * blocks apart are at least (q - 1) * block + 1 diagonals apart. So all maxima over blocks are
 * running maxima. One that enters a tile is the highest of those that leave the tiles before it,
 * minus the cost of the way between. So tiles need not wait for each other.
 */
#include "skipping/gain_grid.h"

#include <string.h>

#include <chromosweep/error.h>

#include "sweep/grid.h"
#include "system/clones.h"
#include "system/memory.h"

enum {
    FOUR = 4,
    PLAIN = CS_GAIN_PRICES,     /* the price without k-mers */
    NEVER = -((gint32)1 << 29), /* less than any gain less any cost of a single step */
    FARTHEST = (gint32)1 << 29,
};

G_STATIC_ASSERT(CS_GAIN_PRICES + 1 == FOUR);

/* In one direction: what it costs to cross a block, and to go to the first diagonal of the next
 * one. */
typedef struct {
    CsGainFour block, first;
} Way;

gboolean
cs_gain_grid_init(CsGainGrid *grid, const CsGainRule *rule, gint64 tile, gint64 m, gint64 n,
                  GError **error)
{
    *grid = (CsGainGrid){.rule = rule,
                         .m = m,
                         .n = n,
                         .blocks = cs_gain_block_of(rule, m, n) + 1,
                         .tile = MIN(tile, CS_GAIN_LONGEST_TILE)};
    grid->tiles = cs_divide_up(grid->blocks, grid->tile);
    grid->right = cs_memory_try_new(gint32, grid->blocks);
    grid->left = cs_memory_try_new(gint32, grid->blocks);
    grid->ends = cs_memory_try_new(CsGainTile, grid->tiles);
    if (grid->right == NULL || grid->left == NULL || grid->ends == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for gains along diagonals");
        return FALSE;
    }
    memset(grid->right, 0, (gsize)grid->blocks * sizeof(gint32)); /* after the last row */
    memset(grid->left, 0, (gsize)grid->blocks * sizeof(gint32));
    memset(grid->ends, 0, (gsize)grid->tiles * sizeof(CsGainTile));
    return TRUE;
}

void
cs_gain_grid_clear(CsGainGrid *grid)
{
    g_clear_pointer(&grid->right, g_free);
    g_clear_pointer(&grid->left, g_free);
    g_clear_pointer(&grid->ends, g_free);
}

/* A tile's blocks first .. end - 1. */
typedef struct {
    gint64 first, end;
} Tile;

CS_IN_CLONES Tile
tile_of(const CsGainGrid *grid, gint64 number)
{
    return (Tile){number * grid->tile, MIN(grid->blocks, (number + 1) * grid->tile)};
}

CS_IN_CLONES CsGainFour
all_four(gint32 value)
{
    return (CsGainFour){value, value, value, value};
}

CS_IN_CLONES CsGainFour
highest_of(CsGainFour a, CsGainFour b)
{
    const CsGainFour higher = a > b;
    return (a & higher) | (b & ~higher);
}

CS_IN_CLONES CsGainFour
lowest_of(CsGainFour a, CsGainFour b)
{
    const CsGainFour lower = a < b;
    return (a & lower) | (b & ~lower);
}

/* What a path loses by each price for missing k-mers and ambiguous bases; nothing by the last
 * one. */
typedef struct {
    CsGainFour missing, ambiguous, back;
} Losses;

CS_IN_CLONES Losses
losses_of(const CsGainRule *rule, gint32 ambiguous)
{
    Losses losses = {.back = all_four((gint32)MIN(rule->back, G_MAXINT32))};
    for (int p = 0; p < rule->n_prices; p++) {
        losses.missing[p] = rule->prices[p].missing;
        losses.ambiguous[p] = rule->prices[p].ambiguous * ambiguous;
    }
    return losses;
}

CS_IN_CLONES Way
way_of(const CsGainRule *rule, gboolean to_right)
{
    Way way = {.first = all_four(to_right ? rule->inserted : rule->deleted)};
    for (int p = 0; p < rule->n_prices; p++)
        way.first[p] = to_right ? rule->prices[p].inserted : rule->prices[p].deleted;
    way.block = way.first * all_four((gint32)rule->block);
    return way;
}

/* By each price, the highest gain of this block and of any on its right, minus the cost of going
 * there. */
CS_IN_CLONES void
scan_right(const CsGainGrid *grid, const Tile *tile, const gint32 *gains, CsGainFour beyond,
           CsGainFour *four)
{
    const Way way = way_of(grid->rule, TRUE);
    for (gint64 k = tile->end - 1; k >= tile->first; k--) {
        const CsGainFour here = all_four(gains[k]);
        four[k - tile->first] = highest_of(here, beyond);
        beyond = highest_of(beyond - way.block, here - way.first);
    }
}

/* The same on the left. Then what remains after all losses, by the price that leaves the least. */
CS_IN_CLONES void
scan_left(const CsGainGrid *grid, const Tile *tile, const gint32 *gains, CsGainFour beyond,
          const CsGainFour *four, const CsGainBand *band, gint32 *staying)
{
    const Way way = way_of(grid->rule, FALSE);
    const Losses losses = losses_of(grid->rule, band->ambiguous);
    for (gint64 k = tile->first; k < tile->end; k++) {
        const CsGainFour here = all_four(gains[k]);
        const CsGainFour lost =
            lowest_of(losses.missing * all_four(band->missing[k - band->from]) + losses.ambiguous,
                      losses.back);
        const CsGainFour left = highest_of(four[k - tile->first], beyond) - lost;
        staying[k] = MIN(MIN(left[0], left[1]), MIN(left[2], left[3]));
        beyond = highest_of(beyond - way.block, here - way.first);
    }
}

/* For a path that goes to one side and ends further away than rule->away. sign is 1 to the right,
 * -1 to the left; `beyond` has the highest gains on that side of each block. */
CS_IN_CLONES void
scan_leaving(const CsGainGrid *grid, const Tile *tile, const gint32 *gains, const gint32 *beyond,
             int sign, gint32 *leaving)
{
    const CsGainRule *rule = grid->rule;
    const gint32 cost = sign > 0 ? rule->inserted : rule->deleted;
    const gint64 apart = rule->blocks_away, blocks = grid->blocks;
    const gint32 nearest = cost * (gint32)rule->away;
    const gint32 next = cost * (gint32)MAX(rule->away, apart * rule->block + 1);
    const gint32 far = cost * (gint32)((apart + 1) * rule->block); /* from the next block on */
    const gint64 away = sign * apart, more = away + sign;
    gint64 end = MIN(tile->end, blocks - away);
    for (gint64 k = MAX(tile->first, -away); k < end; k++)
        leaving[k - tile->first] = MAX(leaving[k - tile->first], gains[k + away] - nearest);
    end = MIN(tile->end, blocks - more);
    for (gint64 k = MAX(tile->first, -more); k < end; k++) {
        const gint32 gain = MAX(gains[k + more] - next, beyond[k + more] - far);
        leaving[k - tile->first] = MAX(leaving[k - tile->first], gain);
    }
}

/* A gain on one side of the chain. It falls with each block on the way to this one. */
CS_IN_CLONES void
fall(const Tile *tile, gint64 chain, int sign, gint64 gain, gint64 block, gint32 *leaving)
{
    const gint64 near = sign > 0 ? MAX(tile->first, chain + 1) : MIN(tile->end, chain) - 1;
    gain -= block * (ABS(near - chain) - 1);
    for (gint64 k = near; k >= tile->first && k < tile->end && gain > 0; k += sign, gain -= block)
        leaving[k - tile->first] = MAX(leaving[k - tile->first], (gint32)gain);
}

/* A path beside the chain may reach the chain's diagonals in the band. Then it can match what
 * occurs there, but has paid for the way. */
CS_IN_CLONES void
come_to_chain(const CsGainGrid *grid, const Tile *tile, const CsGainBand *band,
              const gint32 *reached, gint32 *leaving)
{
    const CsGainRule *rule = grid->rule;
    const gint64 left = cs_gain_block_of(rule, grid->m, band->lowest);
    const gint64 right = cs_gain_block_of(rule, grid->m, band->highest);
    if (band->lowest > band->highest)
        return;
    fall(tile, left, -1, (gint64)reached[left] - rule->inserted, rule->inserted * rule->block,
         leaving);
    fall(tile, right, 1, (gint64)reached[right] - rule->deleted, rule->deleted * rule->block,
         leaving);
}

/* An alignment gains at most a match for each column that is left. Its deletion counts as it does
 * along the rows. */
CS_IN_CLONES void
limit(const CsGainGrid *grid, const Tile *tile, gint64 row, CsGainReach *line, gint32 most)
{
    const CsGainRule *rule = grid->rule;
    const gint32 opened = rule->open - rule->split;
    const gint64 few = grid->n - row - (most - opened) / rule->match - rule->block;
    const gint64 from = MAX(tile->first, cs_gain_block_of(rule, grid->m, MAX(few, -grid->m)));
    for (gint64 k = tile->first; k < tile->end; k++)
        line->gains[k] = MIN(line->gains[k], most);
    for (gint64 k = from; k < tile->end; k++) {
        const gint64 left = grid->n - row - cs_gain_block_start(rule, grid->m, k);
        const gint64 gain = rule->match * CLAMP(left, 0, grid->n) + opened;
        line->gains[k] = (gint32)MIN(line->gains[k], gain);
    }
}

/* The maxima that leave a tile on either side. */
CS_IN_CLONES void
sum_up(const CsGainGrid *grid, gint64 number, const gint32 *gains)
{
    const Tile tile = tile_of(grid, number);
    const Way to_right = way_of(grid->rule, TRUE), to_left = way_of(grid->rule, FALSE);
    CsGainFour right = all_four(NEVER), left = all_four(NEVER);
    for (gint64 k = tile.first, l = tile.end - 1; k < tile.end; k++, l--) {
        right = highest_of(right - to_left.block, all_four(gains[k]) - to_left.first);
        left = highest_of(left - to_right.block, all_four(gains[l]) - to_right.first);
    }
    grid->ends[number].leaves_right = right;
    grid->ends[number].leaves_left = left;
}

CS_CLONED void
cs_gain_grid_step(const CsGainGrid *grid, gint64 number, gint64 k, const CsGainBand *band,
                  const CsGainReach *below, CsGainReach *line, gint32 most)
{
    const gint64 row = k * grid->rule->band;
    const gint32 all = grid->rule->match * (gint32)(MIN(grid->m, row + grid->rule->band) - row);
    const Tile tile = tile_of(grid, number);
    const CsGainTile *ends = &grid->ends[number];
    CsGainFour four[CS_GAIN_LONGEST_TILE];
    gint32 leaving[CS_GAIN_LONGEST_TILE];
    for (gint64 d = 0; d < tile.end - tile.first; d++)
        leaving[d] = 0; /* it may end in the band */
    come_to_chain(grid, &tile, band, below->reached, leaving);
    scan_leaving(grid, &tile, below->gains, grid->right, 1, leaving);
    scan_leaving(grid, &tile, below->gains, grid->left, -1, leaving);
    scan_right(grid, &tile, below->gains, ends->on_right, four);
    scan_left(grid, &tile, below->gains, ends->on_left, four, band, line->gains);
    for (gint64 d = tile.first; d < tile.end; d++)
        line->gains[d] = all + MAX(line->gains[d], leaving[d - tile.first]);
    limit(grid, &tile, row, line, most);
    sum_up(grid, number, line->gains);
}

/* What is left of gains after they have crossed a tile. */
static CsGainFour
after_tile(const CsGainGrid *grid, gint64 number, const Way *way, CsGainFour beyond)
{
    const Tile tile = tile_of(grid, number);
    for (int p = 0; p < FOUR; p++) {
        const gint64 cost = (tile.end - tile.first) * way->block[p];
        beyond[p] -= (gint32)MIN(cost, FARTHEST);
    }
    return beyond;
}

CS_CLONED void
cs_gain_grid_join(const CsGainGrid *grid, const CsGainTiles *tiles, const CsGainReach *line,
                  gint64 from, gint64 to, gint32 most)
{
    const Way to_right = way_of(grid->rule, TRUE), to_left = way_of(grid->rule, FALSE);
    for (gint64 t = from / grid->tile; t * grid->tile < to; t++)
        sum_up(grid, t, line->gains);
    CsGainFour beyond = all_four(tiles->to < grid->tiles ? most : 0);
    for (gint64 t = tiles->to - 1; t >= tiles->from; t--) {
        grid->ends[t].on_right = beyond;
        beyond = highest_of(after_tile(grid, t, &to_right, beyond), grid->ends[t].leaves_left);
    }
    beyond = all_four(tiles->from > 0 ? most : 0);
    for (gint64 t = tiles->from; t < tiles->to; t++) {
        grid->ends[t].on_left = beyond;
        beyond = highest_of(after_tile(grid, t, &to_left, beyond), grid->ends[t].leaves_right);
    }
}

static void
fill(CsGainGrid *grid, gint64 from_tile, gint64 to_tile, CsGainReach *line, gint32 gain)
{
    for (gint64 t = from_tile; t < to_tile; t++) {
        const Tile tile = tile_of(grid, t);
        for (gint64 k = tile.first; k < tile.end; k++)
            line->gains[k] = line->reached[k] = grid->right[k] = grid->left[k] = gain;
        grid->ends[t] =
            (CsGainTile){.on_right = all_four(gain), .on_left = all_four(gain), .highest = gain};
    }
}

void
cs_gain_grid_widen(CsGainGrid *grid, const CsGainTiles *tiles, const CsGainTiles *below,
                   CsGainReach *line_below, gint32 most_below)
{
    const gint64 beside = cs_divide_up(grid->rule->blocks_away + 1, grid->tile);
    const gint64 from = MAX(0, tiles->from - beside), to = MIN(grid->tiles, tiles->to + beside);
    fill(grid, from, MIN(to, below->from), line_below, most_below);
    fill(grid, MAX(from, below->to), to, line_below, most_below);
}

CS_CLONED void
cs_gain_grid_reach(const CsGainGrid *grid, gint64 number, CsGainReach *line)
{
    const CsGainRule *rule = grid->rule;
    const Tile tile = tile_of(grid, number);
    const gint32 right = rule->inserted * (gint32)rule->block;
    const gint32 left = rule->deleted * (gint32)rule->block;
    CsGainTile *ends = &grid->ends[number];
    gint32 on_right = ends->on_right[PLAIN], on_left = ends->on_left[PLAIN], highest = 0;
    for (gint64 k = tile.first, l = tile.end - 1; k < tile.end; k++, l--) {
        grid->left[k] = on_left;
        on_left = MAX(on_left - left, line->gains[k] - rule->deleted);
        grid->right[l] = on_right;
        on_right = MAX(on_right - right, line->gains[l] - rule->inserted);
    }
    for (gint64 k = tile.first; k < tile.end; k++) {
        line->reached[k] = MAX(line->gains[k], MAX(grid->right[k], grid->left[k]));
        highest = MAX(highest, line->reached[k]);
    }
    ends->highest = highest;
}
