/*
 * How much of a matrix a sweep is likely to compute, told before it: for a plan, and for
 * progress.
 *
 * The stages of skip.h are run as a comparison runs them. What the sweep will know of H, which
 * decides the rest, is guessed from the chain that the lower bound came from.
 */
#ifndef CS_SKIP_FORECAST_H
#define CS_SKIP_FORECAST_H

#include "skipping/skip.h"
#include "skipping/work_forecast.h"
#include "sweep/grid.h"

typedef struct {
    CsSkipMode mode;     /* that a sweep will have; CS_SKIP_AUTO: not found out */
    double share;        /* of the cells that it computes; less than 0: not known */
    CsScore lower_bound; /* 0: none is used */
    gboolean small;      /* whether its blocks will be small, with CsRectangle's share_left */
    double share_left;
    gint64 cells_before; /* computed by the stages */
    double seconds;      /* that these took, or were given */
} CsSkipForecast;

/* What a sweep would skip. */
typedef struct {
    const CsRectangle *whole;
    const CsGrid *grid;  /* of a sweep that skips by bounds */
    CsSkipSearch search; /* keep_chain set, stop not */
    double most;         /* seconds to find it out in */
} CsSkipQuestion;

/*
 * Tells what it can find out in so many seconds; in none what needs no finding out. Where time,
 * memory or a thread is wanting, mode and share are not known.
 */
void cs_skip_forecast(const CsSkipQuestion *question, CsSkipForecast *forecast);

/*
 * Where the cells are that a sweep of the whole in this grid will compute: by the chain that skip
 * kept. Without one, as in other modes than CS_SKIP_BOUNDS, it is told that all are.
 */
void cs_skip_forecast_work(const CsSkip *skip, const CsRectangle *whole, const CsGrid *grid,
                           CsWorkForecast *work);

#endif
