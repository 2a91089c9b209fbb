/*
 * The best alignment where target, query or both are circular. A circular record's bases stand in
 * the sequence twice, and an alignment takes each base at most once.
 *
 *     circle.c         the search over turns of the circles
 *     circle_keep.c    the search so far, in the checkpoint
 *     circle_track.c   an alignment that goes round too far, and what parts of it score
 *     circular.c       cs_align() and cs_compare() of circular records
 */
#ifndef CS_COMPARE_CIRCLE_H
#define CS_COMPARE_CIRCLE_H

#include "compare/align_set.h"

/* The two sides of a matrix: rows are the target, columns the query as it is read. */
enum {
    CS_CIRCLE_ROWS,
    CS_CIRCLE_COLUMNS,
    CS_CIRCLE_SIDES,
};

/* A rectangle of the matrix: on each side the bases from + 1 .. to. */
typedef struct {
    gint64 from[CS_CIRCLE_SIDES], to[CS_CIRCLE_SIDES];
} CsCircleArea;

/* A part of an alignment, and where it lies. */
typedef struct {
    CsCircleArea area;
    CsScore score; /* 0: there is none */
} CsCircleStretch;

static inline gint64
cs_circle_span(const CsCircleArea *area, guint side)
{
    return area->to[side] - area->from[side];
}

/* Whether an alignment takes no base twice. */
static inline gboolean
cs_circle_fits(const CsCircleArea *area, const gint64 *periods)
{
    return cs_circle_span(area, CS_CIRCLE_ROWS) <= periods[CS_CIRCLE_ROWS] &&
           cs_circle_span(area, CS_CIRCLE_COLUMNS) <= periods[CS_CIRCLE_COLUMNS];
}

/* The places between the runs of an alignment. */
typedef struct {
    gint64 at[CS_CIRCLE_SIDES];
    CsScore score; /* of what comes before it */
    char op;       /* of the run that comes before it */
} CsCirclePoint;

typedef struct {
    GArray *points; /* of CsCirclePoint */
    CsScoring scoring;
} CsCircleTrack;

/* The track of an alignment that begins there. */
void cs_circle_track_init(CsCircleTrack *track, const CsAlignment *alignment,
                          const CsCircleArea *area, const CsScoring *scoring);
void cs_circle_track_clear(CsCircleTrack *track);

/* The stretch of the track in an area that scores most. */
CsCircleStretch cs_circle_track_best(const CsCircleTrack *track, const CsCircleArea *area);

/* A stretch that takes no base twice and scores much; perhaps not the most. It is an alignment. tied: it
 * lies in one turn of the same circle. */
CsCircleStretch cs_circle_track_fit(const CsCircleTrack *track, const gint64 *periods,
                                    gboolean tied);

/* A circular record among those of a side, as its bases stand there twice. */
typedef struct {
    gint64 from;   /* bases before it */
    gint64 period; /* of one copy; 0: the side is linear */
} CsCircleRing;

/* The ring that holds a base; `at` bases come before that. */
CsCircleRing cs_circle_ring(const CsSetWork *work, guint side, gint64 at);

/* A position in the first copy of its ring, which counts from 1. */
gint64 cs_circle_first_copy(const CsSetWork *work, guint side, gint64 position);

/* What there is of one pair of records on a strand. */
CsSetPart cs_circle_whole(const CsSetWork *work, CsStrand strand);

/*
 * Finds the best alignment of a part if it scores at least `floor`; else it is NULL. Sides that are round are
 * whole circles, with the box around the first copy. hopeless: it most likely does not. Its positions may lie
 * anywhere in the doubled sequences. With a checkpoint the search goes on where an earlier run stopped in it.
 * *kept: the checkpoint holds the search, and so the answer, until cs_circle_forget().
 */
gboolean cs_circle_align(CsSetWork *work, const CsSetPart *part, CsScore floor, gboolean hopeless,
                         CsAlignment **alignment, gboolean *kept, GError **error);
void cs_circle_forget(const CsSetWork *work, CsStrand strand);

/* Moves an alignment so that it begins in the first copy of each circular record. */
void cs_circle_settle(const CsSetWork *work, CsAlignment *alignment);

/* Replaces circular records by ones with all bases twice, also such as were joined. The second function
 * frees these. */
gboolean cs_circle_double(CsSetWork *work, CsCircular circular, GError **error);
void cs_circle_release(CsSetWork *work);

/* The comparison of doubled sequences, with options that are filled. It takes over the checkpoint. */
void cs_circle_comparison_init(CsComparison *doubled, const CsSetWork *work, CsComparison *whole,
                               CsCompareOptions *options);

/* cs_align() and cs_compare() where a record is circular. alignment is NULL if it is not wanted. */
gboolean cs_circular_align(const CsSequence *target, const CsSequence *query,
                           const CsCompareOptions *options, CsCompareResult *result,
                           CsAlignment **alignment, GError **error);

#endif
