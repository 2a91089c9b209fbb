/*
 * How wide the strip is in each band (gain_strip.h).
 *
 * A path beside the best one matches few k-mers, but it gains something. Where the best path gains
 * less than that, on a *hot* stretch, another may drift away from it and come back without losing
 * more. The bounds beside the strip cannot tell it from the best, so there the strip must have room
 * for the whole way. On a GPU the widest stretches get a rectangle of their own (gain_room.h).
 */
#ifndef CS_GAIN_WIDTH_H
#define CS_GAIN_WIDTH_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"
#include "skipping/gain_room.h"

/* What becomes wider. */
typedef struct {
    CsGainSpan *spans; /* `steps` of each band */
    gint64 bands, steps;
    gint64 widest;     /* the most columns that are added on either side */
    double most_cells; /* the most cells that are added */
    gboolean *hot;     /* of each band, set where it is part of a hot stretch; or NULL */
    /* If rooms is not NULL, the widest stretches become rooms (CsGainRoom) instead, of at most
     * most_swept cells in all and most_bytes of memory each. */
    GArray *rooms;
    double most_swept;
    guint64 most_bytes;
    gint64 apart; /* as in CsGainRoomSweep */
} CsGainWidth;

/* Widens the strip on hot stretches, or makes rooms for them. The chain has at least one seed. */
void cs_gain_widen(const CsGainRule *rule, const CsSurvey *survey, const CsSeed *chain,
                   gint64 length, CsGainWidth *width);

#endif
