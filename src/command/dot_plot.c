/*
 * The dot plot: the target along x, the query along y, both from the lower left corner. So matches
 * on the plus strand rise to the right and inversions fall.
 *
 * The colours are blue and vermilion of Okabe and Ito's, which colour-blind people can tell apart.
 * Higher scores have stronger shades. In a PNG every tile is a whole number of pixels.
 */
#include <math.h>
#include <string.h>

#include <cairo.h>

#include <chromosweep/version.h>

#include "command/dot_plot.h"
#include "command/fit_text.h"
#include "command/path_line.h"
#include "command/path_title.h"
#include "command/tile_scores.h"

enum {
    SHADES = 32,     /* of each colour */
    JOIN_PIXELS = 8, /* dots of smaller tiles get a rim, so that the dots of a diagonal join */
};

/* Sizes, in units. */
#define TITLE 27
#define SUBTITLE 17
#define AXIS 20
#define LABEL 17
#define SMALL 14
#define LEGEND_LINE 24
#define TICKS_APART 90 /* at least */
#define PATH 1.5       /* the line's width */

/* Pixels that the line may be away from the path. */
#define PATH_TOLERANCE 0.5

typedef struct {
    double red, green, blue;
} Colour;

static const Colour black = {0.1, 0.1, 0.1}, grey = {0.4, 0.4, 0.4}, pale = {0.9, 0.9, 0.9};

/* Light, full and dark, of plus and minus. */
static const Colour shades[2][3] = {
    {{0.58, 0.78, 0.91}, {0.0, 0.447, 0.698}, {0.0, 0.22, 0.40}},
    {{0.97, 0.73, 0.53}, {0.835, 0.369, 0.0}, {0.50, 0.19, 0.0}},
};

typedef struct {
    const CsDotPlot *picture;
    const CsLayout *layout;
    CsPage *page;
    cairo_t *cairo; /* the page's */
    double unit;
    gint64 highest; /* score of any tile */
    gint64 full;    /* score of the darkest shade */
    gboolean snap;  /* tiles are whole pixels */
} Canvas;

/*
 * The shade of a score, 0 .. SHADES - 1, or -1 for background. It follows the square root, so that
 * a diagonal is not pale because of a single better tile.
 */
static int
shade_of(const Canvas *canvas, gint64 score)
{
    const gint64 least = canvas->picture->least;
    if (score < least)
        return -1;
    if (score == canvas->full)
        return SHADES - 1;
    double part = (double)(score - least) / (double)MAX(1, canvas->full - least);
    return MIN(SHADES - 1, (int)(sqrt(part) * SHADES));
}

static void
set_colour(const Canvas *canvas, Colour colour)
{
    cairo_set_source_rgb(canvas->cairo, colour.red, colour.green, colour.blue);
}

void
cs_dot_plot_set_colour(cairo_t *cairo, gboolean minus)
{
    const Colour full = shades[minus][1];
    cairo_set_source_rgb(cairo, full.red, full.green, full.blue);
}

/* From light to full over the first 60%, then to dark. */
static Colour
shade_colour(gboolean minus, int shade)
{
    double part = (shade + 0.5) / SHADES / 0.6;
    int from = part < 1 ? 0 : 1;
    const Colour a = shades[minus][from], b = shades[minus][from + 1];
    double mix = from == 0 ? part : (part - 1) * 0.6 / 0.4;
    return (Colour){a.red + mix * (b.red - a.red), a.green + mix * (b.green - a.green),
                    a.blue + mix * (b.blue - a.blue)};
}

/* The lines between tiles: those of an axis lie `direction` x k x pixels from the origin. */
static double
tile_edge(const Canvas *canvas, double origin, double pixels, double k)
{
    double at = origin + k * pixels;
    return canvas->snap ? round(at) : at;
}

/* Tiles first .. last of row c of the picture: rows of it are columns of the matrix. */
static void
add_tiles(const Canvas *canvas, gint64 c, gint64 first, gint64 last)
{
    const CsLayout *layout = canvas->layout;
    const double bottom = layout->y + layout->height;
    double x0 = tile_edge(canvas, layout->x, layout->target_pixels, (double)first);
    double x1 = tile_edge(canvas, layout->x, layout->target_pixels, (double)last + 1);
    double y0 = tile_edge(canvas, bottom, -layout->query_pixels, (double)c + 1);
    double y1 = tile_edge(canvas, bottom, -layout->query_pixels, (double)c);
    const double pixels = MIN(layout->target_pixels, layout->query_pixels);
    double more = pixels < JOIN_PIXELS * canvas->unit ? canvas->unit : 0;
    if (canvas->snap)
        more = MAX(round(more), pixels < 1);
    x0 -= more;
    x1 += more;
    y0 -= more;
    y1 += more;
    cairo_rectangle(canvas->cairo, x0, y0, x1 - x0, y1 - y0);
}

/* Which colour each tile has: 0 is background, then the shades of plus and those of minus. */
static guint8 *
code_tiles(const Canvas *canvas, gsize *counts)
{
    const CsTiles *tiles = canvas->picture->tiles;
    const gint64 count = tiles->rows * tiles->columns;
    guint8 *codes = g_malloc0((gsize)count);
    for (gint64 k = 0; k < count; k++) {
        gboolean minus = tiles->minus[k] > tiles->plus[k];
        int shade = shade_of(canvas, MAX(tiles->plus[k], tiles->minus[k]));
        codes[k] = shade < 0 ? 0 : (guint8)(1 + shade + (minus ? SHADES : 0));
        counts[codes[k]]++;
    }
    return codes;
}

/* Draws light shades first, so that high scores stay visible if tiles are smaller than pixels. */
static void
draw_tiles(const Canvas *canvas)
{
    const CsLayout *layout = canvas->layout;
    const CsTiles *tiles = canvas->picture->tiles;
    gsize counts[1 + 2 * SHADES] = {0};
    g_autofree guint8 *codes = code_tiles(canvas, counts);
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, layout->x, layout->y, layout->width, layout->height);
    cairo_clip(canvas->cairo);
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_NONE);
    for (int k = 0; k < 2 * SHADES; k++) {
        const int shade = k / 2, minus = k % 2;
        const guint8 code = (guint8)(1 + shade + minus * SHADES);
        if (counts[code] == 0)
            continue;
        set_colour(canvas, shade_colour(minus, shade));
        for (gint64 c = 0; c < tiles->columns; c++)
            for (gint64 r = 0, last; r < tiles->rows; r = last + 1) {
                for (last = r; last + 1 < tiles->rows && codes[r * tiles->columns + c] == code &&
                               codes[(last + 1) * tiles->columns + c] == code;)
                    last++;
                if (codes[r * tiles->columns + c] == code)
                    add_tiles(canvas, c, r, last);
            }
        cairo_fill(canvas->cairo);
    }
    cairo_restore(canvas->cairo);
}

static void
set_font(const Canvas *canvas, double size, gboolean bold)
{
    cs_page_set_font(canvas->page, size * canvas->unit, bold);
}

static void
show_text(const Canvas *canvas, double x, double y, CsPageAnchor anchor, const char *text)
{
    cs_page_show_text(canvas->page, x, y, anchor, text);
}

/* A number with its digits in groups of three. */
static char *
format_count(gint64 value)
{
    g_autofree char *digits = g_strdup_printf("%" G_GINT64_FORMAT, value);
    GString *text = g_string_new(NULL);
    gsize length = strlen(digits);
    for (gsize k = 0; k < length; k++) {
        if (k > 0 && (length - k) % 3 == 0)
            g_string_append_c(text, ',');
        g_string_append_c(text, digits[k]);
    }
    return g_string_free(text, FALSE);
}

/* An axis's ticks and their unit. */
typedef struct {
    double step, minor; /* bases */
    double bases;       /* per unit */
    const char *unit;
    int decimals;
} Ticks;

/* At most `most` ticks in the length, 1, 2 or 5 times a power of ten apart; none beyond end. */
static Ticks
choose_ticks(gint64 length, gint64 end, double most)
{
    static const double firsts[] = {1, 2, 5, 10};
    double least = MAX(1, (double)length / MAX(most, 1)), power = pow(10, floor(log10(least)));
    guint k = 0;
    while (firsts[k] * power < least * (1 - 1e-9))
        k++;
    Ticks ticks = {.step = firsts[k] * power, .bases = 1, .unit = "bp"};
    ticks.minor = ticks.step / (firsts[k] == 2 ? 4 : 5);
    if (ticks.minor < 1)
        ticks.minor = ticks.step;
    if (end >= 2000000 && ticks.step >= 1e3) {
        ticks.bases = 1e6;
        ticks.unit = "Mb";
    } else if (end >= 2000) {
        ticks.bases = 1e3;
        ticks.unit = "kb";
    }
    ticks.decimals = MAX(0, (int)-floor(log10(ticks.step / ticks.bases) + 1e-9));
    return ticks;
}

/* The place of a position, in bases of the whole record, in the plot. */
static double
x_of(const Canvas *canvas, double bases)
{
    const CsLayout *layout = canvas->layout;
    bases -= (double)canvas->picture->target_offset;
    return layout->x + bases / (double)layout->target_length * layout->width;
}

static double
y_of(const Canvas *canvas, double bases)
{
    const CsLayout *layout = canvas->layout;
    bases -= (double)canvas->picture->query_offset;
    return layout->y + layout->height - bases / (double)layout->query_length * layout->height;
}

static void
draw_line(const Canvas *canvas, double x0, double y0, double x1, double y1)
{
    cairo_move_to(canvas->cairo, floor(x0) + 0.5, floor(y0) + 0.5);
    cairo_line_to(canvas->cairo, floor(x1) + 0.5, floor(y1) + 0.5);
    cairo_stroke(canvas->cairo);
}

static gint64
offset_of(const Canvas *canvas, gboolean target)
{
    return target ? canvas->picture->target_offset : canvas->picture->query_offset;
}

static gint64
end_of(const Canvas *canvas, gboolean target)
{
    const CsLayout *layout = canvas->layout;
    return offset_of(canvas, target) + (target ? layout->target_length : layout->query_length);
}

/* Draws the grid behind the tiles: lines at the ticks of one axis. */
static void
draw_grid(const Canvas *canvas, const Ticks *ticks, gboolean target)
{
    const CsLayout *layout = canvas->layout;
    const gint64 offset = offset_of(canvas, target), end = end_of(canvas, target);
    set_colour(canvas, pale);
    for (double k = floor((double)offset / ticks->step) + 1; k * ticks->step < (double)end; k++) {
        const double at = k * ticks->step;
        double x = x_of(canvas, at), y = y_of(canvas, at);
        if (target)
            draw_line(canvas, x, layout->y, x, layout->y + layout->height - 1);
        else
            draw_line(canvas, layout->x, y, layout->x + layout->width - 1, y);
    }
}

static void
draw_ticks(const Canvas *canvas, const Ticks *ticks, gboolean target)
{
    const CsLayout *layout = canvas->layout;
    const gint64 offset = offset_of(canvas, target), end = end_of(canvas, target);
    const double left = layout->x - 1, bottom = layout->y + layout->height;
    const gint64 divisions = (gint64)(ticks->step / ticks->minor + 0.5);
    set_font(canvas, LABEL, FALSE);
    set_colour(canvas, black);
    for (gint64 k = (gint64)ceil((double)offset / ticks->minor);
         (double)k * ticks->minor <= (double)end; k++) {
        const gboolean major = k % divisions == 0;
        const double at = (double)k * ticks->minor, size = (major ? 8 : 4) * canvas->unit;
        if (target)
            draw_line(canvas, x_of(canvas, at), bottom, x_of(canvas, at), bottom + size);
        else
            draw_line(canvas, left - size, y_of(canvas, at), left, y_of(canvas, at));
        if (!major)
            continue;
        char label[32];
        g_snprintf(label, sizeof label, "%.*f", ticks->decimals, at / ticks->bases);
        if (target)
            show_text(canvas, x_of(canvas, at), bottom + 28 * canvas->unit, CS_PAGE_MIDDLE, label);
        else
            show_text(canvas, left - 13 * canvas->unit, y_of(canvas, at) + 6 * canvas->unit,
                      CS_PAGE_END, label);
    }
}

/* The name of the record, shortened if necessary, and the unit. */
static void
draw_axis_name(const Canvas *canvas, const char *name, const Ticks *ticks, gboolean target)
{
    const CsLayout *layout = canvas->layout;
    g_autofree char *unit = g_strdup_printf(" (%s)", ticks->unit);
    set_font(canvas, AXIS, TRUE);
    double room = target ? layout->width + layout->right / 2 : layout->height;
    g_autofree char *fitted =
        cs_fit_text(canvas->page, name, room - cs_page_text_width(canvas->page, unit));
    g_autofree char *text = g_strconcat(fitted, unit, NULL);
    cairo_save(canvas->cairo);
    if (target) {
        cairo_translate(canvas->cairo, layout->x + layout->width / 2,
                        layout->y + layout->height + 66 * canvas->unit);
    } else {
        cairo_translate(canvas->cairo, 34 * canvas->unit, layout->y + layout->height / 2);
        cairo_rotate(canvas->cairo, -G_PI / 2);
    }
    show_text(canvas, 0, 0, CS_PAGE_MIDDLE, text);
    cairo_restore(canvas->cairo);
}

/* A ring that is visible on any background. */
static void
draw_ring(const Canvas *canvas, double x, double y)
{
    for (int k = 0; k < 2; k++) {
        cairo_set_line_width(canvas->cairo, (k == 0 ? 5.5 : 2.5) * canvas->unit);
        if (k == 0)
            cairo_set_source_rgb(canvas->cairo, 1, 1, 1);
        else
            set_colour(canvas, black);
        cairo_new_path(canvas->cairo);
        cairo_arc(canvas->cairo, x, y, 9 * canvas->unit, 0, 2 * G_PI);
        cairo_stroke(canvas->cairo);
    }
    cairo_set_line_width(canvas->cairo, 1);
}

/* Draws the path of an alignment over the tiles. */
static void
draw_path(const Canvas *canvas, const CsAlignment *alignment)
{
    const CsLayout *layout = canvas->layout;
    g_autoptr(GArray) points =
        cs_path_line_new(alignment, layout->width / (double)layout->target_length,
                         layout->height / (double)layout->query_length, PATH_TOLERANCE);
    for (guint k = 0; k < points->len; k++) {
        CsPathPoint *point = &g_array_index(points, CsPathPoint, k);
        *point = (CsPathPoint){x_of(canvas, point->target), y_of(canvas, point->query)};
    }
    g_autofree char *title =
        cs_path_title(alignment, canvas->picture->names[0], canvas->picture->names[1]);
    set_colour(canvas, black);
    cairo_set_line_width(canvas->cairo, PATH * canvas->unit);
    cs_page_draw_line(canvas->page, (const double *)(const void *)points->data, points->len, title);
    cairo_set_line_width(canvas->cairo, 1);
}

/* Draws the shades of one strand. Returns y below them. */
static double
draw_ramp(const Canvas *canvas, double x, double y, gboolean minus)
{
    const double width = 200 * canvas->unit, height = 16 * canvas->unit;
    set_font(canvas, LABEL, FALSE);
    set_colour(canvas, black);
    show_text(canvas, x, y, CS_PAGE_START, minus ? "minus strand (inverted)" : "plus strand");
    y += 9 * canvas->unit;
    for (int k = 0; k < SHADES; k++) {
        double from = round(x + k * width / SHADES), to = round(x + (k + 1) * width / SHADES);
        set_colour(canvas, shade_colour(minus, k));
        cairo_rectangle(canvas->cairo, from, round(y), to - from, round(height));
        cairo_fill(canvas->cairo);
    }
    return y + height;
}

static double
draw_ramps(const Canvas *canvas, double x, double y)
{
    const double width = 200 * canvas->unit;
    set_font(canvas, LABEL, TRUE);
    show_text(canvas, x, y, CS_PAGE_START, "Best score in each tile");
    y = draw_ramp(canvas, x, y + 28 * canvas->unit, FALSE);
    y = draw_ramp(canvas, x, y + 26 * canvas->unit, TRUE) + 20 * canvas->unit;
    const gint64 least_score = canvas->picture->least;
    g_autofree char *least = format_count(least_score);
    g_autofree char *middle = format_count(least_score + (canvas->full - least_score) / 4);
    g_autofree char *full = format_count(canvas->full);
    set_colour(canvas, black);
    show_text(canvas, x, y, CS_PAGE_START, least);
    show_text(canvas, x + width / 2, y, CS_PAGE_MIDDLE, middle);
    show_text(canvas, x + width, y, CS_PAGE_END, full);
    set_font(canvas, SMALL, FALSE);
    set_colour(canvas, grey);
    const char *white =
        canvas->picture->by_chance ? "white: no better than chance" : "white: lower scores";
    show_text(canvas, x, y + 22 * canvas->unit, CS_PAGE_START,
              canvas->highest < canvas->picture->least ? "all tiles are lower (white)" : white);
    return y + 22 * canvas->unit;
}

/* A line of the legend: what it says, and a number. */
static double
draw_number(const Canvas *canvas, double x, double y, const char *name, gint64 number)
{
    g_autofree char *value = format_count(number);
    show_text(canvas, x, y, CS_PAGE_START, name);
    show_text(canvas, x + 200 * canvas->unit, y, CS_PAGE_END, value);
    return y + LEGEND_LINE * canvas->unit;
}

/* Where the best alignment lies: from where to where if its path is drawn, else its end. */
static double
draw_places(const Canvas *canvas, double x, double y)
{
    const CsCompareResult *best = canvas->picture->best;
    if (canvas->picture->path == NULL) {
        y = draw_number(canvas, x, y, "target end", best->target_end);
        return best->query_end > 0 ? draw_number(canvas, x, y, "query end", best->query_end)
                                   : draw_number(canvas, x, y, "query start", best->query_start);
    }
    const CsAlignmentSummary *s = cs_alignment_get_summary(canvas->picture->path);
    y = draw_number(canvas, x, y, "target from", s->target_start);
    y = draw_number(canvas, x, y, "target to", s->target_end);
    y = draw_number(canvas, x, y, "query from", s->query_start);
    return draw_number(canvas, x, y, "query to", s->query_end);
}

static double
draw_best(const Canvas *canvas, double x, double y)
{
    const CsCompareResult *best = canvas->picture->best;
    const double unit = canvas->unit;
    set_colour(canvas, black);
    set_font(canvas, LABEL, TRUE);
    show_text(canvas, x, y, CS_PAGE_START, "Best local alignment");
    set_font(canvas, LABEL, FALSE);
    y += LEGEND_LINE * unit;
    if (best->score == 0) {
        show_text(canvas, x, y, CS_PAGE_START, "none");
        return y;
    }
    y = draw_number(canvas, x, y, "score", best->score);
    show_text(canvas, x, y, CS_PAGE_START, "strand");
    show_text(canvas, x + 200 * unit, y, CS_PAGE_END,
              canvas->picture->best_minus ? "minus" : "plus");
    y = draw_places(canvas, x, y + LEGEND_LINE * unit);
    if (canvas->picture->path != NULL) {
        y += 2 * unit;
        cairo_set_line_width(canvas->cairo, PATH * unit);
        cairo_move_to(canvas->cairo, x, y - 6 * unit);
        cairo_line_to(canvas->cairo, x + 20 * unit, y - 6 * unit);
        cairo_stroke(canvas->cairo);
        g_autofree char *paths = canvas->picture->set != NULL
                                     ? g_strdup_printf("paths of all %u", canvas->picture->set->len)
                                     : g_strdup("its path");
        show_text(canvas, x + 30 * unit, y, CS_PAGE_START, paths);
        y += LEGEND_LINE * unit;
    }
    y += 6 * unit;
    draw_ring(canvas, x + 10 * unit, y - 6 * unit);
    set_colour(canvas, black);
    show_text(canvas, x + 30 * unit, y, CS_PAGE_START, "where it ends");
    return y;
}

void
cs_dot_plot_scoring(const CsScoring *scoring, char **pairs, char **gaps)
{
    *pairs = g_strdup_printf("match +%" G_GINT64_FORMAT ", mismatch −%" G_GINT64_FORMAT,
                             scoring->match, scoring->mismatch);
    *gaps = g_strdup_printf("gap −%" G_GINT64_FORMAT ", each further base −%" G_GINT64_FORMAT,
                            cs_scoring_first_gap(scoring), scoring->gap_extend);
}

char *
cs_dot_plot_about(const CsLayout *layout, gboolean brief)
{
    g_autofree char *target = format_count(layout->target_tile);
    g_autofree char *query = format_count(layout->query_tile);
    return g_strdup_printf(brief ? "best score in each tile of %s × %s bp"
                                 : "best exact local alignment score in each tile of %s × %s bp",
                           target, query);
}

static void
draw_legend(const Canvas *canvas)
{
    const CsLayout *layout = canvas->layout;
    const CsScoring *scoring = canvas->picture->scoring;
    const double x = layout->x + layout->width + 40 * canvas->unit;
    set_colour(canvas, black);
    double y = draw_ramps(canvas, x, layout->y + 16 * canvas->unit);
    if (canvas->picture->best != NULL)
        y = draw_best(canvas, x, y + 44 * canvas->unit);
    g_autofree char *pairs = NULL, *gaps = NULL;
    cs_dot_plot_scoring(scoring, &pairs, &gaps);
    g_autofree char *program = g_strdup_printf("chromosweep %s", cs_version());
    const char *const lines[] = {pairs, gaps, program,
                                 layout->same_scale ? "" : "axes have different scales"};
    set_font(canvas, SMALL, FALSE);
    set_colour(canvas, grey);
    for (guint k = 0; k < G_N_ELEMENTS(lines); k++)
        show_text(canvas, x, y + (44 + 20 * k) * canvas->unit, CS_PAGE_START, lines[k]);
}

static void
draw_title(const Canvas *canvas)
{
    const CsLayout *layout = canvas->layout;
    const double room = layout->picture_width - layout->x - 20 * canvas->unit;
    set_font(canvas, TITLE, TRUE);
    set_colour(canvas, black);
    g_autofree char *title = canvas->picture->title != NULL
                                 ? cs_fit_text(canvas->page, canvas->picture->title, room)
                                 : cs_fit_text_pair(canvas->page, canvas->picture->target_name,
                                                    canvas->picture->query_name, room);
    show_text(canvas, layout->x, 42 * canvas->unit, CS_PAGE_START, title);
    g_autofree char *text = cs_dot_plot_about(layout, FALSE);
    set_font(canvas, SUBTITLE, FALSE);
    set_colour(canvas, grey);
    if (cs_page_text_width(canvas->page, text) > room) {
        g_free(text);
        text = cs_dot_plot_about(layout, TRUE);
    }
    g_autofree char *subtitle = cs_fit_text(canvas->page, text, room);
    show_text(canvas, layout->x, 70 * canvas->unit, CS_PAGE_START, subtitle);
}

static void
paint_white(const Canvas *canvas)
{
    cairo_set_source_rgb(canvas->cairo, 1, 1, 1);
    cairo_paint(canvas->cairo);
}

static void
draw_all(const Canvas *canvas)
{
    const CsDotPlot *picture = canvas->picture;
    const CsLayout *layout = canvas->layout;
    const gint64 m = layout->target_length, n = layout->query_length;
    Ticks target =
        choose_ticks(m, picture->target_offset + m, layout->width / (TICKS_APART * canvas->unit));
    Ticks query =
        choose_ticks(n, picture->query_offset + n, layout->height / (TICKS_APART * canvas->unit));
    if (layout->same_scale)
        target = query = m > n ? target : query;
    paint_white(canvas);
    cairo_set_line_width(canvas->cairo, 1);
    draw_grid(canvas, &target, TRUE);
    draw_grid(canvas, &query, FALSE);
    draw_tiles(canvas);
    set_colour(canvas, black);
    cairo_rectangle(canvas->cairo, layout->x - 0.5, layout->y - 0.5, layout->width + 1,
                    layout->height + 1);
    cairo_stroke(canvas->cairo);
    draw_ticks(canvas, &target, TRUE);
    draw_ticks(canvas, &query, FALSE);
    draw_axis_name(canvas, picture->target_name, &target, TRUE);
    draw_axis_name(canvas, picture->query_name, &query, FALSE);
    draw_title(canvas);
    draw_legend(canvas);
    if (picture->path != NULL)
        draw_path(canvas, picture->path);
    for (guint k = 1; picture->set != NULL && k < picture->set->len; k++)
        draw_path(canvas, g_ptr_array_index(picture->set, k));
    if (picture->best != NULL && picture->best->score > 0) {
        const gint64 last =
            picture->best_minus ? picture->best->query_start : picture->best->query_end;
        draw_ring(canvas, x_of(canvas, (double)picture->best->target_end - 0.5),
                  y_of(canvas, (double)last - 0.5));
    }
}

/* Scores hardly above chance must not look strong if there is nothing else. */
gint64
cs_dot_plot_full(const CsDotPlot *picture)
{
    const gint64 strong = MIN(2 * MIN(picture->least, G_MAXINT64 / 2),
                              cs_tile_scores_perfect(picture->tiles, picture->scoring));
    return MAX(strong, cs_tile_scores_highest(picture->tiles));
}

static Canvas
canvas_of(const CsDotPlot *picture, const CsLayout *layout, CsPage *page)
{
    return (Canvas){.picture = picture,
                    .layout = layout,
                    .page = page,
                    .cairo = cs_page_cairo(page),
                    .unit = layout->unit,
                    .highest = cs_tile_scores_highest(picture->tiles),
                    .full = cs_dot_plot_full(picture),
                    .snap = cs_page_format(page) == CS_PAGE_PNG};
}

void
cs_dot_plot_draw(const CsDotPlot *picture, CsPage *page)
{
    const Canvas canvas = canvas_of(picture, picture->layout, page);
    draw_all(&canvas);
}

void
cs_dot_plot_draw_tiles(const CsDotPlot *picture, CsPage *page)
{
    CsLayout layout = *picture->layout;
    layout.x = layout.y = 0;
    const Canvas canvas = canvas_of(picture, &layout, page);
    paint_white(&canvas);
    draw_tiles(&canvas);
}
