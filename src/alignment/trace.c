/* Traces an alignment from its end back, strip by strip. */
#include <chromosweep/error.h>

#include "alignment/ahead.h"
#include "alignment/crossing.h"
#include "alignment/reach.h"
#include "alignment/trace.h"
#include "alignment/trace_cost.h"
#include "sweep/sweep.h"
#include "system/stop.h"

enum {
    WALK_HEIGHT = 384,
    WALK_WIDTH = 768,
    BLOCK_HEIGHT = 384, /* the height that the vector kernels compute fastest (cpu_shape.c) */
    BLOCK_WIDTH = 640,
    BLOCK_UNIT = 64, /* widths of larger blocks are multiples of this */
    MOST_TIMES = 4,  /* so many times higher and wider are blocks at most */
    FEW_THREADS = 8, /* fewer get no larger blocks than so many */
    MOST_LINES = 63, /* the most rows or columns that a strip hands out */
    LEAST_LINES = 15,
    LINE_CELLS = 1 << 22,     /* cells of these, 8 bytes each; more if LEAST_LINES have more */
    LINE_UNIT = BLOCK_HEIGHT, /* their distance is a multiple of this, unless it is less */
    TURN = 4,                 /* a strip so many times wider than high is split by columns */
    SHORT_CELLS = 1 << 22,    /* cells to look at before an alignment counts as long */
    THREADS_CELLS = 1 << 25,  /* cells of a strip from which on more than one thread pays */
    AT_ONCE = 4096,           /* bases read at a time */
};

/* From so many cells on a strip gets all threads, so it is left to the caller. */
#define HUGE_CELLS 1e10

/* The lowest value worth a guess, as a share of what the strip below can gain. */
#define LEAST_SHARE 16

/* A border of a strip, in the coordinates of the matrix: a line that a sweep handed out, whose
 * first cell follows `origin`, or zeros. */
typedef struct {
    CsRows *rows; /* NULL: zeros */
    gsize k;
    gint64 origin;
    CsScore corner; /* of a top: H at `origin` */
} Line;

/* A strip: rows above + 1 .. and columns left_of + 1 .., as far as the node. */
typedef struct {
    gint64 above, left_of;
    Line top, left;
} Strip;

typedef struct {
    const CsTrace *given;
    CsPath *path;
    CsNode node;
    gboolean started;
    gint64 height, width; /* of the largest rectangle that is walked */
    guint sweep_threads;  /* of a large sweep */
    double huge_cells;    /* of the strip that is swept, if it takes a while, or 0 */
    gint64 huge_above;
    CsTraceCost cost;     /* of the rows as they are now */
    gboolean ahead;       /* a strip is traced ahead */
    const gint *stop_too; /* then: the stop of the whole trace */
} Trace;

static gboolean
is_told_to_stop(const Trace *trace)
{
    return cs_is_stopped(trace->given->stop) || cs_is_stopped(trace->stop_too);
}

static gboolean
read_line(const Line *line, gint64 from, gint64 count, CsWidth width, CsBus **bus, GError **error)
{
    *bus = cs_bus_new(count, width, error);
    if (*bus == NULL)
        return FALSE;
    return line->rows == NULL ||
           cs_rows_read(line->rows, line->k, from - line->origin, *bus, error);
}

/* H at one place of a line. A top has its corner as well. */
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

/* The first place of from .. to on a line where a path to the node can begin; to + 1 if there is
 * none. Across the line the node is so many cells away, along it as many as `to` is. */
static gint64
find_beginning(const Trace *trace, gint64 from, gint64 to, gint64 across)
{
    const CsScoring *scoring = &trace->given->matrix->scoring;
    const CsScore wanted = trace->node.value;
    if (scoring->match * MIN(across, to - from) < wanted)
        return to + 1;
    if (scoring->gap_extend == 0 || across >= to - from)
        return from;
    return MAX(from, to - across - (scoring->match * across - wanted) / scoring->gap_extend);
}

/* The first place on a line from which H can lead to the node's value. A gap that is open there
 * needs no test of its own: its value is never above H. */
static gboolean
find_entry(const Trace *trace, const Line *line, gint64 from, gint64 to, gint64 across,
           gint64 *place, GError **error)
{
    const CsScoring *scoring = &trace->given->matrix->scoring;
    const CsScore wanted = trace->node.value;
    CsScore h;
    *place = from;
    if (!read_h(line, from, &h, error))
        return FALSE;
    if (h + cs_walk_gain(scoring, across, to - from) >= wanted)
        return TRUE;
    *place = find_beginning(trace, from, to, across);
    gint64 at = from - line->origin;
    CsRowsPiece piece;
    while (line->rows != NULL && cs_rows_next(line->rows, line->k, at, &piece) &&
           line->origin + piece.column < *place) {
        const gint64 first = line->origin + piece.column;
        const gint64 count = MIN(piece.count, *place - first);
        const gint64 most = to - first, least = most - count + 1; /* to go along the line */
        at = piece.column + count - 1;
        if (piece.highest + cs_walk_gain(scoring, across, CLAMP(across, least, most)) < wanted)
            continue;
        g_autoptr(CsBus) bus = NULL;
        if (!read_line(line, first - 1, count, CS_WIDTH_64, &bus, error))
            return FALSE;
        for (gint64 k = 0; k < count; k++)
            if (cs_width_get(bus->width, bus->h, k) + cs_walk_gain(scoring, across, most - k) >=
                wanted) {
                *place = first + k;
                return TRUE;
            }
    }
    return TRUE;
}

gint64
cs_trace_most_rows(const CsScoring *scoring, gint64 columns, CsScore value)
{
    /* At most as many rows as columns are paired, for a match each. Every other row costs an
     * extension. */
    return scoring->gap_extend > 0
               ? columns + (scoring->match * columns - value) / scoring->gap_extend
               : G_MAXINT64;
}

/* Leaves out rows from which nothing leads to the node. */
static void
shorten(const Trace *trace, Strip *strip)
{
    const CsNode *node = &trace->node;
    if (node->i - strip->above <= node->j)
        return;
    const gint64 most = cs_trace_most_rows(&trace->given->matrix->scoring, node->j, node->value);
    if (node->i - strip->above <= most)
        return;
    /* A damaged row may have a higher value than any alignment. */
    strip->above = node->i - MAX(most, 1);
    strip->top = (Line){.origin = strip->left_of};
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

/* Reads the value of the node, which lies on a border of a strip. */
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

/* Tells how much is done, with this share of what is between the node and a row above. */
static void
tell_done_within(const Trace *trace, gint64 above, double share)
{
    if (trace->given->done == NULL)
        return;
    const double all = cs_trace_cost_above(&trace->cost, trace->given->end.i);
    const double left = cs_trace_cost_above(&trace->cost, trace->node.i);
    const double within = share * (left - cs_trace_cost_above(&trace->cost, above));
    g_atomic_int_set(trace->given->done, (gint)((all - left + within) / all * 1e6));
}

static void
tell_done(const Trace *trace)
{
    tell_done_within(trace, trace->node.i, 0);
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
    CsWalk walk = {.matrix = trace->given->matrix,
                   .above = strip->above,
                   .left_of = strip->left_of,
                   .cells = trace->given->work != NULL ? &trace->given->work->walked : NULL};
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

/*
 * Goes straight up the diagonal to the top of the strip if that is the path. It is if H there plus
 * the score of the pairs between is the node's value: then each cell between has the H that these
 * pairs give it, and the walk prefers pairs (docs/proofs/alignment.md). Most small strips have no
 * gap.
 */
static gboolean
go_straight(Trace *trace, const Strip *strip, gboolean *gone, GError **error)
{
    CsNode *node = &trace->node;
    const CsRectangle *matrix = trace->given->matrix;
    const CsScoring *scoring = &matrix->scoring;
    const gint64 height = node->i - strip->above;
    guint8 rows[AT_ONCE], columns[AT_ONCE];
    CsScore value = node->value, h;
    *gone = FALSE;
    if (node->state != CS_NODE_H || node->j - height < strip->left_of)
        return TRUE;
    for (gint64 left = height; left > 0;) {
        const gint64 now = MIN(left, AT_ONCE);
        const CsView down = cs_view_slice(&matrix->rows, node->i - height + left - now, now);
        const CsView across = cs_view_slice(&matrix->columns, node->j - height + left - now, now);
        cs_view_read(&down, CS_ROW_AMBIGUOUS, rows);
        cs_view_read(&across, CS_COLUMN_AMBIGUOUS, columns);
        for (gint64 k = now; k-- > 0;) {
            if (value <= 0) /* it would start here */
                return TRUE;
            value -= rows[k] == columns[k] ? scoring->match : -scoring->mismatch;
        }
        left -= now;
    }
    /* Reading a packed row takes a while, so not if there is probably a gap. */
    if (2 * (node->value - value) < scoring->match * height)
        return TRUE;
    if (!read_h(&strip->top, node->j - height, &h, error))
        return FALSE;
    if (h != value)
        return TRUE;
    if (!cs_path_step_back(trace->path, CS_PATH_PAIRS, height, error))
        return FALSE;
    *gone = TRUE;
    *node = (CsNode){node->i - height, node->j - height, CS_NODE_H, value};
    trace->started = value == 0;
    tell_done(trace);
    keep(trace);
    return TRUE;
}

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    const Trace *trace = user_data;
    if (trace->huge_cells > 0)
        tell_done_within(trace, trace->huge_above, (double)state->cells / trace->huge_cells);
    return is_told_to_stop(trace) ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

static gboolean
is_huge(const Trace *trace, gint64 m, gint64 n)
{
    const gint64 huge = trace->given->huge_cells;
    return (double)m * (double)n >= (huge > 0 ? (double)huge : HUGE_CELLS);
}

/* So many lines in whole units, from one piece to MOST_TIMES pieces. */
static gint64
piece_of(gint64 lines, gint64 unit, gint64 piece)
{
    return CLAMP(lines / unit * unit, piece, MOST_TIMES * piece);
}

/*
 * Small blocks leave out more of a strip. But threads take blocks one at a time, so many threads spend more time
 * waiting for small blocks than computing them. Nearly all cells are computed if one side of the strip is much longer
 * than the other, because a long gap may be anywhere in it. Blocks are larger there. Each row of blocks still has more
 * than one block for each thread.
 */
static CsGridShape
choose_shape(const Trace *trace, gint64 m, gint64 n, gint64 distance, guint threads)
{
    const gint64 block = trace->given->block, sharers = MAX(threads, FEW_THREADS);
    const gint64 dense = MIN(MIN(m, n), 2 * ABS(m - n));
    const gint64 height = MIN(dense / 16, m / (4 * sharers)), width = 2 * dense / (3 * sharers);
    if (block > 0)
        return (CsGridShape){.block_height = CLAMP(distance, block, 4 * block),
                             .block_width = CLAMP(n / 16, block, 4 * block)};
    return (CsGridShape){.block_height =
                             MIN(distance, piece_of(height, BLOCK_HEIGHT, BLOCK_HEIGHT)),
                         .block_width = piece_of(width, BLOCK_UNIT, BLOCK_WIDTH)};
}

/* Sweeps a rectangle whose last cell is the node, and skips what does not lead there. */
static gboolean
sweep_to_node(Trace *trace, CsRectangle *rectangle, gint64 distance, GError **error)
{
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const CsScore match = rectangle->scoring.match;
    const CsScore spare = trace->given->end.score - trace->node.value;
    const guint threads = m < THREADS_CELLS / n ? 1 : trace->sweep_threads;
    CsSweepOptions options = {
        .engine = trace->given->engine,
        .engine_options = {.threads = threads, .on_caller = threads == 1},
        .shape = choose_shape(trace, m, n, distance, threads),
        .func = watch,
        .func_data = trace,
    };
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &options);
    g_autofree CsScore *rows = g_new(CsScore, grid->block_rows);
    g_autofree CsScore *columns = g_new(CsScore, grid->block_columns);
    for (gint64 b = 0; b < grid->block_rows; b++)
        rows[b] = match * MIN(m - grid->row_starts[b], n) + spare;
    for (gint64 b = 0; b < grid->block_columns; b++)
        columns[b] = match * MIN(n - cs_grid_column_start(grid, b), m) + spare;
    rectangle->row_bounds = rows;
    rectangle->column_bounds = columns;
    rectangle->to_corner = TRUE;
    rectangle->spare = spare;
    CsSweepState state;
    if (!cs_sweep_run(rectangle, grid, &options, &state, error))
        return FALSE;
    if (trace->given->work != NULL) {
        trace->given->work->covered += state.cells;
        trace->given->work->computed += state.cells_computed;
    }
    return TRUE;
}

/* Sweeps a strip and returns some of its lines: rows, or columns if it is turned. */
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
                             .skipping = TRUE};
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

/* A strip that is cut along n of its lines. */
typedef struct {
    const Strip *strip;
    CsRows *rows; /* the lines */
    const gint64 *at;
    gsize n;
    gboolean turned;
    Trace trace; /* for threads that trace pieces ahead */
} Cut;

/* Piece k, which ends at line k. */
static gboolean
piece_of_cut(const Cut *cut, gsize k, Strip *piece, GError **error)
{
    *piece = *cut->strip;
    if (k == 0)
        return TRUE;
    Line line = {.rows = cut->rows, .k = k - 1};
    if (cut->turned) {
        line.origin = cut->strip->above;
        piece->left_of += cut->at[k - 1];
        piece->left = line;
        return TRUE;
    }
    line.origin = cut->strip->left_of;
    piece->above += cut->at[k - 1];
    piece->top = line;
    return read_h(&cut->strip->left, piece->above, &piece->top.corner, error);
}

/* As CsAheadFuncs has it, for pieces of a strip that is cut along columns: a gap to the right may run through several. */
static gboolean
guess_in_gap(gsize k, const CsNode *below, CsNode *from, gpointer user_data)
{
    const Cut *cut = user_data;
    const Line line = {.rows = cut->rows, .k = k, .origin = cut->strip->above};
    const gint64 column = cut->strip->left_of + cut->at[k];
    const CsScore extend = cut->trace.given->matrix->scoring.gap_extend;
    g_autoptr(CsBus) bus = NULL;
    if (below->state != CS_NODE_E || below->j <= column ||
        !read_line(&line, below->i - 1, 1, CS_WIDTH_64, &bus, NULL))
        return FALSE;
    *from = (CsNode){below->i, column, CS_NODE_E, below->value + extend * (below->j - column)};
    return cs_width_get(bus->width, bus->gap, 0) == from->value;
}

/* Traces from strip->from on a thread other than the caller's. An error may come from a wrong guess. If not, the caller
 * will meet it again. */
static gboolean
trace_from(const Trace *all, Strip piece, CsAheadStrip *strip, const gint *stop)
{
    CsTrace given = *all->given;
    given.stop = stop;
    given.done = NULL;
    given.keep = NULL;
    given.work = NULL;
    Trace trace = *all;
    trace.given = &given;
    trace.ahead = TRUE;
    trace.stop_too = all->given->stop; /* the thread that waits for the strip does not look at it */
    trace.path = &strip->path;
    trace.node = strip->from;
    trace.started = FALSE;
    cs_path_init(&strip->path, strip->from.i, strip->from.j);
    const gboolean traced = trace_strip(&trace, piece, NULL);
    strip->to = trace.node;
    strip->started = trace.started;
    return traced;
}

/* As CsAheadFuncs has it. */
static gboolean
trace_piece_ahead(gsize k, CsAheadStrip *strip, const gint *stop, gpointer user_data)
{
    const Cut *cut = user_data;
    Strip piece;
    return piece_of_cut(cut, k, &piece, NULL) && trace_from(&cut->trace, piece, strip, stop);
}

static const CsAheadFuncs piece_funcs = {guess_in_gap, trace_piece_ahead};

static gboolean
append_strip(Trace *trace, const CsAheadStrip *strip, GError **error)
{
    for (gsize k = 0; k < strip->path.n; k++)
        if (!cs_path_step_back(trace->path, cs_path_kind(&strip->path, k),
                               cs_path_length(&strip->path, k), error))
            return FALSE;
    trace->node = strip->to;
    trace->started = strip->started;
    tell_done(trace);
    keep(trace);
    return TRUE;
}

/* What was traced ahead counts if it was traced from the node. */
static gboolean
take(Trace *trace, CsAhead *ahead, gsize k, gboolean *taken, GError **error)
{
    CsAheadStrip strip = {0};
    *taken = cs_ahead_take(ahead, k, &trace->node, &strip);
    if (!*taken)
        return TRUE;
    if (trace->given->work != NULL)
        trace->given->work->ahead++;
    const gboolean appended = append_strip(trace, &strip, error);
    cs_path_clear(&strip.path);
    return appended;
}

/* Traces the pieces from the last to the first; `ahead` may be NULL. */
static gboolean
trace_pieces(Trace *trace, const Cut *cut, CsAhead *ahead, GError **error)
{
    const CsNode *node = &trace->node;
    for (gsize k = cut->n + 1; k-- > 0 && !trace->started;) {
        Strip piece;
        gboolean taken = FALSE;
        if (!piece_of_cut(cut, k, &piece, error))
            return FALSE;
        if (node->i <= piece.above || node->j <= piece.left_of)
            continue;
        if (ahead != NULL && !take(trace, ahead, k, &taken, error))
            return FALSE;
        if (!taken && !trace_strip(trace, piece, error))
            return FALSE;
    }
    return TRUE;
}

/* Cuts a strip into smaller ones along n of its lines, which are so many rows (or columns) apart,
 * and traces these. Those of a huge strip are too small for all threads, so threads trace some ahead. */
static gboolean
split(Trace *trace, const Strip *strip, gint64 distance, gsize n, gboolean turned, GError **error)
{
    const CsNode *node = &trace->node;
    g_autofree gint64 *at = g_new(gint64, n);
    for (gsize k = 0; k < n; k++)
        at[k] = (gint64)(k + 1) * distance;
    const gint64 height = node->i - strip->above, width = node->j - strip->left_of;
    const gboolean huge = !trace->ahead && is_huge(trace, height, width);
    if (huge) {
        trace->huge_cells = (double)height * (double)width;
        trace->huge_above = strip->above;
    }
    g_autoptr(CsRows) rows = hand_out(trace, strip, at, n, turned, error);
    trace->huge_cells = 0;
    if (rows == NULL)
        return FALSE;
    Cut cut = {strip, rows, at, n, turned, *trace};
    cut.trace.sweep_threads = 1;
    const guint others = (guint)MIN(trace->sweep_threads - 1, n);
    g_autoptr(CsAhead) ahead =
        huge && turned && others > 0
            ? cs_ahead_new(n, node, others, &piece_funcs, trace->given->stop, &cut)
            : NULL;
    return trace_pieces(trace, &cut, ahead, error);
}

static gboolean
is_stopped(const Trace *trace, GError **error)
{
    if (!is_told_to_stop(trace))
        return FALSE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped while tracing the alignment");
    return TRUE;
}

/* From the node back to where the path starts or leaves the strip. */
static gboolean
trace_strip(Trace *trace, Strip strip, GError **error)
{
    gboolean gone;
    shorten(trace, &strip);
    if (is_stopped(trace, error) || !go_straight(trace, &strip, &gone, error))
        return FALSE;
    if (gone)
        return TRUE;
    if (!narrow(trace, &strip, error))
        return FALSE;
    const gint64 height = trace->node.i - strip.above, width = trace->node.j - strip.left_of;
    if (height <= trace->height && width <= trace->width)
        return walk_strip(trace, &strip, error);
    if (trace->ahead && is_huge(trace, height, width)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED, "too large to be traced ahead");
        return FALSE;
    }
    const gboolean turned = width > TURN * height || height <= trace->height;
    const gint64 length = turned ? width : height;
    const gint64 walked = turned ? trace->width / 2 + 1 : trace->height;
    const gint64 lines = CLAMP(LINE_CELLS / (turned ? height : width), LEAST_LINES, MOST_LINES);
    gint64 distance = length / (lines + 1) + 1;
    if (distance > LINE_UNIT / 2)
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

/* The strip between row k - 1 and row k, or between row k - 1 and the end if there are only k
 * rows. */
static Strip
strip_above(const Trace *trace, gsize k)
{
    Strip strip = {0};
    if (k > 0) {
        strip.above = cs_rows_at(trace->given->rows, k - 1);
        strip.top = (Line){.rows = trace->given->rows, .k = k - 1};
    }
    strip.left.origin = strip.above;
    return strip;
}

/* A place where a path may cross a row, and about what such a path is worth. */
typedef struct {
    CsNode node;
    double worth;
} Crossing;

/* Looks for a better crossing in a piece of row k, on the way to the node below. */
static gboolean
find_crossing(const Trace *trace, gsize k, const CsRowsPiece *piece, const CsNode *below,
              Crossing *best)
{
    const CsScoring *scoring = &trace->given->matrix->scoring;
    const Line line = {.rows = trace->given->rows, .k = k};
    const gint64 at = cs_rows_at(line.rows, k), height = below->i - at;
    const gint64 most = below->j - piece->column, least = MAX(0, most - piece->count + 1);
    const gint64 nearest = CLAMP(height, least, most);
    g_autoptr(CsBus) bus = NULL;
    if (piece->highest + cs_walk_gain(scoring, height, nearest) < below->value ||
        cs_crossing_worth(scoring, piece->highest, height, nearest) < best->worth)
        return TRUE;
    if (!read_line(&line, piece->column - 1, most - least + 1, CS_WIDTH_64, &bus, NULL))
        return FALSE;
    for (gint64 width = most; width >= least; width--) {
        const CsScore h = cs_width_get(bus->width, bus->h, most - width);
        const CsScore f = cs_width_get(bus->width, bus->gap, most - width);
        const double worth = cs_crossing_worth(scoring, h, height, width);
        if (worth <= best->worth || h + cs_walk_gain(scoring, height, width) < below->value)
            continue;
        const CsNodeState state = f == h && height > width ? CS_NODE_F : CS_NODE_H;
        *best = (Crossing){{at, below->j - width, state, h}, worth};
    }
    return TRUE;
}

/*
 * As CsAheadFuncs has it: where the path to the node below most likely crosses row k, with the
 * value from the row. A long gap costs the same above the row as below, so of two such crossings
 * the one with the higher H is taken. FALSE if the path probably starts below the row.
 */
static gboolean
guess_node(gsize k, const CsNode *below, CsNode *from, gpointer user_data)
{
    const Trace *trace = user_data;
    const CsRows *rows = trace->given->rows;
    const gint64 pairs = MIN(below->i - cs_rows_at(rows, k), below->j);
    const CsScore least = trace->given->matrix->scoring.match * pairs / LEAST_SHARE;
    Crossing best = {.worth = -G_MAXDOUBLE};
    CsRowsPiece piece;
    for (gint64 past = 0; cs_rows_next(rows, k, past, &piece) && piece.column <= below->j;
         past = piece.column + piece.count - 1)
        if (!find_crossing(trace, k, &piece, below, &best))
            return FALSE;
    *from = best.node;
    return best.node.value > least;
}

/* As CsAheadFuncs has it. */
static gboolean
trace_ahead(gsize k, CsAheadStrip *strip, const gint *stop, gpointer user_data)
{
    const Trace *all = user_data;
    return trace_from(all, strip_above(all, k), strip, stop);
}

static const CsAheadFuncs ahead_funcs = {guess_node, trace_ahead};

/* Lets other threads trace the strips above strip k. They see the trace as it is in `all`. If a
 * strip is left to the caller, everything waits for it, so it gets all threads. */
static CsAhead *
start_ahead(Trace *trace, Trace *all, gsize k)
{
    const guint threads = MAX(trace->given->threads, 1), others = (guint)MIN(threads - 1, k);
    *all = *trace;
    all->sweep_threads = threads / (others + 1);
    return cs_ahead_new(k, &trace->node, others, &ahead_funcs, trace->given->stop, all);
}

/* Strip k: as it was traced ahead, if that was from the right node; else it is traced now. */
static gboolean
take_strip(Trace *trace, CsAhead *ahead, gsize k, GError **error)
{
    gboolean taken;
    if (is_stopped(trace, error) || !take(trace, ahead, k, &taken, error))
        return FALSE;
    return taken || trace_strip(trace, strip_above(trace, k), error); /* not taken: or stopped */
}

static void
tell_cost(Trace *trace)
{
    const CsTrace *given = trace->given;
    cs_trace_cost_clear(&trace->cost);
    cs_trace_cost_init(&trace->cost, given->rows, &given->matrix->scoring, &given->end);
    const double cost = cs_trace_cost_above(&trace->cost, given->end.i) / (double)given->end.i;
    if (given->cost != NULL)
        g_atomic_int_set(given->cost, (gint)MIN(cost * 1e3, G_MAXINT));
}

/* Strip by strip between the special rows. */
static gboolean
trace_strips(Trace *trace, GError **error)
{
    const CsRows *rows = trace->given->rows;
    Trace all; /* which threads read until `ahead` is freed */
    g_autoptr(CsAhead) ahead = NULL;
    for (gsize k = (rows != NULL ? cs_rows_count(rows) : 0) + 1; k-- > 0 && !trace->started;) {
        const Mark before = mark(trace);
        GError *failure = NULL;
        if (trace->node.i <= strip_above(trace, k).above || trace->node.j == 0)
            continue;
        if (ahead == NULL)
            ahead = start_ahead(trace, &all, k);
        if (take_strip(trace, ahead, k, &failure))
            continue;
        g_clear_pointer(&ahead, cs_ahead_free); /* before the rows change */
        if (k == 0 || !drop_damaged(trace, k - 1, &failure)) {
            g_propagate_error(error, failure);
            return FALSE;
        }
        tell_cost(trace);
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
                   .width = given->width > 0 ? given->width : WALK_WIDTH,
                   .sweep_threads = MAX(given->threads, 1)};
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
    tell_cost(&trace);
    tell_done(&trace);
    const gboolean traced = trace_strips(&trace, &failure);
    cs_trace_cost_clear(&trace.cost);
    if (traced)
        return finish(&trace, error);
    if (g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED))
        keep(&trace);
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
}

gboolean
cs_trace_run_short(const CsTrace *given, CsPath *path, gboolean *found, GError **error)
{
    CsTrace timeless = *given; /* it takes hardly any */
    timeless.done = NULL;
    Trace trace = trace_new(&timeless, path);
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
