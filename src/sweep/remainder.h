/*
 * What is left of a matrix below a staircase, as rectangles that any engine can compute.
 *
 * The rows of a step are done up to its column. The step above it is done further, up to its own
 * column, and the rows above the first step are complete. So each step can be computed as far as
 * the one above it, which merges the two:
 *
 *        p2     p1        p0          n                p2               p0          n
 *     i0 |......|.........+===========|             i0 |................+===========|
 *        |      |         |   step 0                   |                |
 *     i1 |......+=========+                            |                |   step 0
 *        |      |  part   |   step 1         ->        |                |
 *     i2 |======+---------+                         i2 |======+=========+
 *
 * Each such rectangle is a *part*. The smallest comes first, so that heights and widths grow
 * together and engines get rectangles that keep them busy: S steps are S parts, and few of them are
 * large. When no step is left, the rows below are the last part. The state is always a staircase,
 * even inside a part.
 *
 * The borders of the whole are NULL.
 */
#ifndef CS_REMAINDER_H
#define CS_REMAINDER_H

#include "sweep/rectangle.h"
#include "sweep/staircase.h"

typedef struct {
    const CsRectangle *whole;
    CsStaircase staircase;
} CsRemainder;

typedef struct {
    CsRectangle rectangle;
    gint64 i0, j0; /* rows above it and columns left of it */
    guint step;    /* the step that it extends; the number of steps for the rows below them all */
    CsBus top;     /* a slice of the remainder's bus; it also receives the bottom */
    CsBus *right;  /* NULL at the last column */
    gint64 *special_rows;
    const CsRectangle *whole;
} CsPart;

/* Begins at the top of the matrix. Fails with CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_remainder_init(CsRemainder *remainder, const CsRectangle *whole, GError **error);

/* Begins at a staircase of the whole, which is taken over. */
void cs_remainder_init_take(CsRemainder *remainder, const CsRectangle *whole,
                            CsStaircase *staircase);
void cs_remainder_clear(CsRemainder *remainder);

/* Whether every cell is done. */
gboolean cs_remainder_is_complete(const CsRemainder *remainder);

/*
 * Fills the next part; the remainder must not be complete. Until the part is finished or cleared,
 * neither it nor the remainder may be moved. Fails with CS_ERROR_DEVICE.
 */
gboolean cs_remainder_next(CsRemainder *remainder, CsPart *part, GError **error);

/* Adds a computed part, with its best cell in the part's coordinates, and clears it. Fails with
 * CS_ERROR_DEVICE. */
gboolean cs_remainder_finish(CsRemainder *remainder, CsPart *part, const CsBest *best,
                             GError **error);

/*
 * Fills `stand` with the staircase of the whole while its part stands at `within`, whose content
 * may be taken over. The remainder does not change. Fails with CS_ERROR_DEVICE.
 */
gboolean cs_remainder_stand(const CsRemainder *remainder, const CsPart *part, CsStaircase *within,
                            CsStaircase *stand, GError **error);

void cs_part_clear(CsPart *part);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsRemainder, cs_remainder_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPart, cs_part_clear)

#endif
