/* What alignments lose between seeds: see way.h. */
#include "lower_bound/way.h"

#include <math.h>

enum {
    LONG = 2048, /* rows and columns of a long way */
};

/*
 * Unrelated bases along a diagonal cost so many matches each. A gap's bases cost little at first, since some
 * match by chance, and more and more of their full price as there are more of them than bases along the
 * diagonal. Both were measured on best alignments of chromosweep-simulate under the default scoring.
 */
#define DIAGONAL_BASE 1.1
#define BEND 0.55

CsWay
cs_way_between(const CsSeed *before, const CsSeed *after)
{
    return (CsWay){.rows = after->row - before->row - before->length,
                   .columns = after->column - before->column - before->length};
}

void
cs_way_count_ambiguous(CsWay *way, const CsSurvey *survey, const CsSeed *before)
{
    way->ambiguous_rows =
        cs_view_count_ambiguous(&survey->rows, before->row + before->length, way->rows);
    way->ambiguous_columns =
        cs_view_count_ambiguous(&survey->columns, before->column + before->length, way->columns);
}

gboolean
cs_way_is_long(const CsWay *way)
{
    return way->rows + way->columns >= LONG;
}

/* Gaps go along ambiguous bases first; what is left of them is paired, and never matches. */
double
cs_way_cost(const CsScoring *scoring, const CsWay *way)
{
    const double common = (double)MIN(way->rows, way->columns);
    const double aside = (double)ABS(way->columns - way->rows);
    const gboolean down = way->rows > way->columns;
    const double along = (double)(down ? way->ambiguous_rows : way->ambiguous_columns);
    const double beside = (double)(down ? way->ambiguous_columns : way->ambiguous_rows);
    const double free = MIN(along, aside), paired = MIN(common, MAX(along - free, beside));
    const double bend = BEND * (common - paired), rest = aside - free;
    const double mismatch = (double)scoring->mismatch, extend = (double)scoring->gap_extend;
    return extend * (free + sqrt(rest * rest + bend * bend) - bend) +
           MIN(mismatch, 2 * extend) * paired +
           DIAGONAL_BASE * (double)scoring->match * (common - paired);
}

/* Bases between two mismatches are a seed if there are enough of them. Their number has an exponential distribution.
 * The seeds tell its mean, as those that are longer than the shortest seed exceed it by the same mean. */
double
cs_way_apart(const CsSeed *chain, gint64 length)
{
    double bases = 0, shortest = INFINITY;
    for (gint64 k = 0; k < length; k++) {
        bases += (double)chain[k].length;
        shortest = MIN(shortest, (double)chain[k].length);
    }
    const double mean = length > 0 ? MAX(1, bases / (double)length - shortest) : 1;
    return length > 0 ? 1 + mean - shortest / expm1(shortest / mean) : 1;
}

double
cs_way_mismatches(const CsWay *way, double apart)
{
    const double pairs = (double)MIN(way->rows, way->columns);
    return (way->rows == way->columns ? 1 : 0) + pairs / apart;
}
