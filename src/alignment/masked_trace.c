/* The walk back through the tiles of a masked matrix. */
#include <chromosweep/error.h>

#include "alignment/masked_inside.h"
#include "alignment/reach.h"
#include "alignment/walk.h"

enum {
    WALK_WIDTH = 1 << 13,
};

/* All masked pairs of some tiles. */
static GArray *
collect_runs(const CsMaskedMatrix *matrix, gint64 above, gint64 left_of, const CsBest *end)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
    for (gint64 row = above / matrix->side; row <= (end->i - 1) / matrix->side; row++)
        for (gint64 column = left_of / matrix->side; column <= (end->j - 1) / matrix->side;
             column++) {
            const CsMaskedSquare *square = cs_masked_square(matrix, row, column);
            if (square != NULL && square->runs != NULL)
                g_array_append_vals(runs, square->runs->data, square->runs->len);
        }
    return runs;
}

/* Walks through the box of a short alignment, which nothing enters. *found is FALSE if the
 * alignment is not short. Masked pairs make the box no larger. */
static gboolean
trace_short(const CsMaskedMatrix *matrix, const CsBest *end, CsPath *path, gboolean *found,
            GError **error)
{
    const gint64 most = matrix->options.sizes.reach;
    CsNode node = {end->i, end->j, CS_NODE_H, end->score};
    CsWalk walk = {.matrix = &matrix->whole};
    gboolean started; /* or it begins at the border, where H is 0 */
    *found = FALSE;
    if (most < 0)
        return TRUE;
    if (!cs_reach_find(&matrix->whole, end->i, end->j, most, &walk.above, &walk.left_of, found,
                       error))
        return FALSE;
    if (!*found || end->j - walk.left_of > WALK_WIDTH) {
        *found = FALSE;
        return TRUE;
    }
    g_autoptr(CsBus) top = cs_bus_new(end->j - walk.left_of, matrix->width, error);
    g_autoptr(GArray) runs = collect_runs(matrix, walk.above, walk.left_of, end);
    const CsMask mask = cs_masked_mask(matrix, runs);
    walk.top = top;
    walk.mask = &mask;
    return top != NULL && cs_walk_back(&walk, &node, path, &started, error);
}

/* A walk through a tile. */
typedef struct {
    const CsMaskedMatrix *matrix;
    CsMaskedPart part; /* as far as the node; its buses are overwritten */
    CsBus *column;     /* what enters from the left */
    GPtrArray *rows;   /* of CsBus: what enters from above, and the rows that were handed out */
    CsMask mask;
} TileWalk;

static void
tile_walk_clear(TileWalk *walk)
{
    cs_masked_part_clear(&walk->part);
    g_clear_pointer(&walk->column, cs_bus_free);
    g_clear_pointer(&walk->rows, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TileWalk, tile_walk_clear)

/* A CsMaskedRowFunc. */
static gboolean
take_row(gint64 rows, const CsBus *row, gpointer user_data, GError **error)
{
    TileWalk *walk = user_data;
    CsBus *copy = cs_masked_copy(walk->matrix, row, 0, row->length, error);
    if (copy == NULL)
        return FALSE;
    g_ptr_array_add(walk->rows, copy);
    return TRUE;
}

/* H of the column that enters from the left, below so many of the tile's rows. */
static CsScore
left_h(const TileWalk *walk, gint64 rows)
{
    return rows == 0 ? walk->part.corner
                     : cs_width_get(walk->column->width, walk->column->h, rows - 1);
}

static gboolean
fail_nowhere(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                        "internal error: an alignment begins nowhere");
    return FALSE;
}

/* Computes the tile as far as the node, and hands out rows. */
static gboolean
open_tile(TileWalk *walk, const CsNode *node, GError **error)
{
    const CsMaskedMatrix *matrix = walk->matrix;
    const gint64 row = (node->i - 1) / matrix->side, column = (node->j - 1) / matrix->side;
    CsMaskedPlace place = cs_masked_place(matrix, row, column);
    const CsMaskedSquare *square = cs_masked_square(matrix, row, column);
    if (square == NULL)
        return fail_nowhere(error);
    const CsMaskedTile kernel = cs_masked_kernel(matrix, square);
    place.height = node->i - place.above;
    place.width = node->j - place.left_of;
    walk->rows = g_ptr_array_new_with_free_func((GDestroyNotify)cs_bus_free);
    walk->mask = kernel.mask;
    if (!cs_masked_enter(matrix, &place, &walk->part, error) ||
        !take_row(0, walk->part.row, walk, error))
        return FALSE;
    walk->column = cs_masked_copy(matrix, walk->part.column, 0, place.height, error);
    if (walk->column == NULL)
        return FALSE;
    walk->part.distance = matrix->options.sizes.distance;
    walk->part.row_func = take_row;
    walk->part.row_data = walk;
    return place.height <= walk->part.distance || cs_masked_tile_run(&kernel, &walk->part, error);
}

/* The value of a node on a border of the tile, or on a row that was handed out. */
static void
read_node(const TileWalk *walk, gsize k, CsNode *node)
{
    const CsMaskedPart *part = &walk->part;
    const CsBus *row = g_ptr_array_index(walk->rows, k);
    const gboolean on_row =
        node->i == part->above + (gint64)k * walk->matrix->options.sizes.distance;
    if (node->j == part->left_of && (node->state == CS_NODE_H || !on_row))
        node->value =
            node->state == CS_NODE_H
                ? left_h(walk, node->i - part->above)
                : cs_width_get(walk->column->width, walk->column->gap, node->i - part->above - 1);
    else
        node->value = cs_width_get(row->width, node->state == CS_NODE_H ? row->h : row->gap,
                                   node->j - part->left_of - 1);
}

/* From the node back, until the path starts or leaves the tile. */
static gboolean
walk_tile(TileWalk *tile, CsNode *node, CsPath *path, gboolean *started, GError **error)
{
    const CsMaskedPart *part = &tile->part;
    for (gsize k = tile->rows->len; k-- > 0 && !*started;) {
        const gint64 done = (gint64)k * tile->matrix->options.sizes.distance;
        const gint64 above = part->above + done;
        if (node->i <= above || node->j <= part->left_of)
            continue;
        const CsBus top =
            cs_bus_slice(g_ptr_array_index(tile->rows, k), 0, node->j - part->left_of);
        const CsBus left = cs_bus_slice(tile->column, done, node->i - above);
        const CsWalk walk = {.matrix = &tile->matrix->whole,
                             .above = above,
                             .left_of = part->left_of,
                             .corner = left_h(tile, done),
                             .top = &top,
                             .left = &left,
                             .mask = &tile->mask};
        if (!cs_walk_back(&walk, node, path, started, error))
            return FALSE;
        if (*started)
            return TRUE;
        read_node(tile, k, node);
        *started = node->state == CS_NODE_H && node->value == 0;
    }
    return TRUE;
}

gboolean
cs_masked_walk(const CsMaskedMatrix *matrix, CsMaskedTrace *trace, GError **error)
{
    if (trace->path.n == 0 && !trace->complete &&
        !trace_short(matrix, &trace->end, &trace->path, &trace->complete, error))
        return FALSE;
    for (gboolean begun = FALSE; !trace->complete; begun = TRUE) {
        CsNode *node = &trace->node;
        g_auto(TileWalk) walk = {.matrix = matrix};
        if (g_atomic_int_get(&matrix->stop) != 0 || (begun && cs_masked_save_is_due(matrix)))
            return TRUE;
        if (node->i == 0 || node->j == 0 || node->value <= 0)
            return fail_nowhere(error);
        if (!open_tile(&walk, node, error) ||
            !walk_tile(&walk, node, &trace->path, &trace->complete, error))
            return FALSE;
    }
    return TRUE;
}
