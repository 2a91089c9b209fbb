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
} Band;

static void
band_clear(Band *band)
{
    g_free(band->rows);
    g_free(band->columns);
    g_free(band->masked);
    g_free(band->h);
    g_free(band->f);
    g_free(band->from);
    g_free(band->begin);
    g_free(band->directions);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Band, band_clear)

static gboolean
no_memory(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory to trace the alignment");
    return FALSE;
}

static void
read_bases(Band *band)
{
    const CsRectangle *matrix = band->walk->matrix;
    const CsView rows = cs_view_slice(&matrix->rows, band->walk->above, band->height);
    const CsView columns = cs_view_slice(&matrix->columns, band->walk->left_of, band->width);
    cs_view_read(&rows, CS_ROW_AMBIGUOUS, band->rows);
    cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, band->columns);
}

static gboolean
begin(Band *band, GError **error)
{
    const CsBus *top = band->walk->top;
    band->height = band->node->i - band->walk->above;
    band->width = band->node->j - band->walk->left_of;
    band->rows = g_try_malloc((gsize)band->height);
    band->columns = g_try_malloc((gsize)band->width);
    band->masked = band->walk->mask != NULL ? g_try_malloc((gsize)band->width + 1) : NULL;
    band->h = g_try_new(CsScore, band->width + 1);
    band->f = g_try_new(CsScore, band->width + 1);
    band->from = g_try_new(gint64, band->height + 1);
    band->begin = g_try_new(gsize, band->height + 1);
    if (band->rows == NULL || band->columns == NULL || band->h == NULL || band->f == NULL ||
        band->from == NULL || band->begin == NULL ||
        (band->walk->mask != NULL && band->masked == NULL))
        return no_memory(error);
    read_bases(band);
    band->h[0] = band->walk->corner;
    band->f[0] = CS_SCORE_NONE;
    for (gint64 x = 1; x <= band->width; x++) {
        band->h[x] = cs_width_get(top->width, top->h, x - 1);
        band->f[x] = cs_width_get(top->width, top->gap, x - 1);
    }
    band->first = 1;
    band->last = band->width;
    return TRUE;
}

/* What a path can still gain with so many rows and columns before it. Along a diagonal it falls, so a
 * path that begins where H is 0 is not left out beside the cells that may matter. */
static CsScore
gain(const Band *band, gint64 rows, gint64 columns)
{
    return cs_walk_gain(&band->walk->matrix->scoring, rows, columns);
}

/* H of the column left of the rectangle. */
static CsScore
left_h(const Band *band, gint64 y)
{
    const CsBus *left = band->walk->left;
    return left != NULL ? cs_width_get(left->width, left->h, y - 1) : 0;
}

static void
find_last_left(Band *band)
{
    gint64 y = band->height;
    while (y > 0 && left_h(band, y) + gain(band, band->height - y, band->width) < band->node->value)
        y--;
    band->last_left = y;
}

static gboolean
make_room(Band *band, gsize more, GError **error)
{
    if (band->size - band->used >= more)
        return TRUE;
    const gsize size = (band->used + more) / 2 * 3 + 4096;
    guint8 *directions = g_try_realloc(band->directions, size);
    if (directions == NULL)
        return no_memory(error);
    band->directions = directions;
    band->size = size;
    return TRUE;
}

/* H of a cell and where it comes from; of two gaps the query's bases go first. */
static CsScore
choose(const Band *band, CsScore pair, CsScore e, CsScore f, guint8 *direction)
{
    const gboolean e_first = band->walk->matrix->tie_order == CS_TIE_ROW_FIRST;
    const CsScore h = MAX(MAX(pair, 0), MAX(e, f));
    if (h == 0)
        return 0;
    if (h == pair)
        *direction |= SOURCE_PAIR;
    else if (e_first)
        *direction |= h == e ? SOURCE_E : SOURCE_F;
    else
        *direction |= h == f ? SOURCE_F : SOURCE_E;
    return h;
}

static CsScore
value_of(const Band *band, CsScore h, CsScore e, CsScore f)
{
    return band->node->state == CS_NODE_H ? h : band->node->state == CS_NODE_E ? e : f;
}

/* Row y, from the first column that may matter to the last. A cell from which even matches alone
 * do not lead to the node's value is made zero. */
static gboolean
fill_row(Band *band, gint64 y, GError **error)
{
    const CsScoring *scoring = &band->walk->matrix->scoring;
    const CsScore first_gap = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    const CsBus *left = band->walk->left;
    const CsScore wanted = band->node->value;
    if (y <= band->last_left + 1)
        band->first = 1;
    const gint64 from = band->first;
    CsScore *h = band->h, *f = band->f, before = h[from - 1], e = CS_SCORE_NONE, beside = 0;
    if (from == 1 && left != NULL) {
        beside = left_h(band, y);
        e = cs_width_get(left->width, left->gap, y - 1);
    }
    h[from - 1] = beside;
    f[from - 1] = CS_SCORE_NONE;
    if (!make_room(band, (gsize)(band->width - from + 1), error))
        return FALSE;
    band->from[y] = from;
    band->begin[y] = band->used;
    if (band->masked != NULL) {
        memset(band->masked, 0, (gsize)band->width + 1);
        cs_mask_row(band->walk->mask, band->walk->above + y, band->walk->left_of, band->width,
                    band->masked);
    }
    gint64 first = 0, last = 0;
    for (gint64 x = from; x <= band->width; x++) {
        guint8 direction = 0;
        direction |= beside - first_gap >= e - extend ? OPENS_E : 0;
        direction |= h[x] - first_gap >= f[x] - extend ? OPENS_F : 0;
        e = MAX(e - extend, beside - first_gap);
        CsScore down = MAX(f[x] - extend, h[x] - first_gap);
        CsScore pair = before + (band->rows[y - 1] == band->columns[x - 1] ? scoring->match
                                                                           : -scoring->mismatch);
        if (band->masked != NULL && band->masked[x])
            pair = CS_SCORE_NONE;
        CsScore here = choose(band, pair, e, down, &direction);
        before = h[x];
        if (y == band->height && x == band->width) {
            band->value = value_of(band, here, e, down);
        } else if (here + gain(band, band->height - y, band->width - x) < wanted) {
            here = 0;
            e = down = CS_SCORE_NONE;
            direction = 0;
        } else {
            first = first == 0 ? x : first;
            last = x;
        }
        h[x] = beside = here;
        f[x] = down;
        band->directions[band->used++] = direction;
        if (x > band->last && here == 0 && e == CS_SCORE_NONE)
            break;
    }
    band->first = first > 0 ? first : band->width;
    band->last = last;
    return TRUE;
}

/* Back along the directions, until the path starts or leaves. */
static gboolean
follow(const Band *band, CsNode *node, CsPath *path, gboolean *started, GError **error)
{
    gint64 y = band->height, x = band->width;
    CsNodeState state = node->state;
    *started = FALSE;
    while (y > 0 && x > 0) {
        if (x < band->from[y]) {
            g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                                "internal error: an alignment left its band");
            return FALSE;
        }
        const guint8 direction = band->directions[band->begin[y] + (gsize)(x - band->from[y])];
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
    node->i = band->walk->above + y;
    node->j = band->walk->left_of + x;
    node->state = state;
    return TRUE;
}

gboolean
cs_walk_back(const CsWalk *walk, CsNode *node, CsPath *path, gboolean *started, GError **error)
{
    g_auto(Band) band = {.walk = walk, .node = node};
    if (!begin(&band, error))
        return FALSE;
    find_last_left(&band);
    for (gint64 y = 1; y <= band.height; y++)
        if (!fill_row(&band, y, error))
            return FALSE;
    if (walk->cells != NULL)
        *walk->cells += (gint64)band.used;
    if (band.value != node->value) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                    "internal error: at row %" G_GINT64_FORMAT ", column %" G_GINT64_FORMAT
                    " the alignment is worth %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                    node->i, node->j, band.value, node->value);
        return FALSE;
    }
    return follow(&band, node, path, started, error);
}
