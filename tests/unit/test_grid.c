/*
 * How many blocks of a band are computed at the same time: what grid.h tells, beside a schedule of the blocks
 * by the rules of cpu_wave.c, where each block takes one step.
 */
#include "cpu/cpu_wave.h"
#include "sweep/grid.h"

enum {
    WIDTH = 1000,
    FIRST = 130, /* the diagonal's first column */
    ALL = -1,    /* of the columns */
    TIERS = 4,
    UNLIMITED = 1000000
};

/* A band that goes down along the diagonal, in blocks, and how far the schedule has come. */
typedef struct {
    CsGrid *grid;
    gint64 *from, *to,
        *next;    /* of each block row: its first block, the one after its last, the next */
    gint64 *left; /* blocks of each diagonal */
    gint64 blocks;
} Band;

static gint64
diagonal_of(const CsGrid *grid, gint64 bi, gint64 bj)
{
    return bj + bi % grid->depth + bi / grid->depth * grid->block_columns;
}

/* A block row has `wide` columns of the band besides those that the diagonal goes through, or ALL. */
static Band
make_band(gint64 height, gint64 depth, gint64 wide)
{
    const gboolean all = wide == ALL;
    const gint64 rows = depth * TIERS, m = rows * height,
                 n = all ? 300 * WIDTH : m + wide + 100 * WIDTH;
    const CsGridShape shape = {.block_height = height, .block_width = WIDTH, .depth = depth};
    Band band = {.grid = cs_grid_new(m, n, &shape, NULL, 0)};
    band.from = g_new(gint64, rows);
    band.to = g_new(gint64, rows);
    band.next = g_new(gint64, rows);
    band.left = g_new0(gint64, cs_grid_diagonals(band.grid));
    for (gint64 bi = 0; bi < rows; bi++) {
        band.next[bi] = band.from[bi] = all ? 0 : (bi * height + FIRST) / WIDTH;
        band.to[bi] =
            all ? band.grid->block_columns : ((bi + 1) * height + FIRST + wide - 1) / WIDTH + 1;
        for (gint64 bj = band.from[bi]; bj < band.to[bi]; bj++)
            band.left[diagonal_of(band.grid, bi, bj)]++;
        band.blocks += band.to[bi] - band.from[bi];
    }
    return band;
}

static void
band_clear(Band *band)
{
    cs_grid_free(band->grid);
    g_free(band->from);
    g_free(band->to);
    g_free(band->next);
    g_free(band->left);
}

/* Whether a row's next block may start, given how far all rows had come before this step. A skipped block
 * takes no time, so it hands on what it waits for. */
static gboolean
may_start(const Band *band, const gint64 *before, gint64 bi, gint64 submitted)
{
    const gint64 bj = before[bi], depth = band->grid->depth;
    if (bj >= band->to[bi] || diagonal_of(band->grid, bi, bj) >= submitted)
        return FALSE;
    if (bi >= depth && before[bi - depth] < band->to[bi - depth])
        return FALSE;
    return bi == 0 || before[bi - 1] > MIN(bj, band->to[bi - 1] - 1);
}

/* The steps that threads take for the band. */
static gint64
count_steps(Band *band, gint64 threads)
{
    const gint64 rows = band->grid->block_rows;
    g_autofree gint64 *before = g_new(gint64, rows);
    gint64 left = band->blocks, collected = 0, steps = 0;
    for (; left > 0; steps++) {
        while (band->left[collected] == 0)
            collected++;
        gint64 idle = threads;
        for (gint64 bi = 0; bi < rows; bi++)
            before[bi] = band->next[bi];
        for (gint64 bi = 0; bi < rows && idle > 0; bi++) {
            if (!may_start(band, before, bi, collected + CS_CPU_WAVE_QUEUE))
                continue;
            band->left[diagonal_of(band->grid, bi, before[bi])]--;
            band->next[bi]++;
            left--;
            idle--;
        }
        g_assert_cmpint(idle, <, threads);
    }
    return steps;
}

static void
check(gint64 height, gint64 threads, gint64 wide)
{
    const gint64 depth = threads == UNLIMITED ? 24 : MAX(16, 2 * threads);
    Band band = make_band(height, depth, wide);
    const double rows = (double)band.grid->block_rows, blocks = (double)band.blocks;
    const double told = rows * cs_grid_steps(band.grid, blocks / rows);
    const double least = MAX(told, blocks / (double)threads);
    const double steps = (double)count_steps(&band, threads);
    g_test_message("height %d, %d threads, %.1f blocks a row: %.0f steps, told %.0f", (int)height,
                   (int)threads, blocks / rows, steps, least);
    g_assert_cmpfloat(steps, >, 0.95 * least);
    g_assert_cmpfloat(steps, <, (threads == UNLIMITED ? 1.05 : 1.35) * least);
    band_clear(&band);
}

/* One block at a time where the band is as narrow as can be, then ever more, up to all threads. */
static void
test_steps(void)
{
    static const gint64 heights[] = {WIDTH / 4, WIDTH / 2, WIDTH};
    static const gint64 threads[] = {1, 2, 16, 32, UNLIMITED};
    for (guint h = 0; h < G_N_ELEMENTS(heights); h++)
        for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
            for (gint64 wide = 0; wide < 80 * WIDTH; wide = 2 * wide + WIDTH / 2)
                check(heights[h], threads[t], wide);
            check(heights[h], threads[t], ALL);
        }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/grid/steps", test_steps);
    return g_test_run();
}
