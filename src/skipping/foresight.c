/* What a sweep will take, told before it: see foresight.h. */
#include "skipping/foresight.h"

#include <math.h>

#include "skipping/skip_forecast.h"
#include "skipping/work_meter.h"

/* The narrowest band that the sweep of a row takes cells of. */
#define LEAST_CELLS 1.0

/*
 * How much of what is told the bounds so far tell; the narrowest band tells the rest. On two threads of a CPU,
 * gains left 1.0 to 1.8 times the effort of the narrowest band (1 to 10 Mb), where the bounds and a coarse table
 * had left 10 to 27 times. On one, 1.0 to 2.6 times: less of it is the time of the narrowest band.
 */
#define WEIGHT 0.26
#define WEIGHT_GPU 0.5

double
cs_foresight_narrowest(const CsRectangle *whole, const CsSweepOptions *sweep)
{
    CsRectangle rectangle = *whole;
    CsSweepOptions options = *sweep;
    CsWorkForecast work = {.m = cs_rectangle_m(whole), .n = cs_rectangle_n(whole)};
    rectangle.skipping = rectangle.narrow = TRUE;
    rectangle.share_left = 0;
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        work.cells[k] = LEAST_CELLS;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    return cs_work_meter_effort(&work, grid, sweep->engine->gpu, sweep->engine_options.threads);
}

double
cs_foresight(const CsSkip *skip, const CsRectangle *whole, const CsSweepOptions *sweep,
             const CsGainTable *table, gboolean follow)
{
    const gboolean gpu = sweep->engine->gpu;
    CsSkip shown = *skip;
    CsRectangle rectangle = *whole;
    CsSweepOptions options = *sweep;
    CsWorkForecast work;
    shown.gains = (CsGainTable *)(gpointer)table; /* it is only read */
    rectangle.skipping = cs_skip_wants_small_blocks(skip, gpu);
    rectangle.share_left = skip->share_left;
    rectangle.narrow = table != NULL || follow;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    cs_skip_forecast_work(&shown, &rectangle, grid, gpu, &work);
    const double most = cs_work_meter_effort(&work, grid, gpu, sweep->engine_options.threads);
    const double least = cs_foresight_narrowest(whole, sweep);
    const double threads = (double)MAX(1, sweep->engine_options.threads);
    const double weight = gpu ? WEIGHT_GPU : WEIGHT / sqrt(threads);
    return follow && least < most ? pow(most, weight) * pow(least, 1 - weight) : most;
}
