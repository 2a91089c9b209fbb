/* The path of an alignment as a line of few points, for a picture. */
#ifndef CS_PATH_LINE_H
#define CS_PATH_LINE_H

#include <chromosweep/align.h>

/* Bases before the point, in the whole record and on the forward strand. */
typedef struct {
    double target, query;
} CsPathPoint;

/*
 * The points (CsPathPoint) of a line from which no point of the path is further away than
 * `tolerance` pixels, where a base of the target (query) is so many pixels wide. Their number
 * depends on the size of the picture, not on the length of the path.
 */
GArray *cs_path_line_new(const CsAlignment *alignment, double target_pixels, double query_pixels,
                         double tolerance);

#endif
