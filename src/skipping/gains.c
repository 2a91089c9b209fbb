/* Counts gains from the last band to the first, and keeps those near the best path in a table. */
#include "skipping/gains.h"

#include <stdatomic.h>
#include <string.h>

#include <chromosweep/error.h>

#include "skipping/gain_grid.h"
#include "skipping/gain_kmers.h"
#include "sweep/grid.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    PARTS_A_THREAD = 4,       /* of the grid, for threads that come late */
    BANDS_AT_ONCE = 64,       /* whose k-mers are counted */
    ENTRIES_A_PART = 1 << 11, /* of a line of the table */
    COLUMNS_A_PART = 1 << 14, /* of a line that is lowered */
};

typedef struct {
    const CsGainPlan *plan;
    const CsGainRule *rule;
    const CsBounds *bounds;
    const gint *stop; /* or NULL */
    CsCrew *crew;
    gint64 parts; /* of the grid, at most */
    gint64 m, n;
    CsGainBases bases;
    CsGainStrip strip;
    CsGainGrid grid;
    CsGainBand batch[BANDS_AT_ONCE]; /* some bands, and what is counted of them */
    guint16 *missing;                /* of the batch */
    gint64 missing_room;             /* numbers */
    gint32 *memory;                  /* of the lines */
    CsGainReach lines[2];            /* a line and the one below, by turns */
    CsGainTiles tiles[2];            /* on which they are counted */
    CsGainTable *table;
    gint64 table_room;       /* entries */
    CsGainRoomLines **rooms; /* of each room of the plan, once it has been swept */
    gint64 room_cells;
    CsGainSectionShape section_shape;
    CsGainSectionValues *sections;    /* of each section of the plan */
    guint sections_from, sections_to; /* those that have been computed and are still needed */
    gint64 section_cells;
    CsScore best;     /* the highest gain of the strip after the latest line */
    CsGainTable *far; /* of all diagonals, or NULL */
    double seconds;   /* of the plan that are done, as in CsGainWatch */
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

static guint
count_rooms(const Walk *walk)
{
    return walk->plan->rooms != NULL ? walk->plan->rooms->len : 0;
}

static const CsGainRoom *
room_of(const Walk *walk, guint r)
{
    return &g_array_index(walk->plan->rooms, CsGainRoom, r);
}

static void
walk_clear(Walk *walk)
{
    for (guint r = 0; r < count_rooms(walk); r++)
        cs_gain_room_lines_free(walk->rooms[r]);
    g_clear_pointer(&walk->rooms, g_free);
    for (guint s = walk->sections_from; s < walk->sections_to; s++)
        cs_gain_section_clear(&walk->sections[s]);
    g_clear_pointer(&walk->sections, g_free);
    g_clear_pointer(&walk->crew, cs_crew_free);
    cs_gain_bases_clear(&walk->bases);
    cs_gain_strip_clear(&walk->strip);
    cs_gain_grid_clear(&walk->grid);
    g_clear_pointer(&walk->missing, g_free);
    g_clear_pointer(&walk->memory, g_free);
    g_clear_pointer(&walk->table, cs_gain_table_free);
    g_clear_pointer(&walk->far, cs_gain_table_free);
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

/* What no alignment exceeds after a line, plus what is left to pay of a deletion's opening. */
static gint32
most_after(const Walk *walk, gint64 line)
{
    const gint64 row = line_row(walk, line);
    const CsScore bound = cs_bounds_side_highest(&walk->bounds->rows, row, row);
    if (line == walk->plan->bands)
        return 0;
    return (gint32)(walk->rule->scale * bound + walk->rule->open - walk->rule->split);
}

/* The same on the blocks that are not among some of the line. */
static gint32
most_beyond(const Walk *walk, gint64 line, CsGainSpan counted)
{
    const CsGainRule *rule = walk->rule;
    const gint64 row = line_row(walk, line);
    const gint64 left =
        row + cs_gain_block_start(rule, walk->m, counted.from); /* no column left of */
    const gint64 right = row + cs_gain_block_start(rule, walk->m, counted.to);
    const gint32 most = most_after(walk, line);
    CsScore highest = 0;
    if (walk->far == NULL || line == walk->plan->bands)
        return most;
    if (left > 0)
        highest = cs_gain_table_highest(walk->far, row, row, 0, MIN(left - 1, walk->n));
    if (right <= walk->n)
        highest = MAX(highest, cs_gain_table_highest(walk->far, row, row, MAX(0, right), walk->n));
    return (gint32)MIN(most, rule->scale * highest + rule->open - rule->split);
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

/* Some diagonals. */
typedef struct {
    gint64 lowest, highest;
} Around;

/* Adds the diagonals of the rooms in a band, and for a room that ends there, those of all its rows: paths
 * may leave it anywhere. */
static void
add_rooms(const Walk *walk, gint64 k, Around *around)
{
    for (guint r = 0; r < count_rooms(walk); r++) {
        const CsGainRoom *room = room_of(walk, r);
        if (k < room->first || k > room->last)
            continue;
        const gint64 top = line_row(walk, k == room->last ? room->first : k);
        around->lowest = MIN(around->lowest, room->columns.from - line_row(walk, k + 1));
        around->highest = MAX(around->highest, room->columns.to - top);
    }
}

/* Adds the diagonals that counting a band looks up on a line: those of the strip, the chain and rooms. */
static void
add_band(const Walk *walk, gint64 k, Around *around)
{
    const CsGainSpan *strip = strip_of(walk->plan, k);
    const gint64 first = line_row(walk, k), line = line_row(walk, k + 1);
    CsGainBand band;
    set_chain(walk, &band, k);
    add_rooms(walk, k, around);
    for (gint64 s = 0; s < walk->plan->steps; s++) {
        if (strip[s].from >= strip[s].to)
            continue;
        around->lowest = MIN(around->lowest, strip[s].from - line);
        around->highest = MAX(around->highest, strip[s].to - first);
    }
    if (band.lowest <= band.highest) {
        around->lowest = MIN(around->lowest, band.lowest);
        around->highest = MAX(around->highest, band.highest);
    }
}

/* The blocks up to so many diagonals beside the strip above a line and below it. */
static CsGainSpan
blocks_beside(const Walk *walk, gint64 k, gint64 diagonals)
{
    const gint64 middle = walk->plan->middle[k];
    const gint64 beside = MIN(diagonals, walk->plan->beside);
    Around around = {middle, middle};
    add_band(walk, k, &around);
    if (k > 0)
        add_band(walk, k - 1, &around);
    const gint64 lowest = MAX(-walk->m, around.lowest - beside);
    const gint64 highest = MIN(walk->n, around.highest + beside);
    return (CsGainSpan){cs_gain_block_of(walk->rule, walk->m, lowest),
                        cs_gain_block_of(walk->rule, walk->m, highest) + 1};
}

/*
 * The tiles that are counted on a line: as far from the strip as a path can come from beyond and
 * still bring a gain that is kept.
 */
static CsGainTiles
tiles_around(const Walk *walk, gint64 k)
{
    const CsGainPlan *plan = walk->plan;
    const CsGainSpan near =
        blocks_beside(walk, k, cs_gain_plan_beside(walk->rule, plan->gpu, plan->slack));
    const CsScore excess = MAX(0, most_beyond(walk, k, near) - walk->best);
    const CsGainSpan blocks =
        blocks_beside(walk, k, cs_gain_plan_beside(walk->rule, plan->gpu, excess + plan->slack));
    return (CsGainTiles){blocks.from / walk->grid.tile, cs_divide_up(blocks.to, walk->grid.tile)};
}

static CsGainSpan
blocks_of(const CsGainGrid *grid, const CsGainTiles *tiles)
{
    return (CsGainSpan){tiles->from * grid->tile, MIN(grid->blocks, tiles->to * grid->tile)};
}

/* Makes room for the counts of missing k-mers. */
static gboolean
make_missing(Walk *walk, gint64 count, GError **error)
{
    if (count <= walk->missing_room)
        return TRUE;
    g_free(walk->missing);
    walk->missing = cs_memory_try_new(guint16, count);
    walk->missing_room = count;
    return walk->missing != NULL || fail(error);
}

/* Counts the k-mers of some bands: band end - 1, which becomes walk->batch[0], and those above it.
 * Returns the number of bands, 0 if there is not enough memory. */
static gint64
count_kmers(Walk *walk, gint64 end, GError **error)
{
    gint64 count = 0, numbers = 0;
    while (count < MIN(end, BANDS_AT_ONCE)) {
        CsGainBand *band = &walk->batch[count];
        const CsGainTiles tiles = tiles_around(walk, end - 1 - count);
        const CsGainSpan blocks = blocks_of(&walk->grid, &tiles);
        if (count > 0 && numbers + blocks.to - blocks.from > CS_GAIN_MISSING * (walk->m + walk->n))
            break;
        set_chain(walk, band, end - 1 - count);
        band->from = blocks.from;
        band->to = blocks.to;
        numbers += blocks.to - blocks.from;
        count++;
    }
    if (!make_missing(walk, numbers, error))
        return 0;
    guint16 *missing = walk->missing;
    for (gint64 k = 0; k < count; missing += walk->batch[k].to - walk->batch[k].from, k++)
        walk->batch[k].missing = missing;
    cs_gain_kmers_count(walk->rule, &walk->bases, walk->crew, end - 1, count, walk->batch);
    return count;
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

/* A line, and the blocks counted on it. No alignment gains more than `most` on the others. */
typedef struct {
    const CsGainReach *reach;
    CsGainSpan blocks;
    gint32 most;
} Line;

static gint32
highest_within(const gint32 *values, gint64 from, gint64 to, gint32 highest)
{
    for (gint64 k = from; k < to; k++)
        highest = MAX(highest, values[k]);
    return highest;
}

/* The highest of what is reached in some blocks, whole tiles at once where it can be. */
static gint32
highest_of(const CsGainGrid *grid, const gint32 *values, gint64 from, gint64 to)
{
    const gint64 tile = grid->tile;
    if (to - from < tile)
        return highest_within(values, from, to, 0);
    const gint64 first = cs_divide_up(from, tile), last = to / tile; /* first <= last */
    gint32 highest = highest_within(values, from, first * tile, 0);
    for (gint64 t = first; t < last; t++)
        highest = MAX(highest, grid->ends[t].highest);
    return highest_within(values, last * tile, to, highest);
}

/* Whether a block's gain is near enough to that of the best path to be kept. It is lower by the
 * cost of the way there, and so is H. */
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
near_blocks(const Walk *walk, const Around *around, const CsGainReach *line, CsGainSpan blocks)
{
    const gint64 tile = walk->grid.tile;
    gint64 from = blocks.from, to = blocks.to;
    while (from < to && !is_near(walk, around, from, line->reached[from]))
        from += from % tile == 0 && !may_be_near(walk, around, from) ? tile : 1;
    from = MIN(from, to);
    while (from < to && !is_near(walk, around, to - 1, line->reached[to - 1]))
        to -= to % tile == 0 && !may_be_near(walk, around, to - 1) ? tile : 1;
    return (CsGainSpan){from, MAX(from, to)};
}

/* The last of some tiles where the lowest gain is reached. */
static gint64
lowest_tile(const CsGainGrid *grid, gint64 from, gint64 to)
{
    gint64 lowest = from;
    for (gint64 t = from; t < to; t++)
        if (grid->ends[t].highest <= grid->ends[lowest].highest)
            lowest = t;
    return lowest;
}

/* The counted blocks around the best path. Away from it gains fall, and then
 * rise again, towards blocks that were not counted or where paths match no k-mers anyway. */
static CsGainSpan
known_blocks(const Walk *walk, const Around *around, CsGainSpan counted)
{
    const CsGainGrid *grid = &walk->grid;
    if (walk->plan->all)
        return counted;
    const gint64 lowest = cs_gain_block_of(walk->rule, walk->m, MAX(around->lowest, -walk->m));
    const gint64 highest = cs_gain_block_of(walk->rule, walk->m, MIN(around->highest, walk->n));
    const gint64 first = lowest_tile(grid, counted.from / grid->tile, lowest / grid->tile);
    const gint64 last =
        lowest_tile(grid, highest / grid->tile + 1, cs_divide_up(counted.to, grid->tile));
    return (CsGainSpan){first * grid->tile, MIN((last + 1) * grid->tile, counted.to)};
}

/* Entries of a line, of which each thread takes some at a time. */
typedef struct {
    const CsGainGrid *grid;
    const gint32 *reached;
    gint32 *entries; /* those of the line */
    gint64 from, count, coarse;
    gint32 scale;
} Keeping;

/* A CsParallelFunc. */
static void
keep_entries(gint64 part, gpointer data)
{
    const Keeping *keeping = data;
    const gint64 coarse = keeping->coarse, end = MIN(keeping->count, (part + 1) * ENTRIES_A_PART);
    for (gint64 k = part * ENTRIES_A_PART; k < end; k++) {
        const gint64 first = (keeping->from + k) * coarse;
        keeping->entries[k] = highest_of(keeping->grid, keeping->reached, first,
                                         MIN(keeping->grid->blocks, first + coarse)) /
                              keeping->scale;
    }
}

/* Keeps a line's gains near the best path in the table, several blocks in one entry. On blocks that
 * were not counted, no alignment gains more than `beyond`. */
static gboolean
keep_line(Walk *walk, gint64 k, const CsGainReach *line, CsGainSpan counted, gint32 beyond,
          GError **error)
{
    CsGainTable *table = walk->table;
    const CsGainGrid *grid = &walk->grid;
    const gint32 scale = walk->rule->scale;
    const gint64 coarse = walk->plan->coarse, entries = cs_divide_up(grid->blocks, coarse);
    const gint64 middle = walk->plan->middle[k], row = line_row(walk, k);
    const CsGainSpan *strip = strip_of(walk->plan, k);
    const gboolean has_strip = strip->from < strip->to;
    const Around around = {has_strip ? strip->from - row : middle,
                           has_strip ? strip->to - row : middle};
    const CsGainSpan known = known_blocks(walk, &around, counted);
    const CsGainSpan near = near_blocks(walk, &around, line, known);
    /* Entries whose blocks are all known, or beyond the last diagonal. */
    const gint64 first = cs_divide_up(known.from, coarse);
    const gint64 last = known.to == grid->blocks ? entries : known.to / coarse;
    const gint64 end = MAX(first, last);
    gint64 from = CLAMP(near.from / coarse, first, end);
    gint64 to = CLAMP(cs_divide_up(near.to, coarse), from, end);
    if (table->count + to - from > walk->plan->most)
        to = from;
    if (!make_room(walk, to - from, error))
        return FALSE;
    beyond =
        MAX(beyond, highest_of(grid, line->reached, counted.from, MIN(first * coarse, counted.to)));
    beyond = MAX(beyond, highest_of(grid, line->reached, end * coarse, counted.to));
    table->lines[k] = (CsGainLine){
        .from = from,
        .to = to,
        .first = table->count,
        .counted_from = first,
        .counted_to = end,
        .left = highest_of(grid, line->reached, MIN(first * coarse, grid->blocks), from * coarse) /
                scale,
        .right = highest_of(grid, line->reached, MIN(to * coarse, grid->blocks),
                            MIN(end * coarse, grid->blocks)) /
                 scale,
        .beyond = first > 0 || end < entries ? beyond / scale : 0,
    };
    Keeping keeping = {grid,   line->reached, table->entries + table->count, from, to - from,
                       coarse, scale};
    cs_crew_run(walk->crew, cs_divide_up(to - from, ENTRIES_A_PART), keep_entries, &keeping);
    table->count += to - from;
    return TRUE;
}

/* The two parts of a band, which do not depend on each other: the steps of the strip, and the
 * grid. */
typedef struct {
    Walk *walk;
    gint64 k, climbers, parts;
    const CsGainTiles *tiles;
    const CsGainBand *band;
    const CsGainReach *below;
    CsGainReach *line;
    gint32 most; /* after the line above the band */
} BandWork;

/* A part's tiles of the grid. */
static CsGainTiles
tiles_of(const BandWork *work, gint64 part)
{
    const gint64 from = work->tiles->from, count = work->tiles->to - from;
    return (CsGainTiles){from + count * part / work->parts,
                         from + count * (part + 1) / work->parts};
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
    const CsGainTiles tiles = tiles_of(work, part - work->climbers);
    for (gint64 t = tiles.from; t < tiles.to; t++)
        cs_gain_grid_step(&walk->grid, t, work->k, work->band, work->below, work->line, work->most);
}

/* A CsParallelFunc. */
static void
reach_part(gint64 part, gpointer data)
{
    const BandWork *work = data;
    const CsGainTiles tiles = tiles_of(work, part);
    for (gint64 t = tiles.from; t < tiles.to; t++)
        cs_gain_grid_reach(&work->walk->grid, t, work->line);
}

/* The line above a band that is lowered to the strip's gains. */
typedef struct {
    const Walk *walk;
    gint64 k, parts;
    CsGainReach *line;
    CsGainSpan blocks;
    atomic_int best; /* the highest gain of the strip */
} Lowering;

/* A CsParallelFunc. */
static void
lower_part(gint64 part, gpointer data)
{
    Lowering *work = data;
    const gint64 from = work->blocks.from, count = work->blocks.to - from;
    const CsGainSpan blocks = {from + count * part / work->parts,
                               from + count * (part + 1) / work->parts};
    const int best = cs_gain_strip_lower(&work->walk->strip, work->k, work->line, &blocks);
    int before = work->best;
    while (best > before && !atomic_compare_exchange_weak(&work->best, &before, best))
        ;
}

/* Lowers a line's gains to those of the strip, where it has any. Returns the blocks. */
static CsGainSpan
lower_by_strip(Walk *walk, gint64 k, CsGainReach *line)
{
    const CsGainSpan *strip = strip_of(walk->plan, k);
    Lowering work = {
        .walk = walk, .k = k, .line = line, .blocks = cs_gain_strip_blocks(&walk->strip, k)};
    work.parts = CLAMP((strip->to - strip->from) / COLUMNS_A_PART, 1, walk->parts);
    cs_crew_run(walk->crew, work.parts, lower_part, &work);
    if (strip->from < strip->to)
        walk->best = work.best;
    return work.blocks;
}

/* Sweeps the rooms whose last band this is. Without a device they are left out. */
static gboolean
sweep_rooms(Walk *walk, gint64 k, const CsSurvey *survey, const CsGainReach *below, GError **error)
{
    const CsGainPlan *plan = walk->plan;
    const CsGainRoomSweep how = {.rule = walk->rule,
                                 .survey = survey,
                                 .bounds = walk->bounds,
                                 .sweep = plan->sweep,
                                 .apart = plan->apart,
                                 .strip = plan->strip,
                                 .steps = plan->steps};
    for (guint r = 0; r < count_rooms(walk); r++) {
        g_autoptr(GError) failure = NULL;
        if (room_of(walk, r)->last != k)
            continue;
        walk->rooms[r] =
            cs_gain_room_sweep(room_of(walk, r), &how, below, &walk->room_cells, &failure);
        if (failure != NULL && !g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) {
            g_propagate_error(error, g_steal_pointer(&failure));
            return FALSE;
        }
    }
    return TRUE;
}

/* Lowers the strip's values after the line above a band to those of the rooms there. */
static void
limit_strip(Walk *walk, gint64 k)
{
    for (guint r = 0; r < count_rooms(walk); r++)
        if (walk->rooms[r] != NULL)
            cs_gain_room_limit(walk->rooms[r], k, &walk->strip);
}

/* Lowers the line's gains to those of the rooms. A room is no longer needed above its first band. */
static void
lower_by_rooms(Walk *walk, gint64 k, CsGainReach *line, CsGainSpan counted, CsGainSpan *lowered)
{
    for (guint r = 0; r < count_rooms(walk); r++) {
        if (walk->rooms[r] == NULL)
            continue;
        cs_gain_room_lower(walk->rooms[r], k, line, counted, lowered);
        if (room_of(walk, r)->first == k)
            g_clear_pointer(&walk->rooms[r], cs_gain_room_lines_free);
    }
}

static guint
count_sections(const Walk *walk)
{
    return walk->plan->sections != NULL ? walk->plan->sections->len : 0;
}

static const CsGainSection *
section_of(const Walk *walk, guint s)
{
    return &g_array_index(walk->plan->sections, CsGainSection, s);
}

/* A CsParallelFunc. */
static void
compute_section(gint64 part, gpointer data)
{
    Walk *walk = data;
    const guint s = walk->sections_to + (guint)part;
    cs_gain_section_compute(&walk->sections[s], section_of(walk, s), &walk->section_shape);
}

/* Computes the next sections, if band k is the first one that needs them. */
static void
compute_sections(Walk *walk, gint64 k)
{
    const guint all = count_sections(walk), next = walk->sections_to;
    if (next == all || section_of(walk, next)->last < k)
        return;
    const guint count = MIN(CS_GAIN_SECTIONS, all - next);
    cs_crew_run(walk->crew, count, compute_section, walk);
    for (guint s = next; s < next + count; s++)
        walk->section_cells += walk->sections[s].cells;
    walk->sections_to += count;
}

/* Goes on to band k with the sections: they learn what enters it. Where others gain more there than
 * was guessed, the strip goes on alone. Returns the section that the band belongs to, or NULL. */
static const CsGainSectionValues *
enter_sections(Walk *walk, gint64 k, const CsGainReach *below)
{
    const CsGainSectionValues *own = NULL;
    const CsGainSpan none = {0};
    compute_sections(walk, k);
    for (guint s = walk->sections_from; s < walk->sections_to; s++) {
        CsGainSectionValues *values = &walk->sections[s];
        const CsGainSection *section = section_of(walk, s);
        if (section->last < k)
            break;
        if (section->first > k) {
            cs_gain_section_clear(values);
            walk->sections_from = s + 1;
        } else if (values->lines != NULL) {
            const gboolean raised = cs_gain_section_raise(values, &walk->section_shape, k, below);
            if (raised && k < section->own) /* nothing of the strip is known below */
                cs_gain_strip_put(&walk->strip, &none, NULL, NULL);
            if (raised)
                cs_gain_section_clear(values);
            else if (k <= section->own)
                own = values;
        }
    }
    return own;
}

/* Hands the values after a section's first line to the strip, none higher than its block's gain. Near
 * their ends they hang on what was guessed beside the section. */
static void
hand_over(Walk *walk, gint64 k, const CsGainSectionValues *own, const CsGainReach *line,
          CsGainSpan counted)
{
    const gint64 row = line_row(walk, k), width = own->top.to - own->top.from;
    for (gint64 c = 0; c < width; c++) {
        const gint64 block = cs_gain_block_of(walk->rule, walk->m, own->top.from + c - row);
        CsScore most = G_MAXINT32;
        if (block >= counted.from && block < counted.to)
            most = line->gains[block] / walk->rule->scale;
        own->h[c] = (gint32)MIN(own->h[c] + own->base, most);
        own->f[c] = (gint32)MIN(own->f[c] + own->base, most);
    }
    cs_gain_strip_put(&walk->strip, &own->top, own->h, own->f);
}

/* Lowers a line's gains to those of the band's section. At the section's end the strip takes over. */
static CsGainSpan
lower_by_section(Walk *walk, gint64 k, const CsGainSectionValues *own, CsGainReach *line,
                 CsGainSpan counted)
{
    gint32 best;
    const CsGainSpan blocks = cs_gain_section_lower(own, walk->rule, k, line, &best);
    if (blocks.from < blocks.to)
        walk->best = best;
    if (k == own->section->first)
        hand_over(walk, k, own, line, counted);
    return blocks;
}

/* One band: from the line below to the line above. */
static gboolean
count_band(Walk *walk, gint64 k, const CsGainBand *band, const CsSurvey *survey, GError **error)
{
    const CsGainSpan *strip = strip_of(walk->plan, k);
    const CsGainSpan counted = {band->from, band->to};
    CsGainReach *below = &walk->lines[(k + 1) % 2];
    CsGainTiles *tiles = &walk->tiles[k % 2];
    if (!sweep_rooms(walk, k, survey, below, error))
        return FALSE;
    const CsGainTiles *tiles_below = &walk->tiles[(k + 1) % 2];
    const gint32 beyond = most_beyond(walk, k, counted);
    *tiles = (CsGainTiles){band->from / walk->grid.tile, cs_divide_up(band->to, walk->grid.tile)};
    cs_gain_grid_widen(&walk->grid, tiles, tiles_below, below,
                       most_beyond(walk, k + 1, blocks_of(&walk->grid, tiles_below)));
    const CsGainSectionValues *own = enter_sections(walk, k, below);
    const gint64 climbers = own != NULL ? 0 : cs_gain_strip_begin(&walk->strip, k, strip, below);
    BandWork work = {.walk = walk,
                     .k = k,
                     .climbers = climbers,
                     .parts = MIN(walk->parts, tiles->to - tiles->from),
                     .tiles = tiles,
                     .band = band,
                     .below = below,
                     .line = &walk->lines[k % 2],
                     .most = most_after(walk, k)};
    cs_crew_run(walk->crew, climbers + work.parts, count_part, &work);
    if (cs_is_stopped(walk->stop))
        return fail_stopped(error);
    CsGainSpan lowered = {0};
    if (own != NULL)
        lowered = lower_by_section(walk, k, own, work.line, counted);
    if (own == NULL || k == own->section->first)
        limit_strip(walk, k);
    if (own == NULL)
        lowered = lower_by_strip(walk, k, work.line);
    lower_by_rooms(walk, k, work.line, counted, &lowered);
    cs_gain_grid_join(&walk->grid, tiles, work.line, lowered.from, lowered.to, beyond);
    cs_crew_run(walk->crew, work.parts, reach_part, &work);
    return keep_line(walk, k, work.line, counted, beyond, error);
}

/* Tells the watch that so many more seconds of the plan are done. */
static void
tell_done(Walk *walk, double seconds)
{
    const CsGainPlan *plan = walk->plan;
    walk->seconds += seconds;
    if (plan->watch != NULL)
        plan->watch->func(walk->seconds, NULL, plan->watch->data);
}

static gboolean
count_bands(Walk *walk, const CsSurvey *survey, GError **error)
{
    for (gint64 end = walk->plan->bands; end > 0;) {
        if (cs_is_stopped(walk->stop))
            return fail_stopped(error);
        const gint64 count = count_kmers(walk, end, error);
        if (count == 0)
            return FALSE;
        for (gint64 k = 0; k < count; k++) {
            if (!count_band(walk, --end, &walk->batch[k], survey, error))
                return FALSE;
            tell_done(walk, cs_gain_plan_band_seconds(walk->plan, end, survey->threads));
        }
    }
    return TRUE;
}

/* Makes the lines. After the last one there is nothing to gain. */
static gboolean
make_lines(Walk *walk, GError **error)
{
    const gint64 blocks = walk->grid.blocks;
    gint32 *memory = walk->memory = cs_memory_try_new(gint32, 4 * blocks);
    if (memory == NULL)
        return fail(error);
    memset(memory, 0, 4 * (gsize)blocks * sizeof(gint32));
    walk->lines[0] = (CsGainReach){memory, memory + blocks};
    walk->lines[1] = (CsGainReach){memory + 2 * blocks, memory + 3 * blocks};
    walk->tiles[walk->plan->bands % 2] = (CsGainTiles){0, walk->grid.tiles};
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
                                .match = rule->match / rule->scale,
                                .band = rule->band,
                                .block = rule->block * plan->coarse,
                                .length = plan->bands + 1,
                                .lines = g_new0(CsGainLine, plan->bands + 1)};
    if (plan->far != NULL) {
        walk.far = cs_gains_new(plan->far, survey, bounds, NULL, error);
        if (walk.far == NULL)
            return NULL;
        walk.seconds = cs_gain_plan_all_seconds(plan->far, n, survey->threads);
        if (plan->watch != NULL)
            plan->watch->func(walk.seconds, walk.far, plan->watch->data);
    }
    const CsGainStripShape shape = {plan->step, plan->piece, cs_gain_plan_widest(plan),
                                    MAX(survey->threads, 1), survey->stop};
    if (!cs_gain_bases_init(&walk.bases, rule, survey, walk.crew, error) ||
        !cs_gain_strip_init(&walk.strip, &shape, rule, &walk.bases, &survey->scoring, error) ||
        !cs_gain_grid_init(&walk.grid, rule, plan->tile, m, n, error) || !make_lines(&walk, error))
        return NULL;
    if (cs_crew_size(walk.crew) > 1)
        walk.parts = PARTS_A_THREAD * cs_crew_size(walk.crew);
    walk.rooms = g_new0(CsGainRoomLines *, count_rooms(&walk));
    walk.sections = g_new0(CsGainSectionValues, count_sections(&walk));
    walk.section_shape = (CsGainSectionShape){.shape = shape,
                                              .rule = rule,
                                              .bases = &walk.bases,
                                              .scoring = &survey->scoring,
                                              .steps = plan->steps,
                                              .lower = plan->lower,
                                              .near = plan->near,
                                              .strip = plan->strip,
                                              .chain = plan->chain};
    tell_done(&walk, cs_gain_plan_index_seconds(n, survey->threads));
    if (!count_bands(&walk, survey, error))
        return NULL;
    if (cells != NULL)
        *cells = cs_gain_strip_cells(&walk.strip) + walk.room_cells + walk.section_cells;
    return g_steal_pointer(&walk.table);
}
