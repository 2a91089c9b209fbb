/*
 * How much of the work is done. Work is the cells that all sweeps of a comparison compute: those
 * computed so far, and those that are left by the forecast of each strand. The forecast is
 * corrected as cells are computed.
 *
 *     forecast of each strand -> begin a strand -> begin a sweep of a part -> expected
 *                                                         ^                      |
 *                                                         +----------------------+
 */
#ifndef CS_WORK_METER_H
#define CS_WORK_METER_H

#include "skipping/work_forecast.h"
#include "sweep/grid.h"
#include "sweep/remainder.h"
#include "sweep/sweep.h"

enum {
    CS_WORK_SLICES = 1024
};

/* Initialise with zeroes. */
typedef struct {
    CsWorkForecast forecast;  /* of the strand under way */
    double later;             /* cells of the strands that come after it */
    const CsScoring *by_best; /* of a strand that is skipped by the best score so far, or NULL */
    double at_start;          /* cells forecast for the strand when this run began with it */
    gint64 computed_before;   /* cells computed by then, by all sweeps */
    double fraction;          /* as reported last: it never falls */
    double likely_left;       /* cells that are likely to be computed from now on; may rise */

    /* For the sweep under way: the cells forecast from the start of each slice of its diagonals,
     * and those of the parts that come after it. */
    gint64 diagonals;
    double left[CS_WORK_SLICES + 1];
    double beyond;

    /* Likewise what is `more` in the forecast. */
    double more_left[CS_WORK_SLICES + 1];
    double more_beyond, more_at_start;

    /* Likewise the time, in cells, that a CPU saves because H is low in some of the cells. */
    double easy_left[CS_WORK_SLICES + 1];
    double easy_beyond;
    double ease; /* that of each cell passed last */

    /* Likewise the time of threads of a CPU that are idle because the band is narrow, in cells. */
    double idle_left[CS_WORK_SLICES + 1];
    double idle_beyond;

    /* What the last stretch had in cells that were computed, were forecast, and are `more` in the forecast.
     * From there on H may be higher than the forecast assumes. */
    double stretch_computed, stretch_forecast, stretch_more;
    double stretch_left, stretch_more_left; /* of the strand, when the stretch ended */

    const CsGrid *grid;
    gint64 above, left_of, rows; /* where it lies in the matrix, and its rows */

    /* If it does not compute blocks by diagonals: what is left of each part of the forecast, its rows
     * that are done, and those of them that the effort includes. */
    gboolean stands;
    double left_of_part[CS_WORK_PARTS];
    gint64 rows_done, rows_learned;
    gint64 first_row,
        end_row; /* of the sweep's rows, those from the first to the last with cells */

    /* On a GPU a row takes at least the time of so many cells, because a narrow band leaves most of the
     * GPU idle. So the cells that are left take the time of these and of the overhead. */
    double least;
    double blocks; /* on a CPU: a slice's blocks take as long as so many cells, besides their own */
    double overhead;
    double effort;   /* the time of what this run computed, in cells */
    double slice;    /* how far the sweep under way had come when that was last updated */
    gint64 computed; /* cells computed by all sweeps by then */
} CsWorkMeter;

/* What computes a sweep. */
typedef struct {
    gboolean narrow; /* a GPU that skips, which takes long for a row, however narrow the band is */
    guint threads;   /* of a CPU that skips; 0: nothing is skipped, or a GPU computes */
} CsWorkPace;

/* That of a rectangle's sweep. */
CsWorkPace cs_work_meter_pace(const CsRectangle *rectangle, const CsSweepOptions *sweep);

/*
 * How long the sweep of all that is forecast takes, in cells (cs_skip_estimate_cells_a_second()), if it skips
 * in this grid: more than its cells. On a GPU because a narrow band does not fill it, on a CPU because some of its threads
 * are idle beside a narrow band, and because of blocks that are skipped. There grid and threads count.
 */
double cs_work_meter_effort(const CsWorkForecast *forecast, const CsGrid *grid, gboolean gpu,
                            guint threads);

/* A strand begins or continues at a staircase; NULL is the first cell. */
void cs_work_meter_begin(CsWorkMeter *meter, const CsWorkForecast *forecast, double later,
                         const CsStaircase *staircase, gint64 cells_computed);

/*
 * The sweep of a part begins. The grid is the part's, which lies below `above` rows and right of
 * `left_of` columns of the matrix. The whole matrix stands at the staircase; NULL is the first
 * cell.
 */
void cs_work_meter_begin_part(CsWorkMeter *meter, const CsGrid *grid, const CsWorkPace *pace,
                              gint64 above, gint64 left_of, const CsStaircase *staircase);

/*
 * Where the sweep under way stands, if it does not compute blocks by diagonals: the first `done` block
 * rows of its grid are complete, and the next `count` ones have reached these columns. Diagonals
 * reported later then only say whether it is over.
 */
void cs_work_meter_stand(CsWorkMeter *meter, gint64 done, const gint64 *columns, gint64 count);

/*
 * The cells that all sweeps will have computed in the end. `diagonals` of the sweep under way are
 * done, all sweeps of all runs have computed `cells_computed` cells, and `best` is the strand's
 * best cell.
 */
gint64 cs_work_meter_expected(CsWorkMeter *meter, gint64 diagonals, gint64 cells_computed,
                              const CsBest *best);

/* What is left of the strand's forecast, corrected as in cs_work_meter_expected(), for a later
 * run. */
CsWorkForecast cs_work_meter_corrected(const CsWorkMeter *meter, gint64 diagonals,
                                       gint64 cells_computed);

#endif
