/* Layouts and grids for a GPU. */
#include <math.h>

#include <chromosweep/error.h>

#include "cuda/cuda_forms.h"
#include "cuda/cuda_spans.h"
#include "cuda/cuda_plan.h"

enum {
    BUSES_AT_MOST = 128 << 20, /* bytes, in addition to those of the longer sequence */
    SHARED_SYSTEM = 1024,      /* bytes that the system takes in every block */
    LONGEST = 1 << 30,         /* 2^27 texels of CS_CODES bases: what every device has */
    FEW_WARPS = 4,             /* one for each scheduler of a multiprocessor */
    ROWS_AT_MOST =
        1024, /* rows in progress in a skipping sweep: more blocks than any device runs at once */
};

/* Whether blocks of the rectangle can be skipped: not if somebody needs its borders or rows. */
static gboolean
may_skip_blocks(const CsRectangle *rectangle)
{
    return rectangle->skipping && rectangle->left == NULL && rectangle->right == NULL &&
           rectangle->corner == 0;
}

gboolean
cs_cuda_plan_smooths(const CsRectangle *rectangle)
{
    return rectangle->skipped || may_skip_blocks(rectangle);
}

gint64
cs_cuda_plan_block_rows(const CsCudaPlan *plan)
{
    return (gint64)plan->warps * cs_kernel_strip_rows(plan->kernel);
}

gint64
cs_cuda_plan_own_rows(const CsCudaPlan *plan, gint64 rows)
{
    return cs_divide_up(rows, plan->slots_at_most);
}

gint64
cs_cuda_plan_tiers(const CsCudaPlan *plan, gint64 rows)
{
    return cs_divide_up(cs_cuda_plan_own_rows(plan, rows) + plan->overlap,
                        cs_cuda_plan_block_rows(plan));
}

/* The most warps that a block of the kernel may have on a device of this size; 0: none fits. */
static int
warps_at_most(const CsKernel *kernel, const CsCudaSize *size)
{
    int warps = kernel->warps;
    while (warps > 0 && kernel->shared_bytes(warps) > (gsize)size->shared_block)
        warps--;
    return warps;
}

/* How many blocks run at once. */
static int
slots_at_once(const CsKernel *kernel, int warps, const CsCudaSize *size)
{
    int by_memory =
        size->shared_multiprocessor / ((int)kernel->shared_bytes(warps) + SHARED_SYSTEM);
    return size->multiprocessors * CLAMP(by_memory, 1, kernel->blocks * kernel->warps / warps);
}

/* The fewest chunks per block, but at least `chunks`, with which the last block has room for the
 * padding of the columns. */
static gint64
round_chunks(gint64 n, gint64 chunks)
{
    g_assert(n > 0);
    while (cs_divide_up(n + CS_PAD, chunks * CS_CHUNK) != cs_divide_up(n, chunks * CS_CHUNK))
        chunks++;
    return chunks;
}

/* The tallest form and number of warps within a height; the smallest if none fits. */
static void
take_height(const CsRectangle *rectangle, const CsKernel *kernels, const CsCudaSize *size,
            const CsGridShape *shape, gboolean skipping, CsCudaPlan *plan)
{
    const CsKernel *last = NULL;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++)
        if (!skipping || kernel->sweep_skipping != NULL)
            last = kernel;
    int fixed =
        shape->block_threads != 0 ? (int)CLAMP(shape->block_threads / 32, 1, CS_WARPS_MAX) : 0;
    gint64 best = 0;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++) {
        int most = warps_at_most(kernel, size);
        if (skipping && kernel->sweep_skipping == NULL)
            continue;
        for (int warps = most; warps >= 1 && cs_cuda_forms_may_take(rectangle, kernel); warps--) {
            gint64 height = (gint64)warps * cs_kernel_strip_rows(kernel);
            gboolean smallest = best == 0 && kernel == last && warps == CLAMP(fixed, 1, most);
            if (!smallest &&
                ((fixed != 0 && warps != fixed) || height > shape->block_height || height <= best))
                continue;
            best = height;
            plan->kernel = kernel;
            plan->warps = warps;
        }
    }
}

/* The speed of a form relative to the fastest, as measured (docs/performance.md). */
static double
relative_speed(const CsKernel *kernel)
{
    static const struct {
        int bits, words;
        double speed;
    } speeds[] = {{16, 20, 1},  {16, 19, 0.99}, {16, 16, 0.85}, {16, 12, 0.78}, {16, 8, 0.82},
                  {16, 4, 0.5}, {32, 16, 0.41}, {32, 8, 0.35},  {0, 0, 0.15}};
    guint k = 0;
    while (speeds[k].bits != 0 &&
           (kernel->bits != speeds[k].bits || kernel->words < speeds[k].words))
        k++;
    return speeds[k].speed;
}

/* Cells per second of a whole multiprocessor, and what each diagonal costs in addition. Only the
 * ratio of the two matters. */
#define SPEED 5.2e10
#define DIAGONAL 25e-6

/* About how many seconds some diagonals take, by the cells of a block and the number of slots. */
static double
estimate(const CsCudaPlan *plan, const CsCudaSize *size, double diagonals, gint64 slots,
         double cells)
{
    /* Alone on a multiprocessor, a block computes more than its share of what all blocks that fit
     * compute together. */
    double alone = 0.7 + 0.3 * plan->slots_at_most / size->multiprocessors;
    double shared = (double)cs_divide_up(slots, size->multiprocessors);
    double rate = SPEED * relative_speed(plan->kernel) / MAX(alone, shared);
    return diagonals * (DIAGONAL + cells / rate);
}

/* About how many seconds a wave takes in block rows of full height. */
static double
estimate_wave(const CsCudaPlan *plan, const CsCudaSize *size, gint64 m, gint64 n, gint64 depth,
              gint64 row_unit)
{
    gint64 height = cs_cuda_plan_block_rows(plan);
    gint64 columns = cs_divide_up(n, (gint64)plan->block_chunks * CS_CHUNK);
    gint64 tiers = (cs_divide_up(m, height) - 1) / depth; /* without the last */
    gint64 left = m - tiers * depth * height, each = height;
    if (tiers > 0 && row_unit > 0)
        each = cs_divide_up(cs_divide_up(left, depth), row_unit) * row_unit;
    gint64 last = cs_divide_up(left, each);
    double cells = (double)height * plan->block_chunks * CS_CHUNK;
    /* With one warp each, a multiprocessor's four schedulers do more than half of what they do with
     * two. */
    double share = 2 * each <= height ? 0.6 : 1;
    return estimate(plan, size, (double)(tiers * columns), depth, cells) +
           estimate(plan, size, (double)(columns + last - 1), last, cells * share);
}

/* About how many seconds a block of this many rows takes in row slices. */
static double
estimate_slices(const CsCudaPlan *plan, const CsCudaSize *size, gint64 rows)
{
    double cells = (double)cs_cuda_plan_block_rows(plan) * plan->block_chunks * CS_CHUNK;
    return estimate(plan, size, (double)(cs_cuda_plan_tiers(plan, rows) + 1), plan->slots_at_most,
                    cells);
}

double
cs_cuda_plan_diagonal_seconds(const CsRectangle *rectangle, const CsCudaSize *size,
                              const CsGridShape *shape, const CsCudaPlan *plan)
{
    if (plan->sliced)
        return estimate_slices(plan, size, MIN(shape->block_height, cs_rectangle_m(rectangle)));
    return estimate(plan, size, 1, shape->depth,
                    (double)shape->block_height * (double)shape->block_width);
}

/* The most rows of a block in row slices; 0: the overlap alone takes too long. */
static gint64
sliced_rows_at_most(const CsCudaPlan *plan, const CsCudaSize *size)
{
    gint64 height = cs_cuda_plan_block_rows(plan);
    double tier = estimate(plan, size, 1, plan->slots_at_most,
                           (double)height * plan->block_chunks * CS_CHUNK);
    gint64 tiers = (gint64)(CS_CUDA_DIAGONAL_SECONDS / tier) - 1;
    return MAX(tiers * height - plan->overlap, 0) * plan->slots_at_most;
}

/* The most chunks of a block in a wave. */
static gint64
wave_chunks_at_most(const CsCudaPlan *plan, const CsCudaSize *size)
{
    gint64 height = cs_cuda_plan_block_rows(plan);
    double none = estimate(plan, size, 1, plan->slots_at_most, 0);
    double chunk = estimate(plan, size, 1, plan->slots_at_most, (double)height * CS_CHUNK) - none;
    return (gint64)((CS_CUDA_DIAGONAL_SECONDS - none) / chunk);
}

/* The grid of a wave that takes the least time. */
static double
choose_wave(const CsRectangle *rectangle, const CsKernel *kernels, const CsCudaSize *size,
            CsCudaPlan *plan, CsGridShape *shape)
{
    static const int chunks[] = {0, 24, 32, 48, 64};
    const CsGridShape wished = *shape;
    gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    double least = G_MAXDOUBLE;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++)
        for (gsize c = 0; c < 2 * G_N_ELEMENTS(chunks); c++) {
            CsCudaPlan tried = *plan;
            tried.kernel = kernel;
            /* All warps, or half of them if there are many; two blocks then take turns. */
            tried.warps = warps_at_most(kernel, size);
            if (!cs_cuda_forms_may_take(rectangle, kernel) || tried.warps == 0 ||
                (c % 2 == 1 && tried.warps <= FEW_WARPS))
                continue;
            tried.warps /= c % 2 + 1;
            if (wished.block_height > 0)
                take_height(rectangle, kernels, size, &wished, FALSE, &tried);
            tried.slots_at_most = slots_at_once(tried.kernel, tried.warps, size);
            gint64 height = cs_cuda_plan_block_rows(&tried);
            gint64 width =
                wished.block_width > 0 ? cs_divide_up(wished.block_width, CS_CHUNK) : chunks[c / 2];
            width = MIN(width, cs_divide_up(n + CS_PAD, CS_CHUNK)); /* the rest would be empty */
            width = MIN(width, wave_chunks_at_most(&tried, size));
            tried.block_chunks =
                (int)round_chunks(n, MAX(width, 2 * cs_kernel_short_phase(tried.warps)));
            gint64 columns = cs_divide_up(n, (gint64)tried.block_chunks * CS_CHUNK);
            gint64 rows = cs_divide_up(m, height);
            gint64 depth = MIN(columns, MIN(rows, tried.slots_at_most));
            if (wished.depth > 0)
                depth = MIN(depth, wished.depth);
            /* Fewer warps per block gain nothing if other blocks use the same schedulers. */
            gint64 row_unit = tried.slots_at_most <= size->multiprocessors
                                  ? cs_kernel_strip_rows(tried.kernel)
                                  : 0;
            double seconds = estimate_wave(&tried, size, m, n, depth, row_unit);
            if (seconds >= least)
                continue;
            least = seconds;
            *plan = tried;
            *shape = (CsGridShape){.block_height = height,
                                   .block_width = (gint64)tried.block_chunks * CS_CHUNK,
                                   .depth = depth,
                                   .block_threads = (guint)tried.warps * 32,
                                   .row_unit = row_unit};
        }
    return least;
}

gint64
cs_cuda_plan_skipping_slots(gint64 block_rows, gint64 block_columns)
{
    return MIN(ROWS_AT_MOST, cs_cuda_spans_slots(block_rows, block_columns, CS_CUDA_SKIPPING_LATE));
}

gint64
cs_cuda_plan_slot_memory(const CsCudaPlan *plan)
{
    const int words = plan->kernel->words;
    return plan->warps * (32 * (gint64)CS_STATE_WORDS(words) * 4 + CS_RING * 8 +
                          CS_PENDING * (gint64)CS_PENDING_WORDS(words) * 4 + 256);
}

/* The share of the columns that the remaining band of related sequences has in a row, if there is no
 * forecast. This estimate is only for the choice of blocks. In human/chimpanzee-like pairs 5% to 9%
 * of the cells remain. */
#define BAND 0.08

/* The speed of a single block on a multiprocessor, as a share of the multiprocessor's. */
#define ALONE 0.7

/*
 * About how long a row of a skipping sweep takes, to the fourth power. Each block row moves the wave
 * on by R + C columns, so a narrow band leaves much of the device idle. Then a row takes as long as
 * one block needs for that way; otherwise, as long as the device needs for its cells.
 */
static double
estimate_skipping(const CsCudaPlan *plan, gint64 multiprocessors, double band)
{
    const double speed = SPEED * relative_speed(plan->kernel);
    const double way =
        (double)(cs_cuda_plan_block_rows(plan) + (gint64)plan->block_chunks * CS_CHUNK);
    return pow(band / (speed * (double)multiprocessors), 4) + pow(way / (speed * ALONE), 4);
}

/* Those of all GPUs that share a skipping sweep. */
static gint64
all_multiprocessors(const CsEngineOptions *options, const CsCudaSize *size)
{
    gint64 all = 0;
    for (guint k = 0; k < options->n_members; k++)
        all += options->members[k].speed;
    return options->n_members > 1 ? MAX(all, 1) : size->multiprocessors;
}

/* Chooses the grid of a skipping sweep that takes the least time. Returns whether there is one whose
 * slots fit the device. */
static gboolean
choose_skipping(const CsRectangle *rectangle, const CsEngineOptions *options,
                const CsKernel *kernels, const CsCudaSize *size, CsCudaPlan *plan,
                CsGridShape *shape)
{
    const CsGridShape wished = *shape;
    gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const double share = rectangle->share_left > 0 ? rectangle->share_left : BAND;
    double least = G_MAXDOUBLE;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++) {
        CsCudaPlan tried = *plan;
        tried.kernel = kernel;
        tried.warps = MIN(warps_at_most(kernel, size), FEW_WARPS);
        tried.skipping = TRUE;
        if (!cs_cuda_forms_may_take(rectangle, kernel) || kernel->sweep_skipping == NULL ||
            tried.warps == 0)
            continue;
        if (wished.block_height > 0)
            take_height(rectangle, kernels, size, &wished, TRUE, &tried);
        tried.slots_at_most = slots_at_once(tried.kernel, tried.warps, size);
        gint64 height = cs_cuda_plan_block_rows(&tried);
        gint64 width = cs_divide_up(wished.block_width, CS_CHUNK);
        width = MIN(width, cs_divide_up(n + CS_PAD, CS_CHUNK));
        tried.block_chunks = (int)round_chunks(n, MAX(width, cs_kernel_least_chunks(tried.warps)));
        gint64 columns = cs_divide_up(n, (gint64)tried.block_chunks * CS_CHUNK);
        gint64 rows = cs_divide_up(m, height);
        /* A shape that another layout made belongs to that layout. */
        if (wished.depth > 0 && wished.block_height > 0 && wished.block_width > 0 &&
            (height != wished.block_height || tried.block_chunks * CS_CHUNK != wished.block_width))
            continue;
        double taken =
            estimate_skipping(&tried, all_multiprocessors(options, size), share * (double)n);
        if (taken >= least || (size->memory > 0 && cs_cuda_plan_skipping_slots(rows, columns) *
                                                           cs_cuda_plan_slot_memory(&tried) >
                                                       size->memory / 2))
            continue;
        least = taken;
        *plan = tried;
        *shape = (CsGridShape){.block_height = height,
                               .block_width = (gint64)tried.block_chunks * CS_CHUNK,
                               .depth = MIN(rows, columns),
                               .block_threads = (guint)tried.warps * 32};
    }
    return least < G_MAXDOUBLE;
}

/* Rows of the tallest block of any form. Row slices are taller, the blocks of a wave are not. */
static gint64
tallest_block(const CsKernel *kernels)
{
    gint64 tallest = 0;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++)
        tallest = MAX(tallest, (gint64)kernel->warps * cs_kernel_strip_rows(kernel));
    return tallest;
}

/* Whether row slices are possible: they need a bound on how many rows an alignment spans. */
static gboolean
may_slice(const CsRectangle *rectangle, gint64 *overlap)
{
    const CsScoring *scoring = &rectangle->scoring;
    if (rectangle->left != NULL || rectangle->corner != 0 || scoring->gap_extend <= 0 ||
        rectangle->corners != NULL) /* a slice has no seams */
        return FALSE;
    CsScore highest = 0, lowest = 0;
    gint64 n = cs_rectangle_n(rectangle);
    if (rectangle->top != NULL)
        cs_bus_range(rectangle->top, &highest, &lowest);
    /* The top border of a later block is a row of this matrix: at most match * n higher. */
    highest = MAX(highest, 0) + scoring->match * n;
    *overlap = n + (scoring->match * n + highest) / scoring->gap_extend + 1;
    return TRUE;
}

static int
chunks_of_all_columns(const CsRectangle *rectangle, const CsCudaPlan *plan)
{
    gint64 chunks = cs_divide_up(cs_rectangle_n(rectangle) + CS_PAD, CS_CHUNK);
    return (int)MAX(chunks, 2 * cs_kernel_short_phase(plan->warps));
}

/* The same for row slices: m rows at once. */
static double
choose_sliced(const CsRectangle *rectangle, const CsKernel *kernels, const CsCudaSize *size,
              CsCudaPlan *plan, CsGridShape *shape)
{
    const gint64 m = cs_rectangle_m(rectangle), least_rows = tallest_block(kernels) + 1;
    gint64 overlap;
    double least = G_MAXDOUBLE;
    if (!may_slice(rectangle, &overlap))
        return least;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++) {
        if (!cs_cuda_forms_may_take(rectangle, kernel) || warps_at_most(kernel, size) == 0)
            continue;
        CsCudaPlan tried = *plan;
        tried.kernel = kernel;
        /* The short phase must not be longer than the columns. */
        tried.warps = MIN(warps_at_most(kernel, size), FEW_WARPS);
        tried.slots_at_most = slots_at_once(kernel, tried.warps, size);
        tried.sliced = TRUE;
        tried.overlap = overlap;
        tried.block_chunks = chunks_of_all_columns(rectangle, &tried);
        /* Each slot has its own bus: together at most as large as the longer sequence and a fixed
         * amount. */
        gint64 bus = (gint64)tried.block_chunks * CS_CHUNK * (gint64)sizeof(CsKernelCell);
        if (bus * (tried.slots_at_most + 1) > m + BUSES_AT_MOST)
            continue;
        gint64 height = cs_cuda_plan_block_rows(&tried);
        gint64 own = cs_cuda_plan_own_rows(&tried, m);
        gint64 rows_at_most = sliced_rows_at_most(&tried, size);
        if (rows_at_most < MIN(m, least_rows))
            continue;
        /* Enough blocks to show progress, but each much taller than its overlap; more if one would
         * take too long. */
        gint64 blocks = CLAMP(own / (16 * (overlap + height)), 1, 64);
        blocks = MAX(blocks, cs_divide_up(m, rows_at_most));
        gint64 rows = MIN(m, MAX(cs_divide_up(m, blocks), least_rows));
        double seconds = (double)cs_divide_up(m, rows) * estimate_slices(&tried, size, rows);
        if (seconds >= least)
            continue;
        least = seconds;
        *plan = tried;
        *shape = (CsGridShape){.block_height = MAX(rows, least_rows),
                               .block_width = (gint64)tried.block_chunks * CS_CHUNK,
                               .depth = 1,
                               .block_threads = (guint)tried.warps * 32};
    }
    return least;
}

/* Whether the shape is one of row slices that choose_sliced() made, or asks for them. */
static gboolean
is_sliced(const CsRectangle *rectangle, const CsGridShape *shape, const CsCudaPlan *plan)
{
    return shape->depth == 1 && shape->block_width >= cs_rectangle_n(rectangle) + CS_PAD &&
           shape->block_height > tallest_block(plan->kernel);
}

gboolean
cs_cuda_plan_make(const CsRectangle *rectangle, const CsEngineOptions *options,
                  const CsCudaSize *size, CsGridShape *shape, CsCudaPlan *plan, GError **error)
{
    if (cs_rectangle_m(rectangle) == 0 || cs_rectangle_n(rectangle) == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "the rectangle has no cells");
        return FALSE;
    }
    if (cs_rectangle_m(rectangle) > LONGEST || cs_rectangle_n(rectangle) > LONGEST) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "a sequence of more than %d bases is too long for the GPU", LONGEST);
        return FALSE;
    }
    const CsKernel *kernels =
        cs_cuda_forms_pick(rectangle, options, cs_cuda_plan_smooths(rectangle), error);
    if (kernels == NULL)
        return FALSE;
    while (!cs_cuda_forms_may_take(rectangle, kernels))
        kernels++;
    *plan = (CsCudaPlan){.kernel = kernels};
    plan->full = !cs_cuda_forms_fits_bytes(&rectangle->scoring);
    if (may_skip_blocks(rectangle) &&
        choose_skipping(rectangle, options, kernels, size, plan, shape))
        return TRUE;
    CsCudaPlan sliced = *plan;
    CsGridShape sliced_shape;
    gboolean wished = shape->block_height > 0 || shape->block_width > 0 || shape->depth > 0;
    double row_slices = choose_sliced(rectangle, kernels, size, &sliced, &sliced_shape);
    if (is_sliced(rectangle, shape, plan) && row_slices < G_MAXDOUBLE) {
        *plan = sliced;
        shape->block_height = MIN(shape->block_height,
                                  MAX(sliced_rows_at_most(plan, size), tallest_block(kernels) + 1));
    } else {
        double wave = choose_wave(rectangle, kernels, size, plan, shape);
        if (!wished && row_slices < wave) {
            *plan = sliced;
            *shape = sliced_shape;
        }
    }
    return TRUE;
}
