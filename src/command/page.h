/* A page to draw on, which becomes a PNG, an SVG or a PDF. Shapes are drawn with cairo. */
#ifndef CS_PAGE_H
#define CS_PAGE_H

#include <cairo.h>
#include <glib.h>

typedef enum {
    CS_PAGE_PNG,
    CS_PAGE_SVG,
    CS_PAGE_PDF,
} CsPageFormat;

/* Which end of a text stands at its x. */
typedef enum {
    CS_PAGE_START,
    CS_PAGE_MIDDLE,
    CS_PAGE_END,
} CsPageAnchor;

typedef struct _CsPage CsPage;

/* A page of width x height pixels. A PNG and a PDF have so many of them to the inch. */
CsPage *cs_page_new(CsPageFormat format, int width, int height, double dpi);

CsPageFormat cs_page_format(const CsPage *page);

/* For shapes, in pixels, with one caveat: all text of an SVG lies above all its shapes. */
cairo_t *cs_page_cairo(const CsPage *page);

/* What a viewer calls the file. Only a PDF keeps it. */
void cs_page_set_title(CsPage *page, const char *title);

/* The size in pixels of the text to come, which is of sans-serif. */
void cs_page_set_font(CsPage *page, double size, gboolean bold);

/*
 * The width of a text of one line, which takes time in proportion to its length. In an SVG it is an
 * estimate: the font is the viewer's.
 */
double cs_page_text_width(const CsPage *page, const char *text);

/* Shows text on a baseline, in cairo's colour and under its transformation. */
void cs_page_show_text(CsPage *page, double x, double y, CsPageAnchor anchor, const char *text);

/* Why text is plain ASCII without fonts; NULL if there are fonts or none are needed. */
const char *cs_page_lacks_fonts(const CsPage *page);

/* The whole file; once. Fails with CS_ERROR_DEVICE if there is too little memory. */
GByteArray *cs_page_finish(CsPage *page, GError **error);

void cs_page_free(CsPage *page);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsPage, cs_page_free)

#endif
