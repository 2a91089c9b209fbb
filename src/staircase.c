/* The staircase: see the drawing in staircase.h. */
#include "staircase.h"

void
cs_staircase_clear(CsStaircase *staircase)
{
    for (guint k = 0; staircase->steps != NULL && k < staircase->steps->len; k++)
        cs_bus_free(g_array_index(staircase->steps, CsStep, k).riser);
    g_clear_pointer(&staircase->steps, g_array_unref);
    g_clear_pointer(&staircase->horizontal, cs_bus_free);
}
