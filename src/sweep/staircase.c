/* The staircase: see the drawing in staircase.h. */
#include "sweep/staircase.h"

gboolean
cs_staircase_need_horizontal(CsStaircase *staircase, gint64 n, CsWidth width, GError **error)
{
    const CsBus *bus = staircase->horizontal;
    if (bus != NULL && bus->length == n && bus->width == width)
        return TRUE;
    g_clear_pointer(&staircase->horizontal, cs_bus_free);
    staircase->horizontal = cs_bus_new(n, width, error);
    return staircase->horizontal != NULL;
}

gint64
cs_staircase_cells(const CsStaircase *staircase)
{
    gint64 n = staircase->horizontal->length, cells = staircase->row * n;
    for (guint k = 0; k < staircase->steps->len; k++) {
        const CsStep *step = &g_array_index(staircase->steps, CsStep, k);
        cells -= step->height * (n - step->column);
    }
    return cells;
}

static int
compare_steps(gconstpointer a, gconstpointer b)
{
    gint64 x = ((const CsStep *)a)->row, y = ((const CsStep *)b)->row;
    return (x > y) - (x < y);
}

void
cs_staircase_sort(CsStaircase *staircase)
{
    g_array_sort(staircase->steps, compare_steps);
}

void
cs_staircase_clear(CsStaircase *staircase)
{
    for (guint k = 0; staircase->steps != NULL && k < staircase->steps->len; k++)
        cs_bus_free(g_array_index(staircase->steps, CsStep, k).riser);
    g_clear_pointer(&staircase->steps, g_array_unref);
    g_clear_pointer(&staircase->horizontal, cs_bus_free);
}
