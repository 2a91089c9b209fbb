/* How much of their work the sweeps have done: see work_meter.h. */
#include <math.h>

#include "skipping/work_meter.h"

/* A forecast has as much weight as this share of it, once computed, has as an observation. */
#define TRUST 0.02

/* A large GPU that skips takes as long for a row of a band, however narrow, as for so many columns
 * of it (docs/performance.md). */
#define LEAST_COLUMNS_GPU 1.3e6

/* On a CPU each block takes as long as so many cells, even if it is skipped: measured with one thread,
 * AVX-512, and 6.5 million blocks. Where the band is narrow that is most of the time. */
#define CELLS_A_BLOCK 2400

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
    meter->forecast = *forecast;
    meter->later = later;
    meter->at_start = staircase != NULL ? cs_work_forecast_left(forecast, staircase)
                                        : cs_work_forecast_cells(forecast);
    meter->computed_before = meter->computed = cells_computed;
    meter->diagonals = 0;
    meter->least = meter->blocks = meter->more = meter->slice = 0;
    meter->left[0] = 0;
    meter->beyond = meter->at_start;
}

/* The diagonal in which the first block of a row's blocks is computed. Rows count from 0. */
static gint64
diagonal_of_row(const CsGrid *grid, gint64 row)
{
    const gint64 bi = MIN(row / grid->block_height, grid->block_rows - 1);
    return bi % grid->depth + bi / grid->depth * grid->block_columns;
}

static gint64
points_of(double length, gint64 block, gint64 most)
{
    return (gint64)MIN(POINTS_A_BLOCK * length / (double)block + 1, (double)most);
}

/* Distributes those cells of a part of the forecast that lie in the grid. */
static void
spread_part(CsWorkMeter *meter, const CsGrid *grid, gint64 part)
{
    const CsWorkForecast *forecast = &meter->forecast;
    const double top = (double)cs_work_forecast_row(forecast, part);
    const double height = (double)cs_work_forecast_row(forecast, part + 1) - top;
    const double first = (double)forecast->from[part];
    const double width = (double)forecast->to[part] - first;
    const gint64 rows = points_of(height, grid->block_height, ROW_POINTS);
    const gint64 columns = points_of(width, grid->block_width, COLUMN_POINTS);
    const double cells = forecast->cells[part] / (double)(rows * columns);
    const double slices = CS_WORK_SLICES / (double)meter->diagonals;
    for (gint64 r = 0; r < rows; r++) {
        const gint64 row = (gint64)(top + height * ((double)r + 0.5) / (double)rows) - meter->above;
        const gint64 diagonal = diagonal_of_row(grid, MAX(0, row));
        for (gint64 c = 0; row >= 0 && row < grid->m && c < columns; c++) {
            const gint64 column =
                (gint64)(first + width * ((double)c + 0.5) / (double)columns) - meter->left_of;
            if (column >= 0 && column < grid->n)
                meter->left[(gint64)((double)(diagonal + column / grid->block_width) * slices)] +=
                    cells;
        }
    }
}

/* Scales the slices to this many cells in all. The points alone give that only approximately. */
static void
scale_slices(CsWorkMeter *meter, double cells)
{
    const double points = meter->left[0];
    for (gint64 k = 0; points > 0 && k <= CS_WORK_SLICES; k++)
        meter->left[k] *= cells / points;
    meter->left[0] = cells;
}

/* Distributes the cells of the forecast to slices of the diagonals. */
static void
spread(CsWorkMeter *meter, const CsGrid *grid, double cells)
{
    for (gint64 k = 0; k <= CS_WORK_SLICES; k++)
        meter->left[k] = 0;
    for (gint64 k = 0; meter->diagonals > 0 && k < CS_WORK_PARTS; k++)
        spread_part(meter, grid, k);
    for (gint64 k = CS_WORK_SLICES; k-- > 0;)
        meter->left[k] += meter->left[k + 1];
    scale_slices(meter, cells);
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

double
cs_work_meter_effort_gpu(const CsWorkForecast *forecast)
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
cs_work_meter_begin_part(CsWorkMeter *meter, const CsGrid *grid, gboolean narrow, gint64 above,
                         gint64 left_of, const CsStaircase *staircase)
{
    const double left = staircase != NULL ? cs_work_forecast_left(&meter->forecast, staircase)
                                          : cs_work_forecast_cells(&meter->forecast);
    const gint64 below = above + grid->m, right = left_of + grid->n;
    const double within = cs_work_forecast_right_of(&meter->forecast, above, below, left_of) -
                          cs_work_forecast_right_of(&meter->forecast, above, below, right);
    meter->diagonals = cs_grid_diagonals(grid);
    meter->grid = grid;
    meter->above = above;
    meter->left_of = left_of;
    spread(meter, grid, within);
    meter->beyond = MAX(0, left - within);
    meter->slice = 0;
    meter->stands = FALSE;
    meter->rows = grid->m;
    meter->rows_done = meter->rows_learned = 0;
    find_rows(meter);
    meter->least = narrow ? MIN(LEAST_COLUMNS_GPU, (double)grid->n) : 0;
    meter->blocks = narrow ? 0
                           : CELLS_A_BLOCK * (double)grid->block_rows *
                                 (double)grid->block_columns / CS_WORK_SLICES;
}

static double
slice_at(const CsWorkMeter *meter, gint64 diagonals)
{
    return meter->diagonals == 0
               ? 0
               : MIN(1, (double)diagonals / (double)meter->diagonals) * CS_WORK_SLICES;
}

/* The cells that the forecast has for the rest of the strand. */
static double
forecast_left(const CsWorkMeter *meter, gint64 diagonals)
{
    if (meter->diagonals == 0 || diagonals >= meter->diagonals)
        return meter->beyond;
    if (meter->stands) {
        double left = meter->beyond;
        for (gint64 k = 0; k < CS_WORK_PARTS; k++)
            left += meter->left_of_part[k];
        return left;
    }
    const double at = slice_at(meter, diagonals);
    const gint64 k = MIN((gint64)at, CS_WORK_SLICES - 1);
    return meter->beyond + meter->left[k] +
           (at - (double)k) * (meter->left[k + 1] - meter->left[k]);
}

/* Corrects a forecast of what is left by comparing what this run computed of the strand with what
 * was forecast for it. */
static double
corrected(const CsWorkMeter *meter, double at_start, double left, gint64 cells_computed)
{
    const double trust = TRUST * at_start, passed = MAX(0, at_start - left);
    const double computed = (double)(cells_computed - meter->computed_before);
    return passed + trust > 0 ? left * (computed + trust) / (passed + trust) : left;
}

/* How many rows are done if this many cells are left and every cell is computed. */
static gint64
rows_above(const CsWorkForecast *forecast, double left)
{
    return (gint64)MAX(0, (double)forecast->m - left / (double)forecast->n);
}

/* What is likely to be computed of the strand from now on. */
static double
likely_left(const CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed, const CsBest *best)
{
    const CsWorkForecast *forecast = &meter->forecast;
    const CsScoring *scoring = meter->by_best;
    double at_start = meter->at_start, left = forecast_left(meter, diagonals);
    const double all = left;
    if (scoring == NULL || left <= 0)
        return corrected(meter, at_start, left, cells_computed);
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
    meter->more = 0;
    for (gint64 k = 0; !over && forecast > 0 && k < CS_WORK_PARTS; k++) {
        const double of_part = meter->left_of_part[k] * likely / forecast;
        meter->more += effort_of(of_part, meter->least * rows_left(meter, k)) - of_part;
    }
}

/* Updates how long the work takes, in cells: that which is done, and `more` of what is left. */
static void
learn_effort(CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed, double likely)
{
    const double cells = (double)(cells_computed - meter->computed);
    const double at = slice_at(meter, diagonals);
    meter->computed = cells_computed;
    if (meter->stands) {
        learn_rows(meter, diagonals >= meter->diagonals, MAX(0, cells), likely,
                   forecast_left(meter, diagonals));
        return;
    }
    meter->effort += MAX(0, cells) + meter->blocks * (at - meter->slice);
    meter->slice = at;
    meter->more = meter->blocks * (CS_WORK_SLICES - at);
}

gint64
cs_work_meter_expected(CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed,
                       const CsBest *best)
{
    const double done = (double)cells_computed;
    const double likely = likely_left(meter, diagonals, cells_computed, best);
    const double all = MIN(done + likely + meter->later, 9e18);
    learn_effort(meter, diagonals, cells_computed, likely);
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
    const double left = forecast_left(meter, diagonals);
    const double likely = corrected(meter, meter->at_start, left, cells_computed);
    CsWorkForecast forecast = meter->forecast;
    for (gint64 k = 0; left > 0 && k < CS_WORK_PARTS; k++)
        forecast.cells[k] *= likely / left;
    return forecast;
}
