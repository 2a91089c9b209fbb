/* A sweep's memory and state on the device. */
#include <chromosweep/error.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_run.h"

gboolean
cs_cuda_run_wants_bottom(const CsRun *run)
{
    return run->rectangle->bottom != NULL ||
           cs_rectangle_is_special(run->rectangle, cs_rectangle_m(run->rectangle));
}

gboolean
cs_cuda_run_leaves_bounds(const CsRun *run)
{
    return run->rectangle->skipped || cs_rectangle_may_skip(run->rectangle);
}

gint64
cs_cuda_run_chunk_cells(const CsRun *run)
{
    return (gint64)cs_kernel_strip_rows(run->plan.kernel) * CS_CHUNK;
}

CsBest
cs_cuda_run_best(const CsRun *run)
{
    const CsKernelBest *best = &run->latest.best;
    return (CsBest){best->score, best->i, best->j};
}

gint32
cs_cuda_run_known(const CsRun *run)
{
    return (gint32)run->latest.score;
}

gboolean
cs_cuda_run_make_rows(CsRun *run, GError **error)
{
    const CsGrid *grid = run->grid;
    CsKernelLaunch *launch = &run->launch;
    const gint64 count = run->footprint.tiers * launch->slots;
    const gsize bytes = (gsize)count * sizeof(gint32);
    gint32 *starts = cs_cuda_memory_allocate(&run->memory, bytes, error);
    gint32 *ends = starts != NULL ? cs_cuda_memory_allocate(&run->memory, bytes, error) : NULL;
    if (ends == NULL)
        return FALSE;
    launch->tiers = (gint32)run->footprint.tiers;
    launch->starts = starts;
    launch->ends = ends;
    g_autofree gint32 *rows = g_new(gint32, count + 1);
    for (gint64 bi = 0; bi <= count; bi++)
        rows[bi] = (gint32)grid->row_starts[MIN(bi, grid->block_rows)];
    return cs_cuda_memory_upload(&run->memory, starts, rows, bytes, error) &&
           cs_cuda_memory_upload(&run->memory, ends, rows + 1, bytes, error);
}

/* What every launch needs to know of the problem and the grid. */
static CsKernelLaunch
launch_of(const CsRun *run)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsScoring *scoring = &rectangle->scoring;
    const CsCudaPlan *plan = &run->plan;
    return (CsKernelLaunch){
        .n = (gint32)cs_rectangle_n(rectangle),
        .match = (gint32)scoring->match,
        .mismatch = (gint32)scoring->mismatch,
        .first = (gint32)cs_scoring_first_gap(scoring),
        .extend = (gint32)scoring->gap_extend,
        .columns_first = rectangle->tie_order == CS_TIE_COLUMN_FIRST,
        .corner = (gint32)rectangle->corner,
        .kept_end = -1,
        .loose_end = cs_cuda_run_wants_bottom(run) ? -1 : (gint32)cs_rectangle_m(rectangle),
        .slots = (gint32)run->footprint.slots,
        .block_columns = plan->sliced ? 1 : (gint32)run->grid->block_columns,
        .block_chunks = plan->block_chunks,
        .stagger = !plan->sliced,
        .full = plan->full,
        .lowered = G_MAXINT32,
        .bus_stride = plan->sliced ? run->footprint.bus_cells : 0,
        .warps = plan->warps,
    };
}

/* Allocates totals, horizontal buses, and what the warps keep from launch to launch. */
static gboolean
make_state(CsRun *run, GError **error)
{
    CsCudaMemory *memory = &run->memory;
    CsKernelLaunch *launch = &run->launch;
    const int words = run->plan.kernel->words;
    const gsize warps = (gsize)launch->slots * (gsize)launch->warps;
    const gsize cells = (gsize)run->footprint.bus_cells * (gsize)run->footprint.buses;
    const gsize pending = warps * CS_PENDING;
    const gsize lanes = warps * 32 * CS_STATE_WORDS(words) * sizeof(guint32);
    const gsize pending_bytes = pending * (gsize)CS_PENDING_WORDS(words) * sizeof(guint32);
    if ((run->totals = cs_cuda_memory_allocate(memory, sizeof *run->totals, error)) == NULL ||
        (launch->bus = cs_cuda_memory_allocate(memory, cells * sizeof(CsKernelCell), error)) ==
            NULL ||
        (launch->state = cs_cuda_memory_allocate(memory, lanes, error)) == NULL ||
        (launch->rings = cs_cuda_memory_allocate(memory, warps * CS_RING * 8, error)) == NULL ||
        (launch->bases = cs_cuda_memory_allocate(memory, warps * 4 * sizeof(gint32), error)) ==
            NULL ||
        (launch->pending = cs_cuda_memory_allocate(memory, pending_bytes, error)) == NULL ||
        (launch->bounds = cs_cuda_memory_allocate(memory, pending * sizeof(gint32), error)) ==
            NULL ||
        (launch->bests = cs_cuda_memory_allocate(memory, warps * sizeof(CsKernelBest), error)) ==
            NULL)
        return FALSE;
    launch->best = &run->totals->best;
    launch->reruns = &run->totals->reruns;
    launch->best_score = (gint32 *)&run->totals->score;
    return cs_cuda_memory_fill(memory, launch->bounds, 0xff, pending * sizeof(gint32), error);
}

/* No squares are marked yet. */
static gboolean
make_marks(CsRun *run, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsEndMarks *marks = rectangle->marks;
    CsKernelLaunch *launch = &run->launch;
    if (marks == NULL)
        return TRUE;
    launch->marks =
        cs_cuda_memory_allocate(&run->memory, (gsize)(marks->rows * marks->columns), error);
    launch->mark_least = launch->lowered = (gint32)MIN(marks->least, G_MAXINT32 / 2);
    launch->mark_unit = (gint32)MIN(marks->unit, G_MAXINT32);
    launch->mark_columns = (gint32)marks->columns;
    launch->mark_above = (gint32)rectangle->above;
    launch->mark_left_of = (gint32)rectangle->left_of;
    return launch->marks != NULL;
}

gboolean
cs_cuda_run_take_marks(CsRun *run, GError **error)
{
    const CsEndMarks *marks = run->rectangle->marks;
    if (marks == NULL)
        return TRUE;
    const gsize count = (gsize)(marks->rows * marks->columns);
    g_autofree guint8 *there = g_try_malloc(count);
    if (there == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory to fetch marks from the device");
        return FALSE;
    }
    if (!cs_cuda_memory_download(&run->memory, there, run->launch.marks, count, error))
        return FALSE;
    for (gsize k = 0; k < count; k++)
        marks->marked[k] |= there[k];
    return TRUE;
}

CsRun *
cs_cuda_run_new(const CsCudaLayout *layout, const CsRectangle *rectangle, const CsGrid *grid,
                const CsCudaPlan *plan, int ordinal, GError **error)
{
    const CsCudaFootprint footprint = cs_cuda_footprint_of(rectangle, plan, grid);
    if (!cs_cuda_device_has_room(footprint.bytes, error))
        return NULL;
    CsRun *run = g_malloc0(layout->size);
    *run = (CsRun){
        .layout = layout,
        .rectangle = rectangle,
        .grid = grid,
        .plan = *plan,
        .footprint = footprint,
        .ordinal = ordinal,
    };
    return run;
}

gboolean
cs_cuda_run_set_up(CsRun *run, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    CsCudaMemory *memory = &run->memory;
    if (!cs_cuda_memory_init(memory, error))
        return FALSE;
    run->launch = launch_of(run);
    return cs_cuda_memory_upload_codes(memory, &rectangle->rows, &run->launch.rows, error) &&
           cs_cuda_memory_upload_codes(memory, &rectangle->columns, &run->launch.columns, error) &&
           make_state(run, error) && make_marks(run, error) && run->layout->set_up(run, error) &&
           cs_cuda_check(cudaStreamSynchronize(memory->stream), "setting up the device", error);
}

void
cs_cuda_run_free(CsRun *run)
{
    (void)cudaSetDevice(run->ordinal);
    if (run->memory.stream != NULL)
        (void)cudaStreamSynchronize(run->memory.stream);
    run->layout->clear(run);
    if (run->launch.rows != 0)
        (void)cudaDestroyTextureObject(run->launch.rows);
    if (run->launch.columns != 0)
        (void)cudaDestroyTextureObject(run->launch.columns);
    if (run->memory.blocks != NULL)
        cs_cuda_memory_clear(&run->memory);
    g_free(run->others);
    g_free(run);
}
