/* Exact gains around hot stretches, by any engine. */
#include "skipping/gain_room.h"

#include <chromosweep/error.h>

#include "sweep/grid.h"
#include "system/memory.h"
#include "system/stop.h"

/* What is kept of one line. */
typedef struct {
    gint64 first;     /* the first block that has columns of the room */
    gint32 *highest;  /* of each block from there on, over its columns in the room */
    CsGainSpan strip; /* columns of the strip in the room */
    gint32 *h, *f;    /* of each of these */
} Line;

struct _CsGainRoomLines {
    CsGainRoom room;
    const CsGainRule *rule;
    gint64 m, n;
    gint64 apart, count; /* lines; the first one is above the room's first band */
    Line *lines;
    gint64 blocks;   /* of a line, at most */
    gint32 *highest; /* the memory of all lines */
    gint32 *values;
};

void
cs_gain_room_lines_free(CsGainRoomLines *lines)
{
    if (lines == NULL)
        return;
    g_free(lines->lines);
    g_free(lines->highest);
    g_free(lines->values);
    g_free(lines);
}

static gint64
line_row(const CsGainRoomLines *lines, gint64 k)
{
    return MIN(lines->m, k * lines->rule->band);
}

static gint64
block_of(const CsGainRoomLines *lines, gint64 diagonal)
{
    return cs_gain_block_of(lines->rule, lines->m, CLAMP(diagonal, -lines->m, lines->n));
}

static CsGainSpan
common(CsGainSpan a, CsGainSpan b)
{
    const CsGainSpan span = {MAX(a.from, b.from), MIN(a.to, b.to)};
    return span.from < span.to ? span : (CsGainSpan){0};
}

static gboolean
fail(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for gains around a hot stretch");
    return FALSE;
}

/* Makes the lines that are kept, with nothing in them. */
static gboolean
make_lines(CsGainRoomLines *lines, const CsGainRoomSweep *how, GError **error)
{
    const CsGainRoom *room = &lines->room;
    gint64 columns = 0;
    lines->count = cs_divide_up(room->last - room->first + 1, lines->apart);
    lines->blocks = (room->columns.to - room->columns.from) / lines->rule->block + 2;
    lines->lines = g_new0(Line, lines->count);
    for (gint64 q = 0; q < lines->count; q++) {
        const gint64 k = room->first + q * lines->apart;
        Line *line = &lines->lines[q];
        line->first = block_of(lines, room->columns.from - line_row(lines, k));
        line->strip = common(room->columns, how->strip[k * how->steps]);
        columns += line->strip.to - line->strip.from;
    }
    lines->highest = cs_memory_try_new(gint32, lines->count * lines->blocks);
    lines->values = cs_memory_try_new(gint32, MAX(1, 2 * columns));
    if (lines->highest == NULL || lines->values == NULL)
        return fail(error);
    for (gint64 k = 0; k < lines->count * lines->blocks; k++)
        lines->highest[k] = 0;
    gint32 *next = lines->values;
    for (gint64 q = 0; q < lines->count; q++) {
        Line *line = &lines->lines[q];
        const gint64 width = line->strip.to - line->strip.from;
        line->highest = lines->highest + q * lines->blocks;
        line->h = next;
        line->f = next + width;
        next += 2 * width;
    }
    return TRUE;
}

/* The line above band k, or NULL if it is not kept. */
static Line *
find_line(const CsGainRoomLines *lines, gint64 k)
{
    const gint64 bands = k - lines->room.first;
    if (bands < 0 || k > lines->room.last || bands % lines->apart != 0)
        return NULL;
    return &lines->lines[bands / lines->apart];
}

/* What enters a room. */
typedef struct {
    CsBus *below, *side;
    CsScore corner;
} Borders;

static void
borders_clear(Borders *borders)
{
    g_clear_pointer(&borders->below, cs_bus_free);
    g_clear_pointer(&borders->side, cs_bus_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Borders, borders_clear)

static void
set_cell(CsBus *bus, gint64 k, CsScore value)
{
    cs_width_set(CS_WIDTH_32, bus->h, k, value);
    cs_width_set(CS_WIDTH_32, bus->gap, k, value);
}

/* The most that is gained after a cell on the right of the room, so many rows above the line below
 * it. */
static CsScore
gain_beside(const CsGainRoomLines *lines, const CsGainRoomSweep *how, const CsGainReach *below,
            gint64 rows)
{
    const CsGainRule *rule = lines->rule;
    const gint64 line = line_row(lines, lines->room.last + 1), row = line - rows;
    const gint64 column = lines->room.columns.to;
    const CsScore reached = below->reached[block_of(lines, column - row)];
    const CsScore bound = cs_bounds_side_highest(&how->bounds->rows, row, row);
    return MIN(MIN((rule->match * rows + reached) / rule->scale, bound),
               rule->match / rule->scale * (lines->n - column));
}

static gboolean
enter(Borders *borders, const CsGainRoomLines *lines, const CsGainRoomSweep *how,
      const CsGainReach *below, GError **error)
{
    const CsGainSpan columns = lines->room.columns;
    const gint64 line = line_row(lines, lines->room.last + 1);
    const gint64 height = line - line_row(lines, lines->room.first);
    borders->below = cs_bus_new(columns.to - columns.from, CS_WIDTH_32, error);
    if (borders->below == NULL)
        return FALSE;
    borders->side = cs_bus_new(height, CS_WIDTH_32, error);
    if (borders->side == NULL)
        return FALSE;
    const gint32 scale = lines->rule->scale;
    for (gint64 k = 0; k < columns.to - columns.from; k++)
        set_cell(borders->below, k,
                 below->gains[block_of(lines, columns.to - 1 - k - line)] / scale);
    for (gint64 k = 0; k < height; k++)
        set_cell(borders->side, k, gain_beside(lines, how, below, k + 1));
    borders->corner = below->gains[block_of(lines, columns.to - line)] / scale;
    return TRUE;
}

/* A sweep of a room. */
typedef struct {
    CsGainRoomLines *lines;
    const gint *stop;
} Sweep;

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    const Sweep *sweep = user_data;
    (void)state;
    return cs_is_stopped(sweep->stop) ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* The most that an alignment gains from a line on, given the highest h and f on it. A deletion may cross the line. */
static CsScore
tail(const CsGainRule *rule, CsScore h, CsScore f)
{
    return MAX(rule->scale * h, rule->scale * f + rule->open - rule->split);
}

/* A CsRowFunc: a piece of a line, from right to left in the matrix. */
static gboolean
take_piece(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
           gpointer user_data, GError **error)
{
    const Sweep *sweep = user_data;
    const CsGainRoomLines *lines = sweep->lines;
    const CsGainRule *rule = lines->rule;
    const gint64 row = line_row(lines, lines->room.last + 1) - i;
    const gint64 right = lines->room.columns.to - 1 - from; /* the first column */
    Line *line = find_line(lines, row / rule->band);
    (void)bounds;
    (void)error;
    for (gint64 k = 0; k < count;) {
        const gint64 block = block_of(lines, right - k - row);
        const gint64 left = row + cs_gain_block_start(rule, lines->m, block);
        const gint64 end = MIN(count, right - left + 1);
        CsScore highest_h = h[k], highest_f = f[k];
        for (k++; k < end; k++) {
            highest_h = MAX(highest_h, h[k]);
            highest_f = MAX(highest_f, f[k]);
        }
        gint32 *highest = &line->highest[block - line->first];
        *highest = (gint32)MAX(*highest, tail(rule, highest_h, highest_f));
    }
    const CsGainSpan strip = common(line->strip, (CsGainSpan){right - count + 1, right + 1});
    for (gint64 column = strip.from; column < strip.to; column++) {
        line->h[column - line->strip.from] = (gint32)h[right - column];
        line->f[column - line->strip.from] = (gint32)f[right - column];
    }
    return TRUE;
}

/* The rows of a view, read from the last one to the first. */
static CsView
backwards(const CsView *view, gint64 from, gint64 to)
{
    CsView slice = cs_view_slice(view, from, to - from);
    slice.reversed = !slice.reversed;
    return slice;
}

static gboolean
sweep_lines(CsGainRoomLines *lines, const CsGainRoomSweep *how, const Borders *borders,
            gint64 *cells, GError **error)
{
    const CsGainRoom *room = &lines->room;
    const gint64 top = line_row(lines, room->first), bottom = line_row(lines, room->last + 1);
    g_autofree gint64 *rows = g_new(gint64, lines->count);
    for (gint64 q = 0; q < lines->count; q++)
        rows[q] = bottom - line_row(lines, room->first + (lines->count - 1 - q) * lines->apart);
    Sweep sweep = {lines, how->survey->stop};
    const CsRectangle rectangle = {
        .rows = backwards(&how->survey->rows, top, bottom),
        .columns = backwards(&how->survey->columns, room->columns.from, room->columns.to),
        .scoring = how->survey->scoring,
        .corner = borders->corner,
        .top = borders->below,
        .left = borders->side,
        .skipped = TRUE, /* what enters are bounds */
        .special_rows = rows,
        .n_special_rows = (gsize)lines->count,
        .row_func = take_piece,
        .row_data = &sweep,
        .threshold = G_MAXINT64, /* no cell is wanted */
    };
    CsSweepOptions options = {
        .engine = how->sweep->engine,
        .engine_options = how->sweep->engine_options,
        .func = watch,
        .func_data = &sweep,
    };
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    if (!options.engine->accepts(&rectangle, &options.shape, &options.engine_options, error) ||
        !cs_sweep_run(&rectangle, grid, &options, &state, error))
        return FALSE;
    *cells += state.cells_computed;
    return TRUE;
}

CsGainRoomLines *
cs_gain_room_sweep(const CsGainRoom *room, const CsGainRoomSweep *how, const CsGainReach *below,
                   gint64 *cells, GError **error)
{
    g_auto(Borders) borders = {0};
    g_autoptr(CsGainRoomLines) lines = g_new(CsGainRoomLines, 1);
    *lines = (CsGainRoomLines){.room = *room,
                               .rule = how->rule,
                               .m = how->survey->rows.length,
                               .n = how->survey->columns.length,
                               .apart = how->apart};
    if (!make_lines(lines, how, error) || !enter(&borders, lines, how, below, error) ||
        !sweep_lines(lines, how, &borders, cells, error))
        return NULL;
    return g_steal_pointer(&lines);
}

void
cs_gain_room_limit(const CsGainRoomLines *lines, gint64 k, CsGainStrip *strip)
{
    const Line *line = find_line(lines, k);
    if (line != NULL)
        cs_gain_strip_limit(strip, &line->strip, line->h, line->f);
}

void
cs_gain_room_lower(const CsGainRoomLines *lines, gint64 k, CsGainReach *reach, CsGainSpan counted,
                   CsGainSpan *lowered)
{
    const Line *line = find_line(lines, k);
    const CsGainSpan columns = lines->room.columns;
    const gint64 row = line_row(lines, k), n = lines->n;
    if (line == NULL)
        return;
    /* Nothing is gained after the last column. */
    const gint64 end = columns.to == n ? n + 1 : columns.to;
    const CsGainSpan blocks =
        common(counted, (CsGainSpan){line->first, block_of(lines, end - 1 - row) + 1});
    for (gint64 block = blocks.from; block < blocks.to; block++) {
        const gint64 first = row + cs_gain_block_start(lines->rule, lines->m, block);
        const gint64 from = MAX(0, first), to = MIN(n + 1, first + lines->rule->block);
        if (from >= columns.from && to <= end)
            reach->gains[block] = MIN(reach->gains[block], line->highest[block - line->first]);
    }
    if (blocks.from < blocks.to)
        *lowered = lowered->from < lowered->to
                       ? (CsGainSpan){MIN(lowered->from, blocks.from), MAX(lowered->to, blocks.to)}
                       : blocks;
}

guint64
cs_gain_room_memory(const CsGainRule *rule, gint64 rows, gint64 columns, gint64 apart)
{
    const guint64 lines = (guint64)(rows / (apart * rule->band) + 1);
    const guint64 blocks = (guint64)(columns / rule->block + 2);
    /* Borders, and the engine's copies of them. */
    const guint64 borders = 4 * sizeof(gint32) * (guint64)(rows + columns);
    return lines * blocks * sizeof(gint32) + borders;
}
