/* Where the parts of a dot plot are, and how many bases a tile has. */
#include <math.h>

#include "command/layout.h"

/* The fewest bases of a tile by default. In fewer, chance scores as high as a real match. */
#define TILE_LEAST(length) CLAMP((length) / 100, 16, 64)

#define TILE_PIXELS 2

/* Margins, in units. */
#define LEFT 104
#define RIGHT 292
#define TOP 92
#define BOTTOM 92
#define LEAST_SIDE 0.25 /* of the room along a side */
#define LEGEND_HEIGHT 514

/* A whole number of pixels per tile, if the picture loses little by it. */
static double
pixels_a_tile(double room, double tiles)
{
    double pixels = room / tiles;
    return pixels >= 1 && floor(pixels) >= 0.85 * pixels ? floor(pixels) : pixels;
}

void
cs_layout_init(CsLayout *layout, gint64 target_length, gint64 query_length, int size, gint64 tile)
{
    const double m = (double)target_length, n = (double)query_length, unit = size / 1200.0;
    const double room_x = size - (LEFT + RIGHT) * unit, room_y = size - (TOP + BOTTOM) * unit;
    const double scale = MAX(m / room_x, n / room_y); /* bases per pixel */
    double width = m / scale, height = n / scale;
    gboolean same = width >= LEAST_SIDE * room_x && height >= LEAST_SIDE * room_y;
    if (!same) {
        width = MAX(width, LEAST_SIDE * room_x);
        height = MAX(height, LEAST_SIDE * room_y);
    }
    const double pixels = MAX(1, round(TILE_PIXELS * unit));
    *layout = (CsLayout){.unit = unit,
                         .target_length = target_length,
                         .query_length = query_length,
                         .target_tile = tile,
                         .query_tile = tile,
                         .same_scale = same};
    if (tile == 0) {
        layout->target_tile = MAX(TILE_LEAST(target_length), (gint64)ceil(pixels * m / width));
        layout->query_tile = MAX(TILE_LEAST(query_length), (gint64)ceil(pixels * n / height));
    }
    if (same)
        layout->target_tile = layout->query_tile = MAX(layout->target_tile, layout->query_tile);
    layout->target_tile =
        MIN(layout->target_tile, same ? MAX(target_length, query_length) : target_length);
    layout->query_tile =
        MIN(layout->query_tile, same ? MAX(target_length, query_length) : query_length);
    layout->target_pixels = pixels_a_tile(width, MAX(1, m / (double)layout->target_tile));
    layout->query_pixels = pixels_a_tile(height, MAX(1, n / (double)layout->query_tile));
    if (same)
        layout->target_pixels = layout->query_pixels =
            MIN(layout->target_pixels, layout->query_pixels);
    layout->right = RIGHT * unit;
    layout->x = ceil(LEFT * unit);
    layout->y = ceil(TOP * unit);
    layout->width = MAX(1, round(m / (double)layout->target_tile * layout->target_pixels));
    layout->height = MAX(1, round(n / (double)layout->query_tile * layout->query_pixels));
    layout->picture_width = (int)(layout->x + layout->width + ceil(layout->right));
    layout->picture_height =
        (int)(layout->y + MAX(layout->height + ceil(BOTTOM * unit), LEGEND_HEIGHT * unit));
}
