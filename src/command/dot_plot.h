/* A dot plot: tile scores as a picture. */
#ifndef CS_DOT_PLOT_H
#define CS_DOT_PLOT_H

#include <chromosweep/align.h>
#include <chromosweep/tiles.h>

#include "command/layout.h"
#include "command/page.h"

/* Tiles that a side may have. */
#define CS_DOT_PLOT_TILES_MAX 4096

/* What is drawn; nothing in it is owned. Texts are UTF-8. */
typedef struct {
    const CsLayout *layout;
    const CsTiles *tiles;
    const CsScoring *scoring;
    const char *title; /* NULL: both names; empty: none */
    const char *target_name, *query_name;
    gint64 target_offset, query_offset; /* bases of the records before the first that are shown */
    gint64 least;                       /* score below which a tile is background */
    gboolean by_chance;                 /* that score is cs_tile_scores_background()'s */
    const CsCompareResult *best;        /* its ends on the forward strands; NULL: no mark */
    gboolean best_minus;
    const CsAlignment *path; /* the best alignment, whose path is drawn; NULL: none */
} CsDotPlot;

/* On a page of the layout's size. */
void cs_dot_plot_draw(const CsDotPlot *picture, CsPage *page);

#endif
