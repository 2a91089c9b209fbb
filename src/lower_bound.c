/*
 * The score of a real alignment, from seeds, a chain and a sweep of the corridor round it.
 *
 * The corridor is swept in pieces of some rows, each a rectangle of the columns that it has there.
 * A piece is entered by the bottom border of the piece before where their columns overlap, and by
 * zeros elsewhere: a zero is the score of the empty alignment. So is what a block that is not live
 * hands on.
 */
#include <chromosweep/error.h>

#include "chain.h"
#include "corridor.h"
#include "lower_bound.h"
#include "seeds.h"
#include "simd.h"
#include "sweep.h"

enum {
    MARGIN = 384, /* columns on either side of the chain */
    BLOCK = 256,  /* rows and columns; a block row is a line of the corridor */
    PIECE_LINES = 64,
};

G_STATIC_ASSERT(BLOCK == CS_CORRIDOR_LINE);

/* The corridor's sweep, between two pieces. */
typedef struct {
    const CsView *rows, *columns;
    const CsScoring *scoring;
    CsSweepOptions options;
    CsWidth width;
    CsBus *bottom; /* of the piece before, or NULL */
    gint64 left;   /* columns left of it */
    CsScore best;
    gint64 cells_computed;
} Walk;

static CsSweepAction
ask_stop(const CsSweepState *state, gpointer user_data)
{
    const gint *stop = user_data;
    return stop != NULL && g_atomic_int_get(stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* The bottom border of the piece before for columns left + 1 .. right, zeros where it has none. */
static CsBus *
enter_piece(Walk *walk, gint64 left, gint64 right, GError **error)
{
    CsBus *bus = cs_bus_new(right - left, walk->width, error);
    if (bus == NULL || walk->bottom == NULL)
        return bus;
    const gint64 from = MAX(left, walk->left);
    const gint64 to = MIN(right, walk->left + walk->bottom->length);
    if (from < to)
        cs_bus_copy(bus, from - left, walk->bottom, from - walk->left, to - from);
    return bus;
}

/* The blocks of a piece's grid that hold columns of the corridor. */
static CsSpan *
live_spans(const CsGrid *grid, const CsCorridorLine *lines, gint64 left)
{
    CsSpan *live = g_new0(CsSpan, grid->block_rows);
    for (gint64 bi = 0; bi < grid->block_rows; bi++) {
        const CsCorridorLine *line = &lines[grid->row_starts[bi] / CS_CORRIDOR_LINE];
        if (line->to > 0)
            live[bi] = (CsSpan){(line->from - left) / grid->block_width,
                                cs_divide_up(line->to - left, grid->block_width)};
    }
    return live;
}

static gboolean
sweep_piece(Walk *walk, const CsCorridorLine *lines, gint64 row, gint64 count, GError **error)
{
    gint64 left = walk->columns->length, right = 0;
    for (gint64 k = 0; k < cs_divide_up(count, CS_CORRIDOR_LINE); k++)
        if (lines[k].to > 0) {
            left = MIN(left, lines[k].from);
            right = MAX(right, lines[k].to);
        }
    if (left >= right)
        return TRUE;
    CsBus *bus = enter_piece(walk, left, right, error);
    if (bus == NULL)
        return FALSE;
    cs_bus_free(walk->bottom);
    walk->bottom = bus;
    walk->left = left;
    CsRectangle rectangle = {
        .rows = cs_view_slice(walk->rows, row, count),
        .columns = cs_view_slice(walk->columns, left, right - left),
        .scoring = *walk->scoring,
        .kind = CS_KIND_LOCAL,
        .top = bus,
        .bottom = bus,
    };
    const gint64 block_rows = cs_divide_up(count, BLOCK);
    CsSweepOptions options = walk->options;
    options.shape = (CsGridShape){.block_height = BLOCK, .block_width = BLOCK, .depth = block_rows};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    g_autofree CsSpan *live = live_spans(grid, lines, left);
    rectangle.live = live;
    CsSweepState state;
    if (!cs_sweep_run(&rectangle, grid, &options, &state, error))
        return FALSE;
    walk->best = MAX(walk->best, state.best.score);
    walk->cells_computed += state.cells_computed;
    return TRUE;
}

static gboolean
walk_corridor(Walk *walk, const CsCorridor *corridor, GError **error)
{
    const gint64 m = walk->rows->length;
    for (gint64 k = corridor->first; k < corridor->end; k += PIECE_LINES) {
        const gint64 row = k * CS_CORRIDOR_LINE;
        const gint64 end = MIN(MIN(corridor->end, k + PIECE_LINES) * CS_CORRIDOR_LINE, m);
        if (!sweep_piece(walk, corridor->lines + k, row, end - row, error))
            return FALSE;
    }
    return TRUE;
}

/* The sweep of the corridor round a chain. */
static gboolean
sweep_corridor(const CsView *rows, const CsView *columns, const CsScoring *scoring,
               const CsSeed *chain, guint threads, const gint *stop, CsLowerBound *bound,
               GError **error)
{
    g_auto(CsCorridor) corridor = {0};
    const CsRectangle whole = {
        .rows = *rows, .columns = *columns, .scoring = *scoring, .kind = CS_KIND_LOCAL};
    Walk walk = {.rows = rows,
                 .columns = columns,
                 .scoring = scoring,
                 .options = {.engine = &cs_simd_engine,
                             .engine_options = {.threads = threads},
                             .func = ask_stop,
                             .func_data = (gpointer)stop}};
    if (!cs_rectangle_width(&whole, &walk.width, error) ||
        !cs_corridor_init(&corridor, rows->length, columns->length, chain, bound->chain, MARGIN,
                          error))
        return FALSE;
    const gboolean success = walk_corridor(&walk, &corridor, error);
    cs_bus_free(walk.bottom);
    g_assert(walk.best >= 0 && walk.best <= scoring->match * MIN(rows->length, columns->length));
    bound->score = walk.best;
    bound->cells_computed = walk.cells_computed;
    return success;
}

/* The seconds since a time, which becomes now. */
static double
seconds_since(gint64 *time)
{
    const gint64 before = *time;
    *time = g_get_monotonic_time();
    return (double)(*time - before) / G_USEC_PER_SEC;
}

gboolean
cs_lower_bound(const CsView *rows, const CsView *columns, const CsScoring *scoring, guint threads,
               const gint *stop, CsLowerBound *bound, GError **error)
{
    if (!cs_scoring_check(scoring, rows->length, columns->length, error))
        return FALSE;
    CsLowerBound made = {0};
    gint64 time = g_get_monotonic_time(), worth;
    const CsSeedsRule rule = cs_seeds_rule(rows->length, columns->length);
    g_autofree CsSeed *seeds =
        cs_seeds_find(rows, columns, &rule, threads, stop, &made.seeds, error);
    if (seeds == NULL)
        return FALSE;
    made.seconds_seeds = seconds_since(&time);
    const CsChainCosts costs = cs_chain_costs(scoring);
    g_autofree CsSeed *chain =
        cs_chain_find(seeds, made.seeds, &costs, stop, &made.chain, &worth, error);
    if (chain == NULL)
        return FALSE;
    g_clear_pointer(&seeds, g_free);
    made.seconds_chain = seconds_since(&time);
    if (made.chain > 0 &&
        !sweep_corridor(rows, columns, scoring, chain, threads, stop, &made, error))
        return FALSE;
    made.seconds_corridor = seconds_since(&time);
    *bound = made;
    return TRUE;
}

guint64
cs_lower_bound_memory(gint64 m, gint64 n, guint threads)
{
    gint64 seeds;
    const guint64 finding = cs_seeds_memory(m, n, threads, &seeds);
    const guint64 chaining = (guint64)seeds * sizeof(CsSeed) + cs_chain_memory(seeds);
    const guint64 lines = (guint64)cs_divide_up(m, CS_CORRIDOR_LINE) * sizeof(CsCorridorLine);
    /* Where the chain goes far aside a piece is as wide: two buses of it, of 32 bits. */
    const guint64 sweeping = (guint64)seeds * sizeof(CsSeed) + lines + 2 * 8 * (guint64)n;
    return MAX(MAX(finding, chaining), sweeping);
}
