/* The grid of blocks: see the drawing in grid.h. */
#include "sweep/grid.h"

/* Cuts the last tier again, into as many block rows as it may have. */
static void
spread_last_tier(GArray *starts, gint64 m, gint64 depth, gint64 row_unit)
{
    gint64 from = ((gint64)starts->len - 2) / depth * depth, row;
    gint64 left = m - g_array_index(starts, gint64, from);
    gint64 height = cs_divide_up(cs_divide_up(left, depth), row_unit) * row_unit;
    g_array_set_size(starts, (guint)from + 1);
    for (row = g_array_index(starts, gint64, from); row < m;) {
        row = MIN(m, row + height);
        g_array_append_val(starts, row);
    }
}

CsGrid *
cs_grid_new(gint64 m, gint64 n, const CsGridShape *shape, const gint64 *special_rows,
            gsize n_special_rows)
{
    const gint64 block_height = shape->block_height, block_width = shape->block_width;
    g_assert(m >= 0 && n >= 0 && block_height >= 1 && block_width >= 1 && shape->depth >= 1);
    CsGrid *grid = g_new0(CsGrid, 1);
    grid->m = m;
    grid->n = n;
    grid->members = shape->members;
    grid->block_height = block_height;
    grid->block_width = block_width;
    g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(gint64));
    gint64 row = 0;
    g_array_append_val(starts, row);
    if (m > 0 && n > 0) {
        grid->block_columns = cs_divide_up(n, block_width);
        for (gsize k = 0; row < m;) {
            while (k < n_special_rows && special_rows[k] <= row)
                k++;
            gint64 stop = k < n_special_rows ? special_rows[k] : m;
            g_assert(stop <= m);
            row = stop - row > block_height ? row + block_height : stop;
            g_array_append_val(starts, row);
        }
    }
    grid->depth = CLAMP(shape->depth, 1, MAX(1, MIN(grid->block_columns, (gint64)starts->len - 1)));
    if (shape->row_unit > 0 && n_special_rows == 0 && (gint64)starts->len - 1 > grid->depth)
        spread_last_tier(starts, m, grid->depth, shape->row_unit);
    grid->block_rows = (gint64)starts->len - 1;
    grid->row_starts = (gint64 *)g_array_free(g_steal_pointer(&starts), FALSE);
    return grid;
}

void
cs_grid_free(CsGrid *grid)
{
    if (grid == NULL)
        return;
    g_free(grid->row_starts);
    g_free(grid);
}

gint64
cs_grid_diagonals(const CsGrid *grid)
{
    if (grid->block_rows == 0)
        return 0;
    gint64 last = grid->block_rows - 1;
    return grid->block_columns + last % grid->depth + last / grid->depth * grid->block_columns;
}

/*
 * A block waits for those above it and to its left. The longest way through the band of a tier goes down
 * all its block rows, and to the right as far as the band does on these rows, which is its width and, for
 * each block row but one, as many columns as a block row has rows. But a tier begins where the one above it
 * has come to its last columns.
 */
double
cs_grid_steps(const CsGrid *grid, double blocks)
{
    const double depth = (double)grid->depth;
    const double a_row = 1 + (double)grid->block_height / (double)MAX(1, grid->block_width);
    const double width = MAX(1, blocks), columns = (double)grid->block_columns;
    return MIN((depth - 1) * a_row + width, MAX(columns, width)) / depth;
}

gint64
cs_grid_slot_blocks(const CsGrid *grid, gint64 slot)
{
    if (slot >= grid->block_rows)
        return 0;
    return ((grid->block_rows - 1 - slot) / grid->depth + 1) * grid->block_columns;
}
