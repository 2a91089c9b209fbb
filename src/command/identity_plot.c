/*
 * Draws a table of identity. A heat map has a row for each first record and a column for each second; a
 * square is filled on both sides of its diagonal. If there are more records than pixels, a pixel has the
 * mean of its pairs. What the table does not have is grey: the diagonal, and pairs that were left out.
 */
#include <math.h>

#include <chromosweep/error.h>
#include <chromosweep/version.h>

#include "command/fit_text.h"
#include "command/identity_plot.h"
#include "command/messages.h"

/* Sizes, in units of 1/1200 of the picture's side. */
#define LEFT 190
#define RIGHT 250
#define TOP 92
#define BOTTOM 190
#define TITLE 27
#define SUBTITLE 17
#define LABEL 15
#define SCALE_WIDTH 26
#define SCALE_HEIGHT 320

#define LEAST_LABEL 9 /* pixels of a row that its name needs, in units */

enum {
    STEPS_MOST = 10, /* of the scale */
    STEP_BINS = 5,   /* of a histogram, in a step */
};

typedef struct {
    double red, green, blue;
} Colour;

/* The lowest identity is yellow, the highest dark blue: also when printed without colours, the darker the
 * more similar. */
static const Colour anchors[] = {{1.00, 0.98, 0.80},
                                 {0.63, 0.85, 0.71},
                                 {0.20, 0.65, 0.76},
                                 {0.13, 0.37, 0.66},
                                 {0.05, 0.12, 0.36}};
static const Colour black = {0.1, 0.1, 0.1}, grey = {0.4, 0.4, 0.4}, pale = {0.88, 0.88, 0.88};

typedef struct {
    const CsIdentityPlot *plot;
    CsPage *page;
    cairo_t *cairo;
    double unit;
    double x, y, width, height; /* of the map or the histogram */
    double low, high;           /* identities at the ends of the scale */
    int steps;                  /* between them */
} Canvas;

static void
set_colour(const Canvas *canvas, Colour colour)
{
    cairo_set_source_rgb(canvas->cairo, colour.red, colour.green, colour.blue);
}

static void
set_font(const Canvas *canvas, double size, gboolean bold)
{
    cs_page_set_font(canvas->page, size * canvas->unit, bold);
}

static Colour
colour_of(const Canvas *canvas, double identity)
{
    const double at = CLAMP((identity - canvas->low) / (canvas->high - canvas->low), 0, 1) *
                      (G_N_ELEMENTS(anchors) - 1);
    const guint k = MIN((guint)at, G_N_ELEMENTS(anchors) - 2);
    const double mix = at - k;
    const Colour a = anchors[k], b = anchors[k + 1];
    return (Colour){a.red + mix * (b.red - a.red), a.green + mix * (b.green - a.green),
                    a.blue + mix * (b.blue - a.blue)};
}

/* The scale ends at 100%, and begins at a round number below all pairs. */
static void
choose_scale(Canvas *canvas)
{
    const CsIdentityTable *table = canvas->plot->table;
    double low = 1;
    for (gsize k = 0; k < table->count; k++)
        low = MIN(low, (double)table->cells[k].identity);
    const int whole = low > 0.95 ? 100 : low > 0.75 ? 20 : 10; /* steps from 0 to 1 */
    canvas->steps = CLAMP(whole - (int)floor(low * whole + 1e-6), 1, STEPS_MOST);
    canvas->low = (double)(whole - canvas->steps) / whole;
    canvas->high = 1;
}

/* Pixels of the map with what their pairs add up to. */
typedef struct {
    int columns, rows;
    double *sums;
    guint32 *counts;
} Pixels;

static void
pixels_clear(Pixels *pixels)
{
    g_free(pixels->sums);
    g_free(pixels->counts);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pixels, pixels_clear)

static void
add_to_pixel(Pixels *pixels, const CsIdentityTable *table, guint32 row, guint32 column,
             double identity)
{
    const guint64 r = (guint64)row * (guint64)pixels->rows / table->names[0]->len;
    const guint64 c = (guint64)column * (guint64)pixels->columns / table->names[1]->len;
    const gsize at = (gsize)(r * (guint64)pixels->columns + c);
    pixels->sums[at] += identity;
    pixels->counts[at]++;
}

static gboolean
fill_pixels(const Canvas *canvas, Pixels *pixels, GError **error)
{
    const CsIdentityTable *table = canvas->plot->table;
    pixels->rows = (int)MIN(table->names[0]->len, MAX(1, canvas->height));
    pixels->columns = (int)MIN(table->names[1]->len, MAX(1, canvas->width));
    const gsize count = (gsize)pixels->rows * (gsize)pixels->columns;
    pixels->sums = g_try_new0(double, count);
    pixels->counts = g_try_new0(guint32, count);
    if (pixels->sums == NULL || pixels->counts == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for the picture");
        return FALSE;
    }
    for (gsize k = 0; k < table->count; k++) {
        const CsIdentityCell *cell = &table->cells[k];
        add_to_pixel(pixels, table, cell->first, cell->second, (double)cell->identity);
        if (table->square && cell->first != cell->second)
            add_to_pixel(pixels, table, cell->second, cell->first, (double)cell->identity);
    }
    return TRUE;
}

static guint32
pack(Colour colour)
{
    return (guint32)lround(colour.red * 255) << 16 | (guint32)lround(colour.green * 255) << 8 |
           (guint32)lround(colour.blue * 255);
}

static gboolean
draw_map(const Canvas *canvas, GError **error)
{
    g_auto(Pixels) pixels = {0};
    if (!fill_pixels(canvas, &pixels, error))
        return FALSE;
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels.columns, pixels.rows);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    for (int r = 0; bytes != NULL && r < pixels.rows; r++) {
        guint32 *row = (guint32 *)(void *)(bytes + (gsize)r * (gsize)stride);
        for (int c = 0; c < pixels.columns; c++) {
            const gsize at = (gsize)r * (gsize)pixels.columns + (gsize)c;
            row[c] =
                pack(pixels.counts[at] > 0 ? colour_of(canvas, pixels.sums[at] / pixels.counts[at])
                                           : pale);
        }
    }
    cairo_surface_mark_dirty(image);
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, canvas->x, canvas->y);
    cairo_scale(canvas->cairo, canvas->width / pixels.columns, canvas->height / pixels.rows);
    cairo_set_source_surface(canvas->cairo, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(canvas->cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(canvas->cairo, 0, 0, pixels.columns, pixels.rows);
    cairo_fill(canvas->cairo);
    cairo_restore(canvas->cairo);
    cairo_surface_destroy(image);
    return TRUE;
}

static void
draw_frame(const Canvas *canvas)
{
    set_colour(canvas, black);
    cairo_set_line_width(canvas->cairo, 1);
    cairo_rectangle(canvas->cairo, canvas->x - 0.5, canvas->y - 0.5, canvas->width + 1,
                    canvas->height + 1);
    cairo_stroke(canvas->cairo);
}

/* Names of the rows at the left and of the columns below, if there is room for all. */
static void
draw_names(const Canvas *canvas)
{
    const CsIdentityTable *table = canvas->plot->table;
    const double unit = canvas->unit;
    for (int side = 0; side < 2; side++) {
        const GPtrArray *names = table->names[side];
        const double length = side == 0 ? canvas->height : canvas->width;
        const double room = length / names->len; /* for a name */
        const double size = MIN(LABEL * unit, 0.8 * room);
        if (room < LEAST_LABEL * unit)
            continue;
        cs_page_set_font(canvas->page, size, FALSE);
        set_colour(canvas, black);
        for (guint k = 0; k < names->len; k++) {
            g_autofree char *name = cs_fit_text(canvas->page, g_ptr_array_index(names, k),
                                                (side == 0 ? LEFT : BOTTOM) * unit - 30 * unit);
            const double at = (k + 0.5) * room + 0.35 * size;
            cairo_save(canvas->cairo);
            if (side == 0) {
                cairo_translate(canvas->cairo, canvas->x - 8 * unit, canvas->y + at);
            } else {
                cairo_translate(canvas->cairo, canvas->x + at,
                                canvas->y + canvas->height + 8 * unit);
                cairo_rotate(canvas->cairo, -G_PI / 2);
            }
            cs_page_show_text(canvas->page, 0, 0, CS_PAGE_END, name);
            cairo_restore(canvas->cairo);
        }
    }
}

static void
show_percent(const Canvas *canvas, double x, double y, CsPageAnchor anchor, double identity)
{
    g_autofree char *text = g_strdup_printf("%ld%%", lround(100 * identity));
    cs_page_show_text(canvas->page, x, y, anchor, text);
}

static void
draw_scale(const Canvas *canvas)
{
    const double unit = canvas->unit, x = canvas->x + canvas->width + 40 * unit;
    const double y = canvas->y, height = MIN(SCALE_HEIGHT * unit, canvas->height);
    for (int k = 0; k < (int)height; k++) {
        set_colour(canvas,
                   colour_of(canvas, canvas->high - (canvas->high - canvas->low) * k / height));
        cairo_rectangle(canvas->cairo, x, y + k, SCALE_WIDTH * unit, 1);
        cairo_fill(canvas->cairo);
    }
    set_font(canvas, LABEL, FALSE);
    set_colour(canvas, black);
    for (int k = 0; k <= canvas->steps; k++)
        show_percent(canvas, x + (SCALE_WIDTH + 8) * unit,
                     y + height * k / canvas->steps + 5 * unit, CS_PAGE_START,
                     canvas->high - (canvas->high - canvas->low) * k / canvas->steps);
}

/* What the table has, beside the plot, from y on. */
static void
draw_counts(const Canvas *canvas, double y)
{
    const CsIdentityTable *table = canvas->plot->table;
    const double unit = canvas->unit, x = canvas->x + canvas->width + 40 * unit;
    const guint rows = table->names[0]->len, columns = table->names[1]->len;
    double sum = 0;
    for (gsize k = 0; k < table->count; k++)
        sum += (double)table->cells[k].identity;
    g_autofree char *records = table->square ? g_strdup_printf("%u records", rows)
                                             : g_strdup_printf("%u x %u records", rows, columns);
    g_autofree char *pairs = g_strdup_printf("%" G_GSIZE_FORMAT " pairs", table->count);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.1f", 100 * sum / (double)table->count);
    g_autofree char *mean = g_strdup_printf("mean identity %s%%", number);
    g_autofree char *program = g_strdup_printf("chromosweep %s", cs_version());
    const char *const lines[] = {records, pairs, mean, program};
    set_font(canvas, LABEL, FALSE);
    set_colour(canvas, grey);
    for (guint k = 0; k < G_N_ELEMENTS(lines); k++)
        cs_page_show_text(canvas->page, x, y + 22 * k * unit, CS_PAGE_START, lines[k]);
}

static void
draw_title(const Canvas *canvas, double picture_width)
{
    const double unit = canvas->unit, room = picture_width - canvas->x - 20 * unit;
    set_font(canvas, TITLE, TRUE);
    set_colour(canvas, black);
    g_autofree char *title = cs_fit_text(canvas->page, canvas->plot->title, room);
    cs_page_show_text(canvas->page, canvas->x, 42 * unit, CS_PAGE_START, title);
    set_font(canvas, SUBTITLE, FALSE);
    set_colour(canvas, grey);
    g_autofree char *about = cs_fit_text(canvas->page, canvas->plot->about, room);
    cs_page_show_text(canvas->page, canvas->x, 70 * unit, CS_PAGE_START, about);
}

/* How many pairs each bin has. Bins begin at a round number; the last one has 100%, too. */
static void
draw_bars(const Canvas *canvas)
{
    const CsIdentityTable *table = canvas->plot->table;
    const double unit = canvas->unit, bottom = canvas->y + canvas->height;
    const guint bins = (guint)canvas->steps * STEP_BINS;
    guint counts[STEPS_MOST * STEP_BINS] = {0}, most = 1;
    for (gsize k = 0; k < table->count; k++) {
        const double identity = (double)table->cells[k].identity;
        const double at = (identity - canvas->low) / (canvas->high - canvas->low) * bins;
        const guint bin = (guint)CLAMP(at + 1e-4, 0, bins - 1);
        most = MAX(most, ++counts[bin]);
    }
    for (guint k = 0; k < bins; k++) {
        const double height = canvas->height * counts[k] / most;
        const double width = canvas->width / bins;
        set_colour(canvas, anchors[3]);
        cairo_rectangle(canvas->cairo, canvas->x + k * width + 0.5 * unit, bottom - height,
                        width - unit, height);
        cairo_fill(canvas->cairo);
    }
    set_font(canvas, LABEL, FALSE);
    set_colour(canvas, black);
    for (int k = 0; k <= canvas->steps; k++) {
        const double x = canvas->x + canvas->width * k / canvas->steps;
        show_percent(canvas, x, bottom + 28 * unit, CS_PAGE_MIDDLE,
                     canvas->low + (canvas->high - canvas->low) * k / canvas->steps);
        cairo_rectangle(canvas->cairo, x - 0.5, bottom, 1, 8 * unit);
        cairo_fill(canvas->cairo);
    }
    g_autofree char *highest = g_strdup_printf("%u", most);
    cs_page_show_text(canvas->page, canvas->x - 13 * unit, canvas->y + 6 * unit, CS_PAGE_END,
                      highest);
    cs_page_show_text(canvas->page, canvas->x - 13 * unit, bottom + 6 * unit, CS_PAGE_END, "0");
    cs_page_show_text(canvas->page, canvas->x + canvas->width / 2, bottom + 60 * unit,
                      CS_PAGE_MIDDLE, "identity");
    set_font(canvas, SUBTITLE, FALSE);
    cs_page_show_text(canvas->page, canvas->x - 13 * unit, canvas->y + canvas->height / 2,
                      CS_PAGE_END, "pairs");
}

/* Where the plot lies: cells are squares, as far as the sides differ by no more than 4 times. */
static void
lay_out(Canvas *canvas, int *width, int *height)
{
    const CsIdentityPlot *plot = canvas->plot;
    const double unit = canvas->unit;
    const double room_x = plot->size - (LEFT + RIGHT) * unit;
    const double room_y = plot->size - (TOP + BOTTOM) * unit;
    const double rows = plot->table->names[0]->len, columns = plot->table->names[1]->len;
    const double pixels = MIN(room_x / columns, room_y / rows);
    canvas->x = ceil(LEFT * unit);
    canvas->y = ceil(TOP * unit);
    canvas->width = floor(plot->histogram ? room_x : MAX(pixels * columns, room_x / 4));
    canvas->height = floor(plot->histogram ? room_y / 2 : MAX(pixels * rows, room_y / 4));
    *width = (int)ceil(canvas->x + canvas->width + RIGHT * unit);
    *height =
        (int)ceil(canvas->y + MAX(canvas->height, (SCALE_HEIGHT + 140) * unit) + BOTTOM * unit);
    *height = MIN(*height, plot->size);
}

GByteArray *
cs_identity_plot_draw(const CsIdentityPlot *plot, CsPageFormat format, GError **error)
{
    Canvas canvas = {.plot = plot, .unit = plot->size / 1200.0};
    int width, height;
    choose_scale(&canvas);
    lay_out(&canvas, &width, &height);
    g_autoptr(CsPage) page = cs_page_new(format, width, height, plot->dpi);
    canvas.page = page;
    canvas.cairo = cs_page_cairo(page);
    cs_page_set_title(page, plot->title);
    if (cs_page_lacks_fonts(page) != NULL)
        cs_message(CS_MESSAGE_WARNING, "%s; using plain ASCII text", cs_page_lacks_fonts(page));
    cairo_set_source_rgb(canvas.cairo, 1, 1, 1);
    cairo_paint(canvas.cairo);
    if (plot->histogram)
        draw_bars(&canvas);
    else if (!draw_map(&canvas, error))
        return NULL;
    draw_frame(&canvas);
    draw_title(&canvas, width);
    if (!plot->histogram) {
        draw_names(&canvas);
        draw_scale(&canvas);
    }
    const double below = MIN(SCALE_HEIGHT * canvas.unit, canvas.height) + 44 * canvas.unit;
    draw_counts(&canvas, canvas.y + (plot->histogram ? 16 * canvas.unit : below));
    return cs_page_finish(page, error);
}
