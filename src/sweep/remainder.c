/*
 * From a staircase to the last row: see the drawing in remainder.h.
 *
 * Invariants:
 * 1. Steps go downwards without gaps, and the last ends at staircase.row. Columns are within
 *    1 .. n - 1 and do not grow downwards; between equal ones the part has no cells.
 * 2. Column j of the horizontal bus stands at the first row of the uppermost step whose column is
 *    below j, or at staircase.row if there is none.
 * 3. A part covers cells that no earlier part covered, and everything that enters it is known: its
 *    top by 2, its left from the step's riser.
 */
#include "sweep/remainder.h"

static CsStep *
step_at(const CsStaircase *staircase, guint k)
{
    return &g_array_index(staircase->steps, CsStep, k);
}

static GArray *
new_steps(void)
{
    return g_array_new(FALSE, FALSE, sizeof(CsStep));
}

/* The column up to which the rows above step k are done. */
static gint64
column_above(const CsRemainder *remainder, guint k)
{
    return k > 0 ? step_at(&remainder->staircase, k - 1)->column : cs_rectangle_n(remainder->whole);
}

/* Appends the first `count` rows of a bus to the lower end of a step's riser. */
static gboolean
lengthen(CsStep *step, const CsBus *bus, gint64 count, GError **error)
{
    CsBus *riser = cs_bus_new(step->height + count, step->riser->width, error);
    if (riser == NULL)
        return FALSE;
    cs_bus_copy(riser, 0, step->riser, 0, step->height);
    cs_bus_copy(riser, step->height, bus, 0, count);
    cs_bus_free(step->riser);
    step->riser = riser;
    step->height += count;
    return TRUE;
}

static void
drop_step(GArray *steps, guint k)
{
    cs_bus_free(g_array_index(steps, CsStep, k).riser);
    g_array_remove_index(steps, k);
}

gboolean
cs_remainder_init(CsRemainder *remainder, const CsRectangle *whole, GError **error)
{
    g_assert(whole->top == NULL && whole->left == NULL);
    g_assert(whole->bottom == NULL && whole->right == NULL && whole->corner == 0);
    CsWidth width;
    *remainder = (CsRemainder){.whole = whole};
    if (!cs_rectangle_width(whole, &width, error))
        return FALSE;
    CsBus *horizontal = cs_bus_new(cs_rectangle_n(whole), width, error);
    if (horizontal == NULL)
        return FALSE;
    remainder->staircase = (CsStaircase){.horizontal = horizontal, .steps = new_steps()};
    return TRUE;
}

void
cs_remainder_init_take(CsRemainder *remainder, const CsRectangle *whole, CsStaircase *staircase)
{
    *remainder = (CsRemainder){.whole = whole, .staircase = *staircase};
    *staircase = (CsStaircase){0};
}

void
cs_remainder_clear(CsRemainder *remainder)
{
    cs_staircase_clear(&remainder->staircase);
}

gboolean
cs_remainder_is_complete(const CsRemainder *remainder)
{
    return remainder->staircase.steps->len == 0 &&
           remainder->staircase.row == cs_rectangle_m(remainder->whole);
}

/* The step whose part is the smallest. */
static guint
smallest_part(const CsRemainder *remainder)
{
    guint smallest = 0;
    double least = G_MAXDOUBLE;
    for (guint k = 0; k < remainder->staircase.steps->len; k++) {
        const CsStep *step = step_at(&remainder->staircase, k);
        double cells = (double)step->height * (double)(column_above(remainder, k) - step->column);
        if (cells < least) {
            least = cells;
            smallest = k;
        }
    }
    return smallest;
}

/* Passes a piece of a special row on in the coordinates of the whole. */
static gboolean
hand_on(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
        gpointer user_data, GError **error)
{
    const CsPart *part = user_data;
    const CsRectangle *whole = part->whole;
    return whole->row_func(part->i0 + i, part->j0 + from, count, h, f, bounds, whole->row_data,
                           error);
}

static void
take_special_rows(CsPart *part)
{
    const CsRectangle *whole = part->whole;
    gsize from = 0, to;
    while (from < whole->n_special_rows && whole->special_rows[from] <= part->i0)
        from++;
    for (to = from; to < whole->n_special_rows &&
                    whole->special_rows[to] <= part->i0 + cs_rectangle_m(&part->rectangle);)
        to++;
    part->special_rows = g_new(gint64, to - from + 1);
    for (gsize k = from; k < to; k++)
        part->special_rows[k - from] = whole->special_rows[k] - part->i0;
    part->rectangle.special_rows = part->special_rows;
    part->rectangle.n_special_rows = to - from;
    part->rectangle.row_func = to > from ? hand_on : NULL;
    part->rectangle.row_data = part;
}

gboolean
cs_remainder_next(CsRemainder *remainder, CsPart *part, GError **error)
{
    const CsRectangle *whole = remainder->whole;
    const CsStaircase *staircase = &remainder->staircase;
    g_assert(!cs_remainder_is_complete(remainder));
    *part = (CsPart){.whole = whole, .rectangle = *whole, .step = smallest_part(remainder)};
    gint64 height = cs_rectangle_m(whole) - staircase->row, width = cs_rectangle_n(whole);
    part->i0 = staircase->row;
    part->rectangle.corner = staircase->corner;
    if (part->step < staircase->steps->len) {
        const CsStep *step = step_at(staircase, part->step);
        part->i0 = step->row;
        part->j0 = step->column;
        height = step->height;
        width = column_above(remainder, part->step) - step->column;
        part->rectangle.corner = step->corner;
        part->rectangle.left = step->riser;
        if (part->step > 0 &&
            (part->right = cs_bus_new(height, staircase->horizontal->width, error)) == NULL)
            return FALSE;
    }
    part->top = cs_bus_slice(staircase->horizontal, part->j0, width);
    part->rectangle.rows = cs_view_slice(&whole->rows, part->i0, height);
    part->rectangle.columns = cs_view_slice(&whole->columns, part->j0, width);
    part->rectangle.top = part->i0 > 0 ? &part->top : NULL; /* zeros need not be read */
    part->rectangle.bottom = &part->top;
    part->rectangle.right = part->right;
    take_special_rows(part);
    return TRUE;
}

static void
merge_best(CsBest *best, const CsPart *part, const CsBest *found)
{
    CsBest shifted = *found;
    if (shifted.score == 0)
        return;
    shifted.i += part->i0;
    shifted.j += part->j0;
    cs_best_merge(best, part->whole->tie_order, &shifted);
}

gboolean
cs_remainder_finish(CsRemainder *remainder, CsPart *part, const CsBest *best, GError **error)
{
    CsStaircase *staircase = &remainder->staircase;
    guint k = part->step;
    merge_best(&staircase->best, part, best);
    if (k == staircase->steps->len) {
        staircase->row = cs_rectangle_m(remainder->whole);
        staircase->corner = 0;
    } else {
        if (k > 0 && !lengthen(step_at(staircase, k - 1), part->right, part->right->length, error))
            return FALSE;
        drop_step(staircase->steps, k);
    }
    cs_part_clear(part);
    return TRUE;
}

/* Appends a copy of what is left of a step from its row `from` on. */
static gboolean
append_step(GArray *steps, const CsStep *step, gint64 from, CsScore corner, GError **error)
{
    CsStep copy = {step->row + from, step->height - from, step->column, corner, NULL};
    copy.riser = cs_bus_new(copy.height, step->riser->width, error);
    if (copy.riser == NULL)
        return FALSE;
    cs_bus_copy(copy.riser, 0, step->riser, from, copy.height);
    g_array_append_val(steps, copy);
    return TRUE;
}

/* Appends the steps of a part in progress: rows that are complete, in progress, not begun. */
static gboolean
append_part(CsStaircase *stand, const CsRemainder *remainder, const CsPart *part,
            CsStaircase *within, GError **error)
{
    gint64 done = within->steps->len > 0 ? step_at(within, 0)->row : within->row;
    if (part->right != NULL && done > 0 &&
        !lengthen(step_at(stand, stand->steps->len - 1), part->right, done, error))
        return FALSE;
    for (guint k = 0; k < within->steps->len; k++) {
        CsStep step = *step_at(within, k);
        step_at(within, k)->riser = NULL;
        step.row += part->i0;
        step.column += part->j0;
        g_array_append_val(stand->steps, step);
    }
    if (part->step == remainder->staircase.steps->len) {
        stand->row = part->i0 + within->row;
        stand->corner = within->corner;
        return TRUE;
    }
    const CsStep *step = step_at(&remainder->staircase, part->step);
    return within->row == step->height ||
           append_step(stand->steps, step, within->row, within->corner, error);
}

static gboolean
stand_horizontal(const CsRemainder *remainder, const CsPart *part, CsStaircase *within,
                 CsStaircase *stand, GError **error)
{
    const CsBus *bus = remainder->staircase.horizontal;
    if (part->top.length == bus->length) {
        stand->horizontal = g_steal_pointer(&within->horizontal);
        return TRUE;
    }
    stand->horizontal = cs_bus_new(bus->length, bus->width, error);
    if (stand->horizontal == NULL)
        return FALSE;
    cs_bus_copy(stand->horizontal, 0, bus, 0, bus->length);
    cs_bus_copy(stand->horizontal, part->j0, within->horizontal, 0, part->top.length);
    return TRUE;
}

gboolean
cs_remainder_stand(const CsRemainder *remainder, const CsPart *part, CsStaircase *within,
                   CsStaircase *stand, GError **error)
{
    const CsStaircase *staircase = &remainder->staircase;
    g_auto(CsStaircase) made = {.steps = new_steps(),
                                .row = staircase->row,
                                .corner = staircase->corner,
                                .best = staircase->best};
    if (!stand_horizontal(remainder, part, within, &made, error))
        return FALSE;
    merge_best(&made.best, part, &within->best);
    for (guint k = 0; k < part->step; k++)
        if (!append_step(made.steps, step_at(staircase, k), 0, step_at(staircase, k)->corner,
                         error))
            return FALSE;
    if (!append_part(&made, remainder, part, within, error))
        return FALSE;
    for (guint k = part->step + 1; k < staircase->steps->len; k++)
        if (!append_step(made.steps, step_at(staircase, k), 0, step_at(staircase, k)->corner,
                         error))
            return FALSE;
    *stand = made;
    made = (CsStaircase){0};
    return TRUE;
}

void
cs_part_clear(CsPart *part)
{
    g_clear_pointer(&part->right, cs_bus_free);
    g_clear_pointer(&part->special_rows, g_free);
}
