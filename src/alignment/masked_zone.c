/* Tiles that lead to marks, diagonal by diagonal from the last one. */
#include <string.h>

#include <chromosweep/error.h>

#include "alignment/masked_tile.h"
#include "alignment/masked_zone.h"
#include "sweep/sweep.h"
#include "system/parallel.h"

/* In a tile without a mark R begins nowhere, but an engine begins anew wherever a score is 0. So
 * what enters is raised by as many matches, and what is not above them when it leaves counts as
 * 0. */
enum {
    RAISED = 32,
};

/* A tile that matters, and R of the nodes below and right of it, read backwards. */
typedef struct {
    gint64 number, row, column;
    gboolean marked;
    CsBus *below, *beside; /* or NULL: nothing leads on from there */
    CsScore corner;
    gboolean failed;
} Reached;

typedef struct {
    const CsMaskedZone *zone;
    gint64 m, n, rows, columns; /* of cells, of tiles */
    GHashTable *tiles;          /* of Reached, by number */
    GPtrArray **diagonals;      /* the same */
    GPtrArray *now;             /* the diagonal that is computed */
    CsScore most, raise;
} Reach;

static void
reached_free(gpointer data)
{
    Reached *reached = data;
    cs_bus_free(reached->below);
    cs_bus_free(reached->beside);
    g_free(reached);
}

static void
reach_clear(Reach *reach)
{
    for (gint64 d = 0; reach->diagonals != NULL && d < reach->rows + reach->columns - 1; d++)
        if (reach->diagonals[d] != NULL)
            g_ptr_array_unref(reach->diagonals[d]);
    g_free(reach->diagonals);
    g_clear_pointer(&reach->tiles, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reach, reach_clear)

static void
reach_init(Reach *reach, const CsMaskedZone *zone)
{
    const CsRectangle *matrix = zone->matrix;
    const CsScoring *scoring = &matrix->scoring;
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix), side = zone->side;
    const CsScore least = MIN(zone->marks->least, scoring->match * MIN(m, n));
    *reach = (Reach){.zone = zone,
                     .m = m,
                     .n = n,
                     .rows = (m + side - 1) / side,
                     .columns = (n + side - 1) / side,
                     .most = 2 * (least + scoring->gap_open + scoring->match),
                     .raise = RAISED * scoring->match};
    reach->tiles = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, reached_free);
    reach->diagonals = g_new0(GPtrArray *, reach->rows + reach->columns);
}

/* The tile of that place, which from now on matters. */
static Reached *
reach_to(Reach *reach, gint64 row, gint64 column)
{
    const gint64 number = row * reach->columns + column;
    Reached *reached = g_hash_table_lookup(reach->tiles, &number);
    if (reached != NULL)
        return reached;
    GPtrArray **diagonal = &reach->diagonals[row + column];
    reached = g_new0(Reached, 1);
    *reached = (Reached){.number = number, .row = row, .column = column};
    g_hash_table_insert(reach->tiles, &reached->number, reached);
    if (*diagonal == NULL)
        *diagonal = g_ptr_array_new();
    g_ptr_array_add(*diagonal, reached);
    return reached;
}

/* Finds the tiles with marks. */
static void
find_marked(Reach *reach)
{
    const CsEndMarks *marks = reach->zone->marks;
    const gint64 side = reach->zone->side, unit = marks->unit;
    const guint8 *all = marks->marked, *end = all + marks->rows * marks->columns;
    for (const guint8 *next = all; (next = memchr(next, 1, (gsize)(end - next))) != NULL; next++) {
        const gint64 at = next - all, i = at / marks->columns * unit,
                     j = at % marks->columns * unit;
        const gint64 last_i = MIN(i + unit, reach->m) - 1, last_j = MIN(j + unit, reach->n) - 1;
        for (gint64 row = i / side; row <= last_i / side; row++)
            for (gint64 column = j / side; column <= last_j / side; column++)
                reach_to(reach, row, column)->marked = TRUE;
    }
}

static CsView
reversed(const CsView *view, gint64 from, gint64 length)
{
    CsView slice = cs_view_slice(view, from, length);
    slice.reversed = !slice.reversed;
    return slice;
}

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    const gint *stop = user_data;
    (void)state;
    return stop != NULL && g_atomic_int_get(stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

static void
raise_all(void *values, gint64 count, CsScore by)
{
    gint64 *scores = values;
    for (gint64 k = 0; k < count; k++)
        scores[k] += scores[k] > 0 ? by : 0;
}

/* The same back again, and no value is above `most`. */
static void
settle_all(void *values, gint64 count, CsScore by, CsScore most)
{
    gint64 *scores = values;
    for (gint64 k = 0; k < count; k++)
        scores[k] = CLAMP(scores[k] - by, 0, most);
}

static gboolean
make_bus(CsBus **bus, gint64 length)
{
    if (*bus == NULL)
        *bus = cs_bus_new(length, CS_WIDTH_64, NULL);
    return *bus != NULL;
}

/* Sweeps the reversed bases of a tile: what enters becomes what leaves. */
static gboolean
sweep(const Reach *reach, Reached *reached, CsScore corner)
{
    const CsMaskedZone *zone = reach->zone;
    const CsRectangle *matrix = zone->matrix;
    const gint64 above = reached->row * zone->side, left_of = reached->column * zone->side;
    CsRectangle rectangle = {
        .rows = reversed(&matrix->rows, above, reached->beside->length),
        .columns = reversed(&matrix->columns, left_of, reached->below->length),
        .scoring = matrix->scoring,
        .tie_order = matrix->tie_order,
        .corner = corner,
        .top = reached->below,
        .left = reached->beside,
        .bottom = reached->below,
        .right = reached->beside,
        .threshold = G_MAXINT64,
    };
    CsSweepOptions options = {.engine = zone->engine,
                              .engine_options = {.threads = 1, .on_caller = TRUE},
                              .shape = CS_MASKED_SHAPE,
                              .func = watch,
                              .func_data = (gpointer)zone->stop};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    CsSweepState state;
    return cs_sweep_run(&rectangle, grid, &options, &state, NULL);
}

/* A CsParallelFunc: R of the nodes above and left of a tile. */
static void
compute(gint64 task, gpointer user_data)
{
    const Reach *reach = user_data;
    Reached *reached = g_ptr_array_index(reach->now, task);
    const gint64 side = reach->zone->side;
    const gint64 height = MIN(side, reach->m - reached->row * side);
    const gint64 width = MIN(side, reach->n - reached->column * side);
    const CsScore raise = reached->marked ? 0 : reach->raise;
    reached->failed = TRUE;
    if (!make_bus(&reached->below, width) || !make_bus(&reached->beside, height))
        return;
    raise_all(reached->below->h, width, raise);
    raise_all(reached->below->gap, width, raise);
    raise_all(reached->beside->h, height, raise);
    raise_all(reached->beside->gap, height, raise);
    reached->failed = !sweep(reach, reached, reached->corner > 0 ? reached->corner + raise : 0);
    settle_all(reached->below->h, width, raise, reach->most);
    settle_all(reached->below->gap, width, raise, reach->most);
    settle_all(reached->beside->h, height, raise, reach->most);
    settle_all(reached->beside->gap, height, raise, reach->most);
}

static gboolean
is_zero(const CsBus *bus)
{
    CsScore highest, lowest;
    cs_bus_range(bus, &highest, &lowest);
    return highest == 0;
}

/* Hands on what leaves a tile, if anything is above 0. */
static void
hand_on(Reach *reach, Reached *reached)
{
    CsBus *row = g_steal_pointer(&reached->below), *column = g_steal_pointer(&reached->beside);
    const CsScore corner = cs_width_get(row->width, row->h, row->length - 1);
    if (reached->row > 0 && reached->column > 0 && corner > 0)
        reach_to(reach, reached->row - 1, reached->column - 1)->corner = corner;
    if (reached->row > 0 && !is_zero(row))
        reach_to(reach, reached->row - 1, reached->column)->below = g_steal_pointer(&row);
    if (reached->column > 0 && !is_zero(column))
        reach_to(reach, reached->row, reached->column - 1)->beside = g_steal_pointer(&column);
    cs_bus_free(row);
    cs_bus_free(column);
}

static gboolean
fail(const Reach *reach, GError **error)
{
    const gint *stop = reach->zone->stop;
    if (stop != NULL && g_atomic_int_get(stop) != 0)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped");
    else
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory to find where alignments begin");
    return FALSE;
}

static gboolean
run_diagonal(Reach *reach, CsCrew *crew, GError **error)
{
    const gint *stop = reach->zone->stop;
    cs_crew_run(crew, reach->now->len, compute, reach);
    for (guint k = 0; k < reach->now->len; k++) {
        Reached *reached = g_ptr_array_index(reach->now, k);
        if (reached->failed)
            return fail(reach, error);
        hand_on(reach, reached);
    }
    return stop == NULL || g_atomic_int_get(stop) == 0 || fail(reach, error);
}

gboolean
cs_masked_zone_find(const CsMaskedZone *zone, GArray *tiles, GError **error)
{
    g_auto(Reach) reach;
    g_autoptr(CsCrew) crew = cs_crew_new(zone->threads);
    reach_init(&reach, zone);
    find_marked(&reach);
    for (gint64 d = reach.rows + reach.columns - 2; d >= 0; d--) {
        reach.now = reach.diagonals[d];
        if (zone->millionths != NULL)
            g_atomic_int_set(zone->millionths,
                             (gint)(500000 - 500000 * (d + 1) / (reach.rows + reach.columns)));
        if (reach.now != NULL && !run_diagonal(&reach, crew, error))
            return FALSE;
        for (guint k = 0; reach.now != NULL && k < reach.now->len; k++)
            g_array_append_val(tiles, ((Reached *)g_ptr_array_index(reach.now, k))->number);
    }
    return TRUE;
}
