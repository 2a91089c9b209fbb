/* Computes R row by row from the end upwards, each row as far as R is above 0. */
#include <chromosweep/error.h>

#include "alignment/reach.h"

/* Column c of a row is column j - c of the matrix. */
typedef struct {
    const CsRectangle *matrix;
    gint64 j;
    gint64 size; /* columns there is room for */
    CsScore *r;  /* of the row below; then of this row */
    CsScore *f;
    guint8 *bases;    /* bases[c]: between columns j - c and j - c + 1; none for c = 0 */
    gint64 from, end; /* the columns with R above 0, and that of the end, lie between */
} Reach;

static void
reach_clear(Reach *reach)
{
    g_free(reach->r);
    g_free(reach->f);
    g_free(reach->bases);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reach, reach_clear)

/* Room for columns 0 .. least - 1. */
static gboolean
make_room(Reach *reach, gint64 least, GError **error)
{
    if (least <= reach->size)
        return TRUE;
    const gint64 size = MIN(reach->j + 1, MAX(least, 2 * reach->size));
    CsScore *r = g_try_renew(CsScore, reach->r, size);
    reach->r = r != NULL ? r : reach->r;
    CsScore *f = g_try_renew(CsScore, reach->f, size);
    reach->f = f != NULL ? f : reach->f;
    guint8 *bases = g_try_realloc(reach->bases, (gsize)size);
    reach->bases = bases != NULL ? bases : reach->bases;
    if (r == NULL || f == NULL || bases == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory to find where the alignment starts");
        return FALSE;
    }
    for (gint64 c = reach->size; c < size; c++) {
        r[c] = f[c] = CS_SCORE_NONE;
        if (c == 0)
            continue;
        const CsView base = cs_view_slice(&reach->matrix->columns, reach->j - c, 1);
        cs_view_read(&base, CS_COLUMN_AMBIGUOUS, &bases[c]);
    }
    reach->size = size;
    return TRUE;
}

/* Computes the next row up, whose base is given. FALSE if no R in it is above 0. */
static gboolean
step_up(Reach *reach, guint8 base, gboolean *any, GError **error)
{
    const CsScoring *scoring = &reach->matrix->scoring;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    CsScore e = CS_SCORE_NONE, right = CS_SCORE_NONE, below_right = CS_SCORE_NONE;
    gint64 from = -1, end = -1;
    if (reach->from > 0)
        below_right = reach->r[reach->from - 1];
    for (gint64 c = reach->from; c <= reach->j; c++) {
        if (!make_room(reach, c + 1, error))
            return FALSE;
        const CsScore below = reach->r[c];
        const CsScore f = MAX(reach->f[c] - extend, below - first);
        e = MAX(e - extend, right - first);
        CsScore r = MAX(e, f);
        if (c > 0)
            r = MAX(r,
                    below_right + (base == reach->bases[c] ? scoring->match : -scoring->mismatch));
        const gboolean within = r > 0;
        reach->r[c] = right = within ? r : CS_SCORE_NONE;
        reach->f[c] = f > 0 ? f : CS_SCORE_NONE;
        e = e > 0 ? e : CS_SCORE_NONE;
        below_right = below;
        if (within) {
            from = from < 0 ? c : from;
            end = c + 1;
        } else if (c > reach->end) {
            break;
        }
    }
    *any = from >= 0;
    reach->from = from;
    reach->end = end;
    return TRUE;
}

gboolean
cs_reach_find(const CsRectangle *matrix, gint64 i, gint64 j, gint64 most, gint64 *above,
              gint64 *left, gboolean *found, GError **error)
{
    g_auto(Reach) reach = {.matrix = matrix, .j = j};
    if (!make_room(&reach, 1, error))
        return FALSE;
    reach.r[0] = 0; /* no gap ends there: nothing else in its row leads to it */
    reach.end = 1;
    gint64 cells = 1, widest = 1;
    gboolean any = TRUE;
    *above = i;
    for (gint64 row = i; row > 0 && any && cells <= most; row--) {
        guint8 base;
        const CsView view = cs_view_slice(&matrix->rows, row - 1, 1);
        cs_view_read(&view, CS_ROW_AMBIGUOUS, &base);
        if (!step_up(&reach, base, &any, error))
            return FALSE;
        cells += reach.end - reach.from + 1;
        widest = MAX(widest, reach.end);
        *above = any ? row - 1 : *above;
    }
    *left = j - (widest - 1);
    *found = cells <= most;
    return TRUE;
}
