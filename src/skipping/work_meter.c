/* How much of their work the sweeps have done: see work_meter.h. */
#include <math.h>

#include "skipping/work_meter.h"

/* A forecast has as much weight as this share of it, once computed, has as an observation. */
#define TRUST 0.02

/* A forecast does not place its cells more precisely than by this factor. A smaller deviation is no trend. */
#define USUAL 1.12

/* The last stretch of a sweep has about this share of all that is `more` in its forecast. */
#define STRETCH 0.06
/* If fewer cells than this share of what is `more` were not forecast, H need not be higher. */
#define LEAST_MORE 0.5
/* Mostly H falls back sooner or later. So this share of the cells that a higher H would add is reckoned with. */
#define STAYS 0.5

/* A large GPU that skips takes as long for a row of a band, however narrow, as for so many columns
 * of it (docs/performance.md). */
#define LEAST_COLUMNS_GPU 1.3e6

/* On a CPU each block takes as long as one thread needs for so many cells, even if it is skipped: measured
 * with AVX-512 and 6.5 million blocks. All other threads wait meanwhile (cs_cpu_wave_submit()). */
#define CELLS_A_BLOCK 1000

/* There a cell far from the chain, where H is mostly so low that single bits hold it (simd_block.c), takes so
 * much of the time of another one: measured with AVX-512. */
#define LOW_CELL 0.6

/* At most so many points of each part of a forecast, from which its cells are distributed to slices.
 * Small matrices need only POINTS_A_BLOCK along each side of a block. */
enum {
    POINTS_A_BLOCK = 2,
    ROW_POINTS = 8,
    COLUMN_POINTS = 32
};

void
cs_work_meter_begin(CsWorkMeter *meter, const CsWorkForecast *forecast, double later,
                    const CsStaircase *staircase, gint64 cells_computed)
{
    double left[CS_WORK_PARTS];
    meter->forecast = *forecast;
    meter->later = later;
    meter->at_start = cs_work_forecast_left_of_parts(forecast, staircase, left);
    meter->more_at_start = cs_work_forecast_share(forecast, forecast->more, left);
    meter->likely_left = meter->at_start + later;
    meter->computed_before = meter->computed = cells_computed;
    meter->diagonals = 0;
    meter->least = meter->blocks = meter->overhead = meter->slice = 0;
    meter->left[0] = meter->more_left[0] = meter->easy_left[0] = meter->idle_left[0] = 0;
    meter->stretch_left = meter->beyond = meter->at_start;
    meter->stretch_more_left = meter->more_beyond = meter->more_at_start;
    meter->easy_beyond = meter->ease = meter->idle_beyond = 0;
    meter->stretch_computed = meter->stretch_forecast = meter->stretch_more = 0;
}

/* The block row of a row, both counted from 0. Block rows also end at special rows. */
static gint64
block_row_of(const CsGrid *grid, gint64 row)
{
    gint64 first = 0, end = grid->block_rows;
    while (end - first > 1) {
        const gint64 middle = first + (end - first) / 2;
        if (grid->row_starts[middle] <= row)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* The diagonal in which the first block of a row's blocks is computed. Rows count from 0. */
static gint64
diagonal_of_row(const CsGrid *grid, gint64 row)
{
    const gint64 bi = block_row_of(grid, row);
    return bi % grid->depth + bi / grid->depth * grid->block_columns;
}

static gint64
points_of(double length, gint64 block, gint64 most)
{
    return (gint64)MIN(POINTS_A_BLOCK * length / (double)block + 1, (double)most);
}

/* For each part of a forecast on a CPU, in cells: how long threads are idle beside its band, and the time that
 * cells where H is low save. */
typedef struct {
    double idle[CS_WORK_PARTS], easy[CS_WORK_PARTS];
} Times;

/* What is distributed to slices of the diagonals. */
typedef struct {
    double cells, more, easy, idle;
} Amounts;

/* Distributes those cells of a part of the forecast that lie in the grid, and what goes with them. */
static void
spread_part(CsWorkMeter *meter, const CsGrid *grid, gint64 part, const Amounts *amounts)
{
    const CsWorkForecast *forecast = &meter->forecast;
    const double top = (double)cs_work_forecast_row(forecast, part);
    const double height = (double)cs_work_forecast_row(forecast, part + 1) - top;
    const double first = (double)forecast->from[part];
    const double width = (double)forecast->to[part] - first;
    const gint64 rows = points_of(height, grid->block_height, ROW_POINTS);
    const gint64 columns = points_of(width, grid->block_width, COLUMN_POINTS);
    const double points = (double)(rows * columns);
    const double slices = CS_WORK_SLICES / (double)meter->diagonals;
    for (gint64 r = 0; r < rows; r++) {
        const gint64 row = (gint64)(top + height * ((double)r + 0.5) / (double)rows) - meter->above;
        const gint64 diagonal = diagonal_of_row(grid, MAX(0, row));
        for (gint64 c = 0; row >= 0 && row < grid->m && c < columns; c++) {
            const gint64 column =
                (gint64)(first + width * ((double)c + 0.5) / (double)columns) - meter->left_of;
            if (column < 0 || column >= grid->n)
                continue;
            const gint64 at = (gint64)((double)(diagonal + column / grid->block_width) * slices);
            meter->left[at] += amounts->cells / points;
            meter->more_left[at] += amounts->more / points;
            meter->easy_left[at] += amounts->easy / points;
            meter->idle_left[at] += amounts->idle / points;
        }
    }
}

/* Each slice with those after it, scaled to this sum. The points alone give that only approximately. */
static void
sum_slices(double slices[CS_WORK_SLICES + 1], double sum)
{
    for (gint64 k = CS_WORK_SLICES; k-- > 0;)
        slices[k] += slices[k + 1];
    const double points = slices[0];
    for (gint64 k = 0; points > 0 && k <= CS_WORK_SLICES; k++)
        slices[k] *= sum / points;
    slices[0] = sum;
}

/* Distributes the cells of the forecast to slices of the diagonals, and what goes with those of each part. */
static void
spread(CsWorkMeter *meter, const CsGrid *grid, const Times *times, const Amounts *sums)
{
    const CsWorkForecast *forecast = &meter->forecast;
    for (gint64 k = 0; k <= CS_WORK_SLICES; k++)
        meter->left[k] = meter->more_left[k] = meter->easy_left[k] = meter->idle_left[k] = 0;
    for (gint64 k = 0; meter->diagonals > 0 && k < CS_WORK_PARTS; k++) {
        const Amounts amounts = {forecast->cells[k], forecast->more[k], times->easy[k],
                                 times->idle[k]};
        spread_part(meter, grid, k, &amounts);
    }
    sum_slices(meter->left, sums->cells);
    sum_slices(meter->more_left, sums->more);
    sum_slices(meter->easy_left, sums->easy);
    sum_slices(meter->idle_left, sums->idle);
}

/* Adds what the forecast has right of a column in some rows of the grid. */
static void
add_left(CsWorkMeter *meter, gint64 from, gint64 to, gint64 column)
{
    const gint64 *starts = meter->grid->row_starts;
    cs_work_forecast_add_right_of(&meter->forecast, meter->above + starts[from],
                                  meter->above + starts[to], meter->left_of + column,
                                  meter->left_of_part);
}

void
cs_work_meter_stand(CsWorkMeter *meter, gint64 done, const gint64 *columns, gint64 count)
{
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        meter->left_of_part[k] = 0;
    for (gint64 k = 0; k < count; k++)
        add_left(meter, done + k, done + k + 1, columns[k]);
    add_left(meter, done + count, meter->grid->block_rows, 0);
    meter->stands = TRUE;
    meter->rows_done = meter->grid->row_starts[done];
}

/* How long some rows take, in cells: hardly more than the larger of their cells and the least. */
static double
effort_of(double cells, double least)
{
    const double a = cells * cells, b = least * least;
    return sqrt(sqrt(a * a + b * b));
}

/*
 * Finds the parts of the forecast from the first to the last with cells. Rows outside are skipped as a
 * whole, such as Ns at the start, and take no time. Between two parts with cells the band goes on, even
 * where a forecast that looks at some blocks only has found no cells.
 */
static void
find_parts(const CsWorkForecast *forecast, gint64 *first, gint64 *end)
{
    *first = 0;
    *end = CS_WORK_PARTS;
    while (*first < *end && forecast->cells[*first] <= 0)
        ++*first;
    while (*end > *first && forecast->cells[*end - 1] <= 0)
        --*end;
}

static double
effort_gpu(const CsWorkForecast *forecast)
{
    const double least = MIN(LEAST_COLUMNS_GPU, (double)forecast->n);
    double effort = 0;
    gint64 first, end;
    find_parts(forecast, &first, &end);
    for (gint64 k = first; k < end; k++)
        effort +=
            effort_of(forecast->cells[k], least * (double)(cs_work_forecast_row(forecast, k + 1) -
                                                           cs_work_forecast_row(forecast, k)));
    return effort;
}

/* More of a grid's rows than it is deep are not computed at the same time. */
static double
threads_of(const CsGrid *grid, guint threads)
{
    return (double)CLAMP((gint64)threads, 1, grid->depth);
}

/*
 * How long threads of a CPU take for the cells of some rows: at least as long as for the longest way through
 * their band, block by block. There H is high, so that the vectors lie aslant in the blocks, and are partly
 * empty on as many columns as a block has rows.
 */
static double
effort_of_band(const CsGrid *grid, double threads, double cells, double easy, double rows)
{
    const double width = (double)MAX(1, grid->block_width), height = (double)grid->block_height;
    if (rows <= 0)
        return 0;
    const double steps = cs_grid_steps(grid, cells / rows / width);
    return effort_of(cells - easy, threads * rows * (width + height) * steps);
}

/* What a CPU saves in a part of a forecast, where H is low. */
static double
easy_of_part(const CsWorkForecast *forecast, gint64 part)
{
    return (1 - LOW_CELL) * MIN(forecast->low[part], forecast->cells[part]);
}

/* The effort of each part of a forecast. */
static void
find_efforts(const CsWorkForecast *forecast, const CsGrid *grid, guint threads,
             double efforts[CS_WORK_PARTS])
{
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        const double rows =
            (double)(cs_work_forecast_row(forecast, k + 1) - cs_work_forecast_row(forecast, k));
        efforts[k] = forecast->cells[k] > 0
                         ? effort_of_band(grid, threads_of(grid, threads), forecast->cells[k],
                                          easy_of_part(forecast, k), rows)
                         : 0;
    }
}

/* How long all blocks take, besides their cells. */
static double
effort_of_blocks(const CsGrid *grid, guint threads)
{
    return CELLS_A_BLOCK * threads_of(grid, threads) * (double)grid->block_rows *
           (double)grid->block_columns;
}

double
cs_work_meter_effort(const CsWorkForecast *forecast, const CsGrid *grid, gboolean gpu,
                     guint threads)
{
    if (gpu)
        return effort_gpu(forecast);
    double efforts[CS_WORK_PARTS], effort = 0;
    find_efforts(forecast, grid, threads, efforts);
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        effort += efforts[k];
    return effort + effort_of_blocks(grid, threads);
}

/* A GPU skips only in a rectangle that has all columns. */
CsWorkPace
cs_work_meter_pace(const CsRectangle *rectangle, const CsSweepOptions *sweep)
{
    const gboolean gpu = sweep->engine->gpu, skips = rectangle->skipping;
    return (CsWorkPace){
        .narrow = skips && gpu && rectangle->left == NULL && rectangle->right == NULL,
        .threads = skips && !gpu ? sweep->engine_options.threads : 0,
    };
}

/* Finds how much longer and shorter than for its cells a CPU takes for each part of the forecast. A GPU has
 * `least`, and what does not skip has no band. */
static void
find_times(const CsWorkMeter *meter, const CsGrid *grid, guint threads, Times *times)
{
    const CsWorkForecast *forecast = &meter->forecast;
    *times = (Times){{0}, {0}};
    if (threads == 0)
        return;
    find_efforts(forecast, grid, threads, times->idle);
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        times->easy[k] = easy_of_part(forecast, k);
        times->idle[k] = MAX(0, times->idle[k] - (forecast->cells[k] - times->easy[k]));
    }
}

/* The rows of the sweep under way that take time. */
static void
find_rows(CsWorkMeter *meter)
{
    gint64 first, end;
    find_parts(&meter->forecast, &first, &end);
    const gint64 from = cs_work_forecast_row(&meter->forecast, first) - meter->above;
    const gint64 to = cs_work_forecast_row(&meter->forecast, end) - meter->above;
    meter->first_row = CLAMP(from, 0, meter->rows);
    meter->end_row = CLAMP(to, meter->first_row, meter->rows);
}

void
cs_work_meter_begin_part(CsWorkMeter *meter, const CsGrid *grid, const CsWorkPace *pace,
                         gint64 above, gint64 left_of, const CsStaircase *staircase)
{
    const CsWorkForecast *forecast = &meter->forecast;
    const gint64 below = above + grid->m, right = left_of + grid->n;
    double left[CS_WORK_PARTS], within[CS_WORK_PARTS] = {0}, right_of[CS_WORK_PARTS] = {0};
    const double cells_left = cs_work_forecast_left_of_parts(forecast, staircase, left);
    cs_work_forecast_add_right_of(forecast, above, below, left_of, within);
    cs_work_forecast_add_right_of(forecast, above, below, right, right_of);
    Amounts sums = {0};
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        within[k] -= right_of[k];
        sums.cells += within[k];
    }
    Times times;
    find_times(meter, grid, pace->threads, &times);
    sums.more = cs_work_forecast_share(forecast, forecast->more, within);
    sums.easy = cs_work_forecast_share(forecast, times.easy, within);
    sums.idle = cs_work_forecast_share(forecast, times.idle, within);
    meter->diagonals = cs_grid_diagonals(grid);
    meter->grid = grid;
    meter->above = above;
    meter->left_of = left_of;
    spread(meter, grid, &times, &sums);
    meter->beyond = MAX(0, cells_left - sums.cells);
    meter->more_beyond = MAX(0, cs_work_forecast_share(forecast, forecast->more, left) - sums.more);
    meter->easy_beyond = MAX(0, cs_work_forecast_share(forecast, times.easy, left) - sums.easy);
    meter->idle_beyond = MAX(0, cs_work_forecast_share(forecast, times.idle, left) - sums.idle);
    meter->slice = 0;
    meter->stands = FALSE;
    meter->rows = grid->m;
    meter->rows_done = meter->rows_learned = 0;
    find_rows(meter);
    meter->least = pace->narrow ? MIN(LEAST_COLUMNS_GPU, (double)grid->n) : 0;
    meter->blocks = pace->narrow ? 0 : effort_of_blocks(grid, pace->threads) / CS_WORK_SLICES;
}

static double
slice_at(const CsWorkMeter *meter, gint64 diagonals)
{
    return meter->diagonals == 0
               ? 0
               : MIN(1, (double)diagonals / (double)meter->diagonals) * CS_WORK_SLICES;
}

static double
left_from_slice(const double left[CS_WORK_SLICES + 1], double at)
{
    const gint64 k = MIN((gint64)at, CS_WORK_SLICES - 1);
    return left[k] + (at - (double)k) * (left[k + 1] - left[k]);
}

/* The cells that the forecast has for the rest of the strand, and what is `more` there. */
static double
forecast_left(const CsWorkMeter *meter, gint64 diagonals, double *more)
{
    double left = meter->beyond;
    *more = meter->more_beyond;
    if (meter->diagonals == 0 || diagonals >= meter->diagonals)
        return left;
    if (meter->stands) {
        for (gint64 k = 0; k < CS_WORK_PARTS; k++)
            left += meter->left_of_part[k];
        *more +=
            cs_work_forecast_share(&meter->forecast, meter->forecast.more, meter->left_of_part);
        return left;
    }
    const double at = slice_at(meter, diagonals);
    *more += left_from_slice(meter->more_left, at);
    return left + left_from_slice(meter->left, at);
}

/* Corrects a forecast of what is left by comparing what this run computed of the strand with what
 * was forecast for it. */
static double
corrected(const CsWorkMeter *meter, double at_start, double left, gint64 cells_computed)
{
    const double trust = TRUST * at_start, passed = MAX(0, at_start - left);
    const double computed = (double)(cells_computed - meter->computed_before);
    const double ratio = passed + trust > 0 ? (computed + trust) / (passed + trust) : 1;
    return left * (ratio > 1 ? MAX(1, ratio / USUAL) : MIN(1, ratio * USUAL));
}

/* How many rows are done if this many cells are left and every cell is computed. */
static gint64
rows_above(const CsWorkForecast *forecast, double left)
{
    return (gint64)MAX(0, (double)forecast->m - left / (double)forecast->n);
}

/* The last stretch now ends where so much of the strand is left. */
static void
learn_stretch(CsWorkMeter *meter, double left, double more, gint64 cells_computed)
{
    const double passed = MAX(0, meter->stretch_more_left - more);
    const double most = STRETCH * meter->more_at_start, keeps = most > 0 ? exp(-passed / most) : 0;
    meter->stretch_computed =
        keeps * meter->stretch_computed + (double)(cells_computed - meter->computed);
    meter->stretch_forecast = keeps * meter->stretch_forecast + meter->stretch_left - left;
    meter->stretch_more = keeps * meter->stretch_more + passed;
    meter->stretch_left = left;
    meter->stretch_more_left = more;
}

/*
 * What a higher H may add to a corrected forecast of what is left. The score of the best alignment may leave that
 * of the chain behind in one place, by more than the lower bound tells. From there on every row takes more
 * cells than forecast, to the end, or until the bounds fall as much behind.
 */
static double
higher_left(const CsWorkMeter *meter, double left, double more, double likely)
{
    const double ratio = left > 0 ? likely / left : 1;
    const double beyond = meter->stretch_computed - ratio * meter->stretch_forecast;
    const double passed = meter->stretch_more;
    const gboolean tells =
        passed > STRETCH / 2 * meter->more_at_start; /* a few blocks tell nothing */
    return tells && beyond > LEAST_MORE * passed ? STAYS * more * beyond / passed : 0;
}

/* What is likely to be computed of the strand from now on. */
static double
likely_left(const CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed, const CsBest *best)
{
    const CsWorkForecast *forecast = &meter->forecast;
    const CsScoring *scoring = meter->by_best;
    double more, at_start = meter->at_start, left = forecast_left(meter, diagonals, &more);
    const double all = left;
    if (scoring == NULL || left <= 0) {
        const double likely = corrected(meter, at_start, left, cells_computed);
        return likely + higher_left(meter, left, more, likely);
    }
    at_start = cs_work_forecast_by_best(forecast, scoring, best, rows_above(forecast, at_start));
    left = cs_work_forecast_by_best(forecast, scoring, best, rows_above(forecast, left));
    return MIN(all, corrected(meter, at_start, left, cells_computed));
}

/* The rows of a part of the forecast that are left in the sweep under way and take time. */
static double
rows_left(const CsWorkMeter *meter, gint64 part)
{
    const gint64 from = MAX(cs_work_forecast_row(&meter->forecast, part),
                            meter->above + MAX(meter->first_row, meter->rows_done));
    const gint64 to =
        MIN(cs_work_forecast_row(&meter->forecast, part + 1), meter->above + meter->end_row);
    return (double)MAX(0, to - from);
}

/* Where blocks are not computed by diagonals: a row takes long, however narrow the band is. */
static void
learn_rows(CsWorkMeter *meter, gboolean over, double cells, double likely, double forecast)
{
    const gint64 done = over ? meter->rows : meter->rows_done;
    const gint64 rows = CLAMP(done, meter->first_row, meter->end_row) -
                        CLAMP(meter->rows_learned, meter->first_row, meter->end_row);
    meter->effort += effort_of(cells, meter->least * (double)rows);
    meter->rows_learned = done;
    meter->overhead = 0;
    for (gint64 k = 0; !over && forecast > 0 && k < CS_WORK_PARTS; k++) {
        const double of_part = meter->left_of_part[k] * likely / forecast;
        meter->overhead += effort_of(of_part, meter->least * rows_left(meter, k)) - of_part;
    }
}

/* Updates how long the work takes, in cells: that which is done, and the overhead of what is left. */
static void
learn_effort(CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed, double likely,
             double forecast)
{
    const double cells = (double)(cells_computed - meter->computed);
    const double at = slice_at(meter, diagonals);
    meter->computed = cells_computed;
    if (meter->stands) {
        learn_rows(meter, diagonals >= meter->diagonals, MAX(0, cells), likely, forecast);
        return;
    }
    const double idle = left_from_slice(meter->idle_left, at);
    const double easy = left_from_slice(meter->easy_left, at);
    const double passed =
        left_from_slice(meter->left, meter->slice) - left_from_slice(meter->left, at);
    if (passed > 0)
        meter->ease = CLAMP((left_from_slice(meter->easy_left, meter->slice) - easy) / passed, 0,
                            1 - LOW_CELL);
    meter->effort += MAX(0, cells) * (1 - meter->ease) + meter->blocks * (at - meter->slice) +
                     MAX(0, left_from_slice(meter->idle_left, meter->slice) - idle);
    meter->slice = at;
    meter->overhead = meter->blocks * (CS_WORK_SLICES - at) + idle + meter->idle_beyond -
                      (easy + meter->easy_beyond) * (forecast > 0 ? MIN(1, likely / forecast) : 0);
}

gint64
cs_work_meter_expected(CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed,
                       const CsBest *best)
{
    const double done = (double)cells_computed;
    double more;
    const double left = forecast_left(meter, diagonals, &more);
    learn_stretch(meter, left, more, cells_computed);
    const double likely = likely_left(meter, diagonals, cells_computed, best);
    const double all = MIN(done + likely + meter->later, 9e18);
    meter->likely_left = all - done;
    learn_effort(meter, diagonals, cells_computed, likely, left);
    const double fraction = all > 0 ? done / all : 0;
    if (fraction >= meter->fraction) {
        meter->fraction = fraction;
        return MAX(cells_computed, (gint64)all);
    }
    return MAX(cells_computed, (gint64)(done / meter->fraction));
}

CsWorkForecast
cs_work_meter_corrected(const CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed)
{
    double more;
    const double left = forecast_left(meter, diagonals, &more);
    const double likely = corrected(meter, meter->at_start, left, cells_computed);
    CsWorkForecast forecast = meter->forecast;
    for (gint64 k = 0; left > 0 && k < CS_WORK_PARTS; k++)
        forecast.cells[k] *= likely / left;
    return forecast;
}
