/*
 * How many cells the sweep of a matrix is likely to compute, and where. The rows are cut into
 * parts; each part has a number of cells, spread evenly over a range of columns.
 *
 *     +-------------------+
 *     |======             |   0   near the first cell an alignment may begin anywhere
 *     |   =====           |   1
 *     |      ====         |   2   then a band is left
 *     |         ====      |   3
 *     +-------------------+
 *
 * Progress and time left come from it (work_meter.h), and whether a ring shares the sweep (ring/ring_pay.h). Nothing
 * else does, so a wrong forecast does no harm.
 */
#ifndef CS_WORK_FORECAST_H
#define CS_WORK_FORECAST_H

#include <chromosweep/scoring.h>

#include "sweep/staircase.h"

enum {
    CS_WORK_PARTS = 128
};

/* Part k is rows m * k / CS_WORK_PARTS + 1 .. m * (k + 1) / CS_WORK_PARTS. */
typedef struct {
    gint64 m, n;
    double cells[CS_WORK_PARTS];
    double more[CS_WORK_PARTS]; /* so many more cells if H is higher than assumed, by some amount */
    double low[CS_WORK_PARTS];  /* of the cells, those far from the chain, where H is low */
    gint64 from[CS_WORK_PARTS], to[CS_WORK_PARTS]; /* columns from + 1 .. to */
} CsWorkForecast;

/* The forecast that every cell is computed once. */
void cs_work_forecast_init_all(CsWorkForecast *forecast, gint64 m, gint64 n);

/* How many rows lie above a part; for part CS_WORK_PARTS, all rows. */
gint64 cs_work_forecast_row(const CsWorkForecast *forecast, gint64 part);

/* The cells of all parts. */
double cs_work_forecast_cells(const CsWorkForecast *forecast);

/* What an amount of each part, such as `more`, comes to where so many cells of each part are counted. */
double cs_work_forecast_share(const CsWorkForecast *forecast, const double amounts[CS_WORK_PARTS],
                              const double cells_of_part[CS_WORK_PARTS]);

/* The cells computed in rows row_from + 1 .. row_to and columns column_from + 1 .. n. */
double cs_work_forecast_right_of(const CsWorkForecast *forecast, gint64 row_from, gint64 row_to,
                                 gint64 column_from);

/*
 * The cells below `rows` rows that a sweep will compute if it skips by the best score so far. This
 * assumes that the best score goes on growing as before, along its diagonal.
 */
double cs_work_forecast_by_best(const CsWorkForecast *forecast, const CsScoring *scoring,
                                const CsBest *best, gint64 rows);

/* Adds to each part of `left` (CS_WORK_PARTS) what cs_work_forecast_right_of() counts in it. */
void cs_work_forecast_add_right_of(const CsWorkForecast *forecast, gint64 row_from, gint64 row_to,
                                   gint64 column_from, double *left);

/* The cells that remain to be computed beyond a staircase; NULL is the first cell. */
double cs_work_forecast_left(const CsWorkForecast *forecast, const CsStaircase *staircase);

/* Those of each part, and their sum. */
double cs_work_forecast_left_of_parts(const CsWorkForecast *forecast, const CsStaircase *staircase,
                                      double left[CS_WORK_PARTS]);

#endif
