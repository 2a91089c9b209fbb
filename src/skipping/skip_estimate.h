/*
 * Whether it pays to skip, as far as is known before each stage of skip.h: from the sizes, from a
 * chain, from the bounds.
 */
#ifndef CS_SKIP_ESTIMATE_H
#define CS_SKIP_ESTIMATE_H

#include "skipping/skip.h"

/* The mode to try; for CS_SKIP_AUTO that it is worth a look. */
CsSkipMode cs_skip_estimate_mode(const CsRectangle *whole, const CsSkipSearch *search);

/* Whether corridor and bounds pay for themselves if a chain promises so many bases. */
gboolean cs_skip_estimate_stages_pay(const CsRectangle *whole, const CsSkipSearch *search,
                                     gint64 bases);

/* The share of the cells where an alignment that brings nothing along could still be the best. What
 * brings more, the band, is a small part of the rest. */
double cs_skip_estimate_share_left(const CsBounds *bounds, CsScore lower_bound,
                                   const CsScoring *scoring);

/* Whether a sweep pays that skips all but this share. */
gboolean cs_skip_estimate_sweep_pays(const CsSkipSearch *search, double share_left);

#endif
