/* Where the parts of a dot plot stand, and how many bases a tile spans. */
#ifndef CS_LAYOUT_H
#define CS_LAYOUT_H

#include <glib.h>

/* How the picture is laid out, in pixels from its upper left corner; x is the target's axis. */
typedef struct {
    double unit; /* what sizes of text and margins are multiples of */
    gint64 target_length, query_length;
    gint64 target_tile, query_tile;     /* bases */
    double target_pixels, query_pixels; /* of a tile */
    double x, y, width, height;         /* the plot's area */
    double right;                       /* margin beside it, of the legend */
    int picture_width, picture_height;
    gboolean same_scale;
} CsLayout;

/* A picture whose longer side has at most so many pixels; tile 0 is as suits. */
void cs_layout_init(CsLayout *layout, gint64 target_length, gint64 query_length, int size,
                    gint64 tile);

#endif
