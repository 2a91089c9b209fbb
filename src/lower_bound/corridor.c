/* For every few rows: the columns that the chain passes, and those near it. */
#include <math.h>

#include <chromosweep/error.h>

#include "lower_bound/corridor.h"
#include "sweep/grid.h"
#include "system/memory.h"

enum {
    BEYOND = 4096, /* rows before the first seed and after the last one */
    BESIDE =
        32, /* rows above and below the path between two seeds, because gaps may be there, too */
    /* Cells that are covered, per row and column: */
    FILLED = 512,  /* of the matrix, between seeds where the whole box is covered */
    BANDED = 1024, /* of a box where only a band from one diagonal to the other is covered */
    /* On either side of a straight way this share of its rows or columns is covered, of those that are fewer.
     * Best paths through unrelated bases were within a tenth. */
    ASIDE = 6,
};

/* The corridor while it is built. */
typedef struct {
    CsCorridor *corridor;
    gint64 m, n, margin;
    double most_filled; /* cells of a box that is covered whole */
} Making;

/* A stretch of the corridor: in rows top + 1 .. bottom, the diagonals lowest .. highest, but no
 * column before left or after right. */
typedef struct {
    gint64 top, bottom;
    gint64 lowest, highest;
    gint64 left, right;
} Stretch;

static void
cover(const Making *making, const Stretch *stretch)
{
    CsCorridor *corridor = making->corridor;
    const gint64 top = CLAMP(stretch->top, 0, making->m - 1);
    const gint64 bottom = CLAMP(stretch->bottom, top + 1, making->m);
    const gint64 first = top / CS_CORRIDOR_LINE, end = cs_divide_up(bottom, CS_CORRIDOR_LINE);
    for (gint64 k = first; k < end; k++) {
        const gint64 from = MAX(top, k * CS_CORRIDOR_LINE) + stretch->lowest;
        const gint64 to = MIN(bottom, (k + 1) * CS_CORRIDOR_LINE) + stretch->highest;
        CsCorridorLine *line = &corridor->lines[k];
        CsCorridorLine more = {CLAMP(MAX(from, stretch->left) - making->margin, 0, making->n),
                               CLAMP(MIN(to, stretch->right) + making->margin, 0, making->n)};
        if (more.from >= more.to)
            continue;
        *line = line->to == 0
                    ? more
                    : (CsCorridorLine){MIN(line->from, more.from), MAX(line->to, more.to)};
    }
    corridor->first = MIN(corridor->first, first);
    corridor->end = MAX(corridor->end, end);
}

/* Covers a diagonal. */
static void
cover_diagonal(const Making *making, gint64 row, gint64 column, gint64 length)
{
    const gint64 diagonal = column - row;
    cover(making, &(Stretch){row, row + length, diagonal, diagonal, column, column + length});
}

/* Covers the whole box between two cells. */
static void
cover_box(const Making *making, gint64 row, gint64 column, gint64 rows, gint64 columns)
{
    const gint64 begin = column - row, end = begin + columns - rows;
    cover(making, &(Stretch){row - BESIDE, row + rows + BESIDE, MIN(begin, end) - BESIDE,
                             MAX(begin, end) + BESIDE, column, column + columns});
}

/* The cells between the end of a seed and the start of the next. */
static double
cells_between(const CsSeed *from, const CsSeed *to)
{
    return (double)(to->row - from->row - from->length) *
           (double)(to->column - from->column - from->length);
}

/* The largest box that is covered whole, in cells: a power of two, such that all of them together
 * stay within FILLED. */
static double
most_filled(gint64 m, gint64 n, const CsSeed *chain, gint64 length)
{
    double of_size[128] = {0}, sum = 0;
    for (gint64 k = 1; k < length; k++) {
        int size;
        const double cells = cells_between(&chain[k - 1], &chain[k]);
        frexp(cells, &size); /* cells < 2^size */
        of_size[CLAMP(size, 0, 127)] += cells;
    }
    int size = 0;
    while (size < 128 && (sum += of_size[size]) <= (double)FILLED * ((double)m + (double)n))
        size++;
    return ldexp(1, size - 1);
}

/* Covers the straight line between two cells, and cells beside it. */
static void
cover_straight(const Making *making, const CsSeed *from, const CsSeed *to)
{
    const gint64 row = from->row + from->length, column = from->column + from->length;
    const gint64 rows = to->row - row, columns = to->column - column;
    const gint64 beside = MIN(rows, columns) / ASIDE + BESIDE;
    const double slope = (double)columns / (double)MAX(1, rows);
    for (gint64 top = row, bottom; top < to->row; top = bottom) {
        bottom = MIN(to->row, (top / CS_CORRIDOR_LINE + 1) * CS_CORRIDOR_LINE);
        const gint64 first = column + (gint64)(slope * (double)(top - row)) - beside;
        const gint64 last = column + (gint64)(slope * (double)(bottom - row)) + beside;
        cover(making,
              &(Stretch){top, bottom, first - top, last - bottom, column, column + columns});
    }
}

/* Covers the path from the end of a seed to the start of the next. */
static void
cover_way(const Making *making, const CsSeed *from, const CsSeed *to)
{
    const gint64 row = from->row + from->length, column = from->column + from->length;
    const gint64 rows = to->row - row, columns = to->column - column;
    const gint64 aside = ABS(columns - rows), common = MIN(rows, columns);
    if (cells_between(from, to) < making->most_filled) {
        cover(making, &(Stretch){row - BESIDE, row + rows + BESIDE, -making->m, making->n, column,
                                 column + columns});
        return;
    }
    if ((double)rows * (double)MIN(aside, columns) <=
        (double)BANDED * ((double)rows + (double)columns)) {
        cover_box(making, row, column, rows, columns);
        return;
    }
    const gint64 half = common / 2, rest = common - half;
    cover_diagonal(making, row, column, half);
    cover_box(making, row + half, column + half, rows - common, columns - common);
    cover_diagonal(making, to->row - rest, to->column - rest, rest);
}

gboolean
cs_corridor_init(CsCorridor *corridor, gint64 m, gint64 n, const CsSeed *chain, gint64 length,
                 gint64 straight, gint64 margin, GError **error)
{
    const gint64 count = cs_divide_up(m, CS_CORRIDOR_LINE);
    CsCorridor made = {.first = count, .lines = cs_memory_try_new(CsCorridorLine, count + 1)};
    if (made.lines == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for a corridor of %" G_GINT64_FORMAT " rows", m);
        return FALSE;
    }
    const Making making = {&made, m, n, margin, most_filled(m, n, chain, length)};
    for (gint64 k = 0; k < length; k++) {
        const CsSeed *seed = &chain[k];
        cover_diagonal(&making, seed->row, seed->column, seed->length);
        if (k > 0 && k == straight)
            cover_straight(&making, seed - 1, seed);
        else if (k > 0)
            cover_way(&making, seed - 1, seed);
    }
    if (length > 0) {
        const CsSeed *first = &chain[0], *last = &chain[length - 1];
        cover_diagonal(&making, first->row - BEYOND, first->column - BEYOND, BEYOND);
        cover_diagonal(&making, last->row + last->length, last->column + last->length, BEYOND);
    }
    made.first = MIN(made.first, made.end);
    *corridor = made;
    return TRUE;
}

double
cs_corridor_cells(const CsCorridor *corridor, gint64 from, gint64 to)
{
    double cells = 0;
    for (gint64 k = from / CS_CORRIDOR_LINE; k < cs_divide_up(to, CS_CORRIDOR_LINE); k++)
        cells += (double)MAX(0, corridor->lines[k].to - corridor->lines[k].from) * CS_CORRIDOR_LINE;
    return cells;
}

void
cs_corridor_clear(CsCorridor *corridor)
{
    g_clear_pointer(&corridor->lines, g_free);
}
