/* A page to draw on, with cairo. It becomes a PNG, an SVG or a PDF. */
#ifndef CS_PAGE_H
#define CS_PAGE_H

#include <cairo.h>
#include <glib.h>

typedef enum {
    CS_PAGE_PNG,
    CS_PAGE_SVG,
    CS_PAGE_PDF,
} CsPageFormat;

/* Which part of a text is at its x. */
typedef enum {
    CS_PAGE_START,
    CS_PAGE_MIDDLE,
    CS_PAGE_END,
} CsPageAnchor;

typedef struct _CsPage CsPage;

/* A page of width x height pixels. dpi is the pixels per inch of a PNG and a PDF. */
CsPage *cs_page_new(CsPageFormat format, int width, int height, double dpi);

CsPageFormat cs_page_format(const CsPage *page);

/* For drawing shapes, in pixels. In an SVG, all text and lines with titles lie
 * above all shapes. */
cairo_t *cs_page_cairo(const CsPage *page);

/* Sets the title that a viewer shows. Only a PDF keeps it. */
void cs_page_set_title(CsPage *page, const char *title);

/* Sets the size, in pixels, of the text that follows. The font is sans-serif. */
void cs_page_set_font(CsPage *page, double size, gboolean bold);

/*
 * The width of a text of one line. Takes time in proportion to its length. In an SVG the width is
 * an estimate, because the viewer chooses the font.
 */
double cs_page_text_width(const CsPage *page, const char *text);

/* Draws text on the baseline y, in cairo's current colour and transformation. */
void cs_page_show_text(CsPage *page, double x, double y, CsPageAnchor anchor, const char *text);

/*
 * Draws a line through n points, x and y of each, in cairo's current colour and width. In an SVG it lies above
 * all shapes and a viewer shows its title, which may have several lines.
 */
void cs_page_draw_line(CsPage *page, const double *points, guint n, const char *title);

/* Why text is plain ASCII without fonts; NULL if there are fonts or none are needed. */
const char *cs_page_lacks_fonts(const CsPage *page);

/* Returns the whole file. Call this once. Fails with CS_ERROR_DEVICE if there is not enough
 * memory. */
GByteArray *cs_page_finish(CsPage *page, GError **error);

void cs_page_free(CsPage *page);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsPage, cs_page_free)

#endif
