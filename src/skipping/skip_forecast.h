/*
 * A forecast of how much of a matrix a sweep will compute, for a plan and for progress.
 *
 * The stages of skip.h are run as a comparison runs them. What else is skipped depends on H, which
 * only the sweep will find. H is guessed from the chain behind the lower bound.
 */
#ifndef CS_SKIP_FORECAST_H
#define CS_SKIP_FORECAST_H

#include "skipping/skip.h"
#include "skipping/work_forecast.h"
#include "sweep/sweep.h"

typedef struct {
    CsSkipMode mode;     /* the mode that a sweep will have; CS_SKIP_AUTO: not known */
    double share;        /* the share of the cells that it will compute; negative: not known */
    double effort;       /* how long that takes, in cells of a dense sweep; negative: not known */
    CsScore lower_bound; /* 0: none is used */
    gboolean small;      /* whether its blocks will be small, for the share_left below */
    double share_left;   /* as in CsRectangle */
    gboolean narrow;     /* likewise */
    gint64 cells_before; /* computed by the stages */
    double seconds;      /* that the stages took, or the limit if they reached it */
} CsSkipForecast;

/* The sweep to forecast. */
typedef struct {
    const CsRectangle *whole;
    const CsSweepOptions *sweep; /* with the shape that was asked for */
    CsSkipSearch search;         /* keep_chain is set, stop is not */
    double most;                 /* the most seconds that the stages may take */
} CsSkipQuestion;

/*
 * Finds out what it can in the time given. With 0 seconds it tells only what is known at once. If
 * time, memory or a thread is lacking, mode and share are not known.
 */
void cs_skip_forecast(const CsSkipQuestion *question, CsSkipForecast *forecast);

/*
 * Forecasts which cells a sweep of the whole in this grid will compute, from the chain that skip
 * kept. In other modes than CS_SKIP_BOUNDS, and without a chain and a floor, the forecast is all cells.
 * It does not depend on the number of threads.
 */
void cs_skip_forecast_work(const CsSkip *skip, const CsRectangle *whole, const CsGrid *grid,
                           gboolean gpu, guint threads, CsWorkForecast *work);

#endif
