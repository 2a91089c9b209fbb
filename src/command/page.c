/*
 * A page to draw on. Cairo draws shapes in any of the formats. Text is drawn in one of three ways:
 *
 * - PNG, PDF: Pango, with the machine's fonts. A PDF embeds them, and its text can be selected.
 * - SVG: text elements of our own, because cairo turns text into outlines. The viewer chooses the
 *   font, so widths are estimates, and the file does not depend on the fonts of this machine.
 *   Lines with titles are elements of our own, too, because cairo writes no titles.
 * - PNG and PDF without any font, as on a bare cluster node: cairo's built-in strokes, which have
 *   only ASCII. Pango would show boxes. The same if memory is scarce, because Pango and fontconfig
 *   end the program if they get no memory or no thread.
 *
 * The same drawing gives the same bytes: a PDF has no date.
 */
#include <math.h>
#include <string.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <pango/pangocairo.h>
#include <zlib.h>

#include <chromosweep/error.h>

#include "command/page.h"

#define SVG_END "</svg>\n"

/* How much wider than a line its surroundings are that a pointer touches, in pixels. */
#define TOUCH 6

enum {
    PNG_HEADER = 8 + 25,      /* bytes of a PNG's signature and first chunk */
    FONTS_MEMORY = 512 << 20, /* of address space: more than Pango and its threads take */
};

struct _CsPage {
    CsPageFormat format;
    double dpi;
    cairo_surface_t *surface;
    cairo_t *cairo;
    GByteArray *bytes;
    double size; /* of the font */
    gboolean bold;
    PangoLayout *layout; /* NULL: an SVG, or no fonts */
    const char *lack;    /* why there are no fonts */
    GString *elements;   /* an SVG's texts, and lines with titles */
};

static cairo_status_t
append(void *data, const unsigned char *bytes, unsigned int length)
{
    g_byte_array_append(data, bytes, length);
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
make_surface(const CsPage *page, int width, int height)
{
    const double points = 72 / page->dpi; /* per pixel, in a PDF */
    cairo_surface_t *surface;
    switch (page->format) {
    case CS_PAGE_SVG:
        surface = cairo_svg_surface_create_for_stream(append, page->bytes, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    case CS_PAGE_PDF:
        surface = cairo_pdf_surface_create_for_stream(append, page->bytes, width * points,
                                                      height * points);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        return surface;
    case CS_PAGE_PNG: break;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
}

/* NULL if no font is installed. Pango lists families such as "Sans" even then. */
static PangoLayout *
make_layout(cairo_t *cairo, const char **lack)
{
    gpointer memory = g_try_malloc(FONTS_MEMORY);
    g_free(memory);
    *lack = memory == NULL ? "not enough memory for fonts" : "no fonts found";
    if (memory == NULL)
        return NULL;
    g_autoptr(PangoLayout) layout = pango_cairo_create_layout(cairo);
    g_autoptr(PangoFontDescription) font = pango_font_description_from_string("sans-serif");
    g_autoptr(PangoFont) found = pango_context_load_font(pango_layout_get_context(layout), font);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    return found != NULL ? g_steal_pointer(&layout) : NULL;
}

CsPage *
cs_page_new(CsPageFormat format, int width, int height, double dpi)
{
    CsPage *page = g_new0(CsPage, 1);
    page->format = format;
    page->dpi = dpi;
    page->bytes = g_byte_array_new();
    page->elements = g_string_new(NULL);
    page->surface = make_surface(page, width, height);
    page->cairo = cairo_create(page->surface);
    if (format == CS_PAGE_PDF)
        cairo_scale(page->cairo, 72 / dpi, 72 / dpi);
    if (format != CS_PAGE_SVG)
        page->layout = make_layout(page->cairo, &page->lack);
    return page;
}

CsPageFormat
cs_page_format(const CsPage *page)
{
    return page->format;
}

cairo_t *
cs_page_cairo(const CsPage *page)
{
    return page->cairo;
}

void
cs_page_set_title(CsPage *page, const char *title)
{
    if (page->format == CS_PAGE_PDF)
        cairo_pdf_surface_set_metadata(page->surface, CAIRO_PDF_METADATA_TITLE, title);
}

const char *
cs_page_lacks_fonts(const CsPage *page)
{
    return page->layout == NULL ? page->lack : NULL;
}

void
cs_page_set_font(CsPage *page, double size, gboolean bold)
{
    page->size = size;
    page->bold = bold;
    if (page->layout != NULL) {
        g_autoptr(PangoFontDescription) font = pango_font_description_from_string("sans-serif");
        pango_font_description_set_weight(font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
        pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
        pango_layout_set_font_description(page->layout, font);
    } else if (page->format != CS_PAGE_SVG) {
        cairo_select_font_face(page->cairo, "@cairo:", CAIRO_FONT_SLANT_NORMAL,
                               bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(page->cairo, size);
    }
}

/* The width in DejaVu Sans, which is wider than most fonts: what fits in it fits in others. */
static double
estimate_width(const CsPage *page, const char *text)
{
    double width = 0;
    for (; *text != '\0'; text = g_utf8_next_char(text)) {
        const gunichar c = g_utf8_get_char(text);
        width += g_unichar_iszerowidth(c) ? 0
                 : g_unichar_iswide(c)    ? 1
                 : g_unichar_isupper(c)   ? 0.78
                                          : 0.70;
    }
    return width * page->size * (page->bold ? 1 : 0.9);
}

/* The text as a single line of Pango's. */
static PangoLayoutLine *
lay_out(const CsPage *page, const char *text)
{
    pango_cairo_update_layout(page->cairo, page->layout);
    pango_layout_set_text(page->layout, text, -1);
    return pango_layout_get_line_readonly(page->layout, 0);
}

double
cs_page_text_width(const CsPage *page, const char *text)
{
    if (page->format == CS_PAGE_SVG)
        return estimate_width(page, text);
    if (page->layout != NULL) {
        PangoRectangle logical;
        pango_layout_line_get_extents(lay_out(page, text), NULL, &logical);
        return (double)logical.width / PANGO_SCALE;
    }
    g_autofree char *ascii = g_str_to_ascii(text, "C");
    cairo_text_extents_t extents;
    cairo_text_extents(page->cairo, ascii, &extents);
    return extents.x_advance;
}

/* Appends a number rounded to thousandths, independent of the locale. */
static void
append_number(GString *string, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    const double rounded = round(number * 1000) / 1000 + 0.0; /* no -0 */
    g_string_append(string, g_ascii_formatd(buffer, sizeof buffer, "%.7g", rounded));
}

static void
append_attribute(GString *string, const char *name, double number)
{
    g_string_append_printf(string, " %s=\"", name);
    append_number(string, number);
    g_string_append_c(string, '"');
}

/* Appends cairo's current colour. */
static void
append_colour(CsPage *page, const char *name)
{
    double red = 0, green = 0, blue = 0;
    cairo_pattern_get_rgba(cairo_get_source(page->cairo), &red, &green, &blue, NULL);
    g_string_append_printf(page->elements, " %s=\"#%02x%02x%02x\"", name, (guint)(red * 255 + 0.5),
                           (guint)(green * 255 + 0.5), (guint)(blue * 255 + 0.5));
}

static void
add_svg_text(CsPage *page, double x, double y, CsPageAnchor anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    g_autofree char *escaped = g_markup_escape_text(text, -1);
    cairo_matrix_t m;
    cairo_get_matrix(page->cairo, &m);
    const gboolean turned = m.xx != 1;
    g_string_append(page->elements, "<text");
    append_attribute(page->elements, "x", turned ? x : x + m.x0);
    append_attribute(page->elements, "y", turned ? y : y + m.y0);
    append_attribute(page->elements, "font-size", page->size);
    if (page->bold)
        g_string_append(page->elements, " font-weight=\"bold\"");
    if (anchor != CS_PAGE_START)
        g_string_append_printf(page->elements, " text-anchor=\"%s\"", anchors[anchor]);
    append_colour(page, "fill");
    if (turned) {
        const double parts[] = {m.xx, m.yx, m.xy, m.yy, m.x0, m.y0};
        g_string_append(page->elements, " transform=\"matrix(");
        for (guint k = 0; k < G_N_ELEMENTS(parts); k++) {
            g_string_append(page->elements, k > 0 ? " " : "");
            append_number(page->elements, parts[k]);
        }
        g_string_append(page->elements, ")\"");
    }
    g_string_append_printf(page->elements, ">%s</text>\n", escaped);
}

void
cs_page_show_text(CsPage *page, double x, double y, CsPageAnchor anchor, const char *text)
{
    if (text[0] == '\0')
        return;
    if (page->format == CS_PAGE_SVG) {
        add_svg_text(page, x, y, anchor, text);
        return;
    }
    cairo_move_to(page->cairo, x - 0.5 * anchor * cs_page_text_width(page, text), y);
    if (page->layout != NULL) {
        pango_cairo_show_layout_line(page->cairo, lay_out(page, text));
    } else {
        g_autofree char *ascii = g_str_to_ascii(text, "C");
        cairo_show_text(page->cairo, ascii);
    }
    cairo_new_path(page->cairo);
}

/* As an SVG has it: a line, and a wider one that is not seen but easily pointed at. */
static void
add_svg_line(CsPage *page, const double *points, guint n, const char *title)
{
    const double width = cairo_get_line_width(page->cairo), widths[] = {width, width + TOUCH};
    g_autofree char *escaped = g_markup_escape_text(title, -1);
    g_autoptr(GString) path = g_string_new(NULL);
    for (guint k = 0; k < n; k++) {
        g_string_append(path, k == 0 ? "M " : " L ");
        append_number(path, points[2 * k]);
        g_string_append_c(path, ' ');
        append_number(path, points[2 * k + 1]);
    }
    g_string_append_printf(page->elements, "<g fill=\"none\"><title>%s</title>\n", escaped);
    for (guint k = 0; k < G_N_ELEMENTS(widths); k++) {
        g_string_append_printf(page->elements, "<path d=\"%s\"", path->str);
        append_attribute(page->elements, "stroke-width", widths[k]);
        append_colour(page, "stroke");
        g_string_append(page->elements, k == 0 ? "/>\n" : " stroke-opacity=\"0\"/></g>\n");
    }
}

void
cs_page_draw_line(CsPage *page, const double *points, guint n, const char *title)
{
    if (page->format == CS_PAGE_SVG) {
        add_svg_line(page, points, n, title);
        return;
    }
    cairo_new_path(page->cairo);
    for (guint k = 0; k < n; k++)
        cairo_line_to(page->cairo, points[2 * k], points[2 * k + 1]);
    cairo_stroke(page->cairo);
}

/* Inserts our own elements before the end of cairo's SVG. */
static gboolean
insert_elements(CsPage *page)
{
    GByteArray *bytes = page->bytes;
    const guint end = strlen(SVG_END);
    if (bytes->len < end || memcmp(bytes->data + bytes->len - end, SVG_END, end) != 0)
        return FALSE;
    g_byte_array_set_size(bytes, bytes->len - end);
    g_string_prepend(page->elements, "<g font-family=\"sans-serif\">\n");
    g_string_append(page->elements, "</g>\n" SVG_END);
    g_byte_array_append(bytes, (const guint8 *)page->elements->str, (guint)page->elements->len);
    return TRUE;
}

/* Inserts the chunk pHYs after the PNG's header: pixels per metre, which cairo does not write. */
static void
insert_resolution(CsPage *page)
{
    const guint32 metre = GUINT32_TO_BE((guint32)(page->dpi / 0.0254 + 0.5));
    guint8 chunk[4 + 4 + 9 + 4] = {0, 0, 0, 9, 'p', 'H', 'Y', 's'};
    memcpy(chunk + 8, &metre, 4);
    memcpy(chunk + 12, &metre, 4);
    chunk[16] = 1; /* the unit is the metre */
    const guint32 sum = GUINT32_TO_BE((guint32)crc32(0, chunk + 4, 4 + 9));
    memcpy(chunk + 17, &sum, 4);
    g_autoptr(GByteArray) png = g_steal_pointer(&page->bytes);
    page->bytes = g_byte_array_sized_new(png->len + sizeof chunk);
    g_byte_array_append(page->bytes, png->data, PNG_HEADER);
    g_byte_array_append(page->bytes, chunk, sizeof chunk);
    g_byte_array_append(page->bytes, png->data + PNG_HEADER, png->len - PNG_HEADER);
}

GByteArray *
cs_page_finish(CsPage *page, GError **error)
{
    cairo_status_t status = cairo_status(page->cairo);
    if (status == CAIRO_STATUS_SUCCESS && page->format == CS_PAGE_PNG)
        status = cairo_surface_write_to_png_stream(page->surface, append, page->bytes);
    cairo_surface_finish(page->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(page->surface);
    if (status != CAIRO_STATUS_SUCCESS) {
        g_set_error(error, CS_ERROR,
                    status == CAIRO_STATUS_NO_MEMORY ? CS_ERROR_DEVICE : CS_ERROR_FAILED,
                    "cannot draw: %s", cairo_status_to_string(status));
        return NULL;
    }
    if (page->format == CS_PAGE_PNG)
        insert_resolution(page);
    if (page->format == CS_PAGE_SVG && !insert_elements(page)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                            "cannot draw: cairo's SVG ends unexpectedly");
        return NULL;
    }
    return g_steal_pointer(&page->bytes);
}

void
cs_page_free(CsPage *page)
{
    g_clear_object(&page->layout);
    cairo_destroy(page->cairo);
    cairo_surface_destroy(page->surface);
    g_clear_pointer(&page->bytes, g_byte_array_unref);
    g_string_free(page->elements, TRUE);
    g_free(page);
}
