/*
 * Random pairs of which one or both records are circular: tandem arrays, turned copies of one another,
 * one and a half copies, inverted ones, and pairs that have nothing in common.
 */
#ifndef CIRCULAR_TRIAL_H
#define CIRCULAR_TRIAL_H

#include <chromosweep/align.h>
#include <chromosweep/align_set.h>

typedef struct {
    GRand *rand;
    GString *target, *query;
    CsCompareOptions options;
    char *what; /* to find the case again */
} CircularTrial;

void circular_trial_init(CircularTrial *trial, guint32 seed, gboolean on_gpu);
void circular_trial_clear(CircularTrial *trial);

/* Replaces the query by stretches of the target in another order, some inverted, and turned. */
void circular_rearrange(CircularTrial *trial, int longest);

/* Replaces both by one circle, of at most so many bases: the target, often with a turned or inverted copy
 * of itself. */
void circular_alone(CircularTrial *trial, int longest);

/*
 * A run that is stopped again and again, and goes on from its checkpoint. begin makes the options of the
 * next run, with other engines; end tells whether it was stopped, and not failed.
 */
typedef struct {
    const CircularTrial *trial;
    CsCompareOptions options;
    char *directory;
    guint runs, left; /* times that the control function is asked before it stops the run */
} CircularStops;

void circular_stops_init(CircularStops *stops, const CircularTrial *trial);
void circular_stops_begin(CircularStops *stops);
gboolean circular_stops_end(CircularStops *stops, const GError *error);
void circular_stops_clear(CircularStops *stops);

/* The set that is wanted, or in one run of four one with other limits, which goes on from the same
 * checkpoint. */
CsAlignSetOptions circular_stops_limits(const CircularStops *stops, const CsAlignSetOptions *set);

/* Score, places and path of an alignment, as one line. */
char *circular_describe(const CsAlignment *alignment);

#endif
