/* Forecasts of work, and sums over them. */
#include "skipping/work_forecast.h"

void
cs_work_forecast_init_all(CsWorkForecast *forecast, gint64 m, gint64 n)
{
    *forecast = (CsWorkForecast){.m = m, .n = n};
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        const gint64 rows =
            cs_work_forecast_row(forecast, k + 1) - cs_work_forecast_row(forecast, k);
        forecast->cells[k] = (double)rows * (double)n;
        forecast->to[k] = n;
    }
}

gint64
cs_work_forecast_row(const CsWorkForecast *forecast, gint64 part)
{
    const gint64 whole = forecast->m / CS_WORK_PARTS, rest = forecast->m % CS_WORK_PARTS;
    return whole * part + rest * part / CS_WORK_PARTS;
}

double
cs_work_forecast_cells(const CsWorkForecast *forecast)
{
    double cells = 0;
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        cells += forecast->cells[k];
    return cells;
}

double
cs_work_forecast_share(const CsWorkForecast *forecast, const double amounts[CS_WORK_PARTS],
                       const double cells_of_part[CS_WORK_PARTS])
{
    double share = 0;
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        if (forecast->cells[k] > 0)
            share += amounts[k] * cells_of_part[k] / forecast->cells[k];
    return share;
}

/* The share of from .. to that lies in low .. high. */
static double
share_within(gint64 from, gint64 to, gint64 low, gint64 high)
{
    const gint64 within = MIN(to, high) - MAX(from, low);
    return within > 0 ? (double)within / (double)(to - from) : 0;
}

void
cs_work_forecast_add_right_of(const CsWorkForecast *forecast, gint64 row_from, gint64 row_to,
                              gint64 column_from, double *left)
{
    const double parts_a_row = (double)CS_WORK_PARTS / (double)MAX(1, forecast->m);
    /* Rounding may name the part after the one of that row. */
    gint64 k = CLAMP((gint64)((double)row_from * parts_a_row) - 1, 0, CS_WORK_PARTS);
    for (; k < CS_WORK_PARTS && cs_work_forecast_row(forecast, k) < row_to; k++)
        left[k] += forecast->cells[k] *
                   share_within(cs_work_forecast_row(forecast, k),
                                cs_work_forecast_row(forecast, k + 1), row_from, row_to) *
                   share_within(forecast->from[k], forecast->to[k], column_from, forecast->n);
}

double
cs_work_forecast_right_of(const CsWorkForecast *forecast, gint64 row_from, gint64 row_to,
                          gint64 column_from)
{
    double left[CS_WORK_PARTS] = {0}, cells = 0;
    cs_work_forecast_add_right_of(forecast, row_from, row_to, column_from, left);
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        cells += left[k];
    return cells;
}

/* Points along each side at which the forecast asks whether a sweep skips. */
enum {
    POINTS = 64
};

double
cs_work_forecast_by_best(const CsWorkForecast *forecast, const CsScoring *scoring,
                         const CsBest *best, gint64 rows)
{
    const double m = (double)forecast->m, n = (double)forecast->n, top = (double)rows;
    const double match = (double)scoring->match, extend = (double)scoring->gap_extend;
    const double growth = best->i > 0 ? (double)best->score / (double)best->i : 0; /* a row */
    gint64 computed = 0;
    for (gint64 r = 0; r < POINTS; r++)
        for (gint64 c = 0; c < POINTS; c++) {
            const double i = top + (m - top) * ((double)r + 0.5) / POINTS;
            const double j = n * ((double)c + 0.5) / POINTS;
            const double off = j - ((double)best->j + i - (double)best->i);
            const double from =
                i + MIN(off, 0); /* the row where a gap to this point leaves the diagonal */
            const double h = MAX(0, growth * from - extend * ABS(off));
            computed += h + match * MIN(m - i, n - j) >= growth * i;
        }
    return (double)computed / POINTS / POINTS * (m - top) * n;
}

double
cs_work_forecast_left_of_parts(const CsWorkForecast *forecast, const CsStaircase *staircase,
                               double left[CS_WORK_PARTS])
{
    const gint64 row = staircase != NULL ? staircase->row : 0;
    double cells = 0;
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        left[k] = 0;
    cs_work_forecast_add_right_of(forecast, row, forecast->m, 0, left);
    for (guint k = 0; staircase != NULL && staircase->steps != NULL && k < staircase->steps->len;
         k++) {
        const CsStep *step = &g_array_index(staircase->steps, CsStep, k);
        cs_work_forecast_add_right_of(forecast, step->row, step->row + step->height, step->column,
                                      left);
    }
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        cells += left[k];
    return cells;
}

double
cs_work_forecast_left(const CsWorkForecast *forecast, const CsStaircase *staircase)
{
    double left[CS_WORK_PARTS];
    return cs_work_forecast_left_of_parts(forecast, staircase, left);
}
