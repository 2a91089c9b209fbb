/*
 * The corridor: the part of a matrix round a chain of seeds, in which a sweep finds an alignment
 * nearly as good as the best.
 *
 *     \\            a band of diagonals round each seed and each short way between two;
 *      \\
 *       |_____      all cells between two seeds that are farther apart, shortest ways first, as
 *             \\    long as they are few; of longer ways the half on either diagonal, and what
 *              \\   lies between
 */
#ifndef CS_CORRIDOR_H
#define CS_CORRIDOR_H

#include "lower_bound/seeds.h"

#define CS_CORRIDOR_LINE 256 /* rows for which columns are told */

/* Columns from + 1 .. to of a line; to is 0 where there are none. */
typedef struct {
    gint64 from, to;
} CsCorridorLine;

typedef struct {
    gint64 first, end;     /* lines first .. end - 1 have columns, the others have not */
    CsCorridorLine *lines; /* of all m rows */
} CsCorridor;

/* Round a chain in an m x n matrix; each side of it is `margin` columns wide. Fails with
 * CS_ERROR_DEVICE where memory is short. */
gboolean cs_corridor_init(CsCorridor *corridor, gint64 m, gint64 n, const CsSeed *chain,
                          gint64 length, gint64 margin, GError **error);
void cs_corridor_clear(CsCorridor *corridor);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsCorridor, cs_corridor_clear)

#endif
