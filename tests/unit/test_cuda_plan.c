/*
 * How sweeps are laid out on a GPU; no device is needed. The kernels can run every plan, a plan made
 * again from its own shape is the same, and the arithmetic holds the scores. Sequences are views
 * with a length but no bases, because nobody reads these.
 */
#include <chromosweep/error.h>

#include "../case_count.h"
#include "cuda/cuda_footprint.h"
#include "cuda/cuda_forms.h"
#include "cuda/cuda_groups.h"
#include "cuda/cuda_plan.h"

#define MEGA G_GINT64_CONSTANT(1000000)

/* The smallest there is, a middle one and a large one, as devices are. */
static const CsCudaSize device_sizes[] = {
    {1, 48 << 10, 64 << 10, 0},
    {4, 99 << 10, 100 << 10, 0},
    {132, 227 << 10, 228 << 10, 0},
};
static const CsCudaSize *const large = &device_sizes[2];

static CsRectangle
rectangle_of(gint64 m, gint64 n, CsScoring scoring)
{
    return (CsRectangle){
        .rows = {.length = m},
        .columns = {.length = n},
        .scoring = scoring,
        .tie_order = CS_TIE_ROW_FIRST,
    };
}

static void
expect_sliced(const CsRectangle *rectangle, const CsGridShape *shape, const CsCudaPlan *plan)
{
    const CsScoring *scoring = &rectangle->scoring;
    gint64 n = cs_rectangle_n(rectangle);
    g_assert_cmpint(shape->depth, ==, 1);
    g_assert_cmpint(shape->block_width, >=, n);
    g_assert_cmpint((gint64)plan->block_chunks * CS_CHUNK, >=, n + CS_PAD);
    g_assert_cmpint(plan->overlap, >, n + scoring->match * n / scoring->gap_extend);
}

/* The last block holds all columns that the strips' lower rows still read, the padding. */
static void
expect_wave(const CsRectangle *rectangle, const CsGridShape *shape, const CsCudaPlan *plan)
{
    gint64 n = cs_rectangle_n(rectangle);
    gint64 columns = (n + shape->block_width - 1) / shape->block_width;
    g_assert_cmpint(shape->block_height, ==, plan->warps * cs_kernel_strip_rows(plan->kernel));
    g_assert_cmpint(shape->block_width, ==, (gint64)plan->block_chunks * CS_CHUNK);
    g_assert_cmpint(columns * shape->block_width, >=, n + CS_PAD);
    g_assert_cmpint(shape->depth, >=, 1);
    g_assert_cmpint(shape->depth, <=, plan->skipping ? columns : MIN(columns, plan->slots_at_most));
    if (plan->skipping)
        g_assert_nonnull(plan->kernel->sweep_skipping);
}

static void
expect_valid(const CsRectangle *rectangle, const CsGridShape *shape, const CsCudaPlan *plan)
{
    g_assert_nonnull(plan->kernel);
    g_assert_true(plan->kernel->bits == 32 || cs_cuda_forms_fits_16(rectangle, plan->kernel));
    g_assert_cmpint(plan->warps, >=, 1);
    g_assert_cmpint(plan->warps, <=, CS_WARPS_MAX);
    g_assert_cmpint(plan->block_chunks, >=,
                    plan->skipping ? cs_kernel_least_chunks(plan->warps)
                                   : 2 * cs_kernel_short_phase(plan->warps));
    g_assert_cmpint(plan->slots_at_most, >=, 1);
    if (plan->sliced)
        expect_sliced(rectangle, shape, plan);
    else
        expect_wave(rectangle, shape, plan);
    g_autoptr(CsGrid) grid =
        cs_grid_new(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), shape, NULL, 0);
    g_assert_cmpint(grid->depth, ==, shape->depth);
    g_assert_cmpint(grid->block_rows, <=, G_MAXINT32);
}

static void
expect_same(const CsGridShape *shape, const CsCudaPlan *plan, const CsGridShape *again_shape,
            const CsCudaPlan *again)
{
    g_assert_cmpint(again_shape->block_height, ==, shape->block_height);
    g_assert_cmpint(again_shape->block_width, ==, shape->block_width);
    g_assert_cmpint(again_shape->depth, ==, shape->depth);
    g_assert_cmpuint(again_shape->block_threads, ==, shape->block_threads);
    g_assert_true(again->kernel == plan->kernel);
    g_assert_cmpint(again->full, ==, plan->full);
    g_assert_cmpint(again->warps, ==, plan->warps);
    g_assert_cmpint(again->block_chunks, ==, plan->block_chunks);
    g_assert_cmpint(again->sliced, ==, plan->sliced);
    g_assert_cmpint(again->skipping, ==, plan->skipping);
    g_assert_cmpint(again->overlap, ==, plan->overlap);
    g_assert_cmpint(again->slots_at_most, ==, plan->slots_at_most);
}

/* A plan from what is wished for: valid, and the same when made from its own shape. */
static CsCudaPlan
plan_of(const CsRectangle *rectangle, guint bits, const CsCudaSize *size, CsGridShape *shape)
{
    CsEngineOptions options = {.threads = 1, .bits = bits};
    CsCudaPlan plan, again;
    g_autoptr(GError) error = NULL;
    cs_cuda_plan_make(rectangle, &options, size, shape, &plan, &error);
    g_assert_no_error(error);
    expect_valid(rectangle, shape, &plan);
    CsGridShape own = *shape;
    cs_cuda_plan_make(rectangle, &options, size, &own, &again, &error);
    g_assert_no_error(error);
    expect_same(shape, &plan, &own, &again);
    if (bits != 0)
        g_assert_cmpint(plan.kernel->bits, ==, (int)bits);
    return plan;
}

/* The plan of all that is free. */
static CsCudaPlan
free_plan_of(const CsRectangle *rectangle, guint bits)
{
    CsGridShape shape = {0};
    return plan_of(rectangle, bits, large, &shape);
}

static void
expect_refused(const CsRectangle *rectangle, guint bits, CsError code)
{
    CsEngineOptions options = {.threads = 1, .bits = bits};
    CsGridShape shape = {0};
    CsCudaPlan plan;
    g_autoptr(GError) error = NULL;
    g_assert_false(cs_cuda_plan_make(rectangle, &options, large, &shape, &plan, &error));
    g_assert_error(error, CS_ERROR, (int)code);
}

static void
test_sizes(gconstpointer skipping)
{
    const gint64 sizes[][2] = {
        {1, 1},
        {1, 100000},
        {100000, 1},
        {63, 65},
        {1000, 1536 - CS_PAD},
        {1000, 1536 - CS_PAD + 1},
        {5000, 5000},
        {MEGA, 300},
        {MEGA, MEGA},
        {10 * MEGA, 10 * MEGA},
        {140 * MEGA, 2000},
        {250 * MEGA, 250 * MEGA},
        {400 * MEGA, 400 * MEGA},
        {1000 * MEGA, 400 * MEGA},
    };
    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
        for (guint p = 0; p < G_N_ELEMENTS(device_sizes); p++)
            for (guint bits = 0; bits <= 32; bits += 16) {
                CsRectangle rectangle =
                    rectangle_of(sizes[k][0], sizes[k][1], (CsScoring)CS_SCORING_DEFAULT);
                CsGridShape shape = {0};
                rectangle.skipping = skipping != NULL;
                CsCudaPlan plan = plan_of(&rectangle, bits, &device_sizes[p], &shape);
                g_assert_cmpint(plan.skipping, ==, rectangle.skipping);
            }
}

/* Blocks are skipped only where no border enters or leaves on a side, and where their rows' states
 * find room; special rows do not matter. */
static void
test_skipping(void)
{
    const gint64 special = 10;
    g_autoptr(CsBus) border = cs_bus_new(MEGA, CS_WIDTH_32, NULL);
    for (guint k = 0; k < 7; k++) {
        CsRectangle rectangle = rectangle_of(MEGA, MEGA, (CsScoring)CS_SCORING_DEFAULT);
        CsCudaSize size = *large;
        CsGridShape shape = {0};
        rectangle.skipping = k != 1;
        rectangle.left = k == 2 ? border : NULL;
        rectangle.right = k == 3 ? border : NULL;
        rectangle.corner = k == 4;
        rectangle.special_rows = &special;
        rectangle.n_special_rows = k == 5;
        size.memory = k == 6 ? 16 << 20 : (gint64)16 << 30;
        g_assert_cmpint(plan_of(&rectangle, 0, &size, &shape).skipping, ==, k == 0 || k == 5);
    }
    /* In the form for small bands where a band is thin, in the fastest where it is not. */
    CsRectangle thin = rectangle_of(10 * MEGA, 10 * MEGA, (CsScoring)CS_SCORING_DEFAULT);
    CsRectangle wide = rectangle_of(30 * MEGA, 36 * MEGA, (CsScoring)CS_SCORING_DEFAULT);
    thin.skipping = wide.skipping = TRUE;
    g_assert_cmpint(free_plan_of(&thin, 0).kernel->words, ==, 8);
    g_assert_cmpint(free_plan_of(&wide, 0).kernel->words, ==, 20);
}

static void
test_wishes(void)
{
    const gint64 sizes[][2] = {{1, 1}, {3, 700}, {5000, 3}, {20000, 20000}, {100000, 2000}};
    const gint64 heights[] = {0, 1, 63, 64, 100, 1000, 3071, 3072, 3073, 100000};
    const gint64 widths[] = {0, 1, 64, 65, 1000, 1536, 4096, MEGA};
    const gint64 depths[] = {0, 1, 7, 1000};
    const guint threads[] = {0, 1, 32, 33, 64, 96, 128, 1024};
    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
        for (guint h = 0; h < G_N_ELEMENTS(heights); h++)
            for (guint w = 0; w < G_N_ELEMENTS(widths); w++)
                for (guint d = 0; d < G_N_ELEMENTS(depths); d++)
                    for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
                        CsScoring scoring = CS_SCORING_DEFAULT;
                        scoring.match = t % 4 < 2 ? 1 : 20; /* not every form holds these */
                        CsRectangle rectangle = rectangle_of(sizes[k][0], sizes[k][1], scoring);
                        CsGridShape shape = {heights[h], widths[w], depths[d],
                                             threads[t], 0,         FALSE};
                        CsCudaPlan plan = plan_of(&rectangle, 16 * (1 + t % 2), large, &shape);
                        if (heights[h] > 0 && threads[t] >= 32 && !plan.sliced)
                            g_assert_cmpint(plan.warps, <=, MIN(threads[t] / 32, CS_WARPS_MAX));
                        if (depths[d] > 0)
                            g_assert_cmpint(shape.depth, <=, depths[d]);
                    }
}

/* Row slices where a wave would be thin, and only where a bound is known for what spans them. */
static void
test_row_slices(void)
{
    CsRectangle thin = rectangle_of(140 * MEGA, 2000, (CsScoring)CS_SCORING_DEFAULT);
    CsRectangle wide = rectangle_of(10 * MEGA, 10 * MEGA, (CsScoring)CS_SCORING_DEFAULT);
    g_assert_true(free_plan_of(&thin, 0).sliced);
    g_assert_true(free_plan_of(&thin, 32).sliced);
    g_assert_false(free_plan_of(&wide, 0).sliced);

    /* The alignment that spans most rows: every column a match, all it gained spent on one gap. */
    CsCudaPlan plan = free_plan_of(&thin, 0);
    g_assert_cmpint(plan.overlap, >=, 2000 + (2000 - 3) / 2);
    CsRectangle free_gaps = rectangle_of(140 * MEGA, 2000, (CsScoring){1, 3, 3, 0});
    g_assert_false(free_plan_of(&free_gaps, 0).sliced);

    /* What the top border brings lets an alignment reach further down. */
    g_autoptr(CsBus) top = cs_bus_new(2000, CS_WIDTH_32, NULL);
    for (gint64 k = 0; k < top->length; k++)
        cs_width_set(top->width, top->h, k, k);
    thin.top = top;
    g_assert_cmpint(free_plan_of(&thin, 0).overlap, >=, plan.overlap + 1999 / 2);

    /* Asked for by a shape, however few rows there are; then the wave's columns do not matter. */
    CsRectangle small = rectangle_of(300, 500, (CsScoring)CS_SCORING_DEFAULT);
    CsGridShape shape = {100000, 100000, 1, 64, 0, FALSE};
    g_assert_true(plan_of(&small, 0, large, &shape).sliced);
    g_assert_cmpint(shape.block_height, ==, 100000);
}

/* No diagonal is longer than a stop should wait, whatever is wished for. Returns whether the plan
 * is of row slices. */
static gboolean
expect_short(const CsRectangle *rectangle, const CsCudaSize *size, CsGridShape shape)
{
    CsCudaPlan plan = plan_of(rectangle, 0, size, &shape);
    double seconds = cs_cuda_plan_diagonal_seconds(rectangle, size, &shape, &plan);
    g_assert_cmpfloat(seconds, >, 0);
    g_assert_cmpfloat(seconds, <=, CS_CUDA_DIAGONAL_SECONDS * 1.000001);
    return plan.sliced;
}

static void
test_short_diagonals(void)
{
    const CsScoring scorings[] = {CS_SCORING_DEFAULT, {5, 4, 3, 1}, {100, 100, 100, 1}};
    guint row_slices = 0, wished = 0;
    const int step = case_count_is_low() ? 16 : 4;
    for (gint64 m = 1; m <= 1 << 30; m *= step)
        for (gint64 n = 1; n <= 16 * MEGA; n = n * 5 / 3 + 1)
            for (guint k = 0; k < G_N_ELEMENTS(scorings); k++)
                for (guint p = 0; p < G_N_ELEMENTS(device_sizes); p++) {
                    CsRectangle rectangle = rectangle_of(m, n, scorings[k]);
                    const CsCudaSize *size = &device_sizes[p];
                    CsWidth width;
                    if (!cs_rectangle_width(&rectangle, &width, NULL) || width != CS_WIDTH_32)
                        continue;
                    row_slices += expect_short(&rectangle, size, (CsGridShape){0});
                    CsGridShape all = {m + 100000, n + 1000, 1, 128, 0, FALSE};
                    wished += expect_short(&rectangle, size, all);
                    expect_short(&rectangle, size, (CsGridShape){.block_width = n});
                }
    g_assert_cmpuint(row_slices, >, 100);
    g_assert_cmpuint(wished, >, 100);
}

/* What the bound costs nothing keeps its blocks; what it would cost much becomes a wave. */
static void
test_blocks_of_chunks(void)
{
    CsRectangle thin = rectangle_of(140 * MEGA, 2000, (CsScoring)CS_SCORING_DEFAULT);
    CsGridShape shape = {0};
    CsCudaPlan plan = plan_of(&thin, 0, large, &shape);
    g_assert_true(plan.sliced);
    g_assert_true(plan.kernel == &cs_kernels_16[0]);
    g_assert_cmpint(plan.warps, ==, 4);
    g_assert_cmpint(plan.slots_at_most, ==, 264);
    g_assert_cmpint(plan.overlap, ==, 4001);
    g_assert_cmpint(shape.block_height, ==, 46666667);
    g_assert_cmpint(shape.block_width, ==, 17 * CS_CHUNK);
    g_assert_cmpint(shape.depth, ==, 1);
    g_assert_cmpuint(shape.block_threads, ==, 128);
    g_assert_cmpint(shape.row_unit, ==, 0);

    CsRectangle middle = rectangle_of(1000 * MEGA, 40000, (CsScoring)CS_SCORING_DEFAULT);
    shape = (CsGridShape){0};
    g_assert_true(plan_of(&middle, 0, large, &shape).sliced);
    g_assert_cmpint(shape.block_height, <, 200 * MEGA);

    CsRectangle wide = rectangle_of(1000 * MEGA, 200000, (CsScoring)CS_SCORING_DEFAULT);
    g_assert_false(free_plan_of(&wide, 0).sliced);
}

/* 16 bits exactly where they hold the strip of the shortest form, and never a form that they do
 * not. */
static void
test_scorings(void)
{
    const CsKernel *shortest = cs_kernels_16;
    while (shortest[1].bits != 0)
        shortest++;
    guint narrow = 0, shorter = 0;
    for (CsScore match = 1; match < 140; match += 6)
        for (CsScore mismatch = 0; mismatch < 300; mismatch += 37)
            for (CsScore open = 0; open < 140; open += 23)
                for (CsScore extend = 0; extend < 140; extend += 11) {
                    CsRectangle rectangle = rectangle_of(
                        5 * MEGA, 3 * MEGA, (CsScoring){match, mismatch, open, extend});
                    CsCudaPlan plan = free_plan_of(&rectangle, 0);
                    gboolean fits = cs_cuda_forms_fits_16(&rectangle, shortest);
                    g_assert_cmpint(plan.kernel->bits, ==, fits ? 16 : 32);
                    /* From the lowest computed cell of a strip up its whole height. */
                    if (plan.kernel->bits == 16)
                        g_assert_cmpint((match + extend) * cs_kernel_strip_rows(plan.kernel) +
                                            2 * (open + extend),
                                        <=, G_MAXINT16);
                    if (!fits)
                        expect_refused(&rectangle, 16, CS_ERROR_DEVICE);
                    narrow += fits;
                    shorter += fits && !cs_cuda_forms_fits_16(&rectangle, &cs_kernels_16[0]);
                }
    g_assert_cmpuint(narrow, >, 0);
    g_assert_cmpuint(shorter, >, 0);

    /* Scores that the fast loop's bytes do not hold are for the slow loop. */
    CsRectangle rectangle = rectangle_of(MEGA, MEGA, (CsScoring)CS_SCORING_DEFAULT);
    g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, 16);
    g_assert_false(free_plan_of(&rectangle, 0).full);
    /* A match and a mismatch together fit a byte. */
    rectangle.scoring.mismatch = 126;
    g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, 16);
    rectangle.scoring.mismatch = 127;
    g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, 32);
    g_assert_false(free_plan_of(&rectangle, 0).full);
    rectangle.scoring.mismatch = 200;
    g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, 32);
    g_assert_true(free_plan_of(&rectangle, 0).full);
}

/* Forms that open E where bases pair only are for the gap costs that are compiled into them, and
 * for mismatches that cost no more than two gaps' next bases. */
static void
test_gap_costs(void)
{
    const CsKernel *by_default = &cs_kernels_16[0];
    g_assert_cmpint(by_default->first, >, 0);
    CsScoring scoring = {1, 0, by_default->first - by_default->extend, by_default->extend};
    for (scoring.mismatch = 0; scoring.mismatch < 20; scoring.mismatch++) {
        CsRectangle rectangle = rectangle_of(5 * MEGA, 3 * MEGA, scoring);
        int first = scoring.mismatch <= 2 * scoring.gap_extend ? by_default->first : 0;
        g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->first, ==, first);
    }
    for (int change = 0; change < 4; change++) {
        scoring = (CsScoring)CS_SCORING_DEFAULT;
        scoring.gap_open += change == 0 ? 1 : change == 1 ? -1 : 0;
        scoring.gap_extend += change == 2 ? 1 : change == 3 ? -1 : 0;
        CsRectangle rectangle = rectangle_of(5 * MEGA, 3 * MEGA, scoring);
        g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->first, ==, 0);
    }
}

static void
test_refused(void)
{
    const CsScoring wide[] = {{1000, 3, 3, 2}, {1, 1 << 28, 3, 2}, {1, 3, 1 << 28, 2}};
    for (guint k = 0; k < G_N_ELEMENTS(wide); k++) {
        CsRectangle rectangle = rectangle_of(MEGA, MEGA, wide[k]);
        for (guint bits = 0; bits <= 32; bits += 16)
            expect_refused(&rectangle, bits, CS_ERROR_DEVICE);
    }
    CsRectangle rectangle = rectangle_of(600 * MEGA, 600 * MEGA, (CsScoring)CS_SCORING_DEFAULT);
    expect_refused(&rectangle, 0, CS_ERROR_DEVICE);
    rectangle = rectangle_of(G_MAXINT32, 1000, (CsScoring)CS_SCORING_DEFAULT);
    expect_refused(&rectangle, 0, CS_ERROR_DEVICE);
    rectangle = rectangle_of(0, 1000, (CsScoring)CS_SCORING_DEFAULT);
    expect_refused(&rectangle, 0, CS_ERROR_DEVICE);
    rectangle = rectangle_of(1000, 1000, (CsScoring)CS_SCORING_DEFAULT);
    expect_refused(&rectangle, 64, CS_ERROR_DEVICE);
    rectangle = rectangle_of(MEGA, MEGA, (CsScoring){G_MAXINT64 / 64, 3, 3, 2});
    expect_refused(&rectangle, 0, CS_ERROR_USAGE);
}

/* Borders on which H changes by more than it can inside a matrix are for 32 bits. */
static void
test_borders(void)
{
    enum {
        LENGTH = 1000
    };
    for (guint k = 0; k < 10; k++) {
        gboolean left = k % 2 == 1;
        g_autoptr(CsBus) border = cs_bus_new(LENGTH, CS_WIDTH_64, NULL);
        CsRectangle rectangle = rectangle_of(LENGTH, LENGTH, (CsScoring)CS_SCORING_DEFAULT);
        *(left ? &rectangle.left : &rectangle.top) = border;
        for (gint64 c = 0; c < LENGTH; c++)
            cs_width_set(border->width, border->h, c, 700 + c);
        rectangle.corner = 699;
        gint64 cell = -1, jump = 0;
        switch (k / 2) {
        case 0: /* smooth */ break;
        case 1: cell = LENGTH / 2, jump = 100; break;
        case 2: cell = LENGTH - 1, jump = -100; break;
        case 3: cell = 0, jump = -700; break;
        default: /* between the corner and the first cell */ rectangle.corner = 0;
        }
        if (jump != 0)
            cs_width_set(border->width, border->h, cell, 700 + cell + jump);
        g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, k / 2 == 0 ? 16 : 32);
        if (k / 2 > 0)
            expect_refused(&rectangle, 16, CS_ERROR_DEVICE);
        rectangle.skipped = TRUE; /* then they are made smooth */
        g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, 16);
    }
}

/* Steps that a matrix has now and then, but not in a row: 16 bits would overflow in a strip. */
static void
test_steep_borders(void)
{
    for (guint k = 0; k < 4; k++) {
        g_autoptr(CsBus) border = cs_bus_new(1000, CS_WIDTH_64, NULL);
        CsRectangle rectangle = rectangle_of(1000, 1000, (CsScoring){20, 20, 98, 1});
        *(k % 2 == 1 ? &rectangle.left : &rectangle.top) = border;
        for (gint64 c = 0; c < border->length; c++)
            cs_width_set(border->width, border->h, c, k < 2 ? 119 * (c + 1) : 118 * (1000 - c));
        rectangle.corner = k < 2 ? 0 : 118 * 1001;
        g_assert_cmpint(free_plan_of(&rectangle, 0).kernel->bits, ==, 32);
    }
}

/* Bytes of what a run allocates, from the sizes that sweep_kernel.h gives. */
static gint64
allocated(const CsRectangle *rectangle, const CsCudaPlan *plan, const CsCudaFootprint *footprint,
          const CsGrid *grid)
{
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const int words = plan->kernel->words;
    const gint64 lane_words = CS_STATE_WORDS(words), pending_words = CS_PENDING_WORDS(words);
    const gint64 warp = 4 * 32 * lane_words + (gint64)sizeof(CsKernelCell) * CS_RING + 4 * 4 +
                        CS_PENDING * (4 * pending_words + 4) + (gint64)sizeof(CsKernelBest);
    gint64 bytes = 4 * (cs_divide_up(m, CS_CODES) + cs_divide_up(n, CS_CODES)) +
                   footprint->slots * plan->warps * warp +
                   8 * footprint->bus_cells * (footprint->buses + plan->sliced) +
                   2 * 4 * footprint->tiers * footprint->slots;
    if (rectangle->left != NULL)
        bytes += 8 * m + 4 * grid->block_rows;
    if (rectangle->right != NULL)
        bytes += 8 * m;
    if (rectangle->n_special_rows > 0 && !plan->sliced)
        bytes += 4 * grid->block_rows;
    if (plan->sliced)
        return bytes + 4 * footprint->slots;
    bytes += 8 * footprint->slots * grid->block_height; /* risers */
    if (plan->skipping)
        bytes += cs_cuda_groups_memory(footprint->slots) +
                 4 * (2 * grid->block_rows + grid->block_columns) + CS_BOUNDS_TABLE_BYTES;
    return bytes;
}

/* What is asked for before a run covers what it allocates, and not much more. */
static void
test_footprint(void)
{
    const gint64 sizes[][2] = {{1, 1}, {300, 70000}, {MEGA, MEGA}, {140 * MEGA, 2000}};
    const gint64 special = 1;
    guint layouts[3] = {0};
    for (guint k = 0; k < 8 * G_N_ELEMENTS(sizes); k++) {
        const gint64 m = sizes[k / 8][0], n = sizes[k / 8][1];
        CsRectangle rectangle = rectangle_of(m, n, (CsScoring)CS_SCORING_DEFAULT);
        CsBus border = {.length = 0};
        rectangle.skipping = k % 8 == 1;
        rectangle.left = k % 8 == 2 || k % 8 == 5 ? &border : NULL;
        rectangle.right = k % 8 == 3 || k % 8 == 5 ? &border : NULL;
        rectangle.special_rows = &special;
        rectangle.n_special_rows = k % 8 == 4 || k % 8 == 5;
        CsGridShape shape = {.depth = k % 8 == 6 ? 3 : 0, .block_width = k % 8 == 7 ? 5000 : 0};
        CsCudaPlan plan = plan_of(&rectangle, 0, large, &shape);
        g_autoptr(CsGrid) grid =
            cs_grid_new(m, n, &shape, rectangle.special_rows, rectangle.n_special_rows);
        CsCudaFootprint footprint = cs_cuda_footprint_of(&rectangle, &plan, grid);
        gint64 bytes = allocated(&rectangle, &plan, &footprint, grid);
        g_assert_cmpint(footprint.slots * footprint.tiers, >=, plan.sliced ? 1 : grid->block_rows);
        g_assert_cmpint(footprint.bus_cells, >=, n + CS_PAD);
        g_assert_cmpint(footprint.bytes, >=, bytes);
        g_assert_cmpint(footprint.bytes, <=,
                        bytes + 8 * grid->block_rows + 256 * (gint64)plan.warps * footprint.slots +
                            (2 << 20));
        layouts[plan.skipping ? 2 : plan.sliced]++;
    }
    for (guint k = 0; k < G_N_ELEMENTS(layouts); k++)
        g_assert_cmpuint(layouts[k], >, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/cuda-plan/sizes", NULL, test_sizes);
    g_test_add_data_func("/cuda-plan/skipping-sizes", "skipping", test_sizes);
    g_test_add_func("/cuda-plan/skipping", test_skipping);
    g_test_add_func("/cuda-plan/wishes", test_wishes);
    g_test_add_func("/cuda-plan/row-slices", test_row_slices);
    g_test_add_func("/cuda-plan/short-diagonals", test_short_diagonals);
    g_test_add_func("/cuda-plan/blocks-of-chunks", test_blocks_of_chunks);
    g_test_add_func("/cuda-plan/scorings", test_scorings);
    g_test_add_func("/cuda-plan/gap-costs", test_gap_costs);
    g_test_add_func("/cuda-plan/refused", test_refused);
    g_test_add_func("/cuda-plan/borders", test_borders);
    g_test_add_func("/cuda-plan/steep-borders", test_steep_borders);
    g_test_add_func("/cuda-plan/footprint", test_footprint);
    return g_test_run();
}
