/* Where records and alignments lie in a plot. */
#include "command/plot_record.h"
#include "command/path_line.h"

static double
pixels_per_base(const CsPlotRecord *record)
{
    return record->length / (double)(record->to - record->from + 1);
}

/* A place on the axis, after so many bases of the record. */
static double
place_of(const CsPlotRecord *record, double bases)
{
    const double pixels = (bases - (double)(record->from - 1)) * pixels_per_base(record);
    return record->at + (record->minus ? record->length - pixels : pixels);
}

GArray *
cs_plot_segment_line(const CsPlotSegment *segment, const CsPlotRecord *target,
                     const CsPlotRecord *query, double height, double tolerance)
{
    GArray *points = cs_path_line_new(segment->alignment, pixels_per_base(target),
                                      pixels_per_base(query), tolerance);
    for (guint k = 0; k < points->len; k++) {
        CsPathPoint *point = &g_array_index(points, CsPathPoint, k);
        *point =
            (CsPathPoint){place_of(target, point->target), height - place_of(query, point->query)};
    }
    return points;
}
