/*
 * The skipping sweep: a wave without tiers. Only blocks that may matter are launched
 * (cuda_spans.h), in groups (cuda_groups.h).
 *
 *     submit(d)    takes as many steps as keep pace with the diagonals
 *     collect(d)   waits for the groups that had begun when d was submitted; for the last d, for
 *     all
 *
 * It has no right border (cuda_plan.c).
 */
#include <string.h>

#include "cuda/cuda_borders.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_groups.h"
#include "cuda/cuda_risers.h"
#include "sweep/skip_rule.h"

/* How long it may take to finish the rows in progress before the state is copied. */
#define FLATTEN_SECONDS 2.0

typedef struct {
    CsRun run;
    CsCudaSpans *spans;
    CsCudaGroups *groups;
    CsCudaPieces pieces;
    gint64 groups_until[CS_CUDA_QUEUE]; /* per submitted diagonal: how many groups to wait for */
    gint64 chunks_told;
    gint64 *columns; /* that the rows in progress have reached */
} Skipping;

static Skipping *
skipping_of(CsRun *run)
{
    return (Skipping *)run;
}

/* Bounds on the device. */
static gint32 *
upload_bounds(CsRun *run, const CsScore *bounds, gint64 count, GError **error)
{
    gsize bytes = (gsize)count * sizeof(gint32);
    g_autofree gint32 *narrow = g_malloc(bytes);
    for (gint64 k = 0; k < count; k++)
        narrow[k] = (gint32)MIN(bounds[k], G_MAXINT32);
    return cs_cuda_memory_place(&run->memory, narrow, bytes, error);
}

/* The table of both sides on the device, if there is one. */
static gboolean
upload_table(CsRun *run, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsBoundsTable *table = rectangle->bounds_table;
    if (table == NULL)
        return TRUE;
    const gsize bytes = (gsize)(table->rows * table->columns) * sizeof(gint32);
    run->launch.both = (CsKernelTable){
        .highest = cs_cuda_memory_place(&run->memory, table->highest, bytes, error),
        .layer = (gint32)table->layer,
        .part = (gint32)table->part,
        .rows = (gint32)table->rows,
        .columns = (gint32)table->columns,
        .above = (gint32)rectangle->above,
        .left_of = (gint32)rectangle->left_of,
    };
    return run->launch.both.highest != NULL;
}

/* The table of gains on the device, if there is one and room for it: the sweep can do without. */
static void
upload_gains(CsRun *run)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsGainTable *table = rectangle->gain_table;
    if (table == NULL || table->count == 0)
        return;
    /* What else comes later, such as rows in progress for a checkpoint, is less than the footprint. */
    const gsize bytes = (gsize)table->count * sizeof(gint32);
    const gint64 later = run->footprint.bytes;
    if (!cs_cuda_device_has_room(
            (gint64)bytes + table->length * (gint64)sizeof(CsKernelGainLine) + later, NULL))
        return;
    g_autofree CsKernelGainLine *lines = g_new(CsKernelGainLine, table->length);
    for (gint64 k = 0; k < table->length; k++)
        lines[k] = (CsKernelGainLine){
            .first = table->lines[k].first,
            .from = (gint32)table->lines[k].from,
            .to = (gint32)table->lines[k].to,
            .counted_from = (gint32)table->lines[k].counted_from,
            .counted_to = (gint32)table->lines[k].counted_to,
            .left = table->lines[k].left,
            .right = table->lines[k].right,
            .beyond = table->lines[k].beyond,
        };
    CsKernelGains gains = {
        .m = (gint32)table->m,
        .n = (gint32)table->n,
        .band = (gint32)table->band,
        .block = (gint32)table->block,
        .above = (gint32)rectangle->above,
        .left_of = (gint32)rectangle->left_of,
    };
    gains.entries = cs_cuda_memory_place(&run->memory, table->entries, bytes, NULL);
    if (gains.entries != NULL)
        gains.lines =
            cs_cuda_memory_place(&run->memory, lines, (gsize)table->length * sizeof *lines, NULL);
    run->launch.gains = gains;
}

/* Uploads everything that the kernels need to skip. */
static gboolean
upload_rule(CsRun *run, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsGrid *grid = run->grid;
    CsKernelLaunch *launch = &run->launch;
    g_assert(rectangle->row_bounds != NULL && rectangle->column_bounds != NULL);
    gint32 threshold = (gint32)MIN(rectangle->threshold, G_MAXINT32);
    launch->open = (gint32)rectangle->scoring.gap_open;
    launch->ticket = &run->totals->tickets;
    launch->trouble = &run->totals->trouble;
    launch->progress = cs_cuda_memory_allocate(
        &run->memory, (gsize)grid->block_rows * sizeof *launch->progress, error);
    if (launch->progress == NULL)
        return FALSE;
    launch->row_bounds = upload_bounds(run, rectangle->row_bounds, grid->block_rows, error);
    if (launch->row_bounds == NULL)
        return FALSE;
    launch->column_bounds =
        upload_bounds(run, rectangle->column_bounds, grid->block_columns, error);
    return launch->column_bounds != NULL && upload_table(run, error) &&
           cs_cuda_memory_upload(&run->memory, launch->best_score, &threshold, sizeof threshold,
                                 error);
}

/* The block columns between which an alignment that matters may enter from above. */
static void
find_top_span(const CsRun *run, gint64 *from, gint64 *until)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsGrid *grid = run->grid;
    *from = *until = 0;
    for (gint64 bj = 0; rectangle->top != NULL && bj < grid->block_columns; bj++) {
        const CsBus *top = rectangle->top;
        CsScore highest = 0;
        /* From the corner on. */
        for (gint64 k = MAX(cs_grid_column_start(grid, bj) - 1, 0);
             k < cs_grid_column_start(grid, bj + 1); k++)
            highest = MAX(highest, cs_width_get(top->width, top->h, k));
        if (cs_skip_rule_holds(&rectangle->scoring, highest,
                               MIN(rectangle->row_bounds[0], rectangle->column_bounds[bj]),
                               rectangle->threshold))
            continue;
        *from = *until == 0 ? bj : *from;
        *until = bj + 1;
    }
}

static CsCudaSpans *
make_spans(const CsRun *run)
{
    const CsRectangle *rectangle = run->rectangle;
    CsCudaSpansOptions options = {
        .grid = run->grid,
        .warps = run->plan.warps,
        .block_chunks = run->plan.block_chunks,
        .slots = run->launch.slots,
        .row_bounds = rectangle->row_bounds,
        .column_bounds = rectangle->column_bounds,
        .table = rectangle->bounds_table,
        .gains = rectangle->gain_table,
        .above = rectangle->above,
        .left_of = rectangle->left_of,
        .threshold = rectangle->threshold,
    };
    find_top_span(run, &options.top_from, &options.top_until);
    return cs_cuda_spans_new(&options);
}

static gboolean
set_up(CsRun *run, GError **error)
{
    Skipping *skipping = skipping_of(run);
    if (!cs_cuda_borders_enter(run, run->launch.bus, error) || !cs_cuda_run_make_rows(run, error) ||
        !upload_rule(run, error) || !cs_cuda_pieces_init(&skipping->pieces, run, error) ||
        !cs_cuda_pieces_attach(&skipping->pieces, run, error))
        return FALSE;
    skipping->columns = g_new(gint64, run->launch.slots);
    skipping->spans = make_spans(run);
    skipping->groups = cs_cuda_groups_new(run, skipping->spans, &skipping->pieces, error);
    if (skipping->groups == NULL)
        return FALSE;
    upload_gains(run);
    return TRUE;
}

static void
clear(CsRun *run)
{
    g_clear_pointer(&skipping_of(run)->groups, cs_cuda_groups_free);
    g_clear_pointer(&skipping_of(run)->spans, cs_cuda_spans_free);
    cs_cuda_pieces_clear(&skipping_of(run)->pieces);
    g_clear_pointer(&skipping_of(run)->columns, g_free);
}

/* How many steps there are depends on what is skipped. Takes as many as keep pace with the diagonals,
 * so that none of them takes long. */
static gboolean
submit(CsRun *run, gint64 d, GError **error)
{
    Skipping *skipping = skipping_of(run);
    const double until = (double)(d + 1) / (double)cs_grid_diagonals(run->grid);
    while (cs_cuda_spans_share(skipping->spans) < until)
        if (!cs_cuda_groups_step(skipping->groups, TRUE, error))
            return FALSE;
    skipping->groups_until[d % CS_CUDA_QUEUE] = cs_cuda_groups_count(skipping->groups);
    return TRUE;
}

/* Steps are not diagonals of the grid, so each diagonal counts as an equal share. */
static gboolean
collect(CsRun *run, gint64 d, CsCollected *collected, GError **error)
{
    Skipping *skipping = skipping_of(run);
    CsCudaGroups *groups = skipping->groups;
    const CsGrid *grid = run->grid;
    const gint64 diagonals = cs_grid_diagonals(grid);
    if (!(d == diagonals - 1
              ? cs_cuda_groups_flatten(groups, TRUE, error)
              : cs_cuda_groups_wait(groups, skipping->groups_until[d % CS_CUDA_QUEUE], error)))
        return FALSE;
    const gint64 finished = cs_cuda_spans_finished(skipping->spans);
    const gint64 begun = MIN(cs_cuda_spans_rows(skipping->spans), finished + run->launch.slots);
    for (gint64 row = finished; row < begun; row++)
        skipping->columns[row - finished] = cs_cuda_spans_column(skipping->spans, row);
    gint64 chunks = cs_cuda_groups_chunks(groups) + (gint64)run->latest.reruns;
    *collected = (CsCollected){
        .cells = grid->m * grid->n / diagonals + (d < grid->m * grid->n % diagonals),
        .cells_computed = (chunks - skipping->chunks_told) * cs_cuda_run_chunk_cells(run),
        .skipped = TRUE,
        .best = cs_cuda_run_best(run),
        .own_order = TRUE,
        .block_rows = finished,
        .columns = skipping->columns,
        .in_progress = begun - finished,
    };
    skipping->chunks_told = chunks;
    return TRUE;
}

/*
 * The horizontal bus after the first block rows have begun: each column has what the last row that
 * came to it left there, or zero if that row skipped it.
 */
static gboolean
download_bus(CsRun *run, CsBus *bus, gint64 rows, GError **error)
{
    const CsCudaSpans *spans = skipping_of(run)->spans;
    memset(bus->h, 0, (gsize)bus->length * bus->width);
    memset(bus->gap, 0, (gsize)bus->length * bus->width);
    for (gint64 done = 0; done < bus->length; rows--) {
        gint64 from, until, to = rows > 0 ? cs_cuda_spans_column(spans, rows - 1) : bus->length;
        cs_cuda_spans_bottom(spans, rows, &from, &until);
        from = MAX(from, done);
        until = MIN(until, to);
        if (from < until &&
            !cs_cuda_memory_download_bus(&run->memory, bus, from, run->launch.bus + from,
                                         until - from, error))
            return FALSE;
        done = MAX(done, to);
    }
    return TRUE;
}

/* Tests set it to 0, so that staircases have rows in progress. */
static double
flatten_seconds(void)
{
    const char *wanted = g_getenv("CHROMOSWEEP_FLATTEN_SECONDS");
    return wanted != NULL ? g_ascii_strtod(wanted, NULL) : FLATTEN_SECONDS;
}

/* Appends the rows in progress as steps. */
static gboolean
copy_rows(CsRun *run, CsStaircase *copy, gint64 begun, GError **error)
{
    Skipping *skipping = skipping_of(run);
    g_auto(CsCudaRisers) risers = {0};
    if (!cs_cuda_risers_prepare(run, error) || !cs_cuda_groups_drain(skipping->groups, error) ||
        !cs_cuda_risers_copy(run, &risers, error))
        return FALSE;
    for (gint64 bi = 0; bi < begun; bi++) {
        const gint64 column = cs_cuda_spans_column(skipping->spans, bi);
        if (column < run->grid->n &&
            !cs_cuda_risers_add(&risers, run, bi % run->launch.slots, bi, column, copy, error))
            return FALSE;
    }
    return TRUE;
}

/*
 * If the rows in progress can be finished soon, as in a narrow band, the staircase is a single row.
 * Finishing them takes less time than a resumed run would need with the borders of so many rows.
 */
static gboolean
staircase(CsRun *run, CsStaircase *copy, GError **error)
{
    Skipping *skipping = skipping_of(run);
    const CsGrid *grid = run->grid;
    const gboolean soon = cs_cuda_groups_seconds_left(skipping->groups) <= flatten_seconds();
    if (soon && !cs_cuda_groups_flatten(skipping->groups, FALSE, error))
        return FALSE;
    /* If the bottom of the last block row was not kept, that row counts as not begun. */
    gint64 begun = cs_cuda_spans_rows(skipping->spans);
    begun -= begun == grid->block_rows && !cs_cuda_run_wants_bottom(run);
    if (!soon && !copy_rows(run, copy, begun, error))
        return FALSE;
    copy->row = grid->row_starts[begun];
    return download_bus(run, copy->horizontal, begun, error);
}

static gboolean
finish(CsRun *run, GError **error)
{
    return run->rectangle->bottom == NULL ||
           download_bus(run, run->rectangle->bottom, run->grid->block_rows, error);
}

const CsCudaLayout cs_cuda_skipping = {
    .size = sizeof(Skipping),
    .set_up = set_up,
    .submit = submit,
    .collect = collect,
    .staircase = staircase,
    .finish = finish,
    .clear = clear,
};
