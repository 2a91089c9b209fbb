/*
 * Where in a matrix an alignment may end that scores enough: a byte for each square of cells.
 *
 *         columns  1 .. unit . 2 unit
 *     rows     1   +-------+-------+---    A square is marked if a cell in it may have an H of at
 *              .   |       |   *   |       least `least`. A sweep marks whole blocks, so there may
 *            unit  +-------+-------+---    be more marks than such cells.
 *
 * While a sweep sets marks, the values that enter a block may be lowered to `least`
 * (cs_end_marks_lower()). Otherwise a high score would be seen far to the right of and below its
 * alignment, where nothing ends. Lowered so, H still comes to `least` wherever the rest of an
 * alignment gains so much (docs/proofs/alignment-sets.md, Lemma 8).
 */
#ifndef CS_END_MARKS_H
#define CS_END_MARKS_H

#include "sweep/bus.h"

typedef struct {
    CsScore least;
    gint64 unit;          /* rows and columns of a square */
    gint64 rows, columns; /* of squares */
    guint8 *marked;       /* row by row */
    gint64 count;         /* atomic: those that CPUs have marked, and that were read */
} CsEndMarks;

/* Marks of m rows and n columns, none of them set. unit 0: small, but not too many squares. Fails
 * with CS_ERROR_DEVICE if there is not enough memory. */
CsEndMarks *cs_end_marks_new(gint64 m, gint64 n, gint64 unit, CsScore least, GError **error);
void cs_end_marks_free(CsEndMarks *marks);

/* Their bytes, with unit 0. */
gint64 cs_end_marks_bytes(gint64 m, gint64 n);

/* Marks rows i0 + 1 .. i1 and columns j0 + 1 .. j1, of which there is one at least. Several threads
 * may do so at once. */
void cs_end_marks_set(CsEndMarks *marks, gint64 i0, gint64 i1, gint64 j0, gint64 j1);

/* Whether any of these is marked. */
gboolean cs_end_marks_any(const CsEndMarks *marks, gint64 i0, gint64 i1, gint64 j0, gint64 j1);

/* Lowers so many scores, the h or gap of a bus, to the least score. */
void cs_end_marks_lower(const CsEndMarks *marks, CsWidth width, void *values, gint64 count);

/* Appends the marks as numbers (gint64), and reads them again, in addition to those that are set.
 * FALSE if the numbers are not those of such marks. */
void cs_end_marks_write(const CsEndMarks *marks, GArray *numbers);
gboolean cs_end_marks_read(CsEndMarks *marks, const gint64 *numbers, gint64 count);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsEndMarks, cs_end_marks_free)

#endif
