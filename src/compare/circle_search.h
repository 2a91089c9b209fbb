/*
 * A search over the turns of circles that is under way (circle.c), and what a checkpoint keeps of it
 * (circle_keep.c): the nodes that are left, the best alignment so far, and the track. Each sweep is
 * an exact answer to a question that these decide, so a search that goes on from them ends as one
 * that was never stopped.
 */
#ifndef CS_CIRCLE_SEARCH_H
#define CS_CIRCLE_SEARCH_H

#include "compare/circle.h"

/* One turn, if both are the same; else those strictly between the two. */
typedef struct {
    gint64 low, high;
} CsCircleTurns;

typedef struct {
    CsCircleTurns turns[CS_CIRCLE_SIDES];
    gboolean swept, bounded; /* its area, its core; neither was enough */
    CsCircleArea found;      /* if swept: the alignment, which takes bases twice */
    /* 0, or the first of several turns that the one turn of this side stands for (push_last()). */
    gint64 since[CS_CIRCLE_SIDES];
    gboolean rested; /* what lies outside its core; */
    CsScore rest;    /* the best alignment there scores so much */
} CsCircleNode;

typedef struct {
    CsSetWork *work;
    CsStrand strand;
    CsSetPart part; /* what is searched */
    gint64 periods[CS_CIRCLE_SIDES];
    gint64 before[CS_CIRCLE_SIDES]; /* rows and columns of all bases before the first ones here */
    gint64 query_length;            /* of all bases, with both copies */
    gboolean tied; /* both sides are the same circle, and are turned alike: rows stand for both */
    CsScore floor, most; /* nothing scores more than that */
    gboolean hopeless;
    GArray *nodes; /* of CsCircleNode: a stack */
    CsCircleTrack track;
    CsCircleStretch best;   /* the first of those that score most so far */
    CsAlignment *alignment; /* it, if it was found in this area; or NULL */
    CsCircleArea area;
    gboolean slow;  /* a run was stopped in the next sweep, so it gets a checkpoint */
    gboolean large; /* the last sweep had one, which is there until this search is saved */
    gboolean kept;  /* the checkpoint has a state of this search */
    gint64 saved;   /* when it was saved last, on the monotonic clock */
} CsCircleSearch;

/* Goes on where an earlier run stopped in the same search. FALSE: there is no such state. */
gboolean cs_circle_keep_load(CsCircleSearch *search);

/* Saves the search between two sweeps, if it is time or the last one was long. */
void cs_circle_keep_save_if_due(CsCircleSearch *search);

/* Saves the search when it is done, or was stopped. */
void cs_circle_keep_end(CsCircleSearch *search, gboolean done);

#endif
