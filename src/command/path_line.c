/*
 * From a point of the line on, every corner of the path allows those directions that pass it within
 * the tolerance. While a direction is left that suits all corners so far, they need no point.
 */
#include <math.h>

#include "command/path_line.h"

typedef struct {
    GArray *points;
    double target_pixels, query_pixels, tolerance;
    CsPathPoint from; /* the last of the points */
    CsPathPoint last; /* the last corner */
    double low, high; /* directions that suit all corners since `from` */
} Line;

static void
add_point(Line *line, CsPathPoint point)
{
    g_array_append_val(line->points, point);
    line->from = point;
    line->low = -G_PI;
    line->high = G_PI;
}

/* The directions to a corner. FALSE where it is so near that all suit. */
static gboolean
look(const Line *line, CsPathPoint corner, double *direction, double *spare)
{
    const double x = (corner.target - line->from.target) * line->target_pixels;
    const double y = (corner.query - line->from.query) * line->query_pixels;
    const double distance = hypot(x, y);
    if (distance <= line->tolerance)
        return FALSE;
    *direction = atan2(y, x);
    *spare = asin(line->tolerance / distance);
    return TRUE;
}

static void
add_corner(Line *line, CsPathPoint corner)
{
    double direction, spare;
    if (look(line, corner, &direction, &spare)) {
        if (direction < line->low || direction > line->high) {
            add_point(line, line->last);
            if (!look(line, corner, &direction, &spare)) {
                line->last = corner;
                return;
            }
        }
        line->low = MAX(line->low, direction - spare);
        line->high = MIN(line->high, direction + spare);
    }
    line->last = corner;
}

GArray *
cs_path_line_new(const CsAlignment *alignment, double target_pixels, double query_pixels,
                 double tolerance)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gboolean minus = s->strand == CS_STRAND_MINUS;
    Line line = {.points = g_array_new(FALSE, FALSE, sizeof(CsPathPoint)),
                 .target_pixels = target_pixels,
                 .query_pixels = query_pixels,
                 .tolerance = tolerance};
    gint64 target = s->target_start - 1, query = minus ? s->query_end : s->query_start - 1;
    line.last = (CsPathPoint){(double)target, (double)query};
    add_point(&line, line.last);
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        target += run.op != 'I' ? run.length : 0;
        query += run.op == 'D' ? 0 : minus ? -run.length : run.length;
        add_corner(&line, (CsPathPoint){(double)target, (double)query});
    }
    add_point(&line, line.last);
    return line.points;
}
