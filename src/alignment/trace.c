/* Strips of a matrix, from the end of an alignment back. */
#include <chromosweep/error.h>

#include "alignment/reach.h"
#include "alignment/trace.h"
#include "sweep/sweep.h"

enum {
    WALK_HEIGHT = 192,
    WALK_WIDTH = 768,
    BLOCK_HEIGHT = 64,
    BLOCK_WIDTH = 256,
    LINES = 31,              /* rows or columns that a strip hands out, at most */
    LINE_UNIT = 64,          /* their distance is a multiple of it, where it is as large */
    TURN = 4,                /* a strip so many times wider than high is split by columns */
    SHORT_CELLS = 1 << 22,   /* looked at for an alignment that may be short */
    THREADS_CELLS = 1 << 25, /* of a strip, from which on more threads than one pay */
};

/* A border of a strip, in the coordinates of the matrix: a line that a sweep handed out, whose
 * first cell follows `origin`, or zeros. */
typedef struct {
    CsRows *rows; /* NULL: zeros */
    gsize k;
    gint64 origin;
    CsScore corner; /* of a top: H at `origin` */
} Line;

typedef struct {
    const CsTrace *given;
    CsPath *path;
    CsNode node;
    gboolean started;
    gint64 height, width; /* of what is walked at once */
} Trace;

/* A strip: rows above + 1 .. and columns left_of + 1 .., as far as the node. */
typedef struct {
    gint64 above, left_of;
    Line top, left;
} Strip;

static gboolean
read_line(const Line *line, gint64 from, gint64 count, CsWidth width, CsBus **bus, GError **error)
{
    *bus = cs_bus_new(count, width, error);
    if (*bus == NULL)
        return FALSE;
    return line->rows == NULL ||
           cs_rows_read(line->rows, line->k, from - line->origin, *bus, error);
}

/* H at one place of a line, the corner of a top included. */
static gboolean
read_h(const Line *line, gint64 at, CsScore *h, GError **error)
{
    *h = at == line->origin ? line->corner : 0;
    if (line->rows == NULL || at == line->origin)
        return TRUE;
    g_autoptr(CsBus) bus = NULL;
    if (!read_line(line, at - 1, 1, CS_WIDTH_64, &bus, error))
        return FALSE;
    *h = cs_width_get(bus->width, bus->h, 0);
    return TRUE;
}

/*
 * The first place from .. to of a line where H can lead to the node's value, which is so many cells
 * away across the line, and along it as many as there are to `to`; to + 1 where there is none. No
 * gap that was opened before is worth more: its value is never above H.
 */
static gboolean
find_entry(const Trace *trace, const Line *line, gint64 from, gint64 to, gint64 across,
           gint64 *place, GError **error)
{
    const CsScore match = trace->given->matrix->scoring.match, wanted = trace->node.value;
    CsScore h;
    *place = from;
    if (!read_h(line, from, &h, error))
        return FALSE;
    /* Matches alone lead to less from each place that follows: so much for zeros. */
    if (h + match * MIN(across, to - from) >= wanted)
        return TRUE;
    gint64 at = from - line->origin;
    CsRowsPiece piece;
    while (line->rows != NULL && cs_rows_next(line->rows, line->k, at, &piece) &&
           line->origin + piece.column <= to) {
        const gint64 first = line->origin + piece.column;
        const gint64 count = MIN(piece.count, to - first + 1);
        at = piece.column + count - 1;
        if (piece.highest + match * MIN(across, to - first) < wanted)
            continue;
        g_autoptr(CsBus) bus = NULL;
        if (!read_line(line, first - 1, count, CS_WIDTH_64, &bus, error))
            return FALSE;
        for (gint64 k = 0; k < count; k++) {
            *place = first + k;
            if (cs_width_get(bus->width, bus->h, k) + match * MIN(across, to - *place) >= wanted)
                return TRUE;
        }
    }
    *place = to + 1;
    return TRUE;
}

/* Leaves out columns through which nothing leads to the node. */
static gboolean
narrow(const Trace *trace, Strip *strip, GError **error)
{
    const CsNode *node = &trace->node;
    const gint64 height = node->i - strip->above, width = node->j - strip->left_of;
    gint64 place;
    if (strip->left.rows != NULL) {
        if (!find_entry(trace, &strip->left, strip->above + 1, node->i, width, &place, error))
            return FALSE;
        if (place <= node->i)
            return TRUE;
    }
    if (!find_entry(trace, &strip->top, strip->left_of, node->j, height, &place, error))
        return FALSE;
    /* A gap may go down from that place, so its column is one of the strip's. */
    strip->left_of = MAX(strip->left_of, MIN(place, node->j) - 1);
    strip->left = (Line){.origin = strip->above};
    return TRUE;
}

/* The value of the node, which stands on a border of a strip. */
static gboolean
read_node(Trace *trace, const Strip *strip, GError **error)
{
    CsNode *node = &trace->node;
    const gboolean on_top = node->i == strip->above;
    const Line *line = on_top ? &strip->top : &strip->left;
    const gint64 at = on_top ? node->j : node->i;
    if (node->state == CS_NODE_H) {
        if (!read_h(line, at, &node->value, error))
            return FALSE;
        trace->started = node->value == 0;
        return TRUE;
    }
    g_autoptr(CsBus) bus = NULL;
    if (!read_line(line, at - 1, 1, CS_WIDTH_64, &bus, error))
        return FALSE;
    node->value = cs_width_get(bus->width, bus->gap, 0);
    if (node->value > 0 && node->state == (on_top ? CS_NODE_F : CS_NODE_E))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                        "internal error: an alignment has a gap that begins nowhere");
    return FALSE;
}

static void
tell_done(const Trace *trace)
{
    const gint64 all = trace->given->end.i;
    if (trace->given->done != NULL)
        g_atomic_int_set(trace->given->done,
                         (gint)((double)(all - trace->node.i) / (double)all * 1e6));
}

static void
keep(const Trace *trace)
{
    const CsTrace *given = trace->given;
    if (given->keep != NULL)
        given->keep(&trace->node, trace->path, trace->started, given->keep_data);
}

static gboolean
walk_strip(Trace *trace, const Strip *strip, GError **error)
{
    CsNode *node = &trace->node;
    g_autoptr(CsBus) top = NULL;
    g_autoptr(CsBus) left = NULL;
    CsWalk walk = {
        .matrix = trace->given->matrix, .above = strip->above, .left_of = strip->left_of};
    if (!read_h(&strip->top, strip->left_of, &walk.corner, error) ||
        !read_line(&strip->top, strip->left_of, node->j - strip->left_of, CS_WIDTH_64, &top, error))
        return FALSE;
    if (strip->left.rows != NULL &&
        !read_line(&strip->left, strip->above, node->i - strip->above, CS_WIDTH_64, &left, error))
        return FALSE;
    walk.top = top;
    walk.left = left;
    if (!cs_walk_back(&walk, node, trace->path, &trace->started, error))
        return FALSE;
    if (!trace->started && !read_node(trace, strip, error))
        return FALSE;
    tell_done(trace);
    keep(trace);
    return TRUE;
}

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    const gint *stop = ((const Trace *)user_data)->given->stop;
    return stop != NULL && g_atomic_int_get(stop) != 0 ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

/* Sweeps a rectangle whose end is the node, skipping all that does not lead there. */
static gboolean
sweep_to_node(Trace *trace, CsRectangle *rectangle, gint64 distance, GError **error)
{
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const CsScore match = rectangle->scoring.match;
    const CsScore spare = trace->given->end.score - trace->node.value;
    const gint64 block = trace->given->block;
    const gboolean small = m < THREADS_CELLS / n;
    const gint64 least_height = block > 0 ? block : BLOCK_HEIGHT;
    const gint64 least_width = block > 0 ? block : BLOCK_WIDTH;
    CsSweepOptions options = {
        .engine = trace->given->engine,
        .engine_options = {.threads = small ? 1 : trace->given->threads, .on_caller = small},
        .shape = {.block_height = CLAMP(distance, least_height, 4 * least_height),
                  .block_width = CLAMP(n / 16, least_width, 4 * least_width)},
        .func = watch,
        .func_data = trace,
    };
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &options);
    g_autofree CsScore *rows = g_new(CsScore, grid->block_rows);
    g_autofree CsScore *columns = g_new(CsScore, grid->block_columns);
    for (gint64 b = 0; b < grid->block_rows; b++)
        rows[b] = match * (m - grid->row_starts[b]) + spare;
    for (gint64 b = 0; b < grid->block_columns; b++)
        columns[b] = match * (n - cs_grid_column_start(grid, b)) + spare;
    rectangle->row_bounds = rows;
    rectangle->column_bounds = columns;
    CsSweepState state;
    return cs_sweep_run(rectangle, grid, &options, &state, error);
}

/* Lines of a strip, across it: rows, or columns where it is turned. */
static CsRows *
hand_out(Trace *trace, const Strip *strip, const gint64 *at, gsize n, gboolean turned,
         GError **error)
{
    const CsRectangle *matrix = trace->given->matrix;
    const gint64 height = trace->node.i - strip->above, width = trace->node.j - strip->left_of;
    const CsView down = cs_view_slice(&matrix->rows, strip->above, height);
    const CsView across = cs_view_slice(&matrix->columns, strip->left_of, width);
    CsRectangle rectangle = {.rows = turned ? across : down,
                             .columns = turned ? down : across,
                             .scoring = matrix->scoring,
                             .skipped = TRUE,
                             .special_rows = at,
                             .n_special_rows = n,
                             .row_func = cs_rows_take,
                             .threshold = trace->given->end.score,
                             .skipping = TRUE,
                             .no_best = TRUE};
    CsWidth bus_width;
    if (!read_h(&strip->top, strip->left_of, &rectangle.corner, error) ||
        !cs_rectangle_width(matrix, &bus_width, error))
        return NULL;
    g_autoptr(CsBus) top = NULL;
    g_autoptr(CsBus) left = NULL;
    g_autoptr(CsRows) rows = cs_rows_new(at, n, bus_width, error);
    if (rows == NULL || !read_line(&strip->top, strip->left_of, width, bus_width, &top, error) ||
        !read_line(&strip->left, strip->above, height, bus_width, &left, error))
        return NULL;
    rectangle.top = turned ? left : top;
    rectangle.left = turned ? top : left;
    rectangle.row_data = rows;
    return sweep_to_node(trace, &rectangle, at[0], error) ? g_steal_pointer(&rows) : NULL;
}

static gboolean trace_strip(Trace *trace, Strip strip, GError **error);

/* Traces a strip piece by piece, from its end: n lines between the pieces, each so many rows (or
 * columns) from the one before. */
static gboolean
split(Trace *trace, const Strip *strip, gint64 distance, gsize n, gboolean turned, GError **error)
{
    const CsNode *node = &trace->node;
    const gint64 origin = turned ? strip->left_of : strip->above;
    g_autofree gint64 *at = g_new(gint64, n);
    for (gsize k = 0; k < n; k++)
        at[k] = (gint64)(k + 1) * distance;
    g_autoptr(CsRows) rows = hand_out(trace, strip, at, n, turned, error);
    if (rows == NULL)
        return FALSE;
    for (gsize k = n + 1; k-- > 0 && !trace->started;) {
        Strip piece = *strip;
        Line line = {.rows = rows, .k = k - 1};
        if (k > 0 && turned) {
            piece.left_of = origin + at[k - 1];
            line.origin = strip->above;
            piece.left = line;
        } else if (k > 0) {
            piece.above = origin + at[k - 1];
            line.origin = strip->left_of;
            if (!read_h(&strip->left, piece.above, &line.corner, error))
                return FALSE;
            piece.top = line;
        }
        if (node->i > piece.above && node->j > piece.left_of && !trace_strip(trace, piece, error))
            return FALSE;
    }
    return TRUE;
}

/* From the node back to where the path starts or leaves the strip. */
static gboolean
trace_strip(Trace *trace, Strip strip, GError **error)
{
    if (trace->given->stop != NULL && g_atomic_int_get(trace->given->stop) != 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED,
                            "stopped while tracing the alignment");
        return FALSE;
    }
    if (!narrow(trace, &strip, error))
        return FALSE;
    const gint64 height = trace->node.i - strip.above, width = trace->node.j - strip.left_of;
    if (height <= trace->height && width <= trace->width)
        return walk_strip(trace, &strip, error);
    const gboolean turned = width > TURN * height || height <= trace->height;
    const gint64 length = turned ? width : height;
    const gint64 walked = turned ? trace->width / 2 + 1 : trace->height;
    gint64 distance = length / (LINES + 1) + 1;
    if (distance > LINE_UNIT)
        distance = (distance + LINE_UNIT - 1) / LINE_UNIT * LINE_UNIT;
    distance = MIN(MAX(distance, walked), (length + 1) / 2);
    return split(trace, &strip, distance, (gsize)((length - 1) / distance), turned, error);
}

/* How far the trace has come. */
typedef struct {
    CsNode node;
    gint64 i0, j0;
    gsize n;
    guint64 last; /* run */
} Mark;

static Mark
mark(const Trace *trace)
{
    const CsPath *path = trace->path;
    return (Mark){trace->node, path->i0, path->j0, path->n,
                  path->n > 0 ? path->runs[path->n - 1] : 0};
}

static void
go_back_to(Trace *trace, const Mark *mark)
{
    CsPath *path = trace->path;
    trace->node = mark->node;
    trace->started = FALSE;
    path->i0 = mark->i0;
    path->j0 = mark->j0;
    path->n = mark->n;
    if (mark->n > 0)
        path->runs[mark->n - 1] = mark->last;
}

/* Drops row k if that is what failed. */
static gboolean
drop_damaged(const Trace *trace, gsize k, GError **failure)
{
    const CsTrace *given = trace->given;
    if (!g_error_matches(*failure, CS_ERROR, CS_ERROR_CONTENT))
        return FALSE;
    g_autofree char *message =
        g_strdup_printf("row %" G_GINT64_FORMAT " was kept for the alignment and is damaged: %s; "
                        "doing without it",
                        cs_rows_at(given->rows, k), (*failure)->message);
    if (given->note != NULL)
        given->note(CS_NOTE_WARNING, message, given->note_data);
    cs_rows_drop(given->rows, k);
    g_clear_error(failure);
    return TRUE;
}

/* Strip by strip between the special rows. */
static gboolean
trace_strips(Trace *trace, GError **error)
{
    CsRows *rows = trace->given->rows;
    for (gsize k = (rows != NULL ? cs_rows_count(rows) : 0) + 1; k-- > 0 && !trace->started;) {
        Strip strip = {0};
        const Mark before = mark(trace);
        GError *failure = NULL;
        if (k > 0) {
            strip.above = cs_rows_at(rows, k - 1);
            strip.top = (Line){.rows = rows, .k = k - 1};
        }
        strip.left.origin = strip.above;
        if (trace->node.i <= strip.above || trace->node.j == 0 ||
            trace_strip(trace, strip, &failure))
            continue;
        if (k == 0 || !drop_damaged(trace, k - 1, &failure)) {
            g_propagate_error(error, failure);
            return FALSE;
        }
        go_back_to(trace, &before);
    }
    return TRUE;
}

static Trace
trace_new(const CsTrace *given, CsPath *path)
{
    const CsBest *end = &given->end;
    if (given->from == NULL)
        cs_path_init(path, end->i, end->j);
    return (Trace){.given = given,
                   .path = path,
                   .node = given->from != NULL ? *given->from
                                               : (CsNode){end->i, end->j, CS_NODE_H, end->score},
                   .height = given->height > 0 ? given->height : WALK_HEIGHT,
                   .width = given->width > 0 ? given->width : WALK_WIDTH};
}

static gboolean
finish(const Trace *trace, GError **error)
{
    if (!trace->started) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                            "internal error: the alignment starts nowhere");
        return FALSE;
    }
    cs_path_turn(trace->path);
    return cs_path_check(trace->path, trace->given->matrix, trace->given->end.score, error);
}

gboolean
cs_trace_run(const CsTrace *given, CsPath *path, GError **error)
{
    Trace trace = trace_new(given, path);
    g_autoptr(GError) failure = NULL;
    tell_done(&trace);
    if (trace_strips(&trace, &failure))
        return finish(&trace, error);
    if (g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED))
        keep(&trace);
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
}

gboolean
cs_trace_run_short(const CsTrace *given, CsPath *path, gboolean *found, GError **error)
{
    Trace trace = trace_new(given, path);
    Strip box = {0};
    const gint64 most = given->short_cells != 0 ? given->short_cells : SHORT_CELLS;
    if (!cs_reach_find(given->matrix, trace.node.i, trace.node.j, most, &box.above, &box.left_of,
                       found, error))
        return FALSE;
    box.top.origin = box.left_of;
    box.left.origin = box.above;
    if (!*found || (trace_strip(&trace, box, error) && finish(&trace, error)))
        return TRUE;
    *found = FALSE;
    return FALSE;
}
