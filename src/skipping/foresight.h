/*
 * What a sweep will take, told while gains are counted before it. It is forecast from what is known so
 * far (skip_forecast.h): the bounds, then also a coarse table of gains. Those that follow leave less, but
 * no less than the narrowest band, which is what a CPU's forecast comes from; a GPU's is a mean of both.
 */
#ifndef CS_FORESIGHT_H
#define CS_FORESIGHT_H

#include "skipping/skip.h"
#include "sweep/sweep.h"

/* The effort of the sweep (cs_work_meter_effort()). The table of gains so far may be NULL; finer ones
 * `follow` or not. */
double cs_foresight(const CsSkip *skip, const CsRectangle *whole, const CsSweepOptions *sweep,
                    const CsGainTable *table, gboolean follow);

/* The effort of a CPU's sweep after gains were counted, while nothing is known of them. */
double cs_foresight_after_gains(const CsRectangle *whole, const CsSweepOptions *sweep);

#endif
