/*
 * A plot of whole assemblies: a grid of records. Those of the target lie along x in the order of
 * their file, those of the query along y in the order and the way round in which they are aligned
 * (map_order.h). Alignments are lines; those that fall, against the direction in which the records
 * are drawn, have another colour. Tiles of all pairs would take the time of the whole matrix.
 */
#include <math.h>

#include <chromosweep/version.h>

#include "command/dot_plot.h"
#include "command/fit_text.h"
#include "command/html_page.h"
#include "command/map_order.h"
#include "command/map_plot.h"
#include "command/messages.h"
#include "command/path_line.h"
#include "command/path_title.h"
#include "formats/escape.h"

/* Sizes, in units. */
#define TITLE 27
#define SUBTITLE 17
#define LABEL 15
#define LINE 2.5
#define LEAST_ROOM 14 /* for a name */
#define MORE_LEFT 80  /* room for names, beyond that for ticks */

#define TOLERANCE 0.5 /* pixels that a line may be away from the path */
#define NOTE "alignments between all records; tiles are not computed"

/* The plot as it is laid out. */
typedef struct {
    const CsMapPlot *plot;
    CsLayout layout;
    GArray *records[2]; /* of CsPlotRecord, along the axes */
    GArray *segments;   /* of CsPlotSegment */
} Map;

static void
record_clear(gpointer data)
{
    g_free(((CsPlotRecord *)data)->shown);
}

static void
map_clear(Map *map)
{
    g_array_unref(map->records[0]);
    g_array_unref(map->records[1]);
    g_array_unref(map->segments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Map, map_clear)

static gint64
count_bases(const GPtrArray *records)
{
    gint64 bases = 0;
    for (guint k = 0; k < records->len; k++)
        bases += cs_sequence_get_length(g_ptr_array_index(records, k));
    return bases;
}

/* Puts a record behind those before it. */
static void
add_record(Map *map, int side, const CsSequence *sequence, gboolean minus)
{
    const gint64 offset = cs_sequence_get_offset(sequence);
    const gint64 length = cs_sequence_get_length(sequence);
    const gint64 all = count_bases(map->plot->records[side]);
    const double pixels = side == 0 ? map->layout.width : map->layout.height;
    GArray *records = map->records[side];
    const CsPlotRecord *last =
        records->len > 0 ? &g_array_index(records, CsPlotRecord, records->len - 1) : NULL;
    g_autofree char *name = cs_escape(cs_sequence_get_name(sequence), FALSE);
    const CsPlotRecord record = {
        .name = cs_sequence_get_name(sequence),
        .shown = g_strconcat(name, minus ? " (minus)" : "", NULL),
        .from = offset + 1,
        .to = offset + length,
        .at = last != NULL ? last->at + last->length : 0,
        .length = pixels * (double)length / (double)all,
        .minus = minus,
    };
    g_array_append_val(records, record);
}

static void
map_init(Map *map, const CsMapPlot *plot)
{
    const GPtrArray *targets = plot->records[0], *queries = plot->records[1];
    g_autoptr(GArray) order = cs_map_order_new(plot->set, queries->len);
    g_autofree guint *rows = g_new(guint, queries->len);
    *map = (Map){.plot = plot, .segments = g_array_new(FALSE, FALSE, sizeof(CsPlotSegment))};
    /* The picture has its size with more room at the left. */
    cs_layout_init(&map->layout, count_bases(targets), count_bases(queries),
                   plot->size * 1200 / (1200 + MORE_LEFT), 0);
    map->layout.x += MORE_LEFT * map->layout.unit;
    map->layout.picture_width += (int)(MORE_LEFT * map->layout.unit);
    for (int side = 0; side < 2; side++) {
        map->records[side] = g_array_new(FALSE, FALSE, sizeof(CsPlotRecord));
        g_array_set_clear_func(map->records[side], record_clear);
    }
    for (guint k = 0; k < targets->len; k++)
        add_record(map, 0, g_ptr_array_index(targets, k), FALSE);
    for (guint k = 0; k < queries->len; k++) {
        const CsMapRecord *record = &g_array_index(order, CsMapRecord, k);
        rows[record->place] = k;
        add_record(map, 1, g_ptr_array_index(queries, record->place), record->minus);
    }
    for (guint k = 0; k < plot->set->len; k++) {
        CsPlotSegment segment = {.alignment = g_ptr_array_index(plot->set, k)};
        guint query;
        cs_alignment_get_records(segment.alignment, &segment.target, &query);
        segment.query = rows[query];
        g_array_append_val(map->segments, segment);
    }
}

static const CsPlotRecord *
record_of(const Map *map, int side, guint k)
{
    return &g_array_index(map->records[side], CsPlotRecord, k);
}

static void
draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cairo, round(x0) - 0.5, round(y0) - 0.5);
    cairo_line_to(cairo, round(x1) - 0.5, round(y1) - 0.5);
    cairo_stroke(cairo);
}

/* A name beside its record, if there is room for one. */
static void
draw_name(const Map *map, CsPage *page, int side, const CsPlotRecord *record)
{
    const CsLayout *layout = &map->layout;
    const double unit = layout->unit, middle = record->at + record->length / 2;
    const double room = side == 0 ? record->length - 6 * unit : layout->x - 12 * unit;
    if (record->length < (side == 0 ? 2 : 1) * LEAST_ROOM * unit)
        return;
    g_autofree char *text = cs_fit_text(page, record->shown, room);
    if (side == 0)
        cs_page_show_text(page, layout->x + middle, layout->y + layout->height + 24 * unit,
                          CS_PAGE_MIDDLE, text);
    else
        cs_page_show_text(page, layout->x - 8 * unit,
                          layout->y + layout->height - middle + 5 * unit, CS_PAGE_END, text);
}

/* Lines between records, and their names. */
static void
draw_records(const Map *map, CsPage *page)
{
    const CsLayout *layout = &map->layout;
    const double right = layout->x + layout->width, bottom = layout->y + layout->height;
    cairo_t *cairo = cs_page_cairo(page);
    cs_page_set_font(page, LABEL * layout->unit, FALSE);
    for (int side = 0; side < 2; side++)
        for (guint k = 0; k < map->records[side]->len; k++) {
            const CsPlotRecord *record = record_of(map, side, k);
            const double x = layout->x + record->at, y = bottom - record->at;
            cairo_set_source_rgb(cairo, 0.8, 0.8, 0.8);
            if (k > 0 && side == 0)
                draw_line(cairo, x, layout->y, x, bottom);
            else if (k > 0)
                draw_line(cairo, layout->x, y, right, y);
            cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
            draw_name(map, page, side, record);
        }
    cairo_rectangle(cairo, layout->x - 0.5, layout->y - 0.5, layout->width + 1, layout->height + 1);
    cairo_stroke(cairo);
}

static void
draw_segments(const Map *map, CsPage *page)
{
    const CsLayout *layout = &map->layout;
    cairo_t *cairo = cs_page_cairo(page);
    cairo_set_line_width(cairo, LINE * layout->unit);
    for (guint k = 0; k < map->segments->len; k++) {
        const CsPlotSegment *segment = &g_array_index(map->segments, CsPlotSegment, k);
        const CsPlotRecord *target = record_of(map, 0, segment->target);
        const CsPlotRecord *query = record_of(map, 1, segment->query);
        const gboolean minus =
            cs_alignment_get_summary(segment->alignment)->strand == CS_STRAND_MINUS;
        g_autoptr(GArray) points =
            cs_plot_segment_line(segment, target, query, layout->height, TOLERANCE);
        g_autofree char *title = cs_path_title(segment->alignment, target->name, query->name);
        for (guint p = 0; p < points->len; p++) {
            g_array_index(points, CsPathPoint, p).target += layout->x;
            g_array_index(points, CsPathPoint, p).query += layout->y;
        }
        cs_dot_plot_set_colour(cairo, minus != query->minus);
        cs_page_draw_line(page, (const double *)(const void *)points->data, points->len, title);
    }
    cairo_set_line_width(cairo, 1);
}

static void
draw_legend(const Map *map, CsPage *page)
{
    static const char *const meanings[] = {"in the direction drawn", "inverted"};
    const CsLayout *layout = &map->layout;
    const double unit = layout->unit, x = layout->x + layout->width + 40 * unit;
    cairo_t *cairo = cs_page_cairo(page);
    double y = layout->y + 16 * unit;
    g_autofree char *pairs = NULL, *gaps = NULL;
    g_autofree char *count = g_strdup_printf("%u alignments", map->plot->set->len);
    g_autofree char *program = g_strdup_printf("chromosweep %s", cs_version());
    cs_dot_plot_scoring(map->plot->scoring, &pairs, &gaps);
    const char *const lines[] = {"minus: drawn from its end", pairs, gaps, program,
                                 layout->same_scale ? "" : "axes have different scales"};
    cs_page_set_font(page, SUBTITLE * unit, TRUE);
    cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
    cs_page_show_text(page, x, y, CS_PAGE_START, count);
    cs_page_set_font(page, LABEL * unit, FALSE);
    cairo_set_line_width(cairo, LINE * unit);
    for (int k = 0; k < 2; k++) {
        y += 26 * unit;
        cs_dot_plot_set_colour(cairo, k == 1);
        draw_line(cairo, x, y - 5 * unit, x + 24 * unit, y - 5 * unit);
        cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
        cs_page_show_text(page, x + 34 * unit, y, CS_PAGE_START, meanings[k]);
    }
    cairo_set_line_width(cairo, 1);
    cairo_set_source_rgb(cairo, 0.4, 0.4, 0.4);
    for (guint k = 0; k < G_N_ELEMENTS(lines); k++)
        cs_page_show_text(page, x, y + (30 + 22 * k) * unit, CS_PAGE_START, lines[k]);
}

static void
draw_title(const Map *map, CsPage *page)
{
    const CsMapPlot *plot = map->plot;
    const CsLayout *layout = &map->layout;
    const double unit = layout->unit, room = layout->picture_width - layout->x - 20 * unit;
    cairo_t *cairo = cs_page_cairo(page);
    cs_page_set_font(page, TITLE * unit, TRUE);
    cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
    g_autofree char *title = plot->title != NULL
                                 ? cs_fit_text(page, plot->title, room)
                                 : cs_fit_text_pair(page, plot->names[0], plot->names[1], room);
    cs_page_show_text(page, layout->x, 42 * unit, CS_PAGE_START, title);
    cs_page_set_font(page, SUBTITLE * unit, FALSE);
    cairo_set_source_rgb(cairo, 0.4, 0.4, 0.4);
    g_autofree char *note = cs_fit_text(page, NOTE, room);
    cs_page_show_text(page, layout->x, 70 * unit, CS_PAGE_START, note);
    cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
    g_autofree char *target = cs_fit_text(page, plot->names[0], layout->width);
    cs_page_show_text(page, layout->x + layout->width / 2, layout->y + layout->height + 60 * unit,
                      CS_PAGE_MIDDLE, target);
}

GByteArray *
cs_map_plot_draw(const CsMapPlot *plot, CsPageFormat format, GError **error)
{
    g_auto(Map) map = {0};
    map_init(&map, plot);
    g_autoptr(CsPage) page =
        cs_page_new(format, map.layout.picture_width, map.layout.picture_height, plot->dpi);
    g_autofree char *names = g_strdup_printf("%s × %s", plot->names[0], plot->names[1]);
    cairo_t *cairo = cs_page_cairo(page);
    cs_page_set_title(page, plot->title != NULL ? plot->title : names);
    if (cs_page_lacks_fonts(page) != NULL)
        cs_message(CS_MESSAGE_WARNING, "%s; using plain ASCII text", cs_page_lacks_fonts(page));
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_set_line_width(cairo, 1);
    draw_records(&map, page);
    draw_title(&map, page);
    draw_legend(&map, page);
    draw_segments(&map, page);
    return cs_page_finish(page, error);
}

GByteArray *
cs_map_plot_html(const CsMapPlot *plot)
{
    g_auto(Map) map = {0};
    map_init(&map, plot);
    g_autofree char *names = g_strdup_printf("%s × %s", plot->names[0], plot->names[1]);
    g_autofree char *pairs = NULL, *gaps = NULL;
    cs_dot_plot_scoring(plot->scoring, &pairs, &gaps);
    g_autofree char *scoring = g_strdup_printf("%s; %s", pairs, gaps);
    const CsHtmlPage page = {.title = plot->title != NULL ? plot->title : names,
                             .about = NOTE,
                             .scoring = scoring,
                             .width = map.layout.width,
                             .height = map.layout.height,
                             .records = {map.records[0], map.records[1]},
                             .segments = map.segments};
    return cs_html_page_new(&page);
}
