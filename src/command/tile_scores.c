/* Which scores of tiles are above chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/tile_scores.h"

/*
 * Karlin and Altschul's lambda for equally frequent bases: a score higher by x is exp(lambda x)
 * times rarer by chance. 0 if chance scores have no such limit.
 */
static double
chance_lambda(const CsScoring *scoring)
{
    const double match = (double)scoring->match, mismatch = (double)scoring->mismatch;
    if (match >= 3 * mismatch)
        return 0;
    double low = 0, high = log(4) / match;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (exp(middle * match) + 3 * exp(-middle * mismatch) > 4)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

static int
compare_scores(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return (x > y) - (x < y);
}

gint64
cs_tile_scores_perfect(const CsTiles *tiles, const CsScoring *scoring)
{
    const gint64 side = MIN(tiles->target_tile, tiles->query_tile);
    return scoring->match > G_MAXINT64 / side ? G_MAXINT64 : scoring->match * side;
}

gint64
cs_tile_scores_highest(const CsTiles *tiles)
{
    gint64 highest = 0;
    for (gint64 k = 0; k < tiles->rows * tiles->columns; k++)
        highest = MAX(highest, MAX(tiles->plus[k], tiles->minus[k]));
    return highest;
}

gint64
cs_tile_scores_chance(const CsTiles *tiles, const CsScoring *scoring)
{
    const gint64 count = tiles->rows * tiles->columns;
    if (count < 16) /* too few to tell what is typical */
        return 1;
    g_autofree gint64 *scores = g_new(gint64, 2 * count);
    memcpy(scores, tiles->plus, (gsize)count * sizeof *scores);
    memcpy(scores + count, tiles->minus, (gsize)count * sizeof *scores);
    qsort(scores, 2 * (gsize)count, sizeof *scores, compare_scores);
    /* Most tiles are of unrelated bases. If lambda says too little, their scores vary widely. */
    const gint64 median = scores[count], quartile = scores[count + count / 2];
    const double lambda = chance_lambda(scoring);
    double more = lambda > 0 ? log(2 * (double)count) / lambda : 0;
    more = ceil(MAX(more, 5.0 * (double)(quartile - median)));
    /* Scores are far below 2^63, but lambda may be arbitrarily small. */
    return more < (double)(G_MAXINT64 - median) ? median + MAX(1, (gint64)more) : G_MAXINT64;
}
