/* Directions of a rectangle's cells, and the walk along them. */
#include <string.h>

#include <chromosweep/error.h>

#include "alignment/walk.h"

/* What a byte of directions says of a cell. */
enum {
    SOURCE = 3, /* 0: H is 0 */
    SOURCE_PAIR = 1,
    SOURCE_E = 2,
    SOURCE_F = 3,
    OPENS_E = 4, /* E was opened from the H before it */
    OPENS_F = 8,
};

typedef struct {
    const CsWalk *walk;
    const CsNode *node; /* where it begins */
    gint64 height, width;
    guint8 *rows, *columns; /* bases */
    guint8 *masked;         /* [1] .. are the row's columns; NULL without a mask */
    CsScore *h, *f;         /* of a row; [0] is the border's */
    gint64 *from;           /* of each row the first column with directions */
    gsize *begin;           /* and where they are */
    guint8 *directions;
    gsize used, size;
    gint64 first, last; /* columns of the row before that may matter */
    gint64 last_left;   /* the last row that something may enter from the left, or 0 */
    CsScore value;      /* at the node */
} Box;

static void
box_clear(Box *box)
{
    g_free(box->rows);
    g_free(box->columns);
    g_free(box->masked);
    g_free(box->h);
    g_free(box->f);
    g_free(box->from);
    g_free(box->begin);
    g_free(box->directions);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Box, box_clear)

static gboolean
no_memory(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory to trace the alignment");
    return FALSE;
}

static void
read_bases(Box *box)
{
    const CsRectangle *matrix = box->walk->matrix;
    const CsView rows = cs_view_slice(&matrix->rows, box->walk->above, box->height);
    const CsView columns = cs_view_slice(&matrix->columns, box->walk->left_of, box->width);
    cs_view_read(&rows, CS_ROW_AMBIGUOUS, box->rows);
    cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, box->columns);
}

static gboolean
begin(Box *box, GError **error)
{
    const CsBus *top = box->walk->top;
    box->height = box->node->i - box->walk->above;
    box->width = box->node->j - box->walk->left_of;
    box->rows = g_try_malloc((gsize)box->height);
    box->columns = g_try_malloc((gsize)box->width);
    box->masked = box->walk->mask != NULL ? g_try_malloc((gsize)box->width + 1) : NULL;
    box->h = g_try_new(CsScore, box->width + 1);
    box->f = g_try_new(CsScore, box->width + 1);
    box->from = g_try_new(gint64, box->height + 1);
    box->begin = g_try_new(gsize, box->height + 1);
    if (box->rows == NULL || box->columns == NULL || box->h == NULL || box->f == NULL ||
        box->from == NULL || box->begin == NULL || (box->walk->mask != NULL && box->masked == NULL))
        return no_memory(error);
    read_bases(box);
    box->h[0] = box->walk->corner;
    box->f[0] = CS_SCORE_NONE;
    for (gint64 x = 1; x <= box->width; x++) {
        box->h[x] = cs_width_get(top->width, top->h, x - 1);
        box->f[x] = cs_width_get(top->width, top->gap, x - 1);
    }
    box->first = 1;
    box->last = box->width;
    return TRUE;
}

/* The most that a path gains on the way to the node from so many rows and columns away. It falls
 * along a diagonal towards the node. So where a path begins with H = 0, the cell before it matters,
 * too, and the path is not left out. */
static CsScore
gain(const Box *box, gint64 rows, gint64 columns)
{
    return cs_walk_gain(&box->walk->matrix->scoring, rows, columns);
}

/* H of the column left of the rectangle. */
static CsScore
left_h(const Box *box, gint64 y)
{
    const CsBus *left = box->walk->left;
    return left != NULL ? cs_width_get(left->width, left->h, y - 1) : 0;
}

static void
find_last_left(Box *box)
{
    gint64 y = box->height;
    while (y > 0 && left_h(box, y) + gain(box, box->height - y, box->width) < box->node->value)
        y--;
    box->last_left = y;
}

static gboolean
make_room(Box *box, gsize more, GError **error)
{
    if (box->size - box->used >= more)
        return TRUE;
    const gsize size = (box->used + more) / 2 * 3 + 4096;
    guint8 *directions = g_try_realloc(box->directions, size);
    if (directions == NULL)
        return no_memory(error);
    box->directions = directions;
    box->size = size;
    return TRUE;
}

static CsScore
value_of(const Box *box, CsScore h, CsScore e, CsScore f)
{
    return box->node->state == CS_NODE_H ? h : box->node->state == CS_NODE_E ? e : f;
}

/* Computes row y from the first column that may matter to the last. A cell becomes zero if even
 * matches alone do not lead from it to the node's value. */
static gboolean
fill_row(Box *box, gint64 y, GError **error)
{
    const CsRectangle *matrix = box->walk->matrix;
    const CsScoring *scoring = &matrix->scoring;
    const CsScore first_gap = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    const CsBus *left = box->walk->left;
    const CsScore wanted = box->node->value;
    if (y <= box->last_left + 1)
        box->first = 1;
    const gint64 from = box->first;
    CsScore *h = box->h, *f = box->f, before = h[from - 1], e = CS_SCORE_NONE, beside = 0;
    if (from == 1 && left != NULL) {
        beside = left_h(box, y);
        e = cs_width_get(left->width, left->gap, y - 1);
    }
    h[from - 1] = beside;
    f[from - 1] = CS_SCORE_NONE;
    if (!make_room(box, (gsize)(box->width - from + 1), error))
        return FALSE;
    box->from[y] = from;
    box->begin[y] = box->used;
    if (box->masked != NULL) {
        memset(box->masked, 0, (gsize)box->width + 1);
        cs_mask_row(box->walk->mask, box->walk->above + y, box->walk->left_of, box->width,
                    box->masked);
    }
    /* If two gaps give H, the one of unpaired query bases is taken. */
    const guint8 both = matrix->tie_order == CS_TIE_ROW_FIRST ? SOURCE_E : SOURCE_F;
    const guint8 *columns = box->columns, *masked = box->masked, base = box->rows[y - 1];
    const CsScore match = scoring->match, mismatch = -scoring->mismatch;
    const gint64 rows_left = box->height - y, node = rows_left == 0 ? box->width : 0;
    guint8 *directions = box->directions + box->used;
    gint64 first = 0, last = 0, x = from;
    for (; x <= box->width; x++) {
        const CsScore opened_e = beside - first_gap, opened_f = h[x] - first_gap;
        guint8 direction = 0;
        direction |= opened_e >= e - extend ? OPENS_E : 0;
        direction |= opened_f >= f[x] - extend ? OPENS_F : 0;
        e = MAX(e - extend, opened_e);
        CsScore down = MAX(f[x] - extend, opened_f);
        CsScore pair = before + (base == columns[x - 1] ? match : mismatch);
        if (masked != NULL && masked[x])
            pair = CS_SCORE_NONE;
        const CsScore gap = MAX(e, down);
        CsScore here = MAX(MAX(pair, 0), gap);
        const guint8 source = e == down ? both : e > down ? SOURCE_E : SOURCE_F;
        if (here > 0)
            direction |= here == pair ? SOURCE_PAIR : source;
        before = h[x];
        if (x == node) {
            box->value = value_of(box, here, e, down);
        } else if (here + gain(box, rows_left, box->width - x) < wanted) {
            here = 0;
            e = down = CS_SCORE_NONE;
            direction = 0;
        } else {
            first = first == 0 ? x : first;
            last = x;
        }
        h[x] = beside = here;
        f[x] = down;
        *directions++ = direction;
        if (x > box->last && here == 0 && e == CS_SCORE_NONE) {
            x++;
            break;
        }
    }
    box->used += (gsize)(x - from);
    box->first = first > 0 ? first : box->width;
    box->last = last;
    return TRUE;
}

/* Walks back along the directions until the path starts or leaves the rectangle. */
static gboolean
follow(const Box *box, CsNode *node, CsPath *path, gboolean *started, GError **error)
{
    gint64 y = box->height, x = box->width;
    CsNodeState state = node->state;
    *started = FALSE;
    while (y > 0 && x > 0) {
        if (x < box->from[y]) {
            g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                                "internal error: an alignment left its box");
            return FALSE;
        }
        const guint8 direction = box->directions[box->begin[y] + (gsize)(x - box->from[y])];
        CsPathKind kind;
        if (state == CS_NODE_H) {
            const guint8 source = direction & SOURCE;
            if (source == 0) {
                *started = TRUE;
                break;
            }
            if (source != SOURCE_PAIR) {
                state = source == SOURCE_E ? CS_NODE_E : CS_NODE_F;
                continue;
            }
            kind = CS_PATH_PAIRS;
        } else if (state == CS_NODE_E) {
            kind = CS_PATH_COLUMNS;
            state = direction & OPENS_E ? CS_NODE_H : CS_NODE_E;
        } else {
            kind = CS_PATH_ROWS;
            state = direction & OPENS_F ? CS_NODE_H : CS_NODE_F;
        }
        if (!cs_path_step_back(path, kind, 1, error))
            return FALSE;
        y -= kind != CS_PATH_COLUMNS;
        x -= kind != CS_PATH_ROWS;
    }
    node->i = box->walk->above + y;
    node->j = box->walk->left_of + x;
    node->state = state;
    return TRUE;
}

gboolean
cs_walk_back(const CsWalk *walk, CsNode *node, CsPath *path, gboolean *started, GError **error)
{
    g_auto(Box) box = {.walk = walk, .node = node};
    if (!begin(&box, error))
        return FALSE;
    find_last_left(&box);
    for (gint64 y = 1; y <= box.height; y++)
        if (!fill_row(&box, y, error))
            return FALSE;
    if (walk->cells != NULL)
        *walk->cells += (gint64)box.used;
    if (box.value != node->value) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                    "internal error: at row %" G_GINT64_FORMAT ", column %" G_GINT64_FORMAT
                    " the alignment is worth %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                    node->i, node->j, box.value, node->value);
        return FALSE;
    }
    return follow(&box, node, path, started, error);
}
