/* Widths, kernels and grids for a GPU. */
#include <chromosweep/error.h>

#include "cuda_plan.h"

enum {
    BUSES_AT_MOST = 128 << 20, /* bytes beside those of the longer sequence */
    SHARED_SYSTEM = 1024,      /* bytes that every block takes beside its own */
    LONGEST = 1 << 30,         /* 2^27 texels of CS_CODES letters: what every device has */
};

/* What a chunk's score bytes hold: s + first of a gap, s being a match or a mismatch. */
static gboolean
fits_bytes(const CsScoring *scoring)
{
    CsScore first = cs_scoring_first_gap(scoring);
    return scoring->match + first <= G_MAXINT8 && first - scoring->mismatch >= G_MININT8 &&
           first <= G_MAXINT8;
}

/*
 * Whether H changes no more along a border than it can inside a matrix: over c cells it falls by at
 * most gap_open + extend * c, and rises by at most match * c more (docs/algorithm.md).
 */
static gboolean
is_smooth(const CsRectangle *rectangle, const CsBus *border)
{
    CsScore open = rectangle->scoring.gap_open, fall = rectangle->scoring.gap_extend;
    CsScore rise = rectangle->scoring.match + fall;
    CsScore lowest = rectangle->corner, highest = rectangle->corner;
    for (gint64 k = 0; border != NULL && k < border->length; k++) {
        CsScore h = cs_width_get(border->width, border->h, k);
        CsScore from_below = h - rise * (k + 1), from_above = h + fall * (k + 1);
        if (h < 0 || from_below > lowest + open || from_above < highest - open)
            return FALSE;
        lowest = MIN(lowest, from_below);
        highest = MAX(highest, from_above);
    }
    return TRUE;
}

/*
 * Between two live cells of a strip there are at most its rows and the columns that lanes are
 * apart. H rises by at most a match a cell on a way down and right, and falls by at most a gap; the
 * lowest live H is at most drop = first - extend + extend * CS_CHUNK above the base, or lower than
 * that near zero. So during a chunk nothing is above the base by more than
 *
 *     (match + extend) * (rows + CS_PAD + CS_CHUNK) + 2 * first + drop
 *
 * Below the base are only G (by first), M (by mismatch) and gap values (one gap more), which the
 * bytes bound, and what comes from a bus, saturated far from the limit.
 */
gboolean
cs_cuda_plan_fits_16(const CsRectangle *rectangle, const CsKernel *kernel)
{
    const CsScoring *scoring = &rectangle->scoring;
    if (rectangle->kind != CS_KIND_LOCAL || !fits_bytes(scoring))
        return FALSE;
    CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    CsScore spread =
        (scoring->match + extend) * (cs_kernel_strip_rows(kernel) + CS_PAD + CS_CHUNK) + 2 * first;
    return spread + first - extend + extend * CS_CHUNK < 31000;
}

/* The forms that the rectangle may be computed in. */
static const CsKernel *
pick_kernels(const CsRectangle *rectangle, const CsEngineOptions *options, GError **error)
{
    CsWidth width;
    if (!cs_rectangle_width(rectangle, &width, error))
        return NULL;
    if (width != CS_WIDTH_32) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "scores of this size need 64-bit arithmetic, which the GPU lacks");
        return NULL;
    }
    if (options->bits != 0 && options->bits != 16 && options->bits != 32) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "the GPU has no arithmetic of %u bits",
                    options->bits);
        return NULL;
    }
    const CsKernel *last = cs_kernels_16;
    while (last[1].bits != 0)
        last++;
    gboolean fits = cs_cuda_plan_fits_16(rectangle, last) && is_smooth(rectangle, rectangle->top) &&
                    is_smooth(rectangle, rectangle->left);
    if (options->bits == 16 && !fits) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "16-bit arithmetic cannot hold these scores");
        return NULL;
    }
    return fits && options->bits != 32 ? cs_kernels_16 : cs_kernels_32;
}

static gboolean
may_take(const CsRectangle *rectangle, const CsKernel *kernel)
{
    return kernel->bits == 32 || cs_cuda_plan_fits_16(rectangle, kernel);
}

/* The most warps that a block of the kernel may have on such a device; 0: none. */
static int
warps_at_most(const CsKernel *kernel, const CsCudaSize *size)
{
    int warps = CS_WARPS_MAX;
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
    return size->multiprocessors * CLAMP(by_memory, 1, kernel->blocks * CS_WARPS_MAX / warps);
}

/* The fewest chunks, at least so many, with which the last block holds the columns' padding too. */
static gint64
round_chunks(gint64 n, gint64 chunks)
{
    g_assert(n > 0);
    while ((n + CS_PAD + chunks * CS_CHUNK - 1) / (chunks * CS_CHUNK) !=
           (n + chunks * CS_CHUNK - 1) / (chunks * CS_CHUNK))
        chunks++;
    return chunks;
}

/* The tallest form and number of warps not above a height; the smallest if there is none. */
static void
take_height(const CsRectangle *rectangle, const CsKernel *kernels, const CsCudaSize *size,
            const CsGridShape *shape, CsCudaPlan *plan)
{
    int fixed =
        shape->block_threads != 0 ? (int)CLAMP(shape->block_threads / 32, 1, CS_WARPS_MAX) : 0;
    gint64 best = 0;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++)
        for (int warps = CS_WARPS_MAX; warps >= 1; warps--) {
            gint64 height = (gint64)warps * cs_kernel_strip_rows(kernel);
            gboolean smallest = best == 0 && kernel[1].bits == 0 && warps == MAX(fixed, 1);
            if ((fixed != 0 && warps != fixed) || !may_take(rectangle, kernel) ||
                warps > warps_at_most(kernel, size) ||
                (!smallest && (height > shape->block_height || height <= best)))
                continue;
            best = height;
            plan->kernel = kernel;
            plan->warps = warps;
        }
}

/* What a form computes, against the fastest: measured, see docs/performance.md. */
static double
relative_speed(const CsKernel *kernel)
{
    static const struct {
        int bits, words;
        double speed;
    } speeds[] = {{16, 20, 1},   {16, 12, 0.95}, {16, 8, 0.85}, {16, 4, 0.6},
                  {32, 16, 0.5}, {32, 8, 0.4},   {0, 0, 0.15}};
    guint k = 0;
    while (speeds[k].bits != 0 &&
           (kernel->bits != speeds[k].bits || kernel->words < speeds[k].words))
        k++;
    return speeds[k].speed;
}

/* Cells a second of a whole multiprocessor, and what each diagonal costs beside its cells: the
 * ratio of the two matters, not the values. */
#define SPEED 4e10
#define DIAGONAL 35e-6

/* Seconds, about, for diagonals of blocks of so many cells in so many slots. */
static double
estimate(const CsCudaPlan *plan, const CsCudaSize *size, double diagonals, gint64 slots,
         double cells)
{
    /* Alone on a multiprocessor a block runs at about half the speed of all that it has room for.
     */
    double alone = 0.5 + 0.5 * plan->slots_at_most / size->multiprocessors;
    double shared = (double)((slots + size->multiprocessors - 1) / size->multiprocessors);
    double rate = SPEED * relative_speed(plan->kernel) / MAX(alone, shared);
    return diagonals * (DIAGONAL + cells / rate);
}

static gint64
divide_up(gint64 a, gint64 b)
{
    return (a + b - 1) / b;
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
        for (gsize c = 0; c < G_N_ELEMENTS(chunks); c++) {
            if (!may_take(rectangle, kernel) || warps_at_most(kernel, size) == 0)
                continue;
            CsCudaPlan tried = *plan;
            tried.kernel = kernel;
            tried.warps = warps_at_most(kernel, size);
            if (wished.block_height > 0)
                take_height(rectangle, kernels, size, &wished, &tried);
            tried.slots_at_most = slots_at_once(tried.kernel, tried.warps, size);
            gint64 height = (gint64)tried.warps * cs_kernel_strip_rows(tried.kernel);
            gint64 width =
                wished.block_width > 0 ? divide_up(wished.block_width, CS_CHUNK) : chunks[c];
            tried.block_chunks =
                (int)round_chunks(n, MAX(width, 2 * cs_kernel_short_phase(tried.warps)));
            gint64 columns = divide_up(n, (gint64)tried.block_chunks * CS_CHUNK);
            gint64 rows = divide_up(m, height);
            gint64 depth = MIN(columns, MIN(rows, tried.slots_at_most));
            if (wished.depth > 0)
                depth = MIN(depth, wished.depth);
            gint64 last = rows - 1;
            double diagonals = (double)(columns + last % depth + last / depth * columns);
            double seconds = estimate(&tried, size, diagonals, depth,
                                      (double)height * tried.block_chunks * CS_CHUNK);
            if (seconds >= least)
                continue;
            least = seconds;
            *plan = tried;
            *shape = (CsGridShape){height, (gint64)tried.block_chunks * CS_CHUNK, depth,
                                   (guint)tried.warps * 32};
        }
    return least;
}

/* Row chunks need a bound on what spans them. */
static gboolean
may_chunk(const CsRectangle *rectangle, gint64 *overlap)
{
    const CsScoring *scoring = &rectangle->scoring;
    if (rectangle->kind != CS_KIND_LOCAL || rectangle->left != NULL || rectangle->corner != 0 ||
        scoring->gap_extend <= 0)
        return FALSE;
    CsScore highest = 0, lowest = 0;
    gint64 n = cs_rectangle_n(rectangle);
    if (rectangle->top != NULL)
        cs_bus_range(rectangle->top, &highest, &lowest);
    /* Within a block further down, the top border is this matrix's own: at most match * n more. */
    highest = MAX(highest, 0) + scoring->match * n;
    *overlap = n + (scoring->match * n + highest) / scoring->gap_extend + 1;
    return TRUE;
}

static int
chunks_of_all_columns(const CsRectangle *rectangle, const CsCudaPlan *plan)
{
    gint64 chunks = divide_up(cs_rectangle_n(rectangle) + CS_PAD, CS_CHUNK);
    return (int)MAX(chunks, 2 * cs_kernel_short_phase(plan->warps));
}

/* The same for row chunks: m rows at once. */
static double
choose_chunked(const CsRectangle *rectangle, const CsKernel *kernels, const CsCudaSize *size,
               CsCudaPlan *plan, CsGridShape *shape)
{
    gint64 m = cs_rectangle_m(rectangle), overlap;
    double least = G_MAXDOUBLE;
    if (!may_chunk(rectangle, &overlap))
        return least;
    for (const CsKernel *kernel = kernels; kernel->bits != 0; kernel++) {
        if (!may_take(rectangle, kernel) || warps_at_most(kernel, size) == 0)
            continue;
        CsCudaPlan tried = *plan;
        tried.kernel = kernel;
        tried.warps = warps_at_most(kernel, size);
        tried.slots_at_most = slots_at_once(kernel, tried.warps, size);
        tried.chunked = TRUE;
        tried.overlap = overlap;
        tried.block_chunks = chunks_of_all_columns(rectangle, &tried);
        /* Buses are a slot's own: not more than the longer sequence and something fixed. */
        gint64 bus = (gint64)tried.block_chunks * CS_CHUNK * (gint64)sizeof(CsKernelCell);
        if (bus * (tried.slots_at_most + 1) > m + BUSES_AT_MOST)
            continue;
        gint64 height = (gint64)tried.warps * cs_kernel_strip_rows(kernel);
        gint64 own = divide_up(m, tried.slots_at_most);
        double bands = (double)(divide_up(own + overlap, height) + 1);
        double seconds = estimate(&tried, size, bands, tried.slots_at_most,
                                  (double)height * tried.block_chunks * CS_CHUNK);
        if (seconds >= least)
            continue;
        least = seconds;
        *plan = tried;
        /* As many blocks as progress likes, but each much taller than what overlaps in it. */
        gint64 blocks = CLAMP(own / (16 * (overlap + height)), 1, 64);
        gint64 tallest = (gint64)CS_WARPS_MAX * cs_kernel_strip_rows(kernels);
        *shape = (CsGridShape){MAX(divide_up(m, blocks), tallest + 1),
                               (gint64)tried.block_chunks * CS_CHUNK, 1, (guint)tried.warps * 32};
    }
    return least;
}

/* A shape of row chunks that choose_chunked() made, or one that asks for them. */
static gboolean
is_chunked(const CsRectangle *rectangle, const CsGridShape *shape, const CsCudaPlan *plan)
{
    return shape->depth == 1 && shape->block_width >= cs_rectangle_n(rectangle) + CS_PAD &&
           shape->block_height > (gint64)CS_WARPS_MAX * cs_kernel_strip_rows(&plan->kernel[0]);
}

gboolean
cs_cuda_plan_make(const CsRectangle *rectangle, const CsEngineOptions *options,
                  const CsCudaSize *size, CsGridShape *shape, CsCudaPlan *plan, GError **error)
{
    if (cs_rectangle_m(rectangle) == 0 || cs_rectangle_n(rectangle) == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "a rectangle without cells");
        return FALSE;
    }
    if (cs_rectangle_m(rectangle) > LONGEST || cs_rectangle_n(rectangle) > LONGEST) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "a sequence of more than %d letters is too long for the GPU", LONGEST);
        return FALSE;
    }
    const CsKernel *kernels = pick_kernels(rectangle, options, error);
    if (kernels == NULL)
        return FALSE;
    while (!may_take(rectangle, kernels))
        kernels++;
    *plan = (CsCudaPlan){.kernel = kernels};
    CsCudaPlan chunked = *plan;
    CsGridShape chunked_shape;
    gboolean wished = shape->block_height > 0 || shape->block_width > 0 || shape->depth > 0;
    double row_chunks = choose_chunked(rectangle, kernels, size, &chunked, &chunked_shape);
    if (is_chunked(rectangle, shape, plan) && row_chunks < G_MAXDOUBLE) {
        *plan = chunked;
    } else {
        double wave = choose_wave(rectangle, kernels, size, plan, shape);
        if (!wished && row_chunks < wave) {
            *plan = chunked;
            *shape = chunked_shape;
        }
    }
    plan->full = !fits_bytes(&rectangle->scoring) || rectangle->kind == CS_KIND_ANCHORED;
    return TRUE;
}
