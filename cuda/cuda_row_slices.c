/*
 * Row slices: every slot sweeps its own rows over all columns, beginning so far above them that
 * what lies further above makes no difference (cuda_plan.h).
 *
 * A submitted diagonal is a whole block, one block row with all columns: as many launches as there
 * are tiers of CUDA blocks, and one that finishes the last. Each slot has its own horizontal bus.
 * The bus of the slot that has the block's last row enters the next block.
 */
#include "cuda/cuda_borders.h"
#include "cuda/cuda_dense.h"

typedef struct {
    CsCudaDense dense;
    CsKernelCell *top;     /* what enters the next block */
    gint32 *starts, *ends; /* device: the launch's, written again for each block */
    gint32 *owned;         /* likewise */
    int bottom_slot;       /* whose bus holds the bottom row */
} RowSlices;

static RowSlices *
row_slices_of(CsRun *run)
{
    return (RowSlices *)run;
}

static CsKernelCell *
bus_of_slot(const CsRun *run, gint64 s)
{
    return run->launch.bus + s * run->launch.bus_stride;
}

static const CsKernelCell *
bottom_bus(CsRun *run)
{
    return bus_of_slot(run, row_slices_of(run)->bottom_slot);
}

/* Bytes of a bus. */
static gsize
bus_bytes(const CsRun *run)
{
    return (gsize)run->launch.bus_stride * sizeof(CsKernelCell);
}

/* Allocates memory for the rows of any block. */
static gboolean
make_rows(CsRun *run, GError **error)
{
    RowSlices *slices = row_slices_of(run);
    CsKernelLaunch *launch = &run->launch;
    const gsize slots = (gsize)launch->slots;
    const gsize bytes = (gsize)run->footprint.tiers * slots * sizeof(gint32);
    launch->starts = slices->starts = cs_cuda_memory_allocate(&run->memory, bytes, error);
    if (slices->starts == NULL)
        return FALSE;
    launch->ends = slices->ends = cs_cuda_memory_allocate(&run->memory, bytes, error);
    if (slices->ends == NULL)
        return FALSE;
    launch->owned = slices->owned =
        cs_cuda_memory_allocate(&run->memory, slots * sizeof(gint32), error);
    return slices->owned != NULL;
}

static gboolean
set_up(CsRun *run, GError **error)
{
    RowSlices *slices = row_slices_of(run);
    run->launch.slot_count = run->launch.slots; /* all have work in every launch */
    slices->top = cs_cuda_memory_allocate(&run->memory, bus_bytes(run), error);
    return slices->top != NULL && cs_cuda_borders_enter(run, slices->top, error) &&
           make_rows(run, error) && cs_cuda_pieces_init(&slices->dense.pieces, run, error) &&
           cs_cuda_dense_make_queue(&slices->dense, error);
}

/* Sets what enters block row bi: `top` for slots that begin at its first row, zero for others. */
static gboolean
enter_top(CsRun *run, gint64 bi, GError **error)
{
    RowSlices *slices = row_slices_of(run);
    CsCudaMemory *memory = &run->memory;
    const gint64 slots = run->launch.slots;
    const gsize bytes = bus_bytes(run);
    gint64 height = run->grid->row_starts[bi + 1] - run->grid->row_starts[bi];
    gint64 own = cs_cuda_plan_own_rows(&run->plan, height);
    if (bi > 0 && !cs_cuda_memory_copy(memory, slices->top, bottom_bus(run), bytes, error))
        return FALSE;
    if (!cs_cuda_memory_fill(memory, run->launch.bus, 0, bytes * (gsize)slots, error))
        return FALSE;
    for (gint64 s = 0; s < slots && s * own <= run->plan.overlap; s++)
        if (!cs_cuda_memory_copy(memory, bus_of_slot(run, s), slices->top, bytes, error))
            return FALSE;
    return TRUE;
}

/* Sets the rows of every slot in block row bi. */
static gboolean
deal_rows(CsRun *run, gint64 bi, GError **error)
{
    RowSlices *slices = row_slices_of(run);
    gint64 slots = run->launch.slots;
    gint64 i0 = run->grid->row_starts[bi], i1 = run->grid->row_starts[bi + 1];
    gint64 height = cs_cuda_plan_block_rows(&run->plan);
    gint64 own = cs_cuda_plan_own_rows(&run->plan, i1 - i0);
    gint64 tiers = cs_cuda_plan_tiers(&run->plan, i1 - i0);
    run->launch.tiers = (gint32)tiers;
    g_autofree gint32 *starts = g_new(gint32, tiers * slots), *ends = g_new(gint32, tiers * slots);
    g_autofree gint32 *owned = g_new(gint32, slots);
    gboolean kept = i1 < cs_rectangle_m(run->rectangle) || cs_cuda_run_wants_bottom(run);
    run->launch.kept_end = kept ? (gint32)i1 : G_MAXINT32;
    for (gint64 s = 0; s < slots; s++) {
        gint64 first = MIN(i1, i0 + s * own), end = MIN(i1, first + own);
        gint64 start = first < end ? MAX(i0, first - run->plan.overlap) : end;
        owned[s] = (gint32)first;
        if (first < end)
            slices->bottom_slot = (int)s;
        for (gint64 b = 0; b < tiers; b++) {
            starts[b * slots + s] = (gint32)MIN(end, start + b * height);
            ends[b * slots + s] = (gint32)MIN(end, start + (b + 1) * height);
        }
    }
    gsize bytes = (gsize)(tiers * slots) * sizeof(gint32);
    return cs_cuda_memory_upload(&run->memory, slices->starts, starts, bytes, error) &&
           cs_cuda_memory_upload(&run->memory, slices->ends, ends, bytes, error) &&
           cs_cuda_memory_upload(&run->memory, slices->owned, owned, (gsize)slots * sizeof(gint32),
                                 error);
}

/* Copies the block's last row to the host if it is a special row. */
static gboolean
fetch_piece(CsRun *run, gint64 bi, GError **error)
{
    CsKernelCell *piece = cs_cuda_pieces_at(&cs_cuda_dense_of(run)->pieces, run, bi, bi);
    return piece == NULL ||
           cs_cuda_memory_fetch(&run->memory, piece, bottom_bus(run),
                                (gsize)run->launch.n * sizeof(CsKernelCell), error);
}

static gboolean
submit(CsRun *run, gint64 bi, GError **error)
{
    if (!enter_top(run, bi, error) || !deal_rows(run, bi, error))
        return FALSE;
    for (gint64 b = 0; b <= run->launch.tiers; b++)
        if (!cs_cuda_dense_launch(run, b, b == run->launch.tiers, error) ||
            (cs_cuda_dense_settles_after(b) && !cs_cuda_dense_settle(run, error)))
            return FALSE;
    return fetch_piece(run, bi, error) && cs_cuda_dense_close(run, bi, TRUE, error);
}

static gboolean
collect(CsRun *run, gint64 bi, CsCollected *collected, GError **error)
{
    return cs_cuda_dense_collect(run, bi, collected, error) &&
           cs_cuda_pieces_hand_out(&cs_cuda_dense_of(run)->pieces, run, bi + 1, error);
}

static gboolean
staircase(CsRun *run, CsStaircase *copy, GError **error)
{
    gint64 begun = run->submitted;
    if (begun == run->grid->block_rows && !cs_cuda_run_wants_bottom(run))
        begun--;
    /* What enters the next block is kept in `top` until that block is submitted. */
    const CsKernelCell *bus =
        begun == 0 || begun < run->submitted ? row_slices_of(run)->top : bottom_bus(run);
    return cs_cuda_dense_leave_right(run, begun, error) &&
           cs_cuda_dense_stand(run, copy, begun, bus, error);
}

static gboolean
finish(CsRun *run, GError **error)
{
    return cs_cuda_dense_finish(run, bottom_bus(run), error);
}

const CsCudaLayout cs_cuda_row_slices = {
    .size = sizeof(RowSlices),
    .set_up = set_up,
    .submit = submit,
    .collect = collect,
    .staircase = staircase,
    .finish = finish,
    .clear = cs_cuda_dense_clear,
};
