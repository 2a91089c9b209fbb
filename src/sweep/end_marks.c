/* Squares of cells, and stretches of equal ones as numbers. */
#include <string.h>

#include <chromosweep/error.h>

#include "sweep/end_marks.h"

enum {
    LEAST_UNIT = 256,
    HEAD = 4, /* numbers: least, unit, rows, columns */
};

#define MOST_SQUARES (G_GINT64_CONSTANT(1) << 27)

static gint64
squares_along(gint64 length, gint64 unit)
{
    return (length + unit - 1) / unit;
}

/* Rows and columns of a square. */
static gint64
choose_unit(gint64 m, gint64 n)
{
    gint64 unit = LEAST_UNIT;
    while (squares_along(m, unit) > MOST_SQUARES / MAX(1, squares_along(n, unit)))
        unit *= 2;
    return unit;
}

gint64
cs_end_marks_bytes(gint64 m, gint64 n)
{
    const gint64 unit = choose_unit(m, n);
    return squares_along(m, unit) * squares_along(n, unit);
}

CsEndMarks *
cs_end_marks_new(gint64 m, gint64 n, gint64 unit, CsScore least, GError **error)
{
    const gint64 side = unit > 0 ? unit : choose_unit(m, n);
    g_autoptr(CsEndMarks) marks = g_new0(CsEndMarks, 1);
    *marks = (CsEndMarks){.least = least,
                          .unit = side,
                          .rows = squares_along(m, side),
                          .columns = squares_along(n, side)};
    marks->marked = g_try_malloc0((gsize)(marks->rows * marks->columns) + 1);
    if (marks->marked != NULL)
        return g_steal_pointer(&marks);
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory to mark where alignments end");
    return NULL;
}

void
cs_end_marks_free(CsEndMarks *marks)
{
    if (marks == NULL)
        return;
    g_free(marks->marked);
    g_free(marks);
}

void
cs_end_marks_set(CsEndMarks *marks, gint64 i0, gint64 i1, gint64 j0, gint64 j1)
{
    const gint64 from = j0 / marks->unit, last = (j1 - 1) / marks->unit;
    for (gint64 row = i0 / marks->unit; row <= (i1 - 1) / marks->unit; row++)
        for (gint64 column = from; column <= last; column++)
            if (!__atomic_exchange_n(marks->marked + row * marks->columns + column, 1,
                                     __ATOMIC_RELAXED))
                __atomic_fetch_add(&marks->count, 1, __ATOMIC_RELAXED);
}

gboolean
cs_end_marks_any(const CsEndMarks *marks, gint64 i0, gint64 i1, gint64 j0, gint64 j1)
{
    const gint64 from = j0 / marks->unit, last = (j1 - 1) / marks->unit;
    for (gint64 row = i0 / marks->unit; row <= (i1 - 1) / marks->unit; row++)
        if (memchr(marks->marked + row * marks->columns + from, 1, (gsize)(last - from + 1)) !=
            NULL)
            return TRUE;
    return FALSE;
}

void
cs_end_marks_lower(const CsEndMarks *marks, CsWidth width, void *values, gint64 count)
{
    gint32 *narrow = values;
    gint64 *wide = values;
    if (width == CS_WIDTH_64)
        for (gint64 k = 0; k < count; k++)
            wide[k] = MIN(wide[k], marks->least);
    else if (marks->least < CS_SCORE_32_LIMIT)
        for (gint64 k = 0; k < count; k++)
            narrow[k] = MIN(narrow[k], (gint32)marks->least);
}

void
cs_end_marks_write(const CsEndMarks *marks, GArray *numbers)
{
    const gint64 head[HEAD] = {marks->least, marks->unit, marks->rows, marks->columns};
    const gint64 count = marks->rows * marks->columns;
    guint8 wanted = 0;
    g_array_append_vals(numbers, head, HEAD);
    for (gint64 k = 0;
         k < count;) { /* the lengths of stretches: not marked, marked, not marked .. */
        const gint64 begin = k;
        while (k < count && marks->marked[k] == wanted)
            k++;
        const gint64 length = k - begin;
        g_array_append_val(numbers, length);
        wanted = 1 - wanted;
    }
}

gboolean
cs_end_marks_read(CsEndMarks *marks, const gint64 *numbers, gint64 count)
{
    gint64 left = marks->rows * marks->columns;
    guint8 *next = marks->marked;
    if (count < HEAD || numbers[0] != marks->least || numbers[1] != marks->unit ||
        numbers[2] != marks->rows || numbers[3] != marks->columns)
        return FALSE;
    for (gint64 k = HEAD; k < count; k++) {
        if (numbers[k] < 0 || numbers[k] > left)
            return FALSE;
        if ((k - HEAD) % 2 == 1) {
            memset(next, 1, (gsize)numbers[k]);
            marks->count += numbers[k];
        }
        next += numbers[k];
        left -= numbers[k];
    }
    return left == 0;
}
