/* What the strips of a trace cost. */
#include "alignment/crossing.h"
#include "alignment/trace_cost.h"
#include "alignment/walk.h"

enum {
    ALONE = 3, /* strips in a row that lose score: then the sequences are unrelated there */
};

#define UNRELATED 1.5 /* columns of such a strip per row */

typedef struct {
    gint64 i, j;
    CsScore h;
} Place;

/* Where the path to a place below most likely crosses row k: on the diagonal if no piece can lead there. */
static Place
guess_place(const CsRows *rows, gsize k, const CsScoring *scoring, const Place *below)
{
    const gint64 at = cs_rows_at(rows, k), height = below->i - at;
    Place best = {at, MAX(below->j - height, 0), below->h};
    double most_worth = -G_MAXDOUBLE;
    CsRowsPiece piece;
    for (gint64 past = 0; cs_rows_next(rows, k, past, &piece) && piece.column <= below->j;
         past = piece.column + piece.count - 1) {
        const gint64 most = below->j - piece.column, least = MAX(0, most - piece.count + 1);
        const gint64 width = CLAMP(height, least, most);
        const double gain = (double)cs_walk_gain(scoring, height, width);
        const double worth = cs_crossing_worth(scoring, piece.highest, height, width);
        /* A damaged row may have any H. */
        if (worth <= most_worth || (double)piece.highest + gain < (double)below->h)
            continue;
        most_worth = worth;
        best = (Place){at, below->j - width, piece.highest};
    }
    return best;
}

/* The columns that count in a strip with the path from one place to the other. `unrelated` counts strips in a row, as
 * they are traced. */
static double
columns_of(const Place *from, const Place *to, guint *unrelated)
{
    const gint64 height = to->i - from->i, width = to->j - from->j;
    const gboolean gap = width > 2 * height;
    *unrelated = to->h < from->h && !gap && 2 * width > height ? *unrelated + 1 : 0;
    if (*unrelated >= ALONE)
        return UNRELATED * (double)height;
    return gap ? (double)(width - height) : 0;
}

void
cs_trace_cost_init(CsTraceCost *cost, const CsRows *rows, const CsScoring *scoring,
                   const CsBest *end)
{
    const gsize count = rows != NULL ? cs_rows_count(rows) : 0;
    Place place = {end->i, end->j, end->score};
    guint unrelated = 0;
    gsize k = 0;
    while (k < count && cs_rows_at(rows, k) < end->i)
        k++;
    *cost = (CsTraceCost){k + 2, g_new0(gint64, k + 2), g_new0(double, k + 2)};
    for (;; k--) { /* as they are traced */
        const Place above =
            k > 0 ? guess_place(rows, k - 1, scoring, &place) : (Place){0, place.j, place.h};
        const double columns = columns_of(&above, &place, &unrelated);
        cost->rows[k + 1] = place.i;
        cost->costs[k + 1] = (double)(place.i - above.i) * (1 + columns / CS_TRACE_COLUMNS);
        place = above;
        if (k == 0)
            break;
    }
    for (k = 1; k < cost->n; k++)
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
