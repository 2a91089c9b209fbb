/* How much of the work is done, by right and by wrong forecasts. */
#include <chromosweep/chromosweep.h>

#include "../case_count.h"
#include "related.h"
#include "skipping/work_meter.h"

enum {
    M = 100000,
    N = 80000,
    HEIGHT = 500,
    WIDTH = 400,
    UNEVEN = 300000, /* bases of each part of an uneven pair */
};

static const CsBest none = {0};
static const CsWorkPace plain = {0}, narrow = {.narrow = TRUE};

static CsGrid *
make_grid(gint64 m, gint64 n)
{
    const CsGridShape shape = {.block_height = HEIGHT, .block_width = WIDTH, .depth = 4};
    return cs_grid_new(m, n, &shape, NULL, 0);
}

/* Whether a block is computed: in a square at the first cells, then in a band. */
static gboolean
is_computed(gint64 row, gint64 column)
{
    return (row < M / 4 && column < N / 4) || ABS(column * M - row * N) < (gint64)M * N / 20;
}

/* A forecast that is right except for a factor. */
static CsWorkForecast
make_forecast(double factor)
{
    CsWorkForecast forecast = {.m = M, .n = N};
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        const gint64 from = cs_work_forecast_row(&forecast, k);
        const gint64 height = cs_work_forecast_row(&forecast, k + 1) - from;
        forecast.from[k] = N;
        for (gint64 j = 0; j < N; j += WIDTH)
            if (is_computed(from, j)) {
                forecast.from[k] = MIN(forecast.from[k], j);
                forecast.to[k] = MIN(N, j + WIDTH);
                forecast.cells[k] += factor * (double)(height * WIDTH);
            }
    }
    return forecast;
}

/* The cells of the grid's d-th diagonal that are computed, below so many rows. */
static gint64
cells_of_diagonal(const CsGrid *grid, gint64 d, gint64 above)
{
    gint64 cells = 0;
    for (gint64 s = 0; s < grid->depth; s++) {
        gint64 bi, bj;
        if (d < s || d - s >= cs_grid_slot_blocks(grid, s))
            continue;
        cs_grid_slot_block(grid, s, d - s, &bi, &bj);
        if (is_computed(above + grid->row_starts[bi], cs_grid_column_start(grid, bj)))
            cells += (grid->row_starts[bi + 1] - grid->row_starts[bi]) *
                     (cs_grid_column_start(grid, bj + 1) - cs_grid_column_start(grid, bj));
    }
    return cells;
}

static gint64
cells_of_grid(const CsGrid *grid, gint64 above)
{
    gint64 cells = 0;
    for (gint64 d = 0; d < cs_grid_diagonals(grid); d++)
        cells += cells_of_diagonal(grid, d, above);
    return cells;
}

/* Runs the meter over the grid without a sweep. From the first tenth on, the expected work must
 * stay within a factor of the truth, and the share done must never fall. Returns the cells
 * computed. */
static gint64
sweep(CsWorkMeter *meter, const CsGrid *grid, gint64 above, gint64 computed, gint64 all,
      double factor)
{
    double before = meter->fraction;
    for (gint64 d = 0; d < cs_grid_diagonals(grid); d++) {
        computed += cells_of_diagonal(grid, d, above);
        const gint64 expected = cs_work_meter_expected(meter, d + 1, computed, &none);
        g_assert_cmpfloat(meter->fraction, >=, before);
        g_assert_cmpint(expected, >=, computed);
        before = meter->fraction;
        if (computed >= all / 10) {
            g_assert_cmpfloat((double)expected, <=, factor * (double)all);
            g_assert_cmpfloat((double)expected, >=, (double)all / factor);
        }
    }
    return computed;
}

static void
test_factors(void)
{
    static const double factors[] = {1, 0.3, 3};
    g_autoptr(CsGrid) grid = make_grid(M, N);
    const gint64 all = cells_of_grid(grid, 0);
    for (guint k = 0; k < G_N_ELEMENTS(factors); k++) {
        const CsWorkForecast forecast = make_forecast(factors[k]);
        CsWorkMeter meter = {0};
        cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
        cs_work_meter_begin_part(&meter, grid, &plain, 0, 0, NULL);
        g_assert_cmpint(sweep(&meter, grid, 0, 0, all, factors[k] == 1 ? 1.1 : 1.5), ==, all);
        g_assert_cmpint(cs_work_meter_expected(&meter, G_MAXINT64, all, &none), ==, all);
        g_assert_cmpfloat(meter.fraction, ==, 1);
    }
}

/* The cells that a meter has left after so many diagonals. */
static double
left_from(const CsWorkMeter *meter, gint64 diagonals)
{
    const double at = (double)diagonals / (double)meter->diagonals * CS_WORK_SLICES;
    const gint64 k = MIN((gint64)at, CS_WORK_SLICES - 1);
    return meter->left[k] + (at - (double)k) * (meter->left[k + 1] - meter->left[k]);
}

static double
sum_of_forecast(void)
{
    const CsWorkForecast forecast = make_forecast(1);
    return cs_work_forecast_cells(&forecast);
}

/* Block rows that end at special rows. A diagonal then has other rows than by the height of blocks. */
static void
test_special_rows(void)
{
    const CsGridShape shape = {.block_height = HEIGHT, .block_width = WIDTH, .depth = 4};
    enum {
        APART = HEIGHT + HEIGHT / 5
    };
    gint64 special[M / APART];
    for (gint64 k = 0; k < M / APART; k++)
        special[k] = (k + 1) * APART;
    g_autoptr(CsGrid) grid = cs_grid_new(M, N, &shape, special, G_N_ELEMENTS(special));
    g_assert_cmpint(grid->block_rows, >, M / HEIGHT * 3 / 2);
    const gint64 all = cells_of_grid(grid, 0);
    const CsWorkForecast forecast = make_forecast((double)all / sum_of_forecast());
    CsWorkMeter meter = {0};
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &plain, 0, 0, NULL);
    gint64 computed = 0;
    for (gint64 d = 0; d < cs_grid_diagonals(grid); d++) {
        computed += cells_of_diagonal(grid, d, 0);
        g_assert_cmpfloat(ABS(left_from(&meter, d + 1) - (double)(all - computed)), <=,
                          0.03 * (double)all);
    }
}

/* A matrix of few blocks, down to a single one. */
static void
test_small(void)
{
    static const gint64 sizes[][2] = {{1, 1},
                                      {HEIGHT, WIDTH},
                                      {3 * HEIGHT, 5 * WIDTH},
                                      {12 * HEIGHT + 7, 2 * WIDTH + 1},
                                      {2, 40 * WIDTH}};
    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
        g_autoptr(CsGrid) grid = make_grid(sizes[k][0], sizes[k][1]);
        const gint64 all = sizes[k][0] * sizes[k][1];
        CsWorkForecast forecast;
        CsWorkMeter meter = {0};
        cs_work_forecast_init_all(&forecast, sizes[k][0], sizes[k][1]);
        cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
        cs_work_meter_begin_part(&meter, grid, &plain, 0, 0, NULL);
        gint64 computed = 0;
        for (gint64 d = 0; d < cs_grid_diagonals(grid); d++) {
            g_assert_cmpfloat(ABS(meter.left[d * CS_WORK_SLICES / cs_grid_diagonals(grid)] -
                                  (double)(all - computed)),
                              <=, 0.1 * (double)all);
            computed += cells_of_diagonal(grid, d, 0);
        }
        g_assert_cmpint(computed, ==, all);
    }
}

/* Another run resumes from some row with the corrected forecast, and the other strand is to
 * come. */
static void
test_runs(void)
{
    const CsWorkForecast forecast = make_forecast(3);
    g_autoptr(CsGrid) whole = make_grid(M, N);
    const gint64 all = cells_of_grid(whole, 0), later = (gint64)M * N;
    CsWorkMeter first = {0};
    cs_work_meter_begin(&first, &forecast, (double)later, NULL, 0);
    cs_work_meter_begin_part(&first, whole, &plain, 0, 0, NULL);
    const gint64 tier = 4 * HEIGHT, rows = 10 * tier;
    const gint64 diagonals = rows / tier * whole->block_columns;
    gint64 computed = 0;
    for (gint64 d = 0; d < diagonals; d++)
        computed += cells_of_diagonal(whole, d, 0);
    const gint64 expected = cs_work_meter_expected(&first, diagonals, computed, &none);

    const CsWorkForecast left = cs_work_meter_corrected(&first, diagonals, computed);
    const CsStaircase staircase = {.row = rows};
    g_autoptr(CsGrid) rest = make_grid(M - rows, N);
    CsWorkMeter second = {.fraction = first.fraction};
    cs_work_meter_begin(&second, &left, (double)later, &staircase, computed);
    cs_work_meter_begin_part(&second, rest, &plain, rows, 0, &staircase);
    const double again = (double)cs_work_meter_expected(&second, 0, computed, &none);
    g_assert_cmpfloat(ABS(again / (double)expected - 1), <, 0.01);
    g_assert_cmpint(sweep(&second, rest, rows, computed, all + later, 1.5), ==, all);
    g_assert_cmpint(ABS(cs_work_meter_expected(&second, G_MAXINT64, all, &none) - all - later), <=,
                    1);
}

/* A GPU that skips has some rows in progress at once, each two blocks behind the one above. */
static void
expect_rows(gint64 most, gint64 empty)
{
    enum {
        BEHIND = 2
    };
    CsWorkForecast forecast = make_forecast(1);
    g_autoptr(CsGrid) grid = make_grid(M, N);
    g_autofree gint64 *blocks = g_new0(gint64, grid->block_rows), *columns = g_new(gint64, most);
    gint64 all = 0, computed = 0, done = 0;
    for (gint64 k = 0; k < empty; k++)
        forecast.cells[k] = 0;
    const gint64 first = cs_work_forecast_row(&forecast, empty);
    for (gint64 bi = 0; bi < grid->block_rows; bi++)
        for (gint64 bj = 0; grid->row_starts[bi] >= first && bj < grid->block_columns; bj++)
            all += is_computed(grid->row_starts[bi], cs_grid_column_start(grid, bj)) ? 1 : 0;
    all *= HEIGHT * WIDTH;
    CsWorkMeter meter = {0};
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &narrow, 0, 0, NULL);
    while (done < grid->block_rows) {
        const gint64 end = MIN(grid->block_rows, done + most);
        for (gint64 bi = done; bi < end; bi++) { /* one step */
            if (bi > 0 && blocks[bi - 1] < MIN(blocks[bi] + BEHIND, grid->block_columns))
                break;
            if (blocks[bi] < grid->block_columns && grid->row_starts[bi] >= first &&
                is_computed(grid->row_starts[bi], cs_grid_column_start(grid, blocks[bi])))
                computed += HEIGHT * WIDTH;
            blocks[bi] = MIN(blocks[bi] + 1, grid->block_columns);
        }
        while (done < grid->block_rows && blocks[done] == grid->block_columns)
            done++;
        gint64 count = 0;
        for (gint64 bi = done; bi < end && blocks[bi] > 0; bi++)
            columns[count++] = MIN(N, blocks[bi] * WIDTH);
        cs_work_meter_stand(&meter, done, columns, count);
        const double expected = (double)cs_work_meter_expected(&meter, 0, computed, &none);
        if (computed >= all / 10)
            g_assert_cmpfloat(ABS(expected / (double)all - 1), <, 0.1);
        g_assert_cmpfloat(meter.overhead, >=, 0);
        g_assert_cmpfloat(meter.effort, >=, (double)computed * (1 - 1e-9));
        g_assert_cmpfloat(meter.overhead, <=,
                          meter.least * (double)(M - MIN(M, grid->row_starts[done])));
    }
    g_assert_cmpint(computed, ==, all);
    g_assert_cmpint(cs_work_meter_expected(&meter, G_MAXINT64, computed, &none), ==, all);
    g_assert_cmpfloat(meter.overhead, ==, 0);
}

/* With all rows in progress at once, with few, and if nothing is computed in the first rows, such as
 * Ns. */
static void
test_rows_in_progress(void)
{
    expect_rows(1000, 0);
    expect_rows(8, 0);
    expect_rows(8, CS_WORK_PARTS / 4);
}

/* Rows of a band that is narrow everywhere take the same time each, so time left goes with the rows.
 * Those before the first cells, such as Ns, take none; those where a forecast missed the cells do. */
static void
test_narrow_rows(void)
{
    enum {
        EMPTY = CS_WORK_PARTS / 4,
        MISSED = 3 /* of each so many parts one has its cells forecast */
    };
    CsWorkForecast forecast = {.m = M, .n = N};
    g_autoptr(CsGrid) grid = make_grid(M, N);
    CsWorkMeter meter = {0};
    for (gint64 k = EMPTY; k < CS_WORK_PARTS; k++) {
        forecast.from[k] = 0;
        forecast.to[k] = N;
        forecast.cells[k] = k == EMPTY || k % MISSED == 0 || k == CS_WORK_PARTS - 1 ? 1e3 : 0;
    }
    const gint64 first = cs_work_forecast_row(&forecast, EMPTY);
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &narrow, 0, 0, NULL);
    for (gint64 done = 0; done < grid->block_rows; done++) {
        cs_work_meter_stand(&meter, done, NULL, 0);
        const gint64 computed = MAX(0, grid->row_starts[done] - first) / 100;
        cs_work_meter_expected(&meter, 0, computed, &none);
        const double passed = meter.least * (double)MAX(0, grid->row_starts[done] - first);
        const double left = meter.least * (double)(M - MAX(first, grid->row_starts[done]));
        g_assert_cmpfloat(ABS(meter.effort - passed), <=, 0.01 * passed);
        g_assert_cmpfloat(ABS(meter.overhead - left), <=, 0.01 * left);
    }
}

/* On a GPU a wide part takes the time of its cells, a narrow one that of its rows, and Ns take none. */
static void
test_effort(void)
{
    enum {
        LONG = 100000000,
        WIDE = 8000000,
        FIRST = CS_WORK_PARTS / 4 /* Ns above it */
    };
    CsWorkForecast forecast = {.m = LONG, .n = LONG};
    const double height = (double)cs_work_forecast_row(&forecast, 1);
    for (gint64 k = FIRST; k < CS_WORK_PARTS - 1; k++)
        forecast.cells[k] = k == FIRST ? height * WIDE : 1;
    const double rows = height * (CS_WORK_PARTS - FIRST - 2);
    const double effort = cs_work_meter_effort(&forecast, NULL, TRUE, 1) - height * WIDE;
    g_assert_cmpfloat(effort / rows, >, 1.2e6);
    g_assert_cmpfloat(effort / rows, <, 1.4e6);
    forecast.cells[FIRST + 10] = 0; /* missed by the forecast */
    g_assert_cmpfloat(ABS(cs_work_meter_effort(&forecast, NULL, TRUE, 1) - height * WIDE - effort),
                      <, 1e9);
}

/* On a CPU a band of one block keeps one thread busy, however many there are. One that is as wide as the matrix
 * keeps all busy. */
static void
test_idle_threads(void)
{
    static const guint threads[] = {1, 2, 16, 32};
    for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
        const CsGridShape shape = {
            .block_height = WIDTH, .block_width = WIDTH, .depth = MAX(16, 2 * threads[t])};
        g_autoptr(CsGrid) grid = cs_grid_new(M, N, &shape, NULL, 0);
        const double blocks = (double)(grid->block_rows * grid->block_columns) * threads[t];
        CsWorkForecast narrow_band, all;
        cs_work_forecast_init_all(&narrow_band, M, N);
        cs_work_forecast_init_all(&all, M, N);
        const double rows = (double)cs_work_forecast_row(&all, 1);
        for (gint64 k = 0; k < CS_WORK_PARTS; k++)
            narrow_band.cells[k] = rows * 2 * WIDTH;
        const double one = 2.0 * M * WIDTH; /* cells, in vectors that are half empty */
        const double effort =
            cs_work_meter_effort(&narrow_band, grid, FALSE, threads[t]) - 1000 * blocks;
        g_assert_cmpfloat(effort, >, 1.9 * one * threads[t]);
        g_assert_cmpfloat(effort, <, 2.1 * one * threads[t]);
        const double dense = cs_work_meter_effort(&all, grid, FALSE, threads[t]) - 1000 * blocks;
        g_assert_cmpfloat(dense, >=, (double)M * N);
        g_assert_cmpfloat(dense, <, 1.25 * M * N);
    }
}

/* Idle threads of a CPU: what is left and what is done add up, and one thread has hardly any less to do in
 * a narrow band than two. */
static void
test_narrow_band(void)
{
    const CsWorkPace skips = {.threads = 2};
    CsWorkForecast forecast = {.m = M, .n = N};
    g_autoptr(CsGrid) grid = make_grid(M, N);
    const gint64 diagonals = cs_grid_diagonals(grid);
    CsWorkMeter meter = {0};
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        forecast.cells[k] =
            (double)(cs_work_forecast_row(&forecast, k + 1) - cs_work_forecast_row(&forecast, k)) *
            (WIDTH + HEIGHT);
        forecast.from[k] = N * k / CS_WORK_PARTS;
        forecast.to[k] = N * (k + 1) / CS_WORK_PARTS;
    }
    const double cells = cs_work_forecast_cells(&forecast);
    const double blocks = 2000 * (double)(grid->block_rows * grid->block_columns);
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &skips, 0, 0, NULL);
    (void)cs_work_meter_expected(&meter, 0, 0, &none);
    const double all = cells + meter.overhead, aslant = (double)(WIDTH + HEIGHT) / WIDTH;
    g_assert_cmpfloat(all, >, 1.9 * aslant * cells + blocks);
    g_assert_cmpfloat(all, <, 2.1 * aslant * cells + blocks);
    for (gint64 d = 1; d <= diagonals; d++) {
        const double left = left_from(&meter, d);
        (void)cs_work_meter_expected(&meter, d, (gint64)(cells - left), &none);
        g_assert_cmpfloat(ABS(meter.effort + meter.overhead + left - all), <, 0.01 * all);
    }
    g_assert_cmpfloat(meter.overhead, ==, 0);
}

/* On a CPU cells where H is low take less time; what is done and what is left add up. */
static void
test_low_cells(void)
{
    const CsWorkPace skips = {.threads = 1};
    CsWorkForecast forecast;
    cs_work_forecast_init_all(&forecast, M, N);
    g_autoptr(CsGrid) grid = make_grid(M, N);
    const double dense = cs_work_meter_effort(&forecast, grid, FALSE, 1);
    for (gint64 k = 0; k < CS_WORK_PARTS / 2; k++)
        forecast.low[k] = forecast.cells[k];
    const double all = cs_work_meter_effort(&forecast, grid, FALSE, 1);
    g_assert_cmpfloat(all, <, 0.85 * dense);
    g_assert_cmpfloat(all, >, 0.75 * dense);
    CsWorkMeter meter = {0};
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &skips, 0, 0, NULL);
    const gint64 diagonals = cs_grid_diagonals(grid);
    gint64 computed = 0;
    for (gint64 d = 0; d < diagonals; d++) {
        for (gint64 s = 0; s < grid->depth; s++)
            if (d >= s && d - s < cs_grid_slot_blocks(grid, s))
                computed += (gint64)HEIGHT * WIDTH;
        (void)cs_work_meter_expected(&meter, d + 1, computed, &none);
        const double sum = meter.effort + meter.likely_left + meter.overhead;
        g_assert_cmpfloat(ABS(sum - all), <, 0.02 * all);
        if (d == diagonals / 2)
            g_assert_cmpfloat(meter.effort, <, 0.45 * all);
    }
    g_assert_cmpfloat(meter.overhead, ==, 0);
}

/* The steps of a staircase count with the cells to their right. */
static void
test_staircase(void)
{
    CsWorkForecast forecast;
    cs_work_forecast_init_all(&forecast, M, N);
    CsStep steps[] = {{.row = 1000, .height = 500, .column = N / 2},
                      {.row = 1500, .height = 500, .column = N / 4}};
    g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(CsStep));
    g_array_append_vals(array, steps, G_N_ELEMENTS(steps));
    const CsStaircase staircase = {.steps = array, .row = 2000};
    const double left = (double)(M - 2000) * N + 500.0 * N / 2 + 500.0 * N * 3 / 4;
    g_assert_cmpfloat(ABS(cs_work_forecast_left(&forecast, &staircase) / left - 1), <, 1e-6);
    g_assert_cmpfloat(ABS(cs_work_forecast_cells(&forecast) / ((double)M * N) - 1), <, 1e-9);
}

/* On a CPU blocks take time even where all of them are skipped. */
static void
test_skipped_blocks(void)
{
    const CsWorkForecast forecast = make_forecast(1);
    g_autoptr(CsGrid) grid = make_grid(M, N);
    const gint64 diagonals = cs_grid_diagonals(grid);
    CsWorkMeter meter = {0};
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &plain, 0, 0, NULL);
    (void)cs_work_meter_expected(&meter, 0, 0, &none);
    const double all = meter.overhead;
    g_assert_cmpfloat(all, >=, 1000 * (double)(grid->block_rows * grid->block_columns));
    (void)cs_work_meter_expected(&meter, diagonals / 4, 0, &none);
    g_assert_cmpfloat(ABS(meter.overhead - 0.75 * all), <, 0.01 * all);
    g_assert_cmpfloat(ABS(meter.effort - 0.25 * all), <, 0.01 * all);
    (void)cs_work_meter_expected(&meter, diagonals, 0, &none);
    g_assert_cmpfloat(meter.overhead, ==, 0);
    g_assert_cmpfloat(ABS(meter.effort - all), <, 0.01 * all);
}

/* The progress that a comparison reports. */
typedef struct {
    GArray *seen; /* CsProgress */
    double stop;  /* at this fraction; 0: never */
} Watch;

static gboolean
look(const CsProgress *progress, gpointer data)
{
    Watch *watch = data;
    g_array_append_vals(watch->seen, progress, 1);
    return watch->stop == 0 || progress->fraction < watch->stop;
}

static void
make_pair(CsSequence **a, CsSequence **b, int length)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GString) bases = g_string_new(NULL);
    related_append(rand, bases, 4, length);
    g_autoptr(GString) copy = related_copy(rand, bases, 4, 30);
    *a = cs_sequence_new("a", bases->str, (gint64)bases->len, NULL);
    *b = cs_sequence_new("b", copy->str, (gint64)copy->len, NULL);
}

/* The time left follows the stages before the sweep. */
static void
check_stages(const GArray *seen)
{
    const CsProgress *first = &g_array_index(seen, CsProgress, 0);
    guint before = 1, changed = 0; /* the bounds */
    for (; before < seen->len; before++) {
        const CsProgress *p = &g_array_index(seen, CsProgress, before);
        if (p->stage < CS_STAGE_SEEDS || p->stage >= CS_STAGE_BOUNDS)
            break;
        changed += p->seconds_left != first->seconds_left;
    }
    if (before > 1)
        g_assert_cmpint(changed, >, 0);
}

/* Compares the reported progress with the end. */
static void
check_told(const GArray *seen, guint from, gint64 all)
{
    double before = 0;
    for (guint k = 0; k < seen->len; k++) {
        const CsProgress *p = &g_array_index(seen, CsProgress, k);
        const double share = (double)p->cells_computed / (double)all;
        g_assert_cmpfloat(p->fraction, >=, before);
        g_assert_true(p->fraction < 1 || p->cells_done == p->cells);
        before = p->fraction;
        if (p->stage != CS_STAGE_SWEEP && p->stage < CS_STAGE_ROWS) {
            g_assert_cmpint(p->cells_done, ==, g_array_index(seen, CsProgress, from).cells_done);
            g_assert_cmpfloat(p->seconds_left, >=, 0);
            g_assert_cmpfloat(p->seconds_left, <, 1e5);
        }
        if (k < from || share < 0.1)
            continue;
        g_test_message("told %.3f, true %.3f", p->fraction, share);
        g_assert_cmpfloat(p->fraction, <=, 1.5 * share);
        g_assert_cmpfloat(p->fraction, >=, share / 1.5);
    }
}

/* A related pair, stopped in the middle and resumed. All reports of progress agree. */
static void
test_comparison(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = NULL, b = NULL;
    make_pair(&a, &b, 600000);
    g_autofree char *top = g_dir_make_tmp("chromosweep-work-XXXXXX", NULL);
    g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(CsProgress));
    g_autoptr(GArray) second = g_array_new(FALSE, FALSE, sizeof(CsProgress));
    Watch watch = {.seen = first, .stop = 0.3};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.engine = "scalar"; /* slow enough to be stopped in the middle on any machine */
    options.threads = 1;
    options.skip = CS_SKIP_BOUNDS;
    options.checkpoint = top;
    options.progress = look;
    options.progress_data = &watch;
    g_autoptr(CsCheckpointInfo) info = NULL;
    CsProgress last = {0};
    /* On a busy machine the sweep may go on for long before it is stopped, so it is tried again. */
    for (guint tries = 0;
         info == NULL || (tries < 20 && info->generations[0].fraction >= last.fraction + 0.1);
         tries++) {
        g_clear_pointer(&info, cs_checkpoint_info_free);
        g_array_set_size(first, 0);
        options.checkpoint_fresh = TRUE;
        g_assert_false(cs_compare(a, b, &options, &result, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        g_clear_error(&error);
        last = g_array_index(first, CsProgress, first->len - 1);
        info = cs_checkpoint_info_new(top, TRUE, &error);
        g_assert_no_error(error);
        g_assert_cmpfloat(info->generations[0].fraction, >=, last.fraction);
    }
    g_assert_cmpfloat(info->generations[0].fraction, <, last.fraction + 0.1);
    g_assert_cmpint(info->generations[0].cells_done * 10, <, 9 * last.cells);

    options.checkpoint_fresh = FALSE;
    watch = (Watch){.seen = second};
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_no_error(error);
    g_assert_cmpint(result.skip, ==, CS_SKIP_BOUNDS);
    const gint64 all = result.cells_computed - result.cells_corridor;
    g_assert_cmpint(2 * all, <, result.cells);
    g_assert_cmpfloat(g_array_index(second, CsProgress, 0).fraction, ==,
                      info->generations[0].fraction);
    check_stages(first);
    check_told(first, 0, all);
    check_told(second, 0, all);
    g_assert_cmpint(last.lower_bound, ==, result.lower_bound);
    const CsProgress *end = &g_array_index(second, CsProgress, second->len - 1);
    g_assert_cmpfloat(end->fraction, ==, 1);
    g_assert_cmpint(end->cells_expected, ==, all);
    g_assert_true(cs_checkpoint_remove(top, NULL));
}

/* Two parts of a pair that are similar to a different degree: seeds are a larger share of the bases in
 * one of them, and H does not grow with their bases alone. From a fiftieth of the matrix on, the forecast is of the
 * cells that are computed in the end. */
static void
test_uneven(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GString) first = g_string_new(NULL), second = g_string_new(NULL);
    related_append(rand, first, 4, UNEVEN);
    related_append(rand, second, 4, UNEVEN);
    g_autoptr(GString) copy = related_copy(rand, first, 4, 10);
    g_autoptr(GString) other_copy = related_copy(rand, second, 4, 110);
    g_string_append(first, second->str);
    g_string_append(copy, other_copy->str);
    g_autoptr(CsSequence) a = cs_sequence_new("a", first->str, (gint64)first->len, NULL);
    g_autoptr(CsSequence) b = cs_sequence_new("b", copy->str, (gint64)copy->len, NULL);
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(CsProgress));
    Watch watch = {.seen = seen};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.device = "cpu";
    options.threads = 1;
    options.skip = CS_SKIP_BOUNDS;
    options.no_start = TRUE;
    options.progress = look;
    options.progress_data = &watch;
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_no_error(error);
    const double all = (double)(result.cells_computed - result.cells_corridor);
    for (gsize k = 0; k < seen->len; k++) {
        const CsProgress *progress = &g_array_index(seen, CsProgress, k);
        if (progress->stage != CS_STAGE_SWEEP || 50 * progress->cells_done < progress->cells)
            continue; /* a few blocks say little of the others */
        const double told = (double)progress->cells_expected;
        g_test_message("told %.3g cells, true %.3g", told, all);
        g_assert_cmpfloat(told, <=, 1.2 * all);
        g_assert_cmpfloat(told, >=, all / 1.2);
    }
}

/* One strand is related, and the other one is hopeless beside it: nothing is foretold of its sweep. */
static void
test_both(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = NULL, b = NULL;
    make_pair(&a, &b, 400000);
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(CsProgress));
    Watch watch = {.seen = seen};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.device = "cpu";
    options.threads = 1;
    options.strand = CS_STRAND_BOTH;
    options.no_start = TRUE;
    options.progress = look;
    options.progress_data = &watch;
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_no_error(error);
    g_assert_cmpint(result.skip, ==, CS_SKIP_BOUNDS);
    gsize k = 0;
    while (g_array_index(seen, CsProgress, k).stage != CS_STAGE_SWEEP)
        k++;
    const double told = (double)g_array_index(seen, CsProgress, k).cells_expected;
    const double all = (double)(result.cells_computed - result.cells_corridor);
    g_test_message("told %.3g cells, true %.3g", told, all);
    g_assert_cmpfloat(told, <=, 1.5 * all);
    g_assert_cmpfloat(told, >=, all / 1.5);
}

/* Before a sweep that skips by the best score so far, nothing is known. */
static void
test_best(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = NULL, b = NULL;
    make_pair(&a, &b, 120000);
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(CsProgress));
    Watch watch = {.seen = seen};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.device = "cpu";
    options.threads = 1;
    options.skip = CS_SKIP_BEST;
    options.progress = look;
    options.progress_data = &watch;
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_no_error(error);
    g_assert_cmpint(4 * result.cells_computed, <, 3 * result.cells);
    check_told(seen, 0, result.cells_computed);
}

/* From half of the diagonals on, four times the cells of the forecast are computed, because H is higher. Half of what
 * that adds to the rest is expected, as mostly H falls back. */
static void
test_higher(void)
{
    CsWorkForecast forecast = {.m = M, .n = N};
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        forecast.cells[k] = k < CS_WORK_PARTS / 2 ? 1e7 : 1e6;
        forecast.more[k] = 1e6;
        forecast.to[k] = N;
    }
    g_autoptr(CsGrid) grid = make_grid(M, N);
    const gint64 diagonals = cs_grid_diagonals(grid);
    CsWorkMeter meter = {0};
    cs_work_meter_begin(&meter, &forecast, 0, NULL, 0);
    cs_work_meter_begin_part(&meter, grid, &plain, 0, 0, NULL);
    const double *left = meter.left, *more = meter.more_left;
    const gint64 middle = CS_WORK_SLICES / 2, late = CS_WORK_SLICES * 5 / 8;
    double likely = 0, fraction = 0;
    for (gint64 k = 0; k <= late; k++) {
        const double computed = left[0] - left[k] + (k > middle ? 3 * (more[middle] - more[k]) : 0);
        cs_work_meter_expected(&meter, diagonals * k / CS_WORK_SLICES, (gint64)computed, &none);
        if (k == middle)
            g_assert_cmpfloat(ABS(meter.likely_left / left[k] - 1), <, 0.1);
        g_assert_cmpfloat(meter.fraction, >=, fraction);
        fraction = meter.fraction;
        likely = meter.likely_left;
    }
    g_assert_cmpfloat(ABS(likely / (left[late] + 1.5 * more[late]) - 1), <, 0.15);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/work_meter/factors", test_factors);
    g_test_add_func("/work_meter/small", test_small);
    g_test_add_func("/work_meter/special-rows", test_special_rows);
    g_test_add_func("/work_meter/runs", test_runs);
    g_test_add_func("/work_meter/rows-in-progress", test_rows_in_progress);
    g_test_add_func("/work_meter/narrow-rows", test_narrow_rows);
    g_test_add_func("/work_meter/effort", test_effort);
    g_test_add_func("/work_meter/idle-threads", test_idle_threads);
    g_test_add_func("/work_meter/narrow-band", test_narrow_band);
    g_test_add_func("/work_meter/low-cells", test_low_cells);
    g_test_add_func("/work_meter/staircase", test_staircase);
    g_test_add_func("/work_meter/skipped-blocks", test_skipped_blocks);
    g_test_add_func("/work_meter/uneven", test_uneven);
    g_test_add_func("/work_meter/both", test_both);
    g_test_add_func("/work_meter/best", test_best);
    g_test_add_func("/work_meter/higher", test_higher);
    g_test_add_func("/work_meter/comparison", test_comparison);
    return g_test_run();
}
