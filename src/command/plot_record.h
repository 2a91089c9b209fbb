/* Records along the axes of a plot, and alignments between them. */
#ifndef CS_PLOT_RECORD_H
#define CS_PLOT_RECORD_H

#include <chromosweep/align.h>

/* A record on an axis, in pixels from the axis' origin. The query's origin is at the bottom. */
typedef struct {
    const char *name;  /* as its file has it */
    char *shown;       /* escaped (formats/escape.h) */
    gint64 from, to;   /* the bases that are shown, the first counted as 1 */
    double at, length; /* where they are */
    gboolean minus;    /* its first base lies last */
} CsPlotRecord;

/* An alignment, and the places of its records on their axes. */
typedef struct {
    const CsAlignment *alignment;
    guint target, query;
} CsPlotSegment;

/*
 * The path of an alignment as a line, of which no point is further away than `tolerance` pixels: CsPathPoint
 * (path_line.h), x from the left and y from the top of a plot of that height.
 */
GArray *cs_plot_segment_line(const CsPlotSegment *segment, const CsPlotRecord *target,
                             const CsPlotRecord *query, double height, double tolerance);

#endif
