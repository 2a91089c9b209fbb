/*
 * The skipping sweep: a wave without tiers. Only blocks that may matter are launched
 * (cuda_spans.h), in groups (cuda_groups.h).
 *
 *     submit(d)    takes as many steps as keep pace with the diagonals
 *     collect(d)   waits for the groups that had begun when d was submitted; for the last d, for
 *     all
 *
 * If several GPUs share it (cuda_members.h), all is done by collect(d), and what is launched may be a few
 * diagonals ahead of what is submitted.
 *
 * It has no right border (cuda_plan.c).
 */
#include <string.h>

#include "cuda/cuda_borders.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_members.h"
#include "cuda/cuda_risers.h"
#include "sweep/skip_rule.h"

/* How long it may take to finish the rows in progress before the state is copied. */
#define FLATTEN_SECONDS 2.0

/* What each GPU has. */
typedef struct {
    CsRun run;
    CsCudaGroups *groups;
    CsCudaPieces pieces;
} Part;

typedef struct {
    Part part; /* of the first GPU */
    CsCudaSpans *spans;
    CsCudaMembers members;
    gint64 groups_until[CS_CUDA_QUEUE]; /* per submitted diagonal: how many groups to wait for */
    gint64 chunks_told;
    gint64 *columns; /* that the rows in progress have reached */
} Skipping;

static Part *
part_of(CsRun *run)
{
    return (Part *)run;
}

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

/* No block waits for a row of another GPU: what it needs from there is on the bus before it is
 * launched. */
static gboolean
skip_waiting(CsRun *run, GError **error)
{
    const CsCudaSeams *seams = &part_of(run)->pieces.seams;
    const gint64 rows = run->grid->block_rows;
    if (seams->owners == NULL)
        return TRUE;
    g_autofree gint32 *progress = g_new0(gint32, rows);
    for (gint64 bi = 0; bi < rows; bi++)
        progress[bi] = seams->owners[bi] != seams->self ? CS_PROGRESS_ALL : 0;
    return cs_cuda_memory_upload(&run->memory, run->launch.progress, progress,
                                 (gsize)rows * sizeof *progress, error);
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
    if (launch->progress == NULL || !skip_waiting(run, error))
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
make_spans(const CsRun *run, const guint8 *owners)
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
        .owners = owners,
    };
    find_top_span(run, &options.top_from, &options.top_until);
    return cs_cuda_spans_new(&options);
}

/* Of each GPU. */
static gboolean
set_up_part(CsRun *run, GError **error)
{
    Part *part = part_of(run);
    if (!cs_cuda_borders_enter(run, run->launch.bus, error) || !cs_cuda_run_make_rows(run, error) ||
        !upload_rule(run, error) || !cs_cuda_pieces_init(&part->pieces, run, error) ||
        !cs_cuda_pieces_attach(&part->pieces, run, error))
        return FALSE;
    upload_gains(run);
    return TRUE;
}

/* Deals the rows to this GPU and the others. */
static void
make_members(CsRun *run)
{
    CsCudaMembers *members = &skipping_of(run)->members;
    members->count = 1 + run->n_others;
    members->member = g_new0(CsCudaMember, members->count);
    members->member[0].run = run;
    for (guint k = 1; k < members->count; k++)
        members->member[k].run = run->others[k - 1];
    if (members->count == 1)
        return;
    g_autofree guint *speeds = g_new(guint, members->count);
    for (guint k = 0; k < members->count; k++)
        speeds[k] = members->member[k].run->speed;
    members->owners = cs_cuda_members_deal(run->grid->block_rows, speeds, members->count);
    for (guint k = 0; k < members->count; k++)
        part_of(members->member[k].run)->pieces.seams =
            (CsCudaSeams){members->owners, k, cs_cuda_members_pass, members};
}

/* Names the member whose failure it is, if there are several. Returns FALSE. */
static gboolean
fail(const CsCudaMembers *members, guint k, GError **error)
{
    return members->count > 1 && cs_cuda_members_name(k, error);
}

static gboolean
make_groups(CsCudaMembers *members, guint k, GError **error)
{
    CsCudaMember *member = &members->member[k];
    Part *part = part_of(member->run);
    part->groups = cs_cuda_groups_new(member->run, members->spans, &part->pieces, error);
    member->groups = part->groups;
    return part->groups != NULL;
}

static gboolean
set_up(CsRun *run, GError **error)
{
    Skipping *skipping = skipping_of(run);
    CsCudaMembers *members = &skipping->members;
    make_members(run);
    if (!set_up_part(run, error))
        return fail(members, 0, error);
    skipping->columns = g_new(gint64, run->launch.slots);
    skipping->spans = members->spans = make_spans(run, members->owners);
    if (!make_groups(members, 0, error))
        return fail(members, 0, error);
    for (guint k = 1; k < members->count; k++)
        if (!cs_cuda_members_enter(members, k, error) ||
            !cs_cuda_run_set_up(members->member[k].run, error) || !make_groups(members, k, error))
            return cs_cuda_members_name(k, error);
    return cs_cuda_members_enter(members, 0, error);
}

static void
clear_part(CsRun *run)
{
    g_clear_pointer(&part_of(run)->groups, cs_cuda_groups_free);
    cs_cuda_pieces_clear(&part_of(run)->pieces);
}

static void
clear(CsRun *run)
{
    Skipping *skipping = skipping_of(run);
    for (guint k = 0; k < run->n_others; k++)
        cs_cuda_run_free(run->others[k]);
    (void)cudaSetDevice(run->ordinal);
    clear_part(run);
    g_clear_pointer(&skipping->spans, cs_cuda_spans_free);
    g_clear_pointer(&skipping->members.owners, g_free);
    g_clear_pointer(&skipping->members.member, g_free);
    g_clear_pointer(&skipping->columns, g_free);
}

/* How many steps there are depends on what is skipped. Takes as many as keep pace with the diagonals,
 * so that none of them takes long. */
static gboolean
submit(CsRun *run, gint64 d, GError **error)
{
    Skipping *skipping = skipping_of(run);
    CsCudaGroups *groups = skipping->part.groups;
    const double until = (double)(d + 1) / (double)cs_grid_diagonals(run->grid);
    if (skipping->members.count > 1)
        return TRUE;
    while (cs_cuda_spans_share(skipping->spans) < until)
        if (!cs_cuda_groups_step(groups, TRUE, error))
            return FALSE;
    skipping->groups_until[d % CS_CUDA_QUEUE] = cs_cuda_groups_count(groups);
    return TRUE;
}

/* Waits for what diagonal d stands for. */
static gboolean
wait_for(CsRun *run, gint64 d, GError **error)
{
    Skipping *skipping = skipping_of(run);
    CsCudaGroups *groups = skipping->part.groups;
    const gint64 diagonals = cs_grid_diagonals(run->grid);
    if (skipping->members.count > 1)
        return cs_cuda_members_sweep(&skipping->members,
                                     d == diagonals - 1 ? 1 : (double)(d + 1) / (double)diagonals,
                                     error);
    return d == diagonals - 1
               ? cs_cuda_groups_flatten(groups, TRUE, error)
               : cs_cuda_groups_wait(groups, skipping->groups_until[d % CS_CUDA_QUEUE], error);
}

/* Makes the best cell of all GPUs that of this one. */
static void
merge_best(CsRun *run)
{
    CsBest best = cs_cuda_run_best(run);
    for (guint k = 0; k < run->n_others; k++) {
        const CsBest other = cs_cuda_run_best(run->others[k]);
        if (other.score > 0)
            cs_best_merge(&best, run->rectangle->tie_order, &other);
    }
    run->latest.best.score = (gint32)best.score;
    run->latest.best.i = (gint32)best.i;
    run->latest.best.j = (gint32)best.j;
}

static gint64
count_chunks(const CsCudaMembers *members)
{
    gint64 chunks = 0;
    for (guint k = 0; k < members->count; k++)
        chunks += cs_cuda_groups_chunks(members->member[k].groups) +
                  (gint64)members->member[k].run->latest.reruns;
    return chunks;
}

/* Steps are not diagonals of the grid, so each diagonal counts as an equal share. */
static gboolean
collect(CsRun *run, gint64 d, CsCollected *collected, GError **error)
{
    Skipping *skipping = skipping_of(run);
    const CsGrid *grid = run->grid;
    const gint64 diagonals = cs_grid_diagonals(grid);
    if (!wait_for(run, d, error))
        return FALSE;
    const gint64 finished = cs_cuda_spans_finished(skipping->spans);
    const gint64 begun = MIN(cs_cuda_spans_rows(skipping->spans), finished + run->launch.slots);
    for (gint64 row = finished; row < begun; row++)
        skipping->columns[row - finished] = cs_cuda_spans_column(skipping->spans, row);
    const gint64 chunks = count_chunks(&skipping->members);
    merge_best(run);
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

/* Downloads columns from + 1 .. until of a member's bus. */
static gboolean
download_columns(const CsCudaMembers *members, guint k, CsBus *bus, gint64 from, gint64 until,
                 GError **error)
{
    CsRun *run = members->member[k].run;
    if (cs_cuda_members_enter(members, k, error) &&
        cs_cuda_memory_download_bus(&run->memory, bus, from, run->launch.bus + from, until - from,
                                    error))
        return TRUE;
    return fail(members, k, error);
}

/*
 * The horizontal bus after the first block rows have begun: each column has what the last row that
 * came to it left there, or zero if that row skipped it. It is in the bus of the GPU that has the row.
 */
static gboolean
download_bus(CsRun *run, CsBus *bus, gint64 rows, GError **error)
{
    const CsCudaSpans *spans = skipping_of(run)->spans;
    const CsCudaMembers *members = &skipping_of(run)->members;
    memset(bus->h, 0, (gsize)bus->length * bus->width);
    memset(bus->gap, 0, (gsize)bus->length * bus->width);
    for (gint64 done = 0; done < bus->length; rows--) {
        const guint owner = rows > 0 ? cs_cuda_spans_owner(spans, rows - 1) : 0;
        gint64 from, until, to = rows > 0 ? cs_cuda_spans_column(spans, rows - 1) : bus->length;
        cs_cuda_spans_bottom(spans, rows, &from, &until);
        from = MAX(from, done);
        until = MIN(until, to);
        if (from < until && !download_columns(members, owner, bus, from, until, error))
            return FALSE;
        done = MAX(done, to);
    }
    return cs_cuda_members_enter(members, 0, error);
}

/* Tests set it to 0, so that staircases have rows in progress. */
static double
flatten_seconds(void)
{
    const char *wanted = g_getenv("CHROMOSWEEP_FLATTEN_SECONDS");
    return wanted != NULL ? g_ascii_strtod(wanted, NULL) : FLATTEN_SECONDS;
}

/* Appends a GPU's rows in progress as steps. */
static gboolean
copy_rows(const CsCudaMembers *members, guint k, CsStaircase *copy, gint64 begun, GError **error)
{
    CsRun *run = members->member[k].run;
    g_auto(CsCudaRisers) risers = {0};
    if (!cs_cuda_members_enter(members, k, error) || !cs_cuda_risers_prepare(run, error) ||
        !cs_cuda_groups_drain(members->member[k].groups, error) ||
        !cs_cuda_risers_copy(run, &risers, error))
        return FALSE;
    for (gint64 bi = 0; bi < begun; bi++) {
        const gint64 column = cs_cuda_spans_column(members->spans, bi);
        if (column < run->grid->n && cs_cuda_spans_owner(members->spans, bi) == k &&
            !cs_cuda_risers_add(&risers, run, bi % run->launch.slots, bi, column, copy, error))
            return FALSE;
    }
    return TRUE;
}

/* Finishes the rows in progress and waits for them. */
static gboolean
flatten(CsCudaMembers *members, GError **error)
{
    return members->count > 1 ? cs_cuda_members_flatten(members, error)
                              : cs_cuda_groups_flatten(members->member[0].groups, FALSE, error);
}

/*
 * If the rows in progress can be finished soon, as in a narrow band, the staircase is a single row.
 * Finishing them takes less time than a resumed run would need with the borders of so many rows.
 */
static gboolean
staircase(CsRun *run, CsStaircase *copy, GError **error)
{
    Skipping *skipping = skipping_of(run);
    CsCudaMembers *members = &skipping->members;
    const CsGrid *grid = run->grid;
    const gboolean soon = cs_cuda_members_seconds_left(members) <= flatten_seconds();
    if (soon ? !flatten(members, error)
             : members->count > 1 && !cs_cuda_members_wait(members, error))
        return FALSE;
    /* If the bottom of the last block row was not kept, that row counts as not begun. */
    gint64 begun = cs_cuda_spans_rows(skipping->spans);
    begun -= begun == grid->block_rows && !cs_cuda_run_wants_bottom(run);
    for (guint k = 0; !soon && k < members->count; k++)
        if (!copy_rows(members, k, copy, begun, error))
            return fail(members, k, error);
    cs_staircase_sort(copy);
    copy->row = grid->row_starts[begun];
    if (!download_bus(run, copy->horizontal, begun, error))
        return FALSE;
    merge_best(run);
    return TRUE;
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

const CsCudaLayout cs_cuda_skipping_other = {
    .size = sizeof(Part),
    .set_up = set_up_part,
    .clear = clear_part,
};
