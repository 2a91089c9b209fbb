/*
 * The engine of NVIDIA GPUs: what stands on the device, and which launches make a diagonal.
 *
 * Each external diagonal d is queued on one stream as
 *
 *     short phase of d | long phase of d | now and then: settle, totals to the host | event d
 *
 * and nothing waits but collect(), for the event of a diagonal that is `queue` behind. The bottom
 * row of a block is complete after the next diagonal's short phase; so the pieces of special rows
 * of diagonal d are handed out with d + 1, and one more short phase follows the last diagonal.
 *
 * The horizontal bus is in place, n cells of 8 bytes. With row chunks (cuda_plan.h) there is one
 * bus for each slot, and one submitted diagonal is a whole block of them.
 *
 * Device memory: 8 n + (n + m) / 2 bytes and what does not grow with the sequences but for 16
 * bytes a block row; 8 m more for a left and a right border each where they are wanted.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "cuda/cuda_band.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_engine.h"
#include "cuda/cuda_plan.h"
#include "sweep/pruning_rule.h"

enum {
    QUEUE = 32,
    PIECES = QUEUE + 2, /* diagonals whose pieces of special rows are held */
    SETTLE_OFTEN = 64,  /* diagonals at the start, when the best score is low */
    SETTLE_EVERY = 4,   /* after that */
    PACK = 1 << 20,     /* letters packed at a time; a multiple of CS_CODES */
};

/* What the rows under way of a pruned sweep may take to be ended before its state is copied. */
#define FLATTEN_SECONDS 2.0

/* Of host memory, more than a context of CUDA takes with what the driver maps. */
#define DRIVER_BYTES ((gint64)1 << 30)

/* A diagonal under way. */
typedef struct {
    cudaEvent_t event;
    gboolean settled; /* totals were copied */
    gint64 groups;    /* pruned: to wait for instead of the event */
} Diagonal;

struct _CsRun {
    const CsRectangle *rectangle;
    const CsGrid *grid;
    CsCudaPlan plan;
    int ordinal;
    cudaStream_t stream;
    GPtrArray *device; /* memory, freed at the end */
    Diagonal diagonals[QUEUE];
    CsCudaTotals *totals; /* host: of each diagonal under way */
    CsCudaTotals *all;    /* device */
    CsCudaTotals latest;
    guint64 reruns_told;
    CsKernelLaunch launch;
    CsKernelCell *pieces;  /* host: what launch.pieces is on the device */
    gint32 *special;       /* host copy of launch.special, by block row */
    gint64 n_places;       /* special rows of a band */
    CsKernelCell *top;     /* row chunks: what enters the next block */
    gint32 *starts, *ends; /* device: launch's, written anew for each block of row chunks */
    gint32 *owned;
    int bottom_slot; /* row chunks: whose bus holds the bottom row */
    gint64 submitted, collected;
    gint64 handed_out; /* diagonals whose pieces of special rows were */
    gint64 right_left; /* rows whose right border staircases have copied out */
    CsCudaBand *band;  /* of a pruned sweep, else NULL */
    gint64 chunks_told;
    gint64 steps; /* of the band */
};

/* Bytes of device memory, all zero; they live as long as the run. */
static gpointer
allocate(CsRun *run, gsize bytes, GError **error)
{
    void *memory;
    if (!cs_cuda_check(cudaMalloc(&memory, MAX(bytes, 16)), "device memory", error))
        return NULL;
    g_ptr_array_add(run->device, memory);
    if (!cs_cuda_check(cudaMemsetAsync(memory, 0, MAX(bytes, 16), run->stream), "clearing memory",
                       error))
        return NULL;
    return memory;
}

static gboolean
upload(CsRun *run, void *device, const void *host, gsize bytes, GError **error)
{
    return cs_cuda_check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, run->stream),
                         "copying to the device", error);
}

static gboolean
download(CsRun *run, void *host, const void *device, gsize bytes, GError **error)
{
    return cs_cuda_check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, run->stream),
                         "copying from the device", error) &&
           cs_cuda_check(cudaStreamSynchronize(run->stream), "running on the device", error);
}

/* A sequence on the device, 4 bits a letter, as a texture. */
static gboolean
upload_codes(CsRun *run, const CsView *view, cudaTextureObject_t *texture, GError **error)
{
    gsize texels = (gsize)cs_divide_up(view->length, CS_CODES);
    guint32 *device = allocate(run, texels * sizeof(guint32), error);
    if (device == NULL)
        return FALSE;
    g_autofree guint8 *codes = g_malloc(PACK);
    g_autofree guint32 *packed = g_malloc(PACK / CS_CODES * sizeof(guint32));
    for (gint64 from = 0; from < view->length; from += PACK) {
        gint64 count = MIN(PACK, view->length - from);
        CsView part = cs_view_slice(view, from, count);
        cs_view_read(&part, CS_ROW_AMBIGUOUS, codes);
        memset(codes + count, CS_CODE_AMBIGUOUS, (gsize)(PACK - count));
        gsize words = (gsize)cs_divide_up(count, CS_CODES);
        for (gsize word = 0; word < words; word++) {
            guint32 bits = 0;
            for (guint k = 0; k < CS_CODES; k++)
                bits |= (guint32)codes[word * CS_CODES + k] << 4 * k;
            packed[word] = bits;
        }
        if (!upload(run, device + from / CS_CODES, packed, words * sizeof(guint32), error))
            return FALSE;
    }
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = MAX(texels * sizeof(guint32), 16);
    struct cudaTextureDesc description = {.readMode = cudaReadModeElementType};
    return cs_cuda_check(cudaCreateTextureObject(texture, &resource, &description, NULL),
                         "a texture of the sequence", error);
}

static CsKernelCell
cell_of(const CsBus *bus, gint64 k)
{
    CsKernelCell cell;
    cs_width_set(CS_WIDTH_32, &cell.h, 0, cs_width_get(bus->width, bus->h, k));
    cs_width_set(CS_WIDTH_32, &cell.gap, 0, cs_width_get(bus->width, bus->gap, k));
    return cell;
}

static gboolean
upload_bus(CsRun *run, CsKernelCell *device, const CsBus *bus, GError **error)
{
    g_autofree CsKernelCell *cells = g_new(CsKernelCell, PACK);
    for (gint64 from = 0; from < bus->length; from += PACK) {
        gint64 count = MIN(PACK, bus->length - from);
        for (gint64 k = 0; k < count; k++)
            cells[k] = cell_of(bus, from + k);
        if (!upload(run, device + from, cells, (gsize)count * sizeof *cells, error))
            return FALSE;
    }
    return TRUE;
}

static void
put_cells(CsBus *bus, gint64 to, const CsKernelCell *cells, gint64 count)
{
    for (gint64 k = 0; k < count; k++) {
        cs_width_set(bus->width, bus->h, to + k, cs_width_get(CS_WIDTH_32, &cells[k].h, 0));
        cs_width_set(bus->width, bus->gap, to + k, cs_width_get(CS_WIDTH_32, &cells[k].gap, 0));
    }
}

/* So many cells from the device into a bus, where they begin at cell to + 1. */
static gboolean
download_bus(CsRun *run, CsBus *bus, gint64 to, const CsKernelCell *device, gint64 count,
             GError **error)
{
    g_autofree CsKernelCell *cells = g_new(CsKernelCell, MIN(PACK, count) + 1);
    for (gint64 from = 0; from < count; from += PACK) {
        gint64 some = MIN(PACK, count - from);
        if (!download(run, cells, device + from, (gsize)some * sizeof *cells, error))
            return FALSE;
        put_cells(bus, to + from, cells, some);
    }
    return TRUE;
}

/* Cells that the bus of one wave has, padding included. */
static gint64
bus_cells(const CsCudaPlan *plan, const CsGrid *grid)
{
    return (plan->chunked ? 1 : grid->block_columns) * (gint64)plan->block_chunks * CS_CHUNK;
}

static gint64
slots_of(const CsCudaPlan *plan, const CsGrid *grid)
{
    if (plan->pruned)
        return cs_cuda_plan_pruned_slots(grid->block_rows, grid->block_columns);
    return plan->chunked ? plan->slots_at_most : grid->depth;
}

/* Row chunks: how many rows of its own a slot has, and how many bands there are, in a block of so
 * many rows. */
static gint64
rows_of_slot(const CsCudaPlan *plan, gint64 rows)
{
    return cs_divide_up(rows, plan->slots_at_most);
}

static gint64
bands_of_chunks(const CsCudaPlan *plan, gint64 rows)
{
    gint64 height = (gint64)plan->warps * cs_kernel_strip_rows(plan->kernel);
    return cs_divide_up(rows_of_slot(plan, rows) + plan->overlap, height);
}

/* Whether more than zero enters from the left. */
static gboolean
needs_left(const CsRectangle *rectangle)
{
    return rectangle->left != NULL || rectangle->kind == CS_KIND_ANCHORED || rectangle->corner != 0;
}

/* Device memory of a run, in bytes. */
static gint64
memory_needed(const CsRectangle *rectangle, const CsCudaPlan *plan, const CsGrid *grid)
{
    gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    gint64 slots = slots_of(plan, grid);
    gint64 buses = plan->chunked ? slots_of(plan, grid) + 1 : 1;
    gint64 borders = needs_left(rectangle) + (rectangle->right != NULL);
    /* Rows of each block row, and a step's border of each slot (drain()). */
    gint64 rows = plan->chunked
                      ? 8 * slots_of(plan, grid) * bands_of_chunks(plan, grid->block_height)
                      : 16 * grid->block_rows + 8 * slots * grid->block_height;
    if (plan->pruned)
        rows += cs_cuda_band_memory(slots) + 8 * (grid->block_rows + grid->block_columns) +
                CS_BOUNDS_TABLE_BYTES;
    return (m + n) / 2 + 8 * bus_cells(plan, grid) * buses + 8 * m * borders +
           slots * cs_cuda_plan_slot_memory(plan) + rows + (1 << 20);
}

/* The size of a device; of a small one where it cannot be asked for. */
static CsCudaSize
size_of(int ordinal)
{
    CsCudaSize size = {1, 48 << 10, 64 << 10, 0};
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess)
        size.memory = (gint64)properties.totalGlobalMem;
    (void)cudaDeviceGetAttribute(&size.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal);
    (void)cudaDeviceGetAttribute(&size.shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 ordinal);
    (void)cudaDeviceGetAttribute(&size.shared_multiprocessor,
                                 cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal);
    return size;
}

static const char *
describe(const char *device, GError **error)
{
    int ordinal;
    return cs_cuda_device_open(device, &ordinal, error) ? cs_cuda_device_name(ordinal, error)
                                                        : NULL;
}

static void
make_shape(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    /* Where there is no device or no way to compute this, accepts() and begin() say so. */
    int ordinal = 0;
    (void)cs_cuda_device_open(options->device, &ordinal, NULL);
    CsCudaSize size = size_of(ordinal);
    CsCudaPlan plan;
    if (cs_cuda_plan_make(rectangle, options, &size, shape, &plan, NULL))
        return;
    shape->block_height = MAX(shape->block_height, 1);
    shape->block_width = MAX(shape->block_width, 1);
    shape->depth = MAX(shape->depth, 1);
}

/* Whether the build has code for the device, and how many blocks it runs at once. */
static gboolean
check_kernel(const CsCudaPlan *plan, GError **error)
{
    int blocks;
    cudaError_t code = plan->pruned ? plan->kernel->resident_pruned(plan->warps, &blocks)
                                    : plan->kernel->resident(plan->warps, &blocks);
    if (!cs_cuda_check(code, "a kernel for this device", error))
        return FALSE;
    return blocks > 0 ||
           cs_cuda_check(cudaErrorLaunchOutOfResources, "a kernel for this device", error);
}

static gboolean
check_memory(gint64 needed, GError **error)
{
    gsize free_bytes, total;
    if (!cs_cuda_check(cudaMemGetInfo(&free_bytes, &total), "asking for free memory", error))
        return FALSE;
    if ((gsize)needed <= free_bytes)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "too little memory on the GPU: %" G_GINT64_FORMAT
                " MiB are needed, %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " MiB are free",
                (needed >> 20) + 1, free_bytes >> 20, total >> 20);
    return FALSE;
}

static gboolean
accepts(const CsRectangle *rectangle, const CsGridShape *shape, const CsEngineOptions *options,
        GError **error)
{
    int ordinal;
    CsCudaPlan plan;
    CsGridShape rounded = *shape;
    if (!cs_cuda_device_open(options->device, &ordinal, error))
        return FALSE;
    CsCudaSize size = size_of(ordinal);
    if (!cs_cuda_plan_make(rectangle, options, &size, &rounded, &plan, error) ||
        !check_kernel(&plan, error))
        return FALSE;
    g_autoptr(CsGrid) grid =
        cs_grid_new(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), &rounded,
                    rectangle->special_rows, rectangle->n_special_rows);
    return check_memory(memory_needed(rectangle, &plan, grid), error);
}

static void
needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, CsEngineNeeds *needs)
{
    int ordinal = 0;
    CsCudaPlan plan;
    CsGridShape rounded = *shape;
    *needs = (CsEngineNeeds){.other = DRIVER_BYTES};
    (void)cs_cuda_device_open(options->device, &ordinal, NULL);
    CsCudaSize size = size_of(ordinal);
    if (!cs_cuda_plan_make(rectangle, options, &size, &rounded, &plan, NULL))
        return;
    needs->device = memory_needed(rectangle, &plan, grid);
    needs->bits = (guint)plan.kernel->bits;
    const gint64 risers = slots_of(&plan, grid) * grid->block_height;
    needs->risers = plan.pruned ? MIN(risers, cs_rectangle_m(rectangle)) : 0;
    needs->other += 16 * grid->block_rows + 8 * MIN(risers, cs_rectangle_m(rectangle));
}

/*
 * Which block rows end at a special row, and where their pieces are kept among those of a diagonal.
 * The block rows of a diagonal are within `depth` of each other; with as many places as there are
 * special rows in any such window, taken by turns, no two of them have the same.
 */
static gboolean
make_pieces(CsRun *run, GError **error)
{
    const CsGrid *grid = run->grid;
    gint64 depth = run->plan.chunked ? 1 : grid->depth, inside = 0, order = 0;
    if (run->rectangle->n_special_rows == 0)
        return TRUE;
    gint64 rows = cs_divide_up(grid->block_rows, depth) * depth;
    run->special = g_new(gint32, rows);
    for (gint64 bi = 0; bi < rows; bi++) {
        gboolean special = bi < grid->block_rows &&
                           cs_rectangle_is_special(run->rectangle, grid->row_starts[bi + 1]);
        run->special[bi] = special ? 0 : -1;
        inside += special - (bi >= depth && run->special[bi - depth] >= 0);
        run->n_places = MAX(run->n_places, inside);
    }
    for (gint64 bi = 0; bi < rows; bi++)
        if (run->special[bi] >= 0)
            run->special[bi] = (gint32)(order++ % run->n_places);
    gsize cells = (gsize)PIECES * run->n_places * run->plan.block_chunks * CS_CHUNK;
    if (!cs_cuda_check(
            cudaHostAlloc((void **)&run->pieces, cells * sizeof(CsKernelCell), cudaHostAllocMapped),
            "host memory for special rows", error))
        return FALSE;
    if (run->plan.chunked)
        return TRUE;
    gint32 *device = allocate(run, (gsize)rows * sizeof(gint32), error);
    run->launch.special = device;
    run->launch.queue = PIECES;
    run->launch.special_places = (gint32)run->n_places;
    return device != NULL &&
           upload(run, device, run->special, (gsize)rows * sizeof(gint32), error) &&
           cs_cuda_check(cudaHostGetDevicePointer((void **)&run->launch.pieces, run->pieces, 0),
                         "host memory for special rows", error);
}

/* The rows of each block row. */
static gboolean
make_rows(CsRun *run, GError **error)
{
    const CsGrid *grid = run->grid;
    CsKernelLaunch *launch = &run->launch;
    gint64 slots = launch->slots, bands;
    if (run->plan.chunked) {
        bands = bands_of_chunks(&run->plan, grid->block_height);
    } else {
        bands = cs_divide_up(grid->block_rows, slots);
    }
    gsize bytes = (gsize)(bands * slots) * sizeof(gint32);
    launch->bands = (gint32)bands;
    launch->starts = run->starts = allocate(run, bytes, error);
    launch->ends = run->ends = run->starts != NULL ? allocate(run, bytes, error) : NULL;
    if (run->ends == NULL)
        return FALSE;
    if (run->plan.chunked) {
        run->owned = allocate(run, (gsize)slots * sizeof(gint32), error);
        launch->owned = run->owned;
        return run->owned != NULL;
    }
    g_autofree gint32 *rows = g_new(gint32, bands * slots + 1);
    for (gint64 bi = 0; bi <= bands * slots; bi++)
        rows[bi] = (gint32)grid->row_starts[MIN(bi, grid->block_rows)];
    return upload(run, run->starts, rows, bytes, error) &&
           upload(run, run->ends, rows + 1, bytes, error);
}

/*
 * F of each block row's last row in column 1, as opened from what enters from the left as E, which
 * the kernels' F does not know of (sweep_kernel.cuh, mend()).
 */
static gboolean
make_enter_f(CsRun *run, const CsBus *left, GError **error)
{
    const CsGrid *grid = run->grid;
    const CsScoring *scoring = &run->rectangle->scoring;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    gsize bytes = (gsize)grid->block_rows * sizeof(gint32);
    g_autofree gint32 *enter = g_malloc(bytes);
    CsScore f = -CS_SCORE_32_LIMIT;
    for (gint64 i = 0, bi = 0; i < left->length; i++) {
        if (i + 1 == grid->row_starts[bi + 1])
            enter[bi++] = (gint32)f;
        CsKernelCell cell = cell_of(left, i);
        CsScore e = MAX((CsScore)cell.gap - extend, (CsScore)cell.h - first);
        f = MAX(MAX(f - extend, e - first), -CS_SCORE_32_LIMIT); /* of the row below */
    }
    gint32 *device = allocate(run, bytes, error);
    run->launch.enter_f = device;
    return device != NULL && upload(run, device, enter, bytes, error);
}

/* A copy of 32 bits. */
static CsBus *
copy_bus(const CsBus *bus, GError **error)
{
    CsBus *copy = cs_bus_new(bus->length, CS_WIDTH_32, error);
    if (copy != NULL)
        cs_bus_copy(copy, 0, bus, 0, bus->length);
    return copy;
}

/* Raises H to what a way back from a cell further on leaves. Returns what that is before the first.
 */
static CsScore
raise_back(CsBus *bus, const CsScoring *scoring)
{
    const CsScore rise = scoring->match + scoring->gap_extend;
    CsScore behind = CS_SCORE_NONE;
    for (gint64 k = bus->length - 1; k >= 0; k--) {
        const CsScore h = cs_width_get(CS_WIDTH_32, bus->h, k);
        cs_width_set(CS_WIDTH_32, bus->h, k, MAX(h, behind));
        behind = MAX(behind, h - scoring->gap_open) - rise;
    }
    return behind;
}

/* Raises H to what a gap from a cell before it leaves, or from the corner. */
static void
raise_on(CsBus *bus, CsScore corner, const CsScoring *scoring)
{
    CsScore before = corner - scoring->gap_open - scoring->gap_extend;
    for (gint64 k = 0; k < bus->length; k++) {
        const CsScore h = cs_width_get(CS_WIDTH_32, bus->h, k);
        cs_width_set(CS_WIDTH_32, bus->h, k, MAX(h, before));
        before = MAX(before, h - scoring->gap_open) - scoring->gap_extend;
    }
}

/*
 * Borders that enter from a sweep that skipped: copies, raised where they lie lower than a gap from
 * a cell of theirs or a way back from one leave, which what was skipped has not kept. No cell's H
 * is below that (docs/algorithm.md), and of it 16 bits hold what a strip has. NULL: zero.
 */
static gboolean
smooth(const CsRectangle *rectangle, CsBus **top, CsBus **left, CsScore *corner, GError **error)
{
    const CsScoring *scoring = &rectangle->scoring;
    *corner = rectangle->corner;
    if ((rectangle->top != NULL && (*top = copy_bus(rectangle->top, error)) == NULL) ||
        (rectangle->left != NULL && (*left = copy_bus(rectangle->left, error)) == NULL))
        return FALSE;
    if (*top != NULL)
        *corner = MAX(*corner, raise_back(*top, scoring));
    if (*left != NULL)
        *corner = MAX(*corner, raise_back(*left, scoring));
    if (*top != NULL)
        raise_on(*top, *corner, scoring);
    if (*left != NULL)
        raise_on(*left, *corner, scoring);
    return TRUE;
}

/* The borders that enter: zero needs nothing. */
static gboolean
make_borders(CsRun *run, GError **error)
{
    CsRectangle entered = *run->rectangle, *rectangle = &entered;
    CsKernelLaunch *launch = &run->launch;
    gboolean anchored = rectangle->kind == CS_KIND_ANCHORED;
    gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    CsKernelCell *bus = run->plan.chunked ? run->top : launch->bus;
    g_autoptr(CsBus) smooth_top = NULL;
    g_autoptr(CsBus) smooth_left = NULL;
    if (cs_cuda_plan_smooths(rectangle)) {
        if (!smooth(run->rectangle, &smooth_top, &smooth_left, &entered.corner, error))
            return FALSE;
        entered.top = smooth_top;
        entered.left = smooth_left;
        launch->corner = (gint32)entered.corner;
    }
    if (rectangle->top != NULL) {
        if (!upload_bus(run, bus, rectangle->top, error))
            return FALSE;
    } else if (anchored) {
        g_autoptr(CsBus) top = cs_bus_new(n, CS_WIDTH_32, error);
        if (top == NULL)
            return FALSE;
        cs_rectangle_read_top(rectangle, top);
        if (!upload_bus(run, bus, top, error))
            return FALSE;
    }
    if (needs_left(rectangle)) {
        g_autoptr(CsBus) left = cs_bus_new(m, CS_WIDTH_32, error);
        if (left == NULL)
            return FALSE;
        cs_rectangle_read_left(rectangle, left);
        CsKernelCell *device = allocate(run, (gsize)m * sizeof(CsKernelCell), error);
        if (device == NULL || !upload_bus(run, device, left, error))
            return FALSE;
        launch->left = device;
        if (!make_enter_f(run, left, error))
            return FALSE;
    }
    if (rectangle->right != NULL)
        launch->right = allocate(run, (gsize)m * sizeof(CsKernelCell), error);
    return rectangle->right == NULL || launch->right != NULL;
}

/* What the warps keep from launch to launch. */
static gboolean
make_state(CsRun *run, GError **error)
{
    CsKernelLaunch *launch = &run->launch;
    const CsKernel *kernel = run->plan.kernel;
    gsize warps = (gsize)launch->slots * (gsize)launch->warps;
    launch->bus_stride = run->plan.chunked ? bus_cells(&run->plan, run->grid) : 0;
    gsize cells =
        (gsize)bus_cells(&run->plan, run->grid) * (run->plan.chunked ? (gsize)launch->slots : 1);
    run->all = allocate(run, sizeof *run->all, error);
    if (run->all == NULL ||
        (launch->bus = allocate(run, cells * sizeof(CsKernelCell), error)) == NULL ||
        (launch->state = allocate(run, warps * 128 * CS_STATE_WORDS(kernel->words), error)) ==
            NULL ||
        (launch->rings = allocate(run, warps * CS_RING * 8, error)) == NULL ||
        (launch->bases = allocate(run, warps * 4 * sizeof(gint32), error)) == NULL ||
        (launch->pending =
             allocate(run, warps * CS_PENDING * 4 * (gsize)CS_PENDING_WORDS(kernel->words),
                      error)) == NULL ||
        (launch->bounds = allocate(run, warps * CS_PENDING * sizeof(gint32), error)) == NULL ||
        (launch->bests = allocate(run, warps * sizeof(CsKernelBest), error)) == NULL)
        return FALSE;
    if (run->plan.chunked &&
        (run->top = allocate(run, (gsize)launch->bus_stride * sizeof(CsKernelCell), error)) == NULL)
        return FALSE;
    launch->best = &run->all->best;
    launch->reruns = &run->all->reruns;
    launch->best_score = (gint32 *)&run->all->score;
    return cs_cuda_check(
        cudaMemsetAsync(launch->bounds, 0xff, warps * CS_PENDING * sizeof(gint32), run->stream),
        "clearing memory", error);
}

/* Bounds on the device. */
static gboolean
upload_bounds(CsRun *run, const CsScore *bounds, gint64 count, const gint32 **device,
              GError **error)
{
    gsize bytes = (gsize)count * sizeof(gint32);
    g_autofree gint32 *narrow = g_malloc(bytes);
    for (gint64 k = 0; k < count; k++)
        narrow[k] = (gint32)MIN(bounds[k], G_MAXINT32);
    gint32 *there = allocate(run, bytes, error);
    *device = there;
    return there != NULL && upload(run, there, narrow, bytes, error);
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
    gint32 *there = allocate(run, bytes, error);
    run->launch.both = (CsKernelTable){
        .highest = there,
        .band = (gint32)table->band,
        .part = (gint32)table->part,
        .rows = (gint32)table->rows,
        .columns = (gint32)table->columns,
        .above = (gint32)rectangle->above,
        .left_of = (gint32)rectangle->left_of,
    };
    return there != NULL && upload(run, there, table->highest, bytes, error);
}

/* The block columns between which something that matters may enter from above. */
static void
find_live_top(const CsRun *run, gint64 *from, gint64 *until)
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
        if (cs_pruning_skips(&rectangle->scoring, highest,
                             MIN(rectangle->row_bounds[0], rectangle->column_bounds[bj]),
                             rectangle->threshold))
            continue;
        *from = *until == 0 ? bj : *from;
        *until = bj + 1;
    }
}

/* What a pruned sweep has beside. */
static gboolean
make_band(CsRun *run, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsGrid *grid = run->grid;
    CsKernelLaunch *launch = &run->launch;
    if (!run->plan.pruned)
        return TRUE;
    g_assert(rectangle->row_bounds != NULL && rectangle->column_bounds != NULL);
    gint32 threshold = (gint32)MIN(rectangle->threshold, G_MAXINT32);
    launch->open = (gint32)rectangle->scoring.gap_open;
    launch->ticket = &run->all->tickets;
    launch->trouble = &run->all->trouble;
    launch->progress = allocate(run, (gsize)grid->block_rows * sizeof(gint32), error);
    if (launch->progress == NULL ||
        !upload_bounds(run, rectangle->row_bounds, grid->block_rows, &launch->row_bounds, error) ||
        !upload_bounds(run, rectangle->column_bounds, grid->block_columns, &launch->column_bounds,
                       error) ||
        !upload_table(run, error) ||
        !upload(run, launch->best_score, &threshold, sizeof threshold, error))
        return FALSE;
    CsCudaLiveOptions options = {
        .grid = grid,
        .warps = run->plan.warps,
        .block_chunks = run->plan.block_chunks,
        .slots = launch->slots,
        .row_bounds = rectangle->row_bounds,
        .column_bounds = rectangle->column_bounds,
        .table = rectangle->bounds_table,
        .above = rectangle->above,
        .left_of = rectangle->left_of,
        .threshold = rectangle->threshold,
    };
    find_live_top(run, &options.top_from, &options.top_until);
    run->band = cs_cuda_band_new(cs_cuda_live_new(&options), run->plan.kernel, launch, run->all,
                                 launch->slots, run->stream, error);
    return run->band != NULL;
}

static gboolean
make_queue(CsRun *run, GError **error)
{
    for (guint k = 0; k < QUEUE; k++)
        if (!cs_cuda_check(cudaEventCreateWithFlags(&run->diagonals[k].event,
                                                    cudaEventDisableTiming | cudaEventBlockingSync),
                           "an event", error))
            return FALSE;
    return cs_cuda_check(cudaHostAlloc((void **)&run->totals, QUEUE * sizeof *run->totals, 0),
                         "host memory", error);
}

static void
end_run(CsRun *run)
{
    (void)cudaSetDevice(run->ordinal);
    if (run->stream != NULL)
        (void)cudaStreamSynchronize(run->stream);
    if (run->band != NULL)
        cs_cuda_band_free(run->band);
    if (run->launch.rows != 0)
        (void)cudaDestroyTextureObject(run->launch.rows);
    if (run->launch.columns != 0)
        (void)cudaDestroyTextureObject(run->launch.columns);
    for (guint k = 0; k < run->device->len; k++)
        (void)cudaFree(g_ptr_array_index(run->device, k));
    g_ptr_array_free(run->device, TRUE);
    for (guint k = 0; k < QUEUE; k++)
        if (run->diagonals[k].event != NULL)
            (void)cudaEventDestroy(run->diagonals[k].event);
    (void)cudaFreeHost(run->totals);
    (void)cudaFreeHost(run->pieces);
    if (run->stream != NULL)
        (void)cudaStreamDestroy(run->stream);
    g_free(run->special);
    g_free(run);
}

/* Whether anybody needs the rectangle's last row; if not, it may end amid a strip at no cost. */
static gboolean
bottom_is_wanted(const CsRun *run)
{
    return run->rectangle->bottom != NULL ||
           cs_rectangle_is_special(run->rectangle, cs_rectangle_m(run->rectangle));
}

static gboolean
set_up(CsRun *run, const CsGridShape *shape, const CsEngineOptions *options, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    const CsScoring *scoring = &rectangle->scoring;
    CsGridShape rounded = *shape;
    if (!cs_cuda_device_open(options->device, &run->ordinal, error))
        return FALSE;
    CsCudaSize size = size_of(run->ordinal);
    if (!cs_cuda_plan_make(rectangle, options, &size, &rounded, &run->plan, error))
        return FALSE;
    g_assert(rounded.block_height == run->grid->block_height &&
             rounded.block_width == run->grid->block_width);
    const CsCudaPlan *plan = &run->plan;
    if (!check_kernel(plan, error) ||
        !check_memory(memory_needed(rectangle, plan, run->grid), error) ||
        !cs_cuda_check(cudaStreamCreateWithFlags(&run->stream, cudaStreamNonBlocking), "a stream",
                       error))
        return FALSE;
    run->launch = (CsKernelLaunch){
        .n = (gint32)cs_rectangle_n(rectangle),
        .match = (gint32)scoring->match,
        .mismatch = (gint32)scoring->mismatch,
        .first = (gint32)cs_scoring_first_gap(scoring),
        .extend = (gint32)scoring->gap_extend,
        .columns_first = rectangle->tie_order == CS_TIE_COLUMN_FIRST,
        .corner = (gint32)rectangle->corner,
        .kept_end = -1,
        .loose_end = bottom_is_wanted(run) ? -1 : (gint32)cs_rectangle_m(rectangle),
        .slots = (gint32)slots_of(plan, run->grid),
        .block_columns = plan->chunked ? 1 : (gint32)run->grid->block_columns,
        .block_chunks = plan->block_chunks,
        .stagger = !plan->chunked,
        .full = plan->full,
        .warps = plan->warps,
    };
    return upload_codes(run, &rectangle->rows, &run->launch.rows, error) &&
           upload_codes(run, &rectangle->columns, &run->launch.columns, error) &&
           make_state(run, error) && make_borders(run, error) && make_rows(run, error) &&
           make_pieces(run, error) && make_band(run, error) && make_queue(run, error) &&
           cs_cuda_check(cudaStreamSynchronize(run->stream), "setting up the device", error);
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, GError **error)
{
    g_assert(rectangle->n_special_rows == 0 || rectangle->row_func != NULL);
    CsRun *run = g_new0(CsRun, 1);
    run->rectangle = rectangle;
    run->grid = grid;
    run->device = g_ptr_array_new();
    if (set_up(run, shape, options, error))
        return run;
    end_run(run);
    return NULL;
}

/* The slots that have a block in the diagonal, or the end of one; those between them too. */
static void
choose_slots(CsRun *run, gint64 diagonal)
{
    CsKernelLaunch *launch = &run->launch;
    launch->slot_from = launch->slot_count = 0;
    for (gint32 s = 0; s < launch->slots; s++) {
        gint64 q = diagonal - s * (gint64)launch->stagger;
        if (q < 0 || (!run->plan.chunked && q > cs_grid_slot_blocks(run->grid, s)))
            continue;
        if (launch->slot_count == 0)
            launch->slot_from = s;
        launch->slot_count = s + 1 - launch->slot_from;
    }
    g_assert(launch->slot_count > 0);
}

/* One phase of the launch's diagonal. */
static gboolean
launch_phase(CsRun *run, gint64 diagonal, int from, int to, GError **error)
{
    run->launch.diagonal = diagonal;
    run->launch.chunk_begin = from;
    run->launch.chunk_end = to;
    return cs_cuda_check(run->plan.kernel->sweep(&run->launch, run->stream), "a launch", error);
}

static gboolean
launch_diagonal(CsRun *run, gint64 diagonal, gboolean last, GError **error)
{
    int phase = cs_kernel_short_phase(run->plan.warps);
    choose_slots(run, diagonal);
    return launch_phase(run, diagonal, 0, phase, error) &&
           (last || launch_phase(run, diagonal, phase, run->plan.block_chunks, error));
}

static gboolean
settle(CsRun *run, GError **error)
{
    return cs_cuda_check(run->plan.kernel->settle(&run->launch, run->stream), "a launch", error);
}

/* The rows of every slot in block row bi, which is cut into row chunks. */
static gboolean
deal_rows(CsRun *run, gint64 bi, GError **error)
{
    gint64 slots = run->launch.slots;
    gint64 i0 = run->grid->row_starts[bi], i1 = run->grid->row_starts[bi + 1];
    gint64 height = (gint64)run->plan.warps * cs_kernel_strip_rows(run->plan.kernel);
    gint64 own = rows_of_slot(&run->plan, i1 - i0);
    gint64 bands = bands_of_chunks(&run->plan, i1 - i0);
    run->launch.bands = (gint32)bands;
    g_autofree gint32 *starts = g_new(gint32, bands * slots), *ends = g_new(gint32, bands * slots);
    g_autofree gint32 *owned = g_new(gint32, slots);
    gboolean kept = i1 < cs_rectangle_m(run->rectangle) || bottom_is_wanted(run);
    run->launch.kept_end = kept ? (gint32)i1 : G_MAXINT32;
    for (gint64 s = 0; s < slots; s++) {
        gint64 first = MIN(i1, i0 + s * own), end = MIN(i1, first + own);
        gint64 start = first < end ? MAX(i0, first - run->plan.overlap) : end;
        owned[s] = (gint32)first;
        if (first < end)
            run->bottom_slot = (int)s;
        for (gint64 b = 0; b < bands; b++) {
            starts[b * slots + s] = (gint32)MIN(end, start + b * height);
            ends[b * slots + s] = (gint32)MIN(end, start + (b + 1) * height);
        }
    }
    gsize bytes = (gsize)(bands * slots) * sizeof(gint32);
    /* From pageable memory: the copies are staged before the calls return. */
    return upload(run, run->starts, starts, bytes, error) &&
           upload(run, run->ends, ends, bytes, error) &&
           upload(run, run->owned, owned, (gsize)slots * sizeof(gint32), error);
}

static const CsKernelCell *
bottom_bus(const CsRun *run)
{
    return run->launch.bus + (run->plan.chunked ? run->bottom_slot : 0) * run->launch.bus_stride;
}

/* What enters block row bi: run->top, for the slots that begin at its first row; zero for others.
 */
static gboolean
enter_top(CsRun *run, gint64 bi, GError **error)
{
    CsKernelLaunch *launch = &run->launch;
    gsize bytes = (gsize)launch->bus_stride * sizeof(CsKernelCell);
    gint64 height = run->grid->row_starts[bi + 1] - run->grid->row_starts[bi];
    gint64 own = rows_of_slot(&run->plan, height);
    if (bi > 0 && !cs_cuda_check(cudaMemcpyAsync(run->top, bottom_bus(run), bytes,
                                                 cudaMemcpyDeviceToDevice, run->stream),
                                 "copying on the device", error))
        return FALSE;
    if (!cs_cuda_check(cudaMemsetAsync(launch->bus, 0, bytes * (gsize)launch->slots, run->stream),
                       "clearing memory", error))
        return FALSE;
    for (gint64 s = 0; s < launch->slots && s * own <= run->plan.overlap; s++)
        if (!cs_cuda_check(cudaMemcpyAsync(launch->bus + s * launch->bus_stride, run->top, bytes,
                                           cudaMemcpyDeviceToDevice, run->stream),
                           "copying on the device", error))
            return FALSE;
    return TRUE;
}

static gboolean
submit_chunks(CsRun *run, gint64 bi, GError **error)
{
    if (!enter_top(run, bi, error) || !deal_rows(run, bi, error))
        return FALSE;
    for (gint64 b = 0; b <= run->launch.bands; b++)
        if (!launch_diagonal(run, b, b == run->launch.bands, error) ||
            ((b < SETTLE_OFTEN || b % SETTLE_EVERY == 0) && !settle(run, error)))
            return FALSE;
    if (run->special == NULL || run->special[bi] < 0)
        return TRUE;
    return cs_cuda_check(
        cudaMemcpyAsync(run->pieces + bi % PIECES * run->launch.bus_stride,
                        run->launch.bus + run->bottom_slot * run->launch.bus_stride,
                        (gsize)run->launch.n * sizeof(CsKernelCell), cudaMemcpyDeviceToHost,
                        run->stream),
        "copying from the device", error);
}

/* A row begins two steps after the one above, so there are more steps than diagonals: as many of
 * them as keep pace. */
static gboolean
step_band(CsRun *run, gint64 d, GError **error)
{
    const CsGrid *grid = run->grid;
    const double diagonals = (double)cs_grid_diagonals(grid);
    const double all = (double)(grid->block_columns + 2 * grid->block_rows);
    for (gint64 until = (gint64)(all * (double)(d + 1) / diagonals); run->steps < until;
         run->steps++)
        if (!cs_cuda_band_step(run->band, TRUE, error))
            return FALSE;
    return TRUE;
}

static gboolean
submit(CsRun *run, gint64 d, GError **error)
{
    g_assert(d == run->submitted && d - run->collected < QUEUE);
    Diagonal *diagonal = &run->diagonals[d % QUEUE];
    gboolean last = d == cs_grid_diagonals(run->grid) - 1;
    if (run->band != NULL) {
        run->submitted++;
        if (!step_band(run, d, error))
            return FALSE;
        diagonal->groups = cs_cuda_band_groups(run->band);
        return TRUE;
    }
    if (run->plan.chunked) {
        if (!submit_chunks(run, d, error))
            return FALSE;
    } else if (!launch_diagonal(run, d, FALSE, error) ||
               (last && !launch_diagonal(run, d + 1, TRUE, error))) {
        return FALSE;
    }
    diagonal->settled = run->plan.chunked || last || d < SETTLE_OFTEN || d % SETTLE_EVERY == 0;
    if (diagonal->settled &&
        (!settle(run, error) ||
         !cs_cuda_check(cudaMemcpyAsync(&run->totals[d % QUEUE], run->all, sizeof *run->all,
                                        cudaMemcpyDeviceToHost, run->stream),
                        "copying from the device", error)))
        return FALSE;
    run->submitted++;
    return cs_cuda_check(cudaEventRecord(diagonal->event, run->stream), "an event", error);
}

static gboolean
hand_out(CsRun *run, gint64 row, gint64 from, gint64 count, const CsKernelCell *cells,
         GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    g_autofree CsScore *values = g_new(CsScore, 2 * count);
    for (gint64 k = 0; k < count; k++) {
        values[k] = cs_width_get(CS_WIDTH_32, &cells[k].h, 0);
        values[count + k] = cs_width_get(CS_WIDTH_32, &cells[k].gap, 0);
    }
    return rectangle->row_func(row, from, count, values, values + count,
                               rectangle->skipped || cs_rectangle_may_skip(rectangle),
                               rectangle->row_data, error);
}

/* The pieces of special rows in the blocks of the next diagonal, which are complete. */
static gboolean
hand_out_pieces(CsRun *run, GError **error)
{
    const CsGrid *grid = run->grid;
    const gint64 d = run->handed_out++;
    if (run->special == NULL)
        return TRUE;
    if (run->plan.chunked)
        return run->special[d] < 0 ||
               hand_out(run, grid->row_starts[d + 1], 0, grid->n,
                        run->pieces + d % PIECES * run->launch.bus_stride, error);
    for (gint64 s = 0; s < grid->depth; s++) {
        gint64 bi, bj;
        if (d - s < 0 || d - s >= cs_grid_slot_blocks(grid, s))
            continue;
        cs_grid_slot_block(grid, s, d - s, &bi, &bj);
        if (run->special[bi] < 0)
            continue;
        gint64 from = cs_grid_column_start(grid, bj);
        const CsKernelCell *cells =
            run->pieces + (d % PIECES * run->n_places + run->special[bi]) * grid->block_width;
        if (!hand_out(run, grid->row_starts[bi + 1], from,
                      cs_grid_column_start(grid, bj + 1) - from, cells, error))
            return FALSE;
    }
    return TRUE;
}

static gint64
cells_of(const CsGrid *grid, gint64 d)
{
    gint64 cells = 0;
    for (gint64 s = 0; s < grid->depth && s <= d; s++) {
        gint64 bi, bj;
        if (d - s >= cs_grid_slot_blocks(grid, s))
            continue;
        cs_grid_slot_block(grid, s, d - s, &bi, &bj);
        cells += (grid->row_starts[bi + 1] - grid->row_starts[bi]) *
                 (cs_grid_column_start(grid, bj + 1) - cs_grid_column_start(grid, bj));
    }
    return cells;
}

static CsBest
best_of(const CsCudaTotals *totals)
{
    return (CsBest){totals->best.score, totals->best.i, totals->best.j};
}

/* The steps of a pruned sweep are no diagonals of the grid: each counts as the same share. */
static gboolean
collect_pruned(CsRun *run, CsCollected *collected, GError **error)
{
    const CsGrid *grid = run->grid;
    const gint64 d = run->collected++, diagonals = cs_grid_diagonals(grid);
    const gint64 a_chunk = (gint64)cs_kernel_strip_rows(run->plan.kernel) * CS_CHUNK;
    if (!(d == diagonals - 1
              ? cs_cuda_band_flatten(run->band, TRUE, error)
              : cs_cuda_band_wait(run->band, run->diagonals[d % QUEUE].groups, error)))
        return FALSE;
    run->latest = *cs_cuda_band_totals(run->band);
    gint64 chunks = cs_cuda_band_chunks(run->band) + (gint64)run->latest.reruns;
    *collected = (CsCollected){
        .cells = grid->m * grid->n / diagonals + (d < grid->m * grid->n % diagonals),
        .cells_computed = (chunks - run->chunks_told) * a_chunk,
        .skipped = TRUE,
        .best = best_of(&run->latest),
    };
    run->chunks_told = chunks;
    return TRUE;
}

static gboolean
collect(CsRun *run, CsCollected *collected, GError **error)
{
    gint64 d = run->collected;
    g_assert(d < run->submitted);
    if (run->band != NULL)
        return collect_pruned(run, collected, error);
    const Diagonal *diagonal = &run->diagonals[d % QUEUE];
    if (!cs_cuda_check(cudaEventSynchronize(diagonal->event), "running on the device", error))
        return FALSE;
    if (diagonal->settled)
        run->latest = run->totals[d % QUEUE];
    gint64 a_chunk = (gint64)cs_kernel_strip_rows(run->plan.kernel) * CS_CHUNK;
    *collected = (CsCollected){.cells = cells_of(run->grid, d), .best = best_of(&run->latest)};
    collected->skipped = run->rectangle->skipped || cs_rectangle_may_skip(run->rectangle);
    collected->cells_computed =
        collected->cells + (gint64)(run->latest.reruns - run->reruns_told) * a_chunk;
    run->reruns_told = run->latest.reruns;
    run->collected++;
    gboolean last = d == cs_grid_diagonals(run->grid) - 1;
    gint64 complete = run->plan.chunked || last ? d + 1 : d;
    while (run->handed_out < complete)
        if (!hand_out_pieces(run, error))
            return FALSE;
    return TRUE;
}

/* Ends the delegated triangle of every slot amid a row, without touching what the run keeps. */
static gboolean
drain(CsRun *run, GError **error)
{
    gsize slots = (gsize)run->launch.slots, height = (gsize)run->grid->block_height;
    if (run->launch.risers == NULL)
        run->launch.risers = allocate(run, slots * height * sizeof(CsKernelCell), error);
    if (run->launch.risers == NULL)
        return FALSE;
    if (run->band != NULL) {
        gboolean done = cs_cuda_band_drain(run->band, error);
        run->latest = *cs_cuda_band_totals(run->band);
        return done;
    }
    CsKernelLaunch launch = run->launch;
    /* The last submitted diagonal took the one after it along. */
    launch.diagonal = run->submitted + (run->submitted == cs_grid_diagonals(run->grid));
    launch.drain = TRUE;
    launch.slot_from = 0;
    launch.slot_count = launch.slots;
    return cs_cuda_check(run->plan.kernel->sweep(&launch, run->stream), "a launch", error) &&
           settle(run, error) && download(run, &run->latest, run->all, sizeof run->latest, error);
}

/* Of a drained run, on the host. */
typedef struct {
    CsKernelCell *risers; /* a block height for each slot */
    guint32 *lanes;       /* what lane 0 of warp 0 keeps: word w of slot s is [w * slots + s] */
} Drained;

static void
drained_clear(Drained *drained)
{
    g_free(drained->risers);
    g_free(drained->lanes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Drained, drained_clear)

/* All slots at once: a wait for each would take longer than the copies. */
static gboolean
copy_drained(CsRun *run, Drained *drained, GError **error)
{
    const CsKernelLaunch *launch = &run->launch;
    gsize slots = (gsize)launch->slots, cells = slots * (gsize)run->grid->block_height;
    gsize words = slots * (gsize)(CS_STATE_BASE(run->plan.kernel->words) + 1);
    /* The words of a slot's lane 0 are as far apart as all threads, the slots' as a block's. */
    gsize apart = (gsize)launch->warps * 32 * sizeof *drained->lanes;
    drained->risers = g_try_new(CsKernelCell, cells);
    drained->lanes = g_try_new(guint32, words);
    if (drained->risers == NULL || drained->lanes == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "too little memory for %" G_GSIZE_FORMAT " cells of risers", cells);
        return FALSE;
    }
    return cs_cuda_check(cudaMemcpy2DAsync(drained->lanes, sizeof *drained->lanes, launch->state,
                                           apart, sizeof *drained->lanes, words,
                                           cudaMemcpyDeviceToHost, run->stream),
                         "copying from the device", error) &&
           download(run, drained->risers, run->launch.risers, cells * sizeof *drained->risers,
                    error);
}

/* The upper cell of a word, absolute. */
static CsScore
cell_of_word(const CsRun *run, guint32 word, guint32 base)
{
    return run->plan.kernel->bits == 16 ? (CsScore)(gint16)(word & 0xffff) + (gint32)base
                                        : (CsScore)(gint32)word;
}

/*
 * The riser's uppermost rows and its corner: lane 0 of warp 0 was at the riser's column when the
 * launch ended, so they are in its state (sweep_kernel.h) and not among what the drain captures.
 * Its E is that of the column behind: one extension more is, for all that follows, the same.
 */
static void
copy_lane_0(const CsRun *run, const Drained *drained, gint64 s, CsStep *step)
{
    const CsScoring *scoring = &run->rectangle->scoring;
    const CsScore floor = run->rectangle->kind == CS_KIND_LOCAL ? 0 : CS_SCORE_NONE;
    const int words = run->plan.kernel->words;
    const gint64 slots = run->launch.slots;
    const guint32 *lane = drained->lanes + s, base = lane[CS_STATE_BASE(words) * slots];
    step->corner = cell_of_word(run, lane[CS_STATE_ABOVE(words) * slots], base);
    for (int k = 0; k < words && k < step->height; k++) {
        CsScore h = cell_of_word(run, lane[k * slots], base);
        CsScore e = cell_of_word(run, lane[(words + k) * slots], base);
        cs_width_set(step->riser->width, step->riser->h, k, h);
        cs_width_set(step->riser->width, step->riser->gap, k, MAX(e + scoring->gap_extend, floor));
    }
}

/* Of slot s, which is at block row bi. */
static gboolean
copy_step(const CsRun *run, const Drained *drained, gint64 s, gint64 bi, gint64 column,
          CsStaircase *copy, GError **error)
{
    const CsGrid *grid = run->grid;
    CsStep step = {
        .row = grid->row_starts[bi],
        .height = grid->row_starts[bi + 1] - grid->row_starts[bi],
        .column = column,
    };
    step.riser = cs_bus_new(step.height, CS_WIDTH_32, error);
    if (step.riser == NULL)
        return FALSE;
    put_cells(step.riser, 0, drained->risers + s * grid->block_height, step.height);
    copy_lane_0(run, drained, s, &step);
    g_array_append_val(copy->steps, step);
    return TRUE;
}

/* The right border of the first so many block rows, which are complete: what a staircase before has
 * not left yet. */
static gboolean
leave_right(CsRun *run, gint64 complete, GError **error)
{
    gint64 from = run->right_left, to = run->grid->row_starts[complete];
    if (run->rectangle->right == NULL || from >= to)
        return TRUE;
    if (!download_bus(run, run->rectangle->right, from, run->launch.right + from, to - from, error))
        return FALSE;
    run->right_left = to;
    return TRUE;
}

/* Where the slots stand: the steps amid rows, and how many block rows have begun. */
static gboolean
copy_steps(CsRun *run, CsStaircase *copy, gint64 *begun, GError **error)
{
    const CsGrid *grid = run->grid;
    gint64 complete = 0; /* block rows: they end from above to below, so these are the first */
    g_auto(Drained) drained = {0};
    /* The drain ends the last diagonal's bottom rows too. */
    if (!drain(run, error) || !copy_drained(run, &drained, error) ||
        (run->handed_out < run->submitted && !hand_out_pieces(run, error)))
        return FALSE;
    for (gint64 s = 0; s < grid->depth; s++) {
        gint64 q = CLAMP(run->submitted - s, 0, cs_grid_slot_blocks(grid, s));
        /* A last block row whose bottom was not kept counts as not begun. */
        if (!bottom_is_wanted(run) && (grid->block_rows - 1) % grid->depth == s)
            q = MIN(q, cs_grid_slot_blocks(grid, s) - grid->block_columns);
        gint64 rows = q / grid->block_columns;
        gboolean amid = q % grid->block_columns != 0;
        if (rows + amid > 0)
            *begun = MAX(*begun, (rows + amid - 1) * grid->depth + s + 1);
        complete += rows;
        if (amid && !copy_step(run, &drained, s, rows * grid->depth + s,
                               cs_grid_column_start(grid, q % grid->block_columns), copy, error))
            return FALSE;
    }
    cs_staircase_sort(copy);
    return leave_right(run, complete, error);
}

/*
 * The horizontal bus of a pruned sweep of which the first so many block rows have begun: each
 * column has what the last of them that came to it left there, or zero where that skipped it.
 */
static gboolean
download_band(CsRun *run, CsBus *bus, gint64 rows, GError **error)
{
    const CsCudaLive *live = cs_cuda_band_live(run->band);
    memset(bus->h, 0, (gsize)bus->length * bus->width);
    memset(bus->gap, 0, (gsize)bus->length * bus->width);
    for (gint64 done = 0; done < bus->length; rows--) {
        gint64 from, until, to = rows > 0 ? cs_cuda_live_column(live, rows - 1) : bus->length;
        cs_cuda_live_bottom(live, rows, &from, &until);
        from = MAX(from, done);
        until = MIN(until, to);
        if (from < until &&
            !download_bus(run, bus, from, run->launch.bus + from, until - from, error))
            return FALSE;
        done = MAX(done, to);
    }
    return TRUE;
}

/* Tests set it to 0, to see rows stand amid. */
static double
flatten_seconds(void)
{
    const char *wanted = g_getenv("CHROMOSWEEP_FLATTEN_SECONDS");
    return wanted != NULL ? g_ascii_strtod(wanted, NULL) : FLATTEN_SECONDS;
}

/* The rows under way as steps. */
static gboolean
copy_rows(CsRun *run, CsStaircase *copy, gint64 begun, GError **error)
{
    const CsCudaLive *live = cs_cuda_band_live(run->band);
    g_auto(Drained) drained = {0};
    if (!drain(run, error) || !copy_drained(run, &drained, error))
        return FALSE;
    for (gint64 bi = 0; bi < begun; bi++) {
        const gint64 column = cs_cuda_live_column(live, bi);
        if (column < run->grid->n &&
            !copy_step(run, &drained, bi % run->launch.slots, bi, column, copy, error))
            return FALSE;
    }
    return TRUE;
}

/*
 * A pruned sweep stands at a row where the rows under way can be ended soon, as in a narrow band:
 * that takes less than keeping the borders of so many would take of whoever goes on.
 */
static gboolean
staircase_pruned(CsRun *run, CsStaircase *copy, GError **error)
{
    const CsGrid *grid = run->grid;
    const CsCudaLive *live = cs_cuda_band_live(run->band);
    const gboolean soon = cs_cuda_band_seconds_left(run->band) <= flatten_seconds();
    if (soon && !cs_cuda_band_flatten(run->band, FALSE, error))
        return FALSE;
    run->latest = *cs_cuda_band_totals(run->band);
    /* A last block row whose bottom was not kept counts as not begun. */
    gint64 begun = cs_cuda_live_rows(live);
    begun -= begun == grid->block_rows && !bottom_is_wanted(run);
    if (!soon && !copy_rows(run, copy, begun, error))
        return FALSE;
    copy->row = grid->row_starts[begun];
    copy->best = best_of(&run->latest);
    return download_band(run, copy->horizontal, begun, error);
}

static gboolean
staircase(CsRun *run, CsStaircase *staircase, GError **error)
{
    const CsGrid *grid = run->grid;
    g_assert(run->collected == run->submitted);
    CsScore corner = run->rectangle->corner;
    g_auto(CsStaircase) copy = {.horizontal = g_steal_pointer(&staircase->horizontal),
                                .steps = g_array_new(FALSE, FALSE, sizeof(CsStep))};
    if (!cs_staircase_need_horizontal(&copy, grid->n, CS_WIDTH_32, error))
        return FALSE;
    gint64 begun = 0;
    if (run->band != NULL) {
        if (!staircase_pruned(run, &copy, error))
            return FALSE;
        *staircase = copy;
        copy = (CsStaircase){0};
        return TRUE;
    }
    if (run->plan.chunked) {
        begun = run->submitted;
        if (begun == grid->block_rows && !bottom_is_wanted(run))
            begun--;
        if (!leave_right(run, begun, error))
            return FALSE;
    } else if (!copy_steps(run, &copy, &begun, error)) {
        return FALSE;
    }
    /* With row chunks, what enters the next block stands apart until that is submitted. */
    const CsKernelCell *bus =
        run->plan.chunked && (begun == 0 || begun < run->submitted) ? run->top : bottom_bus(run);
    if (!download_bus(run, copy.horizontal, 0, bus, grid->n, error))
        return FALSE;
    copy.row = grid->row_starts[begun];
    copy.corner = corner;
    if (copy.row > 0) {
        /* From the device: the right border may stand where the left one was. */
        CsKernelCell cell = {0, 0};
        if (run->launch.left != NULL &&
            !download(run, &cell, run->launch.left + copy.row - 1, sizeof cell, error))
            return FALSE;
        copy.corner = cell.h;
    }
    copy.best = best_of(&run->latest);
    *staircase = copy;
    copy = (CsStaircase){0};
    return TRUE;
}

static gboolean
finish(CsRun *run, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    if (run->band != NULL)
        return rectangle->bottom == NULL ||
               download_band(run, rectangle->bottom, run->grid->block_rows, error);
    return (rectangle->bottom == NULL || download_bus(run, rectangle->bottom, 0, bottom_bus(run),
                                                      cs_rectangle_n(rectangle), error)) &&
           (rectangle->right == NULL || download_bus(run, rectangle->right, 0, run->launch.right,
                                                     cs_rectangle_m(rectangle), error));
}

const CsEngineClass cs_cuda_engine = {
    .name = "cuda",
    .gpu = TRUE,
    .queue = QUEUE,
    .describe = describe,
    .shape = make_shape,
    .accepts = accepts,
    .needs = needs,
    .begin = begin,
    .submit = submit,
    .collect = collect,
    .staircase = staircase,
    .finish = finish,
    .free = end_run,
};
