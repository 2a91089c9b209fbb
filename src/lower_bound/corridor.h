/*
 * The corridor: the part of a matrix around a chain of seeds, in which a sweep finds an alignment
 * nearly as good as the best.
 *
 *     \\            a band of diagonals around each seed and across each short gap between seeds;
 *      \\
 *       |_____      in longer gaps all cells between the two seeds, the shortest gaps first, until
 *             \\    there are too many of these cells; in the other gaps, half of the way along
 *              \\   the diagonal of each seed, and the cells in between
 */
#ifndef CS_CORRIDOR_H
#define CS_CORRIDOR_H

#include "lower_bound/seeds.h"

#define CS_CORRIDOR_LINE 256 /* rows of a line; they share their columns */

/* Columns from + 1 .. to of a line; to is 0 if the line has no columns. */
typedef struct {
    gint64 from, to;
} CsCorridorLine;

typedef struct {
    gint64 first, end;     /* only lines first .. end - 1 have columns */
    CsCorridorLine *lines; /* for all m rows */
} CsCorridor;

/* The corridor around a chain in an m x n matrix, with `margin` columns on each side. To seed `straight`, if that is
 * not 0, it goes straight from the seed before. Fails with CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_corridor_init(CsCorridor *corridor, gint64 m, gint64 n, const CsSeed *chain,
                          gint64 length, gint64 straight, gint64 margin, GError **error);

/* The cells of its lines in rows from + 1 .. to, about. */
double cs_corridor_cells(const CsCorridor *corridor, gint64 from, gint64 to);

void cs_corridor_clear(CsCorridor *corridor);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsCorridor, cs_corridor_clear)

#endif
