/* What the strips of a trace cost. */
#include "alignment/trace_cost.h"

enum {
    ALONE = 3, /* strips in a row that lose score: then the sequences are unrelated there */
};

#define UNRELATED 1.5     /* columns of such a strip per row */
#define GAP_AT_LEAST 0.95 /* of the cost of a gap that is as long as a strip is high: it is one */
#define GAP_AT_MOST 1.05

/* About the H with which the path crosses row k. */
static CsScore
highest_in(const CsRows *rows, gsize k)
{
    CsScore highest = 0;
    CsRowsPiece piece;
    for (gint64 past = 0; cs_rows_next(rows, k, past, &piece);
         past = piece.column + piece.count - 1)
        highest = MAX(highest, piece.highest);
    return highest;
}

/* The columns of a strip that count, unless it is one of several that are unrelated. */
static double
columns_of_gap(const CsScoring *scoring, double usual, double rows, double gain)
{
    const double down = (double)scoring->gap_extend * rows;
    return scoring->gap_extend > 0 && -gain > GAP_AT_MOST * down
               ? (usual * rows - gain) / (double)scoring->gap_extend
               : 0;
}

static gboolean
is_unrelated(const CsScoring *scoring, double rows, double gain)
{
    return gain < 0 && -gain < GAP_AT_LEAST * (double)scoring->gap_extend * rows;
}

void
cs_trace_cost_init(CsTraceCost *cost, const CsRows *rows, const CsScoring *scoring,
                   const CsBest *end)
{
    const gsize count = rows != NULL ? cs_rows_count(rows) : 0;
    const double usual = (double)end->score / (double)end->i;
    *cost = (CsTraceCost){1, g_new0(gint64, count + 2), g_new0(double, count + 2)};
    g_autofree double *gains = g_new0(double, count + 2);
    CsScore h = 0;
    for (gsize k = 0; k <= count; k++) {
        const gboolean last = k == count || cs_rows_at(rows, k) >= end->i;
        const CsScore above = h;
        h = last ? end->score : highest_in(rows, k);
        cost->rows[cost->n] = last ? end->i : cs_rows_at(rows, k);
        gains[cost->n++] = (double)h - (double)above; /* a damaged row may have any */
        if (last)
            break;
    }
    guint unrelated = 0;
    for (gsize k = cost->n; k-- > 1;) { /* as they are traced */
        const double height = (double)(cost->rows[k] - cost->rows[k - 1]);
        unrelated = is_unrelated(scoring, height, gains[k]) ? unrelated + 1 : 0;
        const double columns = unrelated >= ALONE
                                   ? UNRELATED * height
                                   : columns_of_gap(scoring, usual, height, gains[k]);
        cost->costs[k] = height * (1 + columns / CS_TRACE_COLUMNS);
    }
    for (gsize k = 1; k < cost->n; k++)
        cost->costs[k] += cost->costs[k - 1];
}

void
cs_trace_cost_clear(CsTraceCost *cost)
{
    g_free(cost->rows);
    g_free(cost->costs);
    *cost = (CsTraceCost){0};
}

double
cs_trace_cost_above(const CsTraceCost *cost, gint64 row)
{
    gsize low = 0, high = cost->n - 1; /* rows[low] <= row <= rows[high] */
    while (high - low > 1) {
        const gsize middle = (low + high) / 2;
        *(cost->rows[middle] <= row ? &low : &high) = middle;
    }
    const double height = (double)(cost->rows[high] - cost->rows[low]);
    const double share = (double)(row - cost->rows[low]) / height;
    return cost->costs[low] + MIN(share, 1) * (cost->costs[high] - cost->costs[low]);
}
