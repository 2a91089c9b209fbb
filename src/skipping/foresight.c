/* What a sweep will take, told before it: see foresight.h. */
#include "skipping/foresight.h"

#include <math.h>

#include "skipping/skip_forecast.h"
#include "skipping/work_meter.h"

/* The narrowest band that the sweep of a row takes cells of. */
#define LEAST_CELLS 1.0

/*
 * What gains leave, in efforts of the narrowest band. On a CPU 1 and a part that threads share: on one thread it was
 * 1.1 to 2.5 (2 to 10 Mb), on 4 it was 1.04 to 1.34, on 16 1.02 to 1.13. The bounds and a coarse table, which leave 10
 * to 40 times as much, do not tell where between. On a GPU they tell as much as the narrowest band does.
 */
#define SHARED 0.7

/* The effort of the narrowest band that skipping can leave. */
static double
narrowest(const CsRectangle *whole, const CsSweepOptions *sweep)
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
cs_foresight_after_gains(const CsRectangle *whole, const CsSweepOptions *sweep)
{
    const double threads = (double)MAX(1, sweep->engine_options.threads);
    return (1 + SHARED / threads) * narrowest(whole, sweep);
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
    const guint threads = sweep->engine_options.threads;
    cs_skip_forecast_work(&shown, &rectangle, grid, gpu, threads, &work);
    const double most = cs_work_meter_effort(&work, grid, gpu, threads);
    if (!follow)
        return most;
    const double least = narrowest(whole, sweep);
    return MIN(most, gpu ? sqrt(most * least) : cs_foresight_after_gains(whole, sweep));
}
