/*
 * Bypasses: ways from seed to seed of a chain that leave out the seeds between.
 *
 *     \
 *     | .           A chain takes in a piece between two long steps as soon as the piece pays for the steps.
 *     |   .         An alignment may do better without it: some of the bases of a gap match by chance if
 *     \     .       there are bases in the other direction, too. So one step (dotted) in a direction
 *      \______ .    between those of two steps may cost less than both.
 *               \
 *                \  What a bypass gains is only estimated here. A sweep finds out (lower_bound.c).
 */
#ifndef CS_BYPASSES_H
#define CS_BYPASSES_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"

/* A way from the end of seed `before` of a chain to the start of seed `after`. */
typedef struct {
    gint64 before, after;
    double gain; /* what it is likely to add to the score */
} CsBypass;

/* Those of a chain that are likely to gain more than `least`, the best first. */
GArray *cs_bypasses_find(const CsSurvey *survey, const CsSeed *chain, gint64 length, double least);

#endif
