/* Draws tile scores as a dot plot. */
#ifndef CS_DOT_PLOT_H
#define CS_DOT_PLOT_H

#include <chromosweep/align.h>
#include <chromosweep/tiles.h>

#include "command/layout.h"
#include "command/page.h"

/* The most tiles along a side. */
#define CS_DOT_PLOT_TILES_MAX 4096

/* What to draw. Nothing in it is owned. Texts are UTF-8. */
typedef struct {
    const CsLayout *layout;
    const CsTiles *tiles;
    const CsScoring *scoring;
    const char *title; /* NULL: both names; empty: none */
    const char *target_name, *query_name;
    const char *names[2];               /* of both records, as their files have them */
    gint64 target_offset, query_offset; /* bases of the records before the first one shown */
    gint64 least;                       /* tiles with lower scores are background */
    gboolean by_chance;                 /* least comes from cs_tile_scores_chance() */
    const CsCompareResult *best;        /* its end is marked; NULL: no mark */
    gboolean best_minus;
    const CsAlignment *path; /* the best alignment, whose path is drawn; NULL: none */
    const GPtrArray
        *set; /* of CsAlignment, the best first, whose paths are drawn, too; NULL: none */
} CsDotPlot;

/* Draws on a page of the layout's size. */
void cs_dot_plot_draw(const CsDotPlot *picture, CsPage *page);

/* Draws the tiles alone, on a page of the plot's own width and height. */
void cs_dot_plot_draw_tiles(const CsDotPlot *picture, CsPage *page);

/* Chooses the colour of plus or minus. */
void cs_dot_plot_set_colour(cairo_t *cairo, gboolean minus);

/* The score of the darkest shade. */
gint64 cs_dot_plot_full(const CsDotPlot *picture);

/* What the legend says of the scoring, in two lines, and what the picture shows. */
void cs_dot_plot_scoring(const CsScoring *scoring, char **pairs, char **gaps);
char *cs_dot_plot_about(const CsLayout *layout, gboolean brief);

/* The whole file of a page for browsers (html_page.h). */
GByteArray *cs_dot_plot_html(const CsDotPlot *picture, GError **error);

#endif
