/*
 * The wave: slots that are one block apart, each with its own block rows.
 *
 *     submit(d)    launches diagonal d (cuda_dense.h); after the last one, another short phase
 *     collect(d)   waits for d, hands out the pieces of special rows of d - 1
 *
 * Both because the bottom row of a block is complete only after the next diagonal's short phase.
 * All slots share one horizontal bus, in place. In a ring, feed() writes to it, too.
 */
#include "cuda/cuda_borders.h"
#include "cuda/cuda_dense.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_risers.h"

static gboolean
set_up(CsRun *run, GError **error)
{
    CsCudaDense *dense = cs_cuda_dense_of(run);
    return cs_cuda_borders_enter(run, run->launch.bus, error) &&
           cs_cuda_run_make_rows(run, error) && cs_cuda_pieces_init(&dense->pieces, run, error) &&
           cs_cuda_pieces_attach(&dense->pieces, run, error) &&
           cs_cuda_feed_init(&dense->feed, run, error) && cs_cuda_dense_make_queue(dense, error);
}

static gboolean
is_last(const CsRun *run, gint64 d)
{
    return d == cs_grid_diagonals(run->grid) - 1;
}

/* The range of slots that have a block, or the rest of one, in the diagonal. */
static void
choose_slots(CsRun *run, gint64 diagonal)
{
    CsKernelLaunch *launch = &run->launch;
    launch->slot_from = launch->slot_count = 0;
    for (gint32 s = 0; s < launch->slots; s++) {
        gint64 q = diagonal - s;
        if (q < 0 || q > cs_grid_slot_blocks(run->grid, s))
            continue;
        if (launch->slot_count == 0)
            launch->slot_from = s;
        launch->slot_count = s + 1 - launch->slot_from;
    }
    g_assert(launch->slot_count > 0);
}

static gboolean
launch_diagonal(CsRun *run, gint64 diagonal, gboolean last, GError **error)
{
    choose_slots(run, diagonal);
    return cs_cuda_dense_launch(run, diagonal, last, error);
}

static gboolean
submit(CsRun *run, gint64 d, GError **error)
{
    const gboolean last = is_last(run, d);
    return launch_diagonal(run, d, FALSE, error) &&
           (!last || launch_diagonal(run, d + 1, TRUE, error)) &&
           cs_cuda_dense_close(run, d, last || cs_cuda_dense_settles_after(d), error);
}

static gboolean
collect(CsRun *run, gint64 d, CsCollected *collected, GError **error)
{
    return cs_cuda_dense_collect(run, d, collected, error) &&
           cs_cuda_pieces_hand_out(&cs_cuda_dense_of(run)->pieces, run, d + is_last(run, d), error);
}

/* Finishes the delegated triangle of every slot inside a row, without changing the run's state. */
static gboolean
drain(CsRun *run, GError **error)
{
    if (!cs_cuda_risers_prepare(run, error))
        return FALSE;
    CsKernelLaunch launch = run->launch;
    /* The last diagonal was submitted together with the one after it. */
    launch.diagonal = run->submitted + (run->submitted == cs_grid_diagonals(run->grid));
    launch.drain = TRUE;
    launch.slot_from = 0;
    launch.slot_count = launch.slots;
    return cs_cuda_check(run->plan.kernel->sweep(&launch, run->memory.stream), "launching a kernel",
                         error) &&
           cs_cuda_dense_settle(run, error) &&
           cs_cuda_memory_download(&run->memory, &run->latest, run->totals, sizeof run->latest,
                                   error);
}

/* Appends the steps of slots inside rows, and finds how many block rows have begun. */
static gboolean
copy_steps(CsRun *run, CsStaircase *copy, gint64 *begun, GError **error)
{
    const CsGrid *grid = run->grid;
    gint64 complete = 0; /* block rows: they end from top to bottom, so these are the first */
    g_auto(CsCudaRisers) risers = {0};
    /* The drain also finishes the bottom rows of the last diagonal. */
    if (!drain(run, error) || !cs_cuda_risers_copy(run, &risers, error) ||
        !cs_cuda_pieces_hand_out(&cs_cuda_dense_of(run)->pieces, run, run->submitted, error))
        return FALSE;
    for (gint64 s = 0; s < grid->depth; s++) {
        gint64 q = CLAMP(run->submitted - s, 0, cs_grid_slot_blocks(grid, s));
        /* If the bottom of the last block row was not kept, that row counts as not begun. */
        if (!cs_cuda_run_wants_bottom(run) && (grid->block_rows - 1) % grid->depth == s)
            q = MIN(q, cs_grid_slot_blocks(grid, s) - grid->block_columns);
        gint64 rows = q / grid->block_columns;
        gboolean amid = q % grid->block_columns != 0;
        if (rows + amid > 0)
            *begun = MAX(*begun, (rows + amid - 1) * grid->depth + s + 1);
        complete += rows;
        if (amid &&
            !cs_cuda_risers_add(&risers, run, s, rows * grid->depth + s,
                                cs_grid_column_start(grid, q % grid->block_columns), copy, error))
            return FALSE;
    }
    cs_staircase_sort(copy);
    return cs_cuda_dense_leave_right(run, complete, error);
}

static gboolean
staircase(CsRun *run, CsStaircase *copy, GError **error)
{
    gint64 begun = 0;
    return copy_steps(run, copy, &begun, error) &&
           cs_cuda_dense_stand(run, copy, begun, run->launch.bus, error);
}

static gboolean
finish(CsRun *run, GError **error)
{
    return cs_cuda_dense_finish(run, run->launch.bus, error);
}

static gboolean
feed(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f, GError **error)
{
    return cs_cuda_feed_cells(&cs_cuda_dense_of(run)->feed, run, from, count, h, f, error);
}

const CsCudaLayout cs_cuda_wave = {
    .size = sizeof(CsCudaDense),
    .set_up = set_up,
    .feed = feed,
    .submit = submit,
    .collect = collect,
    .staircase = staircase,
    .finish = finish,
    .clear = cs_cuda_dense_clear,
};
