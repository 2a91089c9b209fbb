/* A rectangle's borders and the range of its scores. */
#include <chromosweep/error.h>

#include "sweep/rectangle.h"

/*
 * The 64-bit range. What an accepted sweep hands on is within these again, so that any part of a
 * matrix can be continued: gains are at most a quarter of it over the whole matrix, and below zero
 * there is an eighth for the gaps of an anchored one and a few costs of at most a 64th
 * (cs_scoring_check).
 */
#define HIGHEST_BORDER (G_MAXINT64 / 4)
#define LOWEST_BORDER (-(G_MAXINT64 / 8))
#define MOST_LOSS (G_MAXINT64 / 16)

/* H of a border of NULL, k letters from the corner. */
static CsScore
own_border_h(const CsRectangle *rectangle, gint64 k)
{
    if (rectangle->kind == CS_KIND_LOCAL)
        return 0;
    if (k == 0)
        return rectangle->corner;
    return rectangle->corner - rectangle->scoring.gap_open - k * rectangle->scoring.gap_extend;
}

/* A gap value of a border of NULL: no gap runs across it. */
static CsScore
own_border_gap(const CsRectangle *rectangle)
{
    return rectangle->kind == CS_KIND_LOCAL ? 0 : CS_SCORE_NONE;
}

CsScore
cs_rectangle_left_h(const CsRectangle *rectangle, gint64 i)
{
    if (i == 0)
        return rectangle->corner;
    if (rectangle->left == NULL)
        return own_border_h(rectangle, i);
    return cs_width_get(rectangle->left->width, rectangle->left->h, i - 1);
}

CsScore
cs_rectangle_left_e(const CsRectangle *rectangle, gint64 i)
{
    if (rectangle->left == NULL)
        return own_border_gap(rectangle);
    return cs_width_get(rectangle->left->width, rectangle->left->gap, i - 1);
}

void
cs_rectangle_read_top(const CsRectangle *rectangle, CsBus *bus)
{
    if (bus == rectangle->top)
        return;
    if (rectangle->top != NULL) {
        cs_bus_copy(bus, 0, rectangle->top, 0, cs_rectangle_n(rectangle));
        return;
    }
    for (gint64 j = 1; j <= cs_rectangle_n(rectangle); j++) {
        cs_width_set(bus->width, bus->h, j - 1, own_border_h(rectangle, j));
        cs_width_set(bus->width, bus->gap, j - 1, own_border_gap(rectangle));
    }
}

void
cs_rectangle_read_left(const CsRectangle *rectangle, CsBus *bus)
{
    for (gint64 i = 1; bus != rectangle->left && i <= cs_rectangle_m(rectangle); i++) {
        cs_width_set(bus->width, bus->h, i - 1, cs_rectangle_left_h(rectangle, i));
        cs_width_set(bus->width, bus->gap, i - 1, cs_rectangle_left_e(rectangle, i));
    }
}

gboolean
cs_rectangle_is_special(const CsRectangle *rectangle, gint64 i)
{
    gsize from = 0, to = rectangle->n_special_rows; /* they ascend */
    while (from < to) {
        gsize middle = from + (to - from) / 2;
        if (rectangle->special_rows[middle] < i)
            from = middle + 1;
        else
            to = middle;
    }
    return from < rectangle->n_special_rows && rectangle->special_rows[from] == i;
}

/*
 * From the highest border value an alignment gains at most a match for each row or column,
 * whichever are fewer. In an anchored sweep H is at least the lowest border value less one gap down
 * or right from there, a diagonal step into the next cell costs at most a mismatch more, and E and
 * F are at least H less the first letter of a gap.
 */
gboolean
cs_rectangle_width(const CsRectangle *rectangle, CsWidth *width, GError **error)
{
    const CsScoring *scoring = &rectangle->scoring;
    gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    if (!cs_scoring_check(scoring, m, n, error))
        return FALSE;
    CsScore highest = MAX(rectangle->corner, 0), lowest = MIN(rectangle->corner, 0);
    const CsBus *borders[] = {rectangle->top, rectangle->left};
    for (guint k = 0; k < G_N_ELEMENTS(borders); k++)
        if (borders[k] != NULL) {
            CsScore high, low;
            cs_bus_range(borders[k], &high, &low);
            highest = MAX(highest, high);
            lowest = MIN(lowest, low);
        }
    CsScore gain = scoring->match * (MIN(m, n) + 1);
    guint64 loss = 0;
    gboolean fits = rectangle->kind == CS_KIND_LOCAL ||
                    g_uint64_checked_mul(&loss, (guint64)scoring->gap_extend, (guint64)(m + n + 2));
    if (!fits || loss > MOST_LOSS || highest > HIGHEST_BORDER || lowest < LOWEST_BORDER) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "scores between these borders could overflow 64-bit arithmetic");
        return FALSE;
    }
    CsScore costs = MAX(scoring->mismatch, cs_scoring_first_gap(scoring));
    *width = costs < CS_COST_32_LIMIT && gain < CS_SCORE_32_LIMIT / 2 &&
                     highest < CS_SCORE_32_LIMIT / 2 && loss < (guint64)CS_SCORE_32_LIMIT / 4 &&
                     lowest > -(CS_SCORE_32_LIMIT / 4)
                 ? CS_WIDTH_32
                 : CS_WIDTH_64;
    return TRUE;
}
