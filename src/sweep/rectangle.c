/* A rectangle's borders and the range of its scores. */
#include <chromosweep/error.h>

#include "sweep/rectangle.h"

/*
 * The 64-bit range. What an accepted sweep hands on lies within it again, so any part of a matrix
 * can be continued: over the whole matrix, gains are at most a quarter of the range, and a cost is
 * at most a 64th (cs_scoring_check).
 */
#define HIGHEST_BORDER (G_MAXINT64 / 4)

CsScore
cs_rectangle_left_h(const CsRectangle *rectangle, gint64 i)
{
    if (i == 0)
        return rectangle->corner;
    if (rectangle->left == NULL)
        return 0;
    return cs_width_get(rectangle->left->width, rectangle->left->h, i - 1);
}

CsScore
cs_rectangle_left_e(const CsRectangle *rectangle, gint64 i)
{
    if (rectangle->left == NULL)
        return 0;
    return cs_width_get(rectangle->left->width, rectangle->left->gap, i - 1);
}

void
cs_rectangle_read_top(const CsRectangle *rectangle, CsBus *bus)
{
    if (bus == rectangle->top)
        return;
    if (rectangle->top != NULL)
        cs_bus_copy(bus, 0, rectangle->top, 0, cs_rectangle_n(rectangle));
    else
        cs_bus_clear(bus, 0, cs_rectangle_n(rectangle));
}

void
cs_rectangle_read_left(const CsRectangle *rectangle, CsBus *bus)
{
    if (bus == rectangle->left)
        return;
    if (rectangle->left != NULL)
        cs_bus_copy(bus, 0, rectangle->left, 0, cs_rectangle_m(rectangle));
    else
        cs_bus_clear(bus, 0, cs_rectangle_m(rectangle));
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
 * From the highest border value an alignment gains at most one match per row or column, whichever
 * are fewer. H is never below zero. E and F are at least H less the cost of a gap's first base.
 */
gboolean
cs_rectangle_width(const CsRectangle *rectangle, CsWidth *width, GError **error)
{
    const CsScoring *scoring = &rectangle->scoring;
    gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    if (!cs_scoring_check(scoring, m, n, error))
        return FALSE;
    CsScore highest = MAX(rectangle->corner, 0);
    const CsBus *borders[] = {rectangle->top, rectangle->left};
    for (guint k = 0; k < G_N_ELEMENTS(borders); k++)
        if (borders[k] != NULL) {
            CsScore high, low;
            cs_bus_range(borders[k], &high, &low);
            highest = MAX(highest, high);
        }
    if (highest > HIGHEST_BORDER) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "scores between these borders could overflow 64-bit arithmetic");
        return FALSE;
    }
    const CsScore gain = scoring->match * (MIN(m, n) + 1);
    const CsScore costs = MAX(scoring->mismatch, cs_scoring_first_gap(scoring));
    *width =
        costs < CS_COST_32_LIMIT && gain < CS_SCORE_32_LIMIT / 2 && highest < CS_SCORE_32_LIMIT / 2
            ? CS_WIDTH_32
            : CS_WIDTH_64;
    return TRUE;
}
