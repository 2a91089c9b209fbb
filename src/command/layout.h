/* The layout of a dot plot: where its parts are, and how many bases a tile spans. */
#ifndef CS_LAYOUT_H
#define CS_LAYOUT_H

#include <glib.h>

/* In pixels from the upper left corner of the picture. x is the target's axis. */
typedef struct {
    double unit; /* sizes of text and margins are multiples of this */
    gint64 target_length, query_length;
    gint64 target_tile, query_tile;     /* bases */
    double target_pixels, query_pixels; /* size of a tile */
    double x, y, width, height;         /* area of the plot */
    double right;                       /* margin to the right of it, for the legend */
    int picture_width, picture_height;
    gboolean same_scale;
} CsLayout;

/* Lays out a picture whose longer side has at most `size` pixels. If tile is 0, a size that suits
 * is chosen. */
void cs_layout_init(CsLayout *layout, gint64 target_length, gint64 query_length, int size,
                    gint64 tile);

#endif
