/*
 * The step from one line of gains to the next. All maxima over blocks are running maxima, because
 * costs grow with the distance: the least number of diagonals between two blocks that are q blocks
 * apart is (q - 1) * block + 1.
 */
#include "skipping/gain_grid.h"

#include <chromosweep/error.h>

#include "system/memory.h"

enum {
    FOUR = 4
};

G_STATIC_ASSERT(CS_GAIN_PRICES + 1 == FOUR);

/* What a block costs if it is passed, and the first diagonal of one, in one direction. */
typedef struct {
    CsGainFour block, first;
} Way;

gboolean
cs_gain_grid_init(CsGainGrid *grid, const CsGainRule *rule, gint64 m, gint64 n, GError **error)
{
    *grid = (CsGainGrid){.rule = rule, .m = m, .n = n, .blocks = cs_gain_block_of(rule, m, n) + 1};
    grid->four = cs_memory_try_new(CsGainFour, grid->blocks);
    grid->leaving = cs_memory_try_new(gint32, grid->blocks);
    if (grid->four != NULL && grid->leaving != NULL)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for gains along diagonals");
    return FALSE;
}

void
cs_gain_grid_clear(CsGainGrid *grid)
{
    g_clear_pointer(&grid->four, g_free);
    g_clear_pointer(&grid->leaving, g_free);
}

static inline CsGainFour
all_four(gint32 value)
{
    return (CsGainFour){value, value, value, value};
}

static inline CsGainFour
highest_of(CsGainFour a, CsGainFour b)
{
    const CsGainFour higher = a > b;
    return (a & higher) | (b & ~higher);
}

static inline CsGainFour
lowest_of(CsGainFour a, CsGainFour b)
{
    const CsGainFour lower = a < b;
    return (a & lower) | (b & ~lower);
}

/* What is lost for seeds and ambiguous bases by each price; nothing without seeds. */
typedef struct {
    CsGainFour seed, ambiguous, back;
} Losses;

static Losses
losses_of(const CsGainRule *rule, gint32 ambiguous)
{
    Losses losses = {.back = all_four((gint32)MIN(rule->back, G_MAXINT32))};
    for (int p = 0; p < rule->n_prices; p++) {
        losses.seed[p] = rule->prices[p].seed;
        losses.ambiguous[p] = rule->prices[p].ambiguous * ambiguous;
    }
    return losses;
}

static Way
way_of(const CsGainRule *rule, gboolean to_right)
{
    Way way = {.first = all_four(to_right ? rule->inserted : rule->deleted)};
    for (int p = 0; p < rule->n_prices; p++)
        way.first[p] = to_right ? rule->prices[p].inserted : rule->prices[p].deleted;
    way.block = way.first * all_four((gint32)rule->block);
    return way;
}

/* By each price, the highest gain of any block on the right or the block itself, less the cost of
 * going there. */
static void
scan_right(const CsGainGrid *grid, const gint32 *gains)
{
    const Way way = way_of(grid->rule, TRUE);
    CsGainFour beyond = all_four(0);
    for (gint64 k = grid->blocks - 1; k >= 0; k--) {
        const CsGainFour here = all_four(gains[k]);
        grid->four[k] = highest_of(here, beyond);
        beyond = highest_of(beyond - way.block, here - way.first);
    }
}

/* The same on the left, and what remains after all losses by the price by which least does. */
static void
scan_left(const CsGainGrid *grid, const gint32 *gains, const CsGainBand *band, gint32 *staying)
{
    const Way way = way_of(grid->rule, FALSE);
    const Losses losses = losses_of(grid->rule, band->ambiguous);
    CsGainFour beyond = all_four(0);
    for (gint64 k = 0; k < grid->blocks; k++) {
        const CsGainFour here = all_four(gains[k]);
        const CsGainFour lost =
            lowest_of(losses.seed * all_four(band->missing[k]) + losses.ambiguous, losses.back);
        const CsGainFour left = highest_of(grid->four[k], beyond) - lost;
        staying[k] = MIN(MIN(left[0], left[1]), MIN(left[2], left[3]));
        beyond = highest_of(beyond - way.block, here - way.first);
    }
}

/* For a path that goes to one side and ends further away than rule->away. sign is 1 to the right,
 * -1 to the left. */
static void
scan_leaving(const CsGainGrid *grid, const gint32 *gains, int sign)
{
    const CsGainRule *rule = grid->rule;
    const gint32 cost = sign > 0 ? rule->inserted : rule->deleted;
    const gint64 apart = rule->blocks_away, blocks = grid->blocks;
    const gint32 nearest = cost * (gint32)rule->away;
    const gint32 next = cost * (gint32)MAX(rule->away, apart * rule->block + 1);
    const gint32 far = cost * (gint32)((apart + 1) * rule->block + 1); /* no less than nearest */
    const gint32 block = cost * (gint32)rule->block;
    gint32 beyond = 0, *leaving = grid->leaving;
    for (gint64 s = apart; s < blocks; s++) { /* s blocks from the end on that side */
        const gint64 k = sign > 0 ? blocks - 1 - s : s, there = k + sign * apart;
        gint32 highest = gains[there] - nearest;
        if (s >= apart + 1)
            highest = MAX(highest, gains[there + sign] - next);
        if (s >= apart + 2) {
            beyond = MAX(beyond - block, gains[there + 2 * sign] - far);
            highest = MAX(highest, beyond);
        }
        leaving[k] = MAX(leaving[k], highest);
    }
}

/* A path beside the chain may come to the chain's diagonals in the band. Then it may match what
 * occurs there, but it has paid for the way. */
static void
come_to_chain(const CsGainGrid *grid, const CsGainBand *band, const gint32 *reached)
{
    const CsGainRule *rule = grid->rule;
    const gint64 left = cs_gain_block_of(rule, grid->m, band->lowest);
    const gint64 right = cs_gain_block_of(rule, grid->m, band->highest);
    if (band->lowest > band->highest)
        return;
    gint32 gain = reached[left] - rule->inserted;
    for (gint64 k = left - 1; k >= 0 && gain > 0; k--, gain -= rule->inserted * (gint32)rule->block)
        grid->leaving[k] = MAX(grid->leaving[k], gain);
    gain = reached[right] - rule->deleted;
    for (gint64 k = right + 1; k < grid->blocks && gain > 0;
         k++, gain -= rule->deleted * (gint32)rule->block)
        grid->leaving[k] = MAX(grid->leaving[k], gain);
}

/* Along the columns an alignment gains at most a match for each that is left, and has paid for its
 * deletion as along the rows. */
static void
limit(const CsGainGrid *grid, gint64 row, CsGainReach *line, gint32 most)
{
    const CsGainRule *rule = grid->rule;
    const gint32 opened = rule->open - rule->split;
    const gint64 few = grid->n - row - (most - opened) / rule->match - rule->block;
    const gint64 from = MAX(0, cs_gain_block_of(rule, grid->m, MAX(few, -grid->m)));
    for (gint64 k = 0; k < grid->blocks; k++)
        line->gains[k] = MIN(line->gains[k], most);
    for (gint64 k = from; k < grid->blocks; k++) {
        const gint64 left = grid->n - row - cs_gain_block_start(rule, grid->m, k);
        const gint64 gain = rule->match * CLAMP(left, 0, grid->n) + opened;
        line->gains[k] = (gint32)MIN(line->gains[k], gain);
    }
}

void
cs_gain_grid_step(const CsGainGrid *grid, gint64 k, const CsGainBand *band,
                  const CsGainReach *below, CsGainReach *line, gint32 most)
{
    const gint64 row = k * grid->rule->band;
    const gint32 all = grid->rule->match * (gint32)(MIN(grid->m, row + grid->rule->band) - row);
    for (gint64 d = 0; d < grid->blocks; d++)
        grid->leaving[d] = 0; /* it may end in the band */
    come_to_chain(grid, band, below->reached);
    scan_leaving(grid, below->gains, 1);
    scan_leaving(grid, below->gains, -1);
    scan_right(grid, below->gains);
    scan_left(grid, below->gains, band, line->gains);
    for (gint64 d = 0; d < grid->blocks; d++)
        line->gains[d] = all + MAX(line->gains[d], grid->leaving[d]);
    limit(grid, row, line, most);
}

void
cs_gain_grid_reach(const CsGainGrid *grid, CsGainReach *line)
{
    const CsGainRule *rule = grid->rule;
    const gint32 right = rule->inserted * (gint32)rule->block;
    const gint32 left = rule->deleted * (gint32)rule->block;
    gint32 beyond = 0;
    for (gint64 k = grid->blocks - 1; k >= 0; k--) {
        line->reached[k] = MAX(line->gains[k], beyond);
        beyond = MAX(beyond - right, line->gains[k] - rule->inserted);
    }
    beyond = 0;
    for (gint64 k = 0; k < grid->blocks; k++) {
        line->reached[k] = MAX(line->reached[k], beyond);
        beyond = MAX(beyond - left, line->gains[k] - rule->deleted);
    }
}
