/* Counts gains from the last band to the first, and keeps those near the best path in a table. */
#include "skipping/gains.h"

#include <string.h>

#include <chromosweep/error.h>

#include "skipping/gain_grid.h"
#include "skipping/gain_seeds.h"
#include "sweep/grid.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    PARTS_A_THREAD = 4 /* of the grid, for threads that come late */
};

typedef struct {
    const CsGainPlan *plan;
    const CsGainRule *rule;
    const CsBounds *bounds;
    const gint *stop; /* or NULL */
    CsCrew *crew;
    gint64 parts; /* of the grid */
    gint64 m, n;
    CsGainBases bases;
    CsGainStrip strip;
    CsGainGrid grid;
    CsGainBand *chunk;    /* some bands, and what is counted of them */
    guint16 *missing;     /* of the chunk */
    gint32 *memory;       /* of the lines */
    CsGainReach lines[2]; /* a line and the one below, by turns */
    CsGainTable *table;
    gint64 table_room; /* entries */
    CsScore best;      /* the highest gain of the strip after the latest line */
} Walk;

static gboolean
fail(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for gains along diagonals");
    return FALSE;
}

static gboolean
fail_stopped(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED,
                        "stopped while counting gains along diagonals");
    return FALSE;
}

static void
walk_clear(Walk *walk)
{
    g_clear_pointer(&walk->crew, cs_crew_free);
    cs_gain_bases_clear(&walk->bases);
    cs_gain_strip_clear(&walk->strip);
    cs_gain_grid_clear(&walk->grid);
    g_clear_pointer(&walk->chunk, g_free);
    g_clear_pointer(&walk->missing, g_free);
    g_clear_pointer(&walk->memory, g_free);
    g_clear_pointer(&walk->table, cs_gain_table_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Walk, walk_clear)

static gint64
line_row(const Walk *walk, gint64 line)
{
    return MIN(walk->m, line * walk->rule->band);
}

/* The columns of the strip in a band's steps, the top one first. */
static const CsGainSpan *
strip_of(const CsGainPlan *plan, gint64 band)
{
    return &plan->strip[band * plan->steps];
}

/* The most columns from the first to the last of a band's steps and the one below. */
static gint64
widest_of(const CsGainPlan *plan)
{
    gint64 widest = 0;
    for (gint64 k = 0; k < plan->bands; k++) {
        CsGainSpan all = {G_MAXINT64, 0};
        for (gint64 s = 0; s <= plan->steps && k * plan->steps + s < plan->bands * plan->steps;
             s++) {
            const CsGainSpan *span = &strip_of(plan, k)[s];
            if (span->from < span->to)
                all = (CsGainSpan){MIN(all.from, span->from), MAX(all.to, span->to)};
        }
        widest = MAX(widest, all.to - all.from);
    }
    return widest;
}

/* The most that is gained after a row, with what may be left to pay of the opening of a deletion. */
static gint32
most_after_row(const Walk *walk, gint64 row)
{
    const CsScore bound = cs_bounds_side_highest(&walk->bounds->rows, row, row);
    return (gint32)(bound + walk->rule->open - walk->rule->split);
}

/* The diagonals of the chain that are in all rows of a band. */
static void
set_chain(const Walk *walk, CsGainBand *band, gint64 k)
{
    const CsGainSpan *span = &walk->plan->chain[k];
    band->lowest = 0;
    band->highest = -1;
    if (span->from >= span->to)
        return;
    band->lowest = MAX(-walk->m, span->from - line_row(walk, k));
    band->highest = MIN(walk->n, span->to - line_row(walk, k + 1));
}

/* Counts the seeds of so many bands from `first` on. */
static gboolean
count_seeds(Walk *walk, gint64 first, gint64 count, GError **error)
{
    for (gint64 k = 0; k < count; k++) {
        set_chain(walk, &walk->chunk[k], first + k);
        walk->chunk[k].missing = walk->missing + k * walk->grid.blocks;
    }
    return cs_gain_seeds_count(walk->rule, &walk->bases, walk->crew, walk->stop, first, count,
                               walk->chunk, error);
}

/* The diagonals around which gains are kept. */
typedef struct {
    gint64 lowest, highest;
} Around;

/* Whether a gain in a block is near enough to the best path's to be kept: it is less by the price
 * of the way, and so is H there. */
static gboolean
is_near(const Walk *walk, const Around *around, gint64 block, gint32 gain)
{
    const gint64 d = cs_gain_block_start(walk->rule, walk->m, block);
    const gint64 apart = d > around->highest  ? d - around->highest
                         : d < around->lowest ? around->lowest - d
                                              : 0;
    return walk->best - gain + walk->rule->inserted * apart <= walk->plan->slack;
}

/* Whether a block that is near may be in a tile: by its highest gain, at either end or between. */
static gboolean
may_be_near(const Walk *walk, const Around *around, gint64 block)
{
    const CsGainGrid *grid = &walk->grid;
    const gint64 t = block / grid->tile;
    const gint64 first = t * grid->tile, last = MIN(grid->blocks, first + grid->tile) - 1;
    const gint32 gain = grid->ends[t].highest;
    const gboolean between = cs_gain_block_start(walk->rule, walk->m, first) <= around->highest &&
                             cs_gain_block_start(walk->rule, walk->m, last) >= around->lowest;
    return between || is_near(walk, around, first, gain) || is_near(walk, around, last, gain);
}

/* The blocks from the first to the last one that is near. */
static CsGainSpan
near_blocks(const Walk *walk, const Around *around, const CsGainReach *line)
{
    const gint64 tile = walk->grid.tile;
    gint64 from = 0, to = walk->grid.blocks;
    while (from < to && !is_near(walk, around, from, line->reached[from]))
        from += from % tile == 0 && !may_be_near(walk, around, from) ? tile : 1;
    from = MIN(from, to);
    while (from < to && !is_near(walk, around, to - 1, line->reached[to - 1]))
        to -= to % tile == 0 && !may_be_near(walk, around, to - 1) ? tile : 1;
    return (CsGainSpan){from, MAX(from, to)};
}

/* Makes room in the table for so many entries more. */
static gboolean
make_room(Walk *walk, gint64 more, GError **error)
{
    CsGainTable *table = walk->table;
    if (table->count + more <= walk->table_room && table->entries != NULL)
        return TRUE;
    const gint64 room = MAX(1, MIN(walk->plan->most, 2 * (table->count + more)));
    gint32 *entries = cs_memory_try_resize(table->entries, (gsize)room, sizeof(gint32));
    if (entries == NULL)
        return fail(error);
    table->entries = entries;
    walk->table_room = room;
    return TRUE;
}

/* The highest of what is reached in some blocks, whole tiles at once where it can be. */
static gint32
highest_of(const CsGainGrid *grid, const gint32 *values, gint64 from, gint64 to)
{
    gint32 highest = 0;
    for (gint64 k = from; k < to;) {
        const gboolean whole = k % grid->tile == 0 && k + grid->tile <= to;
        highest = MAX(highest, whole ? grid->ends[k / grid->tile].highest : values[k]);
        k += whole ? grid->tile : 1;
    }
    return highest;
}

/* Keeps a line's gains near the best path in the table. */
static gboolean
keep_line(Walk *walk, gint64 k, const CsGainReach *line, const CsGainSpan *strip, GError **error)
{
    CsGainTable *table = walk->table;
    const gint64 blocks = walk->grid.blocks, row = line_row(walk, k);
    const gboolean has_strip = strip->from < strip->to;
    const gint64 middle = walk->plan->middle[k];
    const Around around = {has_strip ? strip->from - row : middle,
                           has_strip ? strip->to - row : middle};
    const CsGainSpan near = near_blocks(walk, &around, line);
    gint64 from = near.from, to = near.to;
    if (table->count + to - from > walk->plan->most)
        to = from;
    if (!make_room(walk, to - from, error))
        return FALSE;
    table->lines[k] = (CsGainLine){
        .from = from,
        .to = to,
        .first = table->count,
        .left = highest_of(&walk->grid, line->reached, 0, from),
        .right = highest_of(&walk->grid, line->reached, to, blocks),
    };
    memcpy(table->entries + table->count, line->reached + from,
           (gsize)(to - from) * sizeof(gint32));
    table->count += to - from;
    return TRUE;
}

/* The two parts of a band, which do not need each other: the steps of the strip, and the grid. */
typedef struct {
    Walk *walk;
    gint64 k, climbers;
    const CsGainBand *band;
    const CsGainReach *below;
    CsGainReach *line;
    gint32 most;
} BandWork;

/* A part's tiles of the grid. */
static CsGainSpan
tiles_of(const Walk *walk, gint64 part)
{
    const gint64 tiles = walk->grid.tiles;
    return (CsGainSpan){tiles * part / walk->parts, tiles * (part + 1) / walk->parts};
}

/* A CsParallelFunc. */
static void
count_part(gint64 part, gpointer data)
{
    const BandWork *work = data;
    Walk *walk = work->walk;
    if (part < work->climbers) {
        cs_gain_strip_climb(&walk->strip, part);
        return;
    }
    const CsGainSpan tiles = tiles_of(walk, part - work->climbers);
    for (gint64 t = tiles.from; t < tiles.to; t++)
        cs_gain_grid_step(&walk->grid, t, work->k, work->band, work->below, work->line, work->most);
}

/* A CsParallelFunc. */
static void
reach_part(gint64 part, gpointer data)
{
    const BandWork *work = data;
    const CsGainSpan tiles = tiles_of(work->walk, part);
    for (gint64 t = tiles.from; t < tiles.to; t++)
        cs_gain_grid_reach(&work->walk->grid, t, work->line);
}

/* One band: from the line below to the line above. */
static gboolean
count_band(Walk *walk, gint64 k, const CsGainBand *band, GError **error)
{
    const CsGainSpan *strip = strip_of(walk->plan, k);
    const CsGainReach *below = &walk->lines[(k + 1) % 2];
    const gint64 climbers = cs_gain_strip_begin(&walk->strip, k, strip, below);
    BandWork work = {walk,
                     k,
                     climbers,
                     band,
                     below,
                     &walk->lines[k % 2],
                     most_after_row(walk, line_row(walk, k))};
    cs_crew_run(walk->crew, climbers + walk->parts, count_part, &work);
    if (cs_is_stopped(walk->stop))
        return fail_stopped(error);
    CsGainSpan lowered;
    const CsScore best = cs_gain_strip_lower(&walk->strip, k, work.line, &lowered);
    if (strip->from < strip->to)
        walk->best = best;
    cs_gain_grid_join(&walk->grid, work.line, lowered.from, lowered.to);
    cs_crew_run(walk->crew, walk->parts, reach_part, &work);
    return keep_line(walk, k, work.line, strip, error);
}

static gboolean
count_bands(Walk *walk, GError **error)
{
    for (gint64 end = walk->plan->bands; end > 0;) {
        const gint64 first = MAX(0, end - walk->rule->chunk);
        if (!count_seeds(walk, first, end - first, error))
            return FALSE;
        for (; end > first; end--)
            if (!count_band(walk, end - 1, &walk->chunk[end - 1 - first], error))
                return FALSE;
    }
    return TRUE;
}

/* Makes lines, of which the last gains nothing, and what is counted between them. */
static gboolean
make_lines(Walk *walk, GError **error)
{
    const gint64 blocks = walk->grid.blocks;
    gint32 *memory = walk->memory = cs_memory_try_new(gint32, 4 * blocks);
    const gint64 chunk = MIN(walk->plan->bands, walk->rule->chunk);
    walk->chunk = g_new0(CsGainBand, chunk);
    walk->missing = cs_memory_try_new(guint16, chunk * blocks);
    if (memory == NULL || walk->missing == NULL)
        return fail(error);
    memset(memory, 0, 4 * (gsize)blocks * sizeof(gint32));
    walk->lines[0] = (CsGainReach){memory, memory + blocks};
    walk->lines[1] = (CsGainReach){memory + 2 * blocks, memory + 3 * blocks};
    return TRUE;
}

CsGainTable *
cs_gains_new(const CsGainPlan *plan, const CsSurvey *survey, const CsBounds *bounds, gint64 *cells,
             GError **error)
{
    const CsGainRule *rule = &plan->rule;
    const gint64 m = survey->rows.length, n = survey->columns.length;
    g_auto(Walk) walk = {.plan = plan,
                         .rule = rule,
                         .bounds = bounds,
                         .stop = survey->stop,
                         .crew = cs_crew_new(survey->threads),
                         .parts = 1,
                         .m = m,
                         .n = n,
                         .table = g_new0(CsGainTable, 1)};
    *walk.table = (CsGainTable){.m = m,
                                .n = n,
                                .match = rule->match,
                                .band = rule->band,
                                .block = rule->block,
                                .length = plan->bands + 1,
                                .lines = g_new0(CsGainLine, plan->bands + 1)};
    const CsGainStripShape shape = {plan->step, plan->piece, widest_of(plan),
                                    MAX(survey->threads, 1), survey->stop};
    if (!cs_gain_bases_init(&walk.bases, rule, survey, error) ||
        !cs_gain_strip_init(&walk.strip, &shape, rule, &walk.bases, &survey->scoring, error) ||
        !cs_gain_grid_init(&walk.grid, rule, plan->tile, m, n, error) || !make_lines(&walk, error))
        return NULL;
    if (cs_crew_size(walk.crew) > 1)
        walk.parts = MIN(walk.grid.tiles, PARTS_A_THREAD * cs_crew_size(walk.crew));
    if (!count_bands(&walk, error))
        return NULL;
    if (cells != NULL)
        *cells = cs_gain_strip_cells(&walk.strip);
    return g_steal_pointer(&walk.table);
}
