/*
 * How wide the strip is in each band (gain_strip.h).
 *
 * A path beside the best one matches few k-mers, but it gains something. Where the best path gains
 * less than that, on a *hot* stretch, another may drift away from it and come back without losing
 * more. The bounds beside the strip cannot tell it from the best, so there the strip must have room
 * for the whole way.
 */
#ifndef CS_GAIN_WIDTH_H
#define CS_GAIN_WIDTH_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"
#include "skipping/gain_strip.h"

/* Widens the spans of all bands on hot stretches, by at most `widest` columns on either side, and by
 * less if that would add more than so many cells. Each band has so many spans, one per step of the
 * strip. The chain has at least one seed. */
void cs_gain_widen(const CsGainRule *rule, const CsSurvey *survey, const CsSeed *chain,
                   gint64 length, CsGainSpan *spans, gint64 bands, gint64 steps, gint64 widest,
                   double most_cells);

#endif
