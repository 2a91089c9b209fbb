/* A plot of whole assemblies: the alignments between all records of two files, without tiles. */
#ifndef CS_MAP_PLOT_H
#define CS_MAP_PLOT_H

#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>

#include "command/page.h"

/* What to draw. Nothing in it is owned. Texts are UTF-8. */
typedef struct {
    const GPtrArray *records[2]; /* of CsSequence: targets, queries */
    const GPtrArray *set;        /* of CsAlignment */
    const CsScoring *scoring;
    const char *title;    /* NULL: both names; empty: none */
    const char *names[2]; /* of the files */
    int size;             /* of the longer side, in pixels */
    double dpi;
} CsMapPlot;

/* The whole file as an image, or as a page for browsers. */
GByteArray *cs_map_plot_draw(const CsMapPlot *plot, CsPageFormat format, GError **error);
GByteArray *cs_map_plot_html(const CsMapPlot *plot);

#endif
