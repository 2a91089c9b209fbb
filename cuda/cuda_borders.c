/* What enters a sweep on a GPU, and the right border that leaves it. */
#include "cuda/cuda_borders.h"

/*
 * For each block row, F of its last row in column 1 as opened in these rows from the E that enters
 * from the left. The kernels' F does not include it (borders.cuh, mend()). What was opened in the
 * rows above is part of the F that enters the block row from above.
 */
static gboolean
make_enter_f(CsRun *run, const CsBus *left, GError **error)
{
    const CsGrid *grid = run->grid;
    const CsScoring *scoring = &run->rectangle->scoring;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    gsize bytes = (gsize)grid->block_rows * sizeof(gint32);
    g_autofree gint32 *enter = g_malloc(bytes);
    CsScore f = -CS_SCORE_32_LIMIT;
    for (gint64 i = 0, bi = 0; i < left->length; i++) {
        const gboolean last = i + 1 == grid->row_starts[bi + 1];
        if (last)
            enter[bi++] = (gint32)f;
        CsKernelCell cell = cs_cuda_memory_cell(left, i);
        CsScore e = MAX((CsScore)cell.gap - extend, (CsScore)cell.h - first);
        f = MAX(MAX(f - extend, e - first), -CS_SCORE_32_LIMIT); /* of the row below */
        if (last)
            f = -CS_SCORE_32_LIMIT;
    }
    run->launch.enter_f = cs_cuda_memory_place(&run->memory, enter, bytes, error);
    return run->launch.enter_f != NULL;
}

/* A copy of a bus, with 32 bits. */
static CsBus *
copy_bus(const CsBus *bus, GError **error)
{
    CsBus *copy = cs_bus_new(bus->length, CS_WIDTH_32, error);
    if (copy != NULL)
        cs_bus_copy(copy, 0, bus, 0, bus->length);
    return copy;
}

/* Raises each H to what is left of a later cell's H after a way back. Returns it for the corner. */
static CsScore
raise_back(CsBus *bus, const CsScoring *scoring)
{
    const CsScore rise = scoring->match + scoring->gap_extend;
    CsScore behind = CS_SCORE_NONE;
    for (gint64 k = bus->length - 1; k >= 0; k--) {
        const CsScore h = cs_width_get(CS_WIDTH_32, bus->h, k);
        cs_width_set(CS_WIDTH_32, bus->h, k, MAX(h, behind));
        behind = MAX(behind, h - scoring->gap_open) - rise;
    }
    return behind;
}

/* Raises each H to what is left of an earlier cell's H, or the corner's, after a gap. */
static void
raise_on(CsBus *bus, CsScore corner, const CsScoring *scoring)
{
    CsScore before = corner - scoring->gap_open - scoring->gap_extend;
    for (gint64 k = 0; k < bus->length; k++) {
        const CsScore h = cs_width_get(CS_WIDTH_32, bus->h, k);
        cs_width_set(CS_WIDTH_32, bus->h, k, MAX(h, before));
        before = MAX(before, h - scoring->gap_open) - scoring->gap_extend;
    }
}

/* Smooth copies (cuda_borders.h) of the borders that enter. NULL: zero. */
static gboolean
smooth(const CsRectangle *rectangle, CsBus **top, CsBus **left, CsScore *corner, GError **error)
{
    const CsScoring *scoring = &rectangle->scoring;
    *corner = rectangle->corner;
    if ((rectangle->top != NULL && (*top = copy_bus(rectangle->top, error)) == NULL) ||
        (rectangle->left != NULL && (*left = copy_bus(rectangle->left, error)) == NULL))
        return FALSE;
    if (*top != NULL)
        *corner = MAX(*corner, raise_back(*top, scoring));
    if (*left != NULL)
        *corner = MAX(*corner, raise_back(*left, scoring));
    if (*top != NULL)
        raise_on(*top, *corner, scoring);
    if (*left != NULL)
        raise_on(*left, *corner, scoring);
    return TRUE;
}

/* Uploads H left of the row above each block row, if that is not the row above in the border. */
static gboolean
enter_corners(CsRun *run, const CsRectangle *rectangle, GError **error)
{
    const gint64 rows = run->grid->block_rows;
    if (rectangle->corners == NULL)
        return TRUE;
    g_autofree gint32 *corners = g_new(gint32, rows);
    for (gint64 bi = 0; bi < rows; bi++)
        cs_width_set(CS_WIDTH_32, corners, bi, rectangle->corners[bi]);
    run->launch.corners =
        cs_cuda_memory_place(&run->memory, corners, (gsize)rows * sizeof *corners, error);
    return run->launch.corners != NULL;
}

/* Uploads the left border, and what is opened from it. */
static gboolean
enter_left(CsRun *run, const CsRectangle *rectangle, GError **error)
{
    const gint64 m = cs_rectangle_m(rectangle);
    g_autoptr(CsBus) left = cs_bus_new(m, CS_WIDTH_32, error);
    if (left == NULL)
        return FALSE;
    cs_rectangle_read_left(rectangle, left);
    CsKernelCell *device =
        cs_cuda_memory_allocate(&run->memory, (gsize)m * sizeof(CsKernelCell), error);
    if (device == NULL || !cs_cuda_memory_upload_bus(&run->memory, device, left, error))
        return FALSE;
    run->launch.left = device;
    return make_enter_f(run, left, error) && enter_corners(run, rectangle, error);
}

gboolean
cs_cuda_borders_enter(CsRun *run, CsKernelCell *top, GError **error)
{
    CsRectangle entered = *run->rectangle;
    CsKernelLaunch *launch = &run->launch;
    g_autoptr(CsBus) smooth_top = NULL;
    g_autoptr(CsBus) smooth_left = NULL;
    if (cs_cuda_plan_smooths(&entered)) {
        if (!smooth(run->rectangle, &smooth_top, &smooth_left, &entered.corner, error))
            return FALSE;
        entered.top = smooth_top;
        entered.left = smooth_left;
        launch->corner = (gint32)entered.corner;
    }
    /* Zero, which is on the device already, needs nothing. */
    if ((entered.top != NULL &&
         !cs_cuda_memory_upload_bus(&run->memory, top, entered.top, error)) ||
        (cs_cuda_footprint_has_left(&entered) && !enter_left(run, &entered, error)))
        return FALSE;
    if (entered.right == NULL)
        return TRUE;
    launch->right = cs_cuda_memory_allocate(
        &run->memory, (gsize)cs_rectangle_m(&entered) * sizeof(CsKernelCell), error);
    return launch->right != NULL;
}

gboolean
cs_cuda_borders_corner(CsRun *run, gint64 row, CsScore *corner, GError **error)
{
    CsKernelCell cell = {0, 0};
    if (row == 0) {
        *corner = run->rectangle->corner;
        return TRUE;
    }
    if (run->launch.left != NULL &&
        !cs_cuda_memory_download(&run->memory, &cell, run->launch.left + row - 1, sizeof cell,
                                 error))
        return FALSE;
    *corner = cell.h;
    return TRUE;
}

gboolean
cs_cuda_borders_leave_right(CsRun *run, gint64 from, gint64 to, GError **error)
{
    return run->rectangle->right == NULL || from >= to ||
           cs_cuda_memory_download_bus(&run->memory, run->rectangle->right, from,
                                       run->launch.right + from, to - from, error);
}
