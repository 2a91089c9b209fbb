/* A dot plot of two records as a page for browsers. */
#include "command/dot_plot.h"
#include "command/html_page.h"
#include "formats/escape.h"

/* The tiles as a PNG of their own. */
static GByteArray *
draw_tiles(const CsDotPlot *picture, GError **error)
{
    const CsLayout *layout = picture->layout;
    g_autoptr(CsPage) page = cs_page_new(CS_PAGE_PNG, (int)layout->width, (int)layout->height, 96);
    cs_dot_plot_draw_tiles(picture, page);
    return cs_page_finish(page, error);
}

static void
add_segment(GArray *segments, const CsAlignment *alignment)
{
    const CsPlotSegment segment = {.alignment = alignment};
    g_array_append_val(segments, segment);
}

GByteArray *
cs_dot_plot_html(const CsDotPlot *picture, GError **error)
{
    const CsLayout *layout = picture->layout;
    g_autofree char *target = cs_escape(picture->names[0], FALSE);
    g_autofree char *query = cs_escape(picture->names[1], FALSE);
    CsPlotRecord records[] = {
        {picture->names[0], target, picture->target_offset + 1,
         picture->target_offset + layout->target_length, 0, layout->width, FALSE},
        {picture->names[1], query, picture->query_offset + 1,
         picture->query_offset + layout->query_length, 0, layout->height, FALSE}};
    g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(CsPlotRecord));
    g_autoptr(GArray) queries = g_array_new(FALSE, FALSE, sizeof(CsPlotRecord));
    g_autoptr(GArray) segments = g_array_new(FALSE, FALSE, sizeof(CsPlotSegment));
    g_autoptr(GByteArray) tiles = draw_tiles(picture, error);
    if (tiles == NULL)
        return NULL;
    g_array_append_val(targets, records[0]);
    g_array_append_val(queries, records[1]);
    if (picture->set == NULL && picture->path != NULL)
        add_segment(segments, picture->path);
    for (guint k = 0; picture->set != NULL && k < picture->set->len; k++)
        add_segment(segments, g_ptr_array_index(picture->set, k));
    g_autofree char *names = g_strdup_printf("%s × %s", picture->target_name, picture->query_name);
    g_autofree char *about = cs_dot_plot_about(layout, FALSE);
    g_autofree char *pairs = NULL, *gaps = NULL;
    cs_dot_plot_scoring(picture->scoring, &pairs, &gaps);
    g_autofree char *scoring = g_strdup_printf("%s; %s", pairs, gaps);
    const CsHtmlPage page = {.title = picture->title != NULL ? picture->title : names,
                             .about = about,
                             .scoring = scoring,
                             .width = layout->width,
                             .height = layout->height,
                             .tiles = tiles,
                             .least = picture->least,
                             .full = cs_dot_plot_full(picture),
                             .records = {targets, queries},
                             .segments = segments};
    return cs_html_page_new(&page);
}
