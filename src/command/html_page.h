/* A dot plot as a page for browsers that stands alone: it needs no network and no other file. */
#ifndef CS_HTML_PAGE_H
#define CS_HTML_PAGE_H

#include <chromosweep/align.h>

/* A record on an axis, in pixels from the axis' origin. The query's origin is at the bottom. */
typedef struct {
    const char *name;  /* as its file has it */
    char *shown;       /* escaped (formats/escape.h) */
    gint64 from, to;   /* the bases that are shown, the first counted as 1 */
    double at, length; /* where they are */
    gboolean minus;    /* from right to left, from top to bottom */
} CsPlotRecord;

/* An alignment, and the places of its records on their axes. */
typedef struct {
    const CsAlignment *alignment;
    guint target, query;
} CsPlotSegment;

/* What the page shows. Nothing in it is owned. Texts are UTF-8 without markup. */
typedef struct {
    const char *title, *about, *scoring;
    double width, height;     /* of the plot in pixels */
    const GByteArray *tiles;  /* a PNG that fills the plot, or NULL */
    gint64 least, full;       /* scores of the lightest and the darkest tile */
    const GArray *records[2]; /* of CsPlotRecord: along x the target's, along y the query's */
    const GArray *segments;   /* of CsPlotSegment */
} CsHtmlPage;

/* The whole file. */
GByteArray *cs_html_page_new(const CsHtmlPage *page);

#endif
