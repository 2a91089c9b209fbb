/* A dot plot: tile scores as a picture, PNG or SVG. */
#ifndef CS_DOT_PLOT_H
#define CS_DOT_PLOT_H

#include <chromosweep/compare.h>
#include <chromosweep/tiles.h>

typedef enum {
    CS_DOT_PLOT_PNG,
    CS_DOT_PLOT_SVG,
} CsDotPlotFormat;

/* Tiles that a side may have. */
#define CS_DOT_PLOT_TILES_MAX 4096

/* How the picture is laid out, in pixels from its upper left corner; x is the target's axis. */
typedef struct {
    double unit; /* what sizes of letters and margins are multiples of */
    gint64 target_length, query_length;
    gint64 target_tile, query_tile;     /* letters */
    double target_pixels, query_pixels; /* of a tile */
    double x, y, width, height;         /* the plot's area */
    int picture_width, picture_height;
    gboolean same_scale;
} CsDotPlotLayout;

/* What is drawn; nothing in it is owned. Texts are UTF-8. */
typedef struct {
    const CsDotPlotLayout *layout;
    const CsTiles *tiles;
    const CsScoring *scoring;
    const char *title; /* empty: none */
    const char *target_name, *query_name;
    gint64 target_offset, query_offset; /* letters of the records before the first that are shown */
    gint64 least;                       /* score below which a tile is background */
    gboolean by_chance;                 /* that score is cs_dot_plot_background()'s */
    const CsCompareResult *best;        /* its ends on the forward strands; NULL: no mark */
    gboolean best_minus;
} CsDotPlot;

/* A picture whose longer side has at most so many pixels; tile 0 is as suits. */
void cs_dot_plot_layout_init(CsDotPlotLayout *layout, gint64 target_length, gint64 query_length,
                             int size, gint64 tile);

/*
 * The score below which tiles are background: such that of tiles of unrelated letters about one in
 * all is at least that.
 */
gint64 cs_dot_plot_background(const CsTiles *tiles, const CsScoring *scoring);

/* The whole file. Fails with CS_ERROR_DEVICE where there is no memory. */
GByteArray *cs_dot_plot_draw(const CsDotPlot *picture, CsDotPlotFormat format, GError **error);

#endif
