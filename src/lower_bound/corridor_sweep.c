/* The kernels of the CPU engines along the corridor, without the blocks beside it. */
#include "lower_bound/corridor_sweep.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <chromosweep/error.h>

#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "sweep/bus.h"
#include "sweep/grid.h"
#include "sweep/rectangle.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    HEIGHT = 384, /* rows of a step: whole strips of the vector kernels */
    PIECE = 1024, /* columns that a kernel computes at once */
    ALIGNMENT = 64,
    LOOKS = 1000, /* before a thread lets others go first */
};

/* What a thread needs for a step. */
typedef struct {
    gint64 side_h[HEIGHT], side_e[HEIGHT]; /* of each row, 32 or 64 bits each */
    guint8 rows[HEIGHT], columns[PIECE];
    guint8 scratch[CS_CPU_SCRATCH(HEIGHT, PIECE) + ALIGNMENT];
} Room;

/* Some rows of a section. Columns are those of the section. */
typedef struct {
    CsCorridorLine columns; /* from never falls from step to step, nor does to */
    CsScore edge;           /* H of the cell from which a gap leads down beside the first column */
    gint64 edge_row;
    atomic_llong passed; /* computed up to this column */
} Step;

/* A section that is swept. */
typedef struct {
    const CsSurvey *survey;
    const CsScoring *scoring;
    CsCorridorSection *section;
    const CsSimdKernel *const *kernels; /* NULL: the scalar one */
    CsBus *bus;                         /* of all columns, after the latest step that has them */
    Step *steps;
    gint64 count;      /* steps */
    atomic_llong next; /* the next step that no thread has taken */
    atomic_llong best, cells;
    Room *rooms; /* of each thread */
} Walk;

CsCorridorLine
cs_corridor_columns(const CsCorridor *corridor, gint64 from, gint64 to)
{
    CsCorridorLine all = {G_MAXINT64, 0};
    for (gint64 k = from / CS_CORRIDOR_LINE; k * CS_CORRIDOR_LINE < to; k++) {
        const CsCorridorLine *line = &corridor->lines[k];
        if (line->to > 0)
            all = (CsCorridorLine){MIN(all.from, line->from), MAX(all.to, line->to)};
    }
    return all;
}

/* The columns of each step: those of the corridor, and more where they would not follow those of the step
 * above: a step begins before that one ends, and neither its beginning nor its end is further left. */
static void
lay_steps(Walk *walk, const CsCorridor *corridor)
{
    const CsCorridorSection *section = walk->section;
    gint64 to = MIN(section->columns, PIECE), from = section->columns - 1;
    for (gint64 s = 0; s < walk->count; s++) {
        const gint64 row = section->row + s * HEIGHT;
        const gint64 end = MIN(row + HEIGHT, section->row + section->rows);
        const CsCorridorLine line = cs_corridor_columns(corridor, row, end);
        CsCorridorLine *columns = &walk->steps[s].columns;
        columns->from = CLAMP(line.to > 0 ? line.from - section->column : from, 0, to - 1);
        columns->to = to = MAX(to, MIN(line.to - section->column, section->columns));
    }
    for (gint64 s = walk->count - 1; s >= 0; s--)
        walk->steps[s].columns.from = from = MIN(from, walk->steps[s].columns.from);
}

/* What is left of H after a gap. */
static CsScore
after_gap(const Walk *walk, CsScore h, gint64 length)
{
    return length == 0 ? h
                       : MAX(0, h - walk->scoring->gap_open - walk->scoring->gap_extend * length);
}

/* E or F beside H that matters no more than minus infinity: to open a gap costs no more than to extend
 * this one. */
static CsScore
no_gap(const Walk *walk, CsScore h)
{
    return MAX(0, h - walk->scoring->gap_open);
}

/* The columns of the step above; none above the first. */
static CsCorridorLine
above(const Walk *walk, gint64 s)
{
    return s > 0 ? walk->steps[s - 1].columns : (CsCorridorLine){0, 0};
}

/* H after the last row of the step above, after a column of it or right of it; column 0 is left of all. */
static CsScore
h_above(const Walk *walk, gint64 s, gint64 column)
{
    const gint64 to = above(walk, s).to;
    if (to > 0 && column <= to)
        return cs_width_get(walk->bus->width, walk->bus->h, column - 1);
    const CsScore last =
        to > 0 ? cs_width_get(walk->bus->width, walk->bus->h, to - 1) : walk->section->high;
    return after_gap(walk, last, column - to);
}

/* Waits until the step above has passed a column. FALSE if stopped. */
static gboolean
wait_above(const Walk *walk, gint64 s, gint64 column)
{
    const gint64 end = MIN(column, above(walk, s).to);
    for (gint64 looks = 1; s > 0 && walk->steps[s - 1].passed < end; looks++) {
        if (cs_is_stopped(walk->survey->stop))
            return FALSE;
        if (looks % LOOKS == 0)
            sched_yield();
    }
    return TRUE;
}

/* What enters a step on its left: the gap down beside its first column. Returns the corner. */
static CsScore
enter_side(const Walk *walk, Room *room, gint64 s, gint64 height)
{
    const CsWidth width = walk->bus->width;
    const gint64 row = s * HEIGHT;
    Step *step = &walk->steps[s];
    if (s == 0 || step->columns.from > above(walk, s).from) {
        step->edge = h_above(walk, s, step->columns.from);
        step->edge_row = row;
    } else {
        step->edge = step[-1].edge;
        step->edge_row = step[-1].edge_row;
    }
    for (gint64 k = 0; k < height; k++) {
        const CsScore h = after_gap(walk, step->edge, row + k + 1 - step->edge_row);
        cs_width_set(width, room->side_h, k, h);
        cs_width_set(width, room->side_e, k, no_gap(walk, h));
    }
    return after_gap(walk, step->edge, row - step->edge_row);
}

/* What enters from above right of the step above: the gap from there. */
static void
enter_right(const Walk *walk, gint64 s)
{
    const CsBus *bus = walk->bus;
    for (gint64 column = walk->steps[s].columns.to; column > above(walk, s).to; column--) {
        const CsScore h = h_above(walk, s, column);
        cs_width_set(bus->width, bus->h, column - 1, h);
        cs_width_set(bus->width, bus->gap, column - 1, no_gap(walk, h));
    }
}

static void
raise_best(Walk *walk, CsScore score)
{
    long long best = walk->best;
    while (score > best && !atomic_compare_exchange_weak(&walk->best, &best, score))
        ;
}

/* Computes some columns of a step. */
static void
compute(Walk *walk, Room *room, CsCpuBlock *block, gint64 from, gint64 to)
{
    const CsCorridorSection *section = walk->section;
    const CsBus *bus = walk->bus;
    const CsScore next_corner = cs_width_get(bus->width, bus->h, to - 1);
    const CsView columns = cs_view_slice(&walk->survey->columns, section->column + from, to - from);
    cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, room->columns);
    block->width = to - from;
    block->top_h = cs_width_at(bus->width, bus->h, from);
    block->top_f = cs_width_at(bus->width, bus->gap, from);
    /* No cell is wanted, or none that is not higher. */
    block->best = (CsBest){.score = section->ends ? walk->best : G_MAXINT64};
    if (walk->kernels == NULL || bus->width == CS_WIDTH_64)
        cs_scalar_compute(block);
    else if (section->ends)
        block->best.score = cs_simd_score(walk->kernels, block);
    else
        cs_simd_compute(walk->kernels, block);
    if (section->ends)
        raise_best(walk, block->best.score);
    walk->cells += block->cells_computed;
    block->corner = next_corner;
}

/* Piece by piece, as far as the step above has come. FALSE if stopped. */
static gboolean
compute_step(Walk *walk, Room *room, gint64 s)
{
    const CsCorridorSection *section = walk->section;
    Step *step = &walk->steps[s];
    const gint64 row = s * HEIGHT, height = MIN(HEIGHT, section->rows - row);
    const CsView rows = cs_view_slice(&walk->survey->rows, section->row + row, height);
    const gint64 right = above(walk, s).to;
    gboolean has_right = FALSE;
    CsCpuBlock block = {
        .rows = room->rows,
        .columns = room->columns,
        .height = height,
        .scoring = walk->scoring,
        .score_width = walk->bus->width,
        .left_h = room->side_h,
        .left_e = room->side_e,
        .scratch = (gpointer)(((gsize)room->scratch + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1)),
    };
    cs_view_read(&rows, CS_ROW_AMBIGUOUS, room->rows);
    for (gint64 from = step->columns.from; from < step->columns.to; from += PIECE) {
        const gint64 to = MIN(step->columns.to, from + PIECE);
        if (cs_is_stopped(walk->survey->stop) || !wait_above(walk, s, to))
            return FALSE;
        if (from == step->columns.from)
            block.corner = enter_side(walk, room, s, height);
        if (!has_right && to >= right) {
            enter_right(walk, s);
            has_right = TRUE;
        }
        compute(walk, room, &block, from, to);
        step->passed = to;
    }
    return TRUE;
}

/* A CsParallelFunc: computes steps until all are taken. */
static void
take_steps(gint64 number, gpointer data)
{
    Walk *walk = data;
    for (gint64 s; (s = walk->next++) < walk->count;)
        if (!compute_step(walk, &walk->rooms[number], s))
            return;
}

/* How wide scores are. */
static gboolean
choose_width(const CsSurvey *survey, const CsCorridorSection *section, CsWidth *width,
             GError **error)
{
    const CsRectangle rectangle = {
        .rows = cs_view_slice(&survey->rows, section->row, section->rows),
        .columns = cs_view_slice(&survey->columns, section->column, section->columns),
        .scoring = survey->scoring,
        .corner = section->high,
    };
    return cs_rectangle_width(&rectangle, width, error);
}

gboolean
cs_corridor_sweep(const CsCorridor *corridor, const CsSurvey *survey, guint threads,
                  CsCorridorSection *section, GError **error)
{
    CsWidth width;
    if (!choose_width(survey, section, &width, error))
        return FALSE;
    Walk walk = {.survey = survey,
                 .scoring = &survey->scoring,
                 .section = section,
                 .kernels = cs_simd_kernels(NULL),
                 .count = cs_divide_up(section->rows, HEIGHT),
                 .best = section->high};
    const gint64 climbers = CLAMP(walk.count, 1, (gint64)threads);
    g_autoptr(CsBus) bus = walk.bus = cs_bus_new(section->columns, width, error);
    g_autofree Step *steps = walk.steps = cs_memory_try_new(Step, walk.count);
    g_autofree Room *rooms = walk.rooms = cs_memory_try_new(Room, climbers);
    if (bus == NULL)
        return FALSE;
    if (steps == NULL || rooms == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory to sweep the corridor");
        return FALSE;
    }
    memset(steps, 0, (gsize)walk.count * sizeof(Step));
    lay_steps(&walk, corridor);
    cs_parallel_run(climbers, threads, NULL, take_steps, &walk); /* steps ask for the stop */
    if (cs_is_stopped(survey->stop)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED,
                            "stopped while computing the corridor");
        return FALSE;
    }
    section->best = walk.best;
    section->exit = h_above(&walk, walk.count, section->columns);
    section->cells_computed += walk.cells;
    return TRUE;
}

guint64
cs_corridor_sweep_memory(gint64 columns, gint64 rows, guint threads)
{
    return 2 * sizeof(CsScore) * (guint64)columns +
           (guint64)cs_divide_up(rows, HEIGHT) * sizeof(Step) + threads * sizeof(Room);
}
