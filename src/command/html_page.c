/*
 * Fills the template dot_plot.html. The build turns it, dot_plot.css and dot_plot.js into
 * dot_plot_files.h (tools/embed.py). The page has the tiles as an image, the alignments as
 * lines with titles and as rows of a table, and the records of both axes as JSON for the script.
 */
#include <math.h>
#include <string.h>

#include <chromosweep/version.h>

#include "command/dot_plot_files.h"
#include "command/html_page.h"
#include "command/path_line.h"
#include "command/path_title.h"
#include "formats/escape.h"
#include "formats/json.h"
#include "formats/names.h"

/* Pixels that a line may be away from the path, before one zooms in. */
#define TOLERANCE 0.05

/* What stands for @NAME@ in the template. */
typedef struct {
    const char *name;
    const char *value;
} Slot;

static const CsPlotRecord *
record_of(const CsHtmlPage *page, int side, guint k)
{
    return &g_array_index(page->records[side], CsPlotRecord, k);
}

static void
append_number(GString *text, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(
        text, g_ascii_formatd(buffer, sizeof buffer, "%.8g", round(number * 10000) / 10000 + 0.0));
}

static char *
number_new(double number)
{
    GString *text = g_string_new(NULL);
    append_number(text, number);
    return g_string_free(text, FALSE);
}

static void
append_line(GString *text, const CsHtmlPage *page, const CsPlotSegment *segment)
{
    g_autoptr(GArray) points =
        cs_plot_segment_line(segment, record_of(page, 0, segment->target),
                             record_of(page, 1, segment->query), page->height, TOLERANCE);
    for (guint k = 0; k < points->len; k++) {
        const CsPathPoint *point = &g_array_index(points, CsPathPoint, k);
        g_string_append(text, k == 0 ? "M" : "L");
        append_number(text, point->target);
        g_string_append_c(text, ' ');
        append_number(text, point->query);
    }
}

/* Whether a line runs against the direction in which its records are drawn. */
static gboolean
falls(const CsHtmlPage *page, const CsPlotSegment *segment)
{
    const gboolean minus = cs_alignment_get_summary(segment->alignment)->strand == CS_STRAND_MINUS;
    return minus != record_of(page, 1, segment->query)->minus;
}

/* All lines: data-at has the places of both records and the bases of each. */
static char *
make_segments(const CsHtmlPage *page)
{
    GString *text = g_string_new(NULL);
    for (guint k = 0; k < page->segments->len; k++) {
        const CsPlotSegment *segment = &g_array_index(page->segments, CsPlotSegment, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(segment->alignment);
        g_autofree char *title =
            cs_path_title(segment->alignment, record_of(page, 0, segment->target)->name,
                          record_of(page, 1, segment->query)->name);
        g_autofree char *escaped = g_markup_escape_text(title, -1);
        g_autoptr(GString) line = g_string_new(NULL);
        append_line(line, page, segment);
        g_string_append_printf(
            text,
            "<g class=\"segment%s\" data-at=\"%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
            " %u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\"><title>%s</title>"
            "<path class=\"line\" d=\"%s\"/><path class=\"touch\" d=\"%s\"/></g>\n",
            page->tiles != NULL    ? ""
            : falls(page, segment) ? " falling"
                                   : " rising",
            segment->target, s->target_start, s->target_end, segment->query, s->query_start,
            s->query_end, escaped, line->str, line->str);
    }
    return g_string_free(text, FALSE);
}

static void
append_region(GString *text, const CsPlotRecord *record, gint64 start, gint64 end)
{
    g_autofree char *region = cs_names_region(record->name, start, end);
    g_autofree char *shown = cs_escape(region, FALSE);
    g_autofree char *escaped = g_markup_escape_text(shown, -1);
    g_string_append_printf(text, "<td>%s</td>", escaped);
}

/* The table's rows. */
static char *
make_rows(const CsHtmlPage *page)
{
    GString *text = g_string_new(NULL);
    for (guint k = 0; k < page->segments->len; k++) {
        const CsPlotSegment *segment = &g_array_index(page->segments, CsPlotSegment, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(segment->alignment);
        char identity[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(identity, sizeof identity, "%.4f",
                        100 * (double)s->matches / (double)s->columns);
        g_string_append_printf(text, "<tr><td class=\"number\">%u</td>", k + 1);
        append_region(text, record_of(page, 0, segment->target), s->target_start, s->target_end);
        append_region(text, record_of(page, 1, segment->query), s->query_start, s->query_end);
        g_string_append_printf(text,
                               "<td>%s</td><td class=\"number\">%" G_GINT64_FORMAT
                               "</td><td class=\"number\">%s%%</td></tr>\n",
                               s->strand == CS_STRAND_MINUS ? "minus" : "plus", s->score, identity);
    }
    return g_string_free(text, FALSE);
}

/* The records of an axis. A name that is no UTF-8 is null: a browser cannot copy it. */
static json_t *
format_axis(const GArray *records)
{
    json_t *array = json_array();
    for (guint k = 0; k < records->len; k++) {
        const CsPlotRecord *record = &g_array_index(records, CsPlotRecord, k);
        json_t *object = json_object();
        json_object_set_new(object, "name",
                            g_utf8_validate(record->name, -1, NULL) ? json_string(record->name)
                                                                    : json_null());
        json_object_set_new(object, "shown", json_string(record->shown));
        json_object_set_new(object, "from", json_integer(record->from));
        json_object_set_new(object, "to", json_integer(record->to));
        json_object_set_new(object, "at", json_real(record->at));
        json_object_set_new(object, "length", json_real(record->length));
        json_object_set_new(object, "minus", json_boolean(record->minus));
        json_array_append_new(array, object);
    }
    return array;
}

/* The room for what stands at the left of the plot: ticks, or names of records. */
static int
left_of(const CsHtmlPage *page)
{
    return page->records[1]->len > 1 ? 170 : 90;
}

/* JSON in a script element: < stands in strings alone, and there it must not begin a tag. */
static char *
make_data(const CsHtmlPage *page)
{
    json_t *object = json_object();
    json_object_set_new(object, "width", json_real(page->width));
    json_object_set_new(object, "height", json_real(page->height));
    json_object_set_new(object, "left", json_integer(left_of(page)));
    json_object_set_new(object, "target", format_axis(page->records[0]));
    json_object_set_new(object, "query", format_axis(page->records[1]));
    g_autofree char *line = cs_json_line(object);
    g_auto(GStrv) parts = g_strsplit(line, "<", -1);
    return g_strjoinv("\\u003c", parts);
}

/* Lines between records. */
static char *
make_grid(const CsHtmlPage *page)
{
    GString *text = g_string_new("<path class=\"grid\" d=\"");
    for (int side = 0; side < 2; side++)
        for (guint k = 1; k < page->records[side]->len; k++) {
            const double at = record_of(page, side, k)->at;
            g_string_append(text, side == 0 ? "M" : "M0 ");
            append_number(text, side == 0 ? at : page->height - at);
            g_string_append(text, side == 0 ? " 0V" : "H");
            append_number(text, side == 0 ? page->height : page->width);
        }
    g_string_append(text, "\"/>");
    return g_string_free(text, FALSE);
}

static char *
make_tiles(const CsHtmlPage *page, const char *width, const char *height)
{
    if (page->tiles == NULL)
        return make_grid(page);
    g_autofree char *text = g_base64_encode(page->tiles->data, page->tiles->len);
    return g_strdup_printf("<image width=\"%s\" height=\"%s\" preserveAspectRatio=\"none\" "
                           "href=\"data:image/png;base64,%s\"/>",
                           width, height, text);
}

static char *
make_legend(const CsHtmlPage *page)
{
    static const char *const ramps[] = {"#94c7e8, #0072b2 60%, #003866",
                                        "#f7ba87, #d55e00 60%, #803000"};
    if (page->tiles == NULL)
        return g_strdup(
            "Blue: in the direction in which the records are drawn; vermilion: inverted. "
            "A record with (minus) is drawn from its end.");
    GString *text = g_string_new("Best score in each tile: ");
    for (guint k = 0; k < G_N_ELEMENTS(ramps); k++)
        g_string_append_printf(text,
                               "<span class=\"ramp\" style=\"background: linear-gradient(to right, "
                               "%s)\"></span> %s strand, ",
                               ramps[k], k == 0 ? "plus" : "minus");
    g_string_append_printf(text,
                           "from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "; white: lower scores",
                           page->least, page->full);
    return g_string_free(text, FALSE);
}

/* The template with its slots filled. What fills one is not looked at again. */
static GByteArray *
fill(const Slot *slots, gsize n)
{
    g_auto(GStrv) parts = g_strsplit((const char *)dot_plot_html, "@", -1);
    GByteArray *bytes = g_byte_array_new();
    for (guint k = 0; parts[k] != NULL; k++) {
        const char *text = parts[k];
        for (gsize s = 0; k % 2 == 1 && s < n; s++)
            if (strcmp(parts[k], slots[s].name) == 0)
                text = slots[s].value;
        g_assert(k % 2 == 0 || text != parts[k]);
        g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text));
    }
    return bytes;
}

GByteArray *
cs_html_page_new(const CsHtmlPage *page)
{
    g_autofree char *width = number_new(page->width), *height = number_new(page->height);
    g_autofree char *left = g_strdup_printf("%d", left_of(page));
    /* 40 at the right, and below ticks and names: dot_plot.js. */
    g_autofree char *frame =
        g_strdup_printf("%.0f %.0f", page->width + left_of(page) + 40, page->height + 55);
    g_autofree char *title = g_markup_escape_text(page->title, -1);
    g_autofree char *about = g_markup_escape_text(page->about, -1);
    g_autofree char *scoring = g_markup_escape_text(page->scoring, -1);
    g_autofree char *tiles = make_tiles(page, width, height);
    g_autofree char *segments = make_segments(page);
    g_autofree char *rows = make_rows(page);
    g_autofree char *legend = make_legend(page);
    g_autofree char *data = make_data(page);
    const Slot slots[] = {{"TITLE", title},
                          {"ABOUT", about},
                          {"WIDTH", width},
                          {"HEIGHT", height},
                          {"FRAME", frame},
                          {"LEFT", left},
                          {"TILES", tiles},
                          {"SEGMENTS", segments},
                          {"ROWS", rows},
                          {"LEGEND", legend},
                          {"SCORING", scoring},
                          {"VERSION", cs_version()},
                          {"DATA", data},
                          {"CSS", (const char *)dot_plot_css},
                          {"JS", (const char *)dot_plot_js}};
    return fill(slots, G_N_ELEMENTS(slots));
}
