/*
 * Whether skipping will save time, as far as is known before each stage of skip.h: from the sizes
 * of the sequences, then from the chain, then from the bounds.
 */
#ifndef CS_SKIP_ESTIMATE_H
#define CS_SKIP_ESTIMATE_H

#include "skipping/skip.h"

/* Cells of a sweep that skips per second, roughly, by a large GPU or by the threads of two cores with AVX-512
 * (docs/performance.md). */
double cs_skip_estimate_cells_a_second(gboolean gpu, guint threads);

/* How many times as long as with AVX-512 this processor's widest vectors take for the cells of such a sweep, measured
 * with tilted lanes; less in the wide band that is left where no gains are counted (docs/performance.md). 1 for a GPU, and
 * where it is not known. */
double cs_skip_estimate_slowness(gboolean gpu, gboolean wide);

/* How many of these take as long as so many cells of a dense sweep, which are faster on a CPU. */
double cs_skip_estimate_dense(gboolean gpu, double cells);

/* The mode to try. It stays CS_SKIP_AUTO if the stages are worth a try. */
CsSkipMode cs_skip_estimate_mode(const CsRectangle *whole, const CsSkipSearch *search);

/* Whether corridor and bounds are likely to save more time than they take, if a chain promises so
 * many bases. */
gboolean cs_skip_estimate_stages_pay(const CsRectangle *whole, const CsSkipSearch *search,
                                     gint64 bases);

/* The share of the cells from which an alignment could still become the best if it began there. The
 * cells where an alignment has already gained enough, the band, are a small part of the rest. Gains
 * may be NULL. */
double cs_skip_estimate_share_left(const CsBounds *bounds, const CsGainTable *gains,
                                   CsScore lower_bound, const CsScoring *scoring);

/* The same before anything but the sizes is known: bases is what the alignment has to match. */
double cs_skip_estimate_share_of_floor(gint64 m, gint64 n, double bases);

/* Whether a sweep that computes only this share of the cells saves time. */
gboolean cs_skip_estimate_sweep_pays(const CsSkipSearch *search, double share_left);

#endif
