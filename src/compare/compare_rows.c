/*
 * Rows that the sweep of a comparison keeps for an alignment (alignment/rows.h), so that nothing has
 * to be swept twice.
 *
 * They are those of one strand, and are kept from its first row on or not at all. A GPU skips
 * nothing where rows are wanted, so a sweep on a GPU keeps none.
 */
#include "compare/comparison.h"
#include "system/memory.h"

enum {
    /* Whole blocks of a CPU engine lie between two rows (cpu/cpu_shape.c). */
    ROW_UNIT = 1536,
    LEAST_DISTANCE = 2 * ROW_UNIT,
    BAND_COLUMNS = 10000, /* that are left in a row beside the share, about */
    MOST_BYTES = 1000000000,
    MEMORY_SHARE = 4, /* one part in this many of what is left */
};

/*
 * To pack a row of L columns takes about as long as to sweep 40 L cells of a strip, and a strip of
 * d rows takes about d * 0.1 d cells. For m rows in all, m / d * 40 L + m * 0.1 d is least where
 * d * d is 400 L.
 */
#define SQUARE_A_COLUMN 400.0

GArray *
cs_compare_rows_choose(const CsComparison *comparison, gint64 m, gint64 n, double share_left)
{
    const double columns = MIN((double)n, share_left * (double)n + BAND_COLUMNS);
    gint64 distance = LEAST_DISTANCE;
    while ((double)distance * (double)distance < SQUARE_A_COLUMN * columns)
        distance += ROW_UNIT;
    if (comparison->row_distance > 0)
        distance = comparison->row_distance;
    GArray *at = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (gint64 i = distance; i < m; i += distance)
        g_array_append_val(at, i);
    return at;
}

gint64
cs_compare_rows_budget(const CsComparison *comparison)
{
    const gint64 wanted = comparison->options->row_budget;
    const gint64 strands = comparison->options->strand == CS_STRAND_BOTH ? 2 : 1;
    const char *limit;
    if (wanted != 0)
        return MAX(wanted, 0) / strands;
    const gint64 left = cs_memory_left("/", &limit);
    return (left < 0 ? MOST_BYTES : MIN(MOST_BYTES, left / MEMORY_SHARE)) / strands;
}

void
cs_compare_rows_attach(CsComparison *comparison, CsStrand strand, CsRectangle *rectangle)
{
    const CsState *state = &comparison->state;
    const CsSkip *skip = &comparison->skips[strand];
    const gboolean begun =
        state->staircase.horizontal != NULL && cs_staircase_cells(&state->staircase) > 0;
    if (!comparison->aligns || begun || comparison->sweep.engine->gpu)
        return;
    const gint64 budget = cs_compare_rows_budget(comparison);
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    g_autoptr(GArray) at = cs_compare_rows_choose(
        comparison, m, n, skip->mode == CS_SKIP_BOUNDS ? skip->share_left : 1);
    CsWidth width;
    if (budget == 0 || at->len == 0 || !cs_rectangle_width(rectangle, &width, NULL))
        return;
    CsRows *rows = cs_rows_new((gint64 *)at->data, at->len, width, TRUE, NULL);
    if (rows == NULL)
        return;
    cs_rows_limit(rows, budget);
    comparison->rows[strand] = rows;
    rectangle->n_special_rows = at->len;
    rectangle->special_rows = comparison->rows_at[strand] =
        (gint64 *)g_array_free(g_steal_pointer(&at), FALSE);
    rectangle->row_func = cs_rows_take;
    rectangle->row_data = rows;
}
