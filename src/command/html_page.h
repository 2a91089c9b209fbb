/* A dot plot as a page for browsers that stands alone: it needs no network and no other file. */
#ifndef CS_HTML_PAGE_H
#define CS_HTML_PAGE_H

#include "command/plot_record.h"

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
