/* See plan_range.h. */
#include "compare/plan_range.h"

/*
 * One-to-one: what the best alignment leaves of both sequences is swept so often, on all strands, but for bases
 * too few to score enough. Measured were 0.004 to 1.7 times all cells on a CPU. A GPU has little work in boxes,
 * so it took up to 3 times as long as these cells should take.
 */
#define REST_CPU 1.75
#define REST_GPU 3.5

/* All: cells of tiles and traces for each base, and in a second on one thread. Measured were 8e3 to 7e4 cells.
 * Traces and narrow rows of tiles keep few threads busy. */
#define TILES 1.5e5
#define TILES_A_SECOND 3e9
#define THREADS 8

static void
add(CsPlan *plan, double cells, double seconds)
{
    const gint64 first = plan->cells_expected >= 0 ? plan->cells_expected : plan->cells;
    plan->cells_most = (gint64)MIN((double)first + cells, (double)G_MAXINT64 / 2);
    plan->seconds_most = plan->cells_a_second > 0 ? plan->seconds_left + seconds : 0;
}

void
cs_plan_range_one_to_one(CsPlan *plan, gint64 m, gint64 n, guint strands, gint64 best, gint64 least)
{
    const gint64 rows = MAX(0, m - best - least), columns = MAX(0, n - best - least);
    const double cells =
        (plan->device != NULL ? REST_GPU : REST_CPU) * strands * (double)rows * (double)columns;
    add(plan, cells, plan->cells_a_second > 0 ? cells / plan->cells_a_second : 0);
}

void
cs_plan_range_all(CsPlan *plan, double bases)
{
    const double cells = TILES * bases;
    add(plan, cells, cells / TILES_A_SECOND / CLAMP(plan->threads, 1, THREADS));
}
